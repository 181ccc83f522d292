/* locations: URLs of folders on servers, and of what is in them. */
#ifndef MLPBOOT_EFI_NETWORK_LOCATIONS_H
#define MLPBOOT_EFI_NETWORK_LOCATIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "../../kernel/lib/text.h"
#include "../../kernel/lib/utc.h"

#define LOCATION_MAX 768 /* of any URL here, its NUL included */

/*
 * Writes the folder that holds a file, up to its last '/' or '\' and that included: of
 * "http://server/x/y.efi" it is "http://server/x/", of "http://server" it is "http://server/".
 * Returns NULL, or what is wrong with the URL, to be read behind it.
 */
const char *location_folder(struct piece url, char folder[LOCATION_MAX]);

/*
 * Writes the URL of what is called `name` from that folder on; the folder may lack its '/', and '\'
 * in a name is '/'. False: it is too long.
 */
bool location_join(const char *folder, const char *name, char url[LOCATION_MAX]);

#define LOCATION_RUN_MAX 64

/*
 * Names what a run leaves on a server: machine, time, and a count of ticks since it was switched
 * on. A clock that has lost its battery shows the same time in each boot, and machines without a
 * serial number share their id: no two boots have the same ticks. `utc`: NULL where it is not
 * known.
 */
void location_of_run(const char *machine, const struct utc *utc, uint64_t ticks,
                     char name[LOCATION_RUN_MAX]);

/* Reads "10.0.0.1". */
bool location_ipv4(struct piece text, uint8_t address[4]);

/*
 * The server and file that a DHCP packet has a client load: "tftp://10.0.0.1/x/boot.efi" (RFC 2131,
 * 2; RFC 2132: option 66 before the header's server, 67 before the header's file, 54 where no
 * server is named), or the file itself where that is a URL, as for iPXE. False: it names no server,
 * or one that is no IPv4 address.
 */
bool location_of_packet(const uint8_t *packet, size_t length, char url[LOCATION_MAX]);

#endif

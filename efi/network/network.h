/* network: the server that this application was loaded from, and servers that take results. */
#ifndef MLPBOOT_EFI_NETWORK_NETWORK_H
#define MLPBOOT_EFI_NETWORK_NETWORK_H

#include <stdbool.h>
#include <stddef.h>

#include "../../kernel/lib/utc.h"
#include "../storage/place.h"

/* True if firmware or a boot manager loaded this application from a server, by TFTP or HTTP. */
bool network_is_source(void);

/* True if it is known which server that is; also where it served a disk that the firmware keeps in
 * memory, and this application is on that. */
bool network_has_server(void);

/* As volume_read, of a file beside the application on that server, by the protocol it came by. */
const char *network_read(const char *name, char *buffer, size_t room, size_t *length,
                         bool *missing);

/*
 * The server's folder for results: the folder of that URL; "": the server that this came from.
 * Each run has a name of its own there, see location_of_run; `utc` is NULL where the time is
 * not known. There is one place; asking again changes it.
 */
struct place *network_place(const char *url, const char *machine, const struct utc *utc);

/* Gives back what was taken of the firmware. */
void network_close(void);

#endif

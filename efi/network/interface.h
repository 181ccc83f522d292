/* interface: opens a network card with an address. */
#ifndef MLPBOOT_EFI_NETWORK_INTERFACE_H
#define MLPBOOT_EFI_NETWORK_INTERFACE_H

#include <efi.h>
#include <stdbool.h>

struct network_interface {
    EFI_HANDLE card;
    EFI_IPv4_ADDRESS address, subnet;
    bool is_default; /* the firmware's own address, with its routes and name servers */
};

/*
 * Finds a card with HTTP and an address for it: the loader's, else the firmware's own, else one
 * from DHCP. `loader`: the card must be below that handle; NULL: any card. `lease`: the loader's
 * PXE address and subnet; NULL: none. Prints a line if it has to wait. Returns NULL, or the reason
 * in words. Everything stays open until interface_close.
 */
const char *interface_open(EFI_HANDLE loader, const EFI_IPv4_ADDRESS lease[2]);

/* Returns the open interface. */
const struct network_interface *interface_opened(void);

/* Releases the address, and disconnects what was connected. */
void interface_close(void);

/* Creates a child of a service of the card; returns its protocol, or NULL. */
void *interface_child(EFI_HANDLE card, const EFI_GUID *binding, const EFI_GUID *protocol,
                      EFI_HANDLE *child);
void interface_destroy(EFI_HANDLE card, const EFI_GUID *binding, EFI_HANDLE child);

#endif

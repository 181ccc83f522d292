/* interface: the network card that is used, and its address. */
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
 * Finds a card with HTTP and an address for it: that of who loaded us, else the firmware's own,
 * else one that DHCP gives. `loader`: the card is the one below that handle; NULL: any. `lease`:
 * the address that the loader has by PXE, with its subnet; NULL: none. Says on the console when it
 * has to wait. Returns NULL, or the reason in words. What was found stays until interface_close.
 */
const char *interface_open(EFI_HANDLE loader, const EFI_IPv4_ADDRESS lease[2]);

/* What was opened. */
const struct network_interface *interface_opened(void);

/* Gives address and drivers back. */
void interface_close(void);

/* A child of a service that the card has, with its protocol; NULL: there is none. */
void *interface_child(EFI_HANDLE card, const EFI_GUID *binding, const EFI_GUID *protocol,
                      EFI_HANDLE *child);
void interface_destroy(EFI_HANDLE card, const EFI_GUID *binding, EFI_HANDLE child);

#endif

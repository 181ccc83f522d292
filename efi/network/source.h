/* source: who loaded this application over a network, and from where. */
#ifndef MLPBOOT_EFI_NETWORK_SOURCE_H
#define MLPBOOT_EFI_NETWORK_SOURCE_H

#include <efi.h>
#include <stdbool.h>

#include "locations.h"

struct source {
    bool is_network; /* the application itself was loaded so, not a disk that holds it */
    bool is_ipxe;
    char folder[LOCATION_MAX]; /* URL of the folder that it was in, or its disk; "": not known */
    EFI_HANDLE loader;         /* the device that the application came by */
    EFI_PXE_BASE_CODE *pxe;    /* started, on IPv4, or NULL */
    EFI_IPv4_ADDRESS lease[2]; /* the address that PXE has, and its subnet */
};

/* Looked for once. */
const struct source *source_find(void);

#endif

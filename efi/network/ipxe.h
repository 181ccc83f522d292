/* ipxe: files by iPXE's own stack, with its TLS, proxies and names. */
#ifndef MLPBOOT_EFI_NETWORK_IPXE_H
#define MLPBOOT_EFI_NETWORK_IPXE_H

#include <efi.h>
#include <stdbool.h>

#include "transport.h"

/* True if iPXE made that handle, which it does for what it starts; `ipxe` uses it from now on. */
bool ipxe_is(EFI_HANDLE loader);

/* Reads only: iPXE writes nothing. */
extern const struct transport ipxe;

#endif

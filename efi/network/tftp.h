/* tftp: files by EFI_PXE_BASE_CODE_PROTOCOL. The URL's server has to be an IPv4 address. */
#ifndef MLPBOOT_EFI_NETWORK_TFTP_H
#define MLPBOOT_EFI_NETWORK_TFTP_H

#include <efi.h>
#include <stdbool.h>

#include "transport.h"

/*
 * By which base code from now on; it must be started. `any_url`: it is iPXE's, which takes a URL of
 * any scheme where a file's name goes (iPXE, src/net/udp/tftp.c, src/interface/efi/efi_pxe.c).
 */
void tftp_use(EFI_PXE_BASE_CODE *pxe, bool any_url);

/* Starts the base code of the station's card, and uses that. Returns NULL, or why not. */
const char *tftp_open(void);

/* Stops it again. */
void tftp_close(void);

extern const struct transport tftp;

#endif

/* tftp: transfers files by EFI_PXE_BASE_CODE_PROTOCOL; a URL's server must be an IPv4 address. */
#ifndef MLPBOOT_EFI_NETWORK_TFTP_H
#define MLPBOOT_EFI_NETWORK_TFTP_H

#include <efi.h>
#include <stdbool.h>

#include "transport.h"

/* Sets the base code to use, on that handle; it must be started. */
void tftp_use(EFI_HANDLE handle, EFI_PXE_BASE_CODE *pxe);

/* Starts the base code of the interface's card, and uses that. Returns NULL, or why not. */
const char *tftp_open(void);

/* Stops the base code that tftp_open started. */
void tftp_close(void);

extern const struct transport tftp;

#endif

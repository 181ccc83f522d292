/* http: transfers files by EFI_HTTP_PROTOCOL on the interface's card. */
#ifndef MLPBOOT_EFI_NETWORK_HTTP_H
#define MLPBOOT_EFI_NETWORK_HTTP_H

#include "transport.h"

/* Serves http:// and, if the firmware has TLS, https://. The interface must be open. */
extern const struct transport http;

#endif

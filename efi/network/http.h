/* http: files by EFI_HTTP_PROTOCOL, on the card of the interface. */
#ifndef MLPBOOT_EFI_NETWORK_HTTP_H
#define MLPBOOT_EFI_NETWORK_HTTP_H

#include "transport.h"

/* http:// and, where the firmware has TLS, https://. The interface must be open. */
extern const struct transport http;

#endif

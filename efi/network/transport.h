/* transport: a protocol by which files come from a server and go there. */
#ifndef MLPBOOT_EFI_NETWORK_TRANSPORT_H
#define MLPBOOT_EFI_NETWORK_TRANSPORT_H

#include <stddef.h>

/* What a server's refusal means, besides its words. */
enum refusal {
    REFUSAL_NONE,
    REFUSAL_MISSING, /* there is no such file */
    REFUSAL_DENIED,  /* it lets nobody read it */
};

/* Functions return NULL, or the reason in words. They take seconds where nobody answers. */
struct transport {
    /* Reads a file; *length gets its size, or at least room + 1 where that is more than `room`:
     * then only the first `room` bytes were read, or none. */
    const char *(*get)(const char *url, char *buffer, size_t room, size_t *length,
                       enum refusal *refusal);
    /* Writes a file whole, in the place of one of that name. */
    const char *(*put)(const char *url, const char *data, size_t length);
};

#endif

/* transport: a protocol by which files come from a server and go there. */
#ifndef MLPBOOT_EFI_NETWORK_TRANSPORT_H
#define MLPBOOT_EFI_NETWORK_TRANSPORT_H

#include <stddef.h>

#include "../firmware.h"

/* The meaning of a server's refusal, besides its words. */
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

/* An exchange takes that long at most, however it is cut into pieces: a server that sends a byte
 * now and then is no better than one that sends none. */
#define TRANSPORT_MILLISECONDS 60000
#define TRANSPORT_SLOWEST 10 /* bytes a millisecond, of those that were exchanged */
#define TRANSPORT_TOO_SLOW "the server is too slow"

static inline bool transport_is_late(uint64_t started, uint64_t bytes)
{
    return firmware_milliseconds() - started > TRANSPORT_MILLISECONDS + bytes / TRANSPORT_SLOWEST;
}

#endif

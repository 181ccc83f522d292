/* shared_library: functions of a library that only one command needs, found when it is needed. */
#ifndef MLPBOOT_HOSTED_SHARED_LIBRARY_H
#define MLPBOOT_HOSTED_SHARED_LIBRARY_H

#include <stddef.h>

/* With the prototypes of the library's header: of a function's name a pointer, or a text. */
#define SHARED_POINTER(name) __typeof__(name) *name;
#define SHARED_NAME(name) #name,

struct shared_library {
    const char *file;         /* "libpq.so.5" */
    const char *package;      /* of Debian, that has it */
    const char *const *names; /* of the functions; NULL ends them */
    void *functions;          /* a struct of as many pointers, in that order */
};

/*
 * Measuring must not depend on what only collecting needs: the command is copied to machines that
 * have no such library. So it is opened here, and stays open. NULL, or the reason, which names the
 * package; it stays until the next call.
 */
const char *shared_library_open(const struct shared_library *library);

#endif

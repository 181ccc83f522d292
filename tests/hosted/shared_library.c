/* shared_library: functions of a library that only one command needs, found when it is needed. */
#include "shared_library.h"

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

static const char *refuse(const struct shared_library *library)
{
    static char reason[512];

    snprintf(reason, sizeof(reason), "%s is needed, of the Debian package %s: %s", library->file,
             library->package, dlerror());
    return reason;
}

const char *shared_library_open(const struct shared_library *library)
{
    char *into = library->functions;
    void *handle = dlopen(library->file, RTLD_NOW | RTLD_LOCAL);

    if (handle == NULL)
        return refuse(library);
    for (const char *const *name = library->names; *name != NULL; name++) {
        void *function = dlsym(handle, *name);
        if (function == NULL)
            return refuse(library);
        memcpy(into, &function, sizeof(function));
        into += sizeof(function);
    }
    return NULL;
}

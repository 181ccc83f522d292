/* linux_memory: how much memory a Linux process may still take without being killed for it. */
#include "linux_memory.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "read_file.h"

#define MARGIN_MIN (64u << 20)
#define MARGIN_SHARE 16 /* of what is available, one part of so many */

/* The files of a memory control group, in the two versions of that interface. */
struct group_kind {
    const char *root;
    const char *limit, *usage, *stat;
};

static const struct group_kind group_v1 = {"/sys/fs/cgroup/memory", "memory.limit_in_bytes",
                                           "memory.usage_in_bytes", "memory.stat"};
static const struct group_kind group_v2 = {"/sys/fs/cgroup", "memory.max", "memory.current",
                                           "memory.stat"};

/* Returns the number behind `name` at the start of a line; 0: no line begins with `name`. */
static uint64_t named_number(const char *text, const char *name)
{
    size_t length = strlen(name);

    for (const char *line = text; line != NULL && *line != '\0';) {
        if (strncmp(line, name, length) == 0)
            return strtoull(line + length, NULL, 10);
        line = strchr(line, '\n');
        line = line != NULL ? line + 1 : NULL;
    }
    return 0;
}

uint64_t linux_meminfo(const char *name)
{
    char text[8192], start[64];

    read_small_file("/proc/meminfo", text, sizeof(text));
    snprintf(start, sizeof(start), "%s:", name);
    return named_number(text, start) * 1024;
}

static bool read_group_file(const struct group_kind *kind, const char *group, const char *file,
                            char *text, size_t size)
{
    char path[4608];

    snprintf(path, sizeof(path), "%s%s/%s", kind->root, group, file);
    return read_small_file(path, text, size);
}

/* Returns how many bytes one group leaves; UINT64_MAX: it sets no limit. */
static uint64_t group_room(const struct group_kind *kind, const char *group)
{
    char limit[64], usage[64], stat[8192];

    if (!read_group_file(kind, group, kind->limit, limit, sizeof(limit)) ||
        !read_group_file(kind, group, kind->usage, usage, sizeof(usage)) ||
        strcmp(limit, "max") == 0)
        return UINT64_MAX;
    /* Cached files count as used, but the kernel drops them before it kills anyone. */
    read_group_file(kind, group, kind->stat, stat, sizeof(stat));
    uint64_t most = strtoull(limit, NULL, 10);
    uint64_t used = strtoull(usage, NULL, 10);
    uint64_t cached = named_number(stat, "inactive_file ");
    used -= cached < used ? cached : used;
    return used < most ? most - used : 0;
}

/* Returns the least room of a group and of the groups around it, to which it cuts `group` down. */
static uint64_t groups_room(const struct group_kind *kind, char *group)
{
    uint64_t room = UINT64_MAX;

    for (;;) {
        uint64_t here = group_room(kind, group);
        char *slash = strrchr(group, '/');
        room = here < room ? here : room;
        if (slash == NULL)
            return room;
        *slash = '\0';
    }
}

/* Lines of /proc/self/cgroup read "number:controllers:/path"; version 2 has no controllers. */
static uint64_t control_groups_room(void)
{
    char text[4096], *rest = NULL;
    uint64_t room = UINT64_MAX;

    read_small_file("/proc/self/cgroup", text, sizeof(text));
    for (char *line = strtok_r(text, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest)) {
        char *controllers = strchr(line, ':');
        char *group = controllers != NULL ? strchr(controllers + 1, ':') : NULL;
        if (group == NULL)
            continue;
        *group++ = '\0';
        bool is_v2 = controllers[1] == '\0';
        if (is_v2 || strstr(controllers, "memory") != NULL) {
            uint64_t here = groups_room(is_v2 ? &group_v2 : &group_v1, group);
            room = here < room ? here : room;
        }
    }
    return room;
}

uint64_t linux_memory_free(void)
{
    uint64_t available = linux_meminfo("MemAvailable");
    uint64_t room = control_groups_room();

    available = room < available ? room : available;
    uint64_t margin = available / MARGIN_SHARE;
    margin = margin < MARGIN_MIN ? MARGIN_MIN : margin;
    return available > margin ? available - margin : 0;
}

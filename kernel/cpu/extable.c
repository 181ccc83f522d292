/* extable: looks up the table that the linker collects. */
#include "extable.h"

/* Both relative to their own place, so that the image needs no relocation for them. */
struct entry {
    int32_t from, to;
};

extern const struct entry extable_start[], extable_end[]; /* linker/mlpboot.lds */

static uint64_t target(const int32_t *field)
{
    return (uint64_t)field + (uint64_t)(int64_t)*field;
}

uint64_t extable_find(uint64_t address)
{
    for (const struct entry *e = extable_start; e < extable_end; e++)
        if (target(&e->from) == address)
            return target(&e->to);
    return 0;
}

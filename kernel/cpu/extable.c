/* extable: looks up the table that the linker collects. */
#include "extable.h"

/* Both are relative to their own address, so that the image needs no relocation for them. */
struct entry {
    int32_t from, to;
};

/* Start and end of the section: from linker/mlpboot.lds, or from the linker itself. */
extern const struct entry __start_extable[], __stop_extable[];

static uint64_t target(const int32_t *field)
{
    return (uint64_t)field + (uint64_t)(int64_t)*field;
}

uint64_t extable_find(uint64_t address)
{
    for (const struct entry *e = __start_extable; e < __stop_extable; e++)
        if (target(&e->from) == address)
            return target(&e->to);
    return 0;
}

/* grow: lists of any length, one more at a time. */
#ifndef MLPBOOT_HOSTED_GROW_H
#define MLPBOOT_HOSTED_GROW_H

#include <stdbool.h>
#include <stdlib.h>

/* Room for one more of a list of `count`, which doubles whenever it is full; NULL: no memory. */
static inline void *grow(void *list, size_t count, size_t size)
{
    bool is_full = (count & (count - 1)) == 0; /* 0, or a power of two */

    return is_full ? realloc(list, (count == 0 ? 1 : 2 * count) * size) : list;
}

#endif

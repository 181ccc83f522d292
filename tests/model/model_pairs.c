/* model_pairs: from the code's start on; there are no jumps. */
#include "model_pairs.h"

/* Longer ones have no partner, as on Zen 4 (tried: four of one byte an entry, one of eight). */
static bool is_short_nop(const struct operation *operation, size_t left)
{
    return operation->kind == OPERATION_NOP &&
           (left == 1 || operation[1].offset - operation->offset == 1);
}

void model_pairs_find(struct model_pairs *pairs, const struct operation *operation, size_t count)
{
    bool is_half = false; /* the entry before has room for a NOP */
    uint32_t entries = 0;

    for (uint32_t number = 0; number < count; number++) {
        bool is_nop = is_short_nop(&operation[number], count - number);
        bool is_second = is_nop && is_half;
        entries += !is_second;
        pairs->entry[number] = entries - 1;
        pairs->last[entries - 1] = number;
        is_half = is_nop && !is_second;
    }
}

/* model_entries: from the code's start on; there are no jumps. */
#include "model_entries.h"

/* The entry that was filled last. */
struct shared_entry {
    const struct operation *first;
    unsigned operations;
};

bool model_entries_are_shared(const struct model_parameters *parameters)
{
    return parameters->fuse > 0 || parameters->pairs > 0;
}

/* Seen on Zen 4 with 15 bytes: four NOPs of 1 byte an entry, one of 8; and one of 8 behind a load
 * of 7. */
static bool is_fused(const struct shared_entry *entry, const struct operation *o, uint64_t most)
{
    const struct operation *first = entry->first;
    uint32_t end = o->offset + o->length;

    if (o->kind != OPERATION_NOP || (first->kind != OPERATION_NOP && first->kind != OPERATION_LOAD))
        return false;
    return entry->operations < MODEL_FUSED_MAX && end - first->offset <= most &&
           first->offset / MODEL_FETCH_BYTES == (end - 1) / MODEL_FETCH_BYTES;
}

/* Seen there, too: lea and paddd, add and a NOP, xor and cmp. */
static bool is_pair(const struct shared_entry *entry, const struct operation *o)
{
    return entry->operations == 1 && entry->first->kind != o->kind &&
           entry->first->kind < OPERATION_LOAD && o->kind < OPERATION_LOAD;
}

static bool joins(const struct shared_entry *entry, const struct operation *o,
                  const struct model_parameters *parameters)
{
    if (entry->operations == 0)
        return false;
    return is_fused(entry, o, parameters->fuse) || (parameters->pairs > 0 && is_pair(entry, o));
}

void model_entries_find(struct model_entries *entries, const struct model_parameters *parameters,
                        const struct operation *operation, size_t count)
{
    struct shared_entry entry = {0};
    uint32_t filled = 0;

    for (uint32_t number = 0; number < count; number++) {
        const struct operation *o = &operation[number];
        if (!joins(&entry, o, parameters)) {
            entry = (struct shared_entry){.first = o};
            filled++;
        }
        entry.operations++;
        entries->entry[number] = filled - 1;
        entries->last[filled - 1] = number;
    }
}

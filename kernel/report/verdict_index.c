/* verdict_index: a hash table over name and case without its experiment; linear probing. */
#include "verdict_index.h"

#include "../lib/string.h"

/* A power of two, at least twice as many as there are verdicts. */
static size_t slots_for(size_t verdicts)
{
    size_t slots = 16;
    while (slots < 2 * verdicts)
        slots *= 2;
    return slots;
}

uint64_t verdict_index_bytes(size_t verdicts)
{
    return slots_for(verdicts) * sizeof(uint32_t);
}

static struct variant of_no_experiment(const struct variant *of)
{
    struct variant plain = *of;
    plain.experiment[0] = '\0';
    return plain;
}

/* Where a search for that case, of no experiment, and name begins; as FNV-1a goes on. */
static size_t first_slot(const struct verdict_index *index, const struct variant *plain,
                         const char *name)
{
    uint64_t hash = case_hash(plain);
    for (; *name != '\0'; name++)
        hash = (hash ^ (unsigned char)*name) * 0x100000001b3;
    return (hash ^ hash >> 32) & (index->slots - 1);
}

void verdict_index_make(const struct verdict_list *list, void *memory, struct verdict_index *index)
{
    *index = (struct verdict_index){.list = list, .slot = memory, .slots = slots_for(list->count)};
    memset(index->slot, 0, index->slots * sizeof *index->slot);
    for (size_t i = 0; i < list->count; i++) {
        struct variant plain = of_no_experiment(&list->at[i].of);
        size_t at = first_slot(index, &plain, list->at[i].name);
        while (index->slot[at] != 0)
            at = (at + 1) & (index->slots - 1);
        index->slot[at] = (uint32_t)i + 1;
    }
}

/* What was put in first is found first. */
static const struct verdict *find(const struct verdict_index *index, const struct variant *of,
                                  const char *name, bool anywhere)
{
    struct variant plain = of_no_experiment(of);
    size_t at = first_slot(index, &plain, name);
    for (; index->slot[at] != 0; at = (at + 1) & (index->slots - 1)) {
        const struct verdict *v = &index->list->at[index->slot[at] - 1];
        struct variant other = of_no_experiment(&v->of);
        if (strcmp(v->name, name) == 0 && case_same(&other, &plain) &&
            (anywhere || strcmp(v->of.experiment, of->experiment) == 0))
            return v;
    }
    return NULL;
}

const struct verdict *verdict_index_find(const struct verdict_index *index,
                                         const struct variant *of, const char *name)
{
    return find(index, of, name, false);
}

const struct verdict *verdict_index_find_anywhere(const struct verdict_index *index,
                                                  const struct variant *of, const char *name)
{
    return find(index, of, name, true);
}

/* model_translation: a store for each level and page size, and one for each level of the tables. */
#include "model_translation.h"

#include <string.h>

/* Returns how many bytes an entry of an upper level maps. */
static uint64_t upper_bytes(unsigned level)
{
    return UINT64_C(1) << (21 + 9 * level);
}

static struct model_store *of_page(struct model_store *stores, enum page_size page)
{
    return stores[page].sets > 0 ? &stores[page] : &stores[PAGE_4K];
}

static bool open_stores(struct model_translation *t, const struct model_parameters *p)
{
    const struct model_store_shape first[PAGE_SIZES] = {
        [PAGE_4K] = {p->dtlb, p->dtlb_ways, (enum model_store_hash)p->dtlb_hash, p->dtlb_random},
        [PAGE_2M] = {p->dtlb_2m, p->dtlb_2m_ways, (enum model_store_hash)p->dtlb_hash,
                     p->dtlb_random},
        [PAGE_1G] = {p->dtlb_1g, p->dtlb_1g_ways, (enum model_store_hash)p->dtlb_hash,
                     p->dtlb_random},
    };
    const struct model_store_shape second[PAGE_SIZES] = {
        [PAGE_4K] = {p->stlb, p->stlb_ways, (enum model_store_hash)p->stlb_hash, p->stlb_random},
        [PAGE_2M] = {p->stlb_2m, p->stlb_2m_ways, (enum model_store_hash)p->stlb_hash,
                     p->stlb_random},
        [PAGE_1G] = {p->stlb_1g, p->stlb_1g_ways, (enum model_store_hash)p->stlb_hash,
                     p->stlb_random},
    };
    const struct model_store_shape upper[UPPER_LEVELS] = {
        [UPPER_PDE] = {.entries = p->pde_cache},
        [UPPER_PDPTE] = {.entries = p->pdpte_cache},
        [UPPER_PML4E] = {.entries = p->pml4e_cache},
    };
    struct random random;
    bool is_open = true;
    model_random_open(&random, p, SEQUENCE_TLB);
    for (unsigned i = 0; i < PAGE_SIZES; i++)
        is_open = model_store_open(&t->first[i], &first[i], &random) &&
                  model_store_open(&t->second[i], &second[i], &random) && is_open;
    for (unsigned i = 0; i < UPPER_LEVELS; i++)
        is_open = model_store_open(&t->upper[i], &upper[i], &random) && is_open;
    return is_open;
}

bool model_translation_open(struct model_translation *translation,
                            const struct model_parameters *parameters)
{
    memset(translation, 0, sizeof(*translation));
    if (open_stores(translation, parameters))
        return true;
    model_translation_close(translation);
    return false;
}

void model_translation_close(struct model_translation *translation)
{
    for (unsigned i = 0; i < PAGE_SIZES; i++) {
        model_store_close(&translation->first[i]);
        model_store_close(&translation->second[i]);
    }
    for (unsigned i = 0; i < UPPER_LEVELS; i++)
        model_store_close(&translation->upper[i]);
}

enum model_translation_place model_translation_use(struct model_translation *translation,
                                                   uint64_t linear, enum page_size page,
                                                   uint64_t **ready)
{
    uint64_t tag = linear / page_bytes(page);
    struct model_store *first = of_page(translation->first, page);
    struct model_store *second = of_page(translation->second, page);
    struct model_store_entry *entry = model_store_find(first, tag);
    if (entry != NULL) {
        *ready = &entry->ready;
        return TRANSLATED_FIRST;
    }
    *ready = &model_store_enter(first, tag)->ready;
    if (model_store_find(second, tag) != NULL)
        return TRANSLATED_SECOND;
    model_store_enter(second, tag);
    return TRANSLATED_NOT;
}

/* True if a walk begun at `start` need not read a level. *entry is the walk's entry there, NULL
 * without a cache; a new one is not ready. */
static bool is_remembered(struct model_store *store, uint64_t tag, uint64_t start,
                          struct model_store_entry **entry)
{
    *entry = model_store_find(store, tag);
    if (*entry != NULL)
        return (*entry)->ready <= start;
    *entry = model_store_enter(store, tag);
    if (*entry != NULL)
        (*entry)->ready = UINT64_MAX;
    return false;
}

uint64_t model_translation_walk(struct model_translation *translation, uint64_t linear,
                                enum page_size page, uint64_t start, uint64_t each)
{
    struct model_store_entry *read[UPPER_LEVELS];
    unsigned level = page;
    while (level < UPPER_LEVELS && !is_remembered(&translation->upper[level],
                                                  linear / upper_bytes(level), start, &read[level]))
        level++;
    uint64_t cycles = (level - page) * each, end = start + cycles;
    while (level-- > page)
        if (read[level] != NULL && read[level]->ready > end)
            read[level]->ready = end;
    return cycles;
}

static void empty_upper_levels(struct model_translation *translation)
{
    for (unsigned i = 0; i < UPPER_LEVELS; i++)
        model_store_empty(&translation->upper[i]);
}

void model_translation_forget(struct model_translation *translation, uint64_t linear,
                              enum page_size page)
{
    uint64_t tag = linear / page_bytes(page);
    model_store_forget(of_page(translation->first, page), tag);
    model_store_forget(of_page(translation->second, page), tag);
    empty_upper_levels(translation);
}

void model_translation_empty(struct model_translation *translation)
{
    for (unsigned i = 0; i < PAGE_SIZES; i++) {
        model_store_empty(&translation->first[i]);
        model_store_empty(&translation->second[i]);
    }
    empty_upper_levels(translation);
}

void model_translation_crowd(struct model_translation *translation, uint64_t linear, uint64_t bytes,
                             enum page_size page, enum page_size entries)
{
    uint64_t step = upper_bytes(page), end = linear + bytes;
    uint64_t tag = linear / page_bytes(entries), count = bytes / page_bytes(entries);
    model_store_crowd(of_page(translation->first, entries), tag, count);
    model_store_crowd(of_page(translation->second, entries), tag, count);
    for (; linear < end; linear = (linear / step + 1) * step)
        model_translation_walk(translation, linear, page, 0, 0);
}

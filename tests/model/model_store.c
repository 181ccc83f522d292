/* model_store: a ring in each set for the order of use, and lists by hash to find a tag. */
#include "model_store.h"

#include <stdlib.h>
#include <string.h>

#define NOBODY UINT32_MAX

static uint32_t *bucket_of(const struct model_store *store, uint64_t tag)
{
    return &store->bucket[(tag * UINT64_C(0x9e3779b97f4a7c15) >> 32) & (store->buckets - 1)];
}

/* All bits of a tag folded to so many, as second-level TLBs fold page numbers by XOR (Gras et al.,
 * TLBleed, USENIX Security 2018). */
static uint64_t folded(uint64_t tag, unsigned bits)
{
    uint64_t fold = 0;
    for (; tag != 0; tag >>= bits)
        fold ^= tag & ((UINT64_C(1) << bits) - 1);
    return fold;
}

/* Any fixed function that looks like chance (the finalizer of SplitMix64). */
static uint64_t mixed(uint64_t tag)
{
    tag = (tag ^ tag >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    tag = (tag ^ tag >> 27) * UINT64_C(0x94d049bb133111eb);
    return tag ^ tag >> 31;
}

/* Neighbours are spread evenly in any case: only as much of the number of sets as is a power of two
 * is chosen by a fold. */
static uint32_t set_of(const struct model_store *store, uint64_t tag)
{
    unsigned bits = store->fold_bits;
    if (store->shape.hash == HASH_MIXED)
        return (uint32_t)((mixed(tag) >> 32) * store->sets >> 32);
    if (bits == 0)
        return (uint32_t)(tag % store->sets);
    return (uint32_t)((tag >> bits) % (store->sets >> bits) << bits | folded(tag, bits));
}

bool model_store_open(struct model_store *store, const struct model_store_shape *shape,
                      const struct random *random)
{
    memset(store, 0, sizeof(*store));
    store->shape = *shape;
    store->random = *random;
    if (shape->entries == 0)
        return true;
    bool is_whole = shape->ways == 0 || shape->ways >= shape->entries;
    store->ways = (uint32_t)(is_whole ? shape->entries : shape->ways);
    store->sets = (uint32_t)shape->entries / store->ways;
    store->fold_bits = shape->hash == HASH_FOLDED ? (unsigned)__builtin_ctz(store->sets) : 0;
    store->buckets = 1;
    while (store->buckets < 2 * shape->entries)
        store->buckets *= 2;
    store->entry = calloc((size_t)store->sets * store->ways, sizeof(*store->entry));
    store->newest = calloc(store->sets, sizeof(*store->newest));
    store->bucket = calloc(store->buckets, sizeof(*store->bucket));
    if (store->entry == NULL || store->newest == NULL || store->bucket == NULL) {
        model_store_close(store);
        return false;
    }
    model_store_empty(store);
    return true;
}

void model_store_close(struct model_store *store)
{
    free(store->entry);
    free(store->newest);
    free(store->bucket);
    memset(store, 0, sizeof(*store));
}

void model_store_empty(struct model_store *store)
{
    for (uint32_t set = 0; set < store->sets; set++) {
        uint32_t first = set * store->ways, last = first + store->ways - 1;
        for (uint32_t i = first; i <= last; i++)
            store->entry[i] = (struct model_store_entry){.older = i < last ? i + 1 : first,
                                                         .newer = i > first ? i - 1 : last};
        store->newest[set] = first;
    }
    if (store->buckets > 0)
        memset(store->bucket, 0xff, store->buckets * sizeof(*store->bucket));
}

static void leave_bucket(struct model_store *store, uint32_t i)
{
    uint32_t *link = bucket_of(store, store->entry[i].tag);
    while (*link != i)
        link = &store->entry[*link].next;
    *link = store->entry[i].next;
}

static void enter_bucket(struct model_store *store, uint32_t i)
{
    uint32_t *head = bucket_of(store, store->entry[i].tag);
    store->entry[i].next = *head;
    *head = i;
}

/* Between the newest and, the ring being one, the oldest. */
static void move_to_seam(struct model_store *store, uint32_t i, uint32_t newest)
{
    struct model_store_entry *entry = store->entry;
    entry[entry[i].newer].older = entry[i].older;
    entry[entry[i].older].newer = entry[i].newer;
    entry[i].older = newest;
    entry[i].newer = entry[newest].newer;
    entry[entry[i].newer].older = i;
    entry[newest].newer = i;
}

static struct model_store_entry *make_newest(struct model_store *store, uint32_t i)
{
    uint32_t *newest = &store->newest[i / store->ways];
    if (*newest != i) {
        move_to_seam(store, i, *newest);
        *newest = i;
    }
    return &store->entry[i];
}

static uint32_t number_of(const struct model_store *store, uint64_t tag)
{
    uint32_t i = store->sets > 0 ? *bucket_of(store, tag) : NOBODY;
    while (i != NOBODY && store->entry[i].tag != tag)
        i = store->entry[i].next;
    return i;
}

struct model_store_entry *model_store_find(struct model_store *store, uint64_t tag)
{
    uint32_t i = number_of(store, tag);
    return i != NOBODY ? make_newest(store, i) : NULL;
}

static uint32_t choose_victim(struct model_store *store, uint32_t set)
{
    uint32_t oldest = store->entry[store->newest[set]].newer;
    if (!store->shape.is_random || store->entry[oldest].tag == 0)
        return oldest;
    return set * store->ways + (uint32_t)random_below(&store->random, store->ways);
}

struct model_store_entry *model_store_enter(struct model_store *store, uint64_t tag)
{
    struct model_store_entry *there = model_store_find(store, tag);
    if (there != NULL || store->sets == 0)
        return there;
    uint32_t i = choose_victim(store, set_of(store, tag));
    if (store->entry[i].tag != 0)
        leave_bucket(store, i);
    store->entry[i].tag = tag;
    store->entry[i].ready = 0;
    enter_bucket(store, i);
    return make_newest(store, i);
}

/* Enters the last tags alone: a set that forgets the oldest holds no others, and where a hash or
 * chance chooses, twice as many leave next to nothing of what was before. */
void model_store_crowd(struct model_store *store, uint64_t tag, uint64_t count)
{
    bool is_exact = store->sets == 1 && !store->shape.is_random;
    uint64_t enough = store->shape.entries * (is_exact ? 1 : 2);
    for (uint64_t i = count > enough ? count - enough : 0; i < count; i++)
        model_store_enter(store, tag + i);
}

void model_store_forget(struct model_store *store, uint64_t tag)
{
    uint32_t i = number_of(store, tag);
    if (i == NOBODY)
        return;
    make_newest(store, i);
    leave_bucket(store, i);
    store->entry[i].tag = 0;
    store->newest[i / store->ways] =
        store->entry[i].older; /* the newest before is its oldest now */
}

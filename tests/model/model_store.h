/* model_store: a table of tags, such as a TLB's pages or a walk cache's entries, in sets of ways. A
 * full set replaces its least recently used entry, or any. */
#ifndef MLPBOOT_MODEL_STORE_H
#define MLPBOOT_MODEL_STORE_H

#include <stdbool.h>
#include <stdint.h>

#include "model_random.h"

/* The entries of a set are a ring, those that are empty at its old end. */
struct model_store_entry {
    uint64_t tag;          /* 0: empty */
    uint64_t ready;        /* the caller's: when what it stands for is there */
    uint32_t older, newer; /* of the set; beyond its oldest comes its newest again */
    uint32_t next;         /* of those that are looked up together; NOBODY: none */
};

/* Which bits of a tag choose its set: the lowest; all, so that neighbours are spread evenly; all,
 * as if by chance, so that some sets are full before others. */
enum model_store_hash { HASH_NONE, HASH_FOLDED, HASH_MIXED };

/* Shape of a store. Zeroes: a store that never holds anything. */
struct model_store_shape {
    uint64_t entries, ways; /* ways: 0, or as many as entries: one set */
    enum model_store_hash hash;
    bool is_random; /* a full set replaces any entry */
};

struct model_store {
    struct model_store_shape shape;
    struct model_store_entry *entry;
    uint32_t *newest; /* by set */
    uint32_t *bucket; /* heads of the lists of tags */
    uint32_t sets, ways, buckets;
    unsigned fold_bits; /* of a set's number that all bits of a tag decide */
    struct random random;
};

/*
 * Entries that do not fill the last set are left out. False: not enough memory. A store of zeroes
 * may be closed, and is one without entries.
 */
bool model_store_open(struct model_store *store, const struct model_store_shape *shape,
                      const struct random *random);
void model_store_close(struct model_store *store);

/* Returns the tag's entry, from now on its set's newest; NULL: no entry. No tag is 0. */
struct model_store_entry *model_store_find(struct model_store *store, uint64_t tag);
/* Returns the same; a new tag takes another one's entry. NULL: the store has no entries. */
struct model_store_entry *model_store_enter(struct model_store *store, uint64_t tag);
/* Enters so many tags, from this one on. */
void model_store_crowd(struct model_store *store, uint64_t tag, uint64_t count);
void model_store_forget(struct model_store *store, uint64_t tag);
void model_store_empty(struct model_store *store);

#endif

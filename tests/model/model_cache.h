/* model_cache: which lines one level of cache holds; set-associative, least recently used goes. */
#ifndef MLPBOOT_MODEL_CACHE_H
#define MLPBOOT_MODEL_CACHE_H

#include <stdbool.h>
#include <stdint.h>

#define MODEL_LINE_BYTES 64

struct model_cache {
    uint32_t *tag; /* line + 1 of each way, a set's most recent first; 0: empty */
    uint32_t sets, ways;
    uint32_t usable; /* of the ways: the first so many */
};

/*
 * A size that is no multiple of a set's is rounded down; of one that is less than a line nothing is
 * opened, and there are no sets. False: not enough memory. A zeroed cache may be closed, and looked
 * up in.
 */
bool model_cache_open(struct model_cache *cache, uint64_t bytes, unsigned ways);
void model_cache_close(struct model_cache *cache);

/* Leaves so many of each set's ways to be used, at least one, and forgets what the others held. */
void model_cache_limit(struct model_cache *cache, uint32_t ways);

/* True if the cache had the line; from now on it has it, as the most recent one. */
bool model_cache_use(struct model_cache *cache, uint32_t line);
/* True if the cache has the line. */
bool model_cache_has(const struct model_cache *cache, uint32_t line);
void model_cache_evict(struct model_cache *cache, uint32_t line);
void model_cache_empty(struct model_cache *cache);

#endif

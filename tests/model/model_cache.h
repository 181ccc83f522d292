/* model_cache: which lines one level of cache holds; set-associative. A full set loses its least
 * recently used line, or any. */
#ifndef MLPBOOT_MODEL_CACHE_H
#define MLPBOOT_MODEL_CACHE_H

#include <stdbool.h>
#include <stdint.h>

#include "../../kernel/lib/random.h"

#define MODEL_LINE_BYTES 64

struct model_cache {
    uint32_t *tag; /* line + 1 of each way, a set's most recent first; 0: empty */
    uint32_t sets, ways;
    uint32_t usable; /* how many ways may be used, from the first on */
    uint32_t lost;   /* line + 1 that the last use pushed out; 0: none */
    bool is_random;
    struct random random;
};

/* Rounds the size down to a multiple of a set's. A size below a line opens nothing: the cache has
 * no sets. `random`: chooses which line of a full set is lost; NULL: the least recently used one.
 * False: not enough memory. A zeroed cache may be closed, and asked for its lines. */
bool model_cache_open(struct model_cache *cache, uint64_t bytes, unsigned ways,
                      const struct random *random);
void model_cache_close(struct model_cache *cache);

/* Leaves so many of each set's ways to be used, at least one, and forgets what the others held. */
void model_cache_limit(struct model_cache *cache, uint32_t ways);

/* Brings the line's set into the host's caches. Changes nothing. */
void model_cache_expect(const struct model_cache *cache, uint32_t line);

/* True if the line was in the cache. In any case it is now, as the most recent one. */
bool model_cache_use(struct model_cache *cache, uint32_t line);
/* True if the line is in the cache. */
bool model_cache_has(const struct model_cache *cache, uint32_t line);
/* Removes the line. True if it was in the cache. */
bool model_cache_evict(struct model_cache *cache, uint32_t line);

#endif

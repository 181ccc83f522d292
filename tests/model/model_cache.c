/* model_cache: each set is a short list, kept in the order of use. */
#include "model_cache.h"

#include <stdlib.h>
#include <string.h>

bool model_cache_open(struct model_cache *cache, uint64_t bytes, unsigned ways,
                      const struct random *random)
{
    uint32_t lines = (uint32_t)(bytes / MODEL_LINE_BYTES);
    if (lines == 0)
        return true;
    cache->ways = ways < lines ? ways : lines;
    cache->sets = lines / cache->ways;
    cache->usable = cache->ways;
    cache->is_random = random != NULL;
    if (random != NULL)
        cache->random = *random;
    cache->tag = calloc((size_t)cache->sets * cache->ways, sizeof(*cache->tag));
    return cache->tag != NULL;
}

void model_cache_close(struct model_cache *cache)
{
    free(cache->tag);
    cache->tag = NULL;
}

static uint32_t *set_of(const struct model_cache *cache, uint32_t line)
{
    return cache->tag + (size_t)(line % cache->sets) * cache->ways;
}

void model_cache_limit(struct model_cache *cache, uint32_t ways)
{
    if (cache->sets == 0)
        return;
    cache->usable = ways > 0 ? ways : 1;
    for (uint32_t set = 0; set < cache->sets; set++)
        memset(set_of(cache, set) + cache->usable, 0,
               (cache->ways - cache->usable) * sizeof(*cache->tag));
}

void model_cache_expect(const struct model_cache *cache, uint32_t line)
{
    if (cache->sets > 0)
        __builtin_prefetch(set_of(cache, line));
}

/* The number of usable ways: nowhere. */
static uint32_t way_of(const struct model_cache *cache, uint32_t line)
{
    if (cache->sets == 0)
        return cache->usable;
    const uint32_t *set = set_of(cache, line);
    uint32_t way = 0;
    while (way < cache->usable && set[way] != line + 1)
        way++;
    return way;
}

/* Returns the way whose line a set loses to a new one. */
static uint32_t way_lost(struct model_cache *cache, const uint32_t *set)
{
    uint32_t last = cache->usable - 1;
    return cache->is_random && set[last] != 0 ? (uint32_t)random_below(&cache->random, last + 1)
                                              : last;
}

bool model_cache_use(struct model_cache *cache, uint32_t line)
{
    if (cache->sets == 0)
        return false;
    uint32_t *set = set_of(cache, line), way = way_of(cache, line);
    bool is_there = way < cache->usable;
    if (!is_there)
        way = way_lost(cache, set);
    cache->lost = is_there ? 0 : set[way];
    memmove(set + 1, set, way * sizeof(*set));
    set[0] = line + 1;
    return is_there;
}

bool model_cache_has(const struct model_cache *cache, uint32_t line)
{
    return way_of(cache, line) < cache->usable;
}

bool model_cache_evict(struct model_cache *cache, uint32_t line)
{
    uint32_t way = way_of(cache, line);
    if (way == cache->usable)
        return false;
    uint32_t *set = set_of(cache, line);
    memmove(set + way, set + way + 1, (cache->usable - way - 1) * sizeof(*set));
    set[cache->usable - 1] = 0;
    return true;
}

/* model_memory: latency by level, waiting for a walker or a fill buffer, and the states between. */
#include "model_memory.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "model_limits.h"

#define FAR_WAYS 16 /* of the third level and of those beyond it */
#define L2_WAYS 8
#define ROW_LINES 128     /* rows of 8 KB */
#define PREFETCH_LINES 64 /* of 4 KB, out of which no prefetcher goes */
#define SHARED_LEVELS 2   /* of cache, with the core's other thread */

#define NUMBER_SHIFT 48 /* beyond the addresses of a window */

static uint64_t most_buffers(const struct model_parameters *parameters)
{
    return parameters->prefetch_buffers > 0 ? parameters->prefetch_buffers
                                            : parameters->fill_buffers;
}

struct model_layout model_layout_of(const struct window_request *request)
{
    uint64_t page = page_bytes(request->page), pages = (request->bytes + page - 1) / page;
    return (struct model_layout){
        .pages = pages,
        .frames = request->distinct > 0 && request->distinct < pages ? request->distinct : pages,
        .stride = request->stride > page ? request->stride : page,
    };
}

uint64_t model_layout_span(const struct model_layout *layout, enum page_size page)
{
    return layout->pages > 0 ? (layout->pages - 1) * layout->stride + page_bytes(page) : 0;
}

/* Returns the size that a TLB entry maps: the page's, or that of each of its parts. */
static enum page_size page_of_entries(const struct model_memory *memory)
{
    return memory->parameters->small_pages > 0 ? PAGE_4K : memory->page;
}

static bool has_two_levels(const struct model_memory *memory)
{
    return memory->parameters->dtlb > 0;
}

/* Makes room for each line's last page, needed only if lines have several addresses. */
static bool open_aliases(struct model_memory *memory)
{
    if (memory->parameters->alias_cost == 0 || memory->frames == memory->pages)
        return true;
    memory->alias = calloc(memory->frames * (page_bytes(memory->page) / MODEL_LINE_BYTES),
                           sizeof(*memory->alias));
    return memory->alias != NULL;
}

static bool open_caches(struct model_memory *memory)
{
    const struct model_parameters *parameters = memory->parameters;
    struct random random;
    bool is_open = true;
    model_random_open(&random, parameters, SEQUENCE_CACHES);
    for (unsigned i = 0; i < MODEL_CACHE_LEVELS && is_open; i++) {
        uint64_t ways = i == 0 ? parameters->l1_ways : i == 1 ? L2_WAYS : FAR_WAYS;
        is_open = model_cache_open(&memory->cache[i], parameters->level[i].bytes, (unsigned)ways,
                                   parameters->level[i].random > 0 ? &random : NULL);
    }
    return is_open;
}

static bool open_parts(struct model_memory *memory)
{
    const struct model_parameters *parameters = memory->parameters;
    const struct model_store_shape tlb = {.entries = has_two_levels(memory) ? 0 : parameters->tlb};
    memory->buffer = calloc(most_buffers(parameters), sizeof(*memory->buffer));
    if (parameters->prefetch_buffers > 0 &&
        !(memory->of_loads = calloc(parameters->fill_buffers, sizeof(*memory->of_loads))))
        return false;
    if (parameters->write_buffers > 0 &&
        !(memory->of_stores = calloc(parameters->write_buffers, sizeof(*memory->of_stores))))
        return false;
    memory->walker_free_at = calloc(parameters->walkers, sizeof(*memory->walker_free_at));
    memory->entry_in_memory = calloc(memory->pages, sizeof(*memory->entry_in_memory));
    return memory->buffer != NULL && memory->walker_free_at != NULL &&
           memory->entry_in_memory != NULL &&
           model_store_open(&memory->tlb, &tlb, &memory->common->noise) && open_caches(memory) &&
           open_aliases(memory);
}

bool model_memory_open(struct model_memory *memory, struct model_common *common,
                       const struct window *window, const struct model_layout *layout)
{
    memset(memory, 0, sizeof(*memory));
    memory->parameters = common->parameters;
    memory->common = common;
    memory->base = window->base;
    memory->bytes = model_layout_span(layout, window->page);
    memory->page = window->page;
    memory->pages = layout->pages;
    memory->frames = layout->frames;
    memory->stride_shift = (unsigned)__builtin_ctzll(layout->stride);
    memory->remote = layout->remote;
    memory->number = ++common->opened;
    if (!open_parts(memory)) {
        model_memory_close(memory);
        return false;
    }
    model_memory_share(memory);
    return true;
}

void model_memory_share(struct model_memory *memory)
{
    uint32_t parts = memory->common->now.cache_parts;
    for (unsigned i = 0; i < SHARED_LEVELS; i++)
        model_cache_limit(&memory->cache[i], memory->cache[i].ways * parts / MODEL_CACHE_PARTS);
}

void model_memory_close(struct model_memory *memory)
{
    model_store_close(&memory->tlb);
    for (unsigned i = 0; i < MODEL_CACHE_LEVELS; i++)
        model_cache_close(&memory->cache[i]);
    free(memory->buffer);
    free(memory->of_loads);
    free(memory->of_stores);
    free(memory->walker_free_at);
    free(memory->entry_in_memory);
    free(memory->alias);
}

static uint32_t page_of(const struct model_memory *memory, uint64_t address)
{
    return (uint32_t)((address - (uintptr_t)memory->base) >> memory->stride_shift);
}

/* Returns the number of an address's line, counted over the frames. */
static uint32_t line_of(const struct model_memory *memory, uint64_t address)
{
    uint64_t offset = address - (uintptr_t)memory->base, frame = offset >> memory->stride_shift;
    if (memory->frames < memory->pages)
        frame %= memory->frames;
    offset &= (UINT64_C(1) << memory->stride_shift) - 1;
    return (uint32_t)((frame * page_bytes(memory->page) + offset) / MODEL_LINE_BYTES);
}

/* Returns the address as TLBs and walks see it: no two memories share one. */
static uint64_t linear_of(const struct model_memory *memory, uint64_t address)
{
    return (memory->number << NUMBER_SHIFT) + (address - (uintptr_t)memory->base);
}

/* Returns the tag of an address's page, or of the page's part that has its own entry. */
static uint64_t tag_of(const struct model_memory *memory, uint64_t address)
{
    return linear_of(memory, address) / page_bytes(page_of_entries(memory));
}

static uint64_t memory_latency(struct model_memory *memory)
{
    const struct model_parameters *parameters = memory->parameters;
    if (parameters->noise == 0)
        return parameters->memory;
    double factor = 1 + parameters->noise * model_normal(&memory->common->noise);
    double latency = (double)parameters->memory * factor + 0.5;
    return latency > 1 ? (uint64_t)latency : 1;
}

/* Returns a number's share in [0, 1): any fixed function that looks like chance. */
static double share_of(uint32_t number)
{
    uint32_t hash = (number + 1) * UINT32_C(0x9e3779b1);
    hash = (hash ^ hash >> 15) * UINT32_C(0x85ebca6b);
    return (hash ^ hash >> 13) * 0x1p-32;
}

/* Returns a line's slowness in [0, 1), by its row. */
static double slowness(uint32_t line)
{
    return share_of(line / ROW_LINES);
}

/* Returns the latency of a line from memory, which depends on its row and on chance. */
static uint64_t line_latency(struct model_memory *memory, uint32_t line)
{
    const struct model_parameters *parameters = memory->parameters;
    uint64_t latency = memory_latency(memory) + memory->remote; /* page tables: on the own node */
    double factor = 1;
    if (parameters->banks > 0)
        factor += parameters->banks * slowness(line);
    if (parameters->slow_share > 0 && model_uniform(&memory->common->slow) < parameters->slow_share)
        factor *= parameters->slow_factor;
    return factor == 1 ? latency : (uint64_t)((double)latency * factor + 0.5);
}

static uint64_t walk_latency(struct model_memory *memory, uint64_t address, uint64_t start)
{
    const struct model_parameters *parameters = memory->parameters;
    uint32_t page = page_of(memory, address);
    uint64_t walk = parameters->walk +
                    model_translation_walk(&memory->common->translation, linear_of(memory, address),
                                           memory->page, start, parameters->walk_level);
    if (memory->entry_in_memory[page])
        walk += memory_latency(memory);
    memory->entry_in_memory[page] = false;
    return walk;
}

static enum model_translation_place find_page(struct model_memory *memory, uint64_t address,
                                              uint64_t **ready)
{
    if (has_two_levels(memory))
        return model_translation_use(&memory->common->translation, linear_of(memory, address),
                                     page_of_entries(memory), ready);
    uint64_t tag = tag_of(memory, address);
    struct model_store_entry *known = model_store_find(&memory->tlb, tag);
    *ready = &(known != NULL ? known : model_store_enter(&memory->tlb, tag))->ready;
    return known != NULL ? TRANSLATED_FIRST : TRANSLATED_NOT;
}

static uint64_t walk_pages(struct model_memory *memory, uint64_t address, uint64_t now)
{
    uint64_t *walker = memory->walker_free_at;
    for (uint64_t i = 1; i < memory->parameters->walkers; i++)
        if (memory->walker_free_at[i] < *walker)
            walker = &memory->walker_free_at[i];
    uint64_t start = *walker > now ? *walker : now;
    *walker = start + walk_latency(memory, address, start);
    model_activity_use(memory->common->activity, USE_WALKERS, now, start, *walker);
    return *walker;
}

uint64_t model_memory_translate(struct model_memory *memory, uint64_t address, uint64_t now)
{
    uint64_t *ready;
    switch (find_page(memory, address, &ready)) {
    case TRANSLATED_FIRST:
        return *ready > now ? *ready : now;
    case TRANSLATED_SECOND:
        *ready = now + memory->parameters->stlb_cost;
        return *ready;
    default:
        *ready = walk_pages(memory, address, now);
        return *ready;
    }
}

/* Returns when a line that the first level already counts as its own is really there. */
static uint64_t arrival(const struct model_memory *memory, uint32_t line, uint64_t now)
{
    const struct model_parameters *parameters = memory->parameters;
    if (memory->last_fill <= now)
        return now;
    for (uint64_t i = 0; i < most_buffers(parameters); i++)
        if (memory->buffer[i].line == line && memory->buffer[i].free_at > now)
            return memory->buffer[i].free_at;
    for (uint64_t i = 0; i < parameters->write_buffers; i++)
        if (memory->of_stores[i].line == line && memory->of_stores[i].free_at > now)
            return memory->of_stores[i].free_at;
    return now;
}

/* True if a level had the line, which now enters it, or leaves a victim cache for the level before,
 * whose lost line enters that. */
static bool use_level(struct model_memory *memory, unsigned i, uint32_t line)
{
    struct model_cache *cache = &memory->cache[i];
    if (memory->parameters->level[i].victim == 0)
        return model_cache_use(cache, line);
    bool was_there = model_cache_evict(cache, line);
    if (cache[-1].lost != 0)
        model_cache_use(cache, cache[-1].lost - 1);
    return was_there;
}

/* Returns where a line is found below the first level. */
static enum model_place find_far(struct model_memory *memory, uint32_t line)
{
    for (unsigned i = 1; i < MODEL_CACHE_LEVELS; i++)
        if (use_level(memory, i, line))
            return PLACE_L2 + i - 1;
    return PLACE_MEMORY;
}

static uint64_t far_latency(struct model_memory *memory, uint32_t line, enum model_place place)
{
    if (place == PLACE_MEMORY)
        return line_latency(memory, line);
    return memory->parameters->level[place - PLACE_L2 + 1].latency;
}

static void record_fill(struct model_activity *activity, enum model_place place, uint64_t now,
                        uint64_t start, uint64_t end)
{
    model_activity_use(activity, USE_QUEUE, now, now, start);
    model_activity_use(activity, USE_BUFFERS, now, start, end);
    if (place != PLACE_L2)
        model_activity_use(activity, USE_BUFFERS_L2_MISS, now, start, end);
}

/* Returns a buffer that is free now, or else the one that is free first. */
static struct model_fill_buffer *first_free(struct model_fill_buffer *buffer, uint32_t count,
                                            uint64_t now)
{
    struct model_fill_buffer *first = buffer;
    for (uint32_t i = 1; i < count && first->free_at > now; i++)
        if (buffer[i].free_at < first->free_at)
            first = &buffer[i];
    return first;
}

/* Returns the first free buffer of all those that loads and prefetches may use. */
static struct model_fill_buffer *next_buffer(const struct model_memory *memory, uint64_t now)
{
    const struct model_limits *limits = &memory->common->now;
    uint32_t count = memory->of_loads != NULL ? limits->prefetch_buffers : limits->fill_buffers;
    return first_free(memory->buffer, count, now);
}

/* Returns when memory takes a request: at once, or when the refresh that it meets has ended. One is
 * anywhere in its interval, as DDR's may be postponed: else a chain would meet all in one phase. */
static double behind_refresh(const struct model_parameters *parameters, double when)
{
    if (parameters->refresh == 0)
        return when;
    double interval = parameters->refresh_us * (MODEL_CYCLES_PER_MS / 1000.0);
    double refresh = (double)parameters->refresh, number = floor(when / interval);
    double start = number * interval + share_of((uint32_t)number) * (interval - refresh);
    return when >= start && when < start + refresh ? start + refresh : when;
}

/* Returns when memory is asked for a line: requests are at intervals, so lines of equal latency
 * arrive at the same intervals, and a slow one keeps no other back. */
static uint64_t turn(struct model_memory *memory, uint64_t now)
{
    const struct model_parameters *parameters = memory->parameters;
    struct model_common *common = memory->common;
    if (parameters->bandwidth == 0)
        return (uint64_t)ceil(behind_refresh(parameters, (double)now));
    model_generators_advance(&common->generators, now, &common->next_line);
    double when = (double)now > common->next_line ? (double)now : common->next_line;
    when = behind_refresh(parameters, when);
    common->next_line = when + MODEL_LINE_BYTES / parameters->bandwidth;
    return (uint64_t)ceil(when);
}

static void start_fill(struct model_memory *memory, struct model_fill_buffer *buffer, uint32_t line,
                       uint64_t start, enum model_place place)
{
    uint64_t asked = place == PLACE_MEMORY ? turn(memory, start) : start;
    buffer->free_at = asked + far_latency(memory, line, place);
    buffer->line = line;
    if (buffer->free_at > memory->last_fill)
        memory->last_fill = buffer->free_at;
}

static uint64_t fill(struct model_memory *memory, uint32_t line, uint64_t now,
                     enum model_place place)
{
    struct model_fill_buffer *buffer = next_buffer(memory, now), *of_loads = NULL;
    uint64_t start = buffer->free_at > now ? buffer->free_at : now;
    if (memory->of_loads != NULL) {
        of_loads = first_free(memory->of_loads, memory->common->now.fill_buffers, now);
        start = of_loads->free_at > start ? of_loads->free_at : start;
    }
    start_fill(memory, buffer, line, start, place);
    if (of_loads != NULL)
        of_loads->free_at = buffer->free_at;
    record_fill(memory->common->activity, place, now, start, buffer->free_at);
    return buffer->free_at;
}

/* Into the first level, unless that would keep loads waiting; counters count loads only. */
static void bring_ahead(struct model_memory *memory, uint32_t line, uint64_t now)
{
    struct model_fill_buffer *buffer = next_buffer(memory, now);
    if (buffer->free_at > now || model_cache_has(memory->cache, line))
        return;
    model_cache_use(memory->cache, line);
    start_fill(memory, buffer, line, now, find_far(memory, line));
}

static void prefetch(struct model_memory *memory, uint32_t line, enum model_place place,
                     uint64_t now)
{
    uint32_t end = line - line % PREFETCH_LINES + PREFETCH_LINES;
    bool is_missing = place != PLACE_L1 && place != PLACE_BUFFER;
    if (is_missing && memory->parameters->prefetchers > 1)
        bring_ahead(memory, line ^ 1, now);
    if (!model_prefetch_sees_stream(&memory->prefetch, line))
        return;
    for (uint32_t ahead = line + 1; ahead < end && ahead <= line + MODEL_PREFETCH_LINES; ahead++)
        bring_ahead(memory, ahead, now);
}

static uint64_t fetch_line(struct model_memory *memory, uint32_t line, uint64_t now,
                           enum model_place *place)
{
    if (!model_cache_use(memory->cache, line)) {
        *place = find_far(memory, line);
        return fill(memory, line, now, *place);
    }
    uint64_t hit = now + memory->parameters->level[0].latency, there = arrival(memory, line, now);
    *place = there > now ? PLACE_BUFFER : PLACE_L1;
    return there > hit ? there : hit;
}

/* Returns the cost of a line last used at another page's address; notes this page. */
static uint64_t alias_cost(struct model_memory *memory, uint64_t address, enum model_place place)
{
    if (memory->alias == NULL)
        return 0;
    uint32_t *last = &memory->alias[line_of(memory, address)], seen = *last;
    *last = page_of(memory, address) + 1;
    return place == PLACE_L1 && seen != 0 && seen != *last ? memory->parameters->alias_cost : 0;
}

void model_memory_expect(const struct model_memory *memory, uint64_t address)
{
    uint32_t line = line_of(memory, address);
    for (unsigned i = 1; i < MODEL_CACHE_LEVELS; i++)
        model_cache_expect(&memory->cache[i], line);
    if (memory->alias != NULL)
        __builtin_prefetch(&memory->alias[line]);
}

uint64_t model_memory_fetch(struct model_memory *memory, uint64_t address, uint64_t now,
                            enum model_place *place)
{
    uint32_t line = line_of(memory, address);
    uint64_t there = fetch_line(memory, line, now, place);
    there += alias_cost(memory, address, *place);

    if (memory->common->is_prefetching)
        prefetch(memory, line, *place, now);
    return there;
}

/* Counters count loads only. Returns the buffer that the line comes through; NULL: it is there. */
static struct model_fill_buffer *fill_uncounted(struct model_memory *memory, uint64_t address,
                                                struct model_fill_buffer *buffer, uint64_t *start)
{
    uint32_t line = line_of(memory, address);
    if (model_cache_use(memory->cache, line))
        return NULL;
    if (buffer->free_at > *start)
        *start = buffer->free_at;
    start_fill(memory, buffer, line, *start, find_far(memory, line));
    return buffer;
}

uint64_t model_memory_prefetch(struct model_memory *memory, uint64_t address, uint64_t now)
{
    fill_uncounted(memory, address, next_buffer(memory, now), &now);
    return now;
}

uint64_t model_memory_own(struct model_memory *memory, uint64_t address, uint64_t now)
{
    struct model_fill_buffer *buffer =
        memory->of_stores != NULL
            ? first_free(memory->of_stores, memory->common->now.write_buffers, now)
            : first_free(memory->buffer, memory->common->now.fill_buffers, now);
    buffer = fill_uncounted(memory, address, buffer, &now);
    return buffer != NULL ? buffer->free_at : arrival(memory, line_of(memory, address), now);
}

void model_memory_pass(struct model_memory *memory, uint64_t address)
{
    uint32_t line = line_of(memory, address);
    for (unsigned i = 0; i < MODEL_CACHE_LEVELS; i++)
        model_cache_evict(&memory->cache[i], line);
}

static void translate_untimed(struct model_memory *memory, uint64_t address)
{
    uint32_t page = page_of(memory, address);
    uint64_t *ready;
    if (find_page(memory, address, &ready) == TRANSLATED_NOT) {
        memory->entry_in_memory[page] = false;
        model_translation_walk(&memory->common->translation, linear_of(memory, address),
                               memory->page, 0, 0);
    }
    *ready = 0;
}

void model_memory_touch(struct model_memory *memory, uint64_t address)
{
    uint32_t line = line_of(memory, address);
    translate_untimed(memory, address);
    if (!model_cache_use(memory->cache, line))
        find_far(memory, line);
}

void model_memory_evict(struct model_memory *memory, uint64_t address)
{
    translate_untimed(memory, address);
    model_memory_pass(memory, address);
}

/* Forgets a page. If its parts have entries, all entries go: it is unknown which are its. */
void model_memory_forget_page(struct model_memory *memory, uint64_t address)
{
    struct model_translation *translation = &memory->common->translation;
    if (memory->parameters->small_pages > 0) {
        model_translation_empty(translation);
        model_store_empty(&memory->tlb);
    } else {
        model_translation_forget(translation, linear_of(memory, address), memory->page);
        model_store_forget(&memory->tlb, tag_of(memory, address));
    }
}

void model_memory_evict_entry(struct model_memory *memory, uint64_t address)
{
    memory->entry_in_memory[page_of(memory, address)] = true;
}

void model_memory_crowd(struct model_memory *memory, uint64_t address)
{
    uint64_t first = page_of(memory, address), count = memory->pages - first;
    uint64_t page = page_bytes(memory->page), piece = page_bytes(page_of_entries(memory));
    uint64_t skipped = (address - (uintptr_t)memory->base) & (page - 1);
    uint64_t entries = count * (page / piece) - skipped / piece;
    memset(memory->entry_in_memory + first, 0, count * sizeof(*memory->entry_in_memory));
    model_translation_crowd(&memory->common->translation, linear_of(memory, address),
                            entries * piece, memory->page, page_of_entries(memory));
    model_store_crowd(&memory->tlb, tag_of(memory, address), entries);
}

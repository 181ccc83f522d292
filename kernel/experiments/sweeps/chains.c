/* chains: builds a cycle, brings it into the caches, and times chains through it. */
#include "chains.h"

#include "../../engine/edge.h"
#include "../../probe/native.h"
#include "cache_levels.h"

#define SETTLE_STEPS 256
#define SETTLE_LINES (CHAINS_MAX * SETTLE_STEPS) /* between two looks at the clock */

static void emit(struct chains *c, unsigned count, unsigned steps, const struct counting *counting)
{
    struct platform *p = c->platform;
    struct timing timing = {.counting = counting, .order = ORDER_LFENCE, .rdtscp = c->rdtscp};
    struct chain_shape shape = {count, steps, timing};
    p->publish_code(p, chain_probe_emit(p->code.write, p->code.bytes, &shape));
}

static uint64_t run(struct chains *c)
{
    return c->platform->run_code(c->platform, (uint8_t *)c->at);
}

/*
 * Starts each chain where the one before it will end, so that the next visit goes on where the last
 * chain ends, and a line is met again only after all others. If the cycle is too short for that,
 * the chains are spread evenly, with the same effect.
 */
static void place_chains(struct chains *c, unsigned count, uint64_t steps)
{
    uint64_t distance = c->cycle.lines / count;
    if (distance > steps)
        distance = steps;
    for (unsigned i = 0; i < count; i++)
        c->at[i] = cycle_line(&c->cycle, c->place + i * distance);
    c->place = (c->place + count * steps) % c->cycle.lines;
}

unsigned chains_next_sizes(const struct table *table, uint64_t bytes[CHAINS_BETWEEN])
{
    struct cache_level_gap gap;
    int64_t at[EDGE_POINTS_MAX];
    if (!cache_levels_next_gap(table, &gap))
        return 0;
    unsigned count = edge_between((int64_t)gap.low, (int64_t)gap.high, CHAINS_BETWEEN, at);
    for (unsigned i = 0; i < count; i++)
        bytes[i] = (uint64_t)at[i];
    return count;
}

void chains_start(struct chains *c, uint8_t *base, uint64_t bytes)
{
    cycle_start(&c->cycle, base, bytes);
    c->place = 0;
    c->is_built = false;
}

/*
 * The chains go side by side for speed, but each run takes the next few lines of the cycle: a cache
 * that has no room for all of them has lost those that one chain will meet first.
 */
static bool settle(struct chains *c, uint64_t end)
{
    emit(c, CHAINS_MAX, SETTLE_STEPS, NULL);
    for (; c->settling > 0 && native_ticks() < end; c->settling--) {
        place_chains(c, CHAINS_MAX, SETTLE_STEPS);
        run(c);
    }
    return c->settling == 0;
}

static void start_settling(struct chains *c)
{
    c->settling = c->cycle.lines / SETTLE_LINES + 1;
}

bool chains_prepare(struct chains *c, uint64_t end)
{
    if (c->is_built)
        return settle(c, end);
    while (!c->is_built && native_ticks() < end)
        c->is_built = cycle_extend(&c->cycle, SETTLE_LINES);
    if (c->is_built)
        start_settling(c);
    return false;
}

void chains_walk(struct chains *c)
{
    start_settling(c);
    settle(c, UINT64_MAX);
}

void chains_sample(struct chains *c, unsigned count, unsigned steps, struct samples *samples)
{
    uint64_t lines = c->cycle.lines * LINE_BYTES <= CHAINS_REWALKED ? c->cycle.lines : 0;
    uint64_t uncounted = 1 + lines / (count * steps);

    emit(c, count, steps, samples->counting);
    place_chains(c, count, (uncounted + samples->count) * steps);
    for (uint64_t i = 0; i < uncounted; i++)
        run(c);
    for (unsigned i = 0; i < samples->count; i++)
        counting_keep(samples->counting, run(c), samples->at, i, samples->count);
}

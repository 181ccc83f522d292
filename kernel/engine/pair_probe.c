/* pair_probe: the fast ones of a few samples, against those of two loads without fillers. */
#include "pair_probe.h"

#include "../lib/sort.h"
#include "../probe/mlp_probe.h"

#define PAGES (page_bytes(PAGE_2M) / page_bytes(PAGE_4K)) /* no cache prefetches across them */
#define FIRST_FILLERS 8                                   /* any core's ROB holds so many */
#define SAMPLES 8        /* of which the first quartile is undisturbed */
#define CONFIRMATIONS 4  /* looks at a search's result: the loads must overlap each time */
#define RESOLUTION 20    /* a search ends when its bracket is this part of its lower end */
#define IN_TURN_FROM 1.5 /* times two parallel loads: half way to two serialized loads */
#define STEADY 1.15   /* times the time before a search, of two loads: the memory did not change */
#define HIT_BELOW 0.7 /* times two parallel loads: a line was in a cache */
#define FILLERS_BELOW 0.4 /* of two parallel loads: longer fillers look like loads in turn */

const char *pair_probe_open(struct pair_probe *probe, struct platform *platform, bool rdtscp)
{
    struct window_request request = {
        .bytes = PAGES * page_bytes(PAGE_4K), .page = PAGE_4K, .node = NODE_ANY};
    *probe = (struct pair_probe){.rdtscp = rdtscp};
    const char *reason = platform->map_window(platform, &request, &probe->window);
    if (reason == NULL)
        probe->platform = platform;
    random_seed(&probe->random, 1);
    return reason;
}

void pair_probe_close(struct pair_probe *probe)
{
    if (probe->platform != NULL)
        probe->platform->unmap_window(probe->platform, &probe->window);
    *probe = (struct pair_probe){.platform = NULL};
}

/* Draws a line in one of the window's quarters; a base moves it by up to another two. */
static int32_t draw_line(struct pair_probe *probe, uint32_t quarter)
{
    uint64_t page = quarter * (PAGES / 4) + random_below(&probe->random, PAGES / 4);
    uint64_t line = random_below(&probe->random, page_bytes(PAGE_4K) / LINE_BYTES);
    return (int32_t)(page * page_bytes(PAGE_4K) + line * LINE_BYTES);
}

enum pair_lines { LINES_EVICTED, LINES_CACHED };

/*
 * Returns the first quartile of pairs with so many 9-byte NOPs, which take nothing but ROB entries,
 * one each. Every fifth pair that misses waits for a slow load, and so takes as long as two
 * serialized loads, which never take as little as two parallel ones. Flushing brings the
 * translations in. No other line of a page is touched: a prefetcher would learn to bring the
 * flushed line.
 */
static uint32_t fast_with(struct pair_probe *probe, uint32_t fillers, enum pair_lines lines)
{
    struct platform *p = probe->platform;
    const int32_t displacement[2] = {draw_line(probe, 0), draw_line(probe, 1)};
    uint32_t samples[SAMPLES];
    struct mlp_shape shape = {.loads = 2,
                              .fillers = fillers,
                              .filler = FILLER_LONG_NOP,
                              .timing = {.rdtscp = probe->rdtscp}};
    p->publish_code(p, mlp_probe_emit(p->code.write, p->code.bytes, &shape, displacement));
    p->run_code(p, probe->window.base); /* brings the new code into the caches, and the lines */
    for (unsigned i = 0; i < SAMPLES; i++) {
        uint8_t *base = probe->window.base;
        if (lines == LINES_EVICTED) {
            base += random_below(&probe->random, PAGES / 2) * page_bytes(PAGE_4K);
            p->evict(p, base, displacement, 2);
        }
        samples[i] = sample_of(p->run_code(p, base));
    }
    sort_numbers(samples, SAMPLES);
    return samples[SAMPLES / 4];
}

/* Unknown if a line was in a cache. */
static enum pair_answer time_with(struct pair_probe *probe, uint32_t fillers)
{
    double ticks = fast_with(probe, fillers, LINES_EVICTED);
    if (ticks < HIT_BELOW * probe->side_by_side)
        return PAIR_UNKNOWN;
    return ticks > IN_TURN_FROM * probe->side_by_side ? PAIR_IN_TURN : PAIR_SIDE_BY_SIDE;
}

/* Doubles the fillers, and then halves the distance. Returns 0 if a line was in a cache. */
static uint32_t search_jump(struct pair_probe *probe)
{
    uint32_t low = 0, high = PROBE_FILLERS_MAX + 1, next = FIRST_FILLERS;
    while (high - low > low / RESOLUTION + 1 && next <= PROBE_FILLERS_MAX) {
        enum pair_answer answer = time_with(probe, next);
        if (answer == PAIR_UNKNOWN)
            return 0;
        *(answer == PAIR_IN_TURN ? &high : &low) = next;
        next = high > PROBE_FILLERS_MAX ? 2 * low : (low + high) / 2;
    }
    return high > PROBE_FILLERS_MAX || low < FIRST_FILLERS ? 0 : low;
}

/* Times the same fillers again: if latencies vary much, a serialized pair looks fast now and then,
 * and the search then goes on beyond the jump. */
static bool is_confirmed(struct pair_probe *probe, uint32_t fillers)
{
    unsigned i = 0;
    while (i < CONFIRMATIONS && time_with(probe, fillers) == PAIR_SIDE_BY_SIDE)
        i++;
    return i == CONFIRMATIONS;
}

uint32_t pair_probe_search(struct pair_probe *probe)
{
    probe->side_by_side = fast_with(probe, 0, LINES_EVICTED);
    uint32_t fillers = search_jump(probe);
    double again = fast_with(probe, 0, LINES_EVICTED);
    bool is_steady = again < STEADY * probe->side_by_side && probe->side_by_side < STEADY * again;
    probe->side_by_side = again < probe->side_by_side ? again : probe->side_by_side;
    return is_steady && fillers > 0 && is_confirmed(probe, fillers) ? fillers : 0;
}

/* True if fillers alone, between two loads that hit, take long: where the memory is near, half of a
 * published reach can be more than any search finds. */
static bool are_slow(struct pair_probe *probe, uint32_t fillers)
{
    double without = fast_with(probe, 0, LINES_CACHED);
    return fast_with(probe, fillers, LINES_CACHED) - without > FILLERS_BELOW * probe->side_by_side;
}

enum pair_answer pair_probe_look(struct pair_probe *probe, uint32_t fillers)
{
    if (fillers == 0 || !(probe->side_by_side > 0))
        return PAIR_UNKNOWN;
    enum pair_answer answer = time_with(probe, fillers);
    if (answer == PAIR_IN_TURN &&
        (time_with(probe, 0) != PAIR_SIDE_BY_SIDE || are_slow(probe, fillers)))
        return PAIR_UNKNOWN;
    return answer;
}

/* pair_probe: the fast ones of a few samples, against those of two loads without fillers. */
#include "pair_probe.h"

#include "../lib/sort.h"

#define WINDOW_BYTES (2u << 20)
#define LOOK_SAMPLES 5
#define SEARCH_SAMPLES 8
#define FIRST_FILLERS 8  /* any core holds so many */
#define RESOLUTION 20    /* a search ends within this part of itself */
#define IN_TURN_FROM 1.5 /* times two loads side by side: half way to two in turn */
#define STEADY 1.15 /* times the time of two loads before a search: the memory did not change */

const char *pair_probe_open(struct pair_probe *probe, struct platform *platform, bool rdtscp)
{
    const struct load_conditions conditions = {
        .bytes = WINDOW_BYTES, .loads = 2, .page = PAGE_4K, .tlb = TLB_WARM, .seed = 1};
    struct window_request request = {
        .bytes = load_conditions_bytes(&conditions), .page = PAGE_4K, .node = NODE_ANY};
    struct window window;
    const char *reason = platform->map_window(platform, &request, &window);
    *probe = (struct pair_probe){.rdtscp = rdtscp};
    if (reason == NULL)
        load_sampler_init(&probe->sampler, platform, &conditions, &window);
    return reason;
}

void pair_probe_close(struct pair_probe *probe)
{
    struct platform *platform = probe->sampler.platform;
    if (platform != NULL)
        platform->unmap_window(platform, &probe->sampler.window);
    *probe = (struct pair_probe){.side_by_side = 0};
}

/*
 * 8-byte NOPs take nothing but entries of the reorder buffer, one each or nearly so. Returns the
 * first quartile: every fifth pair waits for a slow load, and so takes as long as two in turn,
 * which never take as little as two side by side.
 */
static uint32_t fast_with(struct pair_probe *probe, uint32_t fillers, unsigned count)
{
    uint32_t samples[SEARCH_SAMPLES];
    struct mlp_shape shape = {.loads = 2,
                              .fillers = fillers,
                              .filler = FILLER_LONG_NOP,
                              .timing = {.rdtscp = probe->rdtscp}};
    load_sampler_visit(&probe->sampler, &shape, samples, count);
    sort_numbers(samples, count);
    return samples[count / 4];
}

static bool is_in_turn(const struct pair_probe *probe, uint32_t ticks)
{
    return ticks > IN_TURN_FROM * probe->side_by_side;
}

uint32_t pair_probe_search(struct pair_probe *probe)
{
    uint32_t low = FIRST_FILLERS, high = 2 * low;
    probe->side_by_side = fast_with(probe, 0, SEARCH_SAMPLES);
    while (high <= PROBE_FILLERS_MAX &&
           !is_in_turn(probe, fast_with(probe, high, SEARCH_SAMPLES))) {
        low = high;
        high *= 2;
    }
    if (high > PROBE_FILLERS_MAX || low == FIRST_FILLERS)
        return 0;
    while (high - low > low / RESOLUTION + 1) {
        uint32_t middle = (low + high) / 2;
        bool is_beyond = is_in_turn(probe, fast_with(probe, middle, SEARCH_SAMPLES));
        *(is_beyond ? &high : &low) = middle;
    }
    double again = fast_with(probe, 0, SEARCH_SAMPLES);
    bool is_steady = again < STEADY * probe->side_by_side && probe->side_by_side < STEADY * again;
    return is_steady ? low : 0;
}

enum pair_answer pair_probe_look(struct pair_probe *probe, uint32_t fillers)
{
    if (fillers == 0 || !(probe->side_by_side > 0))
        return PAIR_UNKNOWN;
    if (!is_in_turn(probe, fast_with(probe, fillers, LOOK_SAMPLES)))
        return PAIR_SIDE_BY_SIDE;
    return is_in_turn(probe, fast_with(probe, 0, LOOK_SAMPLES)) ? PAIR_UNKNOWN : PAIR_IN_TURN;
}

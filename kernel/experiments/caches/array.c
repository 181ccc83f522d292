/* array: builds a cycle of pointers in each size, settles the caches, and times chains through it.
 *
 * Once the levels are known, bandwidth.h measures each in two sizes. Rows of each size: N chains
 * side by side (`n`), each followed for two numbers of steps (`k`); the difference of the two is
 * free of timer and start-up. And, of a metric of its own, two or three numbers of independent
 * accesses (`n`) to random lines: a cycle meets a line again only after all others, so that nothing
 * hits beyond a cache's size, but of random lines a share does. And serialized additions
 * (`k`) in the rounds of one chain, which tell the core cycle.
 */
#include "../sweeps/cache_bandwidth_rule.h"
#include "../sweeps/cache_levels.h"

#include "../../engine/edge.h"
#include "../../engine/engine.h"
#include "../../lib/random.h"
#include "../../lib/string.h"
#include "../../probe/chain_probe.h"
#include "../../probe/cycle.h"
#include "../../probe/native.h"
#include "../experiment.h"
#include "../settings.h"
#include "../sweeps/core_clock.h"
#include "bandwidth.h"

/* A size has several groups: the first one builds the cycle; others follow chains, or are
 * bandwidth's. */
enum { PLACE_FIRST, PLACE_FURTHER, PLACE_PAGED, PLACE_BANDWIDTH };
#define REFINED_MAX 36        /* sizes of a case */
#define FURTHER_MAX 4         /* times the largest size asked for */
#define BESIDE_MAX (16 << 20) /* three times any second-level cache, and more */

#define ACCESSED_AGAIN (2 << 20) /* bytes that others may have taken from the caches */
#define SIZES_BETWEEN 3          /* at a time, in quarters of the way */

/* Far enough apart that one tick more or less does not matter, short enough for the code cache. */
#define STEPS 256
#define FEW_STEPS (STEPS / 8)
#define MOST_STEPS (STEPS + FEW_STEPS)
static const unsigned step_counts[] = {FEW_STEPS, MOST_STEPS};
/* The fewest independent accesses fill all buffers; by fewer, the others seem to take less time. */
#define FEW_ACCESSES (STEPS / 2)
#define MANY_ACCESSES (STEPS + FEW_ACCESSES)
/* So many more, in arrays where each takes long, that part of a window at either end is small. */
#define MOST_ACCESSES (4 * STEPS + FEW_ACCESSES)
static const unsigned access_counts[] = {FEW_ACCESSES, MANY_ACCESSES, MOST_ACCESSES};
#define MOST_FROM (1 << 20) /* bytes: their addresses are then a small part of what is read */
#define STEP_COUNTS (sizeof step_counts / sizeof *step_counts)
/* cycle_line is exact only if the lines are a power of two: else a chain may end some lines before
 * the place where the next one starts. While caches settle, chains share so many lines. */
#define SETTLE_TWICE (STEPS / 8)
#define SETTLE_STEPS (STEPS - SETTLE_TWICE)
#define SETTLE_LINES (CHAINS_MAX * SETTLE_STEPS) /* of a cycle, between two looks at the clock */
/* A shared cache loses lines, to neighbours in all likelihood, while one slow chain walks through
 * this part of the cycle, and before it meets them. Settled this often, the size that a guest on
 * Zen 5 found of its L3 went from 7 or 8 MB to 12 or more in most runs, without more time: fewer
 * sizes are refined. In a larger array settling takes too long for a visit. */
#define SETTLE_PART 16
#define SETTLE_AGAIN_MOST (64 << 20) /* bytes */

/* The data of a case. */
struct array_case {
    struct window_request request;
    const struct window *window;
    const char *smaller; /* why the window does not hold all sizes; NULL */
    bool has_levels;     /* what is measured of each level has been added */
    uint32_t refined;    /* sizes that were added at edges */
};

/*
 * One size of one case at a time: with two in the same rounds, each would find its lines evicted by
 * the other. The cases of a size follow each other directly.
 */
struct array {
    struct measurement *m;
    uint32_t first; /* number of the first case */
    struct task task;
    struct bandwidth bandwidth;
    struct cycle cycle; /* of the size being measured, */
    bool is_built;      /* and so far extended */
    uint64_t place;     /* where in it the next chain begins */
    uint64_t settling;  /* runs that are left of it */
    uint64_t walked;    /* lines that one chain has followed since the caches were settled */
    uint8_t *at[CHAINS_MAX];
    uint32_t groups;
    struct random random;
    uint8_t *access[MOST_ACCESSES];
};

/* --- chains ---------------------------------------------------------------------------------- */

static void emit_chains(struct array *a, unsigned count, unsigned steps,
                        const struct counting *counting)
{
    struct platform *p = a->m->platform;
    struct timing timing = {
        .counting = counting, .order = ORDER_LFENCE, .rdtscp = a->m->processor->rdtscp};
    struct chain_shape shape = {count, steps, timing};
    p->publish_code(p, chain_probe_emit(p->code.write, p->code.bytes, &shape));
}

static uint64_t run_chains(struct array *a)
{
    return a->m->platform->run_code(a->m->platform, (uint8_t *)a->at);
}

/*
 * Starts each chain where the one before it will end, so that the next visit goes on where the last
 * chain ends, and a line is met again only after all others. If the cycle is too short for that,
 * the chains are spread evenly, with the same effect.
 */
static void place_chains(struct array *a, unsigned count, uint64_t steps)
{
    uint64_t distance = a->cycle.lines / count;
    if (distance > steps)
        distance = steps;
    for (unsigned i = 0; i < count; i++)
        a->at[i] = cycle_line(&a->cycle, a->place + i * distance);
    a->place = (a->place + count * steps) % a->cycle.lines;
}

static void start_settling(struct array *a)
{
    a->settling = a->cycle.lines / SETTLE_LINES + 1;
    a->walked = 0;
}

/*
 * Follows all of the cycle: the caches then hold what they will hold. The chains go side by side
 * for speed, but each run takes the next few lines of the cycle: a cache that has no room for all
 * of them has lost those that one chain will meet first.
 */
static bool settle(struct array *a, uint64_t end)
{
    emit_chains(a, CHAINS_MAX, STEPS, NULL);
    for (; a->settling > 0 && native_ticks() < end; a->settling--) {
        place_chains(a, CHAINS_MAX, SETTLE_STEPS);
        run_chains(a);
    }
    return a->settling == 0;
}

static bool prepare_chains(struct array *a, uint64_t end)
{
    if (a->is_built)
        return settle(a, end);
    while (!a->is_built && native_ticks() < end)
        a->is_built = cycle_extend(&a->cycle, SETTLE_LINES);
    if (a->is_built)
        start_settling(a);
    return false;
}

/* True if the next visit would meet lines that the caches should hold, and may have lost. Several
 * chains soon meet each line again, and so keep what a cache holds. */
static bool is_unsettled(const struct array *a, uint64_t count)
{
    return count == 1 && a->walked >= a->cycle.lines / SETTLE_PART &&
           a->cycle.lines * LINE_BYTES <= SETTLE_AGAIN_MOST;
}

/* Beside a sibling the caches first hold what another work of it has left. */
static void visit_chains(struct array *a, const struct point *point, struct samples *samples)
{
    uint64_t count = (uint64_t)point->n, steps = (uint64_t)point->k;
    uint64_t lines = a->cycle.lines * LINE_BYTES <= BANDWIDTH_REWALKED ? a->cycle.lines : 0;
    uint64_t uncounted = 1 + lines / (count * steps);
    if (a->m->beside_sibling || is_unsettled(a, count)) {
        start_settling(a);
        settle(a, UINT64_MAX);
    }
    emit_chains(a, (unsigned)count, (unsigned)steps, samples->counting);
    place_chains(a, (unsigned)count, (uncounted + samples->count) * steps);
    a->walked += (uncounted + samples->count) * steps;
    for (uint64_t i = 0; i < uncounted; i++)
        run_chains(a);
    samples_run(samples, a->m->platform, (uint8_t *)a->at);
}

/* --- visits ---------------------------------------------------------------------------------- */

/* Draws random lines, each as likely as any other, even if it was drawn before. Returns where their
 * addresses are. */
static uint8_t *draw_accesses(struct array *a, unsigned count)
{
    for (unsigned i = 0; i < count; i++)
        a->access[i] = a->cycle.base + random_below(&a->random, a->cycle.lines) * LINE_BYTES;
    return (uint8_t *)a->access;
}

/* Takes samples of random lines: no order of the lines in a cache changes how likely they are to
 * hit. The first runs only bring the code into the caches, and of a small array its lines. */
static void visit_randomly(struct array *a, const struct point *point, struct samples *samples)
{
    struct platform *p = a->m->platform;
    unsigned count = (unsigned)point->n;
    struct timing timing = {
        .counting = samples->counting, .order = ORDER_LFENCE, .rdtscp = a->m->processor->rdtscp};
    uint64_t lines = a->cycle.lines * LINE_BYTES <= ACCESSED_AGAIN ? a->cycle.lines : 0;
    p->publish_code(p, access_probe_emit(p->code.write, p->code.bytes, count, timing));
    for (uint64_t i = 0; i <= lines / count; i++)
        p->run_code(p, draw_accesses(a, count));
    for (unsigned i = 0; i < samples->count; i++)
        counting_sample(samples->counting, p, draw_accesses(a, count), samples->at, i,
                        samples->count);
}

static void visit_array(void *context, const struct point *point, struct samples *samples)
{
    struct array *a = context;
    if (core_clock_is(point))
        core_clock_sample(a->m, point, samples);
    else if (point->place == PLACE_BANDWIDTH)
        bandwidth_sample(&a->bandwidth, point, samples);
    else if (point->metric != NULL && point->place != PLACE_PAGED)
        visit_randomly(a, point, samples);
    else
        visit_chains(a, point, samples);
}

static const char *open_size(void *context, const struct point *point)
{
    struct array *a = context;
    const struct array_case *c = measurement_data(a->m, point->case_id);
    if (point->place == PLACE_BANDWIDTH)
        bandwidth_start(&a->bandwidth, c->window->base, (uint64_t)point->bytes);
    if (point->place == PLACE_FURTHER || point->place == PLACE_BANDWIDTH)
        return NULL;
    if ((uint64_t)point->bytes > c->window->bytes)
        return c->smaller;
    a->bandwidth.base = NULL;
    cycle_start(&a->cycle, c->window->base, (uint64_t)point->bytes, point->place == PLACE_PAGED);
    a->place = 0;
    a->is_built = false;
    return NULL;
}

static bool prepare_size(void *context, uint64_t end)
{
    struct array *a = context;
    if (a->bandwidth.base == NULL)
        return prepare_chains(a, end);
    bandwidth_prepare(&a->bandwidth);
    return true;
}

static void add_point(struct array *a, const struct point *point)
{
    task_add(&a->task, &a->task.points, point);
    if (point->metric != NULL || point->n <= CHAINS_COUNTED_MAX) /* registers for the counters */
        task_add(&a->task, &a->task.counted, point);
}

static void add_chains(struct array *a, struct point point, const uint64_t *chains, uint32_t count)
{
    point.group = a->groups++;
    for (unsigned j = 0; j < STEP_COUNTS; j++)
        for (uint32_t i = 0; i < count; i++) {
            point.k = step_counts[j];
            point.n = (int64_t)chains[i];
            add_point(a, &point);
        }
}

static void add_accesses(struct array *a, struct point point)
{
    point.group = a->groups++;
    point.metric = CACHE_LEVELS_RANDOM;
    point.k = 1;
    for (unsigned i = 0; i < sizeof access_counts / sizeof *access_counts; i++) {
        point.n = access_counts[i];
        if (point.n < MOST_ACCESSES || point.bytes >= MOST_FROM)
            add_point(a, &point);
    }
}

/*
 * The groups of a size share a cycle. The fewest chains come first, and alone: one chain walks less
 * than a cache holds, and would hit what several, which are in many places of the cycle, have left
 * ahead of it; random accesses come last, since they change what any chain meets.
 */
static void add_size(struct array *a, uint32_t number, uint64_t bytes)
{
    static const uint64_t one = 1;
    const struct config_list *chains = &a->m->config->array.loads;
    const struct array_case *c = measurement_data(a->m, number);
    struct point point = {.case_id = number,
                          .place = PLACE_FIRST,
                          .bytes = (int64_t)(bytes / LINE_BYTES * LINE_BYTES),
                          .stage = ROW_NONE};
    add_chains(a, point, a->m->beside_sibling ? &one : chains->value, 1);
    if (a->m->beside_sibling) /* a capacity is all that is asked for */
        return;
    point.group = a->groups - 1;
    point.metric = CORE_CLOCK;
    core_clock_add(&a->task, point);
    point.metric = NULL;
    point.place = PLACE_FURTHER;
    if (bytes > c->window->bytes) /* it does not fit, as the first group says */
        return;
    if (chains->count > 1)
        add_chains(a, point, chains->value + 1, chains->count - 1);
    add_accesses(a, point);
}

/* Adds a size beyond those asked for, unless it is far beyond, or there is no memory for it. */
static void add_larger(struct array *a, uint32_t number, uint64_t bytes)
{
    struct array_case *c = measurement_data(a->m, number);
    const struct window *window = c->window;
    if (bytes == 0 || bytes > FURTHER_MAX * list_most(&a->m->config->array.bytes))
        return;
    struct window_request request = c->request;
    request.bytes = bytes;
    if (bytes > window->bytes && windows_get(a->m, &request, true, &window) != NULL)
        return;
    c->window = window;
    add_size(a, number, bytes);
}

/* Adds lines of few pages in turn; and additions, which tell the clock of that time, where
 * bandwidth has none just before. */
static void add_paged(struct array *a, struct point point)
{
    point.group = a->groups++;
    point.place = PLACE_PAGED;
    if (a->m->platform->no_loops != NULL) {
        point.metric = CORE_CLOCK_BANDWIDTH;
        core_clock_add(&a->task, point);
    }
    point.metric = CACHE_LEVELS_PAGED;
    point.n = 1;
    for (unsigned j = 0; j < STEP_COUNTS; j++) {
        point.k = step_counts[j];
        add_point(a, &point);
    }
}

/* Adds bandwidth in both sizes of each level that chains have found on the whole core, and overlap
 * where that is not measured in such a size. */
static void add_levels(struct array *a, uint32_t number, const struct table *table,
                       const struct cache_levels_plan *plan)
{
    struct array_case *c = measurement_data(a->m, number);
    bool has_loops = a->m->platform->no_loops == NULL;
    if (c->has_levels)
        return;
    c->has_levels = true;
    if (has_loops &&
        !a->m->platform->quietly(a->m->platform, bandwidth_find_width, &a->bandwidth)) {
        measurement_fail(a->m, measurement_faulted);
        return;
    }
    for (unsigned i = 0; i < 2 * plan->levels; i++) {
        const struct cache_level_sizes *sizes = &plan->sizes[i / 2];
        uint64_t bytes = i % 2 == 0 ? sizes->small : sizes->large;
        struct point point = {.case_id = number,
                              .place = PLACE_BANDWIDTH,
                              .bytes = (int64_t)bytes,
                              .stage = ROW_NONE};
        if (bytes == 0)
            continue;
        if (i >= 2 && table_find_at(table, CACHE_LEVELS_RANDOM, ROW_ANY, ROW_ANY, point.bytes,
                                    ROW_ANY) == NULL)
            add_size(a, number, bytes);
        point.group = a->groups++;
        if (has_loops)
            bandwidth_add(&a->bandwidth, &a->task, point);
        if (i / 2 + 1 == plan->levels)
            add_paged(a, point);
    }
}

/* Adds sizes where they pay, and then larger ones; then the bandwidth. */
static void refine_sizes(void *context, uint32_t number, const struct table *table)
{
    struct array *a = context;
    struct cache_levels_plan plan;
    int64_t bytes[EDGE_POINTS_MAX];
    uint32_t before = a->task.points.count;
    if (number < a->first || a->m->is_emulated)
        return;
    struct array_case *c = measurement_data(a->m, number);
    cache_levels_plan(table, a->m->facts, &plan);
    if (c->refined < REFINED_MAX) {
        unsigned count =
            edge_between((int64_t)plan.gap.low, (int64_t)plan.gap.high, SIZES_BETWEEN, bytes);
        c->refined += count;
        for (unsigned i = 0; i < count; i++)
            add_size(a, number, (uint64_t)bytes[i]);
        if (count == 0 && !a->m->beside_sibling)
            add_larger(a, number, plan.larger);
    }
    if (a->task.points.count == before && !a->m->beside_sibling && !table->variant->shared)
        add_levels(a, number, table, &plan);
}

/* Adds a case. If its largest size does not fit, as much as does: rows show what is missing. */
static void add_case(struct array *a, const struct setting *setting)
{
    const struct config_list *sizes = &a->m->config->array.bytes;
    uint32_t number = measurement_add_case(a->m, &setting->variant, sizeof(struct array_case));
    struct array_case *c = measurement_data(a->m, number);
    if (c == NULL)
        return;
    c->request =
        settings_window(a->m, setting, a->m->beside_sibling ? BESIDE_MAX : list_most(sizes));
    const char *reason = settings_refusal(a->m, setting)
                             ?: windows_get_largest(a->m, &c->request, list_least(sizes), true,
                                                    &c->window, &c->smaller);
    if (reason != NULL)
        measurement_skip(a->m, number, reason);
    else if (a->m->platform->no_loops != NULL && !a->m->beside_sibling)
        measurement_add_value(a->m, number, CACHE_BANDWIDTH_MISSING, a->m->platform->no_loops, 0);
}

/* Adds a case beside each work of the sibling, with the first page size that can be had. */
static void add_beside(struct array *a)
{
    const struct config_choices *pages = &a->m->config->pages;
    const struct window *window;
    struct setting setting;
    const char *reason;
    uint32_t page = 0;
    do {
        setting = settings_get(a->m, CONFIG_NODE_LOCAL, pages->index[page], 0);
        struct window_request request = settings_window(a->m, &setting, BESIDE_MAX);
        reason = settings_refusal(a->m, &setting) ?: windows_get(a->m, &request, true, &window);
    } while (reason != NULL && ++page < pages->count);
    name_copy(setting.variant.pattern, CACHE_LEVELS_CHAIN);
    for (SIBLING_CASES(work, a->m)) {
        setting.variant.sibling = work;
        add_case(a, &setting);
    }
}

static void add_sizes(struct array *a)
{
    const struct config_list *sizes = &a->m->config->array.bytes;
    for (uint32_t i = 0; i < sizes->count; i++)
        for (uint32_t number = a->first; number < a->m->case_count; number++)
            if (!measurement_case(a->m, number)->is_skipped &&
                (!a->m->beside_sibling || sizes->value[i] <= BESIDE_MAX))
                add_size(a, number, sizes->value[i]);
}

static bool measure_array(struct measurement *m)
{
    struct settings all = {.m = m, .nodes = m->config->node};
    struct setting setting;
    struct array a = {.m = m, .first = m->case_count, .bandwidth.m = m};
    a.task = settings_task(m, &a, visit_array);
    a.task.contention = /* visits are long */
        m->beside_sibling ? CONTENTION_LABELLED : CONTENTION_APART_ONE;
    a.task.open = open_size;
    a.task.prepare = prepare_size;
    a.task.refine = refine_sizes;
    random_seed(&a.random, m->config->seed);
    if (m->beside_sibling)
        add_beside(&a);
    while (!m->beside_sibling && settings_next(&all, &setting))
        add_case(&a, &setting);
    add_sizes(&a);
    return engine_run(&a.task);
}

/* Estimates the time: most of it goes by in bringing the largest arrays into a known state. */
static double seconds(const struct measurement *m, unsigned pages)
{
    const struct config *config = m->config;
    return pages * settings_count(m, config->node) * config->array.bytes.count *
           (0.2 + 5e-5 * config->array.loads.count * (double)config->samples_min);
}

const struct experiment experiment_array = {
    .name = "array",
    .shows = "size, latency and bandwidth of caches and memory",
    .measure = measure_array,
    .seconds = seconds,
    .rule = &rule_array,
};

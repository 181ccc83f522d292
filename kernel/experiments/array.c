/* array: builds a cycle of pointers in each size, settles the caches, and times chains through it.
 */
#include "array.h"

#include "../analysis/levels.h"
#include "../probe/chain_probe.h"
#include "../probe/cycle.h"
#include "../probe/native.h"
#include "../probe/sweep.h"
#include "counted.h"
#include "largest_window.h"
#include "load_case.h"
#include "measurement.h"

#define STEP_COUNTS 2
#define SETTLE_STEPS 256
#define SETTLE_LOADS_MAX (4u << 20) /* beyond, most loads miss, whatever the caches hold */
#define REWALK_LINES 4096           /* so much of a cache the harness may use up between visits */
#define BUILD_PIECE 4096            /* lines between two looks at the clock */
#define SLICES_PER_SECOND 5         /* between two slices the console may be written */
#define REFINE_SIZES 3              /* between two sizes, in quarters of the way */
#define REFINE_ROUNDS 12
#define COARSE_SHARE 0.8 /* of the progress shown; how much refining there will be is not known */
#define FIXED_WORK (64u << 20) /* a size costs this much, in bytes built, however small it is */

/* Far enough apart that one tick more or less does not matter, short enough for the code cache. */
static const unsigned step_counts[STEP_COUNTS] = {32, 288};

struct array_case {
    struct measurement *m;
    struct window window;
    struct cycle cycle; /* of the size being measured */
    uint64_t place;     /* where in the cycle the next chain begins */
    uint64_t settle_runs;
    double share_before, share; /* of the case's work: sizes done, and this one */
    uint8_t *chain[CHAINS_MAX];
    uint8_t counted[CHAINS_COUNTED_MAX]; /* which of array.loads */
};

static void show_progress(void *context, double done)
{
    struct array_case *c = context;
    measurement_progress(c->m, c->share_before + c->share * done);
}

static void emit(struct array_case *c, unsigned chains, unsigned steps,
                 const struct counting *counting)
{
    struct platform *p = c->m->platform;
    struct chain_shape shape = {
        .chains = chains,
        .steps = steps,
        .timing = {.counting = counting, .order = ORDER_LFENCE, .rdtscp = c->m->processor->rdtscp},
    };
    p->publish_code(p, chain_probe_emit(p->code.write, p->code.bytes, &shape));
}

static uint64_t run(struct array_case *c)
{
    return c->m->platform->run_code(c->m->platform, (uint8_t *)c->chain);
}

/*
 * Sets the chains off one behind the other, so that the next visitor goes on where the last of
 * them ends and a line is only met again after all the others. Where the cycle is too short for
 * that they are evenly spread, which gives the same.
 */
static void place_chains(struct array_case *c, unsigned chains, uint64_t steps)
{
    uint64_t apart = c->cycle.lines / chains;
    if (apart > steps)
        apart = steps;
    for (unsigned i = 0; i < chains; i++)
        c->chain[i] = cycle_line(&c->cycle, c->place + i * apart);
    c->place = (c->place + chains * steps) % c->cycle.lines;
}

/* Everything before the samples that count. */
static void prepare_visit(struct array_case *c, uint32_t point, const struct counting *counting,
                          unsigned count)
{
    unsigned chains = (unsigned)c->m->config->array.loads.value[point / STEP_COUNTS];
    unsigned steps = step_counts[point % STEP_COUNTS];
    uint64_t lines = c->cycle.lines <= REWALK_LINES ? c->cycle.lines : 0;
    uint64_t uncounted = 1 + lines / (chains * steps);

    emit(c, chains, steps, counting);
    place_chains(c, chains, (uncounted + count) * steps);
    for (uint64_t i = 0; i < uncounted; i++)
        run(c);
}

static void visit(void *context, uint32_t point, uint32_t *ticks, unsigned count)
{
    struct array_case *c = context;
    prepare_visit(c, point, NULL, count);
    for (unsigned i = 0; i < count; i++) {
        uint64_t elapsed = run(c);
        ticks[i] = elapsed < UINT32_MAX ? (uint32_t)elapsed : UINT32_MAX;
    }
}

static uint64_t slice_end(const struct array_case *c)
{
    return native_ticks() + c->m->platform->ticks_per_second / SLICES_PER_SECOND;
}

static void build_slice(void *context)
{
    struct array_case *c = context;
    uint64_t end = slice_end(c);
    while (!cycle_extend(&c->cycle, BUILD_PIECE) && native_ticks() < end)
        ;
}

/* Follows the whole cycle, or what of it matters: the caches then hold what they will hold. */
static void settle_slice(void *context)
{
    struct array_case *c = context;
    uint64_t end = slice_end(c);
    emit(c, CHAINS_MAX, SETTLE_STEPS, NULL);
    while (c->settle_runs > 0 && native_ticks() < end) {
        run(c);
        c->settle_runs--;
    }
}

static void start_settling(struct array_case *c)
{
    uint64_t loads = c->cycle.lines < SETTLE_LOADS_MAX ? c->cycle.lines : SETTLE_LOADS_MAX;
    c->settle_runs = loads / (CHAINS_MAX * SETTLE_STEPS) + 1;
    place_chains(c, CHAINS_MAX, c->settle_runs * SETTLE_STEPS);
}

static bool prepare(struct array_case *c, uint64_t bytes)
{
    struct platform *p = c->m->platform;
    cycle_start(&c->cycle, c->window.base, bytes);
    c->place = 0;
    uint64_t all = 1ull << c->cycle.bits;
    while (c->cycle.index < all) {
        if (!p->quietly(p, build_slice, c))
            return false;
        show_progress(c, 0.5 * (double)c->cycle.index / (double)all);
    }
    start_settling(c);
    while (c->settle_runs > 0)
        if (!p->quietly(p, settle_slice, c))
            return false;
    return true;
}

static void place(void *context, uint32_t point, struct row *row)
{
    const struct array_case *c = context;
    row->n = (int64_t)c->m->config->array.loads.value[point / STEP_COUNTS];
    row->k = step_counts[point % STEP_COUNTS];
    row->bytes = (int64_t)(c->cycle.lines * CYCLE_LINE_BYTES);
}

static void add_rows(struct array_case *c, const struct sweep *sweep)
{
    for (uint32_t i = 0; i < sweep->count; i++)
        place(c, i, measurement_add(c->m, "tsc", "ticks", &sweep->points[i]));
}

static uint32_t counted_point(const struct array_case *c, uint32_t point)
{
    return c->counted[point / STEP_COUNTS] * STEP_COUNTS + point % STEP_COUNTS;
}

static void visit_counting(void *context, uint32_t point, const struct counting *counting,
                           uint32_t *samples, unsigned count)
{
    struct array_case *c = context;
    prepare_visit(c, counted_point(c, point), counting, count);
    for (unsigned i = 0; i < count; i++) {
        run(c);
        for (unsigned j = 0; j < counting->count; j++)
            samples[j * count + i] = (uint32_t)counting->result[j];
    }
}

static void place_counted(void *context, uint32_t point, struct row *row)
{
    place(context, counted_point(context, point), row);
}

/* Those numbers of chains that leave registers for the counters. */
static bool count_size(struct array_case *c)
{
    static struct counted counted; /* too large for a firmware's stack */
    const struct config_list *loads = &c->m->config->array.loads;
    uint32_t chains = 0;
    for (uint32_t i = 0; i < loads->count; i++)
        if (loads->value[i] <= CHAINS_COUNTED_MAX)
            c->counted[chains++] = (uint8_t)i;
    counted = (struct counted){
        .measurement = c->m, .visit = visit_counting, .place = place_counted, .context = c};
    return chains == 0 || counted_measure(&counted, chains * STEP_COUNTS);
}

/* The second half of the size's work; prepare was the first. */
static void sweep_progressed(void *context, double done)
{
    show_progress(context, 0.5 + 0.5 * done);
}

static bool sweep_size(struct array_case *c)
{
    const struct config *config = c->m->config;
    struct sweep sweep;
    struct sweep_rules rules = {
        .samples_min = (uint32_t)config->samples_min,
        .samples_max = (uint32_t)config->samples_max,
        .precision = config->samples_precision,
    };
    c->m->failure = sweep_open(&sweep, c->m->platform, config->array.loads.count * STEP_COUNTS,
                               &rules, config->seed);
    if (c->m->failure != NULL)
        return false;
    bool finished = sweep_run(&sweep, visit, c, sweep_progressed, c);
    if (finished)
        add_rows(c, &sweep);
    else
        c->m->failure = "a fault ended the measurement";
    sweep_close(&sweep);
    return finished;
}

static bool measure_size(struct array_case *c, uint64_t bytes, double share)
{
    c->share = share;
    if (!prepare(c, bytes)) {
        c->m->failure = "a fault ended the measurement";
        return false;
    }
    bool finished = sweep_size(c) && count_size(c);
    c->share_before += share;
    return finished;
}

/* So that the results themselves tell which sizes are missing. */
static void add_missing(struct array_case *c, uint64_t bytes)
{
    struct distribution none = {.count = 0};
    struct row *row = measurement_add(c->m, "tsc", "ticks", &none);
    row->n = 1;
    row->k = step_counts[0];
    row->bytes = (int64_t)bytes;
}

static bool measure_configured(struct array_case *c)
{
    const struct config_list *sizes = &c->m->config->array.bytes;
    double work = 0;
    for (uint32_t i = 0; i < sizes->count; i++)
        if (sizes->value[i] <= c->window.bytes)
            work += (double)(sizes->value[i] + FIXED_WORK);
    for (uint32_t i = 0; i < sizes->count; i++) {
        uint64_t bytes = sizes->value[i];
        if (bytes > c->window.bytes)
            add_missing(c, bytes);
        else if (!measure_size(c, bytes, COARSE_SHARE * (double)(bytes + FIXED_WORK) / work))
            return false;
    }
    return true;
}

/* Samples where they pay: between the last size of a plateau and the next, until they are close. */
static bool refine(struct array_case *c, size_t first_row)
{
    struct levels_gap gap;
    for (unsigned round = 0; round < REFINE_ROUNDS; round++) {
        if (!levels_next_gap(c->m->rows + first_row, c->m->row_count - first_row, &gap))
            return true;
        for (unsigned i = 1; i <= REFINE_SIZES; i++) {
            uint64_t bytes = gap.low + (gap.high - gap.low) * i / (REFINE_SIZES + 1);
            double share = (1 - COARSE_SHARE) / (REFINE_ROUNDS * REFINE_SIZES);
            if (!measure_size(c, bytes, share))
                return false;
        }
    }
    return true;
}

static void find_range(const struct config_list *sizes, uint64_t *smallest, uint64_t *largest)
{
    *smallest = *largest = sizes->value[0];
    for (uint32_t i = 1; i < sizes->count; i++) {
        if (sizes->value[i] < *smallest)
            *smallest = sizes->value[i];
        if (sizes->value[i] > *largest)
            *largest = sizes->value[i];
    }
}

/* Where the largest does not fit, the rows will tell which sizes are missing. */
static const char *map_sizes(struct array_case *c, enum page_size page)
{
    uint64_t smallest, largest;
    find_range(&c->m->config->array.bytes, &smallest, &largest);
    return largest_window_map(c->m, largest, smallest, page, &c->window);
}

static bool measure_case(struct measurement *m, enum page_size page, unsigned setting)
{
    struct array_case c = {.m = m};
    char variant[NAME_BYTES];
    const char *suffix, *reason = measurement_set(m, setting, &suffix);
    size_t first_row = m->row_count;
    load_case_name(variant, page, TLB_NATURAL, suffix, "");
    measurement_start_case(m, variant);
    if (reason == NULL)
        reason = map_sizes(&c, page);
    if (reason != NULL) {
        measurement_skip(m, reason);
        return true;
    }
    bool finished = measure_configured(&c) && refine(&c, first_row);
    m->platform->unmap_window(m->platform, &c.window);
    return finished;
}

bool array_measure(struct measurement *m)
{
    const struct config *config = m->config;
    uint64_t sizes = config->array.bytes.count + REFINE_ROUNDS * REFINE_SIZES;
    uint64_t points = config->array.loads.count * STEP_COUNTS +
                      counted_rows(m->platform, CHAINS_COUNTED_MAX * STEP_COUNTS);
    unsigned states = measurement_settings(m);
    m->cases = config->pages.count * states;
    if (!measurement_reserve(m, sizes * points * m->cases))
        return false;
    for (uint32_t i = 0; i < m->cases; i++)
        if (!measure_case(m, config->pages.index[i / states], i % states))
            return false;
    return true;
}

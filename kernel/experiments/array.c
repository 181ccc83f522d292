/* array: builds a cycle of pointers in each size, settles the caches, and times chains through it.
 *
 * Rows of each size: N chains side by side (`n`), each followed for two numbers of steps (`k`); the
 * difference of the two is free of timer and start-up.
 */
#include "array_rule.h"

#include "../engine/counted.h"
#include "../engine/windows.h"
#include "../probe/chain_probe.h"
#include "../probe/cycle.h"
#include "../probe/native.h"
#include "experiment.h"
#include "settings.h"

#define STEP_COUNTS 2
#define SETTLE_STEPS 256
#define SETTLE_LOADS_MAX (4u << 20) /* beyond, most loads miss, whatever the caches hold */
#define REWALK_LINES 4096           /* so much of a cache the harness may use up between visits */
#define BUILD_PIECE 4096            /* lines between two looks at the clock */
#define REFINE_SIZES 3              /* between two sizes, in quarters of the way */
#define REFINED_MAX 36              /* sizes of a case */
#define FIXED_WORK (64u << 20) /* a size costs this much, in bytes built, however small it is */
#define CASES_MAX 512

/* Far enough apart that one tick more or less does not matter, short enough for the code cache. */
static const unsigned step_counts[STEP_COUNTS] = {32, 288};

/*
 * One size of one case at a time: with two in the same rounds, each would find its lines evicted by
 * the other. The cases of a size follow each other directly.
 */
struct array {
    struct measurement *m;
    struct task task;
    struct windows windows;
    const struct window *window[CASES_MAX]; /* by case; NULL: it is skipped */
    const char *smaller[CASES_MAX];         /* why a case's window does not hold all sizes; NULL */
    struct cycle cycle;                     /* of the size being measured */
    uint64_t place;                         /* where in the cycle the next chain begins */
    uint64_t settle_runs;
    bool is_built;
    uint32_t groups;
    uint8_t *chain[CHAINS_MAX];
};

static void emit(struct array *a, unsigned chains, unsigned steps, const struct counting *counting)
{
    struct platform *p = a->m->platform;
    struct chain_shape shape = {
        .chains = chains,
        .steps = steps,
        .timing = {.counting = counting, .order = ORDER_LFENCE, .rdtscp = a->m->processor->rdtscp},
    };
    p->publish_code(p, chain_probe_emit(p->code.write, p->code.bytes, &shape));
}

static uint64_t run(struct array *a)
{
    return a->m->platform->run_code(a->m->platform, (uint8_t *)a->chain);
}

/*
 * Sets the chains off one behind the other, so that the next visitor goes on where the last of
 * them ends and a line is only met again after all the others. Where the cycle is too short for
 * that they are evenly spread, which gives the same.
 */
static void place_chains(struct array *a, unsigned chains, uint64_t steps)
{
    uint64_t apart = a->cycle.lines / chains;
    if (apart > steps)
        apart = steps;
    for (unsigned i = 0; i < chains; i++)
        a->chain[i] = cycle_line(&a->cycle, a->place + i * apart);
    a->place = (a->place + chains * steps) % a->cycle.lines;
}

static void visit(void *context, const struct point *point, struct samples *samples)
{
    struct array *a = context;
    unsigned chains = (unsigned)point->n, steps = (unsigned)point->k;
    uint64_t lines = a->cycle.lines <= REWALK_LINES ? a->cycle.lines : 0;
    uint64_t uncounted = 1 + lines / (chains * steps);

    emit(a, chains, steps, samples->counting);
    place_chains(a, chains, (uncounted + samples->count) * steps);
    for (uint64_t i = 0; i < uncounted; i++)
        run(a);
    for (unsigned i = 0; i < samples->count; i++)
        counting_keep(samples->counting, run(a), samples->at, i, samples->count);
}

static void start_settling(struct array *a)
{
    uint64_t loads = a->cycle.lines < SETTLE_LOADS_MAX ? a->cycle.lines : SETTLE_LOADS_MAX;
    a->settle_runs = loads / (CHAINS_MAX * SETTLE_STEPS) + 1;
    place_chains(a, CHAINS_MAX, a->settle_runs * SETTLE_STEPS);
}

static const char *open_size(void *context, const struct point *point)
{
    struct array *a = context;
    const struct window *window = a->window[point->of];
    if ((uint64_t)point->bytes > window->bytes)
        return a->smaller[point->of];
    cycle_start(&a->cycle, window->base, (uint64_t)point->bytes);
    a->place = 0;
    a->is_built = false;
    return NULL;
}

/* Follows the whole cycle, or what of it matters: the caches then hold what they will hold. */
static bool settle(struct array *a, uint64_t end)
{
    emit(a, CHAINS_MAX, SETTLE_STEPS, NULL);
    for (; a->settle_runs > 0 && native_ticks() < end; a->settle_runs--)
        run(a);
    return a->settle_runs == 0;
}

static bool prepare(void *context, uint64_t end)
{
    struct array *a = context;
    if (a->is_built)
        return settle(a, end);
    while (!a->is_built && native_ticks() < end)
        a->is_built = cycle_extend(&a->cycle, BUILD_PIECE);
    if (a->is_built)
        start_settling(a);
    return false;
}

static double cost(void *context, const struct point *point)
{
    (void)context;
    return (double)point->bytes + FIXED_WORK;
}

/* Chains that leave registers for the counters are counted as well. */
static void add_size(struct array *a, uint32_t of, uint64_t bytes)
{
    const struct config_list *chains = &a->m->config->array.loads;
    uint32_t group = a->groups++;
    for (uint32_t i = 0; i < chains->count; i++)
        for (unsigned j = 0; j < STEP_COUNTS; j++) {
            struct point point = {.of = of,
                                  .group = group,
                                  .n = (int64_t)chains->value[i],
                                  .k = step_counts[j],
                                  .bytes = (int64_t)(bytes / CYCLE_LINE_BYTES * CYCLE_LINE_BYTES),
                                  .stage = ROW_NONE};
            task_add(&a->task, &a->task.points, &point);
            if (chains->value[i] <= CHAINS_COUNTED_MAX)
                task_add(&a->task, &a->task.counted, &point);
        }
}

/* Sizes where they pay: between the last one of a plateau and the next, until they are close. */
static void refine(void *context, uint32_t of, const struct table *table, uint32_t added)
{
    struct array *a = context;
    struct array_gap gap;
    uint32_t points = a->m->config->array.loads.count * STEP_COUNTS;
    if (added >= REFINED_MAX * points || !array_next_gap(table, &gap))
        return;
    for (unsigned i = 1; i <= REFINE_SIZES; i++)
        add_size(a, of, gap.low + (gap.high - gap.low) * i / (REFINE_SIZES + 1));
}

/* Where the largest does not fit, as much of it as does: the rows tell which sizes are missing. */
static void add_case(struct array *a, const struct setting *setting)
{
    const struct config_list *sizes = &a->m->config->array.bytes;
    uint32_t of = measurement_add_case(a->m, &setting->of);
    struct window_request request = {.bytes = list_most(sizes),
                                     .page = setting->of.page,
                                     .seed = a->m->config->seed,
                                     .node = setting->node};
    const char *reason = setting->refusal;
    if (reason == NULL && of >= CASES_MAX)
        reason = "more cases than array has room for";
    if (reason == NULL)
        reason = windows_get_largest(&a->windows, &request, list_least(sizes), true, &a->window[of],
                                     &a->smaller[of]);
    if (reason == NULL)
        return;
    measurement_skip(a->m, of, reason);
    if (of < CASES_MAX)
        a->window[of] = NULL;
}

static void add_cases(struct array *a)
{
    const struct config *config = a->m->config;
    for (uint32_t page = 0; page < config->pages.count; page++)
        for (unsigned i = 0; i < settings_count(a->m, config->node); i++) {
            struct setting setting = settings_get(a->m, config->node, config->pages.index[page], i);
            add_case(a, &setting);
        }
}

static bool measure(struct measurement *m)
{
    static struct array a; /* too large for a firmware's stack */
    a = (struct array){.m = m};
    a.task = (struct task){
        .measurement = m,
        .rules = settings_rules(m->config),
        .seed = m->config->seed,
        .context = &a,
        .visit = visit,
        .open = open_size,
        .prepare = prepare,
        .refine = refine,
        .cost = cost,
    };
    windows_init(&a.windows, m->platform);
    add_cases(&a);
    for (uint32_t i = 0; i < m->config->array.bytes.count; i++)
        for (uint32_t of = 0; of < m->case_count; of++)
            if (!measurement_case(m, of)->is_skipped)
                add_size(&a, of, m->config->array.bytes.value[i]);
    bool finished = engine_run(&a.task);
    windows_close(&a.windows);
    return finished;
}

const struct experiment experiment_array = {
    .name = "array",
    .shows = "the latency of a load by the size of the array: caches and memory",
    .measure = measure,
    .rule = &rule_array,
};

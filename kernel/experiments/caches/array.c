/* array: builds a cycle of pointers in each size, settles the caches, and times chains through it.
 *
 * Rows of each size: N chains side by side (`n`), each followed for two numbers of steps (`k`); the
 * difference of the two is free of timer and start-up. And, of a metric of its own, two numbers of
 * independent accesses (`n`) to random lines: a cycle meets a line again only after all others, so
 * that nothing hits beyond a cache's size, but of random lines a share does.
 */
#include "array_rule.h"

#include "../../cpu/hypervisor.h"
#include "../../engine/counted.h"
#include "../../engine/windows.h"
#include "../../lib/random.h"
#include "../../probe/access_probe.h"
#include "../experiment.h"
#include "../settings.h"
#include "../sweeps/chains.h"

#define STEP_COUNTS 2
enum { PLACE_FIRST, PLACE_FURTHER }; /* of a size's groups: the first one builds the cycle */
#define REFINE_SIZES 3               /* between two sizes, in quarters of the way */
#define REFINED_MAX 36               /* sizes of a case */
#define FURTHER_MAX 8                /* times the largest size asked for */
#define FIXED_WORK (64u << 20)  /* a size costs this much, in bytes built, however small it is */
#define FURTHER_WORK (4u << 20) /* and each of its further groups this much */
#define CASES_MAX 512

/* Far enough apart that one tick more or less does not matter, short enough for the code cache. */
#define MOST_STEPS 288
static const unsigned step_counts[STEP_COUNTS] = {32, MOST_STEPS};

/*
 * One size of one case at a time: with two in the same rounds, each would find its lines evicted by
 * the other. The cases of a size follow each other directly.
 */
struct array {
    struct measurement *m;
    struct task task;
    struct windows windows;
    struct window_request request[CASES_MAX]; /* by case */
    const struct window *window[CASES_MAX];   /* NULL: it is skipped */
    const char *smaller[CASES_MAX]; /* why a case's window does not hold all sizes; NULL */
    struct chains chains;           /* of the size being measured */
    uint32_t groups;
    struct random random;
    uint8_t *access[MOST_STEPS];
};

/* Any line of the array is as likely as any other, one that was drawn before too. */
static uint64_t run_accesses(struct array *a, unsigned count)
{
    struct platform *p = a->m->platform;
    for (unsigned i = 0; i < count; i++)
        a->access[i] = a->chains.cycle.base +
                       random_below(&a->random, a->chains.cycle.lines) * CYCLE_LINE_BYTES;
    return p->run_code(p, (uint8_t *)a->access);
}

/*
 * Whatever order the lines in a cache were met in, a random line is as likely to be among them.
 * The first run is for the code's sake.
 */
static void visit_randomly(struct array *a, const struct point *point, struct samples *samples)
{
    struct platform *p = a->m->platform;
    unsigned count = (unsigned)point->n;
    struct timing timing = {
        .counting = samples->counting, .order = ORDER_LFENCE, .rdtscp = a->m->processor->rdtscp};
    p->publish_code(p, access_probe_emit(p->code.write, p->code.bytes, count, timing));
    run_accesses(a, count);
    for (unsigned i = 0; i < samples->count; i++)
        counting_keep(samples->counting, run_accesses(a, count), samples->at, i, samples->count);
}

static void visit(void *context, const struct point *point, struct samples *samples)
{
    struct array *a = context;
    if (point->metric != NULL)
        visit_randomly(a, point, samples);
    else
        chains_sample(&a->chains, (unsigned)point->n, (unsigned)point->k, samples);
}

static const char *open_size(void *context, const struct point *point)
{
    struct array *a = context;
    const struct window *window = a->window[point->of];
    if (point->place != PLACE_FIRST)
        return NULL;
    if ((uint64_t)point->bytes > window->bytes)
        return a->smaller[point->of];
    chains_start(&a->chains, window->base, (uint64_t)point->bytes);
    return NULL;
}

static bool prepare(void *context, uint64_t end)
{
    struct array *a = context;
    return chains_prepare(&a->chains, end);
}

static double cost(void *context, const struct point *point)
{
    (void)context;
    return point->place == PLACE_FIRST ? (double)point->bytes + FIXED_WORK : FURTHER_WORK;
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
    point.metric = ARRAY_RANDOM;
    point.k = 1;
    for (unsigned i = 0; i < STEP_COUNTS; i++) {
        point.n = step_counts[i];
        add_point(a, &point);
    }
}

/*
 * The groups of a size share a cycle. The fewest chains come first, and alone: one chain walks less
 * than a cache holds, and would hit what several, which are in many places of the cycle, have left
 * ahead of it; random accesses come last, since they change what any chain meets.
 */
static void add_size(struct array *a, uint32_t of, uint64_t bytes)
{
    const struct config_list *chains = &a->m->config->array.loads;
    struct point point = {.of = of,
                          .place = PLACE_FIRST,
                          .bytes = (int64_t)(bytes / CYCLE_LINE_BYTES * CYCLE_LINE_BYTES),
                          .stage = ROW_NONE};
    add_chains(a, point, chains->value, 1);
    point.place = PLACE_FURTHER;
    if (bytes > a->window[of]->bytes) /* it does not fit, as the first group says */
        return;
    if (chains->count > 1)
        add_chains(a, point, chains->value + 1, chains->count - 1);
    add_accesses(a, point);
}

/* Twice the largest size, where the sizes end within the last edge and there is memory for it. */
static void add_larger(struct array *a, uint32_t of, const struct table *table)
{
    const struct window *window = a->window[of];
    uint64_t bytes = 2 * array_ends_at(table);
    if (bytes == 0 || bytes > FURTHER_MAX * list_most(&a->m->config->array.bytes))
        return;
    struct window_request request = a->request[of];
    request.bytes = bytes;
    if (bytes > window->bytes && windows_get(&a->windows, &request, true, &window) != NULL)
        return;
    a->window[of] = window;
    add_size(a, of, bytes);
}

/*
 * Sizes where they pay: between the last one of a plateau and the next, until they are close; and
 * larger ones.
 */
static void refine(void *context, uint32_t of, const struct table *table, uint32_t added)
{
    struct array *a = context;
    struct array_gap gap;
    uint32_t points = (a->m->config->array.loads.count + 1) * STEP_COUNTS;
    if (added >= REFINED_MAX * points || a->m->is_emulated)
        return;
    if (!array_next_gap(table, &gap)) {
        add_larger(a, of, table);
        return;
    }
    for (unsigned i = 1; i <= REFINE_SIZES; i++)
        add_size(a, of, gap.low + (gap.high - gap.low) * i / (REFINE_SIZES + 1));
}

/*
 * So that whoever judges the rows knows that what looks like one page may be many. Where `openly`
 * is missing the memory is not the processor's either.
 */
static void add_hypervisor(struct measurement *m, uint32_t of)
{
    const char *name = hypervisor_name(m->processor);
    if (name[0] != '\0' && m->platform->openly != NULL)
        measurement_add_value(m, of, ARRAY_HYPERVISOR, name, 1);
}

/* Where the largest does not fit, as much of it as does: the rows tell which sizes are missing. */
static void add_case(struct array *a, const struct setting *setting)
{
    const struct config_list *sizes = &a->m->config->array.bytes;
    uint32_t of = measurement_add_case(a->m, &setting->of, 0);
    struct window_request request = {.bytes = list_most(sizes),
                                     .page = setting->of.page,
                                     .seed = a->m->config->seed,
                                     .node = setting->node};
    const char *reason = settings_refusal(a->m, setting);
    if (reason == NULL && of >= CASES_MAX)
        reason = "more cases than array has room for";
    if (reason == NULL)
        reason = windows_get_largest(&a->windows, &request, list_least(sizes), true, &a->window[of],
                                     &a->smaller[of]);
    if (reason == NULL) {
        a->request[of] = request;
        add_hypervisor(a->m, of);
        return;
    }
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
    a = (struct array){.m = m, .chains = {.platform = m->platform, .rdtscp = m->processor->rdtscp}};
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
        .contention = CONTENTION_APART_UNAWAITED,
    };
    random_seed(&a.random, m->config->seed);
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

/* Most of it goes by in bringing the largest arrays into a known state. */
static double seconds(const struct measurement *m, unsigned pages)
{
    const struct config *config = m->config;
    return pages * settings_count(m, config->node) * config->array.bytes.count *
           (0.2 + 5e-5 * config->array.loads.count * (double)config->samples_min);
}

const struct experiment experiment_array = {
    .name = "array",
    .shows =
        "the latency of a load by the size of the array, and random accesses: caches and memory",
    .measure = measure,
    .seconds = seconds,
    .rule = &rule_array,
};

/* loaded: times loads in memory while other cores move data at a chosen rate.
 *
 * All rates of a group of cores, and all that they may do, are visited in the same rounds, rest as
 * often as any. A visit gives the order, waits until the queues have settled, and then takes its
 * samples: chains of two lengths, whose difference is free of the timer, or a few loads side by
 * side, of lines that were evicted and pages that were just used. The others' bytes are counted
 * from the first sample to the last.
 */
#include "loaded_rule.h"

#include "../../lib/text.h"
#include "../../probe/generator.h"
#include "../../probe/native.h"
#include "../experiment.h"
#include "../settings.h"

#define STEADY_PART 20000 /* of a second: Zen 4's rates are steady after a fifth of that */
#define SEEN_VISITS (SAMPLES_MOST / VISIT_SAMPLES_FEW)
#define NOT_SEEN UINT32_MAX /* place of a point of which nothing is kept */

/* Numbers of parallel loads. No chain is of such a length: n distinguishes both. */
static const unsigned side_by_side[] = {1, 2, 4, 10, 20, 40};
#define NUMBERS (sizeof side_by_side / sizeof *side_by_side)
#define POINTS_A_RATE (NUMBERS + 2)

/* The distribution of one number per visit of a point. */
struct visit_numbers {
    struct distribution all;
    uint32_t memory[SEEN_VISITS]; /* the first ones */
};

/* Numbers from each visit of a point: what the others moved, and our own core's pace. */
struct loaded_seen {
    int64_t n, k;
    struct visit_numbers moved, pace; /* KB/s; ticks of the sentinel on our own core */
};

/* The data of a case: loads beside other cores that work. */
struct loaded_case {
    enum generator_work work; /* of the others */
    struct generators_request others;
    struct load_sampler sampler;
    uint32_t seen_count;
    struct loaded_seen seen[]; /* of each point of the others' rates, by its place */
};

struct loaded {
    struct measurement *m;
    struct task task;
    uint32_t groups;
    char reason[ROW_UNIT_BYTES]; /* why the last others tried cannot be had */
    bool has_others;             /* which are started */
};

static struct loaded_case *loaded_case_of(const struct loaded *l, const struct point *point)
{
    return measurement_data(l->m, point->case_id);
}

/* --- visits ---------------------------------------------------------------------------------- */

/* Bytes that the other cores have moved, until a time in ticks. */
struct moved {
    uint64_t bytes, ticks;
};

static struct moved moved_until_now(struct loaded *l)
{
    struct platform *p = l->m->platform;
    p->publish_code(p, timing_emit_now(p->code.write, p->code.bytes));
    uint64_t bytes = p->generated(p);
    return (struct moved){bytes, p->run_code(p, NULL)};
}

static void add_number(struct visit_numbers *n, uint32_t number)
{
    if (n->all.count == n->all.room)
        return;
    distribution_add(&n->all, number);
    distribution_end_visit(&n->all, &number, 1);
}

static void add_moved(struct loaded *l, struct loaded_seen *seen, struct moved since)
{
    struct moved until = moved_until_now(l);
    double seconds = (double)(until.ticks - since.ticks) / (double)l->m->platform->ticks_per_second;
    if (until.ticks > since.ticks)
        add_number(&seen->moved,
                   sample_of((uint64_t)((double)(until.bytes - since.bytes) / seconds / 1000)));
}

/* Adds our core's pace, which is slower where another of them runs on its sibling thread. */
static void add_pace(struct loaded *l, struct loaded_seen *seen)
{
    struct platform *p = l->m->platform;
    if (p->sentinel_side_by_side == NULL)
        return;
    p->sentinel_side_by_side(p); /* to warm it */
    add_number(&seen->pace, p->sentinel_side_by_side(p));
}

/* Orders the others to do what the point says, and waits until the queues have settled. */
static void order_others(struct loaded *l, const struct point *point)
{
    struct platform *p = l->m->platform;
    struct generator_order order = {.work = GENERATOR_REST};
    if (point->k != ROW_NONE)
        order = (struct generator_order){loaded_case_of(l, point)->work, (uint32_t)point->k};
    p->order_generators(p, &order);
    uint64_t steady = native_ticks() + p->ticks_per_second / STEADY_PART;
    while (native_ticks() < steady)
        ;
}

static void visit_loaded(void *context, const struct point *point, struct samples *samples)
{
    struct loaded *l = context;
    struct mlp_shape shape = {
        .loads = (unsigned)point->n,
        .dependent = point->metric != NULL,
        .timing = {.order = ORDER_LFENCE, .rdtscp = l->m->processor->rdtscp},
    };
    struct loaded_case *c = loaded_case_of(l, point);
    struct moved since = {0};
    bool sees = l->has_others && point->place != NOT_SEEN;
    if (l->has_others)
        order_others(l, point);
    if (sees)
        since = moved_until_now(l);
    load_sampler_visit(&c->sampler, &shape, samples->at, samples->count);
    if (sees) {
        add_moved(l, &c->seen[point->place], since);
        add_pace(l, &c->seen[point->place]);
    }
}

/* --- groups ---------------------------------------------------------------------------------- */

static const char *loaded_open(void *context, const struct point *first)
{
    struct loaded *l = context;
    struct platform *p = l->m->platform;
    const struct generators_request *request = &loaded_case_of(l, first)->others;
    unsigned started;
    const char *reason = p->start_generators(p, request, &started);
    if (reason == NULL && started < request->count)
        reason = "fewer other cores than before can be used";
    if (reason != NULL)
        p->stop_generators(p);
    l->has_others = reason == NULL;
    return reason;
}

static void loaded_close(void *context)
{
    struct loaded *l = context;
    struct platform *p = l->m->platform;
    if (l->has_others)
        p->stop_generators(p);
    l->has_others = false;
}

/* --- points ---------------------------------------------------------------------------------- */

static struct point chain_point(uint32_t case_id, uint32_t group, int64_t n, int64_t pause)
{
    return (struct point){.case_id = case_id,
                          .group = group,
                          .place = NOT_SEEN,
                          .n = n,
                          .k = pause,
                          .bytes = ROW_NONE,
                          .stage = ROW_NONE,
                          .metric = LOADED_CHAIN};
}

/* Adds a point with a place for what is seen during its visits. */
static void add_seen_point(struct loaded *l, struct point point)
{
    struct loaded_case *c = loaded_case_of(l, &point);
    struct loaded_seen *seen = &c->seen[c->seen_count];
    seen->n = point.n;
    seen->k = point.k;
    distribution_init(&seen->moved.all, seen->moved.memory, SEEN_VISITS);
    distribution_init(&seen->pace.all, seen->pace.memory, SEEN_VISITS);
    point.place = c->seen_count++;
    task_add(&l->task, &l->task.points, &point);
}

static void add_rate(struct loaded *l, uint32_t case_id, uint32_t group, int64_t pause)
{
    add_seen_point(l, chain_point(case_id, group, LOADED_SHORT, pause));
    add_seen_point(l, chain_point(case_id, group, LOADED_LONG, pause));
    for (unsigned i = 0; i < NUMBERS; i++) {
        struct point point = chain_point(case_id, group, side_by_side[i], pause);
        point.metric = NULL;
        point.needs = POINT_GLANCE;
        add_seen_point(l, point);
    }
}

static void add_rates(struct loaded *l, uint32_t case_id, uint32_t group)
{
    const struct config_list *pauses = &l->m->config->loaded.pauses;
    struct point reference = chain_point(case_id, group, LOADED_LONG, ROW_NONE);
    add_rate(l, case_id, group, ROW_NONE);
    for (uint32_t i = 0; i < pauses->count; i++)
        add_rate(l, case_id, group, (int64_t)pauses->value[i]);
    task_add(&l->task, &l->task.references, &reference);
}

static void add_seen_row(struct loaded *l, uint32_t case_id, const struct loaded_seen *seen,
                         const struct visit_numbers *numbers, const char *metric, const char *unit,
                         double factor)
{
    if (numbers->all.count == 0)
        return;
    struct row *row = measurement_add(l->m, case_id, metric, unit, &numbers->all);
    row->n = seen->n;
    row->k = seen->k;
    row_scale(row, factor);
}

/* Adds rows of what was seen of the others. */
static void add_seen(struct loaded *l)
{
    for (uint32_t id = 0; id < l->m->case_count; id++) {
        const struct loaded_case *c = measurement_data(l->m, id);
        for (uint32_t i = 0; i < c->seen_count; i++) {
            const struct loaded_seen *seen = &c->seen[i];
            add_seen_row(l, id, seen, &seen->moved, LOADED_TRAFFIC, "GB/s", 1e-6); /* from KB/s */
            add_seen_row(l, id, seen, &seen->pace, LOADED_PACE, "ticks", 1);
        }
    }
}

/* --- cases ----------------------------------------------------------------------------------- */

/* Adds a case of others with that work; its window is our own core's array. */
static void add_loaded(struct loaded *l, const struct setting *setting, uint32_t group,
                       const struct generators_request *others, const struct loaded_work *work,
                       const char *refusal)
{
    struct measurement *m = l->m;
    struct variant variant = setting->variant;
    struct load_conditions conditions = settings_loads(m, setting, LOADED_LONG);
    conditions.tlb = TLB_WARM;
    name_copy(variant.pattern, work->pattern);
    variant.generators = others->count;
    uint64_t points = POINTS_A_RATE * (1 + (uint64_t)m->config->loaded.pauses.count);
    uint32_t case_id = measurement_add_case(
        m, &variant, sizeof(struct loaded_case) + points * sizeof(struct loaded_seen));
    struct loaded_case *c = measurement_data(m, case_id);
    if (c == NULL)
        return;
    c->work = work->work;
    c->others = *others;
    const char *reason =
        settings_refusal(m, setting)
            ?: refusal
            ?: windows_get_for_loads(l->m, &conditions, setting->node, &c->sampler);
    if (reason != NULL)
        measurement_skip(m, case_id, reason);
    else
        add_rates(l, case_id, group);
}

/* Tries how many others there are. NULL, or why there are not as many as asked for. */
static const char *try_others(struct loaded *l, struct generators_request *others)
{
    struct platform *p = l->m->platform;
    unsigned started;
    if (p->start_generators == NULL)
        return "there is no other processor";
    const char *refusal = p->start_generators(p, others, &started);
    if (refusal != NULL)
        return text_write(l->reason, sizeof l->reason, "%s", refusal);
    p->stop_generators(p);
    if (started < others->count)
        return text_write(l->reason, sizeof l->reason, "other cores with memory for each: only %u",
                          started);
    others->count = started;
    return NULL;
}

/* True if a case from the first on has as many others: all there are may be a number, too. */
static bool has_cores(const struct loaded *l, uint32_t first_case, unsigned count)
{
    for (uint32_t id = first_case; id < l->m->case_count; id++)
        if (l->m->cases[id].variant.generators == count)
            return true;
    return false;
}

/* Adds a group: a number of other cores, whatever they do, and pages of any size. */
static void add_cores(struct loaded *l, unsigned number, uint32_t first_case, uint64_t cores)
{
    const struct config *config = l->m->config;
    const struct config_choices *pages = &config->pages;
    struct setting setting = settings_get(l->m, config->node, pages->index[0], number);
    struct generators_request others = {
        .count = (unsigned)cores, .bytes = config->loaded.bytes, .node = setting.node};
    const char *refusal = try_others(l, &others);
    if (has_cores(l, first_case, others.count))
        return;
    uint32_t group = l->groups++;
    for (uint32_t page = 0; page < pages->count && l->m->failure == NULL; page++) {
        setting = settings_get(l->m, config->node, pages->index[page], number);
        for (const struct loaded_work *work = loaded_works; work->pattern != NULL; work++)
            add_loaded(l, &setting, group, &others, work, refusal);
    }
}

static bool loaded_measure(struct measurement *m)
{
    struct loaded l = {.m = m};
    const struct config_list *cores = &m->config->loaded.cores;
    l.task = settings_task(m, &l, visit_loaded);
    settings_expect_scatter(&l.task.rules);
    l.task.open = loaded_open;
    l.task.close = loaded_close;
    l.task.contention = CONTENTION_LABELLED;
    for (unsigned i = 0; i < settings_count(m, m->config->node); i++)
        for (uint32_t j = 0, first = m->case_count; j < cores->count && m->failure == NULL; j++)
            add_cores(&l, i, first, cores->value[j]);
    bool finished = engine_run(&l.task);
    add_seen(&l);
    return finished && m->failure == NULL;
}

static double loaded_seconds(const struct measurement *m, unsigned pages)
{
    const struct config *config = m->config;
    double curves = pages * settings_count(m, config->node) * config->loaded.cores.count;
    return 0.5 + curves * 0.05 * (double)config->loaded.pauses.count;
}

const struct experiment experiment_loaded = {
    .name = "loaded",
    .shows = "the latency of a load while other cores use the memory, and their bandwidth",
    .measure = loaded_measure,
    .seconds = loaded_seconds,
    .rule = &rule_loaded,
    .needs_processors = true,
};

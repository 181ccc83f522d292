/* loaded: loads in memory while other cores move data at a chosen rate; and what our own moves.
 *
 * All rates of a group of cores, and all that they may do, are visited in the same rounds, rest as
 * often as any. A visit gives the order, waits until the queues have settled, and then takes its
 * samples: chains of two lengths, whose difference is free of the timer, or a few loads side by
 * side, of lines that were evicted and pages that were just used. What the others move meanwhile is
 * counted from the first sample to the last.
 */
#include "loaded_rule.h"

#include "../../engine/windows.h"
#include "../../lib/text.h"
#include "../../probe/generator.h"
#include "../../probe/load_sampler.h"
#include "../../probe/native.h"
#include "../experiment.h"
#include "../settings.h"

#define LEAST_VISITS 16
#define VISIT_CHAINS 10        /* samples of a visit: what differs from one to the next counts */
#define SAMPLES_MOST 400       /* of a point: each is many loads long */
#define STEADY_PART 20000      /* of a second: Zen 4's rates are steady after a fifth of that */
#define SEEN_VISITS 128        /* kept of a point */
#define NOT_SEEN UINT32_MAX    /* in place of a place */
#define PIECE_BYTES (1u << 20) /* of a stream, in one sample */
#define REASON_BYTES 160

/* None as long as a chain: so both can be told apart by n. */
static const unsigned side_by_side[] = {1, 2, 4, 10, 20, 40};
#define MOST_LOADS LOADED_LONG

struct loaded_case {
    enum generator_work work; /* of the others; rest: it is our own core that streams */
    struct load_sampler sampler;
    const struct window *window; /* of a stream */
};

/* A number of each of a point's visits. */
struct numbers {
    struct distribution all;
    uint32_t memory[SEEN_VISITS];
};

/* What was seen of the others during the visits of a point. */
struct seen {
    uint32_t of;
    int64_t n, k;
    struct numbers moved, pace; /* KB/s; ticks of the sentinel on our own core */
};

struct loaded {
    struct measurement *m;
    struct task task;
    struct windows windows, streamed; /* apart: chains need zeroes, and streams write */
    enum stream_width widest;
    struct loaded_case *cases;         /* by number in the measurement */
    struct generators_request *others; /* by group; of count 0: none */
    struct seen *seen;                 /* by a point's place */
    uint32_t case_room, groups, group_room, seen_count, seen_room;
    char reason[REASON_BYTES]; /* why the last others tried cannot be had */
    struct point first;        /* of the group that is open */
    bool has_others;           /* which are started */
    uint64_t at;               /* of a stream's array: where its next piece begins */
    uint64_t written;          /* so much of it was */
};

/* --- visits ---------------------------------------------------------------------------------- */

/* What the others have moved until now. */
struct moved {
    uint64_t bytes, ticks;
};

static struct moved look(struct loaded *l)
{
    struct platform *p = l->m->platform;
    p->publish_code(p, timing_emit_now(p->code.write, p->code.bytes));
    uint64_t bytes = p->generated(p);
    return (struct moved){bytes, p->run_code(p, NULL)};
}

static void add_number(struct numbers *n, uint32_t number)
{
    n->all.sorted = n->memory; /* it may have been moved */
    if (n->all.count == n->all.room)
        return;
    distribution_add(&n->all, number);
    distribution_end_visit(&n->all, &number, 1);
}

static void add_moved(struct loaded *l, struct seen *seen, struct moved since)
{
    struct moved until = look(l);
    double seconds = (double)(until.ticks - since.ticks) / (double)l->m->platform->ticks_per_second;
    if (until.ticks > since.ticks)
        add_number(&seen->moved,
                   sample_of((uint64_t)((double)(until.bytes - since.bytes) / seconds / 1000)));
}

/* Others that run on this core take some of it. */
static void add_pace(struct loaded *l, struct seen *seen)
{
    struct platform *p = l->m->platform;
    if (p->sentinel_side_by_side == NULL)
        return;
    p->sentinel_side_by_side(p); /* to warm it */
    add_number(&seen->pace, p->sentinel_side_by_side(p));
}

/* A stream is our own core's: they rest. */
static void order_others(struct loaded *l, const struct point *point)
{
    struct platform *p = l->m->platform;
    struct generator_order order = {.work = l->cases[point->of].work};
    if (point->k == ROW_NONE)
        order.work = GENERATOR_REST;
    else if (order.work != GENERATOR_REST)
        order.pause = (uint32_t)point->k;
    p->order_generators(p, &order);
    uint64_t steady = native_ticks() + p->ticks_per_second / STEADY_PART;
    while (native_ticks() < steady)
        ;
}

static void visit_loads(struct loaded *l, const struct point *point, struct samples *samples)
{
    struct mlp_shape shape = {
        .loads = (unsigned)point->n,
        .dependent = point->metric != NULL,
        .timing = {.order = ORDER_LFENCE, .rdtscp = l->m->processor->rdtscp},
    };
    struct moved since = {0};
    bool sees = l->has_others && point->place != NOT_SEEN;
    if (sees)
        since = look(l);
    load_sampler_visit(&l->cases[point->of].sampler, &shape, samples->at, samples->count);
    if (sees) {
        add_moved(l, &l->seen[point->place], since);
        add_pace(l, &l->seen[point->place]);
    }
}

static int64_t access_bytes(enum stream_width width)
{
    static const uint8_t bytes[STREAM_WIDTHS] = {
        [STREAM_8] = 8, [STREAM_16] = 16, [STREAM_32] = 32};
    return bytes[width];
}

static enum stream_width width_of(int64_t bytes)
{
    unsigned width = 0;
    while (access_bytes((enum stream_width)width) != bytes)
        width++;
    return (enum stream_width)width;
}

/* On through the array, so that what comes next was used longest ago. */
static uint32_t time_piece(struct loaded *l, const struct loaded_stream *stream,
                           const struct point *point)
{
    uint8_t *array = l->cases[point->of].window->base;
    if (l->at + PIECE_BYTES > (uint64_t)point->bytes)
        l->at = 0;
    uint64_t start = native_ticks();
    stream_pass(stream->work, width_of(point->n), array + l->at, PIECE_BYTES);
    uint64_t ticks = native_ticks() - start;
    l->at += PIECE_BYTES;
    return sample_of(ticks);
}

static void visit_stream(struct loaded *l, const struct point *point, struct samples *samples)
{
    for (unsigned i = 0; i < samples->count; i++)
        samples->at[i] = time_piece(l, &loaded_streams[point->place], point);
}

static void visit(void *context, const struct point *point, struct samples *samples)
{
    struct loaded *l = context;
    if (l->has_others)
        order_others(l, point);
    if (l->cases[point->of].work == GENERATOR_REST)
        visit_stream(l, point, samples);
    else
        visit_loads(l, point, samples);
}

/* --- groups ---------------------------------------------------------------------------------- */

static const char *open_group(void *context, const struct point *first)
{
    struct loaded *l = context;
    struct platform *p = l->m->platform;
    const struct generators_request *request = &l->others[first->group];
    unsigned started;
    l->first = *first;
    l->at = l->written = 0;
    if (request->count == 0)
        return NULL;
    const char *reason = p->start_generators(p, request, &started);
    if (reason == NULL && started < request->count)
        reason = "there are fewer of the other cores than before";
    if (reason != NULL)
        p->stop_generators(p);
    l->has_others = reason == NULL;
    return reason;
}

/* A stream's array is written once: pages that never were may all be one. */
static bool prepare(void *context, uint64_t end)
{
    struct loaded *l = context;
    const struct loaded_case *c = &l->cases[l->first.of];
    if (c->work != GENERATOR_REST)
        return true;
    for (; l->written < (uint64_t)l->first.bytes && native_ticks() < end; l->written += PIECE_BYTES)
        stream_pass(GENERATOR_WRITE, STREAM_16, c->window->base + l->written, PIECE_BYTES);
    return l->written >= (uint64_t)l->first.bytes;
}

static void tell(struct loaded *l, const struct seen *seen, struct numbers *numbers,
                 const char *metric, const char *unit, double factor)
{
    numbers->all.sorted = numbers->memory;
    if (numbers->all.count == 0)
        return;
    struct row *row = measurement_add(l->m, seen->of, metric, unit, &numbers->all);
    row->n = seen->n;
    row->k = seen->k;
    row_scale(row, factor);
}

static void tell_all(struct loaded *l)
{
    for (struct seen *seen = l->seen; seen < l->seen + l->seen_count; seen++) {
        tell(l, seen, &seen->moved, LOADED_TRAFFIC, "GB/s", 1e-6); /* from KB/s */
        tell(l, seen, &seen->pace, LOADED_PACE, "ticks", 1);
    }
}

static void close_group(void *context)
{
    struct loaded *l = context;
    struct platform *p = l->m->platform;
    if (l->has_others)
        p->stop_generators(p);
    l->has_others = false;
}

/* --- points ---------------------------------------------------------------------------------- */

/* Where what is seen of a point goes. Without memory the measurement's `failure` is set. */
static uint32_t add_place(struct loaded *l, const struct point *point)
{
    if (!measurement_make_room(l->m, (void **)&l->seen, &l->seen_room, l->seen_count,
                               sizeof *l->seen))
        return NOT_SEEN;
    struct seen *seen = &l->seen[l->seen_count];
    *seen = (struct seen){.of = point->of, .n = point->n, .k = point->k};
    distribution_init(&seen->moved.all, seen->moved.memory, SEEN_VISITS);
    distribution_init(&seen->pace.all, seen->pace.memory, SEEN_VISITS);
    return l->seen_count++;
}

static struct point chain_of(uint32_t of, uint32_t group, int64_t n, int64_t pause)
{
    return (struct point){.of = of,
                          .group = group,
                          .place = NOT_SEEN,
                          .n = n,
                          .k = pause,
                          .bytes = ROW_NONE,
                          .stage = ROW_NONE,
                          .metric = LOADED_CHAIN};
}

static void add_point(struct loaded *l, struct point point)
{
    point.place = add_place(l, &point);
    task_add(&l->task, &l->task.points, &point);
}

static void add_rate(struct loaded *l, uint32_t of, uint32_t group, int64_t pause)
{
    add_point(l, chain_of(of, group, LOADED_SHORT, pause));
    add_point(l, chain_of(of, group, LOADED_LONG, pause));
    for (unsigned i = 0; i < sizeof side_by_side / sizeof *side_by_side; i++) {
        struct point point = chain_of(of, group, side_by_side[i], pause);
        point.metric = NULL;
        point.needs = POINT_GLANCE;
        add_point(l, point);
    }
}

static void add_rates(struct loaded *l, uint32_t of, uint32_t group)
{
    const struct config_list *pauses = &l->m->config->loaded.pauses;
    struct point reference = chain_of(of, group, LOADED_LONG, ROW_NONE);
    add_rate(l, of, group, ROW_NONE);
    for (uint32_t i = 0; i < pauses->count; i++)
        add_rate(l, of, group, (int64_t)pauses->value[i]);
    task_add(&l->task, &l->task.references, &reference);
}

/* --- cases ----------------------------------------------------------------------------------- */

static uint32_t add_case(struct loaded *l, const struct variant *variant, enum generator_work work)
{
    struct measurement *m = l->m;
    uint32_t of = measurement_add_case(m, variant, 0);
    if (m->failure == NULL &&
        measurement_make_room(m, (void **)&l->cases, &l->case_room, of, sizeof *l->cases))
        l->cases[of] = (struct loaded_case){.work = work};
    return of;
}

static void say_clock(struct loaded *l, uint32_t of)
{
    measurement_add_value(l->m, of, LOADED_CLOCK, "MHz",
                          (double)l->m->platform->ticks_per_second / 1e6);
}

/* Our own core's array; nothing is written to it, so that cases share frames. */
static const char *find_window(struct loaded *l, const struct setting *setting,
                               const struct load_conditions *conditions,
                               const struct window **window)
{
    struct window_request request = {.bytes = load_conditions_bytes(conditions),
                                     .page = setting->of.page,
                                     .seed = conditions->seed,
                                     .node = setting->node};
    const char *reason = load_conditions_refusal(l->m->platform, conditions);
    return reason != NULL ? reason : windows_get(&l->windows, &request, true, window);
}

static void add_loaded(struct loaded *l, const struct setting *setting, uint32_t group,
                       const struct loaded_work *work, const char *refusal)
{
    struct measurement *m = l->m;
    const struct window *window = NULL;
    struct variant variant = setting->of;
    const struct load_conditions conditions = {
        .bytes = m->config->mlp.bytes,
        .loads = MOST_LOADS,
        .page = setting->of.page,
        .tlb = TLB_WARM,
        .data = DATA_MEMORY,
        .seed = m->config->seed,
    };
    name_copy(variant.pattern, work->pattern);
    variant.generators = l->others[group].count;
    uint32_t of = add_case(l, &variant, work->work);
    const char *reason = settings_refusal(m, setting);
    if (reason == NULL)
        reason = refusal;
    if (reason == NULL)
        reason = find_window(l, setting, &conditions, &window);
    if (reason != NULL) {
        measurement_skip(m, of, reason);
    } else if (m->failure == NULL) {
        load_sampler_init(&l->cases[of].sampler, m->platform, &conditions, window);
        say_clock(l, of);
        add_rates(l, of, group);
    }
}

/* Returns the group's number. */
static uint32_t add_group(struct loaded *l, const struct generators_request *others)
{
    if (!measurement_make_room(l->m, (void **)&l->others, &l->group_room, l->groups,
                               sizeof *l->others))
        return 0;
    l->others[l->groups] = *others;
    return l->groups++;
}

/* Tries how many there are. NULL, or why there are not as many as asked for. */
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
        return text_write(l->reason, sizeof l->reason,
                          "other cores to be had, with memory for each: %u", started);
    others->count = started;
    return NULL;
}

static void find_widest(void *context)
{
    struct loaded *l = context;
    l->widest = STREAM_WIDTHS - 1;
    while (!stream_is_possible(l->widest))
        l->widest--;
}

static void add_streams(struct loaded *l, uint32_t of, uint64_t bytes, bool is_reference)
{
    uint32_t group = add_group(l, &(struct generators_request){.count = 0});
    for (const struct loaded_stream *s = loaded_streams; s->name != NULL; s++) {
        struct point point = {
            .of = of,
            .group = group,
            .place = (uint32_t)(s - loaded_streams),
            .n = access_bytes(s->is_wide ? l->widest : STREAM_8),
            .k = PIECE_BYTES,
            .bytes = (int64_t)(bytes - bytes % PIECE_BYTES),
            .stage = ROW_NONE,
            .metric = s->name,
        };
        task_add(&l->task, &l->task.points, &point);
        if (is_reference && s->work == GENERATOR_WRITE)
            task_add(&l->task, &l->task.references, &point);
    }
}

/* Where half the array is faster, caches hold a part of it. */
static void add_stream(struct loaded *l, const struct setting *setting)
{
    struct measurement *m = l->m;
    struct variant variant = setting->of;
    const struct window *window = NULL;
    uint64_t bytes = m->config->loaded.bytes;
    struct window_request request = {
        .bytes = bytes, .page = setting->of.page, .seed = m->config->seed, .node = setting->node};
    name_copy(variant.pattern, LOADED_STREAM);
    uint32_t of = add_case(l, &variant, GENERATOR_REST);
    const char *reason = m->platform->no_loops;
    if (reason == NULL)
        reason = settings_refusal(m, setting);
    if (reason == NULL)
        reason = windows_get(&l->streamed, &request, false, &window);
    if (reason != NULL) {
        measurement_skip(m, of, reason);
    } else if (m->failure == NULL) {
        l->cases[of].window = window;
        say_clock(l, of);
        add_streams(l, of, bytes, true);
        add_streams(l, of, bytes / 2, false);
    }
}

/* Whether as many are among the groups from `first` on: all there are may be a number, too. */
static bool has_cores(const struct loaded *l, uint32_t first, unsigned count)
{
    for (uint32_t i = first; i < l->groups; i++)
        if (l->others[i].count == count)
            return true;
    return false;
}

/* A number of other cores, whatever they do, and pages of any size, in one group. */
static void add_cores(struct loaded *l, unsigned number, uint32_t first, uint64_t cores)
{
    const struct config *config = l->m->config;
    const struct config_choices *pages = &config->pages;
    struct setting setting = settings_get(l->m, config->node, pages->index[0], number);
    struct generators_request others = {
        .count = (unsigned)cores, .bytes = config->loaded.bytes, .node = setting.node};
    const char *refusal = try_others(l, &others);
    if (has_cores(l, first, others.count))
        return;
    uint32_t group = add_group(l, &others);
    for (uint32_t page = 0; page < pages->count && l->m->failure == NULL; page++) {
        setting = settings_get(l->m, config->node, pages->index[page], number);
        for (const struct loaded_work *work = loaded_works; work->pattern != NULL; work++)
            add_loaded(l, &setting, group, work, refusal);
    }
}

/* Each node's memory, with prefetchers as asked for. */
static void add_setting(struct loaded *l, unsigned number)
{
    const struct config *config = l->m->config;
    uint32_t first = l->groups;
    for (uint32_t i = 0; i < config->loaded.cores.count && l->m->failure == NULL; i++)
        add_cores(l, number, first, config->loaded.cores.value[i]);
    for (uint32_t page = 0; page < config->pages.count && l->m->failure == NULL; page++) {
        struct setting setting =
            settings_get(l->m, config->node, config->pages.index[page], number);
        add_stream(l, &setting);
    }
}

/* An emulator takes long, and nothing it says is a processor's. */
static struct rounds_rules rules_of(const struct measurement *m)
{
    struct rounds_rules rules = settings_rules(m->config);
    if (rules.samples_max > SAMPLES_MOST)
        rules.samples_max = SAMPLES_MOST;
    if (rules.samples_min > rules.samples_max)
        rules.samples_min = rules.samples_max;
    if (!m->is_emulated)
        rules.visits_min = LEAST_VISITS;
    rules.visit_samples = VISIT_CHAINS;
    return rules;
}

static void release(struct loaded *l)
{
    struct platform *p = l->m->platform;
    windows_close(&l->streamed);
    windows_close(&l->windows);
    platform_release(p, l->seen, l->seen_room * sizeof *l->seen);
    platform_release(p, l->others, l->group_room * sizeof *l->others);
    platform_release(p, l->cases, l->case_room * sizeof *l->cases);
}

static bool measure(struct measurement *m)
{
    static struct loaded l; /* too large for a firmware's stack */
    l = (struct loaded){.m = m};
    l.task = (struct task){
        .measurement = m,
        .rules = rules_of(m),
        .seed = m->config->seed,
        .context = &l,
        .visit = visit,
        .open = open_group,
        .prepare = prepare,
        .close = close_group,
        .contention = CONTENTION_LABELLED,
    };
    windows_init(&l.windows, m->platform);
    windows_init(&l.streamed, m->platform);
    if (!m->platform->quietly(m->platform, find_widest, &l))
        m->failure = "a fault ended the measurement";
    for (unsigned i = 0; m->failure == NULL && i < settings_count(m, m->config->node); i++)
        add_setting(&l, i);
    bool finished = engine_run(&l.task);
    tell_all(&l);
    release(&l);
    return finished && m->failure == NULL;
}

static double seconds(const struct measurement *m, unsigned pages)
{
    const struct config *config = m->config;
    double curves = pages * settings_count(m, config->node) * config->loaded.cores.count;
    return 0.5 + curves * 0.05 * (double)config->loaded.pauses.count;
}

const struct experiment experiment_loaded = {
    .name = "loaded",
    .shows = "what a load takes while other cores keep the memory busy, and what a core moves",
    .measure = measure,
    .seconds = seconds,
    .rule = &rule_loaded,
};

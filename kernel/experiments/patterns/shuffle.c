/* shuffle: how much a shuffle gains when its random indices are made some time before its swaps.
 *
 * A case for each loop, index source and page size; every loop of probe/shuffle_loops.h does the
 * same shuffle, from end to start. A sample is k swaps in a row. All points of a group go from end
 * to start together, once, each at places spread evenly: what a swap finds in the caches is then
 * what the swaps before it left there, as in a whole shuffle. The plain loop knows no stage; it is
 * measured as often, as published. Such a pass over the array takes a moment, so that a neighbour
 * may spoil all of it: there are several, each after all groups had the one before.
 */
#include "shuffle_rule.h"

#include "../../engine/counted.h"
#include "../../engine/windows.h"
#include "../../probe/native.h"
#include "../../probe/shuffle_pass.h"
#include "../experiment.h"
#include "../settings.h"

#define LINE_BYTES 64u    /* sizes are whole lines */
#define SAMPLES 102       /* of a point, unless the configuration's limits are others, */
#define PASSES 3          /* in so many passes */
#define SAMPLES_A_VISIT 4 /* in a row, where a jump shows */
#define CASES_MAX 512

/* Both loops with one index source, page size and array size, in one pass: a group. */
struct group {
    const struct setting *setting;
    enum shuffle_source source;
    uint32_t size;       /* which of the configured ones */
    uint32_t pass;       /* from 1 */
    uint32_t first_case; /* the plain loop's, before the staged one's */
};

/* What has to be done before a group is timed: the indices, then each loop that is not yet proved.
 */
enum step { STEP_INDEX, STEP_PLAIN, STEP_STAGED, STEPS };

struct shuffles {
    struct measurement *m;
    struct task task;
    struct windows windows;
    struct setting *settings;
    struct group *groups;
    uint32_t group_count, group_room, setting_count, setting_room;
    uint8_t loop[CASES_MAX]; /* enum shuffle_loop by case */

    const struct group *group; /* that is open */
    struct shuffle_pass pass;
    enum step step;
    bool is_stepping;
    uint64_t samples; /* timed of this group */

    const char *wrong;            /* what a proof found; NULL */
    bool proved[CONFIG_LIST_MAX]; /* of each size, by some loop */
    uint32_t checksum[CONFIG_LIST_MAX];
    bool by_loop[SHUFFLE_LOOPS][SHUFFLE_SOURCES][CONFIG_LIST_MAX];
};

static const struct config_list *stages_of(const struct shuffles *s)
{
    return &s->m->config->shuffle.stages;
}

static uint64_t bytes_of(const struct shuffles *s, uint32_t size)
{
    return s->m->config->shuffle.bytes.value[size] & ~(uint64_t)(LINE_BYTES - 1);
}

/* Precomputed indices are as many as elements, and as large: twice the memory, the same pages. */
static const char *open_group(void *context, const struct point *point)
{
    struct shuffles *s = context;
    const struct group *g = s->group = &s->groups[point->group];
    bool precomputed = g->source == SHUFFLE_PRECOMPUTED;
    uint64_t bytes = bytes_of(s, g->size);
    const struct window *window;
    struct window_request request = {.bytes = precomputed ? 2 * bytes : bytes,
                                     .page = g->setting->of.page,
                                     .seed = s->m->config->seed,
                                     .node = g->setting->node};
    const char *reason = windows_get(&s->windows, &request, false, &window);
    if (reason != NULL) {
        windows_close(&s->windows);
        return reason;
    }
    s->pass.data = (uint32_t *)(void *)window->base;
    s->pass.indices = precomputed ? (uint32_t *)(void *)(window->base + bytes) : NULL;
    s->pass.elements = bytes / sizeof *s->pass.data;
    s->pass.seed = s->m->config->seed;
    s->step = STEP_INDEX;
    s->is_stepping = false;
    s->samples = 0;
    return NULL;
}

static void close_group(void *context)
{
    struct shuffles *s = context;
    windows_close(&s->windows);
}

/* The array holds what it held, in the order that every loop has to leave. The first that goes
 * wrong is said: it may be why others do. */
static void check_proof(struct shuffles *s)
{
    uint32_t size = s->group->size, checksum = shuffle_pass_checksum(&s->pass);
    const char *wrong = NULL;
    if (!shuffle_pass_is_whole(&s->pass))
        wrong = "the shuffle lost elements of its array";
    else if (s->proved[size] && s->checksum[size] != checksum)
        wrong = "the loops did not do the same shuffle: another checksum";
    s->wrong = s->wrong != NULL ? s->wrong : wrong;
    s->proved[size] = true;
    s->checksum[size] = checksum;
}

/* The longest stage: it is the fastest. False: there is nothing to do. */
static bool start_step(struct shuffles *s)
{
    const struct group *g = s->group;
    uint32_t stage = (uint32_t)list_most(stages_of(s));
    if (s->step == STEP_INDEX) {
        shuffle_pass_start(&s->pass, SHUFFLE_INDEX, SHUFFLE_INDEX, SHUFFLE_PLAIN, stage);
        return g->source == SHUFFLE_PRECOMPUTED;
    }
    enum shuffle_loop loop = s->step == STEP_PLAIN ? SHUFFLE_PLAIN : SHUFFLE_STAGED;
    bool *done = &s->by_loop[loop][g->source][g->size], is_needed = !*done;
    *done = true;
    shuffle_pass_start(&s->pass, SHUFFLE_FILL, SHUFFLE_CHECK, loop, stage);
    return is_needed;
}

static void end_step(struct shuffles *s)
{
    if (s->step != STEP_INDEX)
        check_proof(s);
    s->is_stepping = false;
    s->step++;
}

static bool prepare(void *context, uint64_t end)
{
    struct shuffles *s = context;
    while (s->step < STEPS && native_ticks() < end)
        if (!s->is_stepping && !start_step(s))
            s->step++;
        else if (s->is_stepping = true, shuffle_pass_go_on(&s->pass))
            end_step(s);
    return s->step == STEPS;
}

static void run_chunk(void *context)
{
    struct shuffle_pass *pass = context;
    pass->run(&pass->shuffle, pass->chunk);
}

static uint32_t time_chunk(struct shuffle_pass *pass)
{
    uint64_t start = native_ticks();
    run_chunk(pass);
    return sample_of(native_ticks() - start);
}

static uint64_t samples_of_group(const struct shuffles *s)
{
    return (uint64_t)SHUFFLE_LOOPS * stages_of(s)->count * s->task.rules.samples_max;
}

static void visit(void *context, const struct point *point, struct samples *samples)
{
    struct shuffles *s = context;
    shuffle_pass_start(&s->pass, SHUFFLE_RUN, SHUFFLE_RUN, s->loop[point->of],
                       (uint32_t)point->stage);
    if (samples->counting == NULL)
        for (unsigned i = 0; i < samples->count; i++) {
            shuffle_pass_seek(&s->pass, s->samples++, samples_of_group(s));
            samples->at[i] = time_chunk(&s->pass);
        }
    else
        for (unsigned i = 0; i < samples->count; i++) {
            shuffle_pass_seek(&s->pass, i, samples->count);
            counted_run(s->m->platform, run_chunk, &s->pass, samples, i);
        }
}

static double cost(void *context, const struct point *point)
{
    (void)context;
    return (double)point->bytes;
}

static void add_points(struct shuffles *s, uint32_t group)
{
    const struct group *g = &s->groups[group];
    for (unsigned loop = 0; loop < SHUFFLE_LOOPS; loop++)
        for (uint32_t i = 0; i < stages_of(s)->count; i++) {
            uint64_t stage = stages_of(s)->value[i];
            struct point point = {.of = g->first_case + loop,
                                  .group = group,
                                  .n = g->pass,
                                  .k = (int64_t)(SHUFFLE_CHUNK - SHUFFLE_CHUNK % stage),
                                  .bytes = (int64_t)bytes_of(s, g->size),
                                  .stage = (int64_t)stage};
            task_add(&s->task, &s->task.points, &point);
            point.n = ROW_NONE;
            if (g->pass == 1)
                task_add(&s->task, &s->task.counted, &point);
        }
}

static void add_group(struct shuffles *s, const struct group *group)
{
    if (!measurement_make_room(s->m, (void **)&s->groups, &s->group_room, s->group_count,
                               sizeof *s->groups))
        return;
    s->groups[s->group_count] = *group;
    add_points(s, s->group_count++);
}

static bool has_samples(const struct table *table, const struct group *group, uint64_t bytes)
{
    for (const struct row *row = table->rows; row < table->rows + table->count; row++)
        if (row->n == group->pass && row->bytes == (int64_t)bytes && row->samples > 0)
            return true;
    return false;
}

/* The next pass over every size that had the last one; the plain loop's rows speak for both. */
static void add_pass(void *context, uint32_t of, const struct table *table, uint32_t added)
{
    struct shuffles *s = context;
    uint32_t known = s->group_count, pass = 1;
    (void)added;
    for (uint32_t i = 0; i < known; i++)
        if (s->groups[i].first_case == of && s->groups[i].pass > pass)
            pass = s->groups[i].pass;
    for (uint32_t i = 0; i < known && pass < PASSES; i++) {
        struct group next = s->groups[i];
        if (next.first_case != of || next.pass != pass ||
            !has_samples(table, &next, bytes_of(s, next.size)))
            continue;
        next.pass++;
        add_group(s, &next);
    }
}

static const char *pattern_name(enum shuffle_loop loop, enum shuffle_source source)
{
    const struct shuffle_pattern *pattern = shuffle_patterns;
    while (pattern->loop != loop || pattern->source != source)
        pattern++;
    return pattern->name;
}

static uint32_t add_cases(struct shuffles *s, const struct setting *setting,
                          enum shuffle_source source, const char *refusal)
{
    uint32_t first = s->m->case_count;
    for (unsigned loop = 0; loop < SHUFFLE_LOOPS; loop++) {
        struct variant variant = setting->of;
        name_copy(variant.pattern, pattern_name((enum shuffle_loop)loop, source));
        uint32_t of = measurement_add_case(s->m, &variant, 0);
        if (refusal == NULL && of >= CASES_MAX)
            refusal = "more cases than shuffle has room for";
        if (refusal != NULL)
            measurement_skip(s->m, of, refusal);
        else
            s->loop[of] = (uint8_t)loop;
    }
    return first;
}

static void add_setting(struct shuffles *s, const struct setting *setting)
{
    const char *refusal = s->m->platform->no_loops;
    refusal = refusal != NULL ? refusal : settings_refusal(s->m, setting);
    for (unsigned source = 0; source < SHUFFLE_SOURCES; source++) {
        struct group group = {.setting = setting, .source = (enum shuffle_source)source, .pass = 1};
        group.first_case = add_cases(s, setting, group.source, refusal);
        for (; refusal == NULL && !measurement_case(s->m, group.first_case)->is_skipped &&
               group.size < s->m->config->shuffle.bytes.count;
             group.size++)
            add_group(s, &group);
    }
}

static void add_settings(struct shuffles *s)
{
    const struct config *config = s->m->config;
    unsigned each = settings_count(s->m, config->node);
    uint32_t count = config->pages.count * each;
    if (!measurement_grow(s->m, (void **)&s->settings, &s->setting_room, count,
                          sizeof *s->settings))
        return;
    for (uint32_t i = 0; i < count; i++) {
        s->settings[i] = settings_get(s->m, config->node, config->pages.index[i / each], i % each);
        add_setting(s, &s->settings[i]);
    }
}

/* Of the cases that proved it. */
static void add_checksums(struct shuffles *s)
{
    for (uint32_t i = 0; i < s->group_count; i++) {
        const struct group *g = &s->groups[i];
        for (unsigned loop = 0; loop < SHUFFLE_LOOPS; loop++) {
            bool *by = &s->by_loop[loop][g->source][g->size];
            uint32_t of = g->first_case + loop;
            if (*by && !measurement_case(s->m, of)->is_skipped)
                measurement_add_value(s->m, of, SHUFFLE_CHECKSUM_NAME, "order",
                                      s->checksum[g->size])
                    ->bytes = (int64_t)bytes_of(s, g->size);
            *by = false;
        }
    }
}

static void release(struct shuffles *s)
{
    platform_release(s->m->platform, s->settings, s->setting_room * sizeof *s->settings);
    platform_release(s->m->platform, s->groups, s->group_room * sizeof *s->groups);
}

static uint32_t of_each_pass(uint32_t samples)
{
    return (samples + PASSES - 1) / PASSES;
}

/* As many for each point, or some would be spread over a part of the array. */
static struct rounds_rules rules_of(const struct config *config)
{
    struct rounds_rules rules = settings_rules(config);
    uint32_t samples = SAMPLES;
    samples = samples < rules.samples_min ? rules.samples_min : samples;
    samples = samples > rules.samples_max ? rules.samples_max : samples;
    rules.samples_min = rules.samples_max = of_each_pass(samples);
    rules.visit_samples = SAMPLES_A_VISIT;
    return rules;
}

static bool measure(struct measurement *m)
{
    static struct shuffles s; /* too large for a firmware's stack */
    s = (struct shuffles){.m = m};
    s.task = (struct task){
        .measurement = m,
        .rules = rules_of(m->config),
        .seed = m->config->seed,
        .context = &s,
        .visit = visit,
        .open = open_group,
        .prepare = prepare,
        .close = close_group,
        .refine = add_pass,
        .cost = cost,
        .contention = CONTENTION_LABELLED,
        .in_ns = true,
    };
    windows_init(&s.windows, m->platform);
    add_settings(&s);
    bool finished = engine_run(&s.task);
    if (finished && s.wrong == NULL)
        add_checksums(&s);
    if (finished && s.wrong != NULL)
        m->failure = s.wrong;
    release(&s);
    return finished && s.wrong == NULL;
}

static double seconds(const struct measurement *m, unsigned pages)
{
    double bytes = 0;
    for (uint32_t i = 0; i < m->config->shuffle.bytes.count; i++)
        bytes += (double)m->config->shuffle.bytes.value[i];
    return pages * settings_count(m, CONFIG_NODE_LOCAL) * bytes * 1.6e-8;
}

const struct experiment experiment_shuffle = {
    .name = "shuffle",
    .shows = "what a shuffle gains when its indices are made some swaps ahead",
    .measure = measure,
    .seconds = seconds,
    .rule = &rule_shuffle,
};

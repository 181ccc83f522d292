/* shuffle: how much a shuffle gains when its random indices are made some time before its swaps.
 *
 * Each loop, index source and page size is a case; every loop of probe/shuffle_loops.h does the
 * same shuffle, from end to start. A sample is k swaps in a row. All points of a group go from end
 * to start together, once, each at places spread evenly: a swap finds in the caches what the swaps
 * before it left there, as in a whole shuffle. The plain loop knows no stage; it is measured as
 * often, as published. Such a pass over the array takes a moment, so that a neighbour may spoil all
 * of it: there are several, each after all groups had the one before.
 */
#include "shuffle_rule.h"

#include "../../engine/counted.h"
#include "../../probe/native.h"
#include "../../probe/shuffle_pass.h"
#include "../experiment.h"
#include "../settings.h"

#define SAMPLES_A_VISIT 4 /* in a row, where a jump shows */

/* A group is both loops with one index source, page size, node and array size, in one pass. */
struct shuffle_group {
    struct window_request request; /* but for its bytes */
    enum shuffle_source source;
    uint32_t size;       /* which of the configured ones */
    uint32_t pass;       /* from 1 */
    uint32_t first_case; /* the plain loop's, before the staged one's */
};

/* Before a group is timed, its indices are written, and each loop that is not yet proved is. */
enum shuffle_step { STEP_INDEX, STEP_PLAIN, STEP_STAGED, STEPS };

struct shuffles {
    struct measurement *m;
    struct task task;
    struct shuffle_group *groups;
    uint32_t group_count, group_room;

    const struct shuffle_group *group; /* that is open */
    struct shuffle_pass pass;
    enum shuffle_step step;
    bool is_stepping;
    uint64_t samples; /* timed of this group */

    const char *wrong;            /* the first fault that a proof found; NULL */
    bool proved[CONFIG_LIST_MAX]; /* of each size, by some loop */
    uint32_t checksum[CONFIG_LIST_MAX];
    bool by_loop[SHUFFLE_LOOPS][SHUFFLE_SOURCES][CONFIG_LIST_MAX];
};

static const struct config_list *shuffle_stages(const struct shuffles *s)
{
    return &s->m->config->shuffle.stages;
}

/* Returns a size in whole lines. */
static uint64_t bytes_of(const struct shuffles *s, uint32_t size)
{
    return s->m->config->shuffle.bytes.value[size] & ~(uint64_t)(LINE_BYTES - 1);
}

/* Maps the array; with precomputed indices, which are as large, twice as much. */
static const char *shuffle_open(void *context, const struct point *point)
{
    struct shuffles *s = context;
    const struct shuffle_group *g = s->group = &s->groups[point->group];
    bool precomputed = g->source == SHUFFLE_PRECOMPUTED;
    uint64_t bytes = bytes_of(s, g->size);
    const struct window *window;
    struct window_request request = g->request;
    request.bytes = precomputed ? 2 * bytes : bytes;
    const char *reason = windows_get(s->m, &request, false, &window);
    if (reason != NULL) {
        windows_close(s->m);
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

static void shuffle_close(void *context)
{
    struct shuffles *s = context;
    windows_close(s->m);
}

/* Checks that the array holds the same elements as before, in the order that every loop has to
 * leave. The first fault is kept: it may be the cause of others. */
static void check_proof(struct shuffles *s)
{
    uint32_t size = s->group->size, checksum = shuffle_pass_checksum(&s->pass);
    const char *wrong = NULL;
    if (!shuffle_pass_is_whole(&s->pass))
        wrong = "the shuffle lost elements of its array";
    else if (s->proved[size] && s->checksum[size] != checksum)
        wrong = "the loops did not make the same shuffle: their checksums differ";
    s->wrong = s->wrong ?: wrong;
    s->proved[size] = true;
    s->checksum[size] = checksum;
}

/* Starts a step, with the longest stage, which is the fastest. False: there is nothing to do. */
static bool start_step(struct shuffles *s)
{
    const struct shuffle_group *g = s->group;
    uint32_t stage = (uint32_t)list_most(shuffle_stages(s));
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

static bool shuffle_prepare(void *context, uint64_t end)
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
    return (uint64_t)SHUFFLE_LOOPS * shuffle_stages(s)->count * s->task.rules.samples_max;
}

static void time_chunks(struct shuffles *s, struct samples *samples)
{
    struct platform *platform = s->m->platform;
    unsigned kept = 0;
    samples_look_for_smis(samples, platform);
    for (unsigned i = 0; i < samples->count; i++) {
        shuffle_pass_seek(&s->pass, s->samples++, samples_of_group(s));
        kept = samples_keep(samples, platform, kept, time_chunk(&s->pass));
    }
    samples->count = kept;
}

static void visit_shuffle(void *context, const struct point *point, struct samples *samples)
{
    struct shuffles *s = context;
    unsigned loop = point->case_id - s->group->first_case;
    shuffle_pass_start(&s->pass, SHUFFLE_RUN, SHUFFLE_RUN, (enum shuffle_loop)loop,
                       (uint32_t)point->stage);
    for (unsigned i = 0; samples->counting != NULL && i < samples->count; i++) {
        shuffle_pass_seek(&s->pass, i, samples->count);
        counted_run(s->m->platform, run_chunk, &s->pass, samples, i);
    }
    if (samples->counting == NULL)
        time_chunks(s, samples);
}

static void add_shuffle_points(struct shuffles *s, uint32_t group)
{
    const struct shuffle_group *g = &s->groups[group];
    for (unsigned loop = 0; loop < SHUFFLE_LOOPS; loop++)
        for (uint32_t i = 0; i < shuffle_stages(s)->count; i++) {
            uint64_t stage = shuffle_stages(s)->value[i];
            struct point point = {.case_id = g->first_case + loop,
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

static void add_shuffle_group(struct shuffles *s, const struct shuffle_group *group)
{
    if (!measurement_make_room(s->m, (void **)&s->groups, &s->group_room, s->group_count,
                               sizeof *s->groups))
        return;
    s->groups[s->group_count] = *group;
    add_shuffle_points(s, s->group_count++);
}

/* Adds the next pass over every size that had the last one, by the rows of the plain loop. */
static void shuffle_add_pass(void *context, uint32_t case_id, const struct table *table)
{
    struct shuffles *s = context;
    uint32_t known = s->group_count, pass = 1;
    for (uint32_t i = 0; i < known; i++)
        if (s->groups[i].first_case == case_id && s->groups[i].pass > pass)
            pass = s->groups[i].pass;
    for (uint32_t i = 0; i < known && pass < SHUFFLE_PASSES; i++) {
        struct shuffle_group next = s->groups[i];
        if (next.first_case != case_id || next.pass != pass ||
            table_find_at(table, "tsc", pass, ROW_ANY, (int64_t)bytes_of(s, next.size), ROW_ANY) ==
                NULL)
            continue;
        next.pass++;
        add_shuffle_group(s, &next);
    }
}

static const char *pattern_name(enum shuffle_loop loop, enum shuffle_source source)
{
    const struct shuffle_pattern *pattern = shuffle_patterns;
    while (pattern->loop != loop || pattern->source != source)
        pattern++;
    return pattern->name;
}

/* Adds the plain loop's case, then the staged one's. Returns the number of the first. */
static uint32_t add_shuffle_cases(struct shuffles *s, const struct setting *setting,
                                  enum shuffle_source source, const char *refusal)
{
    uint32_t first = s->m->case_count;
    for (unsigned loop = 0; loop < SHUFFLE_LOOPS; loop++) {
        struct variant variant = setting->variant;
        name_copy(variant.pattern, pattern_name((enum shuffle_loop)loop, source));
        uint32_t case_id = measurement_add_case(s->m, &variant, 0);
        if (refusal != NULL)
            measurement_skip(s->m, case_id, refusal);
    }
    return first;
}

static void add_shuffle_setting(struct shuffles *s, const struct setting *setting)
{
    const char *refusal = s->m->platform->no_loops ?: settings_refusal(s->m, setting);
    for (unsigned source = 0; source < SHUFFLE_SOURCES; source++) {
        struct shuffle_group group = {.request = settings_window(s->m, setting, 0),
                                      .source = (enum shuffle_source)source,
                                      .pass = 1};
        group.first_case = add_shuffle_cases(s, setting, group.source, refusal);
        for (; refusal == NULL && group.size < s->m->config->shuffle.bytes.count; group.size++)
            add_shuffle_group(s, &group);
    }
}

/* Adds the checksum of each size to the cases that proved it. */
static void add_checksums(struct shuffles *s)
{
    for (uint32_t i = 0; i < s->group_count; i++) {
        const struct shuffle_group *g = &s->groups[i];
        for (unsigned loop = 0; loop < SHUFFLE_LOOPS; loop++) {
            bool *by = &s->by_loop[loop][g->source][g->size];
            uint32_t case_id = g->first_case + loop;
            if (*by && !measurement_case(s->m, case_id)->is_skipped)
                measurement_add_value(s->m, case_id, SHUFFLE_CHECKSUM_NAME, "order",
                                      s->checksum[g->size])
                    ->bytes = (int64_t)bytes_of(s, g->size);
            *by = false;
        }
    }
}

/* Takes as many samples of each point: fewer would be spread over a part of the array. */
static void limit_samples(struct rounds_rules *rules)
{
    rules->samples_min = rules->samples_max =
        (rules->samples_min + SHUFFLE_PASSES - 1) / SHUFFLE_PASSES;
    rules->visit_samples = SAMPLES_A_VISIT;
}

static bool shuffle_measure(struct measurement *m)
{
    struct shuffles s = {.m = m};
    struct settings all = {.m = m, .nodes = m->config->node};
    struct setting setting;
    s.task = settings_task(m, &s, visit_shuffle);
    limit_samples(&s.task.rules);
    s.task.open = shuffle_open;
    s.task.prepare = shuffle_prepare;
    s.task.close = shuffle_close;
    s.task.refine = shuffle_add_pass;
    s.task.contention = CONTENTION_LABELLED;
    s.task.in_ns = true;
    while (settings_next(&all, &setting))
        add_shuffle_setting(&s, &setting);
    bool finished = engine_run(&s.task);
    if (finished && s.wrong == NULL)
        add_checksums(&s);
    if (finished && s.wrong != NULL)
        m->failure = s.wrong;
    platform_release(m->platform, s.groups, s.group_room * sizeof *s.groups);
    return finished && s.wrong == NULL;
}

static double shuffle_seconds(const struct measurement *m, unsigned pages)
{
    double bytes = 0;
    for (uint32_t i = 0; i < m->config->shuffle.bytes.count; i++)
        bytes += (double)m->config->shuffle.bytes.value[i];
    return pages * settings_count(m, m->config->node) * bytes * 1.6e-8;
}

const struct experiment experiment_shuffle = {
    .name = "shuffle",
    .shows = "the gain of a shuffle whose indices are made some swaps ahead",
    .measure = shuffle_measure,
    .seconds = shuffle_seconds,
    .rule = &rule_shuffle,
};

/* counted: turns the passes of a schedule into items of rounds, and their counts into rows. */
#include "counted.h"

#include "../lib/string.h"
#include "../probe/native.h"
#include "counted_plan.h"
#include "rounds.h"

#define LEVEL_EVENT "l1d_pend_miss_pending"

struct counted {
    struct task *task;
    const struct point *points; /* of one group */
    uint32_t count;
    struct counted_plan plan;
    bool levels;                       /* all events are level[], one event by rising threshold */
    bool refused[SCHEDULE_EVENTS_MAX]; /* passes that the counters refused */
    const char *refusal;               /* why the last of them was refused; NULL: none was */
    struct counting counting;
    uint64_t result[COUNTING_MAX];
    struct event level[SCHEDULE_EVENTS_MAX]; /* more than any core has fill buffers */
};

/*
 * Chooses the event of fill buffers once for each threshold. It adds up the buffers in use; with a
 * threshold in CMASK it counts the cycles in which that many are in use (Intel SDM 3B, 20.2.1.1;
 * AMD APM 2, 13.2.1). A wide event takes no threshold.
 */
static void choose_levels(struct counted *c, const struct platform *platform)
{
    const struct event *event = event_find(platform->counters->uarch, LEVEL_EVENT);
    if (event == NULL || event->wide)
        return;
    for (unsigned i = 0; i < SCHEDULE_EVENTS_MAX; i++) {
        c->level[i] = *event;
        c->level[i].cmask = (uint8_t)(i + 1);
        c->plan.event[c->plan.events++] = &c->level[i];
    }
}

/* Returns false if the counters refuse the pass, which is then never counted. */
static bool program_pass(struct counted *c, const struct point *point, unsigned pass)
{
    struct platform *platform = c->task->measurement->platform;
    struct counter_use use[COUNTING_MAX];
    unsigned count = counted_plan_uses(&c->plan, pass, use);
    for (unsigned i = 0; i < count; i++)
        c->counting.select[i] = event_rdpmc(use[i].counter);
    c->counting.count = count;
    c->counting.result = c->result;
    c->counting.span = c->task->in_spans ? (uint64_t)point->stage : 0;
    struct msr_value *start = c->task->in_spans ? &c->counting.start : NULL;
    const char *refusal = platform->count(platform, use, count, start);
    c->refused[pass] |= refusal != NULL;
    c->refusal = refusal ?: c->refusal;
    return refusal == NULL;
}

static void visit_counted(void *context, const struct point *point, struct samples *samples)
{
    struct counted *c = context;
    memset(samples->at, 0, samples->count * COUNTING_MAX * sizeof *samples->at);
    samples->counting = &c->counting;
    /* Every `quietly` begins with the counters as firmware left them. */
    if (program_pass(c, point, samples->pass))
        c->task->visit(c->task->context, point, samples);
    samples->unfinished = false;
}

static struct row *add_counts(const struct counted *c, const struct point *point,
                              const struct event *event, const struct distribution *d)
{
    struct row *row =
        measurement_add(c->task->measurement, point->case_id, event_keys[event->key], "events", d);
    task_place(point, row);
    return row;
}

/* Returns by how many cycles the worst sample of a span is too short or too long. */
static double off_span(const struct distribution *d, const struct point *point)
{
    double low = (double)point->stage - distribution_percentile(d, 0);
    double high = distribution_percentile(d, 100) - (double)point->stage;
    return low > high ? low : high;
}

/* Adds the measured length of a span: that of the pass that is off most. */
static void add_span(const struct counted *c, const struct rounds *rounds, uint32_t item)
{
    const struct point *point = &c->points[item / c->plan.schedule.passes];
    const struct distribution *worst = NULL;
    for (unsigned pass = 0; pass < c->plan.schedule.passes; pass++) {
        const struct distribution *d = rounds_of(rounds, item + pass, CORE_WHOLE);
        if (c->refused[pass])
            continue;
        if (worst == NULL || off_span(d, point) > off_span(worst, point))
            worst = d;
    }
    if (worst != NULL)
        add_counts(c, point, c->plan.closing.event, worst);
}

static void add_counted_rows(const struct counted *c, const struct rounds *rounds, uint32_t item)
{
    unsigned pass = item % c->plan.schedule.passes;
    const struct point *point = &c->points[item / c->plan.schedule.passes];
    struct counter_use use[COUNTING_MAX];
    unsigned count = c->refused[pass] ? 0 : counted_plan_uses(&c->plan, pass, use);
    for (unsigned i = c->task->in_spans; i < count; i++) { /* a span closes by the first use */
        struct row *row =
            add_counts(c, point, use[i].event, &rounds_of(rounds, item, CORE_WHOLE)[i]);
        if (c->levels)
            row->stage = use[i].event->cmask;
    }
    if (c->task->in_spans && pass == 0)
        add_span(c, rounds, item);
}

static bool count_chosen(struct counted *c)
{
    struct measurement *m = c->task->measurement;
    struct rounds rounds;
    char words[160];
    if (!counted_plan_schedule(&c->plan, m->platform))
        return true;
    struct task counts = {
        .measurement = m,
        .rules = {.samples_min = VISIT_SAMPLES, .samples_max = VISIT_SAMPLES, .precision = 1},
        .context = c,
        .visit = visit_counted,
        .values = COUNTING_MAX,
        .passes = c->plan.schedule.passes,
    };
    m->failure = rounds_open(&rounds, &counts, c->points, c->count, c->task->seed);
    if (m->failure != NULL)
        return false;
    bool finished = rounds_run(&rounds) || measurement_fail(m, "a fault ended the counting");
    for (uint32_t i = 0; finished && i < rounds.count; i++)
        add_counted_rows(c, &rounds, i);
    rounds_close(&rounds);
    if (c->refusal != NULL)
        m->platform->print(m->platform,
                           text_write(words, sizeof words, "\ncounters: %s\n", c->refusal));
    return m->failure == NULL;
}

/* Counts at the next points of a list that are of this group, if there are any. */
static bool count_group(struct task *task, struct points *points, uint32_t group)
{
    const struct platform *platform = task->measurement->platform;
    struct counted c = {.task = task, .levels = points == &task->levels};
    uint32_t first = points->done;
    while (first < points->count && points->at[first].group != group)
        first++;
    if (first == points->count)
        return true;
    points->done = points_group_end(points, first);
    c.points = points->at + first;
    c.count = points->done - first;
    if (c.levels)
        choose_levels(&c, platform);
    else if (task->in_spans)
        counted_plan_choose_spans(&c.plan, platform);
    else
        counted_plan_choose(&c.plan, platform);
    return count_chosen(&c);
}

bool counted_measure(struct task *task, uint32_t group)
{
    return task->measurement->platform->counters == NULL ||
           (count_group(task, &task->counted, group) && count_group(task, &task->levels, group));
}

struct trial {
    struct platform *platform;
    struct counter_use use[COUNTING_MAX];
    unsigned count;
    const char *refusal;
};

static void try_span(void *context)
{
    struct trial *trial = context;
    struct msr_value start;
    trial->refusal = trial->platform->count(trial->platform, trial->use, trial->count, &start);
}

const char *counted_span_refusal(struct platform *platform)
{
    struct counted_plan plan;
    struct trial trial = {.platform = platform};
    if (platform->counters == NULL)
        return platform->no_counters;
    if (!counted_plan_choose_spans(&plan, platform) || !counted_plan_schedule(&plan, platform))
        return "no counter of core cycles is left that could stop the others";
    trial.count = counted_plan_uses(&plan, 0, trial.use);
    return platform->quietly(platform, try_span, &trial) ? trial.refusal
                                                         : "a fault ended the counting";
}

void counted_run(struct platform *platform, void (*run)(void *context), void *context,
                 const struct samples *samples, unsigned i)
{
    uint64_t before[COUNTING_MAX] = {0}, after[COUNTING_MAX] = {0};
    platform->read_counts(platform, before);
    native_fence();
    run(context);
    native_fence();
    platform->read_counts(platform, after);
    for (unsigned j = 0; j < samples->counting->count; j++)
        samples->at[j * samples->count + i] = sample_of(after[j] - before[j]);
}

/* counted: events to a schedule, its passes to visits of a sweep, their counts to rows. */
#include "counted.h"

#include "../lib/string.h"
#include "../report/json.h"
#include "counted_events.h"

#define LEVELS 64 /* more than any core has fill buffers */
#define LEVEL_EVENT "l1d_pend_miss_pending"

/*
 * The event adds up the buffers in use; with a threshold in CMASK it counts the cycles in which
 * they are that many (Intel SDM 3B, 20.2.1.1; AMD APM 2, 13.2.1). A wide one cannot have both.
 */
static void choose_levels(struct counted *c, struct event *level)
{
    const struct microarchitecture *of = c->measurement->platform->counters->of;
    const struct event *event = event_find(of, LEVEL_EVENT);
    c->plan.events = 0;
    c->levels = true;
    if (event == NULL || event->wide)
        return;
    for (unsigned i = 0; i < LEVELS; i++) {
        level[i] = *event;
        level[i].cmask = (uint8_t)(i + 1);
        c->plan.event[c->plan.events++] = &level[i];
    }
}

/* False: the counters refuse this pass; it is then left out for good. */
static bool program(struct counted *c, unsigned pass)
{
    struct platform *platform = c->measurement->platform;
    struct counter_use use[COUNTING_MAX];
    unsigned count = counted_plan_uses(&c->plan, pass, use);
    for (unsigned i = 0; i < count; i++)
        c->counting.select[i] = event_rdpmc(use[i].counter);
    c->counting.count = count;
    c->counting.result = c->result;
    const char *refusal = platform->count(platform, use, count);
    if (refusal == NULL)
        return true;
    c->refusal = refusal;
    c->refused[pass] = true;
    return false;
}

static void visit(void *context, uint32_t index, uint32_t *samples, unsigned count)
{
    struct counted *c = context;
    unsigned pass = index % c->plan.schedule.passes;
    for (unsigned i = 0; i < count * COUNTING_MAX; i++)
        samples[i] = 0;
    /* Every `quietly` begins with the counters as firmware left them. */
    if (program(c, pass))
        c->visit(c->context, index / c->plan.schedule.passes, &c->counting, samples, count);
}

static void add_rows(struct counted *c, const struct sweep *sweep, uint32_t point)
{
    struct measurement *m = c->measurement;
    for (unsigned pass = 0; pass < c->plan.schedule.passes; pass++) {
        if (c->refused[pass])
            continue;
        uint64_t first = ((uint64_t)point * c->plan.schedule.passes + pass) * COUNTING_MAX;
        unsigned which[COUNTING_MAX], count = counted_plan_pass(&c->plan, pass, which);
        for (unsigned i = 0; i < count; i++) {
            const struct event *event = c->plan.event[which[i]];
            struct row *row =
                measurement_add(m, event_keys[event->key], "events", &sweep->points[first + i]);
            c->place(c->context, point, row);
            if (c->levels)
                row->stage = event->cmask;
        }
    }
}

static void no_progress(void *context, double done)
{
    (void)context;
    (void)done;
}

static bool sweep_points(struct counted *c, uint32_t points)
{
    struct measurement *m = c->measurement;
    struct sweep sweep;
    struct sweep_rules rules = {
        .samples_min = COUNTED_SAMPLES,
        .samples_max = COUNTED_SAMPLES,
        .precision = 1,
        .values = COUNTING_MAX,
    };
    m->failure =
        sweep_open(&sweep, m->platform, points * c->plan.schedule.passes, &rules, m->config->seed);
    if (m->failure != NULL)
        return false;
    bool finished = sweep_run(&sweep, visit, c, no_progress, NULL);
    if (!finished)
        m->failure = "a fault ended the counting";
    for (uint32_t i = 0; finished && i < points; i++)
        add_rows(c, &sweep, i);
    sweep_close(&sweep);
    return finished;
}

static bool count_chosen(struct counted *c, uint32_t points)
{
    struct platform *platform = c->measurement->platform;
    c->refusal = NULL;
    memset(c->refused, 0, sizeof c->refused);
    if (!counted_plan_schedule(&c->plan, platform))
        return true;
    if (!sweep_points(c, points))
        return false;
    if (c->refusal != NULL) {
        platform->print(platform, "\ncounters: ");
        platform->print(platform, c->refusal);
        platform->print(platform, "\n");
    }
    return true;
}

bool counted_measure(struct counted *c, uint32_t points)
{
    if (c->measurement->platform->counters == NULL)
        return true;
    counted_plan_choose(&c->plan, c->measurement->platform, c->first);
    c->levels = false;
    return count_chosen(c, points);
}

bool counted_levels(struct counted *c)
{
    static struct event level[LEVELS];
    if (c->measurement->platform->counters == NULL)
        return true;
    choose_levels(c, level);
    return c->plan.events == 0 || count_chosen(c, 1);
}

uint64_t counted_rows(const struct platform *platform, uint64_t points)
{
    return platform->counters == NULL ? 0 : points * counted_event_count + LEVELS;
}

static void describe_events(const struct platform *platform, struct json *json)
{
    static struct counted_plan plan; /* too large for a firmware's stack */
    counted_plan_choose(&plan, platform, 0);
    counted_plan_schedule(&plan, platform);
    json_text(json, "microarchitecture", platform->counters->of->name);
    json_number(json, "passes", plan.schedule.passes, 0);
    json_open(json, "events");
    for (unsigned i = 0; i < plan.events; i++) {
        enum placement placement = plan.schedule.of[i].placement;
        json_text(json, event_keys[plan.event[i]->key],
                  placement == PLACEMENT_DONE ? "counted" : placement_reason(placement));
    }
    json_close(json);
}

void counted_describe(const struct platform *platform, struct json *json)
{
    json_open(json, "counting");
    if (platform->counters == NULL)
        json_text(json, "none", platform->no_counters);
    else
        describe_events(platform, json);
    json_close(json);
}

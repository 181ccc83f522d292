/* counted: events to a schedule, its passes to visits of a sweep, their counts to rows. */
#include "counted.h"

#include "../cpu/counter_plan.h"
#include "../report/json.h"
#include "counted_events.h"

#define LEVELS 64 /* more than any core has fill buffers */
#define LEVEL_EVENT "l1d_pend_miss_pending"
#define FIRST_FIXED 32 /* their place in a set of counters, see event.h */

static const struct event *find(const struct microarchitecture *of, const struct counted_event *e)
{
    const struct event *event = event_find(of, e->key);
    return event != NULL || e->otherwise == NULL ? event : event_find(of, e->otherwise);
}

/* As many general counters as the probe has registers left beside the fixed ones. */
static struct counter_set offered(const struct platform *platform)
{
    struct counter_set set = platform->counters->set;
    uint64_t kept = 0;
    unsigned count = 0;
    for (unsigned i = 0; i < 64 && count < COUNTING_MAX; i++) {
        uint64_t counter = set.usable & 1ull << (i + FIRST_FIXED) % 64;
        kept |= counter;
        count += counter != 0;
    }
    set.usable = kept;
    return set;
}

static void choose_all(struct counted *c)
{
    const struct platform *platform = c->measurement->platform;
    c->events = 0;
    c->levels = false;
    unsigned count = c->first > 0 ? c->first : counted_event_count;
    for (unsigned i = 0; i < count; i++) {
        const struct event *event = find(platform->counters->of, &counted_events[i]);
        if (event != NULL)
            c->event[c->events++] = event;
    }
}

/*
 * The event adds up the buffers in use; with a threshold in CMASK it counts the cycles in which
 * they are that many (Intel SDM 3B, 20.2.1.1; AMD APM 2, 13.2.1). A wide one cannot have both.
 */
static void choose_levels(struct counted *c, struct event *level)
{
    const struct microarchitecture *of = c->measurement->platform->counters->of;
    const struct event *event = event_find(of, LEVEL_EVENT);
    c->events = 0;
    c->levels = true;
    if (event == NULL || event->wide)
        return;
    for (unsigned i = 0; i < LEVELS; i++) {
        level[i] = *event;
        level[i].cmask = (uint8_t)(i + 1);
        c->event[c->events++] = &level[i];
    }
}

/* The events of one pass: their indices in *which, in the order of the probe's counters. */
static unsigned pass_of(const struct counted *c, unsigned pass, unsigned which[COUNTING_MAX])
{
    unsigned count = 0;
    for (unsigned i = 0; i < c->events && count < COUNTING_MAX; i++)
        if (c->schedule.of[i].placement == PLACEMENT_DONE && c->schedule.of[i].pass == pass)
            which[count++] = i;
    return count;
}

static void program(struct counted *c, unsigned pass)
{
    struct platform *platform = c->measurement->platform;
    struct counter_use use[COUNTING_MAX];
    unsigned which[COUNTING_MAX], count = pass_of(c, pass, which);
    for (unsigned i = 0; i < count; i++) {
        const struct event *event = c->event[which[i]];
        uint8_t counter = c->schedule.of[which[i]].counter;
        use[i] = (struct counter_use){.event = event, .counter = counter, .merged = event->wide};
        c->counting.select[i] = event_rdpmc(counter);
    }
    c->counting.count = count;
    c->counting.result = c->result;
    c->refusal = platform->count(platform, use, count);
    c->programmed = c->refusal == NULL ? (int)pass : -1;
}

static void visit(void *context, uint32_t index, uint32_t *samples, unsigned count)
{
    struct counted *c = context;
    unsigned pass = index % c->schedule.passes;
    /* Every `quietly` begins with the counters as firmware left them. */
    program(c, pass);
    for (unsigned i = 0; i < count * COUNTING_MAX; i++)
        samples[i] = 0;
    if (c->refusal == NULL)
        c->visit(c->context, index / c->schedule.passes, &c->counting, samples, count);
}

static void add_rows(struct counted *c, const struct sweep *sweep, uint32_t point)
{
    struct measurement *m = c->measurement;
    for (unsigned pass = 0; pass < c->schedule.passes; pass++) {
        uint64_t first = ((uint64_t)point * c->schedule.passes + pass) * COUNTING_MAX;
        unsigned which[COUNTING_MAX], count = pass_of(c, pass, which);
        for (unsigned i = 0; i < count; i++) {
            const struct event *event = c->event[which[i]];
            struct result_row *row =
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
        sweep_open(&sweep, m->platform, points * c->schedule.passes, &rules, m->config->seed);
    if (m->failure != NULL)
        return false;
    bool finished = sweep_run(&sweep, visit, c, no_progress, NULL);
    if (!finished)
        m->failure = "a fault ended the counting";
    for (uint32_t i = 0; finished && c->refusal == NULL && i < points; i++)
        add_rows(c, &sweep, i);
    sweep_close(&sweep);
    return finished;
}

static bool count_chosen(struct counted *c, uint32_t points)
{
    struct platform *platform = c->measurement->platform;
    struct counter_set set = offered(platform);
    c->refusal = NULL;
    if (!schedule_events(&c->schedule, c->event, c->events, &set) || c->schedule.passes == 0)
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
    choose_all(c);
    return count_chosen(c, points);
}

bool counted_levels(struct counted *c)
{
    static struct event level[LEVELS];
    if (c->measurement->platform->counters == NULL)
        return true;
    choose_levels(c, level);
    return c->events == 0 || count_chosen(c, 1);
}

uint64_t counted_rows(const struct platform *platform, uint64_t points)
{
    return platform->counters == NULL ? 0 : points * counted_event_count + LEVELS;
}

static void describe_events(const struct platform *platform, struct json *json)
{
    static struct counted c; /* too large for a firmware's stack */
    static struct measurement none;
    none.platform = (struct platform *)platform;
    c.measurement = &none;
    struct counter_set set = offered(platform);
    choose_all(&c);
    schedule_events(&c.schedule, c.event, c.events, &set);
    json_text(json, "microarchitecture", platform->counters->of->name);
    json_number(json, "passes", c.schedule.passes, 0);
    json_open(json, "events");
    for (unsigned i = 0; i < c.events; i++) {
        enum placement placement = c.schedule.of[i].placement;
        json_text(json, event_keys[c.event[i]->key],
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

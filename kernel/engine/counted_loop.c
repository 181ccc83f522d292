/* counted_loop: passes in turn over a loop's samples, differences of counts to rows. */
#include "counted_loop.h"

#include "../probe/native.h"
#include "counted.h"
#include "counted_events.h"

#define SLICES_PER_SECOND 5 /* between two slices the console may be written */

static uint32_t clamped(uint64_t count)
{
    return count < UINT32_MAX ? (uint32_t)count : UINT32_MAX;
}

/* Every sample has another pass than the one before it: so many together make it worth its cost. */
static void take_sample(struct counted_loop *loop)
{
    struct platform *platform = loop->measurement->platform;
    struct counter_use use[COUNTING_MAX];
    uint64_t before[COUNTING_MAX] = {0}, after[COUNTING_MAX] = {0};
    unsigned pass = loop->taken++ % loop->plan.schedule.passes;
    unsigned which[COUNTING_MAX], count = counted_plan_pass(&loop->plan, pass, which);

    if (loop->prepare != NULL)
        loop->prepare(loop->context);
    const char *refusal = platform->count(platform, use, counted_plan_uses(&loop->plan, pass, use));
    platform->read_counts(platform, before);
    native_fence();
    loop->run(loop->context);
    native_fence();
    platform->read_counts(platform, after);
    if (refusal != NULL)
        loop->refusal = refusal;
    for (unsigned i = 0; refusal == NULL && i < count; i++)
        distribution_add(&loop->counts[which[i]], clamped(after[i] - before[i]));
}

static void run_slice(void *context)
{
    struct counted_loop *loop = context;
    uint64_t start = native_ticks();
    uint64_t length = loop->measurement->platform->ticks_per_second / SLICES_PER_SECOND;
    do
        take_sample(loop);
    while (loop->taken < loop->wanted && native_ticks() - start < length);
}

static bool run_slices(struct counted_loop *loop)
{
    struct measurement *m = loop->measurement;
    while (loop->taken < loop->wanted)
        if (!m->platform->quietly(m->platform, run_slice, loop)) {
            m->failure = "a fault ended the counting";
            return false;
        }
    return true;
}

static void add_rows(struct counted_loop *loop)
{
    for (unsigned i = 0; i < loop->plan.events; i++) {
        if (loop->counts[i].count == 0)
            continue;
        const char *key = event_keys[loop->plan.event[i]->key];
        loop->place(loop->context,
                    measurement_add(loop->measurement, key, "events", &loop->counts[i]));
    }
}

static void say_refusal(struct platform *platform, const char *refusal)
{
    platform->print(platform, "\ncounters: ");
    platform->print(platform, refusal);
    platform->print(platform, "\n");
}

/* As many samples in each pass; returns how many. */
static uint32_t share_out(struct counted_loop *loop)
{
    uint32_t passes = loop->plan.schedule.passes;
    uint32_t each = (uint32_t)(((uint64_t)loop->samples + passes - 1) / passes);
    each = each < COUNTED_SAMPLES ? COUNTED_SAMPLES : each;
    loop->wanted = passes * each;
    loop->taken = 0;
    loop->refusal = NULL;
    return each;
}

bool counted_loop_measure(struct counted_loop *loop)
{
    struct measurement *m = loop->measurement;
    struct platform *platform = m->platform;
    if (platform->counters == NULL)
        return true;
    counted_plan_choose(&loop->plan, platform, 0);
    if (!counted_plan_schedule(&loop->plan, platform))
        return true;
    uint32_t each = share_out(loop);
    uint64_t bytes = (uint64_t)loop->plan.events * each * sizeof(uint32_t);
    uint32_t *memory = platform->allocate(platform, bytes);
    if (memory == NULL) {
        m->failure = "not enough memory for the counts";
        return false;
    }
    for (unsigned i = 0; i < loop->plan.events; i++)
        distribution_init(&loop->counts[i], memory + (uint64_t)i * each, each);
    bool finished = run_slices(loop);
    if (finished)
        add_rows(loop);
    if (finished && loop->refusal != NULL)
        say_refusal(platform, loop->refusal);
    platform->release(platform, memory, bytes);
    return finished;
}

uint64_t counted_loop_rows(const struct platform *platform)
{
    return platform->counters == NULL ? 0 : counted_event_count;
}

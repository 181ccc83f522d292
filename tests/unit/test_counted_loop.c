/* test_counted_loop: passes in turn over a loop, on a platform whose counters are made up here. */
#include "../../kernel/experiments/counted.h"
#include "../../kernel/experiments/counted_events.h"
#include "../../kernel/experiments/counted_loop.h"
#include "../../kernel/pmu/event_table.h"
#include "../../kernel/probe/native.h"
#include "fake_platform.h"
#include "kit.h"

#define TICKS_PER_SECOND 1000
#define SAMPLE_TICKS 30 /* seven in a slice */
#define ROWS_MAX 64
#define PLACED 4711

static const struct experiment experiment = {.name = "loop"};
static struct row rows[ROWS_MAX];
static struct counted_loop loop;

static struct fake_platform fake;

static struct {
    struct measurement measurement;
    uint64_t now;
    bool prepared, running, fenced;
    unsigned samples, reads;
} made;

/* In place of kernel/probe/native.c. */
uint64_t native_ticks(void)
{
    return made.now;
}

void native_fence(void)
{
    assert_true(fake.inside);
    made.fenced = true;
}

/* Reading counts, too, as it does where there is hardware: but only between two samples. */
static void read_counts(struct platform *self, uint64_t *counts)
{
    (void)self;
    assert_true(fake.inside);
    assert_int_equal(made.running, made.reads++ % 2 == 1);
    assert_true(!made.running || made.fenced);
    made.running = made.fenced = false;
    for (unsigned i = 0; i < COUNTING_MAX; i++)
        if (fake.programmed[i] != NULL)
            counts[i] = fake.count[i];
}

/* What a sample of the loop does to an event: its key's number in thousands, and the sample's. */
static uint64_t moved(const struct event *event, unsigned sample)
{
    return event->key * 1000u + sample % 2;
}

static void prepare(void *context)
{
    assert_ptr_equal(context, &made);
    assert_true(fake.inside);
    made.prepared = true;
    for (unsigned i = 0; i < COUNTING_MAX; i++)
        fake.count[i] += 1000000; /* it is not counted, whatever it does */
}

static void run(void *context)
{
    assert_ptr_equal(context, &made);
    assert_true(fake.inside && made.prepared && made.fenced);
    made.prepared = made.fenced = false;
    made.running = true;
    for (unsigned i = 0; i < COUNTING_MAX; i++)
        if (fake.programmed[i] != NULL)
            fake.count[i] += moved(fake.programmed[i], made.samples);
    made.samples++;
    made.now += SAMPLE_TICKS;
}

static void place(void *context, struct row *row)
{
    assert_ptr_equal(context, &made);
    row->k = PLACED;
}

SETUP(start)
{
    memset(&made, 0, sizeof made);
    fake_platform_open(&fake);
    fake.platform.ticks_per_second = TICKS_PER_SECOND;
    fake.platform.read_counts = read_counts;
    fake_platform_offer(&fake, microarchitecture_named("haswell"),
                        0xf | EVENT_FIXED(0) | EVENT_FIXED(1));
    fake.offer.set.architectural = 0x7f;
    made.measurement = (struct measurement){
        .platform = &fake.platform,
        .experiment = &experiment,
        .rows = rows,
        .row_room = ROWS_MAX,
        .variant = "case",
    };
    loop = (struct counted_loop){.measurement = &made.measurement,
                                 .prepare = prepare,
                                 .run = run,
                                 .place = place,
                                 .context = &made};
}

static const struct row *row_of(const char *metric)
{
    for (size_t i = 0; i < made.measurement.row_count; i++)
        if (strcmp(rows[i].metric, metric) == 0)
            return &rows[i];
    return NULL;
}

/* Every event that could be placed has a row with what the loop did, and nothing else. */
static void assert_rows(uint32_t each)
{
    for (unsigned i = 0; i < loop.plan.events; i++) {
        const struct event *event = loop.plan.event[i];
        const struct row *row = row_of(event_keys[event->key]);
        assert_int_equal(row != NULL, loop.plan.schedule.of[i].placement == PLACEMENT_DONE);
        if (row == NULL)
            continue;
        assert_string_equal(row->experiment, "loop");
        assert_string_equal(row->variant, "case");
        assert_string_equal(row->unit, "events");
        assert_int_equal(row->k, PLACED);
        assert_int_equal(row->samples, each);
        assert_true(row->min >= event->key * 1000.0);
        assert_true(row->max <= event->key * 1000.0 + 1);
    }
}

TEST(every_event_sees_the_loop)
{
    assert_true(counted_loop_measure(&loop));
    unsigned passes = loop.plan.schedule.passes;
    assert_true(passes > 1);
    assert_non_null(row_of("instructions"));
    assert_non_null(row_of("core_cycles"));
    assert_rows(COUNTED_SAMPLES);
    assert_int_equal(made.samples, COUNTED_SAMPLES * passes);
    assert_int_equal(fake.slices, (made.samples + 6) / 7);
    assert_true(made.measurement.row_count <= counted_loop_rows(&fake.platform));
    assert_int_equal(fake.live, 0);
    assert_string_equal(fake.printed, "");
}

/* More samples than each pass needs: all of them, shared out evenly. */
TEST(the_whole_loop)
{
    loop.samples = 4096;
    assert_true(counted_loop_measure(&loop));
    unsigned passes = loop.plan.schedule.passes;
    assert_in_range(made.samples, 4096, 4096 + passes - 1);
    assert_rows((4096 + passes - 1) / passes);
}

TEST(another_core)
{
    fake.offer.of = microarchitecture_named("zen2");
    fake.offer.set = (struct counter_set){.usable = 0x3f};
    assert_true(counted_loop_measure(&loop));
    assert_non_null(row_of("instructions_gp"));
    assert_rows(COUNTED_SAMPLES);
}

TEST(without_counters)
{
    fake.platform.counters = NULL;
    assert_true(counted_loop_measure(&loop));
    assert_int_equal(counted_loop_rows(&fake.platform), 0);
    assert_int_equal(fake.slices + fake.allocations + (unsigned)made.measurement.row_count, 0);
}

TEST(no_usable_counter)
{
    fake.offer.set.usable = 0;
    assert_true(counted_loop_measure(&loop));
    assert_int_equal(fake.slices + fake.allocations + (unsigned)made.measurement.row_count, 0);
}

/* The others' rows are there; the loop ran as often all the same. */
TEST(a_refused_pass_is_left_out)
{
    fake.refused = "load_l1_hit";
    assert_true(counted_loop_measure(&loop));
    assert_null(row_of("load_l1_hit"));
    assert_non_null(row_of("instructions"));
    assert_in_range(made.measurement.row_count, 1, loop.plan.events - 1);
    assert_int_equal(made.samples, loop.wanted);
    assert_string_equal(fake.printed, "\ncounters: a register does not take it\n");
    for (size_t i = 0; i < made.measurement.row_count; i++)
        assert_int_equal(rows[i].samples, COUNTED_SAMPLES);
}

TEST(a_fault)
{
    fake.fault_at = 3;
    assert_false(counted_loop_measure(&loop));
    assert_string_equal(made.measurement.failure, "a fault ended the counting");
    assert_int_equal(made.measurement.row_count, 0);
    assert_int_equal(fake.live, 0);
}

TEST(no_memory)
{
    fake.failing = 1;
    assert_false(counted_loop_measure(&loop));
    assert_string_equal(made.measurement.failure, "not enough memory for the counts");
    assert_int_equal(fake.slices, 0);
}

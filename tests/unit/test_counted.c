/* test_counted: events to passes to rows, on a platform that only pretends to count. */
#include "../../kernel/engine/counted.h"
#include "../../kernel/engine/counted_plan.h"
#include "../../kernel/lib/text.h"
#include "../../kernel/pmu/event.h"
#include "../../kernel/probe/native.h"
#include "../../kernel/report/conditions.h"
#include "fake_platform.h"
#include "kit.h"

#define POINTS 3
#define SAMPLES VISIT_SAMPLES
#define FIXED(n) (1ull << (COUNTER_FIXED + (n)))
#define INTEL_ALL (0xf | FIXED(0) | FIXED(1) | FIXED(2))
#define LEVEL "l1d_pend_miss_pending"

static struct fake_platform fake;
static struct measurement m;
static struct task task;

static struct {
    uint64_t now, visit_ticks;
    unsigned samples;            /* taken in all */
    unsigned visited[POINTS];    /* samples by place */
    int64_t n[16384];            /* of each sample, as they came */
    const struct event *late_of; /* of spans: a pass whose second counter counts this one */
    unsigned late;               /* takes so many cycles more than asked for */
    bool running, fenced;
    unsigned reads;
} made;

/* In place of kernel/probe/native.c. */
uint64_t native_ticks(void)
{
    return made.now++;
}

void native_fence(void)
{
    assert_true(fake.inside);
    made.fenced = true;
}

/* Every count is its event's key in thousands, and the point; of levels, the threshold too. */
static uint32_t count_of(const struct event *event, int64_t n)
{
    return event->key * 1000u + event->cmask * 10u + (uint32_t)n;
}

static void visit(void *context, const struct point *point, struct samples *samples)
{
    const struct counting *counting = samples->counting;
    assert_ptr_equal(context, &made);
    assert_true(fake.inside);
    assert_compare(point->place, <, POINTS);
    assert_int_equal(counting->count, fake.counting);
    for (unsigned j = 0; j < counting->count; j++) {
        assert_non_null(fake.programmed[j]);
        assert_int_equal(counting->select[j], event_rdpmc(fake.counter[j]));
    }
    for (unsigned i = 0; i < samples->count; i++) {
        for (unsigned j = 0; j < counting->count; j++)
            counting->result[j] = 1ull << 32 | count_of(fake.programmed[j], point->n);
        if (task.in_spans) {
            assert_numbers((counting->span, counting->start.index), (point->stage, 0x38f));
            counting->result[0] = made.late_of == fake.programmed[1] ? made.late : 0;
        }
        counting_sample(counting, &fake.platform, NULL, samples->at, i, samples->count);
        assert_compare(made.samples, <, sizeof made.n / sizeof *made.n);
        made.n[made.samples++] = point->n;
    }
    made.visited[point->place] += samples->count;
    made.now += made.visit_ticks;
}

/* --- helpers --------------------------------------------------------------------------------- */

static void begin(uint64_t seed)
{
    static const struct variant variant = {.has_page = true, .page = PAGE_2M};
    memset(&made, 0, sizeof made);
    m = (struct measurement){.platform = &fake.platform, .experiment = "mlp"};
    task = (struct task){.measurement = &m, .seed = seed, .context = &made, .visit = visit};
    measurement_add_case(&m, &variant, 0);
}

static void start(const struct microarchitecture *uarch, uint64_t usable)
{
    fake_platform_open(&fake);
    fake_platform_offer(&fake, uarch, usable);
    begin(1);
}

SETUP(start_haswell)
{
    start(microarchitecture_named("haswell"), INTEL_ALL);
}

static void release_points(struct points *points)
{
    if (points->at != NULL)
        fake.platform.release(&fake.platform, points->at, points->room * sizeof *points->at);
    *points = (struct points){.at = NULL};
}

TEARDOWN(stop)
{
    release_points(&task.counted);
    release_points(&task.levels);
    measurement_release(&m);
    fake_platform_assert_returned(&fake);
}

static struct point point_of(uint32_t place)
{
    return (struct point){
        .place = place, .n = place + 1, .k = 5, .bytes = ROW_NONE, .stage = ROW_NONE};
}

static void add_points(void)
{
    for (uint32_t i = 0; i < POINTS; i++) {
        struct point point = point_of(i);
        task_add(&task, &task.counted, &point);
    }
}

static void measure(void)
{
    add_points();
    assert_true(counted_measure(&task, 0));
    assert_null(m.failure);
}

static void add_levels(void)
{
    struct point point = point_of(1);
    task_add(&task, &task.levels, &point);
}

static void measure_levels(void)
{
    add_levels();
    assert_true(counted_measure(&task, 0));
}

static unsigned rows_of(const char *key)
{
    unsigned found = 0;
    for (uint32_t i = 0; i < m.row_count; i++)
        found += strcmp(m.rows[i].metric, key) == 0;
    return found;
}

static const struct row *row_at(const char *key, int64_t stage)
{
    const struct row *found = NULL;
    for (uint32_t i = 0; i < m.row_count; i++)
        if (strcmp(m.rows[i].metric, key) == 0 && m.rows[i].stage == stage) {
            assert_null(found);
            found = &m.rows[i];
        }
    assert_non_null(found);
    return found;
}

static const struct event *event_named(const char *key)
{
    const struct event *event = event_find(fake.offer.uarch, key);
    assert_non_null(event);
    return event;
}

/* --- events ---------------------------------------------------------------------------------- */

/* Each row says what its counter saw at its point, not another's. */
TEST(every_event_at_every_point)
{
    measure();
    assert_numbers((rows_of("instructions"), rows_of("core_cycles")), (POINTS, POINTS));
    assert_int_equal(rows_of("l1d_pend_miss_pending"), POINTS);
    assert_int_equal(rows_of("l1d_pend_miss_pending_cycles"), POINTS);
    assert_string_equal(fake.printed, "");
    for (uint32_t i = 0; i < m.row_count; i++) {
        const struct row *row = &m.rows[i];
        double wanted = count_of(event_named(row->metric), row->n);
        assert_numbers((row->samples, row->min, row->median), (SAMPLES, wanted, wanted));
        assert_compare(row->max, ==, wanted);
        assert_string_equal(row->unit, "events");
        assert_int_equal(row->k, 5);
        assert_true(row->stage == ROW_NONE && row->bytes == ROW_NONE);
        assert_true(case_same(&row->variant, &m.cases[0].variant));
    }
    assert_int_equal(made.samples % (SAMPLES * POINTS), 0); /* as many passes for each */
    for (unsigned i = 0; i < POINTS; i++)
        assert_int_equal(made.visited[i], made.samples / POINTS);
    assert_int_equal(m.visits, 0);
}

/* All passes of all points in the same rounds. */
TEST(points_and_passes_take_turns)
{
    unsigned changes = 0;
    measure();
    for (unsigned i = 25; i < made.samples; i += 25)
        changes += made.n[i] != made.n[i - 1];
    assert_in_range(changes, made.samples / 25 / 3, made.samples / 25);
}

/* Whichever visit comes last: nothing that was not counted is a count of 0. */
TEST(a_refused_pass_leaves_no_rows)
{
    static const char *const keys[] = {"instructions", "l1d_pend_miss_pending",
                                       "l1d_pend_miss_pending_cycles", "load_l3_miss"};
    for (unsigned i = 0; i < sizeof keys / sizeof *keys; i++)
        for (uint64_t seed = 1; seed <= 4; seed++) {
            stop();
            start_haswell();
            task.seed = seed;
            fake.refused = keys[i];
            measure();
            assert_int_equal(rows_of(keys[i]), 0);
            assert_compare(m.row_count, >, 0);
            for (uint32_t row = 0; row < m.row_count; row++) {
                assert_int_equal(m.rows[row].samples, SAMPLES);
                assert_compare(m.rows[row].min, >=, 1);
            }
            assert_string_equal(fake.printed, "\ncounters: a register does not take it\n");
        }
}

TEST(without_counters)
{
    fake.platform.counters = NULL;
    measure();
    assert_int_equal(fake.slices + m.row_count, 0);
}

TEST(no_usable_counter)
{
    fake.offer.set.usable = 0;
    measure();
    assert_int_equal(fake.slices + m.row_count, 0);
}

/* Others than those of the group are left for its turn. */
TEST(the_group_alone)
{
    for (uint32_t group = 0; group < 3; group++)
        for (uint32_t i = 0; i < POINTS; i++) {
            struct point point = point_of(i);
            point.group = 2 * group;
            point.n = 10 * group + i;
            task_add(&task, &task.counted, &point);
        }
    assert_true(counted_measure(&task, 2));
    assert_int_equal(rows_of("instructions"), POINTS);
    for (uint32_t i = 0; i < m.row_count; i++)
        assert_in_range(m.rows[i].n, 10, 10 + POINTS - 1);
    uint32_t rows = m.row_count;
    assert_true(counted_measure(&task, 3)); /* there is none */
    assert_int_equal(m.row_count, rows);
    assert_true(counted_measure(&task, 4)); /* the last */
    assert_int_equal(m.row_count, 2 * rows);
}

/* A group that is measured again, as when it is refined, is not counted again. */
TEST(once)
{
    add_points();
    measure_levels();
    uint32_t rows = m.row_count;
    unsigned slices = fake.slices;
    assert_true(counted_measure(&task, 0));
    assert_numbers((m.row_count, fake.slices), (rows, slices));
    add_points(); /* but what comes new is */
    assert_true(counted_measure(&task, 0));
    assert_int_equal(m.row_count, 2 * rows - 64);
}

/* --- spans ----------------------------------------------------------------------------------- */

static void add_spans(void)
{
    task.in_spans = true;
    for (uint32_t i = 0; i < POINTS; i++) {
        struct point point = point_of(i);
        point.stage = 10 * (int64_t)(i + 1);
        task_add(&task, &task.counted, &point);
    }
}

static void measure_spans(void)
{
    add_spans();
    assert_true(counted_measure(&task, 0));
}

TEST(every_event_of_every_span)
{
    measure_spans();
    assert_numbers((rows_of("instructions"), rows_of("uops_issued")), (POINTS, POINTS));
    assert_int_equal(rows_of("dtlb_walk_duration"), POINTS); /* Haswell has no pending walks */
    assert_int_equal(rows_of("core_cycles"), POINTS);
    assert_int_equal(rows_of("load_l3_miss"), 0); /* not of spans */
    for (uint32_t i = 0; i < m.row_count; i++) {
        const struct row *row = &m.rows[i];
        bool is_cycles = strcmp(row->metric, "core_cycles") == 0;
        double wanted = is_cycles ? (double)row->stage : count_of(event_named(row->metric), row->n);
        assert_numbers((row->min, row->max, row->stage), (wanted, wanted, 10 * row->n));
        assert_int_equal(row->samples, SAMPLES);
    }
}

/* Of the passes over a span, the cycles of the one that is off most. */
TEST(the_span_that_is_off_most)
{
    static struct counted_plan plan;
    struct counter_use use[COUNTING_MAX];
    add_spans();
    made.late = 3;
    assert_true(counted_plan_choose_spans(&plan, &fake.platform));
    assert_true(counted_plan_schedule(&plan, &fake.platform));
    assert_compare(plan.schedule.passes, >, 1);
    counted_plan_uses(&plan, plan.schedule.passes - 1, use);
    made.late_of = use[1].event;
    assert_true(counted_measure(&task, 0));
    for (int64_t stage = 10; stage <= 10 * POINTS; stage += 10)
        assert_compare(row_at("core_cycles", stage)->min, ==, (double)stage + 3);
}

/* What is refused says nothing of the others. */
TEST(a_refused_pass_of_spans)
{
    fake.refused = "instructions";
    measure_spans();
    assert_int_equal(rows_of("instructions"), 0);
    assert_compare(m.row_count, >, POINTS);
    for (int64_t stage = 10; stage <= 10 * POINTS; stage += 10)
        assert_compare(row_at("core_cycles", stage)->min, ==, (double)stage);
    uint32_t rows = m.row_count;
    fake.refused = "core_cycles"; /* every pass */
    measure_spans();
    assert_int_equal(m.row_count, rows);
}

TEST(why_no_spans)
{
    assert_null(counted_span_refusal(&fake.platform));
    assert_false(fake.inside);
    fake.refused = "core_cycles";
    assert_string_equal(counted_span_refusal(&fake.platform), "a register does not take it");
    fake.refused = NULL;
    fake.fault_at = fake.slices + 1;
    assert_string_equal(counted_span_refusal(&fake.platform), "a fault ended the counting");
    fake.offer.set.usable = FIXED(0); /* instructions only */
    assert_string_equal(counted_span_refusal(&fake.platform),
                        "no counter of core cycles is left that could stop the others");
    fake.offer.set.usable = FIXED(1); /* cycles only */
    assert_string_equal(counted_span_refusal(&fake.platform),
                        "no counter of core cycles is left that could stop the others");
    fake.platform.counters = NULL;
    assert_string_equal(counted_span_refusal(&fake.platform), "none are offered");
}

/* --- surroundings ---------------------------------------------------------------------------- */

static void visit_surrounded(void *context, const struct point *point, struct samples *samples)
{
    assert_int_equal(fake.prefetch, point->case_id == 0);
    visit(context, point, samples);
}

TEST(counted_as_its_case_is_timed)
{
    static const struct variant variant = {.prefetch_off = true};
    measurement_add_case(&m, &variant, 0);
    task.visit = visit_surrounded;
    add_points();
    for (uint32_t i = 0; i < POINTS; i++) {
        struct point point = point_of(i);
        point.case_id = 1;
        task_add(&task, &task.counted, &point);
    }
    assert_true(counted_measure(&task, 0));
    assert_int_equal(rows_of("instructions"), 2 * POINTS);
}

/* --- fill buffers ---------------------------------------------------------------------------- */

/* The event with each threshold from 1 on, which is the stage. */
TEST(levels)
{
    measure_levels();
    assert_int_equal(m.row_count, 64);
    for (uint32_t i = 0; i < 64; i++) {
        const struct row *row = row_at(LEVEL, i + 1);
        assert_numbers((row->n, row->k), (2, 5));
        assert_compare(row->median, ==, event_named(LEVEL)->key * 1000.0 + (i + 1) * 10 + 2);
    }
}

/* Beside what is counted of the others. */
TEST(levels_after_events)
{
    add_points();
    measure_levels();
    assert_numbers((rows_of(LEVEL), rows_of("instructions")), (POINTS + 64, POINTS));
    for (uint32_t i = 0; i < m.row_count; i++) /* events have no threshold */
        assert_int_equal(m.rows[i].stage != ROW_NONE, i >= m.row_count - 64);
}

TEST(no_levels_where_there_is_no_such_event)
{
    stop();
    start(microarchitecture_named("zen2"), 0x3f);
    assert_null(event_find(fake.offer.uarch, LEVEL));
    measure_levels();
    assert_int_equal(m.row_count + fake.slices, 0);
}

/* A wide event has no threshold beside it. */
TEST(no_levels_of_a_wide_event)
{
    for (unsigned i = 0; i < event_microarchitecture_count; i++) {
        const struct microarchitecture *march = &event_microarchitectures[i];
        const struct event *event = event_find(march, LEVEL);
        if (event == NULL)
            continue;
        stop();
        start(march, INTEL_ALL);
        add_levels();
        assert_true(counted_measure(&task, 0));
        assert_int_equal(m.row_count, event->wide ? 0 : 64);
    }
}

/* --- what goes wrong ------------------------------------------------------------------------- */

TEST(a_fault)
{
    made.visit_ticks = 1000000000;
    fake.fault_at = 3;
    add_points();
    assert_false(counted_measure(&task, 0));
    assert_string_equal(m.failure, "a fault ended the counting");
    assert_int_equal(m.row_count, 0);
}

TEST(no_memory_at_any_call)
{
    add_points();
    add_levels();
    unsigned before = fake.allocations;
    assert_true(counted_measure(&task, 0));
    unsigned calls = fake.allocations - before;
    assert_compare(calls, >, 8);
    for (unsigned failing = 1; failing <= calls; failing++) {
        stop();
        start_haswell();
        add_points();
        add_levels();
        fake.failing = fake.allocations + failing;
        assert_false(counted_measure(&task, 0));
        assert_non_null(strstr(m.failure, "not enough memory"));
    }
}

/* --- a compiled loop ------------------------------------------------------------------------- */

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

static void run_loop(void *context)
{
    assert_ptr_equal(context, &made.now);
    assert_true(made.fenced);
    made.fenced = false;
    made.running = true;
    for (unsigned i = 0; i < COUNTING_MAX; i++)
        if (fake.programmed[i] != NULL)
            fake.count[i] += fake.programmed[i]->key * 1000u + made.samples % 2;
    made.samples++;
}

static void visit_loop(void *context, const struct point *point, struct samples *samples)
{
    assert_ptr_equal(context, &made);
    assert_non_null(point);
    for (unsigned i = 0; i < COUNTING_MAX; i++)
        fake.count[i] += 1000000; /* before a sample it is not counted, whatever it does */
    for (unsigned i = 0; i < samples->count; i++)
        counted_run(&fake.platform, run_loop, &made.now, samples, i);
}

TEST(a_loop_is_counted_from_outside)
{
    task.visit = visit_loop;
    fake.platform.read_counts = read_counts;
    measure();
    assert_numbers((rows_of("instructions"), made.reads), (POINTS, 2 * made.samples));
    for (uint32_t i = 0; i < m.row_count; i++) {
        double least = event_named(m.rows[i].metric)->key * 1000.0;
        assert_numbers((m.rows[i].samples, m.rows[i].min), (SAMPLES, least));
        assert_compare(m.rows[i].max, ==, least + 1);
    }
}

/* More than a sample holds is the most it can hold. */
static void run_for_ever(void *context)
{
    (void)context;
    fake.count[0] += 1ull << 32;
    made.running = true;
}

TEST(a_count_beyond_32_bits)
{
    uint32_t at[1] = {0};
    struct counting counting = {.count = 1};
    struct samples samples = {.at = at, .count = 1, .counting = &counting};
    fake.platform.read_counts = read_counts;
    fake.inside = true;
    fake.programmed[0] = event_named("instructions");
    counted_run(&fake.platform, run_for_ever, NULL, &samples, 0);
    assert_int_equal(at[0], UINT32_MAX);
    fake.inside = false;
}

/* --- telling --------------------------------------------------------------------------------- */

static const char *described(void)
{
    static char memory[8192];
    struct text text;
    struct json json;
    text_init(&text, memory, sizeof memory);
    json_begin(&json, &text);
    conditions_counting(&json, &fake.platform);
    json_text(&json, "behind", "");
    json_end(&json);
    assert_false(text.truncated);
    assert_non_null(strstr(memory, "\n  \"behind\"")); /* not within anything */
    return memory;
}

TEST(describes_what_is_counted)
{
    assert_non_null(strstr(described(), "\"microarchitecture\": \"haswell\""));
    assert_non_null(strstr(described(), "\"instructions\": \"counted\""));
    fake.offer.set.usable = FIXED(0);
    assert_non_null(strstr(described(), "\"passes\": 1,"));
    assert_non_null(strstr(described(), "\"load_l1_hit\": \"no usable counter can count it\""));
    fake.platform.counters = NULL;
    assert_non_null(strstr(described(), "\"none\": \"none are offered\""));
}

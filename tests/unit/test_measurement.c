/* test_measurement: cases and rows that grow, are gathered by case, and run out of memory. */
#include "../../kernel/engine/measurement.h"
#include "../../kernel/probe/native.h"
#include "fake_platform.h"
#include "kit.h"

static struct fake_platform fake;
static struct measurement m;
static uint64_t ticks;
static char line[256]; /* of progress, as last printed */

/* In place of kernel/probe/native.c. */
uint64_t native_ticks(void)
{
    return ticks;
}

static void print(struct platform *self, const char *text)
{
    (void)self;
    snprintf(line, sizeof line, "%s", text);
}

SETUP(start)
{
    fake_platform_open(&fake);
    fake.platform.ticks_per_second = 2000000000;
    m = (struct measurement){.platform = &fake.platform, .experiment = "made-up"};
    ticks = 0;
}

TEARDOWN(stop)
{
    measurement_release(&m);
    fake_platform_assert_returned(&fake);
}

static struct variant variant_of(unsigned number)
{
    struct variant variant = {.experiment = "not mine", .has_page = true, .page = PAGE_4K};
    snprintf(variant.pattern, sizeof variant.pattern, "p%u", number);
    return variant;
}

static uint32_t add_case(unsigned number)
{
    struct variant variant = variant_of(number);
    return measurement_add_case(&m, &variant, 0);
}

/* Where several processors measure, every case says which. */
TEST(cases_are_named_after_the_core)
{
    fake.platform.core = 12;
    assert_false(measurement_case(&m, add_case(1))->variant.has_core);
    assert_int_equal(measurement_case(&m, add_case(2))->variant.core, 0);
    fake.platform.core_in_cases = true;
    uint32_t third = add_case(3);
    assert_true(measurement_case(&m, third)->variant.has_core);
    assert_int_equal(measurement_case(&m, third)->variant.core, 12);
    struct variant shared = measurement_case(&m, third)->variant;
    shared.shared = true;
    assert_int_equal(measurement_case(&m, measurement_add_case(&m, &shared, 0))->variant.core, 12);
}

static struct row *add_row(uint32_t case_id, uint32_t n)
{
    struct distribution d = {.sorted = &n, .count = 1, .room = 1, .sum = n};
    struct row *row = measurement_add(&m, case_id, "tsc", "ticks", &d);
    row->n = n;
    return row;
}

/* --- cases ----------------------------------------------------------------------------------- */

/* Also beyond the first room, where they move. */
TEST(cases)
{
    for (unsigned i = 0; i < 1000; i++)
        assert_int_equal(add_case(i), i);
    assert_int_equal(m.case_count, 1000);
    for (unsigned i = 0; i < 1000; i++) {
        struct variant wanted = variant_of(i);
        strcpy(wanted.experiment, "made-up");
        assert_memory_equal(&m.cases[i].variant, &wanted, sizeof wanted);
        assert_false(m.cases[i].interrupts || m.cases[i].is_skipped || m.cases[i].has_rows);
        assert_null(m.cases[i].why_missing);
    }
    assert_null(m.failure);
}

TEST(a_skipped_case)
{
    uint32_t case_id = add_case(3);
    measurement_skip(&m, case_id, "no such pages");
    assert_true(m.cases[case_id].is_skipped);
    assert_false(m.cases[case_id].has_rows);
    assert_int_equal(m.row_count, 1);
    assert_string_equal(m.rows[0].metric, ROW_SKIPPED);
    assert_string_equal(m.rows[0].unit, "no such pages");
    assert_numbers((m.rows[0].samples, m.rows[0].n, m.rows[0].bytes), (0, ROW_NONE, ROW_NONE));
}

/* --- rows ------------------------------------------------------------------------------------ */

TEST(a_row_says_what_the_samples_say)
{
    static uint32_t sorted[] = {10, 20, 30, 40, 50, 60, 70, 80, 90, 1000};
    struct distribution d = {
        .sorted = sorted, .count = 10, .room = 10, .discarded = 3, .sum = 1450};
    uint32_t case_id = add_case(0);
    const struct row *row = measurement_add(&m, case_id, "metric", "unit", &d);
    assert_string_equal(row->metric, "metric");
    assert_string_equal(row->unit, "unit");
    assert_string_equal(row->variant.pattern, "p0");
    assert_string_equal(row->variant.experiment, "made-up");
    assert_numbers((row->n, row->k), (ROW_NONE, ROW_NONE));
    assert_numbers((row->bytes, row->stage), (ROW_NONE, ROW_NONE));
    assert_numbers((row->samples, row->discarded), (10, 3));
    assert_numbers((row->min, row->p10, row->median, row->p90), (10, 10, 55, 90));
    assert_numbers((row->max, row->mean), (1000, 145));
    assert_true(m.cases[case_id].has_rows);
}

TEST(a_row_without_samples)
{
    static const struct distribution none = {.discarded = 7};
    uint32_t case_id = add_case(0);
    const struct row *row = measurement_add(&m, case_id, "tsc", "ticks", &none);
    assert_numbers((row->samples, row->discarded), (0, 7));
    assert_true(isnan(row->median) && isnan(row->mean));
    assert_false(m.cases[case_id].has_rows);
}

TEST(one_value)
{
    uint32_t case_id = add_case(0);
    const struct row *row = measurement_add_value(&m, case_id, "rate", "Hz", 3e9);
    assert_numbers((row->samples, row->min, row->p10, row->median), (1, 3e9, 3e9, 3e9));
    assert_numbers((row->p90, row->max, row->mean), (3e9, 3e9, 3e9));
    row = measurement_add_value(&m, case_id, "rate", "Hz", 0);
    assert_int_equal(row->samples, 0);
    assert_true(isnan(row->median));
}

/* The row it copies is one of those that move when there has to be more room. */
TEST(in_nanoseconds_whenever_rows_move)
{
    uint32_t case_id = add_case(0);
    for (uint32_t i = 0; i < 4000; i++)
        measurement_add_in_ns(&m, case_id, add_row(case_id, 2 * i));
    assert_int_equal(m.row_count, 8000);
    for (uint32_t i = 0; i < 4000; i++) {
        const struct row *ns = &m.rows[2 * i + 1]; /* at 2 GHz */
        assert_numbers((m.rows[2 * i].median, ns->median, ns->mean), (2 * i, i, i));
        assert_numbers((ns->n, ns->samples), (2 * i, 1));
        assert_true(row_is(ns, "ns"));
        assert_string_equal(ns->unit, "ns");
    }
}

/* --- want of memory -------------------------------------------------------------------------- */

static void work_with_much(void)
{
    uint32_t first = add_case(0), other = add_case(1);
    for (unsigned i = 2; i < 200; i++)
        add_case(i);
    measurement_skip(&m, other, "no reason");
    for (uint32_t i = 0; i < 3000; i++)
        measurement_add_in_ns(&m, first, add_row(first, i));
}

/* Every call of it in turn: it is said, nothing is touched that is not there, all is given back. */
TEST(no_memory_at_any_call)
{
    work_with_much();
    unsigned calls = fake.allocations;
    assert_null(m.failure);
    stop();
    assert_in_range(calls, 6, 20);
    for (unsigned failing = 1; failing <= calls; failing++) {
        start();
        fake.failing = failing;
        work_with_much();
        assert_non_null(m.failure);
        assert_non_null(strstr(m.failure, "memory"));
        stop();
    }
    start();
}

/* What was known before is still there. */
TEST(rows_survive_a_want_of_memory)
{
    uint32_t case_id = add_case(0);
    while (m.row_count < 1000 || m.row_count < m.row_room)
        add_row(case_id, m.row_count);
    uint32_t known = m.row_count;
    fake.failing = fake.allocations + 1;
    add_row(case_id, 4711);
    assert_non_null(m.failure);
    assert_int_equal(m.row_count, known);
    for (uint32_t i = 0; i < m.row_count; i++)
        assert_int_equal(m.rows[i].n, i);
    m.failure = NULL;
    add_row(case_id, known);
    assert_null(m.failure);
    assert_int_equal(m.row_count, known + 1);
}

/* --- progress -------------------------------------------------------------------------------- */

/* NULL: nothing is printed. */
static void assert_line(double done, uint64_t seconds, const char *wanted)
{
    ticks = m.started + seconds * fake.platform.ticks_per_second;
    line[0] = '\0';
    measurement_progress(&m, done, false);
    assert_string_equal(line, wanted != NULL ? wanted : "");
}

/* The second of five experiments; the first took a minute, the others will take half of one. */
static void start_progress(void)
{
    fake.platform.print = print;
    m.run_started = 12345;
    m.started = m.run_started + 60 * fake.platform.ticks_per_second;
    m.number = 2;
    m.numbers = 5;
    m.later = 30;
}

TEST(progress)
{
    start_progress();
    assert_line(0, 0, "\rmade-up  0 %  left 0:00  experiment 2 of 5, 1:00 of about 1:30");
    assert_line(0.25, 90, "\rmade-up  25 %  left 4:30  experiment 2 of 5, 2:30 of about 7:30");
    assert_line(1, 3600, "\rmade-up  100 %  left 0:00  experiment 2 of 5, 61:00 of about 61:30");
    assert_line(1e-9, 7200,
                "\rmade-up  0 %  left 9999:00  experiment 2 of 5, 121:00 of about 9999:00");
    /* Only what is left of a longer line is blanked. */
    assert_line(0.5, 7201,
                "\rmade-up  50 %  left 120:01  experiment 2 of 5, 121:01 of about 241:32 ");
    assert_line(1, 7202, "\rmade-up  100 %  left 0:00  experiment 2 of 5, 121:02 of about 121:32 ");
}

TEST(progress_once_a_second)
{
    start_progress();
    assert_line(0.1, 5, "\rmade-up  10 %  left 0:45  experiment 2 of 5, 1:05 of about 2:20");
    ticks += fake.platform.ticks_per_second - 1;
    line[0] = '\0';
    measurement_progress(&m, 0.2, false);
    assert_string_equal(line, "");
    assert_line(0.2, 6, "\rmade-up  20 %  left 0:24  experiment 2 of 5, 1:06 of about 2:00");
    /* The end does not wait, and is not said twice. */
    assert_line(1, 6, "\rmade-up  100 %  left 0:00  experiment 2 of 5, 1:06 of about 1:36");
    assert_line(1, 6, NULL);
    m.brief = true;
    assert_line(0.5, 8, NULL);
}

/* In a file, or another program's pipe. */
TEST(progress_in_lines)
{
    start_progress();
    fake.platform.has_no_cursor = true;
    assert_line(0, 0, NULL);
    assert_line(0.5, 9, NULL);
    assert_line(0.5, 10, "made-up  50 %  left 0:10  experiment 2 of 5, 1:10 of about 1:50\n");
    assert_line(0.9, 19, NULL);
    assert_line(0.9, 20, "made-up  90 %  left 0:02  experiment 2 of 5, 1:20 of about 1:52\n");
    assert_line(1, 21, NULL);
}

TEST(progress_of_refinement)
{
    start_progress();
    ticks = m.started + 90 * fake.platform.ticks_per_second;
    measurement_progress(&m, 0.75, true);
    assert_string_equal(line, "\rmade-up  75 %  refining  experiment 2 of 5, 2:30 of about 3:30");
    assert_line(0.75, 93, "\rmade-up  75 %  left 0:31  experiment 2 of 5, 2:33 of about 3:34");
}

/* Not even the longest line wraps. */
TEST(progress_that_is_long)
{
    start_progress();
    m.experiment = "structures";
    m.number = m.numbers = 12;
    m.later = 1e9;
    assert_line(1e-9, 599939,
                "\rstructures  0 %  left 9999:00  experiment 12 of 12, 9999:00 of about 9999:00");
}

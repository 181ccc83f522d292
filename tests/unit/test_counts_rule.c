/* test_counts_rule: verdicts from hand-made counted rows. */
#include "../../kernel/experiments/sweeps/counts_rule.h"
#include "rows.h"
#include "rules.h"

#include "kit.h"

#define PENDING "l1d_pend_miss_pending"
#define CYCLES "l1d_pend_miss_pending_cycles"

SETUP(start)
{
    rows_clear();
}

static struct row *add(const char *metric, int64_t n, int64_t k, double value)
{
    struct row *row = rows_add("mlp", "2m", n, k, value);
    row->samples = 50;
    strcpy(row->metric, metric);
    return row;
}

/* A probe without loads takes 37 instructions besides its K fillers, and the clock's rows lie by.
 */
static void add_points(int64_t smallest_k)
{
    add("instructions", 0, smallest_k, (double)(37 + smallest_k));
    for (int64_t n = 1; n <= 20; n++) {
        add("instructions", n, smallest_k, (double)(37 + n + smallest_k));
        add("tsc", n, smallest_k, 400);
    }
    for (int64_t k = smallest_k; k <= 64; k += 16)
        add("instructions", 2, k, (double)(37 + 2 + k));
}

static void add_level(int64_t stage, double p10, double median, double p90)
{
    struct row *row = add(PENDING, 20, 0, median);
    row->stage = stage;
    row->p10 = p10;
    row->p90 = p90;
}

static const struct verdict *judged(const char *name)
{
    judge_rows(counts_judge);
    return rows_verdict(&verdicts, "2m", name);
}

TEST(no_counters_no_verdicts)
{
    add("tsc", 1, 0, 400);
    assert_null(judged("payload_surplus"));
    assert_int_equal(verdicts.count, 0);
}

TEST(the_payload_is_exact)
{
    for (int64_t k = 0; k <= 8; k += 8) {
        row_count = 0;
        add_points(k);
        const struct verdict *v = judged("payload_surplus");
        assert_int_equal(v->status, VERDICT_OK);
        assert_true(v->value == 0 && v->low == 0 && v->high == 0);
        assert_string_equal(name_of(&v->of), "2m");
    }
}

TEST(one_instruction_too_many_or_too_few)
{
    for (int off = -3; off <= 3; off += 2) {
        row_count = 0;
        add_points(0);
        rows[7].median += off; /* N = 4 */
        const struct verdict *v = judged("payload_surplus");
        assert_int_equal(v->status, VERDICT_DOUBT);
        assert_true(v->value == off);
    }
}

TEST(the_spread_is_said)
{
    add_points(0);
    rows[1].p90 = rows[1].median + 4;
    const struct verdict *v = judged("payload_surplus");
    assert_int_equal(v->status, VERDICT_OK);
    assert_true(v->low == -4 && v->high == 4);
}

TEST(other_units_keys)
{
    add("instructions_gp", 0, 0, 40);
    add("instructions_gp", 5, 0, 45);
    add(PENDING, 5, 0, 1000);
    add("l1d_pend_miss_pending_cycles_derived", 5, 0, 250);
    assert_int_equal(judged("payload_surplus")->status, VERDICT_OK);
    assert_true(judged("mlp_counted")->value == 4);
}

/* What is counted without loads, by either key; never what is counted with them. */
TEST(what_reading_costs)
{
    static const char *const keys[] = {"core_cycles", "core_cycles_gp"};

    for (unsigned i = 0; i < 2; i++)
        for (int64_t k = 0; k <= 8; k += 8) {
            row_count = 0;
            for (int64_t n = 2; n >= 0; n--) {
                struct row *row = add(keys[i], n, k, 180 + 300 * (double)n);
                row->p10 -= 6;
                row->p90 += 20;
            }
            add("tsc", 1, k, 170);
            add_points(k);
            const struct verdict *v = judged("reading_cost");
            assert_int_equal(v->status, VERDICT_OK);
            assert_true(v->value == 180 && v->low == 174 && v->high == 200);
            assert_string_equal(v->unit, "cycles");
            assert_non_null(strstr(v->method, k == 0 ? "K = 0;" : "K = 8;"));
        }
}

TEST(reading_without_a_clock)
{
    add_points(0);
    assert_int_equal(judged("reading_cost")->status, VERDICT_SKIP);
    add("core_cycles", 1, 0, 500);
    assert_int_equal(judged("reading_cost")->status, VERDICT_SKIP);
    add("core_cycles", 0, 0, 0);
    assert_int_equal(judged("reading_cost")->status, VERDICT_DOUBT);
}

/* The ratio of the largest N at the smallest K, whatever else was counted. */
TEST(the_ratio)
{
    add_points(0);
    for (int64_t n = 1; n <= 20; n++) {
        add(PENDING, n, 0, 300.0 * (double)n);
        add(CYCLES, n, 0, 400);
    }
    add(PENDING, 2, 64, 9999);
    add_level(1, 900, 900, 900);
    const struct verdict *v = judged("mlp_counted");
    assert_int_equal(v->status, VERDICT_OK);
    assert_true(v->value == 15 && v->low == 15 && v->high == 15);
    assert_non_null(strstr(v->method, "N = 20"));
}

TEST(a_scattering_ratio_is_in_doubt)
{
    add_points(0);
    struct row *row = add(PENDING, 20, 0, 4000);
    add(CYCLES, 20, 0, 400);
    row->p10 = 2000;
    row->p90 = 6000;
    const struct verdict *v = judged("mlp_counted");
    assert_int_equal(v->status, VERDICT_DOUBT);
    assert_true(v->value == 10);
    /* 4000 / 2.563 / sqrt(50) / 4000 * 1.96 * 10 */
    assert_true(fabs(v->high - 10 - 1.0815) < 0.001 && fabs(10 - v->low - 1.0815) < 0.001);
}

TEST(half_a_ratio_is_none)
{
    add_points(0);
    add(PENDING, 20, 0, 4000);
    assert_int_equal(judged("mlp_counted")->status, VERDICT_SKIP);
    add(CYCLES, 20, 0, 0);
    assert_int_equal(judged("mlp_counted")->status, VERDICT_SKIP);
    assert_int_equal(judged("fill_buffers_seen")->status, VERDICT_SKIP);
}

TEST(the_highest_level)
{
    add_points(0);
    add(PENDING, 20, 0, 4000);
    for (int64_t level = 20; level >= 1; level--)
        add_level(level, level <= 9 ? 5 : 0, level <= 10 ? 8 : 0, level <= 12 ? 9 : 0);
    const struct verdict *v = judged("fill_buffers_seen");
    assert_int_equal(v->status, VERDICT_OK);
    assert_true(v->value == 10 && v->low == 9 && v->high == 12);
}

TEST(too_few_loads_for_the_levels)
{
    add_points(0);
    add(PENDING, 20, 0, 4000);
    for (int64_t level = 1; level <= 20; level++)
        add_level(level, 5, 5, 5);
    const struct verdict *v = judged("fill_buffers_seen");
    assert_int_equal(v->status, VERDICT_DOUBT);
    assert_true(v->value == 20);
}

TEST(nothing_in_use)
{
    add_points(0);
    add(PENDING, 20, 0, 0);
    for (int64_t level = 1; level <= 4; level++)
        add_level(level, 0, 0, 0);
    assert_int_equal(judged("fill_buffers_seen")->status, VERDICT_DOUBT);
}

TEST(rows_without_samples_say_nothing)
{
    add("instructions", 0, 0, 40)->samples = 0;
    assert_null(judged("payload_surplus"));
}

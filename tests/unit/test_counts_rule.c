/* test_counts_rule: verdicts from hand-made counted rows. */
#include "../../kernel/experiments/sweeps/counts_rule.h"
#include "rows.h"
#include "rules.h"

#include "kit.h"

#define PENDING "l1d_pend_miss_pending"
#define CYCLES "l1d_pend_miss_pending_cycles"

static void judge_counts(const struct evidence *e)
{
    counts_judge(e, counts_payload);
    counts_judge(e, counts_of_loads);
}

static const struct rule counts = {.judge = judge_counts};

SETUP(start)
{
    rows_start("mlp", &counts, 50, 0);
}

static struct row *add_count(const char *metric, int64_t n, int64_t k, double value)
{
    return add("2m", metric, n, k, value);
}

/* A probe without loads takes 37 instructions beside K fillers, and the clock's rows lie by. */
static void add_points(int64_t smallest_k)
{
    rows_clear();
    add_count("instructions", 0, smallest_k, (double)(37 + smallest_k));
    for (int64_t n = 1; n <= 20; n++) {
        add_count("instructions", n, smallest_k, (double)(37 + n + smallest_k));
        add_count("tsc", n, smallest_k, 400);
    }
    for (int64_t k = smallest_k; k <= 64; k += 16)
        add_count("instructions", 2, k, (double)(37 + 2 + k));
}

/* A threshold, and cycles at or above it in the fastest, usual and slowest samples. */
static void add_level(int64_t stage, double p10, double median, double p90)
{
    struct row *row = add_count(PENDING, 20, 0, median);
    row->stage = stage;
    row->p10 = p10;
    row->p90 = p90;
}

static void assert_judged(const char *name, enum verdict_status status, double value, double low,
                          double high)
{
    assert_interval(assert_verdict("2m", name, status, value), low, high);
}

static void assert_skipped(const char *name)
{
    assert_judged(name, SKIP, NAN, NAN, NAN);
}

/* Nothing was counted, or no sample was. */
TEST(no_counters_no_verdicts)
{
    add_count("tsc", 1, 0, 400);
    add_count("instructions", 0, 0, 40)->samples = 0;
    assert_count(0);
}

TEST(the_payload)
{
    for (int64_t k = 0; k <= 8; k += 8) {
        add_points(k);
        assert_judged("payload_surplus", OK, 0, 0, 0);
    }
    for (int off = -3; off <= 3; off += 2) { /* instructions too many of N = 4 */
        add_points(0);
        rows[7].median += off;
        assert_judged("payload_surplus", DOUBT, off, off, off);
    }
    add_points(0); /* the spread is said */
    rows[1].p90 = rows[1].median + 4;
    assert_judged("payload_surplus", OK, 0, -4, 4);
}

TEST(other_units_keys)
{
    add_count("instructions_gp", 0, 0, 40);
    add_count("instructions_gp", 5, 0, 45);
    add_count(PENDING, 5, 0, 1000);
    add_count("l1d_pend_miss_pending_cycles_derived", 5, 0, 250);
    assert_judged("payload_surplus", OK, 0, 0, 0);
    assert_judged("mlp_counted", OK, 4, 4, 4);
}

/* Reads the row without loads, by either key; never rows with loads. */
TEST(what_reading_costs)
{
    static const char *const keys[] = {"core_cycles", "core_cycles_gp"};
    for (unsigned i = 0; i < 4; i++) {
        int64_t k = i / 2 * 8;
        add_points(k);
        for (int64_t n = 2; n >= 0; n--) {
            struct row *row = add_count(keys[i % 2], n, k, 180 + 300 * (double)n);
            row->p10 -= 6;
            row->p90 += 20;
        }
        assert_judged("reading_cost", OK, 180, 174, 200);
        assert_words("2m", "reading_cost", k == 0 ? "K = 0;" : "K = 8;");
    }
    add_points(0);
    assert_skipped("reading_cost");
    add_count("core_cycles", 1, 0, 500);
    assert_skipped("reading_cost");
    add_count("core_cycles", 0, 0, 0);
    assert_judged("reading_cost", DOUBT, 0, 0, 0);
}

/* The ratio of the largest N at the smallest K, whatever else was counted. */
TEST(the_ratio)
{
    add_points(0);
    for (int64_t n = 1; n <= 20; n++) {
        add_count(PENDING, n, 0, 300.0 * (double)n);
        add_count(CYCLES, n, 0, 400);
    }
    add_count(PENDING, 2, 64, 9999);
    add_level(1, 900, 900, 900);
    assert_judged("mlp_counted", OK, 15, 15, 15);
    assert_words("2m", "mlp_counted", "N = 20");
    rows_spread(rows_find(PENDING, 20), 2000);
    const double wide = 4000 / 2.563 / sqrt(50) / 6000 * 1.96 * 15;
    assert_judged("mlp_counted", DOUBT, 15, 15 - wide, 15 + wide);
}

TEST(half_a_ratio_is_none)
{
    add_points(0);
    add_count(PENDING, 20, 0, 4000);
    assert_skipped("mlp_counted");
    add_count(CYCLES, 20, 0, 0);
    assert_skipped("mlp_counted");
    assert_skipped("fill_buffers_seen");
    rows_find(CYCLES, 20)->mean = 400; /* cycles, and no misses in them */
    rows_find(PENDING, 20)->mean = 0;
    assert_judged("mlp_counted", OK, 0, 0, 0);
}

/* N = 20: as many levels as loads may be too few; or no buffer was in use. */
TEST(the_highest_level)
{
    static const struct {
        int64_t low, seen, high;
        enum verdict_status status;
        const char *words;
    } cases[] = {{9, 10, 12, OK, "the most in use in any cycle at N = 20"},
                 {19, 19, 20, OK, "N = 20"},
                 {20, 20, 20, DOUBT, "range-ends"},
                 {0, 0, 0, DOUBT, "count-is-off"}};
    for (EACH(c, cases)) {
        add_points(0);
        add_count(PENDING, 20, 0, 4000);
        for (int64_t level = 20; level >= 1; level--)
            add_level(level, level <= c->low ? 5 : 0, level <= c->seen ? 8 : 0,
                      level <= c->high ? 9 : 0);
        assert_judged("fill_buffers_seen", c->status, (double)c->seen, (double)c->low,
                      (double)c->high);
        assert_words("2m", "fill_buffers_seen", c->words);
    }
}

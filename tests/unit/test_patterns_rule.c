/* test_walk_rule: verdicts of walks from rows made up here, wrong sums among them. */
#include "../../kernel/analysis/statistics.h"
#include "../../kernel/experiments/experiment.h"
#include "../../kernel/experiments/patterns/patterns_rule.h"
#include "../../kernel/report/csv.h"
#include "rows.h"
#include "rules.h"

#include "kit.h"

#define PIECE 262144
#define BYTES (256 << 20)
#define WORDS (BYTES / 8)

static struct row *add(const char *variant, const char *metric, int64_t k, double median)
{
    struct row *row = rows_add("patterns", variant, ROW_NONE, k, median);
    row->bytes = BYTES;
    row->samples = k == PIECE ? 384 : 1;
    name_copy(row->metric, metric);
    return row;
}

/* A standard deviation of 0.00707 around 1. */
static const double of_round[] = {0.99, 1, 1.01, 1, 1};
#define ROUNDS (sizeof of_round / sizeof *of_round)
#define REACH (student_95(4) * 0.0070711 / 2.2360680)

static void add_walk(const char *variant, const char *metric, int64_t round, double value)
{
    add(variant, metric, WORDS, value)->stage = round;
}

/* One case: so many ticks an access, at 2 GHz; a hundredth more in whole walks. */
static void add_case(const char *variant, double ticks)
{
    add(variant, "tsc", PIECE, ticks * PIECE);
    add(variant, "ns", PIECE, ticks / 2 * PIECE);
    for (unsigned i = 0; i < ROUNDS; i++) {
        add_walk(variant, "tsc", i, ticks * 1.01 * of_round[i] * WORDS);
        add_walk(variant, "ns", i, ticks / 2 * 1.01 * of_round[i] * WORDS);
        add_walk(variant, WALK_SUM, i, walk_sum(BYTES));
    }
}

static struct row *row_of(const char *variant, const char *metric, int64_t k)
{
    for (size_t i = 0; i < row_count; i++)
        if (is_case(&rows[i].of, variant) && strcmp(rows[i].metric, metric) == 0 && rows[i].k == k)
            return &rows[i];
    fail_msg("no row %s %s", variant, metric);
    return NULL;
}

static struct row *walk_of(const char *variant, const char *metric, int64_t round)
{
    for (size_t i = 0; i < row_count; i++)
        if (rows[i].stage == round && is_case(&rows[i].of, variant) &&
            strcmp(rows[i].metric, metric) == 0)
            return &rows[i];
    fail_msg("no walk %s %s %ld", variant, metric, (long)round);
    return NULL;
}

SETUP(start)
{
    rows_clear();
    add_case("linear-2m", 2);
    add_case("page-2m", 6);
    add_case("heap-2m", 40);
    add_case("random-2m", 50);
}

static void judge_all(void)
{
    judge_rows(rule_patterns.judge);
    rows_compare(rows, row_count, rule_patterns.compare, &verdicts);
    assert_words_fit();
}

static const struct verdict *judged(const char *variant, const char *name)
{
    judge_all();
    return rows_verdict(&verdicts, variant, name);
}

static void assert_near(double value, double wanted)
{
    if (!(fabs(value - wanted) <= 1e-4 * fabs(wanted)))
        fail_msg("%.12f instead of %.12f", value, wanted);
}

/* Word by word, for the smaller ones; the largest by arithmetic in 128 bits. */
TEST(sum)
{
    for (int64_t megabytes = 2; megabytes <= 32; megabytes *= 2) {
        uint64_t sum = 0;
        for (int64_t i = 0; i < megabytes << 17; i++)
            sum += (uint64_t)(i % 262144 + i / 262144);
        assert_true(walk_sum(megabytes << 20) == (double)sum);
    }
    for (int64_t gigabytes = 1; gigabytes <= 64; gigabytes *= 2) {
        __int128 words = (__int128)gigabytes << 27, pages = words / 262144;
        __int128 sum = words * 262143 / 2 + 262144 * (pages * (pages - 1) / 2);
        assert_true((__int128)walk_sum(gigabytes << 30) == sum);
        assert_true(sum < (__int128)1 << 53);
    }
}

/* As a table keeps it: the largest sum comes back whole. */
TEST(sum_in_a_table)
{
    static const int64_t bytes = (int64_t)64 << 30;
    char memory[CSV_ROW_MAX], wanted[64];
    struct text text;

    struct row *row = add("heap-4k", WALK_SUM, bytes / 8, walk_sum(bytes));
    text_init(&text, memory, sizeof memory);
    row_scale(row, 1);
    csv_result(&text, row);
    snprintf(wanted, sizeof wanted, ",%.0f,%.0f,", walk_sum(bytes), walk_sum(bytes));
    assert_non_null(strstr(memory, wanted));
}

TEST(times)
{
    const struct verdict *v = judged("heap-2m", "ticks_per_access");

    assert_int_equal(v->status, VERDICT_OK);
    assert_near(v->value, 40.4);
    assert_near(v->value - v->low, 40.4 * REACH);
    assert_near(v->high - v->value, 40.4 * REACH);
    assert_string_equal(v->unit, "ticks");
    assert_string_equal(v->method, "mean of 5 whole walks; their pieces' median 40.00");
    v = judged("heap-2m", "ns_per_access");
    assert_int_equal(v->status, VERDICT_OK);
    assert_near(v->value, 20.2);
    assert_string_equal(v->unit, "ns");
}

/* Walks that agree to the tick are known as well as their pieces, and never without any width. */
TEST(walks_that_agree)
{
    for (unsigned i = 0; i < ROUNDS; i++)
        walk_of("page-2m", "tsc", i)->mean = 6.0 * WORDS;
    const struct verdict *v = judged("page-2m", "ticks_per_access");
    assert_true(v->value == 6);
    assert_near(v->high, 6.001);
    assert_near(v->low, 5.999);
    struct row *row = row_of("page-2m", "tsc", PIECE);
    row->p90 = row->median * (1 + 2.563 * 0.3);
    v = judged("page-2m", "ticks_per_access");
    assert_near(v->high / v->value, 1 + 1.96 * 1.253 * 0.3 / sqrt(384));
}

TEST(walks_that_scatter)
{
    walk_of("page-2m", "tsc", 3)->mean *= 1.2;
    const struct verdict *v = judged("page-2m", "ticks_per_access");
    assert_int_equal(v->status, VERDICT_DOUBT);
    assert_non_null(strstr(v->method, "whole walks that scatter"));
    assert_int_equal(judged("page-2m", "ns_per_access")->status, VERDICT_OK);
}

/* What interrupts a walk is in none of its pieces, which are then far from it; a little is not. */
TEST(walks_far_from_their_pieces)
{
    static const double shares[] = {0.92, 0.97, 1, 1.05, 1.09};
    for (size_t i = 0; i < sizeof shares / sizeof *shares; i++) {
        start();
        rows_center(row_of("page-2m", "tsc", PIECE), shares[i] * 6.06 * PIECE);
        rows_spread(row_of("page-2m", "tsc", PIECE), 0);
        const struct verdict *v = judged("page-2m", "ticks_per_access");
        bool far = fabs(shares[i] - 1) > 0.06;
        assert_int_equal(v->status, far ? VERDICT_DOUBT : VERDICT_OK);
        assert_int_equal(strstr(v->method, "far from their pieces' median") != NULL, far);
        assert_near(v->value, 6.06);
    }
}

/* As in files that have one row for all of them. */
TEST(walks_that_are_not_told_apart)
{
    for (size_t i = 0; i < row_count; i++)
        if (rows[i].stage > 0)
            rows[i].samples = 0;
    const struct verdict *v = judged("heap-2m", "ticks_per_access");
    assert_int_equal(v->status, VERDICT_DOUBT);
    assert_near(v->value, 40.4 * 0.99);
    assert_true(isnan(v->low) && isnan(v->high));
    assert_string_equal(v->method, "not the times of two whole walks by themselves");
    v = judged("heap-2m", "heap_over_linear");
    assert_int_equal(v->status, VERDICT_DOUBT);
    assert_near(v->value, 20);
    assert_true(isnan(v->low) && isnan(v->high));
    assert_string_equal(v->method, "needs two rounds or more with both walks");
    walk_of("linear-2m", "tsc", 0)->samples = 0;
    assert_int_equal(judged("heap-2m", "heap_over_linear")->status, VERDICT_SKIP);
}

/* A walk that read other words than the array holds has no time, and nothing is compared to it. */
TEST(a_wrong_sum_is_an_error)
{
    for (unsigned i = 0; i < 2; i++) {
        start();
        struct row *sum = walk_of("heap-2m", WALK_SUM, i == 0 ? 0 : ROUNDS - 1);
        *(i == 0 ? &sum->min : &sum->max) += i == 0 ? -1 : 1;
        assert_int_equal(judged("heap-2m", "ns_per_access")->status, VERDICT_ERROR);
        const struct verdict *v = judged("heap-2m", "ticks_per_access");
        assert_int_equal(v->status, VERDICT_ERROR);
        assert_true(isnan(v->value) && isnan(v->low) && isnan(v->high));
        assert_string_equal(v->method, i == 0 ? "words add up to 4400160440319 instead of 440016044"
                                                "0320"
                                              : "words add up to 4400160440321 instead of 440016044"
                                                "0320");
        v = judged("heap-2m", "heap_over_linear");
        assert_int_equal(v->status, VERDICT_ERROR);
        assert_true(isnan(v->value));
        assert_int_equal(judged("linear-2m", "ns_per_access")->status, VERDICT_OK);
        assert_int_equal(judged("page-2m", "page_over_linear")->status, VERDICT_OK);
    }
    start();
    row_of("linear-2m", WALK_SUM, WORDS)->max += 1;
    assert_int_equal(judged("heap-2m", "ns_per_access")->status, VERDICT_OK);
    assert_int_equal(judged("heap-2m", "heap_over_linear")->status, VERDICT_ERROR);
    assert_int_equal(judged("page-2m", "page_over_linear")->status, VERDICT_ERROR);
}

TEST(without_a_sum)
{
    for (unsigned i = 0; i < ROUNDS; i++)
        walk_of("heap-2m", WALK_SUM, i)->samples = 0;
    const struct verdict *v = judged("heap-2m", "ns_per_access");
    assert_int_equal(v->status, VERDICT_DOUBT);
    assert_string_equal(v->method, "no sum shows that the words were read");
}

/* Every piece was disturbed. */
TEST(without_samples)
{
    row_of("heap-2m", "tsc", PIECE)->samples = 0;
    assert_int_equal(judged("heap-2m", "ticks_per_access")->status, VERDICT_SKIP);
    assert_int_equal(judged("heap-2m", "ns_per_access")->status, VERDICT_OK);
    assert_int_equal(judged("heap-2m", "heap_over_linear")->status, VERDICT_SKIP);
}

TEST(ratios)
{
    static const struct {
        const char *variant, *name;
        double wanted;
    } cases[] = {
        {"page-2m", "page_over_linear", 3},
        {"heap-2m", "heap_over_linear", 20},
        {"random-2m", "random_over_linear", 25},
        {"page-4k-nopf", "page_over_linear", 5},
    };

    add_case("page-4k-nopf", 50);
    add_case("linear-4k-nopf", 10);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const struct verdict *v = judged(cases[i].variant, cases[i].name);
        assert_int_equal(v->status, VERDICT_OK);
        assert_near(v->value, cases[i].wanted);
    }
    assert_int_equal(verdicts.count, 6 * 3 + 4);
    assert_null(judged("linear-2m", "page_over_linear"));
    assert_null(judged("page-2m", "heap_over_linear"));
}

TEST(ratio_interval)
{
    struct row *page = row_of("page-2m", "tsc", PIECE);
    struct row *linear = row_of("linear-2m", "tsc", PIECE);

    page->p90 += page->median;
    linear->p90 += linear->median;
    double reach = 1.96 * 1.253 / 2.563 / sqrt(384);
    const struct verdict *v = judged("page-2m", "page_over_linear");
    assert_near(v->low, 3 * (1 - reach * sqrt(2)));
    assert_near(v->high, 3 * (1 + reach * sqrt(2)));
}

/* What changes from round to round meets both: the ratio does not scatter. */
TEST(ratio_of_each_round)
{
    for (unsigned i = 0; i < ROUNDS; i++) {
        walk_of("page-2m", "tsc", i)->mean = (6 + i) * WORDS;
        walk_of("linear-2m", "tsc", i)->mean = (2 + i / 3.0) * WORDS;
    }
    assert_int_equal(judged("page-2m", "ticks_per_access")->status, VERDICT_DOUBT);
    const struct verdict *v = judged("page-2m", "page_over_linear");
    assert_int_equal(v->status, VERDICT_OK);
    assert_near(v->value, 3);
    assert_near(v->high, 3.001);
    assert_near(v->low, 2.999);
    assert_string_equal(v->method, "mean of 5 rounds; 8.00 against 2.67 ticks an access");
}

/* Only those that both have; without the second of one the other's is left out, too. */
TEST(ratio_of_the_same_rounds)
{
    walk_of("linear-2m", "tsc", 1)->samples = 0;
    walk_of("page-2m", "tsc", 4)->samples = 0;
    walk_of("page-2m", "tsc", 1)->mean = 1000.0 * WORDS;
    walk_of("page-2m", "tsc", 3)->mean = 3.0 * WORDS * 2.02;
    const struct verdict *v = judged("page-2m", "page_over_linear");
    assert_near(v->value, 3);
    assert_non_null(strstr(v->method, "mean of 3 rounds"));
}

TEST(ratio_without_a_difference)
{
    for (unsigned i = 0; i < ROUNDS; i++)
        walk_of("page-2m", "tsc", i)->mean = (i % 2 == 0 ? 1.9 : 2.3) * WORDS;
    const struct verdict *v = judged("page-2m", "page_over_linear");
    assert_int_equal(v->status, VERDICT_DOUBT);
    assert_string_equal(v->method,
                        "no clear difference in 5 rounds; 2.06 against 2.02 ticks an access");
    for (unsigned i = 0; i < ROUNDS; i++)
        walk_of("page-2m", "tsc", i)->mean = 1.0 * WORDS;
    assert_int_equal(judged("page-2m", "page_over_linear")->status, VERDICT_OK);
}

TEST(ratio_needs_its_partner)
{
    row_count = 0;
    add_case("page-2m", 6);
    add_case("linear-4k", 2);
    const struct verdict *v = judged("page-2m", "page_over_linear");
    assert_int_equal(v->status, VERDICT_SKIP);
    assert_true(isnan(v->value));
}

TEST(ratio_of_different_sizes)
{
    row_of("page-2m", "tsc", PIECE)->bytes *= 2;
    const struct verdict *v = judged("page-2m", "page_over_linear");
    assert_int_equal(v->status, VERDICT_DOUBT);
    assert_string_equal(v->method, "the arrays are not of one size");
}

TEST(cpi)
{
    const struct verdict *v = judged("heap-2m", "cpi");

    assert_int_equal(v->status, VERDICT_SKIP);
    row_count = 0;
    add_case("heap-2m", 40);
    add("heap-2m", "instructions", PIECE, 5.0 * PIECE);
    add("heap-2m", "core_cycles_gp", PIECE, 32.0 * PIECE);
    v = judged("heap-2m", "cpi");
    assert_int_equal(v->status, VERDICT_OK);
    assert_near(v->value, 6.4);
    assert_string_equal(v->method, "cycles over instructions; 32.00 over 5.00 an access");
    row_of("heap-2m", "instructions", PIECE)->median = 0;
    assert_int_equal(judged("heap-2m", "cpi")->status, VERDICT_SKIP);
}

/* A stored table may hold anything. */
TEST(coordinates_that_mean_nothing)
{
    for (size_t i = 0; i < row_count; i++) {
        rows[i].k = i % 2 == 0 ? 0 : ROW_NONE;
        rows[i].bytes = i % 3 == 0 ? ROW_NONE : 0;
    }
    judge_all();
    for (size_t i = 0; i < verdicts.count; i++)
        assert_int_equal(verdicts.at[i].status, VERDICT_SKIP);
    row_count = 1;
    judge_all();
}

/* A timer that stands still times nothing. */
TEST(no_time_at_all)
{
    for (size_t i = 0; i < row_count; i++)
        if (strcmp(rows[i].metric, WALK_SUM) != 0) {
            rows_center(&rows[i], 0);
            rows_spread(&rows[i], 0);
        }
    judge_all();
    assert_true(verdicts.count > 0);
    for (size_t i = 0; i < verdicts.count; i++)
        assert_int_not_equal(verdicts.at[i].status, VERDICT_OK);
}

/* test_patterns_rule: verdicts from rows made up here, wrong sums among them. */
#include "../../kernel/analysis/statistics.h"
#include "../../kernel/experiments/experiment.h"
#include "../../kernel/experiments/facts.h"
#include "../../kernel/experiments/patterns/patterns_rule.h"
#include "../../kernel/report/csv.h"
#include "rows.h"
#include "rules.h"

#include "kit.h"

#define PIECE 262144
#define BYTES (256 << 20)
#define WORDS (BYTES / 8)
#define TICKS "ticks_per_access"

static struct row *add_row(const char *variant, const char *metric, int64_t k, double median)
{
    struct row *row = add(variant, metric, ROW_NONE, k, median);
    row->bytes = BYTES;
    row->samples = k == PIECE ? 384 : 1;
    return row;
}

/* A standard deviation of 0.00707 around 1. */
static const double scatter[] = {0.99, 1, 1.01, 1, 1};
#define ROUNDS (sizeof scatter / sizeof *scatter)
#define SCATTER (student_95(4) * 0.0070711 / 2.2360680)

/* One case: so many ticks an access, at 2 GHz; a hundredth more in whole passes. */
static void add_case(const char *variant, double ticks)
{
    add_row(variant, "tsc", PIECE, ticks * PIECE);
    add_row(variant, "ns", PIECE, ticks / 2 * PIECE);
    for (unsigned i = 0; i < ROUNDS; i++) {
        add_row(variant, "tsc", WORDS, ticks * 1.01 * scatter[i] * WORDS)->stage = i;
        add_row(variant, "ns", WORDS, ticks / 2 * 1.01 * scatter[i] * WORDS)->stage = i;
        add_row(variant, PATTERNS_SUM, WORDS, patterns_sum(BYTES))->stage = i;
    }
}

/* The whole pass of that round; of ROW_NONE, the pieces. */
static struct row *pass_of(const char *variant, const char *metric, int64_t round)
{
    for (ROWS_OF(row, variant, metric))
        if (row->stage == round)
            return row;
    fail_msg("no %s %s %ld", variant, metric, (long)round);
    return NULL;
}

static struct row *pieces_of(const char *variant, const char *metric)
{
    return pass_of(variant, metric, ROW_NONE);
}

SETUP(start)
{
    rows_start("patterns", &rule_patterns, 1, 0);
    add_case("linear-2m", 2);
    add_case("page-2m", 6);
    add_case("heap-2m", 40);
    add_case("random-2m", 50);
}

/* To a ten-thousandth of the value, and of what the interval reaches to either side. */
static void assert_about(const struct verdict *v, double value, double below, double above)
{
    assert_within(v->value, value * 0.9999, value * 1.0001);
    assert_within(v->value - v->low, below * 0.9999, below * 1.0001);
    assert_within(v->high - v->value, above * 0.9999, above * 1.0001);
}

/* Word by word, for the smaller ones; the largest by arithmetic in 128 bits. */
TEST(sum)
{
    for (int64_t megabytes = 2; megabytes <= 32; megabytes *= 2) {
        uint64_t sum = 0;
        for (int64_t i = 0; i < megabytes << 17; i++)
            sum += (uint64_t)(i % 262144 + i / 262144);
        assert_true(patterns_sum(megabytes << 20) == (double)sum);
    }
    for (int64_t gigabytes = 1; gigabytes <= 64; gigabytes *= 2) {
        __int128 words = (__int128)gigabytes << 27, pages = words / 262144;
        __int128 sum = words * 262143 / 2 + 262144 * (pages * (pages - 1) / 2);
        assert_true((__int128)patterns_sum(gigabytes << 30) == sum);
        assert_true(sum < (__int128)1 << 53);
    }
}

/* As a table keeps it: the largest sum comes back whole. */
TEST(sum_in_a_table)
{
    static const int64_t bytes = (int64_t)64 << 30;
    char memory[CSV_ROW_MAX], wanted[64];
    struct text text;
    struct row *row = add_row("heap-4k", PATTERNS_SUM, bytes / 8, patterns_sum(bytes));
    text_init(&text, memory, sizeof memory);
    row_scale(row, 1);
    csv_result(&text, row);
    snprintf(wanted, sizeof wanted, ",%.0f,%.0f,", patterns_sum(bytes), patterns_sum(bytes));
    assert_contains(memory, wanted);
}

TEST(times)
{
    const struct verdict *v =
        assert_says("heap-2m", TICKS, OK, "mean of 5 whole passes; the samples' median 40.00");
    assert_about(v, 40.4, 40.4 * SCATTER, 40.4 * SCATTER);
    v = assert_says("heap-2m", "ns_per_access", OK, "");
    assert_within(v->value, 20.199, 20.201);
}

/* Neighbours use memory: in thirteen runs within half an hour on a guest, of one order each pass
 * agreed with the others of its run, and those of another run took a third longer. A ratio that
 * another run may turn round tells no difference. */
TEST(times_in_a_guest)
{
    rows_start("patterns", NULL, 1, 0);
    add_case("linear-2m", 2);
    add_case("heap-2m", 41);
    add_case("page-2m", 2.2);
    rows_add_metric("floor", "core", FACTS_HYPERVISOR, ROW_NONE, ROW_NONE, 1);
    assert_says("page-2m", "page_over_linear", DOUBT, "differ");
    double share = hypot(SCATTER, 0.22);
    assert_about(assert_says("heap-2m", TICKS, OK, ""), 41.41, 41.41 * share, 41.41 * share);
    const struct verdict *v = assert_says("heap-2m", "heap_over_linear", OK, "");
    assert_about(v, 20.5, 20.5 * 0.22, 20.5 * 0.22);
}

/* Passes that agree to the tick are known as well as their pieces. */
TEST(passes_that_agree)
{
    for (unsigned i = 0; i < ROUNDS; i++)
        pass_of("page-2m", "tsc", i)->mean = 6.0 * WORDS;
    struct row *row = pieces_of("page-2m", "tsc");
    row->p90 = row->median * (1 + 2.563 * 0.3);
    double share = 1.96 * 1.253 * 0.3 / sqrt(384);
    assert_about(assert_says("page-2m", TICKS, OK, ""), 6, 6 * share, 6 * share);
}

TEST(passes_that_scatter)
{
    pass_of("page-2m", "tsc", 3)->mean *= 1.2;
    assert_says("page-2m", TICKS, DOUBT, "scatter");
    assert_says("page-2m", "ns_per_access", OK, "");
}

/* What interrupts a pass is in none of its pieces, which are then far from it; a little is not. */
TEST(passes_far_from_their_pieces)
{
    static const double shares[] = {0.92, 0.97, 1, 1.05, 1.09};
    for (EACH(share, shares)) {
        start();
        rows_center(pieces_of("page-2m", "tsc"), *share * 6.06 * PIECE);
        rows_spread(pieces_of("page-2m", "tsc"), 0);
        const struct verdict *v =
            assert_doubt("page-2m", TICKS, fabs(*share - 1) > 0.06 ? "contradicts" : NULL);
        assert_within(v->value, 6.0594, 6.0606);
    }
}

/* One pass has no interval, and one round no ratio. */
TEST(one_pass)
{
    for (ADDED_ROWS(row))
        if (row->stage > 0)
            row->samples = 0;
    assert_no_value("heap-2m", TICKS, SKIP, "not-measured");
    assert_no_value("heap-2m", "heap_over_linear", SKIP, "two rounds with both patterns");
}

/* A pass that read other words than the array holds has no time, and nothing is compared to it. */
TEST(a_wrong_sum_is_an_error)
{
    for (unsigned i = 0; i < 2; i++) {
        start();
        struct row *sum = pass_of("heap-2m", PATTERNS_SUM, i == 0 ? 0 : ROUNDS - 1);
        *(i == 0 ? &sum->min : &sum->max) += i == 0 ? -1 : 1;
        assert_status("heap-2m", "ns_per_access", ERROR);
        assert_no_value("heap-2m", TICKS, ERROR, "wrong-sum");
        assert_no_value("heap-2m", "heap_over_linear", ERROR, "");
        assert_status("linear-2m", "ns_per_access", OK);
        assert_status("page-2m", "page_over_linear", OK);
    }
    start();
    pass_of("linear-2m", PATTERNS_SUM, 0)->max += 1;
    assert_status("heap-2m", "ns_per_access", OK);
    assert_status("heap-2m", "heap_over_linear", ERROR);
    assert_status("page-2m", "page_over_linear", ERROR);
}

TEST(without_a_sum)
{
    for (unsigned i = 0; i < ROUNDS; i++)
        pass_of("heap-2m", PATTERNS_SUM, i)->samples = 0;
    assert_says("heap-2m", "ns_per_access", DOUBT, "wrong-sum");
}

/* Every piece was disturbed. */
TEST(without_samples)
{
    pieces_of("heap-2m", "tsc")->samples = 0;
    assert_status("heap-2m", TICKS, SKIP);
    assert_status("heap-2m", "ns_per_access", OK);
    assert_status("heap-2m", "heap_over_linear", SKIP);
}

TEST(ratios)
{
    add_case("page-4k-nopf", 50);
    add_case("linear-4k-nopf", 10);
    assert_verdict("page-2m", "page_over_linear", OK, 3);
    assert_verdict("heap-2m", "heap_over_linear", OK, 20);
    assert_verdict("random-2m", "random_over_linear", OK, 25);
    assert_verdict("page-4k-nopf", "page_over_linear", OK, 5);
    assert_int_equal(verdicts.count, 6 * 3 + 4);
    assert_none("linear-2m", "page_over_linear");
    assert_none("page-2m", "heap_over_linear");
}

TEST(ratio_interval)
{
    double half_width = 1.96 * 1.253 / 2.563 / sqrt(384);
    pieces_of("page-2m", "tsc")->p90 *= 2;
    pieces_of("linear-2m", "tsc")->p90 *= 2;
    double less = hypot(half_width, 1 - 1 / (1 + half_width));
    double more = hypot(half_width, 1 / (1 - half_width) - 1), both = (less + more) / 2;
    assert_about(assert_says("page-2m", "page_over_linear", OK, ""), 3, 3 * both, 3 * both);
}

/* What changes from round to round meets both: the ratio does not scatter. */
TEST(ratio_of_each_round)
{
    for (unsigned i = 0; i < ROUNDS; i++) {
        pass_of("page-2m", "tsc", i)->mean = (6 + i) * WORDS;
        pass_of("linear-2m", "tsc", i)->mean = (2 + i / 3.0) * WORDS;
    }
    assert_says("page-2m", TICKS, DOUBT, "");
    const struct verdict *v =
        assert_says("page-2m", "page_over_linear", OK,
                    "mean ratio over 5 rounds; 8.00 against 2.67 ticks per access");
    assert_within(v->value, 2.9997, 3.0003);
}

/* Only those that both have; without the second of one the other's is left out, too. */
TEST(ratio_of_the_same_rounds)
{
    pass_of("linear-2m", "tsc", 1)->samples = 0;
    pass_of("page-2m", "tsc", 4)->samples = 0;
    pass_of("page-2m", "tsc", 1)->mean = 1000.0 * WORDS;
    pass_of("page-2m", "tsc", 3)->mean = 3.0 * WORDS * 2.02;
    double value = assert_says("page-2m", "page_over_linear", OK, "over 3 rounds")->value;
    assert_within(value, 2.9997, 3.0003);
}

TEST(ratio_without_a_difference)
{
    for (unsigned i = 0; i < ROUNDS; i++)
        pass_of("page-2m", "tsc", i)->mean = (i % 2 == 0 ? 1.9 : 2.3) * WORDS;
    assert_says("page-2m", "page_over_linear", DOUBT, "no-difference");
    for (unsigned i = 0; i < ROUNDS; i++)
        pass_of("page-2m", "tsc", i)->mean = 1.0 * WORDS;
    assert_says("page-2m", "page_over_linear", OK, "");
}

TEST(ratio_needs_its_partner)
{
    rows_clear();
    add_case("page-2m", 6);
    add_case("linear-4k", 2);
    assert_no_value("page-2m", "page_over_linear", SKIP, "");
}

TEST(ratio_of_different_sizes)
{
    pieces_of("page-2m", "tsc")->bytes *= 2;
    assert_says("page-2m", "page_over_linear", DOUBT, "contradicts");
}

TEST(cpi)
{
    assert_says("heap-2m", "cpi", SKIP, "");
    add_row("heap-2m", "instructions", PIECE, 5.0 * PIECE);
    add_row("heap-2m", "core_cycles_gp", PIECE, 32.0 * PIECE);
    assert_says("heap-2m", "cpi", OK, "cycles divided by instructions: 32.00 and 5.00 per access");
    assert_verdict("heap-2m", "cpi", OK, 6.4);
    pieces_of("heap-2m", "instructions")->median = 0;
    assert_says("heap-2m", "cpi", SKIP, "");
}

/* A stored table may hold anything. */
TEST(coordinates_that_mean_nothing)
{
    for (size_t i = 0; i < row_count; i++) {
        rows[i].k = i % 2 == 0 ? 0 : ROW_NONE;
        rows[i].bytes = i % 3 == 0 ? ROW_NONE : 0;
    }
    judge();
    for (size_t i = 0; i < verdicts.count; i++)
        assert_int_equal(verdicts.at[i].status, SKIP);
    row_count = 1;
    judge();
}

/* A timer that stands still times nothing. */
TEST(no_time_at_all)
{
    for (ADDED_ROWS(row))
        if (!row_is(row, PATTERNS_SUM)) {
            rows_center(row, 0);
            rows_spread(row, 0);
        }
    judge();
    assert_compare(verdicts.count, >, 0);
    for (size_t i = 0; i < verdicts.count; i++)
        assert_int_not_equal(verdicts.at[i].status, OK);
}

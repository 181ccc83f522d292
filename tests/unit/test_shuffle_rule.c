/* test_shuffle_rule: verdicts of shuffles from rows made up here, the published ones among them. */
#include "../../kernel/experiments/experiment.h"
#include "../../kernel/experiments/patterns/shuffle_rule.h"
#include "rows.h"
#include "rules.h"

#include "kit.h"

#define KILO 1024
#define MEGA (1024 * KILO)
#define PASSES 3

SETUP(start)
{
    rows_start("shuffle", &rule_shuffle, 400, 0);
}

static struct row *add_row(const char *variant, int64_t pass, int64_t bytes, int64_t stage,
                           double ticks)
{
    struct row *row = add(variant, "tsc", pass, 4000, 4000 * ticks);
    row->bytes = bytes;
    row->stage = stage;
    row->min = 3900 * ticks;
    row->p10 = 3990 * ticks;
    row->p90 = 4010 * ticks;
    row->max = 9000 * ticks;
    row->mean = 4100 * ticks;
    return row;
}

/* Of every pass; they drift, by as much for each point. */
static void add_passes(const char *variant, int64_t bytes, int64_t stage, double ticks)
{
    for (int64_t pass = 1; pass <= PASSES; pass++)
        add_row(variant, pass, bytes, stage, ticks + 0.02 * (double)(pass - 2));
}

static const struct verdict *assert_told(const char *variant, const char *name,
                                         enum verdict_status status, double value,
                                         const char *method)
{
    const struct verdict *v = assert_verdict(variant, name, status, value);
    bool is_code = strcmp(reason_texts[v->reason].code, method) == 0;
    if (!is_code)
        assert_string_equal(v->method, method);
    return v;
}

/* The published figures, as ticks: plain is flat, staged rises. */
static void add_published(void)
{
    static const double plain[] = {46, 43, 43.2, 46.7}, staged[] = {40.3, 32.5, 30.6, 29};
    for (unsigned i = 0; i < 4; i++) {
        add_passes("plain-onthefly-2m", 8 * MEGA, 8 << i, 10);
        add_passes("plain-onthefly-2m", 256 * MEGA, 8 << i, plain[i]);
        add_passes("staged-onthefly-2m", 8 * MEGA, 8 << i, 8);
        add_passes("staged-onthefly-2m", 256 * MEGA, 8 << i, staged[i]);
    }
}

TEST(the_published_figures_show_the_gain)
{
    add_published();
    assert_count(5);
    assert_told("plain-onthefly-2m", "swap_ticks", OK, 43, "256m: the fastest stage; 8m 10.0");
    const struct verdict *v =
        assert_says("plain-onthefly-2m", "plain_flatness", OK,
                    "256m: the stages' times differ by less than 5 %; 8m 0.0");
    /* 46, 43, 43.2, 46.7: a deviation of 1.65 of 44.7 */
    assert_within(v->low, 3.5, v->value);
    assert_within(v->high, v->value, 3.8);
    assert_told("staged-onthefly-2m", "swap_ticks", OK, 29, "256m: the fastest stage; 8m 8.0");
    assert_told("staged-onthefly-2m", "staged_gain", OK, (43 / 29.0 - 1) * 100,
                "256m: plain against staged, fastest stage of each; 8m 25.0");
    /* It was still rising. */
    assert_told("staged-onthefly-2m", "best_stage", DOUBT, 64, "range-ends");
}

TEST(stages_that_cannot_be_told_apart_are_the_interval)
{
    for (unsigned i = 0; i < 4; i++)
        add_passes("staged-onthefly-4k", MEGA, 8 << i, (double[]){12, 10, 10, 10}[i]);
    assert_interval(
        assert_told("staged-onthefly-4k", "best_stage", OK, 16, "1m: the fastest of 4 stages"), 16,
        64);
}

TEST(no_difference_is_in_doubt)
{
    add_passes("plain-precomputed-4k", MEGA, 8, 10.001);
    add_passes("staged-precomputed-4k", MEGA, 8, 10);
    assert_told("staged-precomputed-4k", "staged_gain", DOUBT, 0.01, "no-difference");
}

/* --- noise ----------------------------------------------------------------------------------- */

#define TRIALS 400
#define STAGES 6

/* Of twelve evenly spread ones: normal to the eye. */
static double normal(void)
{
    double sum = -6;
    for (unsigned i = 0; i < 12; i++)
        sum += below(1000000) / 1e6;
    return sum;
}

/* Stages whose times rise by `rise` from one to the next, each pass as much slower as it is. */
static void add_noisy(const char *variant, double noise, const double *slower, double rise)
{
    for (unsigned pass = 0; pass < PASSES; pass++)
        for (unsigned i = 0; i < STAGES; i++)
            add_row(variant, pass + 1, MEGA, 8 << i,
                    50 * slower[pass] * (1 + rise * i) * (1 + noise * normal()));
}

static const double steady[PASSES] = {1, 1, 1}, burst[PASSES] = {1.4, 1, 1.05};

/* Nothing differs, and as good as never is anything said to differ; nor is any end negative. */
static void check_noise(const double *slower, double noise)
{
    unsigned uneven = 0, best = 0, gains = 0;
    for (unsigned trial = 0; trial < TRIALS; trial++) {
        rows_clear();
        add_noisy("plain-onthefly-4k", noise, slower, 0);
        add_noisy("staged-onthefly-4k", noise, slower, 0);
        const struct verdict *flat = verdict_of("plain-onthefly-4k", "plain_flatness");
        assert_compare(flat->low, >=, 0);
        assert_compare(flat->high, >, flat->value);
        assert_compare(verdict_of("plain-onthefly-4k", "swap_ticks")->low, >=, 0);
        uneven += flat->low > 0;
        best += verdict_of("staged-onthefly-4k", "best_stage")->status == OK;
        gains += verdict_of("staged-onthefly-4k", "staged_gain")->status == OK;
    }
    assert_in_range(uneven, 0, TRIALS * 0.07);
    assert_in_range(best, 0, TRIALS * 0.07);
    assert_in_range(gains, 0, TRIALS * 0.07);
}

TEST(noise_alone_is_no_answer)
{
    check_noise(steady, 0.01);
    check_noise(steady, 0.3);
    check_noise(burst, 0.05);
}

/* A burst that meets one pass as a whole is no difference between stages, but one in time. */
TEST(a_burst_in_one_pass)
{
    add_noisy("plain-onthefly-4k", 0.003, burst, 0);
    const struct verdict *v = assert_says("plain-onthefly-4k", "plain_flatness", OK,
                                          "the stages' times are equal within noise");
    assert_true(v->low == 0 && v->high < 3);
    v = assert_says("plain-onthefly-4k", "swap_ticks", DOUBT, "scatter");
    assert_true(v->low < 50 && v->high > 70);
    rows_clear(); /* more than a tenth, and no fifth */
    add_noisy("plain-onthefly-4k", 0.003, (const double[PASSES]){1.1, 1, 1.05}, 0);
    v = assert_says("plain-onthefly-4k", "swap_ticks", DOUBT, "scatter");
    assert_compare(v->high, <, 1.2 * v->value);
}

TEST(stages_that_differ)
{
    add_noisy("plain-onthefly-4k", 0.005, steady, 0.1);
    /* 1 to 1.5: a deviation of 0.171 of 1.25 */
    const struct verdict *v =
        assert_says("plain-onthefly-4k", "plain_flatness", OK, "1m: the stages' times differ");
    assert_true(v->low < 13.7 && v->high > 13.7 && v->high - v->low < 2);
}

TEST(stages_that_scatter_too_much)
{
    add_noisy("plain-onthefly-4k", 0.2, steady, 0.02);
    assert_says("plain-onthefly-4k", "plain_flatness", DOUBT, "scatter");
}

/* A pass without one of the stages is left out. */
TEST(a_pass_that_is_not_complete)
{
    add_noisy("plain-onthefly-4k", 0.003, burst, 0);
    rows[0].samples = 0;
    assert_compare(verdict_of("plain-onthefly-4k", "swap_ticks")->value, <, 60);
    rows[STAGES].samples = 0;
    assert_says("plain-onthefly-4k", "plain_flatness", DOUBT, "too-few-samples");
}

/* Passes are compared one by one, as many as both loops have. */
TEST(a_loop_with_a_pass_less)
{
    add_noisy("plain-onthefly-4k", 0.003, steady, 0);
    size_t last = row_count - 1;
    add_noisy("staged-onthefly-4k", 0.003, steady, 0);
    rows[last].samples = 0;
    const struct verdict *v = verdict_of("staged-onthefly-4k", "staged_gain");
    assert_true(v->low > -5 && v->high < 5);
}

/* A disturbance of both loops in a pass is nobody's gain; one of a single loop widens it. */
TEST(a_gain_that_differs_by_pass)
{
    for (unsigned apart = 0; apart < 2; apart++) {
        rows_clear();
        add_noisy("plain-onthefly-4k", 0.003, burst, 0);
        add_noisy("staged-onthefly-4k", 0.003, apart ? steady : burst, 0);
        const struct verdict *v = verdict_of("staged-onthefly-4k", "staged_gain");
        assert_int_equal(v->high - v->low > 20, apart);
    }
}

/* One pass over the array. */
TEST(one_time_is_no_answer)
{
    for (unsigned i = 0; i < STAGES; i++) {
        add_row("plain-onthefly-4k", 1, MEGA, 8 << i, 50);
        add_row("staged-onthefly-4k", 1, MEGA, 8 << i, 40 - i);
    }
    judge();
    for (size_t i = 0; i < verdicts.count; i++) {
        assert_int_equal(verdicts.at[i].status, DOUBT);
        assert_int_equal(verdicts.at[i].reason, REASON_TOO_FEW_SAMPLES);
        assert_false(isnan(verdicts.at[i].value));
    }
}

TEST(what_is_missing_is_said)
{
    add_passes("plain-precomputed-4k", MEGA, 8, 10);
    add_passes("staged-onthefly-4k-nopf", MEGA, 8, 10);
    struct row *missing = add_row("staged-onthefly-4k-nopf", 1, 2 * MEGA, ROW_NONE, NAN);
    missing->samples = 0;
    missing->k = ROW_NONE;
    add_passes("plain-onthefly-4k", MEGA, 8, 20); /* prefetchers on: not to be compared */
    *add_row("staged-onthefly-1g", 1, MEGA, ROW_NONE, NAN) = *missing;
    rows_name(&rows[row_count - 1], "shuffle", "staged-onthefly-1g");
    assert_told("plain-precomputed-4k", "plain_flatness", SKIP, NAN, "too-few-points");
    assert_told("staged-onthefly-4k-nopf", "swap_ticks", OK, 10, "1m: the fastest stage");
    assert_told("staged-onthefly-4k-nopf", "best_stage", SKIP, NAN, "too-few-points");
    assert_told("staged-onthefly-4k-nopf", "staged_gain", SKIP, NAN, "not-measured");
    assert_told("staged-onthefly-1g", "swap_ticks", SKIP, NAN, "not-measured");
}

TEST(other_sizes_are_told_as_far_as_they_fit)
{
    for (int64_t i = 1; i <= 30; i++)
        add_passes("plain-onthefly-4k", i * MEGA, 8, 100.25 * (double)i);
    assert_told(
        "plain-onthefly-4k", "swap_ticks", OK, 30 * 100.25,
        "30m: the fastest stage; 29m 2907.3; 28m 2807.0; 27m 2706.8; 26m 2606.5; 25m 2506.3; "
        "24m 2406.0; 23m 2305.8; 22m 2205.5; 21m 2105.3; 20m 2005.0; 19m 1904.8; 18m 1804.5; "
        "17m 1704.3; 16m 1604.0; 15m 1503.8; 14m 1403.5; 13m 1303.3; 12m 1203.0");
}

/* Both halves of the ratio. */
static const char *const keys[] = {"l1d_pend_miss_pending", "l1d_pend_miss_pending_cycles"};

/* A count of each, as add_row has times; deciles half a percent around. */
static void add_counts(const char *variant, int64_t bytes, int64_t stage, double mlp)
{
    for (unsigned i = 0; i < 2; i++) {
        struct row *row = add_row(variant, ROW_NONE, bytes, stage, 0);
        row->mean = 100000 * (i == 0 ? mlp : 1);
        row->p10 = 0.995 * row->mean;
        row->p90 = 1.005 * row->mean;
        row->median = 7; /* a ratio of sums knows no median */
        row->samples = 50;
        strcpy(row->metric, keys[i]);
        strcpy(row->unit, "events");
    }
}

/* Stages and sizes in the experiment's order: times first, then counts; of each size in turn. */
static void add_counted(const char *variant, const double *mlp)
{
    for (int64_t bytes = 8 * MEGA; bytes <= 256 * MEGA; bytes *= 32) {
        for (unsigned i = 0; i < 4; i++)
            add_passes(variant, bytes, 8 << i, 10);
        for (unsigned i = 0; i < 4; i++)
            add_counts(variant, bytes, 8 << i, bytes == 256 * MEGA ? mlp[i] : 1);
    }
}

/* As published: 2.5 whatever the stage, and up to 5.4. */
TEST(the_published_ratio_is_that_of_the_longest_stage)
{
    static const double plain[] = {2.4, 2.5, 2.6, 2.5}, staged[] = {3.2, 4.1, 4.9, 5.4};
    add_counted("plain-onthefly-2m", plain);
    add_counted("staged-onthefly-2m", staged);
    assert_told("plain-onthefly-2m", "mlp_counted", OK, 2.5,
                "256m: misses outstanding per cycle with a miss, at stage 64");
    const struct verdict *v =
        assert_told("staged-onthefly-2m", "mlp_counted", OK, 5.4,
                    "256m: misses outstanding per cycle with a miss, at stage 64");
    double deviation = 0.01 / 2.563, error = deviation * sqrt(2.0 / 50);
    assert_float_equal(v->high - v->value, 1.96 * error * 5.4, 1e-4);
    assert_float_equal(v->value - v->low, 1.96 * error * 5.4, 1e-4);
    assert_int_equal(verdicts.count, 3 + 4);
}

TEST(the_ratio_needs_both_halves_at_that_point)
{
    static const double mlp[] = {3, 3, 3, 3};
    for (EACH(key, keys)) {
        rows_clear();
        add_counted("staged-onthefly-2m", mlp);
        for (ROWS_OF(row, NULL, *key))
            if (row->bytes == 256 * MEGA && row->stage == 64)
                row->samples = 0;
        verdict_of("staged-onthefly-2m", "best_stage");
        assert_none("staged-onthefly-2m", "mlp_counted");
    }
    rows_clear();
    add_published();
    assert_none("staged-onthefly-2m", "mlp_counted");
}

TEST(derived_cycles_do_as_well_and_scatter_is_in_doubt)
{
    static const double mlp[] = {2, 2, 2, 2};
    add_counted("plain-precomputed-4k", mlp);
    for (ROWS_OF(row, NULL, keys[1])) {
        strcpy(row->metric, "l1d_pend_miss_pending_cycles_derived");
        row->p10 = 0.5 * row->mean;
    }
    assert_told("plain-precomputed-4k", "mlp_counted", DOUBT, 2, "scatter");
}

/* A timer that stands still times nothing. */
TEST(no_time_at_all)
{
    add_published();
    for (ADDED_ROWS(row)) {
        rows_center(row, 0);
        rows_spread(row, 0);
    }
    assert_status("plain-onthefly-2m", "swap_ticks", DOUBT);
    assert_status("staged-onthefly-2m", "swap_ticks", DOUBT);
}

/* test_shuffle_rule: verdicts of shuffles from rows made up here, the published ones among them. */
#include "../../kernel/experiments/experiment.h"
#include "../../kernel/experiments/shuffle_rule.h"
#include "rows.h"
#include "rules.h"

#include "kit.h"

#define KILO 1024
#define MEGA (1024 * KILO)

SETUP(start)
{
    rows_clear();
}

static struct row *add(const char *variant, int64_t bytes, int64_t stage, double ticks)
{
    struct row *row = rows_add("shuffle", variant, ROW_NONE, 4000, 4000 * ticks);
    row->bytes = bytes;
    row->stage = stage;
    row->min = 3900 * ticks;
    row->p10 = 3990 * ticks;
    row->p90 = 4010 * ticks;
    row->max = 9000 * ticks;
    row->mean = 4100 * ticks;
    return row;
}

static void assert_told(const char *variant, const char *name, enum verdict_status status,
                        double value, const char *method)
{
    assert_string_equal(assert_verdict(variant, name, status, value)->method, method);
}

static void compare(void)
{
    compare_rows(rule_shuffle.compare);
    assert_words_fit();
}

/* The published figures, as ticks: plain is flat, staged rises. */
static void add_published(void)
{
    static const int64_t stages[] = {8, 16, 32, 64};
    static const double plain[] = {46, 43, 43.2, 46.7}, staged[] = {40.3, 32.5, 30.6, 29};
    for (unsigned i = 0; i < 4; i++) {
        add("plain-onthefly-2m", 8 * MEGA, stages[i], 10);
        add("plain-onthefly-2m", 256 * MEGA, stages[i], plain[i]);
    }
    for (unsigned i = 0; i < 4; i++) {
        add("staged-onthefly-2m", 8 * MEGA, stages[i], 8);
        add("staged-onthefly-2m", 256 * MEGA, stages[i], staged[i]);
    }
}

TEST(the_published_figures_show_the_gain)
{
    add_published();
    compare();
    assert_int_equal(verdicts.count, 5);
    assert_told("plain-onthefly-2m", "swap_ticks", VERDICT_OK, 43,
                "256m: median of the fastest stage; 8m 10.0");
    assert_told("plain-onthefly-2m", "plain_flatness", VERDICT_OK, (46.7 / 43 - 1) * 100,
                "256m: slowest stage against fastest; 8m 0.0");
    assert_told("staged-onthefly-2m", "swap_ticks", VERDICT_OK, 29,
                "256m: median of the fastest stage; 8m 8.0");
    assert_told("staged-onthefly-2m", "staged_gain", VERDICT_OK, (43 / 29.0 - 1) * 100,
                "256m: plain against staged, fastest of each; 8m 25.0");
    /* It was still rising. */
    assert_told("staged-onthefly-2m", "best_stage", VERDICT_DOUBT, 64,
                "256m: the longest of 4; a longer one may be faster still");
}

TEST(stages_that_cannot_be_told_apart_are_the_interval)
{
    add("staged-onthefly-4k", MEGA, 8, 12);
    add("staged-onthefly-4k", MEGA, 16, 10.001);
    add("staged-onthefly-4k", MEGA, 32, 10);
    add("staged-onthefly-4k", MEGA, 64, 10.002);
    compare();
    assert_told("staged-onthefly-4k", "best_stage", VERDICT_OK, 32, "1m: the fastest of 4 stages");
    assert_true(verdict_of("staged-onthefly-4k", "best_stage")->low == 16);
    assert_true(verdict_of("staged-onthefly-4k", "best_stage")->high == 64);
}

TEST(no_difference_is_in_doubt)
{
    add("plain-precomputed-4k", MEGA, 8, 10.001);
    add("staged-precomputed-4k", MEGA, 8, 10);
    compare();
    assert_told("staged-precomputed-4k", "staged_gain", VERDICT_DOUBT, 0.01,
                "1m: no difference beyond the scatter");
}

TEST(what_is_missing_is_said)
{
    add("plain-precomputed-4k", MEGA, 8, 10);
    add("staged-onthefly-4k-nopf", MEGA, 8, 10);
    struct row *missing = add("staged-onthefly-4k-nopf", 2 * MEGA, ROW_NONE, NAN);
    missing->samples = 0;
    missing->k = ROW_NONE;
    add("plain-onthefly-4k", MEGA, 8, 20); /* prefetchers on: not to be compared */
    *add("staged-onthefly-1g", MEGA, ROW_NONE, NAN) = *missing;
    rows_name(&rows[row_count - 1], "shuffle", "staged-onthefly-1g");
    compare();
    assert_told("plain-precomputed-4k", "plain_flatness", VERDICT_SKIP, NAN,
                "needs two stages or more");
    assert_told("staged-onthefly-4k-nopf", "swap_ticks", VERDICT_OK, 10,
                "1m: median of the fastest stage");
    assert_told("staged-onthefly-4k-nopf", "staged_gain", VERDICT_SKIP, NAN,
                "needs the plain loop in the same size");
    assert_told("staged-onthefly-1g", "swap_ticks", VERDICT_SKIP, NAN, "no size was measured");
}

TEST(other_sizes_are_told_as_far_as_they_fit)
{
    for (int64_t i = 1; i <= 9; i++)
        add("plain-onthefly-4k", i * MEGA, 8, 100.25 * (double)i);
    compare();
    assert_told("plain-onthefly-4k", "swap_ticks", VERDICT_OK, 902.25,
                "9m: median of the fastest stage; 8m 802.0; 7m 701.8; 6m 601.5; 5m 501.3");
}

/* A count of both halves of the ratio, as add() has times; deciles half a percent around. */
static void add_counts(const char *variant, int64_t bytes, int64_t stage, double mlp)
{
    static const char *const keys[] = {"l1d_pend_miss_pending", "l1d_pend_miss_pending_cycles"};
    for (unsigned i = 0; i < 2; i++) {
        struct row *row = add(variant, bytes, stage, 0);
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
    static const int64_t stages[] = {8, 16, 32, 64};
    for (int64_t bytes = 8 * MEGA; bytes <= 256 * MEGA; bytes *= 32) {
        for (unsigned i = 0; i < 4; i++)
            add(variant, bytes, stages[i], 10);
        for (unsigned i = 0; i < 4; i++)
            add_counts(variant, bytes, stages[i], bytes == 256 * MEGA ? mlp[i] : 1);
    }
}

static bool has_verdict(const char *variant, const char *name)
{
    return rows_verdict(&verdicts, variant, name) != NULL;
}

/* As published: 2.5 whatever the stage, and up to 5.4. */
TEST(the_published_ratio_is_that_of_the_longest_stage)
{
    static const double plain[] = {2.4, 2.5, 2.6, 2.5}, staged[] = {3.2, 4.1, 4.9, 5.4};
    add_counted("plain-onthefly-2m", plain);
    add_counted("staged-onthefly-2m", staged);
    compare();
    assert_told("plain-onthefly-2m", "mlp_counted", VERDICT_OK, 2.5,
                "256m: misses outstanding per cycle with a miss, stage 64");
    assert_told("staged-onthefly-2m", "mlp_counted", VERDICT_OK, 5.4,
                "256m: misses outstanding per cycle with a miss, stage 64");
    const struct verdict *v = verdict_of("staged-onthefly-2m", "mlp_counted");
    double deviation = 0.01 / 2.563, error = deviation * sqrt(2.0 / 50);
    assert_float_equal(v->high - v->value, 1.96 * error * 5.4, 1e-4);
    assert_float_equal(v->value - v->low, 1.96 * error * 5.4, 1e-4);
    assert_string_equal(v->unit, "loads");
    assert_int_equal(verdicts.count, 3 + 4);
}

TEST(the_ratio_needs_both_halves_at_that_point)
{
    static const char *const missing[] = {"l1d_pend_miss_pending", "l1d_pend_miss_pending_cycles"};
    static const double mlp[] = {3, 3, 3, 3};
    for (unsigned i = 0; i < 2; i++) {
        rows_clear();
        add_counted("staged-onthefly-2m", mlp);
        for (size_t j = 0; j < row_count; j++)
            if (rows[j].bytes == 256 * MEGA && rows[j].stage == 64 &&
                strcmp(rows[j].metric, missing[i]) == 0)
                rows[j].samples = 0;
        compare();
        assert_true(has_verdict("staged-onthefly-2m", "best_stage"));
        assert_false(has_verdict("staged-onthefly-2m", "mlp_counted"));
    }
    rows_clear();
    add_published();
    compare();
    assert_false(has_verdict("staged-onthefly-2m", "mlp_counted"));
}

TEST(derived_cycles_do_as_well_and_scatter_is_in_doubt)
{
    static const double mlp[] = {2, 2, 2, 2};
    add_counted("plain-precomputed-4k", mlp);
    for (size_t i = 0; i < row_count; i++)
        if (strcmp(rows[i].metric, "l1d_pend_miss_pending_cycles") == 0) {
            strcpy(rows[i].metric, "l1d_pend_miss_pending_cycles_derived");
            rows[i].p10 = 0.5 * rows[i].mean;
        }
    compare();
    assert_told("plain-precomputed-4k", "mlp_counted", VERDICT_DOUBT, 2,
                "256m: misses outstanding per cycle with a miss, stage 64");
}

/* A timer that stands still times nothing. */
TEST(no_time_at_all)
{
    add_published();
    for (size_t i = 0; i < row_count; i++) {
        rows_center(&rows[i], 0);
        rows_spread(&rows[i], 0);
    }
    compare();
    assert_status("plain-onthefly-2m", "swap_ticks", VERDICT_DOUBT);
    assert_status("staged-onthefly-2m", "swap_ticks", VERDICT_DOUBT);
}

/* Loop, source and partner of a pattern stand in one table. */
TEST(patterns)
{
    unsigned patterns = 0;

    for (const struct shuffle_pattern *p = shuffle_patterns; p->name != NULL; p++, patterns++) {
        assert_int_equal(strncmp(p->name, "plain", 5) == 0, p->loop == SHUFFLE_PLAIN);
        assert_int_equal(strstr(p->name, "onthefly") != NULL, p->source == SHUFFLE_ON_THE_FLY);
        assert_int_equal(p->plain == NULL, p->loop == SHUFFLE_PLAIN);
        if (p->plain != NULL)
            assert_string_equal(strchr(p->plain, '-'), strchr(p->name, '-'));
    }
    assert_int_equal(patterns, SHUFFLE_LOOPS * SHUFFLE_SOURCES);
}

/* Sizes down and stages across, swaps per microsecond; the first nine stages. */
TEST(table)
{
    char memory[4096];
    struct text text;

    for (int64_t bytes = 2 * MEGA; bytes >= MEGA; bytes -= MEGA)
        for (int64_t stage = 1; stage <= 10; stage++)
            if (stage != 3 || bytes == MEGA)
                strcpy(add("plain-onthefly-2m", bytes, stage, 1000.0 * (double)stage)->metric,
                       "ns");
    text_init(&text, memory, sizeof memory);
    rows_show(rows, row_count, rule_shuffle.show, &text);
    assert_string_equal(
        memory,
        "\nshuffle, case plain-onthefly-2m: swaps per microsecond, stages across\nbytes  "
        "       1       2       3       4       5       6       7       8       9\n"
        "     1m    1.00    0.50    0.33    0.25    0.20    0.17    0.14    0.13    0.11\n"
        "     2m    1.00    0.50       -    0.25    0.20    0.17    0.14    0.13    0.11\n");
}

/* test_loaded_rule: latency over bandwidth, from rows that are made up here. */
#include "../../kernel/analysis/curve.h"
#include "../../kernel/analysis/drift.h"
#include "../../kernel/experiments/experiment.h"
#include "../../kernel/experiments/loaded/loaded_rule.h"
#include "rows.h"
#include "rules.h"

#include "kit.h"

#define NAME "read-2m-cores3"
#define TIMER 40 /* ticks of a chain besides its loads */
#define IDLE 200
#define PEAK 30.0 /* GB/s */

static const char *const names[] = {"idle_latency", "peak_bandwidth", "latency_at_half",
                                    "latency_at_peak"};
#define NAMES (sizeof names / sizeof *names)

static struct row *add_row(const char *name, const char *metric, int64_t n, int64_t k, double value)
{
    struct row *row = add(name, metric, n, k, value);
    rows_visits(row, 16, 0);
    return row;
}

/* A rate of the others: what a load takes, and what they move. */
static void add_rate(const char *name, int64_t pause, double latency, double moved)
{
    add_row(name, LOADED_CHAIN, LOADED_SHORT, pause, TIMER + LOADED_SHORT * latency);
    add_row(name, LOADED_CHAIN, LOADED_LONG, pause, TIMER + LOADED_LONG * latency);
    add_row(name, LOADED_TRAFFIC, LOADED_LONG, pause, moved);
    add_row(name, LOADED_PACE, LOADED_LONG, pause, 500);
}

/* A curve as those of labs: flat, and then steep. */
static double latency_at(double moved)
{
    return IDLE * (1 + 0.1 * moved / PEAK + pow(moved / PEAK, 8));
}

static const int64_t pauses[] = {8000, 4000, 2000, 1000, 500, 250, 190, 125, 100, 80, 40, 0};
#define RATES (sizeof pauses / sizeof *pauses)

/* As fast as the pause lets them, up to the peak. */
static double moved_at(int64_t pause)
{
    double moved = pause > 0 ? 3000.0 / (double)pause : PEAK;
    return moved < PEAK ? moved : PEAK;
}

static void add_curve(const char *name)
{
    add_rate(name, ROW_NONE, IDLE, 0);
    for (size_t i = 0; i < RATES; i++)
        add_rate(name, pauses[i], latency_at(moved_at(pauses[i])), moved_at(pauses[i]));
}

static struct row *row_of(const char *metric, int64_t n, int64_t k)
{
    for (ROWS_OF(row, NULL, metric))
        if (row->n == n && row->k == k)
            return row;
    fail_msg("no %s of n = %ld, k = %ld", metric, (long)n, (long)k);
    return NULL;
}

/* Changes what a load takes at a pause. */
static void set_latency(int64_t pause, double latency)
{
    rows_center(row_of(LOADED_CHAIN, LOADED_SHORT, pause), TIMER + LOADED_SHORT * latency);
    rows_center(row_of(LOADED_CHAIN, LOADED_LONG, pause), TIMER + LOADED_LONG * latency);
}

static void set_moved(int64_t pause, double moved)
{
    rows_center(row_of(LOADED_TRAFFIC, LOADED_LONG, pause), moved);
}

static void remove_pause(int64_t pause)
{
    for (ADDED_ROWS(row))
        if (row->k == pause)
            row->samples = 0;
}

SETUP(start)
{
    rows_start("loaded", &rule_loaded, 400, 0);
    add_curve(NAME);
}

/* --- the curve ------------------------------------------------------------------------------- */

/* Other cases are others. */
TEST(four_points_of_the_curve)
{
    add_curve("copy-4k-cores1");
    rows_center(&rows[row_count - 1], 900);
    assert_count(2 * NAMES);
    assert_status("copy-4k-cores1", "idle_latency", DOUBT);
    ASSERT_VERDICTS(NAME, {"idle_latency", OK, IDLE}, {"peak_bandwidth", OK, PEAK},
                    {"latency_at_peak", OK, latency_at(PEAK)});
    double half = latency_at(PEAK / 2);
    const struct verdict *v = assert_status(NAME, "latency_at_half", OK);
    assert_within(v->value, 0.99 * half, 1.01 * half);
    assert_within(half, v->low, v->high);
    assert_words(NAME, "idle_latency", "400 samples, 16 visits");
    assert_words(NAME, "latency_at_half", "at 15.0 GB/s, between 12.0 and 15.8; 400 and 400");
    assert_words(NAME, "peak_bandwidth", "the most of 12 rates");
    assert_words(NAME, "latency_at_peak", "400 samples, 16 visits");
    set_latency(40, 0.94 * latency_at(PEAK)); /* which moves as much */
    v = assert_verdict(NAME, "latency_at_peak", OK, latency_at(PEAK));
    assert_compare(v->low, <=, 0.94 * latency_at(PEAK));
}

/* Between two rates that are far from each other a straight line says too much; the interval has
 * what the curve may have in between. */
TEST(a_wide_step_around_half)
{
    for (size_t i = 4; i < 8; i++)
        remove_pause(pauses[i]);
    const struct verdict *v = assert_words(NAME, "latency_at_half", "edge-not-placed");
    assert_compare(v->value, >, latency_at(PEAK / 2) * 1.05);
    assert_within(latency_at(PEAK / 2), v->low, v->high);
}

/* Of the four, those from the first on are in doubt, the first two for that reason; the others lean
 * on the peak, or have a doubt of their own. */
static void assert_doubts(size_t first, const char *words)
{
    judge();
    judge_all_rows();
    for (size_t i = 0; i < NAMES; i++)
        if (i < first || i < 2)
            assert_doubt(NAME, names[i], i < first ? NULL : words);
        else
            assert_status(NAME, names[i], DOUBT);
}

/* What visits scatter is in every interval; too much of it is doubt. */
TEST(scatter)
{
    double before = verdict_of(NAME, "latency_at_peak")->high;
    for (ADDED_ROWS(row))
        rows_visits(row, 16, 0.02 * row->median);
    assert_doubts(NAMES, NULL);
    const struct verdict *v = verdict_of(NAME, "latency_at_peak");
    double share = 2.131 * 0.02 * LOADED_LONG / (LOADED_LONG - LOADED_SHORT);
    assert_true(v->high >= before * (1 + share) && v->high < before * (1 + 1.2 * share));
    for (ADDED_ROWS(row))
        rows_visits(row, 16, 0.06 * row->median);
    assert_doubts(0, "scatter");
}

/* And what epochs differ. */
TEST(drift)
{
    for (int64_t epoch = 0; epoch < 4; epoch++)
        add_row(NAME, DRIFT_METRIC, LOADED_LONG, ROW_NONE,
                IDLE * LOADED_LONG * (1 + 0.03 * (double)(epoch % 2)))
            ->stage = epoch;
    for (size_t i = 0; i < NAMES; i++) {
        const struct verdict *v = assert_status(NAME, names[i], OK);
        assert_compare(v->high - v->low, >, 0.05 * v->value);
    }
}

/* --- doubts ---------------------------------------------------------------------------------- */

/* One rate, or all of them (EVERY), moves as much or takes as long. */
TEST(rates_that_are_doubted)
{
    enum { EVERY = -2 };
    static const struct {
        void (*set)(int64_t pause, double value);
        int64_t pause;
        double value;
        size_t first;
        const char *words;
    } cases[] = {
        {set_moved, EVERY, 5, 1, "no-rise"},         {set_moved, 80, 12, 1, "falls"},
        {set_moved, 40, PEAK * 0.97, NAMES, NULL}, /* a little less is noise */
        {set_latency, 1000, 1.4 * IDLE, 1, "falls"}, {set_latency, EVERY, IDLE, 1, "not-saturated"},
        {set_moved, ROW_NONE, 1, 0, "others-active"}};
    for (EACH(c, cases)) {
        start();
        if (c->pause != EVERY)
            c->set(c->pause, c->value);
        for (size_t i = 0; c->pause == EVERY && i < RATES; i++)
            c->set(pauses[i], c->value);
        assert_doubts(c->first, c->words);
    }
}

/* They do not know better than the peak. */
TEST(latencies_lean_on_the_peak)
{
    set_moved(80, 12);
    assert_doubt(NAME, "latency_at_half", NULL); /* by the rule alone */
    assert_doubt(NAME, "latency_at_peak", NULL);
    judge_all_rows();
    assert_doubt(NAME, "idle_latency", NULL);
    for (size_t i = 2; i < NAMES; i++) {
        assert_doubt(NAME, names[i], "leans-on-doubt");
        assert_words(NAME, names[i], "peak_bandwidth of " NAME " is doubt");
    }
}

/* Rest may be the peak, of three rates as of more: nothing is looked for beyond it. */
TEST(most_is_moved_at_rest)
{
    static const double moved[] = {1, 0.5};
    for (EACH(second, moved)) {
        rows_clear();
        add_rate(NAME, ROW_NONE, IDLE, 10);
        add_rate(NAME, 100, 1.5 * IDLE, 1);
        add_rate(NAME, 0, 2 * IDLE, *second);
        assert_doubts(0, "others-active");
        assert_answer(NAME, "peak_bandwidth", 10, "others-active");
        assert_doubt(NAME, "latency_at_half", "range-ends");
        assert_words(NAME, "latency_at_half", "at 5.0 GB/s, between 10.0 and 1.0; 400 and 400");
        assert_answer(NAME, "latency_at_peak", IDLE, "leans-on-doubt");
    }
}

/* Between two rates that move as much there is no line. */
TEST(as_much_is_moved_at_rest)
{
    rows_clear();
    add_rate(NAME, ROW_NONE, IDLE, 10);
    add_rate(NAME, 100, 1.5 * IDLE, 10);
    add_rate(NAME, 0, 2 * IDLE, 10);
    const struct verdict *v = assert_doubt(NAME, "latency_at_half", "range-ends");
    assert_near(v->value, 1.5 * IDLE);
    assert_compare(v->low, <=, IDLE);
}

/* Loads that hit the caches now and then, or whose chain is broken. */
TEST(chains_that_do_not_add_up)
{
    rows_center(row_of(LOADED_CHAIN, LOADED_SHORT, ROW_NONE), LOADED_SHORT * IDLE * 1.4);
    assert_doubts(0, "contradicts");
    start();
    rows_center(row_of(LOADED_CHAIN, LOADED_SHORT, 2000), LOADED_SHORT * IDLE * 0.8);
    assert_doubts(1, "contradicts");
}

TEST(others_on_our_own_core)
{
    rows_center(row_of(LOADED_PACE, LOADED_LONG, 0), 900);
    assert_doubts(0, "control-shows-it");
    rows_center(row_of(LOADED_PACE, LOADED_LONG, ROW_NONE), 900); /* as at rest: a neighbour */
    assert_doubts(NAMES, NULL);
}

/* Many cores: the slowest rate is more than half of the peak already. */
TEST(no_slow_rate)
{
    for (size_t i = 0; i < 8; i++)
        remove_pause(pauses[i]);
    set_moved(100, 18);
    assert_status(NAME, "peak_bandwidth", OK);
    assert_says(NAME, "latency_at_half", DOUBT, "range-ends");
}

/* --- what is not there ----------------------------------------------------------------------- */

static void assert_skips(size_t first, const char *words)
{
    if (first > 0)
        assert_verdict(NAME, "idle_latency", OK, IDLE);
    for (size_t i = first; i < NAMES; i++)
        assert_no_value(NAME, names[i], SKIP, words);
}

TEST(what_is_not_there)
{
    remove_pause(ROW_NONE);
    assert_skips(0, "not-measured");
    rows_clear();
    add_rate(NAME, ROW_NONE, IDLE, 0);
    add_rate(NAME, 0, 2 * IDLE, PEAK);
    assert_skips(1, "too-few-points");
    start(); /* an emulator that gives them no time */
    for (size_t i = 0; i < RATES; i++)
        set_moved(pauses[i], 0);
    assert_skips(1, "no-rise");
}

/* A rate that lacks a row is none. */
TEST(incomplete_rates)
{
    static const char *const metrics[] = {LOADED_CHAIN, LOADED_TRAFFIC};
    for (size_t i = 0; i < 2; i++) {
        start();
        row_of(metrics[i], i == 0 ? LOADED_SHORT : LOADED_LONG, 0)->samples = 0;
        assert_words(NAME, "peak_bandwidth", "the most of 11 rates");
    }
}

TEST(more_rates_than_there_is_room_for)
{
    rows_clear();
    add_rate(NAME, ROW_NONE, IDLE, 0);
    for (int64_t pause = 100; pause < 400; pause++)
        add_rate(NAME, pause, latency_at(moved_at(pause)), moved_at(pause));
    assert_verdict(NAME, "idle_latency", OK, IDLE);
}

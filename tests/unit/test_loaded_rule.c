/* test_loaded_rule: latency over bandwidth, and streams, from rows that are made up here. */
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
#define MHZ 2500

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
    add_row(name, LOADED_CLOCK, ROW_NONE, ROW_NONE, MHZ);
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
        if (row->k == pause && !row_is(row, LOADED_CLOCK))
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
    for (size_t i = 0; i < 2 * NAMES; i++)
        assert_string_equal(verdicts.at[i].unit,
                            strstr(verdicts.at[i].name, "latency") != NULL ? "ticks" : "GB/s");
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
    const struct verdict *v = assert_words(NAME, "latency_at_half", "too far apart");
    assert_compare(v->value, >, latency_at(PEAK / 2) * 1.05);
    assert_within(latency_at(PEAK / 2), v->low, v->high);
}

/* Of the four, those from the first on are in doubt. */
static void assert_doubts(size_t first, const char *words)
{
    for (size_t i = 0; i < NAMES; i++)
        assert_doubt(NAME, names[i], i < first ? NULL : words);
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
    assert_doubts(0, "scatter by more than 10 %");
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
        {set_moved, EVERY, 5, 1, "the bandwidth does not rise with the rate"},
        {set_moved, 80, 12, 1, "the bandwidth falls as the rate rises"},
        {set_moved, 40, PEAK * 0.97, NAMES, NULL}, /* a little less is noise */
        {set_latency, 1000, 1.4 * IDLE, 1, "the latency falls as the bandwidth rises"},
        {set_latency, EVERY, IDLE, 1, "the latency does not rise"},
        {set_moved, ROW_NONE, 1, 0, "while they should rest"},
    };
    for (EACH(c, cases)) {
        start();
        if (c->pause != EVERY)
            c->set(c->pause, c->value);
        for (size_t i = 0; c->pause == EVERY && i < RATES; i++)
            c->set(pauses[i], c->value);
        assert_doubts(c->first, c->words);
    }
}

/* Loads that hit the caches now and then, or whose chain is broken. */
TEST(chains_that_do_not_add_up)
{
    rows_center(row_of(LOADED_CHAIN, LOADED_SHORT, ROW_NONE), LOADED_SHORT * IDLE * 1.4);
    assert_doubts(0, "give different latencies");
    start();
    rows_center(row_of(LOADED_CHAIN, LOADED_SHORT, 2000), LOADED_SHORT * IDLE * 0.6);
    assert_doubts(1, "under load, a long chain");
}

TEST(others_on_our_own_core)
{
    rows_center(row_of(LOADED_PACE, LOADED_LONG, 0), 900);
    assert_doubts(0, "these run on this core");
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
    assert_says(NAME, "latency_at_half", DOUBT, "add longer loaded.pauses");
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
    assert_skips(0, "while the other cores rest");
    rows_clear();
    add_rate(NAME, ROW_NONE, IDLE, 0);
    add_rate(NAME, 0, 2 * IDLE, PEAK);
    assert_skips(1, "two rates");
    start(); /* an emulator that gives them no time */
    for (size_t i = 0; i < RATES; i++)
        set_moved(pauses[i], 0);
    assert_skips(1, "moved nothing");
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

/* --- streams --------------------------------------------------------------------------------- */

#define STREAM "stream-2m"
#define PIECE 1000000

static void add_stream(const char *metric, int64_t bytes, double gbps)
{
    add_row(STREAM, metric, 8, PIECE, PIECE / gbps * MHZ / 1000)->bytes = bytes;
}

SETUP(start_streams)
{
    double gbps = 20;
    rows_start("loaded", &rule_loaded, 400, 0);
    add_row(STREAM, LOADED_CLOCK, ROW_NONE, ROW_NONE, MHZ);
    for (const struct loaded_stream *s = loaded_streams; s->name != NULL; s++, gbps++) {
        add_stream(s->name, 128 << 20, gbps);
        add_stream(s->name, 64 << 20, gbps * 1.05);
    }
}

TEST(streams)
{
    double gbps = 20;
    for (ADDED_ROWS(row))
        if (row->bytes == 128 << 20) /* an error of 1 % */
            rows_visits(row, 16, 0.01 * row->median / 2.131);
    assert_count(4);
    for (const struct loaded_stream *s = loaded_streams; s->name != NULL; s++, gbps++) {
        const struct verdict *v = assert_verdict(STREAM, s->name, OK, gbps);
        assert_words(STREAM, s->name, "128m by 8-byte accesses");
        assert_string_equal(v->unit, "GB/s");
        assert_float_equal(v->high, gbps / 0.99, 1e-3);
        assert_float_equal(v->low, gbps / 1.01, 1e-3);
    }
}

/* Half an array that is faster by a fifth, and another by a tenth, as noise may have it. */
TEST(streams_out_of_caches)
{
    for (ADDED_ROWS(row))
        if (row->bytes == 64 << 20)
            rows_center(row, row->median * 1.05 / (row_is(row, "stream_write") ? 1.2 : 1.1));
    assert_doubt(STREAM, "stream_write", "caches hold a part of it");
    assert_status(STREAM, "stream_read", OK);
}

TEST(streams_of_few_samples)
{
    for (ADDED_ROWS(row))
        row->samples = CURVE_LEAST_SAMPLES - row_is(row, "stream_copy");
    assert_status(STREAM, "stream_read", OK);
    assert_no_value(STREAM, "stream_copy", SKIP, "not measured");
}

TEST(streams_of_one_size)
{
    rows_drop("stream_copy");
    for (ADDED_ROWS(row))
        if (row->bytes == 128 << 20)
            row->samples = 0;
    assert_says(STREAM, "stream_read", DOUBT, "half as large was not measured");
    assert_no_value(STREAM, "stream_copy", SKIP, "not measured");
}

TEST(each_case_has_its_own_verdicts)
{
    struct row curve = rows_point("loaded", NAME, 1, 1, 1), stream = curve;
    rows_name(&stream, "loaded", STREAM);
    unsigned of_curve = 0, of_stream = 0;
    for (const char *const *name = rule_loaded.verdicts; *name != NULL; name++) {
        of_curve += rule_loaded.gives(&curve.variant, *name);
        of_stream += rule_loaded.gives(&stream.variant, *name);
        assert_int_not_equal(rule_loaded.gives(&curve.variant, *name),
                             rule_loaded.gives(&stream.variant, *name));
    }
    assert_int_equal(of_curve, 4);
    assert_int_equal(of_stream, 4);
}

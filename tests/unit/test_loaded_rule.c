/* test_loaded_rule: latency over bandwidth, and streams, from rows that are made up here. */
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

static struct row *add(const char *name, const char *metric, int64_t n, int64_t k, double value)
{
    struct row *row = rows_add("loaded", name, n, k, value);
    name_copy(row->metric, metric);
    rows_visits(row, 16, 0);
    return row;
}

/* A rate of the others: what a load takes, and what they move. */
static void add_rate(const char *name, int64_t pause, double latency, double moved)
{
    add(name, LOADED_CHAIN, LOADED_SHORT, pause, TIMER + LOADED_SHORT * latency);
    add(name, LOADED_CHAIN, LOADED_LONG, pause, TIMER + LOADED_LONG * latency);
    add(name, LOADED_TRAFFIC, LOADED_LONG, pause, moved);
    add(name, LOADED_PACE, LOADED_LONG, pause, 500);
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
    add(name, LOADED_CLOCK, ROW_NONE, ROW_NONE, MHZ);
    add_rate(name, ROW_NONE, IDLE, 0);
    for (size_t i = 0; i < RATES; i++)
        add_rate(name, pauses[i], latency_at(moved_at(pauses[i])), moved_at(pauses[i]));
}

static struct row *row_of(const char *metric, int64_t n, int64_t k)
{
    for (size_t i = 0; i < row_count; i++)
        if (rows[i].n == n && rows[i].k == k && strcmp(rows[i].metric, metric) == 0)
            return &rows[i];
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
    size_t kept = 0;
    for (size_t i = 0; i < row_count; i++)
        if (rows[i].k != pause || strcmp(rows[i].metric, LOADED_CLOCK) == 0)
            rows[kept++] = rows[i];
    row_count = kept;
}

SETUP(start)
{
    rows_clear();
}

static void judge(void)
{
    judge_rows(rule_loaded.judge);
    assert_words_fit();
    for (size_t i = 0; i < verdicts.count; i++) {
        const struct verdict *v = &verdicts.at[i];
        bool is_latency = strstr(v->name, "latency") != NULL;
        assert_string_equal(v->of.experiment, "loaded");
        assert_string_equal(v->unit, is_latency ? "ticks" : "GB/s");
        assert_true(rule_loaded.gives(&v->of, v->name));
    }
}

/* --- the curve ------------------------------------------------------------------------------- */

static void assert_near(const char *name, double wanted, double share)
{
    const struct verdict *v = assert_status(NAME, name, VERDICT_OK);
    if (!(v->value >= wanted * (1 - share) && v->value <= wanted * (1 + share)) ||
        !(v->low <= wanted && wanted <= v->high))
        fail_msg("%s: %.3f [%.3f .. %.3f] in place of %.3f", name, v->value, v->low, v->high,
                 wanted);
}

TEST(four_points_of_the_curve)
{
    add_curve(NAME);
    judge();
    assert_int_equal(verdicts.count, NAMES);
    assert_verdict(NAME, "idle_latency", VERDICT_OK, IDLE);
    assert_verdict(NAME, "peak_bandwidth", VERDICT_OK, PEAK);
    assert_verdict(NAME, "latency_at_peak", VERDICT_OK, latency_at(PEAK));
    assert_near("latency_at_half", latency_at(PEAK / 2), 0.01);
    assert_words(NAME, "idle_latency", "400 samples, 16 visits");
    assert_words(NAME, "latency_at_half", "at 15.0 GB/s, between 12.0 and 15.8; 400 and 400");
    assert_words(NAME, "peak_bandwidth", "the most of 12 rates");
}

/* Rows come in any order, and other cases are others. */
TEST(any_order)
{
    static struct verdict kept[64];
    add_curve(NAME);
    add_curve("copy-4k-cores1");
    judge();
    memcpy(kept, verdicts.at, verdicts.count * sizeof *kept);
    struct verdict_list before = {.at = kept, .count = verdicts.count, .room = 64};
    for (int i = 0; i < 5; i++) {
        rows_shuffle(rows, row_count);
        judge();
        assert_true(same_verdicts(&before, &verdicts));
    }
}

/* Between two rates that are far from each other a straight line says too much; the interval has
 * what the curve may have in between. */
TEST(a_wide_step_around_half)
{
    static const int64_t gone[] = {500, 250, 190, 125};
    add_curve(NAME);
    for (size_t i = 0; i < 4; i++)
        remove_pause(gone[i]);
    judge();
    const struct verdict *v = verdict_of(NAME, "latency_at_half");
    assert_words(NAME, "latency_at_half", "too far apart");
    assert_true(v->value > latency_at(PEAK / 2) * 1.05);
    assert_true(v->low <= latency_at(PEAK / 2) && v->high >= latency_at(PEAK / 2));
}

/* What visits scatter is in every interval; too much of it is doubt. */
TEST(scatter)
{
    add_curve(NAME);
    judge();
    double before = verdict_of(NAME, "latency_at_peak")->high;
    for (size_t i = 0; i < row_count; i++)
        rows_visits(&rows[i], 16, 0.02 * rows[i].median);
    judge();
    for (size_t i = 0; i < NAMES; i++)
        assert_status(NAME, names[i], VERDICT_OK);
    const struct verdict *v = verdict_of(NAME, "latency_at_peak");
    double reach = 2.131 * 0.02 * LOADED_LONG / (LOADED_LONG - LOADED_SHORT);
    assert_true(v->high >= before * (1 + reach) && v->high < before * (1 + 1.2 * reach));
    for (size_t i = 0; i < row_count; i++)
        rows_visits(&rows[i], 16, 0.06 * rows[i].median);
    judge();
    for (size_t i = 0; i < NAMES; i++)
        assert_says(NAME, names[i], VERDICT_DOUBT, "scatter by more than a tenth");
}

/* And what epochs differ. */
TEST(movement)
{
    add_curve(NAME);
    for (int64_t epoch = 0; epoch < 4; epoch++) {
        struct row *row = add(NAME, DRIFT_METRIC, LOADED_LONG, ROW_NONE,
                              IDLE * LOADED_LONG * (1 + 0.03 * (double)(epoch % 2)));
        row->stage = epoch;
    }
    judge();
    for (size_t i = 0; i < NAMES; i++) {
        const struct verdict *v = assert_status(NAME, names[i], VERDICT_OK);
        assert_true(v->high - v->low > 0.05 * v->value);
    }
}

/* --- doubts ---------------------------------------------------------------------------------- */

/* Of the four, those from the first on. */
static void assert_doubts(size_t first, const char *words)
{
    judge();
    for (size_t i = 0; i < NAMES; i++)
        if (i < first)
            assert_status(NAME, names[i], VERDICT_OK);
        else
            assert_says(NAME, names[i], VERDICT_DOUBT, words);
}

TEST(no_rise_of_the_bandwidth)
{
    add_curve(NAME);
    for (size_t i = 0; i < RATES; i++)
        set_moved(pauses[i], 5);
    assert_doubts(1, "the bandwidth does not rise with the rate");
}

TEST(the_bandwidth_falls)
{
    add_curve(NAME);
    set_moved(80, 12);
    assert_doubts(1, "the bandwidth falls where the rate rises");
}

TEST(a_little_less_is_noise)
{
    add_curve(NAME);
    set_moved(40, PEAK * 0.97);
    assert_doubts(NAMES, NULL);
}

TEST(the_latency_falls)
{
    add_curve(NAME);
    set_latency(1000, 1.4 * IDLE);
    assert_doubts(1, "the latency falls where the bandwidth rises");
}

TEST(no_rise_of_the_latency)
{
    add_curve(NAME);
    for (size_t i = 0; i < RATES; i++)
        set_latency(pauses[i], IDLE);
    assert_doubts(1, "the latency does not rise");
}

TEST(no_rest)
{
    add_curve(NAME);
    set_moved(ROW_NONE, 1);
    assert_doubts(0, "do not rest");
}

/* Loads that hit the caches now and then, or whose chain is broken. */
TEST(chains_that_do_not_add_up)
{
    add_curve(NAME);
    rows_center(row_of(LOADED_CHAIN, LOADED_SHORT, ROW_NONE), LOADED_SHORT * IDLE * 1.4);
    assert_doubts(0, "does not take what a short one says");
    rows_clear();
    add_curve(NAME);
    rows_center(row_of(LOADED_CHAIN, LOADED_SHORT, 2000), LOADED_SHORT * IDLE * 0.6);
    assert_doubts(1, "under load, a long chain");
}

TEST(others_on_our_own_core)
{
    add_curve(NAME);
    rows_center(row_of(LOADED_PACE, LOADED_LONG, 0), 900);
    assert_doubts(0, "they run on this core");
    rows_center(row_of(LOADED_PACE, LOADED_LONG, ROW_NONE), 900); /* as at rest: a neighbour */
    assert_doubts(NAMES, NULL);
}

/* Many cores: the slowest rate is more than half of the peak already. */
TEST(no_slow_rate)
{
    add_curve(NAME);
    for (size_t i = 0; i < 8; i++)
        remove_pause(pauses[i]);
    set_moved(100, 18);
    judge();
    assert_status(NAME, "peak_bandwidth", VERDICT_OK);
    assert_says(NAME, "latency_at_half", VERDICT_DOUBT, "add longer pauses");
}

/* --- what is not there ----------------------------------------------------------------------- */

TEST(nothing_at_rest)
{
    add_curve(NAME);
    remove_pause(ROW_NONE);
    judge();
    for (size_t i = 0; i < NAMES; i++)
        assert_no_value(NAME, names[i], VERDICT_SKIP, "while the others rest");
}

TEST(one_rate)
{
    add_rate(NAME, ROW_NONE, IDLE, 0);
    add_rate(NAME, 0, 2 * IDLE, PEAK);
    judge();
    assert_verdict(NAME, "idle_latency", VERDICT_OK, IDLE);
    for (size_t i = 1; i < NAMES; i++)
        assert_no_value(NAME, names[i], VERDICT_SKIP, "two rates");
}

/* In an emulator that gives them no time. */
TEST(nothing_moved)
{
    add_curve(NAME);
    for (size_t i = 0; i < RATES; i++)
        set_moved(pauses[i], 0);
    judge();
    assert_verdict(NAME, "idle_latency", VERDICT_OK, IDLE);
    for (size_t i = 1; i < NAMES; i++)
        assert_no_value(NAME, names[i], VERDICT_SKIP, "moved nothing");
}

/* A rate that lacks a row is none. */
TEST(incomplete_rates)
{
    static const char *const metrics[] = {LOADED_CHAIN, LOADED_TRAFFIC};
    for (size_t i = 0; i < 2; i++) {
        rows_clear();
        add_curve(NAME);
        row_of(metrics[i], i == 0 ? LOADED_SHORT : LOADED_LONG, 0)->samples = 0;
        judge();
        assert_words(NAME, "peak_bandwidth", "the most of 11 rates");
    }
}

TEST(more_rates_than_there_is_room_for)
{
    add_rate(NAME, ROW_NONE, IDLE, 0);
    for (int64_t pause = 100; pause < 400; pause++)
        add_rate(NAME, pause, latency_at(moved_at(pause)), moved_at(pause));
    judge();
    assert_verdict(NAME, "idle_latency", VERDICT_OK, IDLE);
}

/* --- streams --------------------------------------------------------------------------------- */

#define STREAM "stream-2m"
#define PIECE 1000000

static struct row *add_stream(const char *metric, int64_t bytes, double gbps)
{
    struct row *row = add(STREAM, metric, 8, PIECE, PIECE / gbps * MHZ / 1000);
    row->bytes = bytes;
    return row;
}

static void add_streams(void)
{
    double gbps = 20;
    add(STREAM, LOADED_CLOCK, ROW_NONE, ROW_NONE, MHZ);
    for (const struct loaded_stream *s = loaded_streams; s->name != NULL; s++, gbps++) {
        add_stream(s->name, 128 << 20, gbps);
        add_stream(s->name, 64 << 20, gbps * 1.05);
    }
}

TEST(streams)
{
    double gbps = 20;
    add_streams();
    judge();
    assert_int_equal(verdicts.count, 4);
    for (const struct loaded_stream *s = loaded_streams; s->name != NULL; s++, gbps++) {
        const struct verdict *v = assert_words(STREAM, s->name, "128m in accesses of 8 bytes");
        assert_true(v->status == VERDICT_OK && fabs(v->value - gbps) < 1e-6);
    }
}

TEST(streams_out_of_caches)
{
    add_streams();
    for (size_t i = 0; i < row_count; i++)
        if (strcmp(rows[i].metric, "stream_write") == 0 && rows[i].bytes == 64 << 20)
            rows_center(&rows[i], rows[i].median * 0.8);
    judge();
    assert_says(STREAM, "stream_write", VERDICT_DOUBT, "caches hold a part of it");
    assert_status(STREAM, "stream_read", VERDICT_OK);
}

TEST(streams_of_one_size)
{
    add(STREAM, LOADED_CLOCK, ROW_NONE, ROW_NONE, MHZ);
    add_stream("stream_read", 64 << 20, 20);
    judge();
    assert_says(STREAM, "stream_read", VERDICT_DOUBT, "half as large was not measured");
    assert_no_value(STREAM, "stream_copy", VERDICT_SKIP, "not measured");
}

TEST(each_case_has_its_own_verdicts)
{
    struct row curve = rows_point("loaded", NAME, 1, 1, 1), stream = curve;
    rows_name(&stream, "loaded", STREAM);
    unsigned of_curve = 0, of_stream = 0;
    for (const char *const *name = rule_loaded.verdicts; *name != NULL; name++) {
        of_curve += rule_loaded.gives(&curve.of, *name);
        of_stream += rule_loaded.gives(&stream.of, *name);
        assert_int_not_equal(rule_loaded.gives(&curve.of, *name),
                             rule_loaded.gives(&stream.of, *name));
    }
    assert_int_equal(of_curve, 4);
    assert_int_equal(of_stream, 4);
}

/* test_noise_rule: verdicts of hand-made rows, and the noise report that they become. */
#include "../../kernel/experiments/experiment.h"
#include "../../kernel/experiments/noise/noise_report.h"
#include "../../kernel/experiments/noise/noise_rule.h"
#include "../../kernel/report/conditions.h"
#include "rows.h"
#include "rules.h"

#include "kit.h"

#define ADDS 10000

static struct row *add_row(const char *metric, const char *unit, uint64_t samples, double low,
                           double middle, double high)
{
    struct row *row = add("quiet", metric, ROW_NONE, ROW_NONE, middle);
    row->samples = samples;
    row->min = row->p10 = low;
    row->p90 = row->max = high;
    strcpy(row->unit, unit);
    return row;
}

static void add_gaps(int exponent, uint64_t samples, double longest)
{
    add_row(NOISE_GAP, "ns", samples, pow(10, exponent), longest / 2, longest)->n = exponent;
}

static void add_chain(int slice, double ticks, double spread)
{
    struct row *row =
        add_row(NOISE_CHAIN, "ticks", 100, ticks - spread / 2, ticks, ticks + spread / 2);
    row->k = ADDS;
    row->stage = slice;
}

/* Two seconds of a good machine, with 10 ns between readings. */
SETUP(start)
{
    rows_start("noise", &rule_noise, 1, 0);
    add_row(NOISE_LOOP, "ns", 999, 10, 10, 11);
    add_row(NOISE_THRESHOLD, "ns", 1, 40, 40, 40);
    add_row(NOISE_OBSERVED, "us", 10, 200000, 200000, 200000);
    add_gaps(1, 7, 90);
    add_gaps(2, 3, 800);
    add_gaps(3, 4, 2500);
    add_gaps(4, 0, NAN);
    add_gaps(5, 1, 150000);
    add_chain(0, 10100, 10);
    add_chain(1, 10000, 10);
    add_chain(2, 9900, 10);
    add_row(NOISE_SMI, "interrupts", 2, 17, 18, 19);
}

static struct row *row_of(const char *metric)
{
    return rows_find(metric, ROW_NONE);
}

static void assert_about(const struct verdict *v, double value, double low, double high,
                         double within)
{
    assert_near(v->value, value);
    assert_within(v->low, low - within, low + within);
    assert_within(v->high, high - within, high + within);
}

TEST(max_gap)
{
    assert_count(4);
    const struct verdict *v =
        assert_says("quiet", "max_gap", OK, "of 15 gaps above 40 ns in 2.0 s");
    assert_compare(v->value, ==, 150000);
    assert_interval(v, NAN, NAN);
    /* 7 x 45 + 3 x 400 + 4 x 1250 + 75000 ns of 2 s */
    assert_words("quiet", "max_gap", "0.004 % of the time");
}

TEST(gaps)
{
    /* the exact interval of 5 is 1.623 to 11.668 */
    assert_about(assert_says("quiet", "gaps_over_1us", OK, "2.50 per second"), 5, 1.62, 11.67,
                 0.02);
    for (ROWS_OF(row, NULL, NOISE_GAP))
        row->samples = 0;
    assert_compare(assert_says("quiet", "max_gap", OK, "")->value, ==, 0);
    /* exact: -ln 0.025 */
    assert_about(assert_says("quiet", "gaps_over_1us", OK, ""), 0, 0, 3.69, 0.05);
}

/* They come in bursts. */
TEST(interrupts_have_no_interval)
{
    for (ADDED_ROWS(row))
        case_read("interrupts", &row->variant);
    const struct verdict *v = assert_status("interrupts", "gaps_over_1us", OK);
    assert_compare(v->value, ==, 5);
    assert_interval(v, NAN, NAN);
}

TEST(slow_readings_are_in_doubt)
{
    row_of(NOISE_THRESHOLD)->median = 1000;
    row_of(NOISE_LOOP)->median = 250;
    assert_says("quiet", "max_gap", DOUBT, "clock-too-coarse");
    assert_says("quiet", "gaps_over_1us", DOUBT, "clock-too-coarse");
    row_of(NOISE_THRESHOLD)->median = 999;
    assert_says("quiet", "gaps_over_1us", OK, "");
}

TEST(nothing_observed)
{
    rows_drop(NOISE_OBSERVED);
    assert_true(isnan(assert_says("quiet", "max_gap", SKIP, "no time observed")->value));
    assert_says("quiet", "gaps_over_1us", SKIP, "no time observed");
}

TEST(smi)
{
    /* a Poisson count's: 0.242 to 7.225 */
    assert_about(assert_says("quiet", "smi_count", OK, ""), 2, 0.24, 7.22, 0.02);
    rows_drop(NOISE_SMI);
    assert_true(isnan(assert_says("quiet", "smi_count", SKIP, "not-counted")->value));
}

TEST(drift)
{
    /* 10 / 2.563 x 1.253 / 10 ticks of 10,000; three slices: z = sqrt(2 ln 60) = 2.862 */
    double half_width = 100 * 2 * 2.862 * 0.4889 / 10000;
    const struct verdict *v =
        assert_says("quiet", "frequency_drift", OK, "3 slices; 1.000 cycles per tick");
    assert_about(v, 2, 2 - half_width, 2 + half_width, 1e-4);
    assert_near(v->value - v->low, v->high - v->value);
    rows_drop(NOISE_CHAIN);
    for (int slice = 0; slice <= 2; slice++) {
        v = assert_says("quiet", "frequency_drift", slice < 2 ? SKIP : OK, "");
        assert_true(slice < 2 || (v->value == 0 && v->low == 0));
        add_chain(slice, 10000, 10);
    }
    rows_drop(NOISE_CHAIN);
    add_chain(0, 10000, 2000);
    add_chain(1, 10010, 2000);
    v = assert_says("quiet", "frequency_drift", DOUBT, "");
    assert_compare(v->low, ==, 0);
    assert_compare(v->high, >, 1);
    int64_t lengths = 0; /* a stored table may hold anything: chains of no length are passed over */
    for (ROWS_OF(row, NULL, NOISE_CHAIN))
        row->k = lengths++ == 0 ? 0 : ROW_NONE;
    assert_says("quiet", "frequency_drift", SKIP, "");
}

/* --- how the core was shared ----------------------------------------------------------------- */

#define SLICES 30
#define LOOKS 50

/* A slice of the core's case with so many shared looks of `looks`. */
static void add_share(int64_t slice, unsigned shared, unsigned looks)
{
    struct row *row = add_row(NOISE_SHARED, "share", looks, 0, 0, 1);
    rows_name(row, "noise", "core");
    row->stage = slice;
    row->mean = looks > 0 ? (double)shared / looks : NAN;
}

static const struct verdict *judged_share(enum verdict_status status, const char *words)
{
    assert_count(1);
    return assert_says("core", "shared_share", status, words);
}

/* Slices that each have seen some changes. */
static void add_shares(void)
{
    rows_clear();
    for (int64_t i = 0; i < SLICES; i++)
        add_share(i, 20 + (i % 3 == 0) - (i % 3 == 1), LOOKS);
}

/* Slices that each have seen many changes count for many. */
TEST(a_share)
{
    add_shares();
    const struct verdict *v = judged_share(OK, "shared visits of 1500 in 30 slices");
    assert_near(v->value, 40);
    assert_null(strstr(v->method, "scatter"));
    /* as good as 1500 looks, by Student's t of 29 */
    assert_within((v->high - v->low) / 200 - 2.045 * sqrt(0.24 / 1500), -0.00025, 0.00025);
}

/* Each slice has one state from end to end: as many units as slices, however many looks. */
TEST(long_states)
{
    rows_clear();
    for (int64_t i = 0; i < SLICES; i++)
        add_share(i, i < 12 ? LOOKS : 0, LOOKS);
    const struct verdict *v = judged_share(DOUBT, "scatter");
    assert_near(v->value, 40);
    assert_within((v->high - v->low) / 200 - 1.96 * sqrt(0.24 / 30), -0.015, 0.015);
}

/* Within 0 to 100, and never without any width. */
TEST(never_and_always)
{
    for (unsigned i = 0; i < 2; i++) {
        rows_clear();
        for (int64_t slice = 0; slice < SLICES; slice++)
            add_share(slice, i * LOOKS, LOOKS);
        const struct verdict *v = judged_share(OK, "");
        assert_numbers((v->value, i == 0 ? v->low : v->high), (100 * i, v->value));
        assert_within(v->high - v->low, 5, 15);
    }
    rows_clear();
    for (int64_t slice = 0; slice < SLICES; slice++) /* one change is no more than one burst */
        add_share(slice, slice == 3, LOOKS);
    assert_compare(judged_share(OK, "")->high, >, 3);
}

/* What seems whole may be shared. */
TEST(a_pace_that_is_not_known)
{
    add_shares();
    assert_int_equal(judged_share(OK, "")->needs, NEEDS_WHOLE_CORE);
}

TEST(no_share)
{
    rows_clear();
    add_share(ROW_NONE, 0, 0);
    judged_share(SKIP, "too-few-samples");
    add_share(1, 3, LOOKS);
    add_share(2, 3, LOOKS);
    rows[2].max = 7; /* a stored table may hold anything: this is no share */
    assert_true(isnan(judged_share(SKIP, "two slices of visits")->value));
}

/* The interval holds the truth of states that come and go, short ones and long ones. */
TEST(coverage_of_shares)
{
    enum { TRIALS = 600 };
    for (double stay = 0; stay < 0.99; stay += 0.24) {
        unsigned held = 0;
        for (unsigned trial = 0; trial < TRIALS; trial++) {
            rows_clear();
            for (int64_t slice = 0; slice < SLICES; slice++) {
                bool is_shared = below(1000) < 300;
                unsigned shared = 0;
                for (unsigned i = 0; i < LOOKS; i++, shared += is_shared)
                    if (below(10000) >= 10000 * stay)
                        is_shared = below(1000) < 300;
                add_share(slice, shared, LOOKS);
            }
            judge();
            held += verdicts.at[0].low <= 30 && verdicts.at[0].high >= 30;
        }
        assert_in_range(held, TRIALS * 0.92, TRIALS);
    }
}

/* --- the noise report ------------------------------------------------------------------------ */

static char memory[4096];
static struct text text;

/* The report on that platform has each member, up to NULL. */
static void assert_json(const struct noise_report *c, const struct platform *p,
                        const char *const *members)
{
    struct json json;
    text_init(&text, memory, sizeof memory);
    json_begin(&json, &text);
    conditions_noise(&json, c, p);
    json_end(&json);
    assert_false(text.truncated);
    for (; *members != NULL; members++)
        assert_contains(memory, *members);
}
#define ASSERT_JSON(c, p, ...) assert_json(c, p, (const char *const[]){__VA_ARGS__, NULL})

static void assert_line(const struct noise_report *c, const struct platform *p, const char *wanted)
{
    text_init(&text, memory, sizeof memory);
    noise_report_observed(c, p, &text);
    assert_string_equal(memory, wanted);
}

static const struct platform bare = {
    .ticks_per_second = 2600260000,
    .clock_check = {.clock = "ACPI PM timer", .ticks_per_second = 2600000000},
    .other_processors = "3 of 4, parked",
    .siblings = "parked",
    .prefetch = "as found",
    .turbo = "as found",
};

static const struct platform process = {
    .ticks_per_second = 2600000000,
    .clock_check = {.reason = "there is one clock"},
    .interrupts_remain = "they cannot be turned off",
    .other_processors = "scheduled",
    .prefetch = "as found",
    .turbo = "as found",
};

TEST(report_without_anything)
{
    struct noise_report c = {.samples = 0};
    ASSERT_JSON(&c, &bare, "\"obtained_by\": \"nothing yet\"", "\"gap_threshold_ns\": null",
                "\"max_gap_ns\": null", "\"frequency_drift_percent\": null");
    assert_line(&c, &bare, "nothing observed");
}

TEST(report_of_a_skipped_case)
{
    struct noise_report c = {.samples = 0};
    row_count = 0;
    add_row(ROW_SKIPPED, "no time here", 0, NAN, NAN, NAN);
    noise_report_add_sample(&c, rows, row_count);
    assert_int_equal(c.samples, 0);
    ASSERT_JSON(&c, &process, "\"obtained_by\": \"nothing: no time here\"");
    assert_line(&c, &process, "nothing observed: no time here");
}

TEST(report_of_two_samples)
{
    struct noise_report c = {.samples = 0};
    noise_report_add_sample(&c, rows, row_count);
    ASSERT_JSON(&c, &bare, "\"50 ms of spinning at the start of the run\"");
    row_of(NOISE_SMI)->max = 24; /* later in the same run */
    row_of(NOISE_SMI)->min = 21;
    noise_report_add_sample(&c, rows, row_count);
    /* smi: those between the samples, too; drift: of six slices, as in drift() */
    ASSERT_JSON(&c, &bare, "\"50 ms of spinning at the start and the end of the run\"",
                "\"interrupts\": \"off\"", "\"seconds_observed\": 4,", "\"gap_threshold_ns\": 40,",
                "\"max_gap_ns\": 150000,", "\"gaps_over_1us_per_second\": 2.5,",
                "\"smi_during_run\": 7,", "\"frequency_drift_percent\": 2,",
                "\"frequency_drift_reach\": 0.03,", "\"tsc_hz\": 2600260000,",
                "\"tsc_second_clock\": \"ACPI PM timer\"", "\"tsc_difference_ppm\": 100,",
                "\"other_processors\": \"3 of 4, parked\"", "\"siblings\": \"parked\"",
                "\"prefetch\": \"as found\"", "\"turbo\": \"as found\"");
    assert_line(&c, &bare, "interrupts off, gaps to 150.0 us, 3/s over 1 us, 7 SMI, drift 2.0 %");
}

TEST(report_where_interrupts_stay)
{
    struct noise_report c = {.samples = 0};
    rows_drop(NOISE_SMI);
    noise_report_add_sample(&c, rows, row_count);
    ASSERT_JSON(&c, &process, "\"interrupts\": \"on\"",
                "\"interrupts_why\": \"they cannot be turned off\"", "\"smi_during_run\": null",
                "\"tsc_second_clock\": \"none\"", "\"tsc_not_checked\": \"there is one clock\"",
                "\"tsc_difference_ppm\": null");
}

/* Two slices of about ten thousand ticks that are so far apart, and scatter so much; or none. */
static void assert_steady(double apart, double spread, const char *member)
{
    struct noise_report c = {.samples = 0};
    rows_drop(NOISE_CHAIN);
    if (!isnan(apart)) {
        add_chain(0, 10000, spread);
        add_chain(1, 10000 + apart, spread);
    }
    noise_report_add_sample(&c, rows, row_count);
    ASSERT_JSON(&c, &bare, member);
}

/* DRIFT_LEAST: 1.5 percent. */
TEST(a_drift_that_every_interval_holds_is_steady)
{
    assert_steady(130, 10, "\"frequency_steady\": true,");
    assert_steady(170, 10, "\"frequency_steady\": false,");
    assert_steady(149, 100, "\"frequency_steady\": null,"); /* the error reaches beyond the limit */
    assert_steady(153, 100, "\"frequency_steady\": null,");
    assert_steady(NAN, 0, "\"frequency_steady\": null,");
}

TEST(clocks_agree_to_a_thousandth)
{
    struct noise_report c = {.samples = 0};
    struct platform platform = bare;
    static const uint64_t hz[] = {2602599000, 2602601000, 2597401000, 2597399000};
    for (unsigned i = 0; i < 4; i++) {
        platform.ticks_per_second = hz[i];
        ASSERT_JSON(&c, &platform, i % 2 == 0 ? "\"tsc_agrees\": true," : "\"tsc_agrees\": false,");
    }
    ASSERT_JSON(&c, &process, "\"tsc_agrees\": null,");
}

/* Only the experiment's rows of the same case are added, and none of another experiment. */
TEST(report_takes_the_experiment_in)
{
    static const char *const of[][2] = {
        {"noise", "interrupts"}, {"mlp", "quiet"}, {"noise", "quiet"}};
    struct noise_report c = {.samples = 0};
    noise_report_add_sample(&c, rows, row_count);
    for (unsigned i = 0; i < 3; i++) {
        for (ADDED_ROWS(row))
            rows_name(row, of[i][0], of[i][1]);
        noise_report_add_rows(&c, rows, row_count);
        assert_int_equal(c.has_experiment, i == 2);
        assert_near(c.summary.seconds, i == 2 ? 4 : 2);
    }
    ASSERT_JSON(&c, &bare, "of the run, and experiment noise\"");
}

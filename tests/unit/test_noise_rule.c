/* test_noise_rule: verdicts of hand-made rows, and the noise report that they become. */
#include "../../kernel/experiments/experiment.h"
#include "../../kernel/experiments/noise/noise_report.h"
#include "../../kernel/experiments/noise/noise_rule.h"
#include "rows.h"
#include "rules.h"

#include "kit.h"

#define ADDS 10000

static struct row *add(const char *metric, const char *unit, uint64_t samples, double low,
                       double middle, double high)
{
    struct row *row = rows_add("noise", "quiet", ROW_NONE, ROW_NONE, middle);
    row->samples = samples;
    row->min = row->p10 = low;
    row->p90 = row->max = high;
    strcpy(row->metric, metric);
    strcpy(row->unit, unit);
    return row;
}

static void add_gaps(int exponent, uint64_t samples, double longest)
{
    add(NOISE_GAP, "ns", samples, longest / 4, longest / 2, longest)->n = exponent;
}

static void add_chain(int slice, double ticks, double spread)
{
    struct row *row = add(NOISE_CHAIN, "ticks", 100, ticks - spread / 2, ticks, ticks + spread / 2);
    row->k = ADDS;
    row->stage = slice;
}

/* Two seconds of a good machine, with 10 ns between readings. */
SETUP(start)
{
    rows_clear();
    add(NOISE_LOOP, "ns", 999, 10, 10, 11);
    add(NOISE_THRESHOLD, "ns", 1, 40, 40, 40);
    add(NOISE_OBSERVED, "us", 10, 200000, 200000, 200000);
    add_gaps(1, 7, 90);
    add_gaps(2, 3, 800);
    add_gaps(3, 4, 2500);
    add_gaps(4, 0, NAN);
    add_gaps(5, 1, 150000);
    add_chain(0, 10100, 10);
    add_chain(1, 10000, 10);
    add_chain(2, 9900, 10);
    add(NOISE_SMI, "interrupts", 2, 17, 18, 19);
}

static struct row *row_of(const char *metric)
{
    return rows_find(metric, ROW_NONE);
}

static const struct verdict *judged(const char *name, enum verdict_status status, const char *words)
{
    judge_rows(rule_noise.judge);
    assert_int_equal(verdicts.count, 4);
    return assert_says("quiet", name, status, words);
}

static void assert_near(double seen, double wanted, double within)
{
    if (!(fabs(seen - wanted) <= within))
        fail_msg("%f is not %f", seen, wanted);
}

static void assert_interval(const struct verdict *v, double value, double low, double high,
                            double within)
{
    assert_near(v->value, value, 1e-9);
    assert_near(v->low, low, within);
    assert_near(v->high, high, within);
}

static void assert_without_interval(const struct verdict *v, double value)
{
    assert_near(v->value, value, 0);
    assert_true(isnan(v->low) && isnan(v->high));
}

TEST(max_gap)
{
    const struct verdict *v = judged("max_gap", VERDICT_OK, "of 15 gaps above 40 ns in 2.0 s");
    assert_without_interval(v, 150000);
    assert_string_equal(v->unit, "ns");
    /* 7 x 45 + 3 x 400 + 4 x 1250 + 75000 ns of 2 s */
    assert_words("quiet", "max_gap", "0.004 % of the time");
}

TEST(no_gap_at_all)
{
    for (ADDED_ROWS(row))
        if (strcmp(row->metric, NOISE_GAP) == 0)
            row->samples = 0;
    assert_near(judged("max_gap", VERDICT_OK, "")->value, 0, 0);
    /* exact: -ln 0.025 */
    assert_interval(judged("gaps_over_1us", VERDICT_OK, ""), 0, 0, 3.69, 0.05);
}

TEST(gaps_over_1us)
{
    /* the exact interval of 5 is 1.623 to 11.668 */
    assert_interval(judged("gaps_over_1us", VERDICT_OK, "2.50 per second"), 5, 1.62, 11.67, 0.02);
}

/* They come in bursts. */
TEST(interrupts_have_no_interval)
{
    for (ADDED_ROWS(row))
        case_read("interrupts", &row->variant);
    judge_rows(rule_noise.judge);
    assert_without_interval(assert_status("interrupts", "gaps_over_1us", VERDICT_OK), 5);
}

TEST(slow_readings_are_in_doubt)
{
    row_of(NOISE_THRESHOLD)->median = 1000;
    row_of(NOISE_LOOP)->median = 250;
    judged("max_gap", VERDICT_DOUBT, "takes 250 ns");
    judged("gaps_over_1us", VERDICT_DOUBT, "takes 250 ns");
    row_of(NOISE_THRESHOLD)->median = 999;
    judged("gaps_over_1us", VERDICT_OK, "");
}

TEST(nothing_observed)
{
    rows_drop(NOISE_OBSERVED);
    assert_true(isnan(judged("max_gap", VERDICT_SKIP, "no time observed")->value));
    judged("gaps_over_1us", VERDICT_SKIP, "no time observed");
}

TEST(smi)
{
    /* a Poisson count's: 0.242 to 7.225 */
    assert_interval(judged("smi_count", VERDICT_OK, ""), 2, 0.24, 7.22, 0.02);
    rows_drop(NOISE_SMI);
    assert_true(isnan(judged("smi_count", VERDICT_SKIP, "cannot read")->value));
}

TEST(drift)
{
    /* 10 / 2.563 x 1.253 / 10 ticks of 10,000; three slices: z = sqrt(2 ln 60) = 2.862 */
    double half_width = 100 * 2 * 2.862 * 0.4889 / 10000;
    const struct verdict *v =
        judged("frequency_drift", VERDICT_OK, "3 slices; 1.000 cycles per tick");
    assert_interval(v, 2, 2 - half_width, 2 + half_width, 1e-4);
    assert_near(v->value - v->low, v->high - v->value, 1e-9);
}

TEST(drift_of_a_scattered_pace_is_in_doubt)
{
    rows_drop(NOISE_CHAIN);
    add_chain(0, 10000, 2000);
    add_chain(1, 10010, 2000);
    const struct verdict *v = judged("frequency_drift", VERDICT_DOUBT, "");
    assert_true(v->low == 0 && v->high > 1);
}

TEST(drift_needs_two_slices)
{
    rows_drop(NOISE_CHAIN);
    for (int slice = 0; slice <= 2; slice++) {
        const struct verdict *v =
            judged("frequency_drift", slice < 2 ? VERDICT_SKIP : VERDICT_OK, "");
        assert_true(slice < 2 || (v->value == 0 && v->low == 0));
        add_chain(slice, 10000, 10);
    }
}

/* A stored table may hold anything. */
TEST(chains_of_no_length_are_passed_over)
{
    for (size_t i = 0; i < row_count; i++)
        if (strcmp(rows[i].metric, NOISE_CHAIN) == 0)
            rows[i].k = i % 2 == 0 ? 0 : ROW_NONE;
    judged("frequency_drift", VERDICT_SKIP, "");
}

/* --- how the core was shared ----------------------------------------------------------------- */

#define SLICES 30
#define LOOKS 50

/* A slice of the core's case with so many shared looks of `looks`. */
static void add_share(int64_t slice, unsigned shared, unsigned looks)
{
    struct row *row = add(NOISE_SHARED, "share", looks, 0, 0, 1);
    rows_name(row, "noise", "core");
    row->stage = slice;
    row->mean = looks > 0 ? (double)shared / looks : NAN;
}

static const struct verdict *judged_share(enum verdict_status status, const char *words)
{
    judge_rows(rule_noise.judge);
    assert_int_equal(verdicts.count, 1);
    assert_words_fit();
    return assert_says("core", "shared_share", status, words);
}

/* The pace of the whole core, as published. */
static void start_shares(void)
{
    rows_clear();
    rows_name(add(NOISE_PUBLISHED, "cycles", 1, 600, 600, 600), "noise", "core");
}

/* Slices that each have seen some changes. */
static void add_shares(void)
{
    start_shares();
    for (int64_t i = 0; i < SLICES; i++)
        add_share(i, 20 + (i % 3 == 0) - (i % 3 == 1), LOOKS);
}

/* Slices that each have seen many changes count for many. */
TEST(a_share)
{
    add_shares();
    const struct verdict *v = judged_share(VERDICT_OK, "shared visits of 1500 in 30 slices");
    assert_near(v->value, 40);
    assert_string_equal(v->unit, "%");
    assert_null(strstr(v->method, "scatter"));
    /* as good as 1500 looks, by Student's t of 29 */
    assert_near(v->high - v->low, 2 * 100 * 2.045 * sqrt(0.24 / 1500), 0.05);
}

/* Each slice has one state from end to end: as many units as slices, however many looks. */
TEST(long_states)
{
    start_shares();
    for (int64_t i = 0; i < SLICES; i++)
        add_share(i, i < 12 ? LOOKS : 0, LOOKS);
    const struct verdict *v =
        judged_share(VERDICT_DOUBT, "the slices' shares scatter: raise noise.seconds");
    assert_near(v->value, 40);
    assert_near(v->high - v->low, 2 * 100 * 1.96 * sqrt(0.24 / 30), 3);
}

/* Within 0 to 100, and never without any width. */
TEST(never_and_always)
{
    for (unsigned i = 0; i < 2; i++) {
        start_shares();
        for (int64_t slice = 0; slice < SLICES; slice++)
            add_share(slice, i * LOOKS, LOOKS);
        const struct verdict *v = judged_share(VERDICT_OK, "");
        assert_true(v->value == 100 * i && v->low >= 0 && v->high <= 100);
        assert_true(v->high - v->low > 5 && v->high - v->low < 15);
        assert_true(i == 0 ? v->low == 0 : v->high == 100);
    }
    start_shares();
    for (int64_t slice = 0; slice < SLICES; slice++) /* one change is no more than one burst */
        add_share(slice, slice == 3, LOOKS);
    assert_true(judged_share(VERDICT_OK, "")->high > 3);
}

/* Nothing published, nothing stored of it: what seems whole may be shared. */
TEST(a_pace_that_is_not_known)
{
    add_shares();
    for (unsigned i = 0; i < 2; i++) {
        if (i == 0)
            rows[0].samples = 0;
        else
            rows_drop(NOISE_PUBLISHED);
        assert_true(
            near(judged_share(VERDICT_DOUBT, "the whole core's pace is unknown")->value, 40));
    }
}

TEST(no_share)
{
    rows_clear();
    add_share(ROW_NONE, 0, 0);
    strcpy(rows[0].unit, "why not");
    judged_share(VERDICT_SKIP, "why not");
    rows[0].discarded = LOOKS;
    judged_share(VERDICT_SKIP, "the core's state changed during every visit");
    add_share(1, 3, LOOKS);
    add_share(2, 3, LOOKS);
    rows[2].max = 7; /* a stored table may hold anything: this is no share */
    assert_true(isnan(judged_share(VERDICT_SKIP, "needs two slices of visits or more")->value));
}

/* The interval holds the truth of states that come and go, short ones and long ones. */
TEST(coverage_of_shares)
{
    enum { TRIALS = 600 };
    for (double stay = 0; stay < 0.99; stay += 0.24) {
        unsigned held = 0;
        for (unsigned trial = 0; trial < TRIALS; trial++) {
            start_shares();
            for (int64_t slice = 0; slice < SLICES; slice++) {
                bool is_shared = below(1000) < 300;
                unsigned shared = 0;
                for (unsigned i = 0; i < LOOKS; i++, shared += is_shared)
                    if (below(10000) >= 10000 * stay)
                        is_shared = below(1000) < 300;
                add_share(slice, shared, LOOKS);
            }
            judge_rows(rule_noise.judge);
            held += verdicts.at[0].low <= 30 && verdicts.at[0].high >= 30;
        }
        assert_in_range(held, TRIALS * 0.92, TRIALS);
    }
}

/* --- the noise report ------------------------------------------------------------------------ */

static char memory[4096];
static struct text text;

static void assert_json_has(const struct noise_report *c, const struct platform *p,
                            const char *member)
{
    struct json json;
    text_init(&text, memory, sizeof memory);
    json_begin(&json, &text);
    noise_report_json(c, p, &json);
    json_end(&json);
    assert_false(text.truncated);
    if (strstr(memory, member) == NULL)
        fail_msg("no %s in %s", member, memory);
}

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
    assert_json_has(&c, &bare, "\"obtained_by\": \"nothing yet\"");
    assert_json_has(&c, &bare, "\"gap_threshold_ns\": null");
    assert_json_has(&c, &bare, "\"max_gap_ns\": null");
    assert_json_has(&c, &bare, "\"frequency_drift_percent\": null");
    assert_line(&c, &bare, "nothing observed");
}

TEST(report_of_a_skipped_case)
{
    struct noise_report c = {.samples = 0};
    row_count = 0;
    add(ROW_SKIPPED, "no time here", 0, NAN, NAN, NAN);
    noise_report_add_sample(&c, rows, row_count);
    assert_int_equal(c.samples, 0);
    assert_json_has(&c, &process, "\"obtained_by\": \"nothing: no time here\"");
    assert_line(&c, &process, "nothing observed: no time here");
}

TEST(report_of_two_samples)
{
    struct noise_report c = {.samples = 0};
    noise_report_add_sample(&c, rows, row_count);
    assert_json_has(&c, &bare, "\"50 ms of spinning at the start of the run\"");
    row_of(NOISE_SMI)->max = 24; /* later in the same run */
    row_of(NOISE_SMI)->min = 21;
    noise_report_add_sample(&c, rows, row_count);
    assert_json_has(&c, &bare, "\"50 ms of spinning at the start and the end of the run\"");
    assert_json_has(&c, &bare, "\"interrupts\": \"off\"");
    assert_json_has(&c, &bare, "\"seconds_observed\": 4,");
    assert_json_has(&c, &bare, "\"gap_threshold_ns\": 40,");
    assert_json_has(&c, &bare, "\"max_gap_ns\": 150000,");
    assert_json_has(&c, &bare, "\"gaps_over_1us_per_second\": 2.5,");
    assert_json_has(&c, &bare, "\"smi_during_run\": 7,"); /* those between the samples, too */
    assert_json_has(&c, &bare, "\"frequency_drift_percent\": 2,");
    assert_json_has(&c, &bare,
                    "\"frequency_drift_reach\": 0.03,"); /* of six slices, as in drift() */
    assert_json_has(&c, &bare, "\"tsc_hz\": 2600260000,");
    assert_json_has(&c, &bare, "\"tsc_second_clock\": \"ACPI PM timer\"");
    assert_json_has(&c, &bare, "\"tsc_difference_ppm\": 100,");
    assert_json_has(&c, &bare, "\"other_processors\": \"3 of 4, parked\"");
    assert_json_has(&c, &bare, "\"siblings\": \"parked\"");
    assert_json_has(&c, &bare, "\"prefetch\": \"as found\"");
    assert_json_has(&c, &bare, "\"turbo\": \"as found\"");
    assert_line(&c, &bare, "interrupts off, gaps to 150.0 us, 3/s over 1 us, 7 SMI, drift 2.0 %");
}

TEST(report_where_interrupts_stay)
{
    struct noise_report c = {.samples = 0};
    rows_drop(NOISE_SMI);
    noise_report_add_sample(&c, rows, row_count);
    assert_json_has(&c, &process, "\"interrupts\": \"on\"");
    assert_json_has(&c, &process, "\"interrupts_why\": \"they cannot be turned off\"");
    assert_json_has(&c, &process, "\"smi_during_run\": null");
    assert_json_has(&c, &process, "\"tsc_second_clock\": \"none\"");
    assert_json_has(&c, &process, "\"tsc_not_checked\": \"there is one clock\"");
    assert_json_has(&c, &process, "\"tsc_difference_ppm\": null");
}

/* Two slices of about ten thousand ticks that are so far apart, and scatter so much. */
static void assert_steady(double apart, double spread, const char *said)
{
    struct noise_report c = {.samples = 0};
    char member[64];
    rows_drop(NOISE_CHAIN);
    add_chain(0, 10000, spread);
    add_chain(1, 10000 + apart, spread);
    noise_report_add_sample(&c, rows, row_count);
    snprintf(member, sizeof member, "\"frequency_steady\": %s,", said);
    assert_json_has(&c, &bare, member);
}

TEST(a_drift_of_one_percent_is_the_limit)
{
    assert_steady(80, 10, "true");
    assert_steady(120, 10, "false");
    assert_steady(99, 100, "null"); /* the error reaches beyond the limit */
    assert_steady(102, 100, "null");
    rows_drop(NOISE_CHAIN);
    struct noise_report c = {.samples = 0};
    noise_report_add_sample(&c, rows, row_count);
    assert_json_has(&c, &bare, "\"frequency_steady\": null,");
}

TEST(clocks_agree_to_a_thousandth)
{
    struct noise_report c = {.samples = 0};
    struct platform platform = bare;
    static const double hz[] = {2602599000, 2602601000, 2597401000, 2597399000};
    for (unsigned i = 0; i < 4; i++) {
        platform.ticks_per_second = (uint64_t)hz[i];
        assert_json_has(&c, &platform,
                        i % 2 == 0 ? "\"tsc_agrees\": true," : "\"tsc_agrees\": false,");
    }
    assert_json_has(&c, &process, "\"tsc_agrees\": null,");
}

/* Only the experiment's rows of the same case are added, and none of another experiment. */
TEST(report_takes_the_experiment_in)
{
    struct noise_report c = {.samples = 0};
    noise_report_add_sample(&c, rows, row_count);
    for (size_t i = 0; i < row_count; i++)
        rows_name(&rows[i], "noise", "interrupts");
    noise_report_add_rows(&c, rows, row_count);
    assert_false(c.has_experiment);
    for (size_t i = 0; i < row_count; i++)
        rows_name(&rows[i], "mlp", "quiet");
    noise_report_add_rows(&c, rows, row_count);
    assert_false(c.has_experiment);
    assert_near(c.summary.seconds, 2, 1e-9);
    for (size_t i = 0; i < row_count; i++)
        rows_name(&rows[i], "noise", "quiet");
    noise_report_add_rows(&c, rows, row_count);
    assert_true(c.has_experiment);
    assert_near(c.summary.seconds, 4, 1e-9);
    assert_json_has(&c, &bare, "of the run, and experiment noise\"");
}

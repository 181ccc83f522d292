/* noise_rule: gaps, system-management interrupts and the core's pace, added up and judged. */
#include "noise_rule.h"

#include "../../analysis/curve.h"
#include "../../analysis/equality.h"
#include "../../analysis/moments.h"
#include "../../lib/string.h"
#include "../answer.h"
#include "../experiment.h"

#define MICROSECOND 1000.0 /* in nanoseconds */
#define MICROSECOND_EXPONENT 3
#define LEAST_DRIFT_KNOWN 1.0 /* percent to either side; a drift known less well is in doubt */
#define STEADY_DRIFT 1.0      /* percent; a larger one moves times by more than their intervals */
#define LEAST_SHARE_KNOWN 0.1 /* likewise of a share */
#define SLOW_LOOP "reading the time-stamp counter alone takes %.0f ns"

static const char *const verdict_names[] = {"max_gap", "gaps_over_1us", "smi_count",
                                            "frequency_drift", NULL};

static void keep_larger(double *most, double value)
{
    if (value > *most)
        *most = value;
}

static void add_pace(struct noise_summary *s, const struct row *row)
{
    struct interval pace = curve_median_of_one(row);
    s->fastest = s->slices == 0 || pace.value < s->fastest ? pace.value : s->fastest;
    keep_larger(&s->slowest, pace.value);
    keep_larger(&s->error, (pace.high - pace.value) / NORMAL_95);
    s->slices++;
    s->ticks_per_cycle += (pace.value - s->ticks_per_cycle) / s->slices;
}

static void add_noise_row(struct noise_summary *s, const struct row *row)
{
    double samples = (double)row->samples;
    if (row_is(row, NOISE_GAP)) {
        s->gaps += samples;
        s->gap_time += samples * row->mean;
        s->gaps_over_1us += row->n >= MICROSECOND_EXPONENT ? samples : 0;
        keep_larger(&s->max_gap, row->max);
    } else if (row_is(row, NOISE_LOOP)) {
        keep_larger(&s->loop, row->median);
    } else if (row_is(row, NOISE_THRESHOLD)) {
        keep_larger(&s->threshold, row->median);
    } else if (row_is(row, NOISE_OBSERVED)) {
        s->seconds += samples * row->mean / 1e6;
    } else if (row_is(row, NOISE_CHAIN) && row->k > 0) {
        add_pace(s, row);
    } else if (row_is(row, NOISE_SMI)) {
        s->smi_first = s->smi_known && s->smi_first < row->min ? s->smi_first : row->min;
        keep_larger(&s->smi_last, row->max);
        s->smi_known = true;
    }
}

void noise_summary_add(struct noise_summary *summary, const struct row *rows, size_t count)
{
    for (const struct row *row = rows; row < rows + count; row++)
        if (strcmp(row->variant.experiment, "noise") == 0)
            add_noise_row(summary, row);
}

bool noise_drift(const struct noise_summary *s, double *percent, double *half_width)
{
    if (s->slices < 2 || !(s->ticks_per_cycle > 0))
        return false;
    *percent = 100 * (s->slowest - s->fastest) / s->ticks_per_cycle;
    *half_width = 100 * 2 * normal_95_of_all(s->slices) * s->error / s->ticks_per_cycle;
    return true;
}

bool noise_is_steady(const struct noise_summary *s, bool *is_steady)
{
    double percent, half_width;
    if (!noise_drift(s, &percent, &half_width))
        return false;
    *is_steady = percent + half_width <= STEADY_DRIFT;
    return *is_steady || percent - half_width > STEADY_DRIFT;
}

/* Judges the longest gap: it has no interval, as time not observed may have a longer one. */
static void judge_max_gap(const struct noise_summary *s, struct verdict *v)
{
    if (s->seconds <= 0) {
        answer_skip(v, "no time observed");
        return;
    }
    v->value = s->gaps > 0 ? s->max_gap : 0;
    if (s->threshold >= MICROSECOND)
        verdict_conclude(v, VERDICT_DOUBT, SLOW_LOOP, s->loop);
    else
        verdict_conclude(
            v, VERDICT_OK,
            "longest of %.0f gaps above %.0f ns in %.1f s; together %.3f %% of the time", s->gaps,
            s->threshold, s->seconds, s->gap_time / s->seconds / 1e7);
}

/* Returns one end of a Poisson count's interval, so many deviations off, by Wilson and Hilferty's
 * chi-squared (Breslow and Day, Statistical Methods in Cancer Research II, 2.3). */
static double poisson_limit(double count, double deviations)
{
    if (count <= 0)
        return 0;
    double root = 1 - 1 / (9 * count) + deviations / (3 * __builtin_sqrt(count));
    return root > 0 ? count * root * root * root : 0;
}

static void set_count(struct verdict *v, double count)
{
    verdict_value(v, count, poisson_limit(count, -NORMAL_95), poisson_limit(count + 1, NORMAL_95));
}

/*
 * Interrupts come in bursts: one second tells nothing of the next. In 50 runs of one machine a
 * Poisson count's interval held the runs' median in 8 %.
 */
static void judge_over_1us(const struct noise_summary *s, struct verdict *v)
{
    double count = s->gaps_over_1us;
    if (s->seconds <= 0) {
        answer_skip(v, "no time observed");
        return;
    }
    if (strcmp(v->variant.pattern, NOISE_INTERRUPTS) == 0)
        v->value = count;
    else
        set_count(v, count);
    if (s->threshold >= MICROSECOND)
        verdict_conclude(v, VERDICT_DOUBT, SLOW_LOOP, s->loop);
    else
        verdict_conclude(v, VERDICT_OK, "%.2f per second in %.1f s", count / s->seconds,
                         s->seconds);
}

static void judge_smi(const struct noise_summary *s, struct verdict *v)
{
    if (!s->smi_known) {
        answer_skip(v, "this platform cannot read the count");
        return;
    }
    set_count(v, s->smi_last - s->smi_first);
    verdict_conclude(v, VERDICT_OK, "MSR_SMI_COUNT after minus before");
}

static void judge_drift(const struct noise_summary *s, struct verdict *v)
{
    double percent, half_width;
    if (!noise_drift(s, &percent, &half_width)) {
        answer_skip(v, "needs two slices of time or more");
        return;
    }
    bool is_known = half_width <= LEAST_DRIFT_KNOWN;
    verdict_value(v, percent, percent > half_width ? percent - half_width : 0,
                  percent + half_width);
    verdict_conclude(v, is_known ? VERDICT_OK : VERDICT_DOUBT,
                     is_known
                         ? "fastest minus slowest of %u slices; %.3f cycles per tick"
                         : "the additions' times scatter too much; %u slices, %.3f cycles per tick",
                     s->slices, 1 / s->ticks_per_cycle);
}

/* How the core was shared, by the slices of looks at it. */
struct core_shares {
    const struct row *first; /* of metric NOISE_SHARED, with samples or not; NULL: no such row */
    struct moments slices;   /* each slice's share */
    double looks;            /* in all slices */
    double units;            /* looks that may be independent of each other */
};

/* Adds up the slices. One without a change may be part of one long state: it is one unit. */
static struct core_shares add_up_shares(const struct table *table)
{
    struct core_shares s = {.first = NULL};
    for (TABLE_ROWS(row, table)) {
        if (s.first == NULL && strcmp(row->metric, NOISE_SHARED) == 0)
            s.first = row;
        if (!row_is(row, NOISE_SHARED) || row->max > 1)
            continue;
        moments_add(&s.slices, row->mean);
        s.looks += (double)row->samples;
        s.units += row->mean > 0 && row->mean < 1 ? (double)row->samples : 1;
    }
    return s;
}

/* Returns the mean share with its 95 % interval, by Wilson (1927) of as many units as scatter like
 * the slices, less what Student's t asks for few slices (Korn and Graubard, 1998). At least two
 * slices. */
static struct interval mean_share(const struct core_shares *s)
{
    double p = s->slices.mean, of_mean = moments_variance(&s->slices) / s->slices.count;
    double n = of_mean * s->units > p * (1 - p) ? p * (1 - p) / of_mean : s->units;
    double t = student_95(s->slices.count - 1) / NORMAL_95, z = NORMAL_95;
    n = (n > 1 ? n : 1) / (t * t);
    double middle = (p + z * z / (2 * n)) / (1 + z * z / n);
    double half_width = z * __builtin_sqrt(p * (1 - p) / n + z * z / (4 * n * n)) / (1 + z * z / n);
    return (struct interval){p, middle > half_width ? middle - half_width : 0,
                             middle + half_width < 1 ? middle + half_width : 1};
}

static void judge_share(const struct table *table, const struct core_shares *s, struct verdict *v)
{
    unsigned slices = s->slices.count;
    if (slices < 2) {
        answer_skip(v, "%s",
                    slices > 0                ? "needs two slices of visits or more"
                    : s->first->discarded > 0 ? "the core's state changed during every visit"
                                              : s->first->unit);
        return;
    }
    struct interval x = interval_scale(mean_share(s), 100);
    bool known = table_find(table, NOISE_PUBLISHED) != NULL;
    bool precise = interval_half_width(x) <= 100 * LEAST_SHARE_KNOWN;
    answer(v, x,
           !known     ? "the whole core's pace is unknown, so all visits may have been shared"
           : !precise ? "the slices' shares scatter: raise noise.seconds"
                      : NULL,
           "shared visits of %.0f in %u slices", s->looks, slices);
}

/* Adds what the manual promises of one case, as experiment.h says. */
static void judge_noise(const struct table *table, struct verdict_list *verdicts)
{
    const struct variant *variant = table->variant;
    struct core_shares shares = add_up_shares(table);
    struct noise_summary summary = {.seconds = 0};
    if (shares.first != NULL) {
        judge_share(table, &shares, verdict_add(verdicts, variant, "shared_share", "%"));
        return;
    }
    noise_summary_add(&summary, table->rows, table->count);
    judge_max_gap(&summary, verdict_add(verdicts, variant, "max_gap", "ns"));
    judge_over_1us(&summary, verdict_add(verdicts, variant, "gaps_over_1us", "gaps"));
    judge_smi(&summary, verdict_add(verdicts, variant, "smi_count", "interrupts"));
    judge_drift(&summary, verdict_add(verdicts, variant, "frequency_drift", "%"));
}

static const struct headline headlines[] = {
    {80, "core shared", "noise", {"shared_share"}, false, SEEN_SHARED_CORE},
    {90, "longest gap", "noise", {"max_gap"}, false, SEEN_NOISE},
    {.label = NULL},
};

const struct rule rule_noise = {
    .headlines = headlines,
    .judge = judge_noise,
    .verdicts = verdict_names,
};

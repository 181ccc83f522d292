/* noise_rule: for how long is the core not ours, and does its frequency hold?
 *
 * Expected: with interrupts off, only system-management interrupts and a hypervisor make gaps.
 * Seen, guests under Linux, so with interrupts: 464 to 1160 gaps over 1 us in a second, the longest
 * 0.15 ms (Intel family 6 model 207), 7.4 ms (Zen 4), 0.5 ms (Zen 5). The sibling was awake in 15,
 * 8 and 0 percent of visits; on Zen 5, states last from under a millisecond to seconds. Two loads
 * in turn move by 1.5 percent within seconds there, whichever part of memory they use.
 * Not understood: that 1.5 percent; and a frequency that drifts by 8 percent (model 207). */
#include "noise_rule.h"

#include "../../analysis/curve.h"
#include "../../analysis/drift.h"
#include "../../analysis/equality.h"
#include "../../analysis/moments.h"
#include "../../lib/string.h"
#include "../../lib/units.h"
#include "../answer.h"
#include "../experiment.h"

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
        s->gaps_over_1us += row->min >= KILO ? samples : 0;
        keep_larger(&s->max_gap, row->max);
    } else if (row_is(row, NOISE_LOOP)) {
        keep_larger(&s->loop, row->median);
    } else if (row_is(row, NOISE_THRESHOLD)) {
        keep_larger(&s->threshold, row->median);
    } else if (row_is(row, NOISE_OBSERVED)) {
        s->seconds += samples * row->mean / MEGA;
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
    *is_steady = percent + half_width <= 100 * DRIFT_LEAST;
    return *is_steady || percent - half_width > 100 * DRIFT_LEAST;
}

/* A case, and its sums. */
struct noise_reading {
    const struct table *table;
    struct noise_summary summary;
};

/* A gap is seen only if it is longer than reading the counter takes. */
static enum reason doubt_of_gaps(const struct noise_summary *s)
{
    return s->threshold >= KILO ? REASON_CLOCK_TOO_COARSE : REASON_NONE;
}

/* Judges the longest gap: it has no interval, as time not observed may have a longer one. */
static void judge_max_gap(const void *reading, struct verdict *v)
{
    const struct noise_summary *s = &((const struct noise_reading *)reading)->summary;
    const double none = __builtin_nan("");
    if (s->seconds <= 0)
        answer_skip(v, REASON_NOT_MEASURED, "no time observed");
    else
        answer(v, (struct interval){s->gaps > 0 ? s->max_gap : 0, none, none}, doubt_of_gaps(s),
               "longest of %.0f gaps above %.0f ns in %.1f s; together %.3f %% of the time",
               s->gaps, s->threshold, s->seconds, s->gap_time / s->seconds / 1e7);
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

static struct interval count_of(double count)
{
    return (struct interval){count, poisson_limit(count, -NORMAL_95),
                             poisson_limit(count + 1, NORMAL_95)};
}

/*
 * Interrupts come in bursts: one second tells nothing of the next. In 50 runs of one machine a
 * Poisson count's interval held the runs' median in 8 %.
 */
static void judge_over_1us(const void *reading, struct verdict *v)
{
    const struct noise_summary *s = &((const struct noise_reading *)reading)->summary;
    double count = s->gaps_over_1us;
    const struct interval alone = {count, __builtin_nan(""), __builtin_nan("")};
    bool has_bursts = strcmp(v->variant.pattern, NOISE_INTERRUPTS) == 0;
    if (s->seconds <= 0)
        answer_skip(v, REASON_NOT_MEASURED, "no time observed");
    else
        answer(v, has_bursts ? alone : count_of(count), doubt_of_gaps(s),
               "%.2f per second in %.1f s, of loops of %.0f ns", count / s->seconds, s->seconds,
               s->loop);
}

static void judge_smi(const void *reading, struct verdict *v)
{
    const struct noise_summary *s = &((const struct noise_reading *)reading)->summary;
    if (!s->smi_known)
        answer_skip(v, REASON_NOT_COUNTED, "MSR_SMI_COUNT");
    else
        answer(v, count_of(s->smi_last - s->smi_first), REASON_NONE,
               "MSR_SMI_COUNT after minus before");
}

static void judge_drift(const void *reading, struct verdict *v)
{
    const struct noise_summary *s = &((const struct noise_reading *)reading)->summary;
    double percent, half_width;
    if (!noise_drift(s, &percent, &half_width)) {
        answer_skip(v, REASON_TOO_FEW_SAMPLES, "two slices of time");
        return;
    }
    struct interval drift = interval_around(percent, half_width);
    drift.low = larger(drift.low, 0);
    answer(v, drift, half_width <= 100 * DRIFT_LEAST ? REASON_NONE : REASON_SCATTER,
           "fastest minus slowest of %u slices; %.3f cycles per tick", s->slices,
           1 / s->ticks_per_cycle);
}

/* How the core was shared, by the slices of looks at it. */
struct core_shares {
    struct moments slices; /* each slice's share */
    double looks;          /* in all slices */
    double units;          /* looks that may be independent of each other */
};

/* Adds up the slices. One without a change may be part of one long state: it is one unit. */
static struct core_shares add_up_shares(const struct table *table)
{
    struct core_shares s = {.looks = 0};
    for (TABLE_ROWS(row, table)) {
        if (!row_is(row, NOISE_SHARED) || row->max > 1)
            continue;
        moments_add(&s.slices, row->mean);
        s.looks += (double)row->samples;
        s.units += row->mean > 0 && row->mean < 1 ? (double)row->samples : 1;
    }
    return s;
}

double noise_share(const struct table *table)
{
    return add_up_shares(table).slices.mean;
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

static void judge_share(const void *reading, struct verdict *v)
{
    struct core_shares s = add_up_shares(((const struct noise_reading *)reading)->table);
    if (s.slices.count < 2) {
        answer_skip(v, REASON_TOO_FEW_SAMPLES, "two slices of visits in one state of the core");
        return;
    }
    struct interval x = interval_scale(mean_share(&s), 100);
    bool is_precise = interval_half_width(x) <= 100 * RARE;
    answer(v, x, is_precise ? REASON_NONE : REASON_SCATTER, "shared visits of %.0f in %u slices",
           s.looks, s.slices.count);
}

IS_OF_PATTERN(is_of_core, NOISE_CORE)

static bool is_of_time(const struct variant *variant)
{
    return !is_of_core(variant);
}

static const struct question noise_questions[] = {
    QUESTION(
        "max_gap", "ns", is_of_time, 0, judge_max_gap,
        MEANS("the longest gap in nanoseconds, with up to one reading of the counter; no interval, "
              "because longer gaps may be rarer"),
        .at = {HEADLINE_GAP, 0}),
    QUESTION("gaps_over_1us", "gaps", is_of_time, 0, judge_over_1us,
             MEANS("the number of gaps of 1 µs or more; `method` has the rate. No interval with "
                   "interrupts on, because they come in bursts")),
    QUESTION("smi_count", "interrupts", is_of_time, 0, judge_smi,
             MEANS("system-management interrupts during the experiment. `skip` unless the "
                   "processor counts them (image only; AMD: by a spare counter, while interrupts "
                   "are off)")),
    QUESTION(
        "frequency_drift", "%", is_of_time, 0, judge_drift,
        MEANS("the fastest minus the slowest fifth of a second, in percent of the mean frequency")),
    QUESTION("shared_share", "%", is_of_core, NEEDS_WHOLE_CORE, judge_share,
             MEANS("case `core`: the percentage of time in which a sibling thread shared the core"),
             .at = {HEADLINE_SHARED, 0}),
    {.name = NULL},
};

static void judge_noise(const struct evidence *e)
{
    struct noise_reading r = {.table = e->table};
    noise_summary_add(&r.summary, e->table->rows, e->table->count);
    answer_all(e, noise_questions, &r);
}

const struct rule rule_noise = {
    .questions = (const struct question *const[]){noise_questions, NULL},
    .judge = judge_noise,
};

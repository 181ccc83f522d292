/* noise_rule: gaps, system-management interrupts and the core's pace, added up and judged. */
#include "noise_rule.h"

#include "../../analysis/curve.h"
#include "../../analysis/equality.h"
#include "../../analysis/moments.h"
#include "../../lib/string.h"
#include "../experiment.h"

#define MICROSECOND 1000.0 /* in nanoseconds */
#define MICROSECOND_EXPONENT 3
#define DRIFT_REACH 1.0 /* percent; a drift that is not known better is in doubt */
#define SHARE_REACH 0.1 /* a share that is not known better is in doubt */
#define SLOW_LOOP "two readings of the time-stamp counter are %.0f ns apart already"

static const char *const verdict_names[] = {"max_gap", "gaps_over_1us", "smi_count",
                                            "frequency_drift", NULL};

static void add_gaps(struct noise_summary *s, const struct row *row)
{
    s->gaps += (double)row->samples;
    s->gap_time += (double)row->samples * row->mean;
    if (row->max > s->max_gap)
        s->max_gap = row->max;
    if (row->n >= MICROSECOND_EXPONENT)
        s->gaps_over_1us += (double)row->samples;
}

static void add_loop(struct noise_summary *s, const struct row *row)
{
    if (row->median > s->loop)
        s->loop = row->median;
}

static void add_threshold(struct noise_summary *s, const struct row *row)
{
    if (row->median > s->threshold)
        s->threshold = row->median;
}

static void add_observed(struct noise_summary *s, const struct row *row)
{
    s->seconds += (double)row->samples * row->mean / 1e6;
}

static void add_chain(struct noise_summary *s, const struct row *row)
{
    if (row->k <= 0)
        return;
    struct interval median = curve_median(row);
    double ticks = median.value / (double)row->k;
    double error = (median.high - median.value) / NORMAL_95 / (double)row->k;
    s->fastest = s->slices == 0 || ticks < s->fastest ? ticks : s->fastest;
    s->slowest = s->slices == 0 || ticks > s->slowest ? ticks : s->slowest;
    s->error = error > s->error ? error : s->error;
    s->slices++;
    s->ticks_per_cycle += (ticks - s->ticks_per_cycle) / s->slices;
}

static void add_smi(struct noise_summary *s, const struct row *row)
{
    s->smi_first = s->smi_known && s->smi_first < row->min ? s->smi_first : row->min;
    s->smi_last = s->smi_known && s->smi_last > row->max ? s->smi_last : row->max;
    s->smi_known = true;
}

static const struct {
    const char *metric;
    void (*add)(struct noise_summary *summary, const struct row *row);
} parts[] = {
    {NOISE_GAP, add_gaps},          {NOISE_LOOP, add_loop},   {NOISE_THRESHOLD, add_threshold},
    {NOISE_OBSERVED, add_observed}, {NOISE_CHAIN, add_chain}, {NOISE_SMI, add_smi},
};

void noise_summary_add(struct noise_summary *summary, const struct row *rows, size_t count)
{
    for (const struct row *row = rows; row < rows + count; row++) {
        if (row->samples == 0 || strcmp(row->of.experiment, "noise") != 0)
            continue;
        for (unsigned i = 0; i < sizeof parts / sizeof *parts; i++)
            if (strcmp(row->metric, parts[i].metric) == 0)
                parts[i].add(summary, row);
    }
}

bool noise_drift(const struct noise_summary *s, double *percent, double *reach)
{
    if (s->slices < 2 || !(s->ticks_per_cycle > 0))
        return false;
    *percent = 100 * (s->slowest - s->fastest) / s->ticks_per_cycle;
    *reach = 100 * 2 * reach_of_all(s->slices) * s->error / s->ticks_per_cycle;
    return true;
}

/* The longest of the time that was observed; how long it is at other times nothing here tells. */
static void judge_max_gap(const struct noise_summary *s, struct verdict *v)
{
    if (s->seconds <= 0) {
        verdict_conclude(v, VERDICT_SKIP, "no time observed");
        return;
    }
    v->value = s->gaps > 0 ? s->max_gap : 0;
    if (s->threshold >= MICROSECOND)
        verdict_conclude(v, VERDICT_DOUBT, SLOW_LOOP, s->loop);
    else
        verdict_conclude(v, VERDICT_OK,
                         "of %.0f gaps longer than %.0f ns in %.1f s; together %.3f %% of the time",
                         s->gaps, s->threshold, s->seconds, s->gap_time / s->seconds / 1e7);
}

/*
 * The 95 % interval of a Poisson count, by Wilson and Hilferty's approximation of chi-squared's
 * quantiles (Breslow and Day, Statistical Methods in Cancer Research II, 2.3).
 */
static double poisson_limit(double count, double reach)
{
    if (count <= 0)
        return 0;
    double root = 1 - 1 / (9 * count) + reach / (3 * __builtin_sqrt(count));
    return root > 0 ? count * root * root * root : 0;
}

static void set_count(struct verdict *v, double count)
{
    verdict_value(v, count, poisson_limit(count, -NORMAL_95), poisson_limit(count + 1, NORMAL_95));
}

/*
 * Interrupts come in bursts: of one second follows nothing for another. In 50 runs of one machine a
 * Poisson count's interval held the runs' median in 8 %.
 */
static void judge_over_1us(const struct noise_summary *s, struct verdict *v)
{
    if (s->seconds <= 0) {
        verdict_conclude(v, VERDICT_SKIP, "no time observed");
        return;
    }
    double count = s->gaps_over_1us;
    if (strcmp(v->of.pattern, NOISE_INTERRUPTS) == 0)
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
    double count = s->smi_last - s->smi_first;
    if (!s->smi_known) {
        verdict_conclude(v, VERDICT_SKIP, "this platform does not know the count");
        return;
    }
    set_count(v, count);
    verdict_conclude(v, VERDICT_OK, "MSR_SMI_COUNT before and after");
}

static void judge_drift(const struct noise_summary *s, struct verdict *v)
{
    double percent, reach;
    if (!noise_drift(s, &percent, &reach)) {
        verdict_conclude(v, VERDICT_SKIP, "needs two slices of time or more");
        return;
    }
    verdict_value(v, percent, percent > reach ? percent - reach : 0, percent + reach);
    verdict_conclude(v, reach <= DRIFT_REACH ? VERDICT_OK : VERDICT_DOUBT,
                     reach <= DRIFT_REACH
                         ? "between fastest and slowest of %u slices; %.3f cycles a tick"
                         : "the additions' time scatters; %u slices, %.3f cycles a tick",
                     s->slices, 1 / s->ticks_per_cycle);
}

/* What the slices of looks say of how the core was shared. */
struct shares {
    struct moments slices; /* each one's share */
    double visits;         /* in all */
    double units;          /* that may be independent of each other */
};

/* The state of a slice without a change may be that of a long time: it is one unit. */
static struct shares add_up_shares(const struct table *table)
{
    struct shares s = {.visits = 0};
    for (const struct row *row = table->rows; row < table->rows + table->count; row++)
        if (row_is(row, NOISE_SHARED) && row->max <= 1) {
            moments_add(&s.slices, row->mean);
            s.visits += (double)row->samples;
            s.units += row->mean > 0 && row->mean < 1 ? (double)row->samples : 1;
        }
    return s;
}

/*
 * The 95 % interval of a share, by Wilson (1927) of as many units as would scatter as the slices
 * do, less what Student's t asks for few slices (Korn and Graubard, 1998). At least two slices.
 */
static struct interval share_of(const struct shares *s)
{
    double p = s->slices.mean, of_mean = moments_variance(&s->slices) / s->slices.count;
    double n = of_mean * s->units > p * (1 - p) ? p * (1 - p) / of_mean : s->units;
    double t = student_95(s->slices.count - 1) / NORMAL_95, z = NORMAL_95;
    n = (n > 1 ? n : 1) / (t * t);
    double middle = (p + z * z / (2 * n)) / (1 + z * z / n);
    double reach = z * __builtin_sqrt(p * (1 - p) / n + z * z / (4 * n * n)) / (1 + z * z / n);
    return (struct interval){p, middle > reach ? middle - reach : 0,
                             middle + reach < 1 ? middle + reach : 1};
}

static const struct row *find_metric(const struct table *table, const char *metric)
{
    const struct row *row = table->rows;
    while (row < table->rows + table->count && strcmp(row->metric, metric) != 0)
        row++;
    return row < table->rows + table->count ? row : NULL;
}

/* Not even two slices have looks. */
static void skip_share(const struct table *table, unsigned slices, struct verdict *v)
{
    const struct row *row = find_metric(table, NOISE_SHARED);
    verdict_conclude(v, VERDICT_SKIP, "%s",
                     slices > 0           ? "needs two slices of looks or more"
                     : row->discarded > 0 ? "the core's state changed in every look"
                                          : row->unit);
}

static void judge_share(const struct table *table, struct verdict *v)
{
    const struct row *published = find_metric(table, NOISE_PUBLISHED);
    struct shares s = add_up_shares(table);
    if (s.slices.count < 2) {
        skip_share(table, s.slices.count, v);
        return;
    }
    struct interval x = share_of(&s);
    bool known = published != NULL && published->samples > 0;
    bool precise = x.high - x.low <= 2 * SHARE_REACH;
    verdict_value(v, 100 * x.value, 100 * x.low, 100 * x.high);
    verdict_conclude(v, known && precise ? VERDICT_OK : VERDICT_DOUBT,
                     !known ? "of %.0f looks in %u slices; how fast the whole core is, is not known"
                     : precise ? "of %.0f looks in %u slices"
                               : "of %.0f looks in %u slices that scatter",
                     s.visits, s.slices.count);
}

/* The rules of the manual, as experiment.h says. Pure. */
static void judge(const struct table *table, struct verdict_list *verdicts)
{
    static const struct {
        const char *unit;
        void (*judge)(const struct noise_summary *summary, struct verdict *verdict);
    } rules[] = {
        {"ns", judge_max_gap},
        {"gaps", judge_over_1us},
        {"interrupts", judge_smi},
        {"%", judge_drift},
    };
    struct noise_summary summary = {.seconds = 0};
    if (find_metric(table, NOISE_SHARED) != NULL) {
        judge_share(table, verdict_add(verdicts, table->of, "shared_share", "%"));
        return;
    }
    noise_summary_add(&summary, table->rows, table->count);
    for (unsigned i = 0; i < sizeof rules / sizeof *rules; i++)
        rules[i].judge(&summary, verdict_add(verdicts, table->of, verdict_names[i], rules[i].unit));
}

const struct rule rule_noise = {
    .judge = judge,
    .verdicts = verdict_names,
};

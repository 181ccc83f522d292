/* floor_rule: intervals of nothing, and slopes of time over instructions. */
#include "floor_rule.h"

#include "../lib/string.h"
#include "counts.h"
#include "curve.h"
#include "mlp_rule.h"
#include "verdict.h"

#define REACH_95 1.96
#define PRECISE 0.02 /* an interval up to this share of its value to either side is an answer */
#define SIDE_BY_SIDE                                                                               \
    0.9 /* additions that do not wait take less than this share of those that do                   \
         */
#define MEGAHERTZ 1e6

const char *const floor_verdict_names[] = {"timer_floor", "timer_step", "empty_sample",
                                           "cpi_floor",   "frequency",  NULL};

static bool is_time(const struct row *row)
{
    return strcmp(row->metric, "tsc") == 0 && strcmp(row->unit, "ticks") == 0 && row->samples > 0;
}

static bool is_empty_sample(const struct row *row)
{
    return is_time(row) && row->n == 0 && row->k == 0;
}

static const struct row *find(const struct row *rows, size_t count,
                                     const char *metric)
{
    for (size_t i = 0; i < count; i++)
        if (strcmp(rows[i].metric, metric) == 0)
            return &rows[i];
    return NULL;
}

static struct verdict *add(const struct row *rows, const char *name, const char *unit,
                           struct verdict_list *verdicts)
{
    return verdict_add(verdicts, rows->experiment, rows->variant, name, unit);
}

static void judge_timer(const struct row *rows, size_t count, struct verdict_list *verdicts)
{
    const struct row *pair = find(rows, count, FLOOR_PAIR);
    const struct row *least = find(rows, count, FLOOR_LEAST);
    struct verdict *v = add(rows, "timer_floor", "ticks", verdicts);
    if (pair == NULL || least == NULL || least->samples == 0) {
        verdict_conclude(v, VERDICT_DOUBT, "two timestamps back to back were never apart");
        return;
    }
    verdict_value(v, least->median, least->median,
                  pair->median > least->median ? pair->median : least->median);
    verdict_conclude(v, VERDICT_OK,
                     "least between two RDTSC back to back, not 0; up to the median");
}

static void judge_step(const struct row *rows, size_t count, struct verdict_list *verdicts)
{
    const struct row *step = find(rows, count, FLOOR_STEP);
    struct verdict *v = add(rows, "timer_step", "ticks", verdicts);
    if (step == NULL || step->samples == 0) {
        verdict_conclude(v, VERDICT_DOUBT, "no interval was longer than 0");
        return;
    }
    verdict_value(v, step->median, step->median, step->median);
    verdict_conclude(v, VERDICT_OK, "greatest common divisor of every interval measured");
}

static void judge_empty(const struct row *row, struct verdict *v)
{
    struct interval t = curve_median(row);
    verdict_value(v, t.value, t.low, t.high);
    verdict_conclude(v, VERDICT_OK, "median of N = 0, K = 0; deciles %.0f and %.0f", row->p10,
                     row->p90);
}

/* Ticks of one instruction, from bodies of two lengths: the timer is in both. */
struct pace {
    double ticks, error; /* ticks NAN: not measured */
};

static struct pace pace_of(const struct row *rows, size_t count, int64_t n)
{
    const struct row *shortest = NULL, *longest = NULL;
    for (const struct row *row = rows; row < rows + count; row++) {
        if (!is_time(row) || row->n != n)
            continue;
        if (shortest == NULL || row->k < shortest->k)
            shortest = row;
        if (longest == NULL || row->k > longest->k)
            longest = row;
    }
    if (shortest == NULL || shortest->k == longest->k)
        return (struct pace){__builtin_nan(""), 0};
    struct interval a = curve_median(shortest), b = curve_median(longest);
    double instructions = (double)(longest->k - shortest->k);
    double left = (a.value - a.low) / REACH_95, right = (b.value - b.low) / REACH_95;
    return (struct pace){(b.value - a.value) / instructions,
                         __builtin_sqrt(left * left + right * right) / instructions};
}

/* The most additions side by side that were measured. */
static int64_t most_chains(const struct row *rows, size_t count)
{
    int64_t most = 1;
    for (size_t i = 0; i < count; i++)
        if (is_time(&rows[i]) && rows[i].n > most)
            most = rows[i].n;
    return most;
}

static void judge_cpi(struct pace adds, struct pace nops, struct pace cycle, struct verdict *v)
{
    bool by_nops = !(adds.ticks <= nops.ticks);
    struct pace best = by_nops ? nops : adds;
    if (!(best.ticks > 0 && cycle.ticks > 0)) {
        verdict_conclude(v, VERDICT_DOUBT, "more instructions do not take more time");
        return;
    }
    double cpi = best.ticks / cycle.ticks;
    double a = best.error / best.ticks, b = cycle.error / cycle.ticks;
    double reach = REACH_95 * cpi * __builtin_sqrt(a * a + b * b);
    verdict_value(v, cpi, cpi - reach, cpi + reach);
    if (cpi > SIDE_BY_SIDE)
        verdict_conclude(v, VERDICT_DOUBT, "additions side by side are no faster than in a chain");
    else
        verdict_conclude(v, reach <= PRECISE * cpi ? VERDICT_OK : VERDICT_DOUBT,
                         "%s: %.4f ticks each; %.4f ticks a cycle",
                         by_nops ? "NOPs" : "additions side by side", best.ticks, cycle.ticks);
}

static void judge_frequency(struct pace cycle, const struct row *rate, struct verdict *v)
{
    if (rate == NULL || rate->samples == 0) {
        verdict_conclude(v, VERDICT_SKIP, "a tick of this platform has no length in seconds");
        return;
    }
    if (!(cycle.ticks > 0)) {
        verdict_conclude(v, VERDICT_DOUBT, "more additions do not take more time");
        return;
    }
    double megahertz = rate->median / MEGAHERTZ / cycle.ticks;
    double reach = REACH_95 * megahertz * cycle.error / cycle.ticks;
    verdict_value(v, megahertz, megahertz - reach, megahertz + reach);
    verdict_conclude(v, reach <= PRECISE * megahertz ? VERDICT_OK : VERDICT_DOUBT,
                     "%.4f cycles a tick in a chain of additions; %.1f million ticks/s",
                     1 / cycle.ticks, rate->median / MEGAHERTZ);
}

static void judge_core(const struct row *rows, size_t count, struct verdict_list *verdicts)
{
    struct pace cycle = pace_of(rows, count, 1), nops = pace_of(rows, count, 0);
    struct pace adds = pace_of(rows, count, most_chains(rows, count));
    struct verdict *cpi = add(rows, "cpi_floor", "cycles", verdicts);
    struct verdict *frequency = add(rows, "frequency", "MHz", verdicts);
    judge_cpi(adds, nops, cycle, cpi);
    judge_frequency(cycle, find(rows, count, FLOOR_RATE), frequency);
}

void floor_judge(const struct row *rows, size_t count, struct verdict_list *verdicts)
{
    if (strcmp(rows->variant, FLOOR_TIMER) == 0) {
        judge_timer(rows, count, verdicts);
        judge_step(rows, count, verdicts);
    } else if (strcmp(rows->variant, FLOOR_CORE) == 0) {
        judge_core(rows, count, verdicts);
    } else {
        counts_judge_payload(rows, count, verdicts);
    }
    for (size_t i = 0; i < count; i++)
        if (is_empty_sample(&rows[i]))
            judge_empty(&rows[i], add(rows, "empty_sample", "ticks", verdicts));
}

void floor_find(const struct row *rows, size_t count, struct floor *floor)
{
    for (const struct row *row = rows; row < rows + count; row++) {
        if (strcmp(row->experiment, FLOOR_EXPERIMENT) != 0 || !is_empty_sample(row))
            continue;
        if (strcmp(row->variant, FLOOR_LFENCE) == 0) {
            floor->lfence = *row;
            floor->has_lfence = true;
        } else if (strcmp(row->variant, FLOOR_CPUID) == 0) {
            floor->cpuid = *row;
            floor->has_cpuid = true;
        }
    }
}

/* Whether CPUID orders a case's timestamps: further suffixes may follow. */
static bool is_cpuid(const char *variant)
{
    const size_t length = sizeof MLP_CPUID_SUFFIX - 1;
    for (; strlen(variant) >= length; variant++)
        if (memcmp(variant, MLP_CPUID_SUFFIX, length) == 0)
            return true;
    return false;
}

static const struct row *empty_sample_for(const struct floor *floor,
                                                 const struct row *row)
{
    const struct row *empty = is_cpuid(row->variant)
                                         ? (floor->has_cpuid ? &floor->cpuid : NULL)
                                         : (floor->has_lfence ? &floor->lfence : NULL);
    return empty != NULL && empty->median > 0 ? empty : NULL;
}

static void judge_above(const struct row *row, const struct row *empty,
                        struct verdict *v)
{
    struct interval t = curve_median(row), floor = curve_median(empty);
    double high = floor.low > 0 ? t.high / floor.low : __builtin_nan("");
    verdict_value(v, t.value / floor.value, t.low / floor.high, high);
    verdict_conclude(v, row->median > empty->p90 ? VERDICT_OK : VERDICT_DOUBT,
                     "smallest median, %.0f ticks; deciles of empty samples %.0f, %.0f",
                     row->median, empty->p10, empty->p90);
}

void floor_compare(const struct floor *floor, const struct row *rows, size_t count,
                   struct verdict_list *verdicts)
{
    const struct row *smallest = NULL;
    double least = 0;
    for (const struct row *row = rows; row < rows + count; row++) {
        const struct row *empty = is_time(row) ? empty_sample_for(floor, row) : NULL;
        if (empty == NULL || (smallest != NULL && row->median / empty->median >= least))
            continue;
        smallest = row;
        least = row->median / empty->median;
    }
    if (smallest != NULL)
        judge_above(smallest, empty_sample_for(floor, smallest),
                    add(smallest, "above_floor", "floors", verdicts));
}

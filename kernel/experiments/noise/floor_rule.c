/* floor_rule: intervals of nothing, and slopes of time over instructions. */
#include "floor_rule.h"

#include "../../analysis/curve.h"
#include "../../analysis/drift.h"
#include "../../lib/string.h"
#include "../experiment.h"
#include "../sweeps/counts_rule.h"

#define PRECISE 0.02 /* an interval up to this share of its value to either side is an answer */
/* Additions that do not wait take less than this share of those that do. */
#define SIDE_BY_SIDE 0.9
#define MEGAHERTZ 1e6
#define LARGEST_FINE 2 /* ticks: a clock of such steps has none that matter */

static const char *const verdict_names[] = {"timer_floor", "timer_step", "empty_sample",
                                            "cpi_floor",   "frequency",  NULL};

static bool is_time(const struct row *row)
{
    return row_is(row, "tsc") && strcmp(row->unit, "ticks") == 0;
}

static bool is_empty_sample(const struct row *row)
{
    return is_time(row) && row->n == 0 && row->k == 0;
}

static const struct row *find(const struct table *table, const char *metric)
{
    for (const struct row *row = table->rows; row < table->rows + table->count; row++)
        if (row_is(row, metric))
            return row;
    return NULL;
}

static void judge_timer(const struct table *table, struct verdict_list *verdicts)
{
    const struct row *pair = find(table, FLOOR_PAIR);
    const struct row *least = find(table, FLOOR_LEAST);
    struct verdict *v = verdict_add(verdicts, table->of, "timer_floor", "ticks");
    if (pair == NULL || least == NULL) {
        verdict_conclude(v, VERDICT_DOUBT, "two timestamps back to back were never apart");
        return;
    }
    /* Far less than a step of the clock is a reading that is one off. */
    const struct row *step = find(table, FLOOR_STEP);
    bool is_slip = step != NULL && least->median < step->median / 2 && pair->p10 > least->median;
    double floor = is_slip ? pair->p10 : least->median;
    verdict_value(v, floor, floor, pair->median > floor ? pair->median : floor);
    verdict_conclude(v, VERDICT_OK,
                     "least between two RDTSC back to back, not 0; up to the median");
}

static void judge_step(const struct table *table, struct verdict_list *verdicts)
{
    const struct row *step = find(table, FLOOR_STEP);
    struct verdict *v = verdict_add(verdicts, table->of, "timer_step", "ticks");
    if (step == NULL) {
        verdict_conclude(v, VERDICT_DOUBT, "no interval was longer than 0");
        return;
    }
    /* Now and then a reading of a clock in steps is one off; one that counts ticks cannot be. */
    double off = step->median > LARGEST_FINE ? 1 : 0;
    verdict_value(v, step->median, step->median - off, step->median + off);
    verdict_conclude(v, VERDICT_OK, "the distance between intervals that comes most often");
}

static void judge_empty(const struct row *row, struct verdict *v)
{
    struct interval t = curve_median(row);
    verdict_value(v, t.value, t.low, t.high);
    verdict_conclude(v, t.value > 0 ? VERDICT_OK : VERDICT_DOUBT,
                     "median of N = 0, K = 0; deciles %.0f and %.0f", row->p10, row->p90);
}

/* Ticks of one instruction, from bodies of two lengths: the timer is in both. */
struct pace {
    double ticks, error; /* ticks NAN: not measured */
};

static struct pace pace_of(const struct table *table, int64_t n)
{
    const struct row *shortest = NULL, *longest = NULL;
    for (const struct row *row = table->rows; row < table->rows + table->count; row++) {
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
    double left = (a.value - a.low) / NORMAL_95, right = (b.value - b.low) / NORMAL_95;
    return (struct pace){(b.value - a.value) / instructions,
                         __builtin_sqrt(left * left + right * right) / instructions};
}

/* The most additions side by side that were measured. */
static int64_t most_chains(const struct table *table)
{
    int64_t most = 1;
    for (const struct row *row = table->rows; row < table->rows + table->count; row++)
        if (row->n > most && is_time(row))
            most = row->n;
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
    double reach = NORMAL_95 * cpi * __builtin_sqrt(a * a + b * b);
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
    if (rate == NULL) {
        verdict_conclude(v, VERDICT_SKIP, "a tick of this platform has no length in seconds");
        return;
    }
    if (!(cycle.ticks > 0)) {
        verdict_conclude(v, VERDICT_DOUBT, "more additions do not take more time");
        return;
    }
    double megahertz = rate->median / MEGAHERTZ / cycle.ticks;
    double reach = NORMAL_95 * megahertz * cycle.error / cycle.ticks;
    double moved = DRIFT_LEAST * megahertz, both = __builtin_sqrt(reach * reach + moved * moved);
    verdict_value(v, megahertz, megahertz - both, megahertz + both);
    verdict_conclude(v, reach <= PRECISE * megahertz ? VERDICT_OK : VERDICT_DOUBT,
                     "%.4f cycles a tick in a chain of additions; %.1f million ticks/s",
                     1 / cycle.ticks, rate->median / MEGAHERTZ);
}

static void judge_core(const struct table *table, struct verdict_list *verdicts)
{
    struct pace cycle = pace_of(table, 1), nops = pace_of(table, 0);
    struct pace adds = pace_of(table, most_chains(table));
    struct verdict *cpi = verdict_add(verdicts, table->of, "cpi_floor", "cycles");
    struct verdict *frequency = verdict_add(verdicts, table->of, "frequency", "MHz");
    judge_cpi(adds, nops, cycle, cpi);
    judge_frequency(cycle, find(table, FLOOR_RATE), frequency);
}

/* Adds the verdicts of one case; as experiment.h says. Pure. */
static void judge(const struct table *table, struct verdict_list *verdicts)
{
    if (strcmp(table->of->pattern, FLOOR_TIMER) == 0) {
        judge_timer(table, verdicts);
        judge_step(table, verdicts);
    } else if (strcmp(table->of->pattern, FLOOR_CORE) == 0) {
        judge_core(table, verdicts);
    } else {
        counts_judge_payload(table, verdicts);
    }
    for (const struct row *row = table->rows; row < table->rows + table->count; row++)
        if (is_empty_sample(row))
            judge_empty(row, verdict_add(verdicts, table->of, "empty_sample", "ticks"));
}

static const struct table *find_case(const struct tables *tables, const char *pattern)
{
    struct variant of = {.experiment = FLOOR_EXPERIMENT};
    if (tables->count == 0)
        return NULL;
    of.has_core = tables->at->of->has_core;
    of.core = tables->at->of->core;
    name_copy(of.pattern, pattern);
    return tables_find(tables, &of);
}

/* Additions that need each other take a cycle each on any processor, and others less. */
static const char *find_emulator(const struct table *core)
{
    struct pace cycle = pace_of(core, 1), adds = pace_of(core, most_chains(core));
    if (find(core, FLOOR_EMULATED) != NULL)
        return "instructions are emulated: their times are no processor's";
    if (adds.ticks > SIDE_BY_SIDE * cycle.ticks)
        return "additions side by side are no faster than in a chain: an emulator";
    return NULL;
}

/* The last empty sample of each of floor's cases that has any. */
void floor_find(const struct tables *tables, struct floor *floor)
{
    for (enum probe_order order = ORDER_LFENCE; order <= ORDER_CPUID; order++) {
        const struct table *table = find_case(tables, order_names[order]);
        for (size_t i = 0; table != NULL && i < table->count; i++)
            if (is_empty_sample(&table->rows[i]))
                floor->empty[order] = table->rows[i];
    }
    const struct table *timer = find_case(tables, FLOOR_TIMER);
    const struct table *core = find_case(tables, FLOOR_CORE);
    const struct row *step = timer != NULL ? find(timer, FLOOR_STEP) : NULL;
    if (step != NULL)
        floor->step = step->median;
    if (core == NULL)
        return;
    floor->is_complete = !table_is_old(core);
    floor->has_width = find(core, FLOOR_WIDTH) != NULL;
    floor->emulated = find_emulator(core);
}

/* NULL: there is none whose timestamps are ordered in the same way. */
static const struct row *empty_sample_for(const struct floor *floor, const struct variant *of)
{
    const struct row *empty = &floor->empty[of->order];
    return empty->samples > 0 && empty->median > 0 ? empty : NULL;
}

static void judge_above(const struct row *row, const struct row *empty, struct verdict *v)
{
    struct interval t = curve_median(row), floor = curve_median(empty);
    double high = floor.low > 0 ? t.high / floor.low : __builtin_nan("");
    verdict_value(v, t.value / floor.value, t.low / floor.high, high);
    verdict_conclude(v, row->median > empty->p90 ? VERDICT_OK : VERDICT_DOUBT,
                     "smallest median, %.0f ticks; deciles of empty samples %.0f, %.0f",
                     row->median, empty->p10, empty->p90);
}

/* The smallest time of a case; NULL: it has none. */
static const struct row *find_smallest(const struct table *table)
{
    const struct row *smallest = NULL;
    for (const struct row *row = table->rows; row < table->rows + table->count; row++)
        if (is_time(row) && (smallest == NULL || row->median < smallest->median))
            smallest = row;
    return smallest;
}

/* A row, and how many empty samples long it is; without a row it has none. */
struct above {
    const struct row *row;
    double floors;
};

static struct above above_of(const struct floor *floor, const struct table *table)
{
    const struct row *empty = empty_sample_for(floor, table->of);
    const struct row *row = empty != NULL ? find_smallest(table) : NULL;
    return (struct above){row, row != NULL ? row->median / empty->median : 0};
}

/* Of two that are as small, the plainer: the order of cases must not matter. */
static bool is_less(const struct above *a, const struct above *b)
{
    if (a->row == NULL || b->row == NULL)
        return a->row != NULL;
    if (a->floors != b->floors)
        return a->floors < b->floors;
    return case_compare(&a->row->of, &b->row->of) < 0;
}

void floor_compare(const struct floor *floor, const struct tables *tables,
                   struct verdict_list *verdicts)
{
    struct above least = {NULL, 0};
    for (const struct table *t = tables->at; t < tables->at + tables->count; t++) {
        struct above above = above_of(floor, t);
        if (is_less(&above, &least))
            least = above;
    }
    if (least.row != NULL)
        judge_above(least.row, empty_sample_for(floor, &least.row->of),
                    verdict_add(verdicts, &least.row->of, "above_floor", "floors"));
}

const struct rule rule_floor = {
    .judge = judge,
    .verdicts = verdict_names,
};

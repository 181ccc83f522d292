/* floor_rule: intervals of nothing, and slopes of time over instructions. */
#include "floor_rule.h"

#include "../../analysis/curve.h"
#include "../../analysis/drift.h"
#include "../../lib/string.h"
#include "../answer.h"
#include "../experiment.h"
#include "../sweeps/counts_rule.h"

#define PRECISE 0.02 /* an answer's interval reaches at most this share of its value to a side */
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

static void judge_timer_floor(const struct table *table, struct verdict *v)
{
    const struct row *pair = table_find(table, FLOOR_PAIR);
    const struct row *least = table_find(table, FLOOR_LEAST);
    const struct row *step = table_find(table, FLOOR_STEP);
    if (pair == NULL || least == NULL) {
        verdict_conclude(v, VERDICT_DOUBT, "two timestamps back to back were never apart");
        return;
    }
    /* A reading far below a step of the clock is off by one. */
    bool is_slip = step != NULL && least->median < step->median / 2;
    double floor = !is_slip                       ? least->median
                   : pair->p10 > step->median / 2 ? pair->p10
                                                  : pair->median;
    double high = pair->median > floor ? pair->median : floor;
    answer(v, (struct interval){floor, floor, high}, NULL,
           "the shortest non-zero time between two RDTSC; the interval ends at their median");
}

static void judge_timer_step(const struct table *table, struct verdict *v)
{
    const struct row *step = table_find(table, FLOOR_STEP);
    if (step == NULL) {
        verdict_conclude(v, VERDICT_DOUBT, "all intervals were 0");
        return;
    }
    /* Now and then a reading of a clock in steps is off by one; one that counts ticks cannot be. */
    double off = step->median > LARGEST_FINE ? 1 : 0;
    answer(v, interval_around(step->median, off), NULL,
           "the most frequent distance between measured intervals");
}

static void judge_empty_sample(const struct row *row, struct verdict *v)
{
    struct interval t = curve_median(row);
    answer(v, t, t.value > 0 ? NULL : "the time-stamp counter does not move",
           "median without loads and fillers; deciles %.0f and %.0f", row->p10, row->p90);
}

/* Returns ticks of one instruction by bodies of two lengths, both with the timer; NAN: none. */
static struct interval ticks_of_instruction(const struct table *table, int64_t n)
{
    struct curve_ends ends = {NULL, NULL};
    for (TABLE_ROWS(row, table))
        if (is_time(row) && row->n == n)
            curve_ends_add(&ends, row);
    return curve_of_each(&ends);
}

/* Returns the same of the most additions side by side that were measured. */
static struct interval ticks_side_by_side(const struct table *table)
{
    int64_t most = 1;
    for (TABLE_ROWS(row, table))
        if (row->n > most && is_time(row))
            most = row->n;
    return ticks_of_instruction(table, most);
}

/* Returns why an interval is too wide for an answer, or NULL. */
static const char *imprecision(struct interval x)
{
    return interval_half_width(x) <= PRECISE * x.value ? NULL
                                                       : "the times scatter by more than 2 %";
}

static void judge_cpi_floor(const struct table *table, struct interval cycle, struct verdict *v)
{
    struct interval adds = ticks_side_by_side(table), nops = ticks_of_instruction(table, 0);
    bool by_nops = !(adds.value <= nops.value);
    struct interval best = by_nops ? nops : adds;
    if (!(best.value > 0 && cycle.value > 0)) {
        verdict_conclude(v, VERDICT_DOUBT,
                         "the time does not grow with the number of instructions");
        return;
    }
    struct interval cpi = interval_divide(best, cycle);
    answer(v, cpi,
           cpi.value > SIDE_BY_SIDE
               ? "parallel additions are no faster than serialized ones, as in an emulator"
               : imprecision(cpi),
           "%s: %.4f ticks each; %.4f ticks per cycle",
           by_nops ? "9-byte NOPs" : "parallel additions", best.value, cycle.value);
}

static void judge_frequency(const struct table *table, struct interval cycle, struct verdict *v)
{
    const struct row *rate = table_find(table, FLOOR_RATE);
    if (rate == NULL) {
        answer_skip(v, "the length of a tick in seconds is not known here");
        return;
    }
    if (!(cycle.value > 0)) {
        verdict_conclude(v, VERDICT_DOUBT, "the time does not grow with the number of additions");
        return;
    }
    double ticks = rate->median / MEGAHERTZ;
    struct interval megahertz = interval_divide(interval_around(ticks, 0), cycle);
    struct interval drifting = interval_widen(megahertz, DRIFT_LEAST * megahertz.value);
    answer(v, drifting, imprecision(megahertz),
           "%.4f cycles per tick, from serialized additions; %.1f million ticks/s", 1 / cycle.value,
           ticks);
}

/* Adds the verdicts of one case, as experiment.h says. */
static void judge_floor(const struct table *table, struct verdict_list *verdicts)
{
    const struct variant *variant = table->variant;
    if (strcmp(variant->pattern, FLOOR_TIMER) == 0) {
        judge_timer_floor(table, verdict_add(verdicts, variant, "timer_floor", "ticks"));
        judge_timer_step(table, verdict_add(verdicts, variant, "timer_step", "ticks"));
    } else if (strcmp(variant->pattern, FLOOR_CORE) == 0) {
        struct interval cycle = ticks_of_instruction(table, 1);
        judge_cpi_floor(table, cycle, verdict_add(verdicts, variant, "cpi_floor", "cycles"));
        judge_frequency(table, cycle, verdict_add(verdicts, variant, "frequency", "MHz"));
    } else {
        counts_judge_payload(table, verdicts);
    }
    for (TABLE_ROWS(row, table))
        if (is_empty_sample(row))
            judge_empty_sample(row, verdict_add(verdicts, variant, "empty_sample", "ticks"));
}

static const struct table *find_floor_case(const struct tables *tables, const char *pattern)
{
    struct variant variant = {.experiment = FLOOR_EXPERIMENT};
    if (tables->count == 0)
        return NULL;
    variant.has_core = tables->at->variant->has_core;
    variant.core = tables->at->variant->core;
    name_copy(variant.pattern, pattern);
    return tables_find(tables, &variant);
}

/* Returns why the core's times are no processor's; NULL: nothing says so. Additions that need each
 * other take a cycle each on any processor, and others less. */
static const char *find_emulator(const struct table *core)
{
    if (table_find(core, FLOOR_EMULATED) != NULL)
        return "instructions are emulated: the times are not a processor's";
    if (ticks_side_by_side(core).value > SIDE_BY_SIDE * ticks_of_instruction(core, 1).value)
        return "parallel additions are no faster than serialized ones: an emulator";
    return NULL;
}

/* Finds each order's empty sample, the last one of several; the timer's step; the core's facts. */
void floor_find(const struct tables *tables, struct floor *floor)
{
    const struct table *timer = find_floor_case(tables, FLOOR_TIMER);
    const struct table *core = find_floor_case(tables, FLOOR_CORE);
    const struct row *step = timer != NULL ? table_find(timer, FLOOR_STEP) : NULL;
    for (enum probe_order order = ORDER_LFENCE; order <= ORDER_CPUID; order++) {
        const struct table *table = find_floor_case(tables, order_names[order]);
        for (size_t i = 0; table != NULL && i < table->count; i++)
            if (is_empty_sample(&table->rows[i]))
                floor->empty[order] = table->rows[i];
    }
    if (step != NULL)
        floor->step = step->median;
    for (const struct table *t = tables->at; t < tables->at + tables->count; t++)
        floor->has_small_pages |= table_find(t, ROW_SMALL_PAGES) != NULL;
    if (core == NULL)
        return;
    floor->is_guest = table_find(core, ROW_HYPERVISOR) != NULL;
    floor->may_be_shared =
        table_find(core, FLOOR_WIDTH) == NULL && table_find(core, FLOOR_ALONE) == NULL;
    floor->emulated = find_emulator(core);
}

/* A case's smallest time, and how many empty samples long it is. */
struct above_floor {
    const struct row *row, *empty; /* `empty` NULL: there is nothing to compare */
    double floors;
};

static struct above_floor find_above_floor(const struct floor *floor, const struct table *table)
{
    const struct row *empty = &floor->empty[table->variant->order], *smallest = NULL;
    for (TABLE_ROWS(row, table))
        if (is_time(row) && (smallest == NULL || row->median < smallest->median))
            smallest = row;
    if (smallest == NULL || empty->samples == 0 || !(empty->median > 0))
        return (struct above_floor){.empty = NULL};
    return (struct above_floor){smallest, empty, smallest->median / empty->median};
}

/* True if `a` is nearer to the floor; of equals, the plainer: the cases' order must not matter. */
static bool is_nearer(const struct above_floor *a, const struct above_floor *b)
{
    if (a->empty == NULL || b->empty == NULL)
        return a->empty != NULL;
    if (a->floors != b->floors)
        return a->floors < b->floors;
    return case_compare(&a->row->variant, &b->row->variant) < 0;
}

void floor_compare(const struct floor *floor, const struct tables *tables,
                   struct verdict_list *verdicts)
{
    struct above_floor least = {.empty = NULL};
    for (const struct table *t = tables->at; t < tables->at + tables->count; t++) {
        struct above_floor other = find_above_floor(floor, t);
        if (is_nearer(&other, &least))
            least = other;
    }
    if (least.empty == NULL)
        return;
    const struct row *row = least.row, *empty = least.empty;
    struct verdict *v = verdict_add(verdicts, &row->variant, "above_floor", "floors");
    struct interval time = curve_median(row), nothing = curve_median(empty);
    answer(v, interval_divide(time, nothing),
           row->median > empty->p90 ? NULL : "the slowest tenth of empty samples takes as long",
           "smallest median, %.1f ticks, divided by that of empty samples, %.1f ticks", time.value,
           nothing.value);
}

const struct rule rule_floor = {
    .judge = judge_floor,
    .verdicts = verdict_names,
};

/* floor_rule: what can be timed at all, and how many cycles does an instruction take at least?
 *
 * Expected: RDTSC takes 35 to 38 core cycles on Zen, 24 to 29 on Intel's P-cores, 28 to 31 on
 * E-cores (InstLatx64); Zen's TSC moves in steps of 10 ns. On a Threadripper 3970X an instruction
 * takes 0.169 cycles (Shipilev, "Blackholes").
 * Seen, in guests: Intel family 6 model 207: a step of 2 ticks, 20 back to back, 41 around nothing
 * (LFENCE), 0.20 cycles an addition; Zen 4 and Zen 5: a step of 26 is the least, 59 and 49, and
 * NOPs of 0.083 and 0.132 cycles, in doubt; another Zen 5: a step of 21, 44, and 0.137, ok; beside
 * a sibling 0.219, by additions.
 *
 * Not understood: 0.083, twelve NOPs of 9 bytes in a cycle, each of which takes an entry of Zen 4's
 * ROB. */
#include "floor_rule.h"

#include "../../analysis/clock_step.h"
#include "../../analysis/curve.h"
#include "../../analysis/drift.h"
#include "../../analysis/states.h"
#include "../../lib/string.h"
#include "../../lib/units.h"
#include "../answer.h"
#include "../experiment.h"
#include "../sweeps/counts_rule.h"

static void judge_timer_floor(const void *reading, struct verdict *v)
{
    const struct evidence *e = reading;
    const struct table *table = e->table;
    const struct row *pair = table_find(table, FLOOR_PAIR);
    const struct row *least = table_find(table, FLOOR_LEAST);
    const struct row *step = table_find(table, FLOOR_STEP);
    if (pair == NULL || least == NULL) {
        answer_open(v, REASON_CLOCK_TOO_COARSE, "two timestamps back to back were never apart");
        return;
    }
    /* A reading far below a step of the clock is off by one. */
    bool is_slip = step != NULL && least->median < step->median / 2;
    double floor = !is_slip                       ? least->median
                   : pair->p10 > step->median / 2 ? pair->p10
                                                  : pair->median;
    double high = pair->median > floor ? pair->median : floor;
    answer(v, (struct interval){floor, floor, high}, e->facts->slow_floor,
           "the shortest non-zero time between two RDTSC; the interval ends at their median");
}

static void judge_timer_step(const void *reading, struct verdict *v)
{
    const struct table *table = ((const struct evidence *)reading)->table;
    const struct row *step = table_find(table, FLOOR_STEP);
    if (step == NULL) {
        answer_open(v, REASON_CLOCK_TOO_COARSE, "all intervals were 0");
        return;
    }
    /* Now and then a reading of a clock in steps is off by one; one that counts ticks cannot be,
     * but may skip some. (Tried: 2 in 99 of 101 runs of an Intel family 6 model 207 guest, else 1.)
     */
    double low = larger(step->median - 1, 1), off = step->median > CLOCK_FINE ? 1 : 0;
    answer(v, (struct interval){step->median, low, step->median + off}, REASON_NONE,
           "the most frequent distance between measured intervals");
}

const struct row *floor_empty_sample(const struct table *table)
{
    return table_find_at(table, "tsc", 0, 0, ROW_ANY, ROW_ANY);
}

static void judge_empty_sample(const void *reading, struct verdict *v)
{
    const struct evidence *e = reading;
    const struct row *row = floor_empty_sample(e->table);
    if (row == NULL) {
        answer_skip(v, REASON_NOT_MEASURED, "N = 0, K = 0");
        return;
    }
    struct interval t = curve_median(row);
    answer(v, t, t.value > 0 ? e->facts->slow_floor ?: answer_scatter(t) : REASON_CLOCK_TOO_COARSE,
           "median without loads and fillers; deciles %.0f and %.0f", row->p10, row->p90);
}

/* Returns ticks of one instruction by bodies of two lengths, both with the timer; NAN: none. */
static struct interval ticks_of_instruction(const struct table *table, int64_t n)
{
    return curve_of_part(table, "tsc", n, ROW_NONE);
}

/* Returns the same of the most additions side by side that were measured. */
static struct interval ticks_side_by_side(const struct table *table)
{
    int64_t most = 1;
    for (TABLE_ROWS(row, table))
        if (row->n > most && row_is(row, "tsc"))
            most = row->n;
    return ticks_of_instruction(table, most);
}

static void judge_cpi_floor(const void *reading, struct verdict *v)
{
    const struct evidence *e = reading;
    const struct table *table = e->table;
    struct interval cycle = ticks_of_instruction(table, 1);
    struct interval adds = ticks_side_by_side(table), nops = ticks_of_instruction(table, 0);
    bool by_nops = !(adds.value <= nops.value);
    struct interval best = by_nops ? nops : adds;
    if (!(best.value > 0 && cycle.value > 0)) {
        answer_open(v, REASON_NO_RISE, "of instructions");
        return;
    }
    struct interval cpi = interval_divide(best, cycle);
    answer(v, cpi,
           cpi.value > 1 - PRECISE_WITHIN ? REASON_EMULATED
                                          : e->facts->slow_floor ?: answer_scatter(cpi),
           "%s: %.4f ticks each; %.4f ticks per cycle",
           by_nops ? "9-byte NOPs" : "parallel additions", best.value, cycle.value);
}

static void judge_frequency(const void *reading, struct verdict *v)
{
    const struct evidence *e = reading;
    const struct table *table = e->table;
    struct interval cycle = ticks_of_instruction(table, 1);
    const struct row *rate = table_find(table, FLOOR_RATE);
    if (rate == NULL) {
        answer_skip(v, REASON_UNAVAILABLE, "the length of a tick in seconds is not known");
        return;
    }
    if (!(cycle.value > 0)) {
        answer_open(v, REASON_NO_RISE, "of additions");
        return;
    }
    double ticks = rate->median / MEGA;
    struct interval megahertz = interval_divide(interval_around(ticks, 0), cycle);
    struct interval drifting = interval_widen(megahertz, DRIFT_LEAST * megahertz.value);
    answer(v, drifting, e->facts->slow_floor ?: answer_scatter(megahertz),
           "%.4f cycles per tick, from serialized additions; %.1f million ticks/s", 1 / cycle.value,
           ticks);
}

/* True if the chain's fastest samples were faster than its usual ones by more than those scatter: a
 * sibling may have slowed it in all visits. */
static bool was_slowed(const struct table *table, struct interval one)
{
    struct curve_ends ends = curve_ends_of(table, FLOOR_FORWARD, 1, ROW_NONE);
    double fastest =
        (ends.longest->p1 - ends.shortest->p1) / (double)(ends.longest->k - ends.shortest->k);
    return one.value - fastest > larger(interval_half_width(one), SAME_SHARE * one.value);
}

static void judge_forwarding(const void *reading, struct verdict *v)
{
    const struct table *table = ((const struct evidence *)reading)->table;
    struct interval cycle = ticks_of_instruction(table, 1);
    struct interval one = curve_of_part(table, FLOOR_FORWARD, 1, ROW_NONE);
    struct interval two = curve_of_part(table, FLOOR_FORWARD, 2, ROW_NONE);
    if (curve_ends_of(table, FLOOR_FORWARD, 2, ROW_NONE).shortest == NULL) {
        answer_skip(v, REASON_NOT_MEASURED, "stores and loads");
        return;
    }
    if (!(one.value > 0 && cycle.value > 0)) {
        answer_open(v, REASON_NO_RISE, "of stores and loads");
        return;
    }
    struct interval latency = interval_divide(one, cycle);
    struct interval beside = interval_divide(interval_scale(two, 2), cycle);
    double apart = __builtin_fabs(beside.value - latency.value);
    bool is_same = apart <= interval_half_width(interval_subtract(beside, latency)) ||
                   apart <= SAME_SHARE * latency.value;
    enum reason doubt = was_slowed(table, one) ? REASON_SCATTER : answer_scatter(latency);
    answer(v, latency, is_same ? doubt : REASON_CONTRADICTS,
           "a store and the load that reads it, in a chain; two chains side by side: %.2f cycles "
           "each",
           beside.value);
}

IS_OF_PATTERN(is_timer, FLOOR_TIMER)
IS_OF_PATTERN(is_core, FLOOR_CORE)

static bool is_empty(const struct variant *variant)
{
    return strcmp(variant->pattern, FLOOR_LFENCE) == 0 ||
           strcmp(variant->pattern, FLOOR_CPUID) == 0;
}

static const struct question floor_questions[] = {
    QUESTION(
        "timer_floor", "ticks", is_timer, NEEDS_NO_CORE | NEEDS_CLOCK, judge_timer_floor,
        MEANS(
            "the shortest non-zero time between two RDTSC; the interval reaches up to the median")),
    QUESTION("timer_step", "ticks", is_timer, NEEDS_NO_CORE, judge_timer_step,
             MEANS("the step in which the counter moves")),
    QUESTION("empty_sample", "ticks", is_empty, NEEDS_CLOCK, judge_empty_sample,
             MEANS("the center of the times of an empty sample (cases `lfence`, `cpuid`)")),
    QUESTION("cpi_floor", "cycles", is_core, NEEDS_WHOLE_CORE, judge_cpi_floor,
             MEANS("the fewest core cycles per instruction, of 9-byte NOPs or additions")),
    QUESTION("forwarding_latency", "cycles", is_core, 0, judge_forwarding,
             MEANS("the time from a store to the load that reads all of what it wrote, by a chain "
                   "of both through memory; two chains side by side must take as long")),
    QUESTION("frequency", "MHz", is_core, NEEDS_CLOCK, judge_frequency,
             MEANS("the core's own; the interval is 1.5 % at least"), .at = {HEADLINE_CLOCK, 0}),
    {.name = NULL},
};

static bool is_of_others(const struct variant *variant)
{
    return strcmp(variant->experiment, FLOOR_EXPERIMENT) != 0;
}

static const struct question above_floor[] = {
    QUESTION(
        "above_floor", "floors", is_of_others, NEEDS_CLOCK | NEEDS_MEMORY, NULL,
        MEANS(
            "for every other experiment but `noise`: its smallest median time, divided by that of "
            "an empty sample")),
    {.name = NULL},
};

static void judge_floor(const struct evidence *e)
{
    answer_all(e, floor_questions, e);
    if (strcmp(e->table->variant->pattern, FLOOR_PAYLOAD) == 0)
        counts_judge(e, counts_payload);
}

enum reason floor_doubt_pace(const struct table *core)
{
    const struct row *published = table_find(core, FLOOR_WIDTH);
    double adds = ticks_of_instruction(core, 1).value / ticks_side_by_side(core).value;
    if (published == NULL || !(adds * STATES_PACE_OFF < published->median))
        return REASON_NONE;
    return table_find(core, FLOOR_ALONE) != NULL ? REASON_CONTRADICTS : REASON_CORE_MAY_BE_SHARED;
}

bool floor_is_emulator(const struct table *core)
{
    return ticks_side_by_side(core).value >
           (1 - PRECISE_WITHIN) * ticks_of_instruction(core, 1).value;
}

void floor_compare(const struct evidence *e)
{
    const struct row *least = NULL, *empty = e->facts->empty;
    double floors = 0;
    for (const struct table *t = e->tables->at; t < e->tables->at + e->tables->count; t++)
        for (TABLE_ROWS(row, t)) {
            double nothing = empty[row->variant.order].median, here = row->median / nothing;
            if (!row_is(row, "tsc") || !(nothing > 0))
                continue;
            /* The plainer of equals: the cases' order must not matter. */
            if (least == NULL || here < floors ||
                (here == floors && case_compare(&row->variant, &least->variant) < 0)) {
                least = row;
                floors = here;
            }
        }
    if (least == NULL)
        return;
    empty += least->variant.order;
    struct interval time = curve_median(least), nothing = curve_median(empty);
    answer(verdict_add(e->verdicts, &least->variant, above_floor), interval_divide(time, nothing),
           least->median > empty->p90 ? REASON_NONE : REASON_SMALL_RISE,
           "smallest median, %.1f ticks, divided by that of empty samples, %.1f ticks", time.value,
           nothing.value);
}

const struct rule rule_floor = {
    .questions =
        (const struct question *const[]){floor_questions, above_floor, counts_payload, NULL},
    .judge = judge_floor,
};

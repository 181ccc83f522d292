/* loads_rule: at which K do two loads no longer overlap, and at which N does a load wait?
 *
 * Expected: at the K that fills the ROB, two loads take twice one load's time. In the fastest
 * samples no load is slow, so they jump at the first N that has no buffer.
 * Seen, in guests: Zen 4's ROB 321 (published: 320), Zen 5's 446 or 447 (448; beside a sibling
 * 223), Intel family 6 model 207's 500 (512). The jump over N: model 207 after 14 (16 buffers), in
 * doubt 17 to 22, Zen 4 in doubt after 20 (24), Zen 5 after 63 (AMD: 64 loads without their data).
 * Not understood: 500. Others see 510 to 512 on that core, with NOPs, in a guest, with an idle
 * sibling, with this L2; another tool reads 499 where we read 500; all else has its full size.
 * 446 in one machine and 447 in another: not by what stands before the first load, since 0 to 7
 * NOPs there (mlp.lead) change nothing. 20 of 24 buffers, which the overlap of random accesses
 * (mlp_rule.c) says as well. */
#include "loads_rule.h"

#include "../../analysis/equality.h"
#include "../../analysis/overlap.h"
#include "../../engine/engine.h"
#include "../../lib/text.h"
#include "../../probe/load_sampler.h"
#include "../answer.h"

#define SLACK_SHARE 128 /* part of K */
#define LEAST_JUMP 0.25 /* of one load's time */
#define STEEP 0.5       /* of one load's time; page walks that wait for a walker rise less */

/* True if the row is fast where the jump says slow, or slow where it says fast. */
static bool contradicts(const struct row *row, const struct cliff *cliff)
{
    return (row->k >= cliff->first_high) != (row->median > cliff_middle(cliff));
}

static bool is_look(const struct row *row, uint64_t attempt)
{
    return row->n == 2 && row->attempt == attempt && row->samples >= CURVE_LEAST_SAMPLES &&
           row_is(row, LOADS_AGAIN);
}

int64_t loads_slack(int64_t k)
{
    return k / SLACK_SHARE + 1;
}

/* True if the jump may move there from one moment to another. */
static bool is_near(const struct row *row, const struct cliff *cliff)
{
    int64_t slack = loads_slack(cliff->first_high);
    return row->k > cliff->last_low - slack && row->k < cliff->first_high + slack;
}

static void widen_to(struct cliff *cliff, int64_t low, int64_t high)
{
    cliff->low = low < cliff->low ? low : cliff->low;
    cliff->high = high > cliff->high ? high : cliff->high;
}

/* Widens it as far as later looks say that the jump has moved. */
static void widen_by_looks(const struct table *table, struct cliff *cliff)
{
    uint64_t attempt = curve_last_attempt(table, "tsc", 2);
    int64_t slack = loads_slack(cliff->first_high);
    for (TABLE_ROWS(row, table)) {
        bool is_beyond = row->k >= cliff->first_high;
        bool is_within = row->k > cliff->last_low && !is_beyond;
        if (is_look(row, attempt) && !is_within && is_near(row, cliff) && contradicts(row, cliff))
            widen_to(cliff, is_beyond ? cliff->low : cliff->last_low - slack + 1,
                     is_beyond ? cliff->first_high + slack : cliff->high);
    }
}

/* Returns the first K beyond the jump that an attempt placed to one filler; 0: it did not. */
static int64_t jump_of_attempt(const struct table *table, uint64_t attempt)
{
    struct curve curve;
    struct cliff cliff;
    curve_of_attempt(table, 2, CURVE_MEDIAN, attempt, &curve);
    cliff_find(&curve, &cliff);
    return cliff.answer == CLIFF_FOUND && cliff.first_high - cliff.last_low == 1 ? cliff.first_high
                                                                                 : 0;
}

/* Widens it to where earlier attempts placed the jump: the core had that state, too. True: one of
 * them is too far away to be this one moved. */
static bool widen_by_attempts(const struct table *table, struct cliff *cliff)
{
    bool has_other = false;
    for (uint64_t attempt = curve_last_attempt(table, "tsc", 2); attempt-- > 0;) {
        int64_t jump = jump_of_attempt(table, attempt), away = jump - cliff->first_high;
        if (jump == 0)
            continue;
        widen_to(cliff, jump, jump);
        has_other |= (away < 0 ? -away : away) > 2 * loads_slack(cliff->first_high);
    }
    return has_other;
}

static enum cliff_answer find_by_level(const struct table *table, enum curve_level level,
                                       struct cliff *cliff)
{
    struct curve curve;
    curve_over_k(table, 2, level, &curve);
    cliff_find(&curve, cliff);
    return cliff->answer;
}

/* Widens the jump's interval to where fast or slow samples jump: one core state has one jump. */
static void widen_by_level(const struct table *table, enum curve_level level, struct cliff *cliff)
{
    struct cliff other;
    if (find_by_level(table, level, &other) == CLIFF_FOUND)
        widen_to(cliff, other.last_low + 1, other.first_high);
}

void loads_locate(const struct table *table, struct cliff *cliff)
{
    find_by_level(table, CURVE_MEDIAN, cliff);
}

void loads_cliff(const struct table *table, struct cliff *cliff)
{
    loads_locate(table, cliff);
    if (cliff->answer != CLIFF_FOUND)
        return;
    widen_by_level(table, CURVE_FAST, cliff);
    widen_by_level(table, CURVE_SLOW, cliff);
    widen_by_looks(table, cliff);
    widen_by_attempts(table, cliff);
}

const char *loads_center_name(const struct row *row)
{
    return row->center == row->median ? "median" : "center";
}

void loads_skip_missing(const struct table *table, const char *missing, struct verdict *v)
{
    answer_skip(v, answer_mostly_shared(table) > 0 ? REASON_CORE_WAS_SHARED : REASON_TOO_FEW_POINTS,
                "%s", missing);
}

bool loads_jump_at_once(const struct table *table, int64_t *least, int64_t *next)
{
    struct curve curve;
    curve_over_k(table, 2, CURVE_MEDIAN, &curve);
    if (curve.count < 2)
        return false;
    double limit = (1 + STEEP) * curve.y[0];
    *least = (int64_t)curve.x[0];
    *next = (int64_t)curve.x[1];
    return curve.y[1] > limit && curve.y[curve.count - 1] > limit;
}

/* Says why there is no jump over K with a line before it and one beyond. */
static void conclude_no_jump(const struct table *table, struct verdict *v)
{
    int64_t least, next;
    struct curve curve;
    const struct row *one = curve_find(table, 1);
    curve_over_k(table, 2, CURVE_MEDIAN, &curve);
    double limit = one != NULL ? (1 + STEEP) * one->median : __builtin_inf();
    if (loads_jump_at_once(table, &least, &next))
        answer_open(v, REASON_EDGE_NOT_PLACED, "it lies between the fewest fillers, %ld, and %ld",
                    (long)least, (long)next);
    else if (curve.y[0] > limit && curve.y[curve.count - 1] > limit)
        answer_open(v, REASON_MAY_END_FIRST,
                    "two loads take %.1f times as long as one with the fewest fillers",
                    curve.y[0] / one->median);
    else
        answer_open(v, REASON_NO_EDGE,
                    "over K by 5 %% or more: a busy machine, two loads that never overlap, or "
                    "mlp.fillers ends too soon");
}

bool loads_have_cliff(const struct table *table, const struct cliff *cliff, struct verdict *v)
{
    if (cliff->answer == CLIFF_TOO_FEW)
        loads_skip_missing(table, "N = 2 at five values of K", v);
    else if (cliff->answer == CLIFF_NONE)
        conclude_no_jump(table, v);
    else if (cliff->answer != CLIFF_FOUND)
        answer_open(v, REASON_UNCLEAR_EDGE, "over K: use a quiet machine");
    return cliff->answer == CLIFF_FOUND;
}

bool loads_again_disagree(const struct table *table, const struct cliff *cliff)
{
    uint64_t attempt = curve_last_attempt(table, "tsc", 2);
    for (TABLE_ROWS(row, table))
        if (is_look(row, attempt) && contradicts(row, cliff) && !is_near(row, cliff))
            return true;
    return false;
}

/* True if at most K beyond the jump a tenth of the samples takes no longer than before it: there,
 * the core had the state of a larger structure, too. */
static bool is_fast_beyond(const struct table *table, const struct cliff *cliff)
{
    uint64_t attempt = curve_last_attempt(table, "tsc", 2);
    unsigned fast = 0, all = 0;
    for (TABLE_ROWS(row, table))
        if (row->n == 2 && row->attempt == attempt && row->k >= cliff->first_high &&
            row_is(row, "tsc")) {
            fast += row->p10 < cliff_middle(cliff);
            all++;
        }
    return 2 * fast > all;
}

enum reason loads_cliff_doubt(const struct table *table, const struct cliff *cliff)
{
    if (loads_again_disagree(table, cliff))
        return REASON_EDGE_NOT_CONFIRMED;
    if (is_fast_beyond(table, cliff))
        return REASON_TWO_STATES;
    if (cliff_is_placed(cliff))
        return REASON_NONE;
    struct cliff widened = *cliff;
    return widen_by_attempts(table, &widened) ? REASON_TWO_STATES : REASON_EDGE_NOT_PLACED;
}

enum reason loads_zeroes_doubt(const struct table *table, const struct cliff *cliff)
{
    unsigned compared[2] = {0}; /* before the jump, and beyond */
    for (TABLE_ROWS(row, table)) {
        if (!row_is(row, LOADS_ZEROES))
            continue;
        if (contradicts(row, cliff))
            return REASON_FILLERS_DISAGREE;
        compared[row->k >= cliff->first_high]++;
    }
    return compared[0] > 0 && compared[1] > 0 ? REASON_NONE : REASON_NOT_MEASURED;
}

/* Finds the jump over N by one level of the samples, and adds the N that it lies between. Its
 * likelihood is of the fewest points that show it: these are too few for an interval. */
static void find_jump(const struct curve *curve, struct loads_buffers *b)
{
    struct cliff cliff;
    cliff_find_first(curve, curve->count > 0 ? LEAST_JUMP * curve->y[0] : 0, &cliff);
    if (cliff.answer != CLIFF_FOUND)
        return;
    b->last = cliff.last_low;
    b->next = cliff.first_high;
    b->low = b->low == 0 || cliff.last_low < b->low ? cliff.last_low : b->low;
    b->high = cliff.first_high - 1 > b->high ? cliff.first_high - 1 : b->high;
}

/* Adds by how much the loads around the jump over N rise again. */
static void find_rise(const struct table *table, struct loads_buffers *b)
{
    const struct row *one = curve_find(table, 1), *again[3];
    int64_t k = curve_smallest_k(table);
    for (unsigned i = 0; i < 3; i++) {
        again[i] = table_find_at(table, LOADS_AGAIN, b->last + i, k, ROW_ANY, ROW_NONE);
        if (one == NULL || again[i] == NULL)
            return;
    }
    double rise = again[2]->p1 - again[0]->p1;
    b->before = again[0]->p1;
    if (!(rise > LEAST_JUMP * one->median && again[1]->p1 - b->before > rise / 3))
        return;
    /* Each further access takes this without waiting: no part of the jump. */
    double each = b->last > 1 ? (b->before - one->p1) / (double)(b->last - 1) : 0;
    b->rise = rise;
    b->is_steep = rise - 2 * larger(each, 0) > STEEP * one->median;
}

void loads_find_buffers(const struct table *table, struct loads_buffers *b)
{
    struct curve curve;
    struct cliff cliff;
    *b = (struct loads_buffers){.last = 0};
    curve_over_n(table, CURVE_FAST, &curve);
    find_jump(&curve, b);
    b->last = 0;
    curve_over_n(table, CURVE_FASTEST, &curve);
    find_jump(&curve, b);
    b->points = curve.count;
    if (b->points == 0)
        return;
    find_rise(table, b);
    b->largest_n = (int64_t)curve.x[b->points - 1];
    loads_locate(table, &cliff);
    b->has_risen = table->variant->access == ACCESS_LOAD && cliff.answer == CLIFF_FOUND &&
                   curve.y[b->points - 1] >= cliff.beyond.value;
    b->is_one =
        b->last == 0 && b->points > 1 && curve.x[1] == 2 && curve.y[1] > (1 + STEEP) * curve.y[0];
    b->may_follow = b->last == 0 && !b->has_risen && !b->is_one &&
                    (table->variant->access != ACCESS_LOAD || cliff.answer == CLIFF_FOUND);
}

static bool is_within_jump(int64_t a, int64_t b)
{
    return a - b <= LOADS_WIDEST_JUMP && b - a <= LOADS_WIDEST_JUMP;
}

const struct row *loads_find_near(const struct table *table, const char *metric, int64_t n,
                                  int64_t k)
{
    for (TABLE_ROWS(row, table))
        if (is_within_jump(row->n, n) && is_within_jump(row->k, k) && row_is(row, metric))
            return row;
    return NULL;
}

enum reason loads_walks_doubt(const struct table *table, const struct loads_buffers *b)
{
    return table->variant->page > PAGE_4K || b->is_steep ? REASON_NONE : REASON_PAGE_WALKS;
}

bool loads_fill_queue(const struct table *table, const struct loads_buffers *b,
                      const struct cliff *cliff)
{
    const struct row *same = loads_find_near(table, LOADS_SAME_LINE, 2, b->last);
    const struct row *one = curve_find(table, 1);
    /* Half way from two parallel to two serialized loads; without a jump, by one load's time. */
    double half = cliff->answer == CLIFF_FOUND ? cliff_middle(cliff)
                  : one != NULL                ? (1 + STEEP) * one->median
                                               : 0;
    return same != NULL && same->median > half;
}

enum reason loads_buffers_doubt(const struct table *table, const struct loads_buffers *b,
                                const struct cliff *cliff)
{
    if (b->high - b->low > LOADS_WIDEST_JUMP)
        return REASON_EDGE_NOT_PLACED;
    if (b->rise == 0)
        return REASON_EDGE_NOT_CONFIRMED;
    if (cliff->answer == CLIFF_UNCLEAR)
        return REASON_UNCLEAR_EDGE;
    if (cliff->answer == CLIFF_FOUND && b->last + LOADS_WIDEST_JUMP >= cliff->first_high)
        return REASON_ENDS_FIRST;
    return loads_find_near(table, LOADS_SAME_LINE, 2, b->last) == NULL
               ? REASON_NOT_MEASURED
               : loads_walks_doubt(table, b);
}

/* Compares the jump with a step of the clock, which the fastest samples take at once however little
 * time rises, and the buffers with those seen without prefetchers, whose misses may take some. */
static enum reason doubt_elsewhere(const struct evidence *e, const struct loads_buffers *b)
{
    struct variant without = *e->table->variant;
    struct loads_buffers other;
    if (b->rise <= e->facts->step)
        return REASON_SMALL_RISE;
    without.prefetch_off = true;
    const struct table *table = tables_find(e->tables, &without);
    if (table == NULL || table == e->table)
        return REASON_NONE;
    loads_find_buffers(table, &other);
    return other.low > b->high + LOADS_WIDEST_JUMP || other.high < b->low - LOADS_WIDEST_JUMP
               ? REASON_CONTRADICTS
               : REASON_NONE;
}

void loads_conclude_buffers(const struct evidence *e, const struct loads_buffers *b,
                            enum reason doubt, const char *method, struct verdict *v)
{
    if (b->is_steep) /* as no walk makes it */
        v->needs &= ~(unsigned)NEEDS_WHOLE_PAGES;
    if (b->points < FEWEST_POINTS)
        answer_skip(v, REASON_TOO_FEW_POINTS, "three values of N");
    else if (b->is_one)
        answer(v, (struct interval){1, 1, 1}, REASON_MAY_END_FIRST,
               "the fastest samples of N = 2 take half as long again as those of N = 1, or more");
    else if (b->last == 0)
        answer_open(v, REASON_NO_EDGE, "of the fastest samples up to N = %ld%s", (long)b->largest_n,
                    b->has_risen ? ": they rise gradually to the time of two serialized loads"
                                 : "");
    else
        answer(v, (struct interval){(double)b->last, (double)b->low, (double)b->high},
               doubt ?: doubt_elsewhere(e, b), "%s", method);
}

bool loads_slope(const struct table *table, const struct loads_buffers *b, struct interval *slope)
{
    struct curve curve;
    curve_of_multiples(table, LOADS_MANY, b->last, &curve);
    return overlap_slope(&curve, slope);
}

void loads_conclude_sustained(struct interval latency, struct interval slope, const char *each,
                              const char *many, const char *how, struct verdict *v)
{
    if (!(slope.low > 0 && latency.low > 0)) {
        answer_open(v, REASON_NO_RISE, "of %s, where there are many", many);
        return;
    }
    struct interval ratio = interval_divide(latency, slope);
    answer(v, ratio, answer_width(ratio), "latency (%s) divided by %.1f ticks per further %s", how,
           slope.value, each);
}

enum reason loads_one_doubt(const struct table *table, const char *metric, struct interval one)
{
    const struct row *base = table_find(table, metric);
    if (base == NULL)
        return REASON_NOT_MEASURED;
    bool is_slower = one.low > curve_median(base).high * (1 + SAME_SHARE);
    return answer_scatter(one) ?: is_slower ? REASON_NONE : REASON_NOT_MEMORY;
}

void loads_find_behind(const struct table *table, struct loads_behind *b)
{
    const struct row *one = curve_find(table, 1);
    *b = (struct loads_behind){.passed = 0};
    for (TABLE_ROWS(row, table)) {
        if (!row_is(row, LOADS_STORE_WAITS))
            continue;
        const struct row *known =
            table_find_at(table, LOADS_STORE_KNOWN, row->n, row->k, ROW_ANY, ROW_ANY);
        if (known == NULL || one == NULL)
            continue;
        struct interval rise = interval_subtract(curve_median(row), curve_median(known));
        double half = STEEP * one->median;
        if (rise.low > half)
            b->waited = b->waited == 0 || row->n < b->waited ? row->n : b->waited;
        else if (rise.high < half)
            b->passed = row->n > b->passed ? row->n : b->passed;
        else
            b->is_unclear = true;
    }
}

bool loads_find_places(const struct table *table, struct interval *spread)
{
    double values[LOAD_PLACES], errors[LOAD_PLACES];
    unsigned count = 0;
    for (TABLE_ROWS(row, table))
        if (row_is(row, LOADS_PLACE) && row->visits >= 2 && count < LOAD_PLACES) {
            struct interval t = curve_median(row);
            values[count] = t.value;
            errors[count] = (t.high - t.value) / NORMAL_95;
            if (!(errors[count++] > 0))
                return false;
        }
    if (count >= 2)
        *spread = spread_of(values, errors, count);
    return count >= 2;
}

/* tlb_rule: what does a page walk cost a load, and how many walks run side by side?
 *
 * Expected: a case that walks less the same without. With W walkers N walks take ceil(N / W) times
 * one: stairs. On a Haswell one walk takes 60 cycles, and each further load adds as much: one at a
 * time (IIT Delhi, 2018, chapter 2).
 * Seen, in guests, all in doubt: 49 ticks on Intel family 6 model 207, 81 on Zen 4, 45 on Zen 5.
 * Not understood: a further load adds 12.5, 12.1 and 4.3 ticks there, and the fit still says one
 * walker; its stairs are no higher than their residual. Only the image can invalidate translations,
 * and none of its runs on a processor is kept. */
#include "../../analysis/curve.h"
#include "../../analysis/drift.h"
#include "../../analysis/line.h"
#include "../../lib/string.h"
#include "../answer.h"
#include "../experiment.h"
#include "tlb_capacity_rule.h"

#define COST_AGREEMENT 0.4 /* a stair's height and one walk's cost may differ by this share */

struct stairs {
    unsigned width; /* loads whose walks run in parallel */
    double height;  /* ticks of one walk */
    double residual;
};

/* With W walkers, N walks take ceil(N / W) times one: fits a line over that count, for each W. */
static struct stairs fit_stairs(const struct curve *extra)
{
    double flight[CURVE_MAX];
    struct stairs best = {0};
    double largest = extra->x[extra->count - 1];
    for (unsigned w = 1; w < largest; w++) {
        for (size_t i = 0; i < extra->count; i++)
            flight[i] = (double)(((uint64_t)extra->x[i] + w - 1) / w);
        struct line line = line_fit(flight, extra->y, extra->count);
        double squares = line_squares(line, flight, extra->y, extra->count);
        double residual = __builtin_sqrt(squares / (double)extra->count);
        if (best.width == 0 || residual < best.residual)
            best = (struct stairs){w, line.slope, residual};
    }
    return best;
}

static void judge_parallel_walks(const struct curve *extra, struct verdict *v)
{
    if (extra->count < FEWEST_POINTS) {
        answer_skip(v, REASON_TOO_FEW_POINTS, "three values of N");
        return;
    }
    struct line line = line_fit(extra->x, extra->y, extra->count);
    struct stairs stairs = fit_stairs(extra);
    if (line.slope <= 0 || stairs.height <= 0) {
        answer_open(v, REASON_RANGE_ENDS, "more page walks run in parallel: extend tlb.loads");
        return;
    }
    double cost = extra->y[0], width = stairs.width, by_slope = cost / line.slope;
    double low = by_slope < width ? by_slope : width, high = by_slope > width ? by_slope : width;
    double off = stairs.height / cost - 1;
    bool agree = off < COST_AGREEMENT && off > -COST_AGREEMENT &&
                 stairs.residual < WIDEST_SHARE * stairs.height;
    answer(v, (struct interval){width, low, high}, agree ? REASON_NONE : REASON_CONTRADICTS,
           "stairs fitted to time over N: %.1f ticks each, residual %.1f; each load adds %.1f",
           stairs.height, stairs.residual, line.slope);
}

static bool is_of_loads(const struct variant *variant)
{
    return !capacity_is_case(variant);
}

/* A walk's cost is measured against large pages. */
static const struct question walk_questions[] = {
    QUESTION(
        "walk_cost", "ticks", is_of_loads, NEEDS_HOST_PAGES | NEEDS_CLOCK, NULL,
        MEANS(
            "the extra time of one load over the case without walks: `4k-cold` against `4k-warm`, "
            "`4k` against `2m`"),
        .at = {HEADLINE_WALK, 0}),
    QUESTION(
        "parallel_walks", "walks", is_of_loads, NEEDS_WHOLE_CORE | NEEDS_HOST_PAGES, NULL,
        MEANS(
            "page walks at the same time: time over N rises in stairs, each as high as one walk")),
    {.name = NULL},
};

/* `extra`: time over N, less the partner's. */
static void judge_walks(const struct table *table, const struct variant *partner,
                        const struct curve *extra, struct verdict_list *verdicts)
{
    char name[NAME_BYTES];
    struct verdict *cost = verdict_add(verdicts, table->variant, &walk_questions[0]);
    struct verdict *parallel = verdict_add(verdicts, table->variant, &walk_questions[1]);
    bool has_one = extra->count > 0 && extra->x[0] == 1;
    double ticks = has_one ? extra->y[0] : 0;
    double half_width = has_one ? NORMAL_95 * extra->error[0] : 0;
    case_name(partner, name);
    if (!has_one)
        answer_skip(cost, REASON_NOT_MEASURED, "N = 1, here and in case %s", name);
    else if (!(ticks > half_width))
        /* A state of the TLB that shows no effect is none. */
        answer_skip(cost, REASON_NO_DIFFERENCE, "of N = 1 against case %s", name);
    else
        answer(cost, drift_widen(interval_around(ticks, half_width), table),
               answer_scatter(interval_around(ticks, half_width)),
               "median of N = 1 minus that of case %s", name);
    if (cost->status == VERDICT_SKIP)
        answer_skip(parallel, cost->reason, "walk_cost is missing");
    else
        judge_parallel_walks(extra, parallel);
}

/* Turns a case that walks into one that does the same without: a warm TLB instead of a cold one, or
 * of page tables in memory; 2 MB pages instead of 4 KB. False: it is not of such a kind. */
static bool stop_walks(struct variant *variant)
{
    if (capacity_is_case(variant) || !variant->has_page)
        return false;
    if (variant->tlb >= TLB_COLD)
        variant->tlb = TLB_WARM;
    else if (variant->tlb == TLB_NATURAL && variant->page == PAGE_4K)
        variant->page = PAGE_2M;
    else
        return false;
    return true;
}

/* Adds the answers of every case that walks, if the one without was measured. */
static void compare_partners(const struct evidence *e)
{
    struct curve walking, without, extra;
    for (const struct table *t = e->tables->at; t < e->tables->at + e->tables->count; t++) {
        struct variant partner = *t->variant;
        const struct table *other = stop_walks(&partner) ? tables_find(e->tables, &partner) : NULL;
        if (other == NULL)
            continue;
        curve_over_n(t, CURVE_MEDIAN, &walking);
        curve_over_n(other, CURVE_MEDIAN, &without);
        curve_less(&walking, &without, &extra);
        if (walking.count > 0 && without.count > 0)
            judge_walks(t, &partner, &extra, e->verdicts);
    }
}

const struct rule rule_tlb = {
    .questions = (const struct question *const[]){walk_questions, capacity_questions, NULL},
    .judge = capacity_judge,
    .judge_all = compare_partners,
};

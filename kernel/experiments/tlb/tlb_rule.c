/* tlb_rule: one case against its partner, and stairs fitted to time over N. */
#include "../../analysis/curve.h"
#include "../../analysis/drift.h"
#include "../../analysis/line.h"
#include "../experiment.h"
#include "../sweeps/loads_rule.h"
#include "tlb_capacity_rule.h"

#define WALKERS_MAX 12
#define LEAST_POINTS 6
#define LEAST_COST 2.0        /* ticks; below that nothing was walked */
#define PRECISION 0.05        /* the cost's interval may reach so far to either side */
#define COST_AGREEMENT 0.4    /* a stair's height and one walk's cost may differ by this share */
#define WIDEST_WALKS 0.7      /* of the number that the stairs say */
#define LARGEST_RESIDUAL 0.25 /* of a stair's height */

static const char *const verdict_names[] = {"walk_cost",
                                            "parallel_walks",
                                            "dtlb_entries",
                                            "dtlb_miss_cost",
                                            "stlb_entries",
                                            "dtlb_ways",
                                            "stlb_ways",
                                            "walk_cost_2m_stride",
                                            "walk_cost_1g_stride",
                                            "walk_cost_512g_stride",
                                            NULL};

/* What walks, and what does the same without. */
struct kind {
    enum page_size page;
    enum tlb_state tlb;
};

static const struct {
    struct kind walking, without;
} partners[] = {
    {{PAGE_4K, TLB_NATURAL}, {PAGE_2M, TLB_NATURAL}}, {{PAGE_4K, TLB_COLD}, {PAGE_4K, TLB_WARM}},
    {{PAGE_4K, TLB_WALKMEM}, {PAGE_4K, TLB_WARM}},    {{PAGE_2M, TLB_COLD}, {PAGE_2M, TLB_WARM}},
    {{PAGE_2M, TLB_WALKMEM}, {PAGE_2M, TLB_WARM}},    {{PAGE_1G, TLB_COLD}, {PAGE_1G, TLB_WARM}},
    {{PAGE_1G, TLB_WALKMEM}, {PAGE_1G, TLB_WARM}},
};

/* Too large for a firmware's stack. `extra` is time over N, less the partner's. */
static struct curve walking, without, extra;

struct stairs {
    unsigned width; /* loads whose walks go side by side */
    double height;  /* ticks of one walk */
    double residual;
};

/* With W walkers, N walks take ceil(N / W) times one: a line over that count, for each W. */
static struct stairs fit_stairs(void)
{
    static double flight[CURVE_MAX];
    struct stairs best = {0};
    double largest = extra.x[extra.count - 1];
    for (unsigned w = 1; w <= WALKERS_MAX && w < largest; w++) {
        for (size_t i = 0; i < extra.count; i++)
            flight[i] = (double)(((uint64_t)extra.x[i] + w - 1) / w);
        struct line line = line_fit(flight, extra.y, extra.count);
        double squares = line_squares(line, flight, extra.y, extra.count);
        double residual = __builtin_sqrt(squares / (double)extra.count);
        if (best.width == 0 || residual < best.residual)
            best = (struct stairs){w, line.slope, residual};
    }
    return best;
}

static void judge_parallel(double cost, struct verdict *v)
{
    if (extra.count < LEAST_POINTS) {
        verdict_conclude(v, VERDICT_SKIP, "needs six values of N or more");
        return;
    }
    struct line line = line_fit(extra.x, extra.y, extra.count);
    struct stairs stairs = fit_stairs();
    if (line.slope <= 0 || stairs.height <= 0) {
        verdict_conclude(v, VERDICT_DOUBT,
                         "further loads add no time: more walks side by side than N");
        return;
    }
    double off = stairs.height / cost - 1, by_slope = cost / line.slope;
    bool agree = off < COST_AGREEMENT && off > -COST_AGREEMENT &&
                 stairs.residual < LARGEST_RESIDUAL * stairs.height;
    double low = by_slope < stairs.width ? by_slope : stairs.width;
    double high = by_slope > stairs.width ? by_slope : stairs.width;
    agree = agree && high - low <= WIDEST_WALKS * stairs.width;
    verdict_value(v, stairs.width, low, high);
    verdict_conclude(v, agree ? VERDICT_OK : VERDICT_DOUBT,
                     "stairs of %.1f ticks fitted over N, residual %.1f; each load adds %.1f",
                     stairs.height, stairs.residual, line.slope);
}

static void judge_case(const struct table *table, const struct variant *partner_of,
                       struct verdict_list *verdicts)
{
    const struct variant *of = table->of;
    char partner[NAME_BYTES];
    struct verdict *cost = verdict_add(verdicts, of, "walk_cost", "ticks");
    struct verdict *parallel = verdict_add(verdicts, of, "parallel_walks", "walks");
    case_name(partner_of, partner);
    curve_less(&walking, &without, &extra);
    if (extra.count == 0 || extra.x[0] != 1) {
        verdict_conclude(cost, VERDICT_SKIP, "needs N = 1 here and in case %s", partner);
        verdict_conclude(parallel, VERDICT_SKIP, "needs walk_cost: %s", cost->method);
        return;
    }
    double reach = NORMAL_95 * extra.error[0];
    struct interval one = {extra.y[0], extra.y[0] - reach, extra.y[0] + reach};
    bool clear = extra.y[0] > LEAST_COST && extra.y[0] > reach;
    bool precise = reach <= PRECISION * extra.y[0];
    if (!clear) {
        /* A state of the TLB that shows no effect is none. */
        verdict_conclude(cost, VERDICT_SKIP, "no clear difference of N = 1 against case %s",
                         partner);
        verdict_conclude(parallel, VERDICT_SKIP, "needs walk_cost: %s", cost->method);
        return;
    }
    one = drift_widen(one, table);
    verdict_value(cost, one.value, one.low, one.high);
    verdict_conclude(cost, precise ? VERDICT_OK : VERDICT_DOUBT, "median of N = 1 against case %s",
                     partner);
    judge_parallel(extra.y[0], parallel);
}

/* A case and the one without walks that is otherwise the same. */
static void judge_pair(const struct tables *tables, const struct table *table,
                       const struct kind *partner, struct verdict_list *verdicts)
{
    struct variant of = *table->of;
    of.page = partner->page;
    of.tlb = partner->tlb;
    const struct table *other = tables_find(tables, &of);
    if (other == NULL)
        return;
    curve_over_n(table, CURVE_MEDIAN, &walking);
    curve_over_n(other, CURVE_MEDIAN, &without);
    if (walking.count > 0 && without.count > 0)
        judge_case(table, other->of, verdicts);
}

static bool is(const struct variant *of, const struct kind *kind)
{
    return of->has_page && of->page == kind->page && of->tlb == kind->tlb && !reach_is(of);
}

/*
 * Adds `walk_cost` and `parallel_walks` of every case that walks, against the case that does the
 * same without walking: a cold TLB, and page tables in memory, against a warm one; 4 KB pages
 * against 2 MB. The cost is the difference for one load; walks side by side are that cost over what
 * each further load adds. Pure.
 */
static void compare(const struct tables *tables, struct verdict_list *verdicts)
{
    for (size_t i = 0; i < sizeof partners / sizeof *partners; i++)
        for (const struct table *t = tables->at; t < tables->at + tables->count; t++)
            if (is(t->of, &partners[i].walking))
                judge_pair(tables, t, &partners[i].without, verdicts);
}

/* Chains are judged by themselves. */
static void judge(const struct table *table, struct verdict_list *verdicts)
{
    if (reach_is(table->of))
        reach_judge(table, verdicts);
}

const struct rule rule_tlb = {
    .judge = judge,
    .compare = compare,
    .verdicts = verdict_names,
    .gives = reach_gives,
};

/* walk_rule: sums checked, times of whole walks divided by accesses, ratios round by round. */
#include "patterns_rule.h"

#include "../../analysis/curve.h"
#include "../../analysis/moments.h"
#include "../../lib/string.h"
#include "../experiment.h"

#define WORD_BYTES 8
#define PAGE_WORDS 262144.0 /* 2 MB */
#define PRECISE_SHARE 0.05  /* a time known to this share of itself is an answer */
#define LEAST_REACH 0.001   /* verdicts.csv has three decimals: nothing is known better */

static const char *const verdict_names[] = {"ns_per_access", "ticks_per_access", "cpi", NULL};

/* The same quantity by the names that different units give it. */
static const char *const instructions[] = {"instructions", "instructions_gp", NULL};
static const char *const cycles[] = {"core_cycles", "core_cycles_gp", NULL};

/* A word holds its place in its page plus the page's number: two arithmetic series. */
double walk_sum(int64_t bytes)
{
    double words = (double)(bytes / WORD_BYTES), pages = words / PAGE_WORDS;
    return words * ((PAGE_WORDS - 1) / 2) + words * ((pages - 1) / 2);
}

static bool is_of(const struct row *row, const char *metric, bool whole)
{
    return row->k > 0 && (row->k == row->bytes / WORD_BYTES) == whole && row_is(row, metric);
}

/* The row of a metric with pieces of walks; NULL: there is none. */
static const struct row *find_pieces(const struct table *table, const char *metric)
{
    for (const struct row *row = table->rows; row < table->rows + table->count; row++)
        if (is_of(row, metric, false))
            return row;
    return NULL;
}

/* The next whole walk from a row on, which may be the table's end; NULL: there is none. */
static const struct row *next_walk(const struct table *table, const struct row *row,
                                   const char *metric)
{
    while (row < table->rows + table->count && !is_of(row, metric, true))
        row++;
    return row < table->rows + table->count ? row : NULL;
}

static double of_one(const struct row *walk)
{
    return walk->mean / (double)walk->k;
}

/* What an access took in each whole walk. */
static struct moments whole_walks(const struct table *table, const char *metric)
{
    struct moments all = {.count = 0};
    const struct row *walk = next_walk(table, table->rows, metric);
    for (; walk != NULL; walk = next_walk(table, walk + 1, metric))
        moments_add(&all, of_one(walk));
    return all;
}

static bool is_right(const struct row *sum)
{
    double wanted = walk_sum(sum->bytes);
    return sum->min == wanted && sum->max == wanted;
}

/* The first that is wrong; NULL: none is. */
static const struct row *find_wrong_sum(const struct table *table)
{
    const struct row *sum = next_walk(table, table->rows, WALK_SUM);
    while (sum != NULL && is_right(sum))
        sum = next_walk(table, sum + 1, WALK_SUM);
    return sum;
}

static void refuse_sum(const struct row *sum, struct verdict *v)
{
    double wanted = walk_sum(sum->bytes), seen = sum->min != wanted ? sum->min : sum->max;
    verdict_conclude(v, VERDICT_ERROR, "words add up to %.0f instead of %.0f", seen, wanted);
}

static bool is_precise(struct interval i)
{
    return i.value > 0 && i.high - i.value <= PRECISE_SHARE * i.value;
}

/* Of a time or a ratio, neither of which can be below 0. */
static struct interval around(double value, double reach)
{
    reach = reach > LEAST_REACH ? reach : LEAST_REACH;
    return (struct interval){value, value > reach ? value - reach : 0, value + reach};
}

/* Beyond both scatters, and by more than an answer may be off. */
static bool are_apart(struct interval walks, struct interval pieces)
{
    bool below = pieces.high < walks.low && pieces.value < (1 - PRECISE_SHARE) * walks.value;
    return below || (pieces.low > walks.high && pieces.value > (1 + PRECISE_SHARE) * walks.value);
}

/* Few walks may agree by chance, so that their interval is at least as wide as that of the pieces.
 */
static void conclude_time(const struct moments *walks, struct interval pieces, struct verdict *v)
{
    struct interval time =
        around(walks->mean, larger(moments_half_width(walks), pieces.high - pieces.value));
    bool apart = are_apart(time, pieces);
    verdict_value(v, time.value, time.low, time.high);
    verdict_conclude(v, is_precise(time) && !apart ? VERDICT_OK : VERDICT_DOUBT,
                     "mean of %u whole walks%s; %stheir pieces' median %.2f", walks->count,
                     is_precise(time) ? "" : " that scatter", apart ? "far from " : "",
                     pieces.value);
}

static void judge_time(const struct table *table, const char *metric, struct verdict *v)
{
    const struct row *wrong = find_wrong_sum(table), *piece = find_pieces(table, metric);
    struct moments walks = whole_walks(table, metric);
    if (wrong != NULL) {
        refuse_sum(wrong, v);
        return;
    }
    if (piece == NULL || walks.count == 0) {
        verdict_conclude(v, VERDICT_SKIP, "needs times of pieces and of whole walks");
        return;
    }
    verdict_value(v, walks.mean, __builtin_nan(""), __builtin_nan(""));
    if (next_walk(table, table->rows, WALK_SUM) == NULL)
        verdict_conclude(v, VERDICT_DOUBT, "no sum shows that the words were read");
    else if (walks.count < 2)
        verdict_conclude(v, VERDICT_DOUBT, "not the times of two whole walks by themselves");
    else
        conclude_time(&walks, curve_median_of_one(piece), v);
}

static const struct row *find_count(const struct table *table, const char *const *keys)
{
    const struct row *row = NULL;
    for (; *keys != NULL && row == NULL; keys++)
        row = find_pieces(table, *keys);
    return row;
}

static void judge_cpi(const struct table *table, struct verdict *v)
{
    const struct row *executed = find_count(table, instructions);
    const struct row *elapsed = find_count(table, cycles);
    if (executed == NULL || elapsed == NULL || executed->median <= 0) {
        verdict_conclude(v, VERDICT_SKIP, "cycles and instructions were not counted");
        return;
    }
    struct interval c = curve_median_of_one(elapsed), i = curve_median_of_one(executed);
    struct interval cpi = {c.value / i.value, c.low / i.high, c.high / i.low};
    verdict_value(v, cpi.value, cpi.low, cpi.high);
    verdict_conclude(v, is_precise(cpi) ? VERDICT_OK : VERDICT_DOUBT,
                     "cycles over instructions; %.2f over %.2f an access", c.value, i.value);
}

/*
 * Adds a case's ns_per_access and ticks_per_access, the mean of the whole walks over their
 * accesses, and cpi, cycles over instructions where they were counted. A walk whose words do not
 * add up to what the array holds has no time: `error`. Pure.
 */
static void judge(const struct table *table, struct verdict_list *verdicts)
{
    const struct variant *of = table->of;
    judge_time(table, "ns", verdict_add(verdicts, of, "ns_per_access", "ns"));
    judge_time(table, "tsc", verdict_add(verdicts, of, "ticks_per_access", "ticks"));
    judge_cpi(table, verdict_add(verdicts, of, "cpi", "cycles"));
}

/* By how many times a walk took longer than that of `linear` in the same round, of each round. */
static struct moments compare_rounds(const struct table *table, const struct table *base)
{
    struct moments all = {.count = 0};
    const struct row *mine = next_walk(table, table->rows, "tsc");
    const struct row *linear = next_walk(base, base->rows, "tsc");
    while (mine != NULL && linear != NULL) {
        int64_t ahead = mine->stage - linear->stage;
        if (ahead == 0 && linear->mean > 0)
            moments_add(&all, of_one(mine) / of_one(linear));
        if (ahead >= 0)
            linear = next_walk(base, linear + 1, "tsc");
        if (ahead <= 0)
            mine = next_walk(table, mine + 1, "tsc");
    }
    return all;
}

/* What is known of the quotient of two medians, as a share of it. */
static double reach_of_quotient(struct interval a, struct interval b)
{
    double of_a = (a.high - a.value) / a.value, of_b = (b.high - b.value) / b.value;
    return __builtin_sqrt(of_a * of_a + of_b * of_b);
}

static void conclude_ratio(const struct table *table, const struct table *base,
                           const struct moments *rounds, double least, struct verdict *v)
{
    struct interval ratio = around(rounds->mean, larger(moments_half_width(rounds), least));
    bool clear = ratio.low > 1 || ratio.high < 1;
    bool same = find_pieces(table, "tsc")->bytes == find_pieces(base, "tsc")->bytes;
    verdict_value(v, ratio.value, ratio.low, ratio.high);
    verdict_conclude(v, clear && same ? VERDICT_OK : VERDICT_DOUBT,
                     !same ? "the arrays are not of one size"
                     : clear
                         ? "mean of %u rounds; %.2f against %.2f ticks an access"
                         : "no clear difference in %u rounds; %.2f against %.2f ticks an access",
                     rounds->count, whole_walks(table, "tsc").mean, whole_walks(base, "tsc").mean);
}

static void conclude_without_rounds(struct moments mine, struct moments linear, struct verdict *v)
{
    bool there = mine.count > 0 && linear.mean > 0;
    if (there)
        verdict_value(v, mine.mean / linear.mean, __builtin_nan(""), __builtin_nan(""));
    verdict_conclude(v, there ? VERDICT_DOUBT : VERDICT_SKIP,
                     "needs two rounds or more with both walks");
}

/* One pattern's case against that of `linear`; NULL: that was not measured. */
static void judge_ratio(const struct table *table, const struct table *base, struct verdict *v)
{
    const struct row *mine = find_pieces(table, "tsc");
    const struct row *linear = base != NULL ? find_pieces(base, "tsc") : NULL;
    if (mine == NULL || linear == NULL || !(mine->median > 0) || !(linear->median > 0)) {
        verdict_conclude(v, VERDICT_SKIP, "needs the times of both walks");
        return;
    }
    if (find_wrong_sum(table) != NULL || find_wrong_sum(base) != NULL) {
        verdict_conclude(v, VERDICT_ERROR, "the words of one of the walks add up wrongly");
        return;
    }
    struct moments rounds = compare_rounds(table, base);
    if (rounds.count < 2) {
        conclude_without_rounds(whole_walks(table, "tsc"), whole_walks(base, "tsc"), v);
        return;
    }
    double share = reach_of_quotient(curve_median_of_one(mine), curve_median_of_one(linear));
    conclude_ratio(table, base, &rounds, share * rounds.mean, v);
}

static const struct {
    const char *pattern, *verdict;
} ratios[] = {
    {"page", "page_over_linear"},
    {"heap", "heap_over_linear"},
    {"random", "random_over_linear"},
};

static void compare_case(const struct tables *tables, const struct table *table,
                         struct verdict_list *verdicts)
{
    struct variant linear = *table->of;
    name_copy(linear.pattern, "linear");
    for (size_t i = 0; i < sizeof ratios / sizeof *ratios; i++)
        if (strcmp(table->of->pattern, ratios[i].pattern) == 0)
            judge_ratio(table, tables_find(tables, &linear),
                        verdict_add(verdicts, table->of, ratios[i].verdict, "times"));
}

/*
 * Adds page_over_linear, heap_over_linear and random_over_linear: each pattern's whole walks
 * against those of `linear` in the same rounds, in a case that is otherwise the same. Pure.
 */
static void compare(const struct tables *tables, struct verdict_list *verdicts)
{
    for (const struct table *t = tables->at; t < tables->at + tables->count; t++)
        compare_case(tables, t, verdicts);
}

const struct rule rule_patterns = {
    .judge = judge,
    .compare = compare,
    .verdicts = verdict_names,
};

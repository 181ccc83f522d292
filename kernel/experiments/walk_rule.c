/* walk_rule: sums checked, medians divided by accesses, ratios. */
#include "walk_rule.h"

#include "../analysis/curve.h"
#include "../lib/string.h"
#include "experiment.h"

#define WORD_BYTES 8
#define PAGE_WORDS 262144.0 /* 2 MB */
#define PRECISE_SHARE 0.05  /* a median known to this share of itself is an answer */

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

/* The row of a metric with pieces of walks, or with whole ones; NULL: there is none. */
static const struct row *find(const struct table *table, const char *metric, bool whole)
{
    for (const struct row *row = table->rows; row < table->rows + table->count; row++)
        if (is_of(row, metric, whole))
            return row;
    return NULL;
}

enum sums { SUMS_RIGHT, SUMS_WRONG, SUMS_MISSING };

static enum sums check_sums(const struct table *table)
{
    const struct row *sum = find(table, WALK_SUM, true);
    if (sum == NULL)
        return SUMS_MISSING;
    double wanted = walk_sum(sum->bytes);
    return sum->min == wanted && sum->max == wanted ? SUMS_RIGHT : SUMS_WRONG;
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

static void judge_time(const struct table *table, const char *metric, struct verdict *v)
{
    const struct row *piece = find(table, metric, false);
    const struct row *whole = find(table, metric, true);
    enum sums sums = check_sums(table);
    if (sums == SUMS_WRONG) {
        refuse_sum(find(table, WALK_SUM, true), v);
        return;
    }
    if (piece == NULL || whole == NULL) {
        verdict_conclude(v, VERDICT_SKIP, "needs times of pieces and of whole walks");
        return;
    }
    struct interval time = curve_median_of_one(piece);
    verdict_value(v, time.value, time.low, time.high);
    if (sums == SUMS_MISSING)
        verdict_conclude(v, VERDICT_DOUBT, "no sum shows that the words were read");
    else
        verdict_conclude(v, is_precise(time) ? VERDICT_OK : VERDICT_DOUBT,
                         "median of %lu times %ld accesses%s; a whole walk's %.2f",
                         (unsigned long)piece->samples, (long)piece->k,
                         is_precise(time) ? "" : " that scatter", curve_median_of_one(whole).value);
}

static const struct row *find_count(const struct table *table, const char *const *keys)
{
    const struct row *row = NULL;
    for (; *keys != NULL && row == NULL; keys++)
        row = find(table, *keys, false);
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
 * Adds a case's ns_per_access and ticks_per_access, the median of the pieces over their accesses,
 * and cpi, cycles over instructions where they were counted. A walk whose words do not add up to
 * what the array holds has no time: `error`. Pure.
 */
static void judge(const struct table *table, struct verdict_list *verdicts)
{
    const struct variant *of = table->of;
    judge_time(table, "ns", verdict_add(verdicts, of, "ns_per_access", "ns"));
    judge_time(table, "tsc", verdict_add(verdicts, of, "ticks_per_access", "ticks"));
    judge_cpi(table, verdict_add(verdicts, of, "cpi", "cycles"));
}

/* One pattern's case against that of `linear`; NULL: that was not measured. */
static void judge_ratio(const struct table *table, const struct table *base, struct verdict *v)
{
    const struct row *mine = find(table, "tsc", false);
    const struct row *linear = base != NULL ? find(base, "tsc", false) : NULL;
    if (mine == NULL || linear == NULL || !(linear->median > 0)) {
        verdict_conclude(v, VERDICT_SKIP, "needs the times of both walks");
        return;
    }
    if (check_sums(table) == SUMS_WRONG || check_sums(base) == SUMS_WRONG) {
        verdict_conclude(v, VERDICT_ERROR, "the words of one of the walks add up wrongly");
        return;
    }
    struct interval a = curve_median_of_one(mine), b = curve_median_of_one(linear);
    double low = a.low / b.high, high = b.low > 0 ? a.high / b.low : a.high / b.value;
    bool clear = low > 1 || high < 1, same = mine->bytes == linear->bytes;
    verdict_value(v, a.value / b.value, low, high);
    verdict_conclude(v, clear && same ? VERDICT_OK : VERDICT_DOUBT,
                     !same   ? "the arrays are not of one size"
                     : clear ? "%.2f against %.2f ticks an access"
                             : "no clear difference: %.2f against %.2f ticks an access",
                     a.value, b.value);
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
 * Adds page_over_linear, heap_over_linear and random_over_linear: each pattern's ticks against
 * those of `linear` in a case that is otherwise the same. Pure.
 */
static void compare(const struct tables *tables, struct verdict_list *verdicts)
{
    for (const struct table *t = tables->at; t < tables->at + tables->count; t++)
        compare_case(tables, t, verdicts);
}

/* A line where there are pieces; whole walks beside them where there are such. */
static void show_metric(const struct table *table, const char *metric, struct text *text)
{
    const struct row *row = find(table, metric, false), *whole = find(table, metric, true);
    if (row == NULL)
        return;
    double accesses = (double)row->k;
    text_printf(text, "%-36s %9.3f %9.3f %9.3f", metric, row->p10 / accesses,
                row->median / accesses, row->p90 / accesses);
    if (whole != NULL)
        text_printf(text, " %11.3f", whole->median / (double)whole->k);
    text_char(text, '\n');
}

/* everything per access, times and what was counted. */
static void show(const struct table *table, struct text *text)
{
    char size[SIZE_TEXT_MAX];
    const struct row *first = find(table, "tsc", false);
    if (first == NULL)
        return;
    table_title(table, text);
    text_printf(text, ": array of %s, %lu samples of %ld accesses\n",
                size_text(size, (uint64_t)first->bytes), (unsigned long)first->samples,
                (long)first->k);
    text_printf(text, "%-36s %9s %9s %9s %11s\n", "per access", "p10", "median", "p90",
                "whole walks");
    show_metric(table, "tsc", text);
    show_metric(table, "ns", text);
    for (const struct row *row = table->rows; row < table->rows + table->count; row++)
        if (is_of(row, row->metric, false) && !is_of(row, "tsc", false) && !is_of(row, "ns", false))
            show_metric(table, row->metric, text);
}

const struct rule rule_walk = {
    .judge = judge,
    .compare = compare,
    .verdicts = verdict_names,
    .show = show,
};

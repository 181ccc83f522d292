/* walk_rule: sums checked, medians divided by accesses, ratios. */
#include "walk_rule.h"

#include "../lib/string.h"
#include "../lib/text.h"
#include "curve.h"
#include "verdict.h"

#define WORD_BYTES 8
#define PAGE_WORDS 262144.0 /* 2 MB */
#define PRECISE_SHARE 0.05  /* a median known to this share of itself is an answer */

const char *const walk_verdict_names[] = {"ns_per_access", "ticks_per_access", "cpi", NULL};

/* The same quantity by the names that different units give it. */
static const char *const instructions[] = {"instructions", "instructions_gp", NULL};
static const char *const cycles[] = {"core_cycles", "core_cycles_gp", NULL};

/* A word holds its place in its page plus the page's number: two arithmetic series. */
double walk_sum(int64_t bytes)
{
    double words = (double)(bytes / WORD_BYTES), pages = words / PAGE_WORDS;
    return words * ((PAGE_WORDS - 1) / 2) + words * ((pages - 1) / 2);
}

const struct row *walk_row(const struct row *rows, size_t count, const char *metric,
                                  bool whole)
{
    for (const struct row *row = rows; row < rows + count; row++)
        if (strcmp(row->metric, metric) == 0 && row->samples > 0 && row->k > 0 &&
            (row->k == row->bytes / WORD_BYTES) == whole)
            return row;
    return NULL;
}

enum sums { SUMS_RIGHT, SUMS_WRONG, SUMS_MISSING };

static enum sums check_sums(const struct row *rows, size_t count)
{
    const struct row *sum = walk_row(rows, count, WALK_SUM, true);
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

static struct interval per_access(const struct row *row)
{
    struct interval i = curve_median(row);
    double accesses = (double)row->k;
    return (struct interval){i.value / accesses, i.low / accesses, i.high / accesses};
}

static bool is_precise(struct interval i)
{
    return i.high - i.value <= PRECISE_SHARE * i.value;
}

static void judge_time(const struct row *rows, size_t count, const char *metric,
                       struct verdict *v)
{
    const struct row *piece = walk_row(rows, count, metric, false);
    const struct row *whole = walk_row(rows, count, metric, true);
    enum sums sums = check_sums(rows, count);
    if (sums == SUMS_WRONG) {
        refuse_sum(walk_row(rows, count, WALK_SUM, true), v);
        return;
    }
    if (piece == NULL || whole == NULL) {
        verdict_conclude(v, VERDICT_SKIP, "needs times of pieces and of whole walks");
        return;
    }
    struct interval time = per_access(piece);
    verdict_value(v, time.value, time.low, time.high);
    if (sums == SUMS_MISSING)
        verdict_conclude(v, VERDICT_DOUBT, "no sum shows that the words were read");
    else
        verdict_conclude(v, is_precise(time) ? VERDICT_OK : VERDICT_DOUBT,
                         "median of %lu times %ld accesses%s; a whole walk's %.2f",
                         (unsigned long)piece->samples, (long)piece->k,
                         is_precise(time) ? "" : " that scatter", per_access(whole).value);
}

static const struct row *find_count(const struct row *rows, size_t count,
                                           const char *const *keys)
{
    const struct row *row = NULL;
    for (; *keys != NULL && row == NULL; keys++)
        row = walk_row(rows, count, *keys, false);
    return row;
}

static void judge_cpi(const struct row *rows, size_t count, struct verdict *v)
{
    const struct row *executed = find_count(rows, count, instructions);
    const struct row *elapsed = find_count(rows, count, cycles);
    if (executed == NULL || elapsed == NULL || executed->median <= 0) {
        verdict_conclude(v, VERDICT_SKIP, "cycles and instructions were not counted");
        return;
    }
    struct interval c = per_access(elapsed), i = per_access(executed);
    struct interval cpi = {c.value / i.value, c.low / i.high, c.high / i.low};
    verdict_value(v, cpi.value, cpi.low, cpi.high);
    verdict_conclude(v, is_precise(cpi) ? VERDICT_OK : VERDICT_DOUBT,
                     "cycles over instructions; %.2f over %.2f an access", c.value, i.value);
}

void walk_judge(const struct row *rows, size_t count, struct verdict_list *verdicts)
{
    const char *of = rows->experiment, *variant = rows->variant;
    judge_time(rows, count, "ns", verdict_add(verdicts, of, variant, "ns_per_access", "ns"));
    judge_time(rows, count, "tsc", verdict_add(verdicts, of, variant, "ticks_per_access", "ticks"));
    judge_cpi(rows, count, verdict_add(verdicts, of, variant, "cpi", "cycles"));
}

/* One pattern's case against that of `linear`. */
static void judge_ratio(const struct row *rows, size_t count, const struct row *base,
                        size_t base_count, struct verdict *v)
{
    const struct row *mine = walk_row(rows, count, "tsc", false);
    const struct row *linear = walk_row(base, base_count, "tsc", false);
    if (mine == NULL || linear == NULL || !(linear->median > 0)) {
        verdict_conclude(v, VERDICT_SKIP, "needs the times of both walks");
        return;
    }
    if (check_sums(rows, count) == SUMS_WRONG || check_sums(base, base_count) == SUMS_WRONG) {
        verdict_conclude(v, VERDICT_ERROR, "the words of one of the walks add up wrongly");
        return;
    }
    struct interval a = per_access(mine), b = per_access(linear);
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
    const char *prefix, *verdict;
} ratios[] = {
    {"page-", "page_over_linear"},
    {"heap-", "heap_over_linear"},
    {"random-", "random_over_linear"},
};

static void compare_case(const struct row *rows, size_t count, const struct row *mine,
                         size_t mine_count, struct verdict_list *verdicts)
{
    char name[NAME_BYTES];
    struct text text;
    size_t base_count;
    for (size_t i = 0; i < sizeof ratios / sizeof *ratios; i++) {
        size_t length = strlen(ratios[i].prefix);
        if (memcmp(mine->variant, ratios[i].prefix, length) != 0)
            continue;
        text_init(&text, name, sizeof name);
        text_printf(&text, "linear-%s", mine->variant + length);
        const struct row *base = curve_case(rows, count, name, &base_count);
        judge_ratio(
            mine, mine_count, base, base_count,
            verdict_add(verdicts, mine->experiment, mine->variant, ratios[i].verdict, "times"));
    }
}

void walk_compare(const struct row *rows, size_t count, struct verdict_list *verdicts)
{
    for (size_t start = 0, size; start < count; start += size) {
        const struct row *mine = curve_case(rows, count, rows[start].variant, &size);
        compare_case(rows, count, mine, size, verdicts);
    }
}

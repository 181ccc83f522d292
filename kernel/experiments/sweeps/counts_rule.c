/* counts_rule: rows of counter keys to verdicts. */
#include "counts_rule.h"

#include "../../lib/string.h"

#define PRECISE_SHARE 0.02 /* an interval of the ratio up to this share of it is an answer */

/* The same quantity by the names that different units give it. */
static const char *const instructions[] = {"instructions", "instructions_gp", NULL};
static const char *const core_cycles[] = {"core_cycles", "core_cycles_gp", NULL};
static const char *const pending[] = {"l1d_pend_miss_pending", NULL};
static const char *const pending_cycles[] = {"l1d_pend_miss_pending_cycles",
                                             "l1d_pend_miss_pending_cycles_derived", NULL};

static bool is_one_of(const struct row *row, const char *const *keys)
{
    for (; *keys != NULL; keys++)
        if (strcmp(row->metric, *keys) == 0)
            return row->samples > 0;
    return false;
}

/* The point without loads and with the smallest K. NULL: nothing was counted. */
static const struct row *find_empty(const struct table *table)
{
    const struct row *empty = NULL;
    for (const struct row *row = table->rows; row < table->rows + table->count; row++)
        if (is_one_of(row, instructions) && row->n == 0 && (empty == NULL || row->k < empty->k))
            empty = row;
    return empty;
}

static void judge_payload(const struct table *table, const struct row *empty, struct verdict *v)
{
    double worst = 0, spread = 0;
    unsigned long points = 0;
    for (const struct row *row = table->rows; row < table->rows + table->count; row++) {
        if (!is_one_of(row, instructions) || row->n < 0 || row == empty)
            continue;
        double emitted = (double)(row->n + row->k - empty->k);
        double off = row->median - empty->median - emitted;
        if (off * off > worst * worst)
            worst = off;
        if (row->p90 - row->p10 > spread)
            spread = row->p90 - row->p10;
        points++;
    }
    verdict_value(v, worst, worst - spread, worst + spread);
    verdict_conclude(v, worst == 0 && points > 0 ? VERDICT_OK : VERDICT_DOUBT,
                     "counted less emitted, the worst of %lu points; medians over deciles", points);
}

/* Raw counts hold it: whoever compares them with cycles of another origin has to know it. */
static void judge_reading(const struct row *cycles, struct verdict *v)
{
    if (cycles == NULL) {
        verdict_conclude(v, VERDICT_SKIP, "core cycles are not counted here");
        return;
    }
    verdict_value(v, cycles->median, cycles->p10, cycles->p90);
    verdict_conclude(v, cycles->median > 0 ? VERDICT_OK : VERDICT_DOUBT,
                     "core cycles of the probe without loads, K = %ld; median over deciles",
                     (long)cycles->k);
}

/* The largest N counted with the smallest K. */
static int64_t most_loads(const struct table *table, int64_t k)
{
    int64_t most = 0;
    for (const struct row *row = table->rows; row < table->rows + table->count; row++)
        if (is_one_of(row, pending) && row->k == k && row->n > most)
            most = row->n;
    return most;
}

/* A point's row of a quantity, by all its coordinates; NULL where it was not counted. */
static const struct row *find(const struct table *table, const char *const *keys,
                              const struct row *point)
{
    for (const struct row *row = table->rows; row < table->rows + table->count; row++)
        if (is_one_of(row, keys) && row->n == point->n && row->k == point->k &&
            row->bytes == point->bytes && row->stage == point->stage)
            return row;
    return NULL;
}

/* Standard error of a row's mean as a share of it, from its deciles. */
static double relative_error(const struct row *row)
{
    return curve_deviation(row) / __builtin_sqrt((double)row->samples) / row->mean;
}

/* Both must be counted, and the cycles' mean above 0. */
static struct interval ratio_of(const struct row *sum, const struct row *cycles)
{
    double ratio = sum->mean / cycles->mean;
    double a = sum->mean > 0 ? relative_error(sum) : 0, b = relative_error(cycles);
    double reach = NORMAL_95 * ratio * __builtin_sqrt(a * a + b * b);
    return (struct interval){ratio, ratio - reach, ratio + reach};
}

static enum verdict_status ratio_status(struct interval ratio)
{
    return ratio.high - ratio.value <= PRECISE_SHARE * ratio.value ? VERDICT_OK : VERDICT_DOUBT;
}

static void judge_ratio(const struct row *sum, const struct row *cycles, int64_t n,
                        struct verdict *v)
{
    if (sum == NULL || cycles == NULL || cycles->mean <= 0) {
        verdict_conclude(v, VERDICT_SKIP, "this unit does not count both halves of the ratio");
        return;
    }
    struct interval ratio = ratio_of(sum, cycles);
    verdict_value(v, ratio.value, ratio.low, ratio.high);
    verdict_conclude(v, ratio_status(ratio), "misses outstanding per cycle with a miss, N = %ld",
                     (long)n);
}

/* The highest threshold that samples still reach in some cycle; 0: none does. */
static void raise(int64_t *highest, const struct row *row, double cycles)
{
    if (cycles >= 1 && row->stage > *highest)
        *highest = row->stage;
}

static void judge_levels(const struct table *table, int64_t n, struct verdict *v)
{
    bool counted = false;
    int64_t low = 0, seen = 0, high = 0;
    for (const struct row *row = table->rows; row < table->rows + table->count; row++) {
        if (!is_one_of(row, pending) || row->stage <= 0)
            continue;
        counted = true;
        raise(&low, row, row->p10);
        raise(&seen, row, row->median);
        raise(&high, row, row->p90);
    }
    if (!counted) {
        verdict_conclude(v, VERDICT_SKIP, "this unit does not count cycles by buffers in use");
        return;
    }
    verdict_value(v, (double)seen, (double)low, (double)high);
    if (seen == 0)
        verdict_conclude(v, VERDICT_DOUBT, "no cycle had a miss outstanding");
    else if (n <= seen)
        verdict_conclude(v, VERDICT_DOUBT, "as many as there were loads: N = %ld is too few",
                         (long)n);
    else
        verdict_conclude(v, VERDICT_OK, "most in use in some cycle of N = %ld, by threshold",
                         (long)n);
}

bool counts_find_ratio(const struct table *table, const struct row *point, struct interval *ratio,
                       enum verdict_status *status)
{
    const struct row *sum = find(table, pending, point);
    const struct row *cycles = find(table, pending_cycles, point);
    if (sum == NULL || cycles == NULL || cycles->mean <= 0)
        return false;
    *ratio = ratio_of(sum, cycles);
    *status = ratio_status(*ratio);
    return true;
}

bool counts_judge_payload(const struct table *table, struct verdict_list *verdicts)
{
    const struct row *empty = find_empty(table);
    if (empty != NULL)
        judge_payload(table, empty,
                      verdict_add(verdicts, table->of, "payload_surplus", "instructions"));
    return empty != NULL;
}

void counts_judge(const struct table *table, struct verdict_list *verdicts)
{
    if (!counts_judge_payload(table, verdicts))
        return;
    int64_t k = find_empty(table)->k, n = most_loads(table, k);
    const struct row no_loads = {.n = 0, .k = k, .bytes = ROW_NONE, .stage = ROW_NONE};
    const struct row most = {.n = n, .k = k, .bytes = ROW_NONE, .stage = ROW_NONE};
    judge_reading(find(table, core_cycles, &no_loads),
                  verdict_add(verdicts, table->of, "reading_cost", "cycles"));
    judge_ratio(find(table, pending, &most), find(table, pending_cycles, &most), n,
                verdict_add(verdicts, table->of, "mlp_counted", "loads"));
    judge_levels(table, n, verdict_add(verdicts, table->of, "fill_buffers_seen", "buffers"));
}

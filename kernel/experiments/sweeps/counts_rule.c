/* counts_rule: rows of counter keys to verdicts. */
#include "counts_rule.h"

#include "../../data/tables.h"
#include "../answer.h"

#define PRECISE_SHARE 0.02 /* an interval of the ratio up to this share of it is an answer */
#define PENDING "l1d_pend_miss_pending"

/* Different units give the same quantity different names. */
struct keys {
    const char *key[2];
};
static const struct keys instructions = {{"instructions", "instructions_gp"}},
                         core_cycles = {{"core_cycles", "core_cycles_gp"}},
                         pending = {{PENDING, PENDING}},
                         pending_cycles = {{"l1d_pend_miss_pending_cycles",
                                            "l1d_pend_miss_pending_cycles_derived"}};

/* Returns the first row of a quantity with the coordinates of `point`; NULL: it was not counted. */
static const struct row *find_counted(const struct table *table, const struct keys *keys,
                                      const struct row *point)
{
    const struct row *row = NULL;
    for (unsigned i = 0; i < 2 && row == NULL; i++)
        row = table_find_at(table, keys->key[i], point->n, point->k, point->bytes, point->stage);
    return row;
}

/* Returns the point without loads and with the smallest K; NULL: nothing was counted. */
static const struct row *find_empty(const struct table *table)
{
    const struct row point = {.n = 0, .k = ROW_ANY, .bytes = ROW_ANY, .stage = ROW_ANY};
    return find_counted(table, &instructions, &point);
}

static void judge_payload(const struct table *table, const struct row *empty, struct verdict *v)
{
    double worst = 0, spread = 0;
    unsigned long points = 0;
    for (TABLE_ROWS(row, table)) {
        if (!row_is(row, empty->metric) || row->n < 0 || row == empty)
            continue;
        double off = row->median - empty->median - (double)(row->n + row->k - empty->k);
        worst = off * off > worst * worst ? off : worst;
        spread = larger(spread, row->p90 - row->p10);
        points++;
    }
    answer(v, (struct interval){worst, worst - spread, worst + spread},
           points == 0  ? "no other point was counted"
           : worst != 0 ? "not as many instructions were counted as were emitted"
                        : NULL,
           "counted minus emitted, the worst of %lu points; medians, with deciles", points);
}

/* Raw counts hold the cost of reading, which comparisons with other cycles have to know. */
static void judge_reading(const struct row *cycles, struct verdict *v)
{
    if (cycles == NULL)
        answer_skip(v, "core cycles are not counted here");
    else
        answer(v, (struct interval){cycles->median, cycles->p10, cycles->p90},
               cycles->median > 0 ? NULL : "the counter of core cycles does not count",
               "core cycles of the probe without loads, K = %ld; median, with deciles",
               (long)cycles->k);
}

/* Returns the largest N counted with the smallest K. */
static int64_t most_loads(const struct table *table, int64_t k)
{
    int64_t most = 0;
    for (TABLE_ROWS(row, table))
        if (row_is(row, PENDING) && row->k == k && row->n > most)
            most = row->n;
    return most;
}

/* Returns a row's mean with its 95 % interval by all samples' scatter: passes are no visits. */
static struct interval counted_mean(const struct row *row)
{
    double error = curve_deviation(row) / __builtin_sqrt((double)row->samples);
    return interval_around(row->mean, NORMAL_95 * error);
}

bool counts_find_ratio(const struct table *table, const struct row *point, struct interval *ratio,
                       const char **doubt)
{
    const struct row *sum = find_counted(table, &pending, point);
    const struct row *cycles = find_counted(table, &pending_cycles, point);
    if (sum == NULL || cycles == NULL || cycles->mean <= 0)
        return false;
    *ratio = sum->mean > 0 ? interval_divide(counted_mean(sum), counted_mean(cycles))
                           : (struct interval){0, 0, 0};
    *doubt = ratio->high - ratio->value <= PRECISE_SHARE * ratio->value
                 ? NULL
                 : "the counts scatter by more than 2 %";
    return true;
}

static void judge_misses(const struct table *table, const struct row *point, struct verdict *v)
{
    struct interval ratio;
    const char *doubt;
    if (counts_find_ratio(table, point, &ratio, &doubt))
        answer(v, ratio, doubt, "misses outstanding per cycle with a miss, N = %ld",
               (long)point->n);
    else
        answer_skip(v, "this counter unit lacks an event of the ratio");
}

/* Raises `highest` to the threshold of a row that its samples reach in some cycle. */
static void raise(double *highest, const struct row *row, double cycles)
{
    if (cycles >= 1)
        *highest = larger(*highest, (double)row->stage);
}

static void judge_levels(const struct table *table, int64_t n, struct verdict *v)
{
    bool counted = false;
    struct interval seen = {0, 0, 0};
    for (TABLE_ROWS(row, table)) {
        if (!row_is(row, PENDING) || row->stage <= 0)
            continue;
        counted = true;
        raise(&seen.low, row, row->p10);
        raise(&seen.value, row, row->median);
        raise(&seen.high, row, row->p90);
    }
    if (!counted)
        answer_skip(v, "this counter unit cannot count cycles by buffers in use");
    else if (seen.value > 0 && (double)n <= seen.value)
        answer_doubt(v, seen, "as many as there were loads: N = %ld is too small", (long)n);
    else
        answer(v, seen, seen.value == 0 ? "no cycle had a miss outstanding" : NULL,
               "the most in use in any cycle at N = %ld, by counters with a threshold", (long)n);
}

bool counts_judge_payload(const struct table *table, struct verdict_list *verdicts)
{
    const struct row *empty = find_empty(table);
    if (empty != NULL)
        judge_payload(table, empty,
                      verdict_add(verdicts, table->variant, "payload_surplus", "instructions"));
    return empty != NULL;
}

void counts_judge(const struct table *table, struct verdict_list *verdicts)
{
    if (!counts_judge_payload(table, verdicts))
        return;
    int64_t k = find_empty(table)->k;
    const struct row no_loads = {.n = 0, .k = k, .bytes = ROW_NONE, .stage = ROW_NONE};
    struct row most = no_loads;
    most.n = most_loads(table, k);
    judge_reading(find_counted(table, &core_cycles, &no_loads),
                  verdict_add(verdicts, table->variant, "reading_cost", "cycles"));
    judge_misses(table, &most, verdict_add(verdicts, table->variant, "mlp_counted", "loads"));
    judge_levels(table, most.n,
                 verdict_add(verdicts, table->variant, "fill_buffers_seen", "buffers"));
}

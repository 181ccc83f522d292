/* counts_rule: do counters show the payload and the misses that time shows?
 *
 * Expected: no instruction more or fewer than emitted. Outstanding misses over cycles with a miss:
 * 2.5 of a plain shuffle, 5.4 of a staged one (Startin, 2018); of independent loads, mlp's number.
 * Seen: nothing; counters need the image on bare metal, of which no run is kept. */
#include "counts_rule.h"

#include "../../data/tables.h"
#include "../answer.h"

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

/* A case where something was counted. */
struct counts {
    const struct table *table;
    const struct row *empty; /* the point without loads and with the smallest K */
};

static void judge_payload(const void *reading, struct verdict *v)
{
    const struct counts *c = reading;
    const struct row *empty = c->empty;
    double worst = 0, spread = 0;
    unsigned long points = 0;
    for (TABLE_ROWS(row, c->table)) {
        if (!row_is(row, empty->metric) || row->n < 0 || row == empty)
            continue;
        double off = row->median - empty->median - (double)(row->n + row->k - empty->k);
        worst = off * off > worst * worst ? off : worst;
        spread = larger(spread, row->p90 - row->p10);
        points++;
    }
    answer(v, (struct interval){worst, worst - spread, worst + spread},
           points == 0  ? REASON_TOO_FEW_POINTS
           : worst != 0 ? REASON_COUNT_IS_OFF
                        : REASON_NONE,
           "counted minus emitted, the worst of %lu points; medians, with deciles", points);
}

/* Raw counts hold the cost of reading, which comparisons with other cycles have to know. */
static void judge_reading(const void *reading, struct verdict *v)
{
    const struct counts *c = reading;
    const struct row point = {.n = 0, .k = c->empty->k, .bytes = ROW_NONE, .stage = ROW_NONE};
    const struct row *cycles = find_counted(c->table, &core_cycles, &point);
    if (cycles == NULL)
        answer_skip(v, REASON_NOT_COUNTED, "core cycles");
    else
        answer(v, (struct interval){cycles->median, cycles->p10, cycles->p90},
               cycles->median > 0 ? REASON_NONE : REASON_COUNT_IS_OFF,
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
                       enum reason *doubt)
{
    const struct row *sum = find_counted(table, &pending, point);
    const struct row *cycles = find_counted(table, &pending_cycles, point);
    if (sum == NULL || cycles == NULL || cycles->mean <= 0)
        return false;
    bool has_misses = sum->mean > 0;
    *ratio = has_misses ? interval_divide(counted_mean(sum), counted_mean(cycles))
                        : (struct interval){0, 0, 0};
    *doubt = has_misses ? answer_scatter(*ratio) : REASON_NONE;
    return true;
}

static void judge_misses(const void *reading, struct verdict *v)
{
    const struct counts *c = reading;
    int64_t k = c->empty->k;
    const struct row point = {
        .n = most_loads(c->table, k), .k = k, .bytes = ROW_NONE, .stage = ROW_NONE};
    struct interval ratio;
    enum reason doubt;
    if (counts_find_ratio(c->table, &point, &ratio, &doubt))
        answer(v, ratio, doubt, "misses outstanding per cycle with a miss, N = %ld", (long)point.n);
    else
        answer_skip(v, REASON_NOT_COUNTED, "an event of the ratio");
}

static void judge_levels(const void *reading, struct verdict *v)
{
    const struct counts *c = reading;
    int64_t n = most_loads(c->table, c->empty->k);
    bool counted = false;
    struct interval seen = {0, 0, 0};
    for (TABLE_ROWS(row, c->table)) {
        if (!row_is(row, PENDING) || row->stage <= 0)
            continue;
        counted = true;
        /* The threshold, where so many samples reach it in some cycle. */
        seen.low = larger(seen.low, row->p10 >= 1 ? (double)row->stage : 0);
        seen.value = larger(seen.value, row->median >= 1 ? (double)row->stage : 0);
        seen.high = larger(seen.high, row->p90 >= 1 ? (double)row->stage : 0);
    }
    if (!counted)
        answer_skip(v, REASON_NOT_COUNTED, "cycles by buffers in use");
    else
        answer(v, seen,
               seen.value == 0           ? REASON_COUNT_IS_OFF
               : (double)n <= seen.value ? REASON_RANGE_ENDS
                                         : REASON_NONE,
               "the most in use in any cycle at N = %ld, by counters with a threshold", (long)n);
}

const struct question counts_payload[] = {
    QUESTION("payload_surplus", "instructions", NULL, NEEDS_COUNTERS, judge_payload,
             MEANS("instructions counted minus those emitted; 0 if each was executed once")),
    {.name = NULL},
};

const struct question counts_of_loads[] = {
    QUESTION("reading_cost", "cycles", NULL, NEEDS_COUNTERS, judge_reading,
             MEANS("core cycles of the probe without loads: what reading the counters costs")),
    QUESTION("mlp_counted", "loads", NULL, NEEDS_COUNTERS, judge_misses,
             MEANS("misses outstanding per cycle with a miss, at the largest N")),
    QUESTION("fill_buffers_seen", "buffers", NULL, NEEDS_COUNTERS | NEEDS_WHOLE_CORE, judge_levels,
             MEANS("the most misses outstanding in any cycle, by counters with a threshold")),
    {.name = NULL},
};

void counts_judge(const struct evidence *e, const struct question *questions)
{
    struct counts c = {e->table, find_empty(e->table)};
    if (c.empty != NULL)
        answer_all(e, questions, &c);
}

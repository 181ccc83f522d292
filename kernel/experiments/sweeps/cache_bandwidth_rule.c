/* cache_bandwidth_rule: the ticks of a line, against those of an addition in the same rounds. */
#include "cache_bandwidth_rule.h"

#include "../../analysis/curve.h"
#include "../../lib/text.h"
#include "../answer.h"

#define WIDEST 1.5 /* high over low */
#define AGREE 1.15 /* the faster of two sizes of one level over the slower */

struct interval cache_bandwidth_part(const struct table *table, const char *metric, int64_t bytes)
{
    struct curve_ends ends = {NULL, NULL};
    for (TABLE_ROWS(row, table))
        if (row->bytes == bytes && row_is(row, metric) && row->samples >= CURVE_LEAST_SAMPLES)
            curve_ends_add(&ends, row);
    return curve_of_each(&ends);
}

/* Returns bytes a cycle in an array of that size. Value NAN: not known. */
static struct interval rate_of(const struct table *table, const char *metric, int64_t bytes)
{
    struct interval line = cache_bandwidth_part(table, metric, bytes);
    struct interval cycle = cache_bandwidth_part(table, CACHE_BANDWIDTH_ADDITIONS, bytes);
    if (!(line.value > 0 && cycle.value > 0))
        return (struct interval){.value = __builtin_nan("")};
    return interval_divide(interval_scale(cycle, CACHE_BANDWIDTH_LINE), line);
}

void cache_bandwidth_judge(const struct table *table, const char *metric, uint64_t small,
                           uint64_t large, const char *doubt, struct verdict *v)
{
    struct interval slow = {0}, fast = {0};
    char from[SIZE_TEXT_MAX], to[SIZE_TEXT_MAX];
    int64_t seen = 0, first = 0, width = 0;
    unsigned sizes = 0;
    for (TABLE_ROWS(row, table)) { /* by rising n, k and only then bytes: two sizes at most */
        bool is_new = row_is(row, metric) && row->bytes >= (int64_t)small &&
                      row->bytes <= (int64_t)large && row->bytes != first && row->bytes != seen;
        struct interval rate = {.value = __builtin_nan("")};
        if (is_new)
            rate = rate_of(table, metric, row->bytes);
        if (!(rate.value > 0))
            continue;
        first = sizes == 0 ? row->bytes : first;
        seen = row->bytes;
        width = row->n;
        slow = sizes == 0 || rate.value < slow.value ? rate : slow;
        fast = sizes++ == 0 || rate.value > fast.value ? rate : fast;
    }
    if (sizes < 2) {
        answer_skip(v, "not measured at two sizes of this level");
        return;
    }
    struct interval both = {(slow.value + fast.value) / 2, smaller(slow.low, fast.low),
                            larger(slow.high, fast.high)};
    if (fast.value > AGREE * slow.value)
        doubt = doubt ?: "two sizes of the level disagree";
    if (!(both.high < WIDEST * both.low))
        doubt = doubt ?: "it is not known to a factor of 1.5";
    answer(v, both, doubt, "%ld-byte accesses, arrays of %s and %s; additions tell the cycle",
           (long)width, size_text(from, small), size_text(to, large));
}

/* cache_bandwidth_rule: how many bytes a core cycle does each level of the caches move?
 *
 * Expected: a first level's width times its ports; two sizes of one level agree.
 * Seen, in guests, by 64-byte accesses: first level, read 116 and write 64 on Intel family 6 model
 * 207, 128 and 64 on Zen 5, whose second level reads 55, writes 63 and copies 63.
 * Not understood: another tool reads 144 GB/s from L2 of such a core, which is 39 bytes a cycle. */
#include "cache_bandwidth_rule.h"

#include "../../analysis/curve.h"
#include "../../lib/string.h"
#include "../../lib/text.h"
#include "../answer.h"
#include "core_clock.h"

#define TWO_SPEEDS 0.15 /* from a tenth of the samples to the last, or from size to size */

/* Returns bytes a cycle in a row's array, by all rows like it. Value NAN: not known. */
static struct interval rate_of(const struct table *table, const struct row *row)
{
    struct interval line = curve_of_part(table, row->metric, row->n, row->bytes);
    struct interval cycle = curve_of_part(table, CORE_CLOCK_BANDWIDTH, ROW_NONE, row->bytes);
    if (!(line.value > 0 && cycle.value > 0))
        return (struct interval){.value = __builtin_nan("")};
    return interval_divide(interval_scale(cycle, LINE_BYTES), line);
}

/* True if samples of a size take either of two times: of 4 KB pages whose frames a guest does not
 * know, some compete for a part of L2 now and then. (Tried: 5,061 ticks or 6,657 of the same copy;
 * medians were either, with errors of 2 %.) */
static bool has_two_speeds(const struct table *table, const struct row *row)
{
    const struct row *longest = curve_ends_of(table, row->metric, row->n, row->bytes).longest;
    return longest->p90 - longest->p10 > TWO_SPEEDS * longest->median;
}

static const struct row *find_missing(const struct table *table)
{
    for (TABLE_ROWS(row, table))
        if (strcmp(row->metric, CACHE_BANDWIDTH_MISSING) == 0)
            return row;
    return NULL;
}

void cache_bandwidth_judge(const struct table *table, const char *metric, uint64_t small,
                           uint64_t large, bool is_memory, enum reason doubt, struct verdict *v)
{
    const double none = __builtin_nan("");
    struct interval slow = {0}, fast = {0}, last = {0};
    char from[SIZE_TEXT_MAX], to[SIZE_TEXT_MAX];
    int64_t bytes = (int64_t)small - 1, width = 0;
    unsigned sizes = 0;
    bool is_either = false;
    while ((bytes = curve_next_bytes(table, metric, bytes)) != 0 && bytes <= (int64_t)large) {
        const struct row *row = table_find_at(table, metric, ROW_ANY, ROW_ANY, bytes, ROW_ANY);
        struct interval rate = rate_of(table, row);
        if (!(rate.value > 0))
            continue;
        width = row->n;
        last = rate;
        is_either |= !is_memory && has_two_speeds(table, row);
        slow = sizes == 0 || rate.value < slow.value ? rate : slow;
        fast = sizes++ == 0 || rate.value > fast.value ? rate : fast;
    }
    if (sizes < 2) {
        const struct row *missing = find_missing(table);
        answer_skip(v, missing != NULL ? REASON_UNAVAILABLE : REASON_TOO_FEW_POINTS, "%s",
                    missing != NULL ? missing->unit : "two sizes of this level");
        return;
    }
    is_either |= !is_memory && fast.value > slow.value * (1 + TWO_SPEEDS);
    struct interval both = {(slow.value + fast.value) / 2, smaller(slow.low, fast.low),
                            larger(slow.high, fast.high)};
    if (is_either || answer_width(both) != REASON_NONE) {
        doubt = doubt ?: REASON_SCATTER;
        both = is_memory ? (struct interval){none, none, last.high} : both;
    }
    answer(v, both, doubt, "%ld-byte accesses to arrays of %s and %s; core cycles by additions",
           (long)width, size_text(from, small), size_text(to, large));
}

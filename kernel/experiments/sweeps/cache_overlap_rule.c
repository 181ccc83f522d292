/* cache_overlap_rule: how many independent loads of each level are under way at once?
 *
 * Expected: a chain's latency over the time of one more independent load (Little, 1961) is at most
 * the number of buffers for misses of the level before; the ROB or the load queue may end first.
 * Seen, in guests, L2, L3 and memory: Intel family 6 model 207: 12 to 14, -, 15.8 (16 fill buffers
 * are published); Zen 4: 8 to 9, -, 18.5 to 20.3; Zen 5: 13 to 17, 28 to 31, 47 to 50.
 * Not understood: what ends Zen 5's at 50, where 64 loads may wait and 124 misses are published. */
#include "cache_overlap_rule.h"

#include "../../analysis/curve.h"
#include "../../analysis/drift.h"
#include "../../lib/text.h"
#include "cache_levels.h"

#define MOST_HITS 0.34 /* share of random lines that the caches before may hold */

/* Returns ticks of one more access to random lines of an array; value NAN: not measured. */
static struct interval ticks_of_access(const struct table *table, int64_t bytes)
{
    const struct row *few = NULL, *many = NULL;
    for (TABLE_ROWS(row, table)) {
        if (row->bytes != bytes || !row_is(row, CACHE_LEVELS_RANDOM))
            continue;
        few = few == NULL || row->n < few->n ? row : few;
        many = many == NULL || row->n > many->n ? row : many;
    }
    if (few == many)
        return (struct interval){.value = __builtin_nan("")};
    return interval_scale(interval_subtract(curve_median(many), curve_median(few)),
                          1.0 / (double)(many->n - few->n));
}

/* Returns the same of the largest array that the caches before hold. */
static struct interval ticks_of_hit(const struct table *table, double bytes)
{
    int64_t largest = 0, next = 0;
    while ((next = curve_next_bytes(table, CACHE_LEVELS_RANDOM, next)) != 0 &&
           (double)next <= bytes)
        largest = next;
    return ticks_of_access(table, largest);
}

/* Returns ticks of an access that misses, where a share of them hits and takes `hit`. */
static struct interval ticks_of_miss(struct interval all, struct interval hit,
                                     struct interval share)
{
    struct interval hits = interval_scale(hit, share.value);
    struct interval miss = interval_scale(interval_subtract(all, hits), 1 / (1 - share.value));
    double reach = (miss.value - hit.value) / (1 - share.value); /* with each part more of hits */
    miss.low -= reach * (share.value - share.low);
    miss.high += reach * (share.high - share.value);
    return miss;
}

/* What sizes of one level say, by their weights; and the least and the most that any can be. */
struct overlaps {
    unsigned sizes;
    int64_t first, last;
    double weight, sum, low, high, hits;
};

static void add_size(struct overlaps *o, int64_t bytes, struct interval overlap, double hits)
{
    double half_width = interval_half_width(overlap), weight = 1 / (half_width * half_width);
    o->first = o->sizes++ == 0 ? bytes : o->first;
    o->last = bytes;
    o->weight += weight;
    o->sum += weight * overlap.value;
    o->low = o->sizes == 1 || overlap.high < o->low ? overlap.high : o->low;
    o->high = o->sizes == 1 || overlap.low > o->high ? overlap.low : o->high;
    o->hits = larger(o->hits, hits);
}

/* Returns their mean with its error; it holds the sizes that are clearly off the mean, too. */
static struct interval mean_of(const struct overlaps *o)
{
    double mean = o->sum / o->weight, half_width = 1 / __builtin_sqrt(o->weight);
    return (struct interval){mean, smaller(mean - half_width, o->low),
                             larger(mean + half_width, o->high)};
}

void cache_overlap_judge(const struct table *table, struct interval before, bool is_first,
                         uint64_t small, uint64_t large, const struct verdict *latency,
                         enum reason doubt, struct verdict *v)
{
    char from[SIZE_TEXT_MAX], to[SIZE_TEXT_MAX];
    struct interval hit = {0};
    struct overlaps o = {.sizes = 0};
    int64_t bytes = (int64_t)small - 1;
    if (!is_first)
        hit = ticks_of_hit(table, before.low);
    while ((bytes = curve_next_bytes(table, CACHE_LEVELS_RANDOM, bytes)) != 0 &&
           bytes <= (int64_t)large) {
        struct interval chain =
            latency != NULL ? answer_interval(latency) : curve_of_part(table, "tsc", 1, bytes);
        struct interval all = ticks_of_access(table, bytes);
        struct interval share = interval_scale(before, 1 / (double)bytes);
        if (all.low > 0 && chain.value > 0 && hit.value == hit.value && share.value < MOST_HITS)
            add_size(&o, bytes, interval_divide(chain, ticks_of_miss(all, hit, share)),
                     share.value);
    }
    if (o.sizes < 2) {
        answer_skip(v, REASON_TOO_FEW_POINTS, "two sizes of this level beyond the one before");
        return;
    }
    struct interval mean = mean_of(&o);
    if (!(mean.high - mean.low < WIDEST_SHARE * mean.value))
        doubt = doubt ?: REASON_SCATTER;
    answer(v, drift_widen(mean, table), doubt,
           "latency%s over the time of one more random load, %u sizes from %s to %s, of which up "
           "to %.0f %% hit before",
           latency != NULL ? "" : " of one chain", o.sizes, size_text(from, (uint64_t)o.first),
           size_text(to, (uint64_t)o.last), 100 * o.hits);
    if (latency != NULL)
        answer_lean(v, latency);
}

void cache_stream_judge(const struct verdict *cycles, const struct verdict *rate, struct verdict *v)
{
    struct interval latency = answer_interval(cycles), bytes = answer_interval(rate);
    if (!(latency.value > 0 && bytes.value > 0)) {
        answer_skip(v, REASON_NOT_MEASURED, "%s and %s", cycles->question->name,
                    rate->question->name);
        return;
    }
    struct interval line = interval_divide(interval_around(LINE_BYTES, 0), bytes);
    answer(v, interval_divide(latency, line), REASON_NONE, "%s times %s, in lines",
           cycles->question->name, rate->question->name);
    answer_lean(v, cycles);
    answer_lean(v, rate);
}

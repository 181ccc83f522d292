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

/* An overlap ends by buffers, which hits leave to others; or by a window of loads in the order of
 * the program, the ROB or a queue, in which a hit takes the place of a miss. */
enum limit { LIMIT_BUFFERS, LIMIT_WINDOW, LIMITS };

/* The overlap that sizes of one level say for each limit, by their weights; and the least and the
 * most that any can be. */
struct overlaps {
    unsigned sizes;
    int64_t first, last;
    double hits;
    struct {
        double weight, sum, squares, low, high;
    } by[LIMITS];
};

static void add_size(struct overlaps *o, int64_t bytes, const struct interval overlap[LIMITS],
                     double hits)
{
    bool is_first = o->sizes++ == 0;
    o->first = is_first ? bytes : o->first;
    o->last = bytes;
    o->hits = larger(o->hits, hits);
    for (unsigned i = 0; i < LIMITS; i++) {
        double error = interval_half_width(overlap[i]) / NORMAL_95, weight = 1 / (error * error);
        o->by[i].weight += weight;
        o->by[i].sum += weight * overlap[i].value;
        o->by[i].squares += weight * overlap[i].value * overlap[i].value;
        o->by[i].low = is_first ? overlap[i].high : smaller(o->by[i].low, overlap[i].high);
        o->by[i].high = is_first ? overlap[i].low : larger(o->by[i].high, overlap[i].low);
    }
}

/* Returns the mean of a limit with its error; it holds the sizes that are clearly off the mean. */
static struct interval mean_of(const struct overlaps *o, enum limit limit)
{
    double mean = o->by[limit].sum / o->by[limit].weight;
    double half_width = NORMAL_95 / __builtin_sqrt(o->by[limit].weight);
    return (struct interval){mean, smaller(mean - half_width, o->by[limit].low),
                             larger(mean + half_width, o->by[limit].high)};
}

/* Returns the sum of squares of the sizes' distances from their mean, in standard errors. */
static double distances(const struct overlaps *o, enum limit limit)
{
    return o->by[limit].squares - o->by[limit].sum * o->by[limit].sum / o->by[limit].weight;
}

/* The shares that hit differ from size to size: by the limit that there is the sizes agree. If they
 * leave it open, the interval holds both. */
static struct interval mean_of_limits(const struct overlaps *o)
{
    struct interval buffers = mean_of(o, LIMIT_BUFFERS), window = mean_of(o, LIMIT_WINDOW);
    double better = distances(o, LIMIT_WINDOW) - distances(o, LIMIT_BUFFERS);
    const double clear = NORMAL_95 * NORMAL_95;
    if (better > clear)
        return buffers;
    if (better < -clear)
        return window;
    return (struct interval){buffers.value, smaller(buffers.low, window.low),
                             larger(buffers.high, window.high)};
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
        const struct interval overlap[LIMITS] = {
            [LIMIT_BUFFERS] = interval_divide(chain, ticks_of_miss(all, hit, share)),
            [LIMIT_WINDOW] = interval_divide(chain, all)};
        if (all.low > 0 && chain.value > 0 && hit.value == hit.value && share.value < MOST_HITS)
            add_size(&o, bytes, overlap, share.value);
    }
    if (o.sizes < 2) {
        answer_skip(v, REASON_TOO_FEW_POINTS, "two sizes of this level beyond the one before");
        return;
    }
    struct interval mean = mean_of_limits(&o);
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

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
#include "core_clock.h"

#define MOST_HITS 0.34  /* share of random lines that the caches before may hold */
#define MISSES 1.25     /* times a level's latency: of a longer chain some lines miss there */
#define CLEAR 6.63      /* of a difference of squares in standard errors: 99 % of those by chance */
#define MOST_OPEN 0.08  /* of an overlap: what two limits leave open, */
#define MOST_BELOW 0.15 /* and what buffers may be fewer than a window that is seen */
#define PART_FULL 0.5   /* of the loads under way: at either end of a run some start or end alone */

/* A further access to random lines takes so long. */
struct one_access {
    struct interval time; /* value NAN: not measured */
    int64_t between;      /* accesses more in the longer runs than in the shorter ones */
};

/* True if whatever stopped a run took less than a long one does: the means then hold refreshes of
 * memory in their share, as a chain does, whose samples are longer. The median of long runs has
 * none or a whole one. */
static bool are_stops_short(const struct row *few, const struct row *many)
{
    return few->max - few->median < many->median && many->max < 2 * many->median;
}

/* Takes the longest runs, but those next to the shortest for a level whose hits a long list of
 * addresses would be among (`is_first`). */
static struct one_access ticks_of_access(const struct table *table, int64_t bytes, bool is_first)
{
    const struct row *few = NULL, *many = NULL;
    for (TABLE_ROWS(row, table))
        if (row->bytes == bytes && row_is(row, CACHE_LEVELS_RANDOM))
            few = few == NULL || row->n < few->n ? row : few;
    for (TABLE_ROWS(row, table))
        if (row->bytes == bytes && row_is(row, CACHE_LEVELS_RANDOM) && row->n > few->n)
            many = many == NULL || (row->n < many->n) == is_first ? row : many;
    if (many == NULL)
        return (struct one_access){{.value = __builtin_nan("")}, 0};
    int64_t between = many->n - few->n;
    struct interval all = are_stops_short(few, many)
                              ? interval_subtract(curve_mean(many), curve_mean(few))
                              : interval_subtract(curve_median(many), curve_median(few));
    return (struct one_access){interval_scale(all, 1.0 / (double)between), between};
}

/* Returns the largest array that the caches before a level hold, as far as known. */
static int64_t largest_of_hits(const struct table *table, double before)
{
    int64_t largest = 0, next = 0;
    while ((next = curve_next_bytes(table, CACHE_LEVELS_RANDOM, next)) != 0 &&
           (double)next <= before)
        largest = next;
    return largest;
}

/* Returns the ticks of a core cycle in the rounds of an array; without `in_cycles` a tick is the
 * unit. */
static struct interval unit_of(const struct table *table, int64_t bytes, bool in_cycles)
{
    struct interval cycle = curve_of_part(table, CORE_CLOCK, ROW_NONE, bytes);
    return in_cycles ? interval_widen(cycle, cycle.value * CORE_CLOCK_ERROR)
                     : (struct interval){1, 1, 1};
}

/* Returns the time that an access holds a buffer, where a share of them hits and holds it for the
 * time `hit`. */
static struct interval mean_hold(struct interval miss, struct interval hit, struct interval share)
{
    struct interval mean =
        interval_add(interval_scale(miss, 1 - share.value), interval_scale(hit, share.value));
    double reach = miss.value - hit.value; /* with each part more of hits */
    mean.low -= reach * (share.high - share.value);
    mean.high += reach * (share.value - share.low);
    return mean;
}

/* Returns the share by which the core's clock differs between arrays of so many bytes. A chain and
 * the accesses that it is held against are measured one after the other, so they may differ as
 * much. */
static double clock_share(const struct table *table, uint64_t small, uint64_t large)
{
    double least = __builtin_inf(), most = 0;
    int64_t bytes = (int64_t)small - 1;
    while ((bytes = curve_next_bytes(table, CORE_CLOCK, bytes)) != 0 && bytes <= (int64_t)large) {
        double cycle = curve_of_part(table, CORE_CLOCK, ROW_NONE, bytes).value;
        least = smaller(least, cycle);
        most = larger(most, cycle);
    }
    return most > least ? most / least - 1 : 0;
}

/* Returns by how many loads an overlap may be off as long runs have so many accesses more. Sizes
 * share this error, so it is the mean's, and tells no limit from the other. */
static double part_full(double overlap, int64_t between)
{
    return PART_FULL * overlap * overlap / (double)between;
}

/* An overlap ends by buffers, which hits leave to others soon, or hits of the first level do not
 * need; or by a window of loads in the order of the program, the ROB or a queue, in which a hit
 * takes the place of a miss; or by the rate at which the level gives lines, of which a hit takes
 * nothing. Dispatch ends it where hits alone take no less time: then no limit is seen. */
enum limit { LIMIT_BUFFERS, LIMIT_WINDOW, LIMIT_RATE, LIMITS };

/* The overlap that one size says for a limit, by all errors; and the standard error that no other
 * size shares. */
struct said {
    struct interval overlap;
    double own_error;
};

/* The overlaps that sizes of one level say for a limit: sums by the weights of their own errors,
 * and the least and the most that any can be. */
struct sums {
    double weight, sum, squares;
    double shared_low, shared_high; /* how far the errors that all share reach */
    double low, high;
    struct interval most_hits, fewest_hits; /* of the first size and the last */
};

/* All that the sizes of one level say. */
struct overlaps {
    unsigned sizes;
    int64_t first, last, between;
    double hits;
    struct interval either; /* what one size says, where buffers and the window differ least */
    struct sums by[LIMITS];
};

/* Returns the middle of all that one limit or the other leaves open. */
static struct interval of_either(struct interval buffers, struct interval window)
{
    double low = smaller(buffers.low, window.low), high = larger(buffers.high, window.high);
    return interval_around((low + high) / 2, (high - low) / 2);
}

/* Returns what is left of an error without a part of it, by squares. */
static double without_part(double error, double part)
{
    double left = error * error - part * part;
    return left > 0 ? __builtin_sqrt(left) : 0;
}

static void add_to_sums(struct sums *sums, bool is_first, const struct said *said, int64_t between)
{
    struct interval one = said->overlap;
    double own = NORMAL_95 * said->own_error, weight = 1 / (said->own_error * said->own_error);
    sums->weight += weight;
    sums->sum += weight * one.value;
    sums->squares += weight * one.value * one.value;
    sums->shared_low += weight * without_part(one.value - one.low, own);
    sums->shared_high += weight * without_part(one.high - one.value, own);
    sums->most_hits = is_first ? one : sums->most_hits;
    sums->fewest_hits = one;
    struct interval all = interval_widen(one, part_full(one.value, between));
    sums->low = is_first ? all.high : smaller(sums->low, all.high);
    sums->high = is_first ? all.low : larger(sums->high, all.low);
}

static void add_size(struct overlaps *o, int64_t bytes, int64_t between,
                     const struct said said[LIMITS], double hits)
{
    bool is_first = o->sizes++ == 0;
    o->first = is_first ? bytes : o->first;
    o->last = bytes;
    o->between = is_first || between < o->between ? between : o->between;
    o->hits = larger(o->hits, hits);
    struct interval either = of_either(said[LIMIT_BUFFERS].overlap, said[LIMIT_WINDOW].overlap);
    either.low = smaller(either.low, said[LIMIT_RATE].overlap.low);
    if (is_first || interval_half_width(either) < interval_half_width(o->either))
        o->either = either;
    for (unsigned i = 0; i < LIMITS; i++)
        add_to_sums(&o->by[i], is_first, &said[i], between);
}

/* Returns the mean of a limit with its error; it holds the sizes that are clearly off the mean. */
static struct interval mean_of(const struct overlaps *o, enum limit limit)
{
    const struct sums *sums = &o->by[limit];
    double mean = sums->sum / sums->weight, own = NORMAL_95 / __builtin_sqrt(sums->weight);
    struct interval all = interval_add(
        interval_around(mean, own),
        (struct interval){0, -sums->shared_low / sums->weight, sums->shared_high / sums->weight});
    return (struct interval){mean, smaller(all.low, sums->low), larger(all.high, sums->high)};
}

/* Returns the sum of squares of the sizes' distances from their mean, in standard errors. The error
 * of how much the caches before hold is not in there: all sizes share it. */
static double distances(const struct overlaps *o, enum limit limit)
{
    const struct sums *sums = &o->by[limit];
    return sums->squares - sums->sum * sums->sum / sums->weight;
}

/* True if no two sizes are further apart than SAME_SHARE and their errors. */
static bool do_agree(const struct overlaps *o, enum limit limit)
{
    return o->by[limit].high <= o->by[limit].low * (1 + SAME_SHARE);
}

/* The shares that hit differ from size to size: by the limit that there is the sizes agree. True if
 * they do so by this one, and clearly less by another. Sizes that are further apart than their
 * errors tell have larger ones; if chance hardly puts them so far apart, no limit is the one. */
static bool is_better(const struct overlaps *o, enum limit limit, enum limit other)
{
    double apart = distances(o, limit), scale = larger(apart / (o->sizes - 1), 1);
    return apart < CLEAR * (o->sizes - 1) && distances(o, other) - apart > CLEAR * scale;
}

/* Returns the limit that the sizes show; LIMITS: they leave it open. */
static enum limit seen_limit(const struct overlaps *o)
{
    if (is_better(o, LIMIT_RATE, LIMIT_BUFFERS) && is_better(o, LIMIT_RATE, LIMIT_WINDOW))
        return LIMIT_RATE;
    if (is_better(o, LIMIT_BUFFERS, LIMIT_WINDOW))
        return LIMIT_BUFFERS;
    return is_better(o, LIMIT_WINDOW, LIMIT_BUFFERS) ? LIMIT_WINDOW : LIMITS;
}

/* True if buffers may end the overlap much earlier than the window does; where that is seen, few
 * numbers of buffers are in between. */
static bool may_end_first(const struct overlaps *o, enum limit seen)
{
    double buffers = o->by[LIMIT_BUFFERS].fewest_hits.value;
    double window = o->by[LIMIT_WINDOW].fewest_hits.value;
    double most = seen == LIMIT_WINDOW ? MOST_BELOW : MOST_OPEN;
    return seen != LIMIT_BUFFERS && seen != LIMIT_RATE && window - buffers > most * buffers;
}

/* True if the sizes disagree by every limit, or their times alone leave too much open. */
static bool do_scatter(const struct overlaps *o, enum limit seen)
{
    return (!do_agree(o, LIMIT_BUFFERS) && !do_agree(o, LIMIT_WINDOW) && seen != LIMIT_RATE) ||
           answer_width(mean_of(o, LIMIT_WINDOW)) != REASON_NONE;
}

/* Returns the mean of a limit that is seen, with an interval that also holds what it says where no
 * line hits any more. A size tells no more of a limit than that it is not less. So if that of
 * buffers is seen, the overlap rises less and less as hits become fewer; if the window is, buffers
 * may end it earlier, at what the size with the fewest hits says of them. So may the rate end
 * either. */
static struct interval without_hits(const struct overlaps *o, enum limit limit)
{
    const struct sums *buffers = &o->by[LIMIT_BUFFERS];
    struct interval mean = mean_of(o, limit), fewest = buffers->fewest_hits;
    double rise = smaller(fewest.value - buffers->most_hits.value,
                          o->by[LIMIT_WINDOW].fewest_hits.value - fewest.value);
    if (limit == LIMIT_WINDOW)
        mean.low = smaller(mean.low, fewest.low);
    else
        mean.high = larger(mean.high, fewest.high + rise);
    if (!is_better(o, limit, LIMIT_RATE))
        mean.low = smaller(mean.low, o->by[LIMIT_RATE].fewest_hits.low);
    return mean;
}

/* If the sizes leave the limit open, the size where it matters least tells, unless they disagree
 * by either. */
static struct interval mean_of_limits(const struct overlaps *o, enum limit seen)
{
    if (seen == LIMIT_RATE)
        return mean_of(o, LIMIT_RATE);
    if (seen != LIMITS)
        return without_hits(o, seen);
    if (do_agree(o, LIMIT_BUFFERS) || do_agree(o, LIMIT_WINDOW))
        return o->either;
    return of_either(mean_of(o, LIMIT_BUFFERS), mean_of(o, LIMIT_WINDOW));
}

static struct interval without_error(struct interval i)
{
    return interval_around(i.value, 0);
}

/* Returns what a size says for a limit: a chain's latency, of which hits hold their part for the
 * time `hit`, over the time of one more access. `own_chain` has the errors that this size alone
 * has; sizes share those of a hit and of the share that hits. */
static struct said said_by(struct interval chain, struct interval own_chain, struct interval hit,
                           struct interval share, struct interval one)
{
    struct interval own =
        interval_divide(mean_hold(own_chain, without_error(hit), without_error(share)), one);
    return (struct said){interval_divide(mean_hold(chain, hit, share), one),
                         interval_half_width(own) / NORMAL_95};
}

/* Returns all that there may be between the least and the most. */
static struct said of_any(struct said least, struct said most)
{
    struct interval all = of_either(least.overlap, most.overlap);
    return (struct said){all, interval_half_width(all) / NORMAL_95};
}

/* Sizes differ by the clock's share and by that of any time in cycles; another run, by more. */
static void widen(struct said *said, double clock)
{
    double value = said->overlap.value;
    said->overlap = interval_widen(said->overlap, (clock + DRIFT_LEAST) * value);
    said->own_error += (clock + CORE_CLOCK_ERROR) * value / NORMAL_95;
}

void cache_overlap_judge(const struct table *table, struct interval before, bool is_first,
                         uint64_t small, uint64_t large, const struct verdict *latency,
                         const struct verdict *cycles, enum reason doubt, struct verdict *v)
{
    char from[SIZE_TEXT_MAX], to[SIZE_TEXT_MAX];
    struct overlaps o = {.sizes = 0};
    int64_t bytes = (int64_t)small - 1, hits = largest_of_hits(table, before.low);
    bool in_cycles = cycles != NULL && cycles->value > 0;
    struct interval of_hits = unit_of(table, hits, in_cycles);
    struct interval hit = is_first ? (struct interval){0} : curve_of_part(table, "tsc", 1, hits);
    hit = interval_divide(hit, of_hits);
    double clock = clock_share(table, small, large);
    double dispatched = ticks_of_access(table, hits, true).time.value / of_hits.value;
    while ((bytes = curve_next_bytes(table, CACHE_LEVELS_RANDOM, bytes)) != 0 &&
           bytes <= (int64_t)large) {
        struct interval unit = unit_of(table, bytes, in_cycles);
        struct interval chain = interval_divide(curve_of_part(table, "tsc", 1, bytes), unit);
        const struct verdict *whole = in_cycles ? cycles : latency;
        bool misses = whole != NULL && chain.value > whole->value * MISSES;
        chain = whole != NULL ? answer_interval(whole) : chain;
        struct one_access one = ticks_of_access(table, bytes, is_first);
        one.time = interval_divide(one.time, unit);
        struct interval share = interval_scale(before, 1 / (double)bytes);
        bool saves = one.time.value > dispatched * (1 + SAME_SHARE);
        const struct interval nothing = {0, 0, 0};
        struct interval own = whole != NULL ? without_error(chain) : chain;
        struct said said[LIMITS] = {[LIMIT_BUFFERS] = said_by(chain, own, hit, share, one.time),
                                    [LIMIT_WINDOW] =
                                        said_by(chain, own, nothing, nothing, one.time),
                                    [LIMIT_RATE] = said_by(chain, own, nothing, share, one.time)};
        for (unsigned i = 0; i < LIMITS; i++) {
            if (!saves)
                said[i] = of_any(said[LIMIT_RATE], said[LIMIT_WINDOW]);
            widen(&said[i], clock);
        }
        if (one.time.low > 0 && chain.value > 0 && hit.value == hit.value && !misses &&
            share.value < MOST_HITS)
            add_size(&o, bytes, one.between, said, share.value);
    }
    if (o.sizes < 2) {
        answer_skip(v, REASON_TOO_FEW_POINTS, "two sizes of this level beyond the one before");
        return;
    }
    enum limit seen = seen_limit(&o);
    struct interval mean = mean_of_limits(&o, seen);
    mean = interval_widen(mean, part_full(mean.value, o.between));
    if (do_scatter(&o, seen))
        doubt = doubt ?: REASON_SCATTER;
    if (may_end_first(&o, seen))
        doubt = doubt ?: REASON_MAY_END_FIRST;
    doubt = doubt ?: answer_width(mean);
    answer(v, mean, doubt,
           "latency of one chain over the time of one more random load, %u sizes from %s to %s, up "
           "to %.0f %% hit before",
           o.sizes, size_text(from, (uint64_t)o.first), size_text(to, (uint64_t)o.last),
           100 * o.hits);
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

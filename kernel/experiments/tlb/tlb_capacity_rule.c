/* tlb_capacity_rule: how many pages does each level of the TLB hold, and what does a miss cost?
 *
 * Expected: a chain through N pages, less N adjacent lines, rises in a step where a level is full;
 * later where AMD's TLB joins neighbouring pages on neighbouring frames.
 * Seen, in guests, 4 KB pages: Intel family 6 model 207: 96, then +7.1 cycles, six ways; Zen 4: 72,
 * +7.0; Zen 5: 96, +7.0; the entries are as published. In doubt: walks of pages a gigabyte apart,
 * 95, 125 and 101 cycles; second levels, 2167 [1530 .. 2804] of 2048, 3461 [2338 .. 4583] of 3072,
 * 4748 [3578 .. 5919] of 4096, where another tool sees no edge, either.
 * Not understood: what makes that end gradual, the host's pages or the choice of the victim; and
 * Zen 5's 64 ways at one distance of 13, where a first level without sets would show none. */
#include "tlb_capacity_rule.h"

#include "../../analysis/curve.h"
#include "../../analysis/drift.h"
#include "../../analysis/plateaus.h"
#include "../../lib/sort.h"
#include "../../lib/string.h"
#include "../answer.h"
#include "../sweeps/core_clock.h"

#define LEAST_SIDE 2    /* points: one alone may be disturbed */
#define END_POINTS 3    /* of a curve: N that any TLB holds; pages far apart that all walk */
#define LEAST_CYCLES 2  /* a hit in the second level costs that at least, a walk as much more */
#define LEAST_MISS 0.5  /* cycles: half of the least that a miss of a smaller level costs */
#define LEVEL_FROM 1.3  /* times N of the step: the next level is well reached from here on, */
#define LEVEL_TO 1.8    /* and may end beyond here; */
#define GRADUAL 2       /* times that behind a gradual rise */
#define FAR_SIDE 0.6    /* times N of the next step: nothing of it has begun up to here */
#define BEYOND 1.5      /* times N of a step: its rise is complete */
#define CLEAR 4         /* deviations of a level's points: a time beyond has left it */
#define LEAST_DTLB 0.25 /* cycles: half of what one set of ways in sixteen adds, */
#define LEAST_STLB 0.05 /* and of one set in many more */
#define WIDEST 1.6      /* high over low of a gradual end: more places no size */
#define LEAP 0.7        /* of a rise from one N to the next: that is no gradual one */
#define MANY 2.5        /* times the pages that overflow a level: all of them walk */
#define HARD 1.14       /* a ratio of N: with four ways or more, half the rise is nearer */
#define PRECISE 0.15    /* half width of a cost's interval, as a share */
#define ALIKE 0.95      /* if half of them, or a few more than overflow a set, take this share */
#define LATE 0.3        /* of a page: negligible */
/* Data pages of a sample itself, its stack and the chain's start: they may take first-level
 * entries. (Tried: an Intel family 6 model 207 guest's 96 entries end at 94 in one run of forty.)
 */
#define OWN_PAGES 2
#define DENSE_LINES 64       /* in a page of 4 KB */
#define FULL_SHARE 0.7       /* of the entries: so many pages far apart were not stopped by sets */
#define MAD_DEVIATION 1.4826 /* standard deviations in a normal median absolute deviation */

bool capacity_is_case(const struct variant *variant)
{
    return strcmp(variant->pattern, CAPACITY_PATTERN) == 0;
}

/* --- curves ---------------------------------------------------------------------------------- */

/* Collects the time of one load over N; rows of a table are sorted by N. */
static void collect_chain(const struct table *table, const char *metric, int64_t bytes,
                          uint64_t attempt, struct curve *curve)
{
    curve->count = 0;
    for (TABLE_ROWS(row, table)) {
        if (row->attempt != attempt || row->bytes != bytes || row->k <= 0 || !row_is(row, metric) ||
            row->samples < CURVE_LEAST_SAMPLES || curve->count == CURVE_MAX)
            continue;
        struct interval one = curve_median_of_one(row);
        curve->x[curve->count] = (double)row->n;
        curve->y[curve->count] = one.value;
        curve->error[curve->count++] = (one.high - one.value) / NORMAL_95;
    }
}

static double median_of(double *values, size_t count)
{
    sort_doubles(values, count);
    return count % 2 ? values[count / 2] : (values[count / 2 - 1] + values[count / 2]) / 2;
}

/* Part of a curve: the deviation of its points from their median, and that median, which may be
 * below 0 in a time above the caches'. */
struct flat {
    size_t count;
    double deviation;
    struct interval median;
};

static struct flat flat_between(const struct curve *curve, double from, double to)
{
    double sorted[CURVE_MAX], own = 0;
    struct flat flat = {0};
    for (size_t i = 0; i < curve->count; i++)
        if (curve->x[i] >= from && curve->x[i] <= to) {
            sorted[flat.count++] = curve->y[i];
            own += curve->error[i];
        }
    if (flat.count == 0)
        return flat;
    double count = (double)flat.count, median = median_of(sorted, flat.count);
    for (size_t i = 0; i < flat.count; i++)
        sorted[i] = __builtin_fabs(sorted[i] - median);
    flat.deviation = MAD_DEVIATION * median_of(sorted, flat.count);
    double each = larger(flat.deviation, own / count);
    double half_width = NORMAL_95 * MEDIAN_ERROR * each / __builtin_sqrt(count);
    flat.median = (struct interval){median, median - half_width, median + half_width};
    return flat;
}

/* Returns the end of the points from `first` on, less the last ones that are all above `limit`. */
static size_t last_below(const struct curve *curve, size_t first, double limit)
{
    size_t end = curve->count;
    while (end > first && curve->y[end - 1] > limit)
        end--;
    return end;
}

/* Interpolates linearly; outside the curve its nearest value counts. */
static double value_at(const struct curve *curve, double x)
{
    size_t i = 0;
    while (i < curve->count && curve->x[i] < x)
        i++;
    if (i == 0 || i == curve->count)
        return curve->y[i == 0 ? 0 : i - 1];
    double part = (x - curve->x[i - 1]) / (curve->x[i] - curve->x[i - 1]);
    return curve->y[i - 1] + part * (curve->y[i] - curve->y[i - 1]);
}

/* --- levels ---------------------------------------------------------------------------------- */

/* Finds the first N with half of the rise that the time has at BEYOND times that N. */
static bool find_half_rise(const struct curve *extra, size_t first, struct capacity_level *level)
{
    double most = extra->x[extra->count - 1];
    for (size_t i = first; i < extra->count && BEYOND * extra->x[i] <= most; i++) {
        double rise = value_at(extra, BEYOND * extra->x[i]) - level->base;
        if (i == 0 || extra->y[i] - level->base < rise / 2)
            continue;
        double before = extra->y[i - 1] - level->base, here = extra->y[i] - level->base;
        double part = here > before ? larger((rise / 2 - before) / (here - before), 0) : 1;
        level->half = extra->x[i - 1] + part * (extra->x[i] - extra->x[i - 1]);
        level->leap = here - before;
        return true;
    }
    return false;
}

/* Finds the last N whose time has not left the level, and the next N. */
static void find_level_end(const struct curve *extra, size_t first, size_t end, double least,
                           double deviation, struct capacity_level *level)
{
    level->threshold = smaller(larger(CLEAR * deviation, least), level->rise / 3);
    level->spread = deviation;
    while (end > first) {
        double own = smaller(CLEAR * extra->error[end - 1], level->rise / 3);
        if (extra->y[end - 1] - level->base <= larger(own, level->threshold))
            break;
        end--;
    }
    level->last_low = end > 0 ? (int64_t)extra->x[end - 1] : 0;
    level->above = end > 0 ? extra->y[end - 1] - level->base : 0;
    level->first_high = end < extra->count ? (int64_t)extra->x[end] : INT64_MAX;
}

/* Sets how the time rises up to the last N, and to the next one. Dense lines tell how much the
 * core's pace changed between two N, unless a cache ends there. */
static void find_rises(const struct curve *extra, const struct curve *dense,
                       struct capacity_level *level)
{
    size_t i = 0;
    while (i + 1 < extra->count && extra->x[i] < (double)level->last_low)
        i++;
    double own = value_at(dense, extra->x[i]);
    if (i > 0)
        level->approach = extra->y[i] - extra->y[i - 1] * own / value_at(dense, extra->x[i - 1]);
    if (i + 1 < extra->count) {
        level->departure = extra->y[i + 1] - extra->y[i];
        level->next = extra->y[i + 1] * own / value_at(dense, extra->x[i + 1]) - level->base;
    }
}

/* Returns the least rise that a walk adds to a hit in the second level. */
static double least_walk(const struct capacity_level *first, double cycle)
{
    return larger(LEAST_CYCLES * cycle, first->rise / 2);
}

/* Returns the largest rise before `end` that the points allow: that from those before any N to
 * those from there on. */
static double find_hidden(const struct curve *extra, double end)
{
    double most = 0;
    for (size_t i = LEAST_SIDE; i + LEAST_SIDE <= extra->count; i++) {
        struct flat low = flat_between(extra, 0, extra->x[i - 1]);
        struct flat high = flat_between(extra, extra->x[i], end);
        if (high.count < LEAST_SIDE)
            break;
        most = larger(most, interval_subtract(high.median, low.median).high);
    }
    return most;
}

/* Finds the levels of a time to which LEAST_CYCLES are added: what a miss adds at least is then as
 * much again. A level's time is that of the points well behind the end of the one before; to
 * FAR_SIDE of its own end nothing of the next step has begun. */
static void find_levels(const struct curve *extra, double cycle, struct capacity *capacity)
{
    static const double least[CAPACITY_LEVELS] = {LEAST_DTLB, LEAST_STLB};
    struct curve raised = *extra;
    struct plateaus plateaus;
    struct flat low = {0}, high = {0};
    double from = 0;
    for (size_t i = 0; i < raised.count; i++)
        raised.y[i] = larger(raised.y[i], 0) + LEAST_CYCLES * cycle;
    plateaus_find(&raised, PLATEAUS_LEAST_RISE, &plateaus);
    for (size_t i = 0; i < CAPACITY_LEVELS && i + 1 < plateaus.count; i++) {
        struct capacity_level *level = &capacity->level[i];
        const struct plateau *p = &plateaus.at[i];
        double rise = i == 0 ? LEAST_CYCLES * cycle : least_walk(level - 1, cycle);
        low = flat_between(extra, from, FAR_SIDE * extra->x[p->last + 1]);
        if (low.count < 2)
            low = high;
        level->base = low.median.value;
        size_t end = last_below(extra, p->first, level->base + rise);
        level->found = low.count > 0 && find_half_rise(extra, end, level);
        if (!level->found)
            return;
        bool is_hard = level->half <= HARD * extra->x[last_below(extra, p->first, level->base)];
        double gradual = is_hard ? 1 : GRADUAL;
        from = LEVEL_FROM * gradual * extra->x[end];
        high = flat_between(extra, from, LEVEL_TO * gradual * extra->x[end]);
        struct interval more = interval_subtract(high.median, low.median);
        level->rise = more.value;
        level->error = interval_half_width(more);
        find_level_end(extra, p->first, p[1].last + 1, least[i] * cycle, low.deviation, level);
    }
}

static int64_t own_distance(const struct table *table)
{
    return (int64_t)page_bytes(table->variant->page);
}

void capacity_find(const struct table *table, struct capacity *capacity)
{
    struct curve chain, dense, extra;
    *capacity = (struct capacity){.largest = ROW_NONE,
                                  .attempt = curve_last_attempt(table, CAPACITY_DENSE, ROW_ANY),
                                  .cycle = curve_of_part(table, CORE_CLOCK, ROW_NONE, ROW_NONE)};
    collect_chain(table, CAPACITY_CHAIN, own_distance(table), 0, &chain);
    if (chain.count >= END_POINTS)
        capacity->hit = flat_between(&chain, 0, chain.x[END_POINTS - 1]).median.value;
    collect_chain(table, CAPACITY_CHAIN, own_distance(table), capacity->attempt, &chain);
    collect_chain(table, CAPACITY_DENSE, ROW_NONE, capacity->attempt, &dense);
    curve_less(&chain, &dense, &extra);
    double cycle = capacity->cycle.value;
    capacity->points = extra.count;
    if (extra.count > 0)
        capacity->largest = (int64_t)extra.x[extra.count - 1];
    if (extra.count <= END_POINTS || !(cycle > 0))
        return;
    find_levels(&extra, cycle, capacity);
    const struct capacity_level *first = &capacity->level[CAPACITY_DTLB];
    capacity->hidden = find_hidden(&extra, larger((double)first->last_low, FAR_SIDE * first->half));
    for (unsigned i = 0; i < CAPACITY_LEVELS; i++)
        find_rises(&extra, &dense, &capacity->level[i]);
}

bool capacity_is_hard(const struct capacity_level *level)
{
    return level->half <= HARD * (double)level->first_high;
}

/* --- looks again ----------------------------------------------------------------------------- */

/* Returns the time above the level's base in a later look; NAN: nobody looked. */
static double time_again(const struct table *table, const struct capacity *capacity,
                         const struct capacity_level *level, int64_t n)
{
    struct curve dense;
    const struct row *row = table_find_attempt(table, CAPACITY_AGAIN, n, ROW_ANY,
                                               own_distance(table), capacity->attempt);
    if (row == NULL || row->samples < CURVE_LEAST_SAMPLES)
        return __builtin_nan("");
    collect_chain(table, CAPACITY_DENSE, ROW_NONE, capacity->attempt, &dense);
    return curve_median_of_one(row).value - value_at(&dense, (double)n) - level->base;
}

/* Points around a gradual end may be on either side of it by chance. */
enum edge_later capacity_later(const struct table *table, const struct capacity *capacity,
                               unsigned number)
{
    const struct capacity_level *level = &capacity->level[number];
    double low = time_again(table, capacity, level, level->last_low);
    double high = time_again(table, capacity, level, level->first_high);
    bool is_hard = capacity_is_hard(level);
    if (__builtin_isnan(low) || __builtin_isnan(high))
        return EDGE_UNSEEN;
    return low > (is_hard ? 2 * level->threshold : level->rise / 3) ||
                   (is_hard && high < level->threshold / 2)
               ? EDGE_DISAGREES
               : EDGE_AGREES;
}

/* --- pages far apart ------------------------------------------------------------------------- */

bool capacity_find_apart(const struct table *table, const struct capacity *capacity, int64_t bytes,
                         unsigned level, int64_t *last_low, int64_t *first_high)
{
    struct curve apart;
    const struct capacity_level *first = &capacity->level[CAPACITY_DTLB];
    double limit = capacity->hit + (level == CAPACITY_DTLB
                                        ? first->rise / 4
                                        : first->rise + least_walk(first, capacity->cycle.value));
    collect_chain(table, CAPACITY_CHAIN, bytes, 0, &apart);
    size_t end = last_below(&apart, 0, limit);
    if (!first->found || end == apart.count)
        return false;
    *last_low = end > 0 ? (int64_t)apart.x[end - 1] : 0;
    *first_high = (int64_t)apart.x[end];
    return true;
}

/* The fewest pages of any distance that leave a level. */
struct fewest {
    int64_t last_low, first_high; /* 0: none did */
    unsigned distances, times;    /* how many were measured, and how many have so few */
    int64_t hidden; /* the fewest of those where the first level ends as early; 0: nowhere */
    int64_t unseen; /* at some distance nothing is known of more pages than that */
};

/* Returns the most pages that were measured at a distance. */
static int64_t most_pages(const struct table *table, int64_t bytes)
{
    int64_t most = 0;
    for (TABLE_ROWS(row, table))
        if (row->bytes == bytes && row->n > most && row_is(row, CAPACITY_CHAIN))
            most = row->n;
    return most;
}

static struct fewest find_fewest(const struct table *table, const struct capacity *capacity,
                                 unsigned level)
{
    struct fewest f = {.unseen = INT64_MAX};
    int64_t low, high, first_low, first_high, bytes = own_distance(table);
    while ((bytes = curve_next_bytes(table, CAPACITY_CHAIN, bytes)) != 0) {
        f.distances++;
        if (!capacity_find_apart(table, capacity, bytes, level, &low, &high)) {
            int64_t most = most_pages(table, bytes);
            f.unseen = most < f.unseen ? most : f.unseen;
            continue;
        }
        /* The first level hides the second where it holds these pages, or almost. */
        if (level == CAPACITY_STLB &&
            capacity_find_apart(table, capacity, bytes, CAPACITY_DTLB, &first_low, &first_high) &&
            (double)low <= HARD * (double)first_high) {
            f.hidden = f.hidden == 0 || low < f.hidden ? low : f.hidden;
            continue;
        }
        if (f.times == 0 || low < f.last_low)
            f = (struct fewest){low, high, f.distances, 0, f.hidden, f.unseen};
        f.times += low == f.last_low;
    }
    return f;
}

/* --- verdicts -------------------------------------------------------------------------------- */

enum capacity_answer {
    DTLB_ENTRIES,
    MISS_COST,
    STLB_ENTRIES,
    DTLB_WAYS,
    STLB_WAYS,
    FIRST_WALK,
    ANSWERS = FIRST_WALK + 3
};

/* The distances of pages that walk, in the order of their answers. */
static const int64_t walks[ANSWERS - FIRST_WALK] = {INT64_C(1) << 21, INT64_C(1) << 30,
                                                    INT64_C(1) << 39};

#define IS_OF(name, walk)                                                                          \
    static bool name(const struct variant *variant)                                                \
    {                                                                                              \
        return capacity_is_case(variant) && walks[walk] > (int64_t)page_bytes(variant->page);      \
    }
IS_OF(walks_2m, 0)
IS_OF(walks_1g, 1)
IS_OF(walks_512g, 2)

/* A case, and what is known of its levels. */
struct capacity_reading {
    const struct table *table;
    struct capacity capacity;
    bool is_guest;
};

/* Returns the level that an answer is of. */
static unsigned level_of(const struct verdict *v)
{
    ptrdiff_t answer = v->question - capacity_questions;
    return answer == STLB_ENTRIES || answer == STLB_WAYS ? CAPACITY_STLB : CAPACITY_DTLB;
}

/* True if there is no such level; the verdict then says why. */
static bool is_level_missing(const struct capacity *capacity, unsigned level, struct verdict *v)
{
    if (capacity->level[level].found)
        return false;
    if (!(capacity->cycle.value > 0))
        answer_skip(v, REASON_NOT_MEASURED, "the time of an addition, which is a core cycle");
    else if (capacity->points <= END_POINTS)
        answer_skip(v, REASON_TOO_FEW_POINTS, "a dozen values of N");
    else
        answer_skip(v, REASON_NO_EDGE, "no lasting %s one up to N = %ld",
                    level == CAPACITY_DTLB ? "first" : "second", (long)capacity->largest);
    return true;
}

/* Returns how many pages the rise needs to exceed the threshold: by so many it may show late. */
static double lateness(const struct capacity_level *level)
{
    double pages = level->half - (double)level->last_low + 1;
    double late = level->rise > 0 ? 2 * pages * level->threshold / level->rise : 0;
    return late < LATE ? 0 : (double)((int64_t)late + 1);
}

/* True if the last N has the level's time, not a page more's, which may be below the threshold; nor
 * above the N before by as much, since a base that was measured earlier drifts. */
static bool fits_exactly(const struct capacity_level *level)
{
    double slope = smaller(level->rise / 2 / (level->half - (double)level->last_low + 1),
                           level->departure / (double)(level->first_high - level->last_low));
    return level->above < slope / 2 && level->approach < slope / 2 && level->spread < slope / CLEAR;
}

/* Doubts that no smaller level ends before the first one found. */
static enum reason doubt_of_first(const struct capacity *capacity)
{
    return capacity->hidden < LEAST_MISS * capacity->cycle.value ? REASON_NONE
                                                                 : REASON_LEVEL_HIDDEN;
}

/* Doubts the end of a level that the points place, whatever later looks say. */
static enum reason doubt_of_end(const struct capacity_reading *r, unsigned number,
                                struct interval entries)
{
    const struct capacity_level *level = &r->capacity.level[number];
    enum reason doubt = doubt_of_first(&r->capacity);
    if (doubt != REASON_NONE)
        return doubt;
    if (capacity_is_hard(level))
        return fits_exactly(level) ? REASON_NONE : REASON_SMALL_RISE;
    /* No processor's first level is known to end so; one that ends soon after another does. */
    if (!capacity_is_hard(&r->capacity.level[CAPACITY_DTLB]))
        return REASON_GRADUAL_EDGE;
    if (r->is_guest)
        return REASON_GUEST;             /* its page tables may take entries of the TLB */
    if (level->next <= level->threshold) /* the core was faster at the next N */
        return REASON_EDGE_NOT_PLACED;
    bool is_other = level->leap > LEAP * level->rise; /* another level's end, near this one's */
    return entries.high < WIDEST * entries.low && !is_other ? REASON_NONE : REASON_GRADUAL_EDGE;
}

/* Doubts it by the later looks. */
static enum reason doubt_of_looks(const struct capacity_reading *r, unsigned number)
{
    const struct capacity_level *level = &r->capacity.level[number];
    enum edge_later later = capacity_later(r->table, &r->capacity, number);
    if (later == EDGE_DISAGREES)
        return REASON_EDGE_NOT_CONFIRMED;
    return later == EDGE_UNSEEN ||
                   (capacity_is_hard(level) && level->first_high - level->last_low > 1)
               ? REASON_EDGE_NOT_PLACED
               : REASON_NONE;
}

static void judge_entries(const void *reading, struct verdict *v)
{
    const struct capacity_reading *r = reading;
    unsigned number = level_of(v);
    const struct capacity *capacity = &r->capacity;
    const struct capacity_level *level = &capacity->level[number];
    if (is_level_missing(capacity, number, v))
        return;
    double last = (double)level->last_low, low = last - lateness(level);
    bool is_hard = capacity_is_hard(level);
    struct interval hard = {last, low, (double)level->first_high - 1};
    struct interval soft = {level->half, low, 2 * level->half - low};
    struct interval entries = is_hard ? hard : soft;
    /* Beyond as many lines, the dense ones miss the first level too if the host's pages are small.
     */
    if (level->last_low <= capacity->level[CAPACITY_DTLB].last_low * DENSE_LINES)
        v->needs &= ~(unsigned)NEEDS_HOST_PAGES;
    enum reason doubt = doubt_of_end(r, number, entries) ?: doubt_of_looks(r, number);
    entries.high += number == CAPACITY_DTLB && is_hard ? OWN_PAGES : 0;
    answer(v, entries, doubt,
           "%s of %.1f cycles behind N = %ld; half of that rise is reached at N = %.0f; misses "
           "of a smaller level cost %.2f cycles at most",
           is_hard ? "a rise" : "a gradual rise", level->rise / capacity->cycle.value,
           (long)level->last_low, level->half, capacity->hidden / capacity->cycle.value);
}

static enum reason doubt_of_cost(const struct capacity *capacity, struct interval cost)
{
    if (cost.high - cost.value > PRECISE * cost.value)
        return REASON_SCATTER;
    enum reason doubt = doubt_of_first(capacity);
    if (doubt != REASON_NONE)
        return doubt;
    const struct capacity_level *first = &capacity->level[CAPACITY_DTLB];
    const struct capacity_level *second = &capacity->level[CAPACITY_STLB];
    if (!capacity_is_hard(first))
        return REASON_GRADUAL_EDGE;
    if (!second->found)
        return REASON_PAGE_WALKS;
    /* As where a hash selects the sets: pages leave the first level by and by. */
    double again = second->base - first->base - first->rise;
    return again > PRECISE * first->rise ? REASON_STILL_HITS : REASON_NONE;
}

static void judge_miss_cost(const void *reading, struct verdict *v)
{
    const struct capacity_reading *r = reading;
    const struct capacity *capacity = &r->capacity;
    const struct capacity_level *level = &capacity->level[CAPACITY_DTLB];
    if (is_level_missing(capacity, CAPACITY_DTLB, v))
        return;
    struct interval rise = interval_around(level->rise, level->error);
    struct interval cost = drift_widen(interval_divide(rise, capacity->cycle), r->table);
    double step = (double)level->first_high;
    answer(v, cost, doubt_of_cost(capacity, cost),
           "the time at N from %.0f to %.0f minus that below the step, without cache misses",
           LEVEL_FROM * step, LEVEL_TO * step);
}

/* Without strict sets, pages beyond a level's end may hit it: no number is sure to leave it. */
static enum reason doubt_of_order(const struct capacity *capacity, unsigned level)
{
    for (unsigned i = 0; i <= level; i++)
        if (capacity->level[i].found && !capacity_is_hard(&capacity->level[i]))
            return REASON_GRADUAL_EDGE;
    return REASON_NONE;
}

/* Doubts the fewest pages that leave a level of so many entries. */
static enum reason doubt_of_ways(const struct capacity_reading *r, unsigned number,
                                 const struct fewest *f)
{
    enum reason doubt = doubt_of_first(&r->capacity) ?: doubt_of_order(&r->capacity, number);
    if (doubt != REASON_NONE)
        return doubt;
    if (f->last_low > 0 && r->capacity.level[number].last_low % f->last_low != 0)
        return REASON_CONTRADICTS; /* so many do not divide the entries */
    if (f->unseen < f->last_low)
        return REASON_RANGE_ENDS;
    if (f->times < 2)
        return REASON_TOO_FEW_POINTS;
    return f->first_high - f->last_low > 1 ? REASON_EDGE_NOT_PLACED : REASON_NONE;
}

static void judge_ways(const void *reading, struct verdict *v)
{
    const struct capacity_reading *r = reading;
    unsigned number = level_of(v);
    const struct capacity_level *level = &r->capacity.level[number];
    if (is_level_missing(&r->capacity, number, v))
        return;
    struct fewest f = find_fewest(r->table, &r->capacity, number);
    double entries = capacity_is_hard(level) ? (double)level->last_low : level->half;
    double last = (double)f.last_low;
    if (f.distances == 0)
        answer_skip(v, REASON_UNAVAILABLE, "no pages far apart could be mapped");
    else if (f.hidden > 0 && (f.times == 0 || f.hidden < f.last_low))
        answer_open(v, REASON_HIDDEN, "%ld or fewer of one set", (long)f.hidden);
    else if (f.times == 0 || last > FULL_SHARE * entries)
        answer_open(v, REASON_NO_SETS, "no step comes earlier at any of %u page distances",
                    f.distances);
    else
        answer(v, (struct interval){last, last, (double)f.first_high - 1},
               doubt_of_ways(r, number, &f),
               "the fewest pages before a step, at %u of %u page distances", f.times, f.distances);
}

/* Returns least, median and most of the last points' times above a hit in the first level. */
static struct interval last_times(const struct curve *apart, double hit)
{
    double own[END_POINTS], error = 0;
    for (unsigned i = 0; i < END_POINTS; i++) {
        size_t at = apart->count - END_POINTS + i;
        own[i] = apart->y[at] - hit;
        error = apart->error[at] > error ? apart->error[at] : error;
    }
    sort_doubles(own, END_POINTS);
    return (struct interval){own[END_POINTS / 2], own[0] - NORMAL_95 * error,
                             own[END_POINTS - 1] + NORMAL_95 * error};
}

/* Returns why these pages were not measured: their row without samples has the reason as unit. */
static const char *why_missing(const struct table *table, int64_t bytes)
{
    for (TABLE_ROWS(row, table))
        if (row->bytes == bytes && row->samples == 0 && strcmp(row->metric, CAPACITY_CHAIN) == 0)
            return row->unit;
    return "pages so far apart were not measured";
}

/* True if the time falls again from this N on: so many pages walk, and ever more hit beside them.
 */
static bool falls(const struct curve *apart, double from)
{
    double most = 0, error = 0;
    for (size_t i = 0; i < apart->count; i++) {
        if (apart->x[i] < from)
            continue;
        if (apart->y[i] < most - CLEAR * larger(error, apart->error[i]))
            return true;
        if (apart->y[i] > most) {
            most = apart->y[i];
            error = apart->error[i];
        }
    }
    return false;
}

/* Returns why some of the last pages may still hit the second level, or NULL: where a hash spreads
 * pages over all sets, more and more of them walk, up to twice the level's entries and beyond. A
 * cache of page-table entries that ends near the level makes a second step, and no further rise. */
static enum reason doubt_of_hits(const struct table *table, const struct capacity *capacity,
                                 int64_t bytes, const struct curve *apart, struct interval cost)
{
    int64_t last_low, first_high;
    bool has_second = capacity->level[CAPACITY_STLB].found;
    if (!capacity_find_apart(table, capacity, bytes, has_second ? CAPACITY_STLB : CAPACITY_DTLB,
                             &last_low, &first_high))
        return REASON_NONE;
    double soon = value_at(apart, HARD * (double)first_high) - capacity->hit;
    bool is_sharp = soon >= ALIKE * cost.value && !falls(apart, (double)first_high);
    bool are_many = has_second && apart->x[apart->count - END_POINTS] >= MANY * (double)first_high;
    double half = apart->x[apart->count - 1] / 2;
    bool is_flat =
        half > (double)first_high && value_at(apart, half) - capacity->hit >= ALIKE * cost.value;
    return is_sharp || are_many || is_flat ? REASON_NONE : REASON_STILL_HITS;
}

static void judge_walk_cost(const void *reading, struct verdict *v)
{
    struct curve apart;
    const struct capacity_reading *r = reading;
    const struct capacity *capacity = &r->capacity;
    const struct capacity_level *first = &capacity->level[CAPACITY_DTLB];
    int64_t distance = walks[v->question - capacity_questions - FIRST_WALK];
    if (is_level_missing(capacity, CAPACITY_DTLB, v))
        return;
    collect_chain(r->table, CAPACITY_CHAIN, distance, 0, &apart);
    if (apart.count < END_POINTS) {
        answer_skip(v, REASON_UNAVAILABLE, "%s", why_missing(r->table, distance));
        return;
    }
    struct interval cost = last_times(&apart, capacity->hit);
    double fewest = apart.x[apart.count - END_POINTS], most = apart.x[apart.count - 1];
    if (fewest <= (double)first->last_low ||
        cost.value < first->rise + LEAST_CYCLES * capacity->cycle.value) {
        answer_skip(v, REASON_NO_WALK, "%.0f pages", fewest);
        return;
    }
    enum reason doubt = doubt_of_order(capacity, CAPACITY_STLB)
                            ?: doubt_of_hits(r->table, capacity, distance, &apart, cost);
    cost = drift_widen(interval_divide(cost, capacity->cycle), r->table);
    bool is_wide = cost.high - cost.low > 2 * PRECISE * cost.value;
    answer(v, cost,
           doubt
               ?: is_wide ? REASON_SCATTER
                          : REASON_NONE,
           "the time per load with %.0f to %.0f pages, minus a hit in the first level", fewest,
           most);
}

const struct question capacity_questions[ANSWERS + 1] = {
    [DTLB_ENTRIES] = QUESTION(
        "dtlb_entries", "entries", capacity_is_case, NEEDS_WHOLE_CORE | NEEDS_WHOLE_PAGES,
        judge_entries,
        MEANS(
            "pages in the first-level data TLB: the last N before the first step; up to two more, "
            "of the sample itself"),
        .at = {HEADLINE_TLB, 0}),
    [MISS_COST] =
        QUESTION("dtlb_miss_cost", "cycles", capacity_is_case, NEEDS_WHOLE_PAGES, judge_miss_cost,
                 MEANS("core cycles that a load takes longer beyond that step: a hit in the second "
                       "level")),
    [STLB_ENTRIES] =
        QUESTION("stlb_entries", "entries", capacity_is_case,
                 NEEDS_WHOLE_CORE | NEEDS_WHOLE_PAGES | NEEDS_HOST_PAGES, judge_entries,
                 MEANS("the last N before the second step; for a gradual edge (hashed sets, "
                       "shared entries), the N at half of the rise"),
                 .at = {HEADLINE_TLB, 1}),
    [DTLB_WAYS] = QUESTION(
        "dtlb_ways", "ways", capacity_is_case, NEEDS_WHOLE_CORE | NEEDS_WHOLE_PAGES, judge_ways,
        MEANS("the fewest pages, 16 KB to 512 GB apart, that show the same step, as all "
              "share a set; `ok` if two distances agree")),
    [STLB_WAYS] = QUESTION("stlb_ways", "ways", capacity_is_case,
                           NEEDS_WHOLE_CORE | NEEDS_WHOLE_PAGES, judge_ways, NULL),
    [FIRST_WALK] =
        QUESTION("walk_cost_2m_stride", "cycles", walks_2m, NEEDS_WHOLE_PAGES, judge_walk_cost,
                 MEANS("core cycles that a load takes longer than a first-level hit with 112 to "
                       "128 pages that far apart: walks that share no page-table entry one, two "
                       "or three levels up")),
    QUESTION("walk_cost_1g_stride", "cycles", walks_1g, NEEDS_WHOLE_PAGES, judge_walk_cost, NULL),
    QUESTION("walk_cost_512g_stride", "cycles", walks_512g, NEEDS_WHOLE_PAGES, judge_walk_cost,
             NULL),
    {.name = NULL},
};

void capacity_judge(const struct evidence *e)
{
    struct capacity_reading r = {.table = e->table, .is_guest = e->facts->is_guest};
    if (!capacity_is_case(e->table->variant))
        return;
    capacity_find(r.table, &r.capacity);
    answer_all(e, capacity_questions, &r);
}

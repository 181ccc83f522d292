/* cache_levels: names the plateaus of one chain's latency over size, or says why it cannot. */
#include "cache_levels.h"

#include "../../analysis/plateaus.h"
#include "../../lib/string.h"
#include "../answer.h"

#define CACHES 3
#define LEVELS (CACHES + 1)    /* and memory */
#define CLOSE 1.26             /* neighbouring sizes: a quarter, and rounding */
#define LARGEST_FIRST 8192     /* bytes; no first-level cache is smaller */
#define LEAST_LAST 3.0         /* largest size over the last plateau's first */
#define LARGEST_FIRST_RISE 8.0 /* from the first level to the second; more hides a level */
#define SAME_CAPACITY 1.3      /* a step, with other pages */
#define SAME_LATENCY 1.3       /* with other pages, which may cost some TLB misses */
#define SAME_LEVEL 2.5         /* another level's capacity is farther off than that */
#define SAME_MEMORY 16.0       /* where memory begins: a soft edge, but no other cache's */
/*
 * Shares of the way from a level's time to the next level's. A size still fits below HARDLY. It
 * does not above MOSTLY, even if lines are replaced at random, unless the fastest tenth of the
 * samples is below AT_BEST: then others made the rest slow.
 */
#define HARDLY 0.25
#define MOSTLY 0.6
#define AT_BEST 0.5
#define WIDEST 2.0 /* high over low; a softer edge places no capacity */

const char *const cache_level_verdicts[] = {
    "l1_bytes",   "l2_bytes",   "l3_bytes",       "l1_latency",
    "l2_latency", "l3_latency", "memory_latency", NULL,
};

/* One case, and what was found of its levels. */
struct cache_levels {
    const struct variant *variant;
    int64_t missing; /* the smallest size without memory; 0: there is none */
    bool on_hypervisor;
    struct curve curve;     /* ticks of a load over bytes, */
    double fast[CURVE_MAX]; /* and of the fastest tenth of its samples */
    struct plateaus plateaus;
    const struct cache_levels *larger_pages; /* the case to agree with; NULL: this one's are the
                                                largest */
    bool first_differs;                      /* another page size shows another first level */
    bool third_agrees;                       /* another page size shows the same third level */
};

/* --- latencies ------------------------------------------------------------------------------- */

/* The rows of each size with the fewest and with the most loads, by rising size. */
struct size_list {
    size_t count;
    struct size_rows {
        int64_t bytes;
        const struct row *shortest, *longest;
    } at[CURVE_MAX];
};

static void add_row_of_size(struct size_list *sizes, const struct row *row)
{
    size_t low = 0, high = sizes->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (sizes->at[middle].bytes < row->bytes)
            low = middle + 1;
        else
            high = middle;
    }
    struct size_rows *size = &sizes->at[low];
    if (low == sizes->count || size->bytes != row->bytes) {
        if (sizes->count == CURVE_MAX)
            return;
        memmove(size + 1, size, (sizes->count++ - low) * sizeof *size);
        *size = (struct size_rows){row->bytes, row, row};
    }
    if (row->k < size->shortest->k)
        size->shortest = row;
    if (row->k > size->longest->k)
        size->longest = row;
}

/* Collects (T(longest) - T(shortest)) / (loads between) of each size: timer and start-up cancel. */
static void collect_latencies(const struct table *table, struct cache_levels *c)
{
    struct size_list sizes;
    struct curve *curve = &c->curve;
    sizes.count = curve->count = 0;
    for (TABLE_ROWS(row, table))
        if (row->n == 1 && row->bytes > 0 && curve_has(row))
            add_row_of_size(&sizes, row);
    for (const struct size_rows *size = sizes.at; size < sizes.at + sizes.count; size++) {
        const struct row *longest = size->longest, *shortest = size->shortest;
        double loads = (double)(longest->k - shortest->k);
        struct interval ticks = interval_subtract(curve_median(longest), curve_median(shortest));
        if (loads == 0 || ticks.value != ticks.value) /* NAN */
            continue;
        c->fast[curve->count] = (longest->p10 - shortest->p10) / loads;
        curve->x[curve->count] = (double)size->bytes;
        curve->error[curve->count] = interval_half_width(ticks) / NORMAL_95 / loads;
        curve->y[curve->count++] = ticks.value / loads;
    }
}

/* Returns the smallest size with a row without samples, which could not be measured; 0: none. */
static int64_t smallest_missing(const struct table *table)
{
    int64_t smallest = 0;
    for (TABLE_ROWS(row, table))
        if (row->samples == 0 && row->bytes > 0 && (smallest == 0 || row->bytes < smallest))
            smallest = row->bytes;
    return smallest;
}

static void find_cache_levels(const struct table *table, struct cache_levels *c)
{
    c->variant = table->variant;
    c->missing = smallest_missing(table);
    c->on_hypervisor = table_find(table, CACHE_LEVELS_HYPERVISOR) != NULL;
    c->larger_pages = NULL;
    c->first_differs = c->third_agrees = false;
    collect_latencies(table, c);
    plateaus_find(&c->curve, &c->plateaus);
}

/* --- edges ----------------------------------------------------------------------------------- */

static size_t edges_of(const struct cache_levels *c)
{
    return c->plateaus.count > 0 ? c->plateaus.count - 1 : 0;
}

static double last_size(const struct cache_levels *c, size_t level)
{
    return c->curve.x[c->plateaus.at[level].last];
}

static double largest_size(const struct cache_levels *c)
{
    return c->curve.x[c->curve.count - 1];
}

/* The edge behind a level: its last point, and the first that has left it with all larger ones. */
struct plateau_edge {
    size_t low, high;
};

static struct plateau_edge edge_of(const struct cache_levels *c, size_t level)
{
    const struct plateau *p = &c->plateaus.at[level], *next = p + 1;
    struct plateau_edge edge = {p->last, next->last};
    while (edge.low > p->first &&
           plateaus_way(c->curve.y[edge.low], p->level, next->level) > HARDLY)
        edge.low--;
    while (edge.high > next->first &&
           plateaus_way(c->curve.y[edge.high - 1], p->level, next->level) >= MOSTLY &&
           plateaus_way(c->fast[edge.high - 1], p->level, next->level) >= AT_BEST)
        edge.high--;
    return edge;
}

/* Returns a capacity: the last size of a plateau, between the ends of its edge. */
static struct interval capacity_of(const struct cache_levels *c, size_t level)
{
    struct plateau_edge edge = edge_of(c, level);
    return (struct interval){last_size(c, level), c->curve.x[edge.low], c->curve.x[edge.high]};
}

static bool ends_soon(const struct cache_levels *c)
{
    const struct plateau *last = &c->plateaus.at[c->plateaus.count - 1];
    return largest_size(c) < c->curve.x[last->first] * LEAST_LAST;
}

static bool is_within(double a, double b, double factor)
{
    return a <= b * factor && b <= a * factor;
}

/* --- doubts: each returns NULL if there is none ---------------------------------------------- */

/* Doubts a plateau's end that larger pages do not show, to the factor `same`. */
static const char *doubt_of_pages(const struct cache_levels *c, size_t level, double same)
{
    const struct cache_levels *other = c->larger_pages;
    bool is_small = c->variant->has_page && c->variant->page == PAGE_4K;
    if (other == NULL)
        return level > 0 && is_small ? "4 KB pages alone: may be the reach of the TLB; "
                                       "measure larger ones too"
                                     : NULL;
    if (level >= edges_of(other))
        return "not seen with larger pages: may be the reach of the TLB";
    return is_within(last_size(c, level), last_size(other, level), same)
               ? NULL
               : "elsewhere with larger pages: may be the reach of the TLB";
}

/* Doubts the number of every level. */
static const char *doubt_of_all(const struct cache_levels *c)
{
    if (c->curve.x[0] > LARGEST_FIRST)
        return "the sizes start too high: the first plateau need not be the first level";
    if (edges_of(c) == 0)
        return "time does not rise in steps with size: no level can be told from another";
    return NULL;
}

static const char too_many[] = "more plateaus than levels: one of them may be the reach of the TLB";

/* Doubts that this plateau is the level of the same number. */
static const char *doubt_of_name(const struct cache_levels *c, size_t level)
{
    const struct plateau *p = c->plateaus.at;
    const char *doubt = doubt_of_all(c);
    for (size_t i = 0; doubt == NULL && i <= level && i < c->plateaus.count; i++) {
        if (p[i].uneven)
            doubt = "this plateau or one before is uneven: levels cannot be told apart";
        else if (i < edges_of(c))
            doubt = doubt_of_pages(c, i, SAME_LEVEL);
    }
    if (doubt != NULL || level == 0)
        return doubt;
    if (edges_of(c) > CACHES)
        return too_many;
    if (p[1].level > p[0].level * LARGEST_FIRST_RISE)
        return "time rises so much at the first edge that a level may hide in it";
    return NULL;
}

/* Doubts that the last of four plateaus is memory. An L3 that neighbours use hardly has a plateau,
 * but what comes behind it is memory all the same. */
static const char *doubt_of_memory(const struct cache_levels *c)
{
    const char *doubt = doubt_of_all(c);
    if (doubt != NULL || c->plateaus.count <= CACHES)
        return doubt;
    if (c->plateaus.at[CACHES].uneven)
        return "its plateau is uneven";
    if (edges_of(c) > CACHES)
        return too_many;
    return doubt_of_pages(c, CACHES - 1, SAME_MEMORY);
}

/* Doubts the place of a plateau's end. */
static const char *doubt_of_edge(const struct cache_levels *c, size_t level)
{
    struct interval bytes = capacity_of(c, level);
    if (level + 1 == edges_of(c) && ends_soon(c))
        return "the sizes end too soon behind the edge";
    if (c->curve.x[c->plateaus.at[level].last + 1] > bytes.value * CLOSE)
        return "the sizes around the edge are too far apart";
    if (bytes.high > bytes.low * WIDEST)
        return "the edge is too soft to place";
    if (level == 0 && c->first_differs)
        return "elsewhere with other pages, on which a first level does not depend";
    return doubt_of_pages(c, level, SAME_CAPACITY);
}

/* On a hypervisor a page may be many of the host's, and neighbours use the last cache: only what
 * two page sizes show alike is hardly made by either. */
static const char *doubt_of_hypervisor(const struct cache_levels *c, size_t level)
{
    bool is_third = level + 1 == CACHES;
    return is_third && c->on_hypervisor && !c->third_agrees
               ? "on a hypervisor, and no other page size shows the same: frames and neighbours "
                 "are unknown"
               : NULL;
}

/* --- verdicts -------------------------------------------------------------------------------- */

/* True if a level has no name or is not among so many; the verdict then says why. */
static bool is_level_unknown(const struct cache_levels *c, size_t level, size_t levels,
                             struct verdict *v)
{
    char largest[SIZE_TEXT_MAX], missing[SIZE_TEXT_MAX];
    bool lacks_memory = c->missing > 0;
    const char *doubt = level < CACHES ? doubt_of_name(c, level) : doubt_of_memory(c);
    if (doubt != NULL)
        verdict_conclude(v, VERDICT_DOUBT, "%s", doubt);
    else if (level >= levels)
        verdict_conclude(
            v, VERDICT_DOUBT, "%lu plateaus up to %s: which levels the last are is open%s%s%s",
            (unsigned long)c->plateaus.count, size_text(largest, (uint64_t)largest_size(c)),
            lacks_memory ? "; no memory for " : "",
            lacks_memory ? size_text(missing, (uint64_t)c->missing) : "",
            lacks_memory ? " and more" : "");
    return doubt != NULL || level >= levels;
}

static void judge_bytes(const struct cache_levels *c, size_t level, struct verdict *v)
{
    const struct plateau *p = &c->plateaus.at[level];
    if (!is_level_unknown(c, level, edges_of(c), v))
        answer(v, capacity_of(c, level), doubt_of_edge(c, level) ?: doubt_of_hypervisor(c, level),
               "last size of a plateau at %.1f ticks; the next is at %.1f%s", p->level, p[1].level,
               level + 1 == CACHES ? "; where shared, what others left of it" : "");
}

static void judge_latency(const struct cache_levels *c, size_t level, struct verdict *v)
{
    char from[SIZE_TEXT_MAX], to[SIZE_TEXT_MAX];
    if (is_level_unknown(c, level, level < CACHES ? edges_of(c) : c->plateaus.count, v))
        return;
    const struct plateau *p = &c->plateaus.at[level];
    bool is_short = level == edges_of(c) && ends_soon(c);
    answer(v, (struct interval){p->level, p->low, p->high}, doubt_of_hypervisor(c, level),
           "median and spread of one chain in %lu sizes, %s to %s%s%s",
           (unsigned long)(p->last - p->core + 1), size_text(from, (uint64_t)c->curve.x[p->core]),
           size_text(to, (uint64_t)c->curve.x[p->last]), is_short ? "; the sizes end too soon" : "",
           level == CACHES && c->missing > 0 ? "; no memory for more" : "");
    if (is_short)
        v->status = VERDICT_DOUBT;
}

/* Adds the first `count` of the verdicts. */
static void judge_cache_levels(const struct cache_levels *c, size_t count,
                               struct verdict_list *verdicts)
{
    for (size_t i = 0; i < count; i++) {
        struct verdict *v = verdict_add(verdicts, c->variant, cache_level_verdicts[i],
                                        i < CACHES ? "bytes" : "ticks");
        if (c->curve.count < 2)
            answer_skip(v, "needs N = 1 in two sizes or more");
        else if (i < CACHES)
            judge_bytes(c, i, v);
        else
            judge_latency(c, i - CACHES, v);
    }
}

/* --- pages of other sizes -------------------------------------------------------------------- */

/* Returns the case with the largest pages that is otherwise the same; NULL: this one has them. */
static const struct table *largest_pages(const struct tables *tables, const struct table *table)
{
    struct variant other = *table->variant;
    for (other.page = PAGE_SIZES - 1; other.has_page && other.page > table->variant->page;
         other.page--) {
        const struct table *found = tables_find(tables, &other);
        if (found != NULL)
            return found;
    }
    return NULL;
}

static bool differ_in_first(const struct cache_levels *a, const struct cache_levels *b)
{
    if (edges_of(a) == 0 || edges_of(b) == 0)
        return false;
    struct interval first_a = capacity_of(a, 0), first_b = capacity_of(b, 0);
    return first_a.low > first_b.high || first_b.low > first_a.high;
}

static bool knows_third(const struct cache_levels *c)
{
    return edges_of(c) >= CACHES && doubt_of_name(c, CACHES - 1) == NULL &&
           doubt_of_edge(c, CACHES - 1) == NULL;
}

static bool agree_in_third(const struct cache_levels *a, const struct cache_levels *b)
{
    const size_t third = CACHES - 1;
    return knows_third(a) && knows_third(b) &&
           is_within(last_size(a, third), last_size(b, third), SAME_CAPACITY) &&
           is_within(a->plateaus.at[third].level, b->plateaus.at[third].level, SAME_LATENCY);
}

/* Compares with each case that has other pages and is otherwise the same. */
static void compare_pages(const struct tables *tables, struct cache_levels *c)
{
    struct cache_levels found;
    struct variant other = *c->variant;
    const struct cache_levels *most = c->larger_pages != NULL ? c->larger_pages : c;
    for (unsigned page = 0; other.has_page && page < PAGE_SIZES; page++) {
        other.page = page;
        const struct table *table = page == c->variant->page ? NULL : tables_find(tables, &other);
        if (table == NULL)
            continue;
        find_cache_levels(table, &found);
        found.larger_pages = page == most->variant->page ? NULL : most;
        c->first_differs |= differ_in_first(c, &found);
        c->third_agrees |= agree_in_third(c, &found);
    }
}

void cache_levels_judge(const struct tables *tables, struct verdict_list *verdicts)
{
    struct cache_levels own, of_larger;
    for (const struct table *t = tables->at; t < tables->at + tables->count; t++) {
        const struct table *larger = largest_pages(tables, t);
        find_cache_levels(t, &own);
        if (larger != NULL) {
            find_cache_levels(larger, &of_larger);
            own.larger_pages = &of_larger;
        }
        compare_pages(tables, &own);
        judge_cache_levels(&own, CACHES + LEVELS, verdicts);
    }
}

void cache_levels_judge_alone(const struct table *table, struct verdict_list *verdicts)
{
    struct cache_levels own;
    find_cache_levels(table, &own);
    judge_cache_levels(&own, CACHES - 1, verdicts);
}

/* --- refinement ------------------------------------------------------------------------------ */

/* Finds neighbouring sizes of an edge that are farther apart than they should be. */
static bool find_size_gap(const double *x, struct plateau_edge edge, struct cache_level_gap *gap)
{
    for (size_t i = edge.low; i < edge.high; i++)
        if (x[i + 1] > x[i] * CLOSE) {
            *gap = (struct cache_level_gap){(uint64_t)x[i], (uint64_t)x[i + 1]};
            return true;
        }
    return false;
}

bool cache_levels_next_gap(const struct table *table, struct cache_level_gap *gap)
{
    struct cache_levels own;
    find_cache_levels(table, &own);
    for (size_t i = 0; i < edges_of(&own); i++)
        if (find_size_gap(own.curve.x, edge_of(&own, i), gap))
            return true;
    return false;
}

uint64_t cache_levels_end_at(const struct table *table)
{
    struct cache_levels own;
    find_cache_levels(table, &own);
    return own.missing == 0 && edges_of(&own) > 0 && ends_soon(&own) ? (uint64_t)largest_size(&own)
                                                                     : 0;
}

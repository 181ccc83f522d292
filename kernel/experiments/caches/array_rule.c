/* array_rule: names the plateaus of the curve of one chain, or says why they cannot be named. */
#include "array_rule.h"

#include "../../analysis/plateaus.h"
#include "../../lib/string.h"
#include "../experiment.h"

#define CACHES 3
#define LEVELS (CACHES + 1)    /* and memory */
#define CLOSE 1.26             /* neighbouring sizes: a quarter, and rounding */
#define LARGEST_FIRST 8192     /* bytes; no first-level cache is smaller */
#define LEAST_LAST 3.0         /* largest size over the last plateau's first */
#define LARGEST_FIRST_RISE 8.0 /* from the first level to the second; more hides a level */
#define SAME_CAPACITY 1.3      /* a step, with other pages */
#define SAME_LATENCY 1.3       /* with other pages, which may cost some misses of the TLB */
#define SAME_LEVEL 2.5         /* another level's capacity is farther off than that */
#define SAME_MEMORY 16.0       /* where memory begins: a soft edge, but no other cache's */
/*
 * How far time is on its way from a level to the next: hardly, so that the size still fits; for the
 * most part, so that it does not, even if lines are replaced at random; and, of the fastest tenth
 * of the samples, so far that it is not others who made the rest slow.
 */
#define HARDLY 0.25
#define MOSTLY 0.6
#define AT_BEST 0.5
#define WIDEST 2.0 /* high over low; a softer edge places no capacity */

static const char *const verdict_names[] = {
    "l1_bytes",   "l2_bytes",   "l3_bytes",       "l1_latency",
    "l2_latency", "l3_latency", "memory_latency", NULL,
};

/* The rows of one size with the fewest and with the most accesses. */
struct pair {
    int64_t bytes;
    const struct row *shortest, *longest;
};

/* The sizes of one chain, in rising order. */
struct sizes {
    size_t count;
    struct pair at[CURVE_MAX];
};

/* Ticks of a load over the bytes of the array, and of the fastest tenth of the samples. */
struct latencies {
    struct curve curve;
    double fast[CURVE_MAX];
};

/* Too large for a firmware's stack. */
static struct sizes sizes;
static struct plateaus_workspace workspace;
static struct latencies own_latencies, larger_latencies, other_latencies;

/* Where a size belongs, by halves. */
static size_t place_of(int64_t bytes)
{
    size_t low = 0, high = sizes.count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (sizes.at[middle].bytes < bytes)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static void insert_pair(size_t at, const struct row *row)
{
    if (sizes.count == CURVE_MAX)
        return;
    memmove(&sizes.at[at + 1], &sizes.at[at], (sizes.count++ - at) * sizeof *sizes.at);
    sizes.at[at] = (struct pair){row->bytes, row, row};
}

static int64_t accesses_of(const struct row *row)
{
    return row->n * row->k;
}

static void add_to_pair(struct pair *pair, const struct row *row)
{
    if (accesses_of(row) < accesses_of(pair->shortest))
        pair->shortest = row;
    if (accesses_of(row) > accesses_of(pair->longest))
        pair->longest = row;
}

static void find_sizes(const struct table *table)
{
    sizes.count = 0;
    for (const struct row *row = table->rows; row < table->rows + table->count; row++) {
        if (row->bytes <= 0 || row->n != 1 || !curve_has(row))
            continue;
        size_t at = place_of(row->bytes);
        if (at < sizes.count && sizes.at[at].bytes == row->bytes)
            add_to_pair(&sizes.at[at], row);
        else
            insert_pair(at, row);
    }
}

static double accesses_between(const struct pair *pair)
{
    return (double)(accesses_of(pair->longest) - accesses_of(pair->shortest));
}

/*
 * Ticks of an access in one size: (T(longest) - T(shortest)) / (accesses between them). Timer and
 * start-up are in both and cancel. NAN where there are no two numbers of accesses.
 */
static double latency_of(const struct pair *pair)
{
    double between = accesses_between(pair);
    if (between == 0)
        return __builtin_nan("");
    return (curve_median(pair->longest).value - curve_median(pair->shortest).value) / between;
}

/* Its standard error. */
static double error_of(const struct pair *pair)
{
    struct interval a = curve_median(pair->shortest), b = curve_median(pair->longest);
    double reach_a = (a.high - a.low) / 2, reach_b = (b.high - b.low) / 2;
    return __builtin_sqrt(reach_a * reach_a + reach_b * reach_b) / NORMAL_95 /
           accesses_between(pair);
}

static void find_latencies(const struct table *table, struct latencies *found)
{
    struct curve *curve = &found->curve;
    curve->count = 0;
    find_sizes(table);
    for (size_t i = 0; i < sizes.count; i++) {
        const struct pair *pair = &sizes.at[i];
        double ticks = latency_of(pair);
        if (ticks != ticks) /* NAN */
            continue;
        found->fast[curve->count] =
            (pair->longest->p10 - pair->shortest->p10) / accesses_between(pair);
        curve->x[curve->count] = (double)pair->bytes;
        curve->error[curve->count] = error_of(pair);
        curve->y[curve->count++] = ticks;
    }
}

/* The smallest size that could not be measured, having a row without samples; 0: all could. */
static int64_t smallest_missing(const struct table *table)
{
    int64_t smallest = 0;
    for (const struct row *row = table->rows; row < table->rows + table->count; row++)
        if (row->samples == 0 && row->bytes > 0 && (smallest == 0 || row->bytes < smallest))
            smallest = row->bytes;
    return smallest;
}

/* One case, and what was found in it. */
struct finding {
    const struct variant *of;
    int64_t missing; /* the smallest size without memory; 0: there is none */
    bool on_hypervisor;
    const struct curve *curve;
    const double *fast; /* beside the curve's y */
    struct plateaus plateaus;
    const struct finding *larger_pages; /* the case to agree with; NULL: this one has the largest */
    bool first_differs;                 /* another page size says otherwise of the first level */
    bool third_agrees;                  /* another says the same of the third */
};

static size_t edges_of(const struct finding *f)
{
    return f->plateaus.count > 0 ? f->plateaus.count - 1 : 0;
}

static double capacity(const struct finding *f, size_t level)
{
    return f->curve->x[f->plateaus.at[level].last];
}

static double next_size(const struct finding *f, size_t level)
{
    return f->curve->x[f->plateaus.at[level].last + 1];
}

static double largest_size(const struct finding *f)
{
    return f->curve->x[f->curve->count - 1];
}

static bool has_large_pages(const struct finding *f)
{
    return !(f->of->has_page && f->of->page == PAGE_4K);
}

/* Where the edge behind a level is: the last size that is still on it, and the first that is gone,
 * as are all larger ones. */
struct edge {
    size_t low, high; /* of the curve's points */
};

static struct edge edge_of(const struct finding *f, size_t level)
{
    const struct plateau *p = &f->plateaus.at[level], *next = p + 1;
    struct edge edge = {p->last, next->last};
    while (edge.low > p->first &&
           plateaus_way(f->curve->y[edge.low], p->level, next->level) > HARDLY)
        edge.low--;
    while (edge.high > next->first &&
           plateaus_way(f->curve->y[edge.high - 1], p->level, next->level) >= MOSTLY &&
           plateaus_way(f->fast[edge.high - 1], p->level, next->level) >= AT_BEST)
        edge.high--;
    return edge;
}

static double low_end(const struct finding *f, size_t level)
{
    return f->curve->x[edge_of(f, level).low];
}

static double high_end(const struct finding *f, size_t level)
{
    return f->curve->x[edge_of(f, level).high];
}

/*
 * Why the end of a plateau may be the reach of the TLB; NULL: larger pages show it as well, to the
 * factor `same`.
 */
static const char *doubt_of_pages(const struct finding *f, size_t level, double same)
{
    const struct finding *other = f->larger_pages;
    if (other == NULL)
        return level == 0 || has_large_pages(f) ? NULL
                                                : "4 KB pages alone: may be the reach of the TLB; "
                                                  "measure larger ones too";
    if (level >= edges_of(other))
        return "not seen with larger pages: may be the reach of the TLB";
    double here = capacity(f, level), there = capacity(other, level);
    if (here > there * same || there > here * same)
        return "elsewhere with larger pages: may be the reach of the TLB";
    return NULL;
}

/* Why the first plateau may not be the first level, and no other what its number says. */
static const char *doubt_of_all(const struct finding *f)
{
    if (f->curve->x[0] > LARGEST_FIRST)
        return "the sizes start too high: the first plateau need not be the first level";
    if (edges_of(f) == 0)
        return "time does not rise in steps with size: no level can be told from another";
    return NULL;
}

static const char too_many[] = "more plateaus than levels: one of them may be the reach of the TLB";

/* Why the plateau of that number may not be the level of that number; NULL: it is. */
static const char *doubt_of_name(const struct finding *f, size_t level)
{
    const struct plateau *p = f->plateaus.at;
    const char *doubt = doubt_of_all(f);
    for (size_t i = 0; doubt == NULL && i <= level && i < f->plateaus.count; i++) {
        if (p[i].uneven)
            doubt = "this plateau or one before is uneven: levels cannot be told apart";
        else if (i < edges_of(f))
            doubt = doubt_of_pages(f, i, SAME_LEVEL);
    }
    if (doubt != NULL || level == 0)
        return doubt;
    if (edges_of(f) > CACHES)
        return too_many;
    if (p[1].level > p[0].level * LARGEST_FIRST_RISE)
        return "time rises so much at the first edge that a level may hide in it";
    return NULL;
}

/*
 * Why the last of four plateaus may not be memory's; NULL: it is. An L3 that neighbours use has no
 * plateau to speak of, but what comes behind it is the memory all the same.
 */
static const char *doubt_of_memory(const struct finding *f)
{
    const char *doubt = doubt_of_all(f);
    if (doubt != NULL || f->plateaus.count <= CACHES)
        return doubt;
    if (f->plateaus.at[CACHES].uneven)
        return "its plateau is uneven";
    if (edges_of(f) > CACHES)
        return too_many;
    return doubt_of_pages(f, CACHES - 1, SAME_MEMORY);
}

static bool ends_soon(const struct finding *f)
{
    const struct plateau *last = &f->plateaus.at[f->plateaus.count - 1];
    return largest_size(f) < f->curve->x[last->first] * LEAST_LAST;
}

/* Why the end of a plateau that there is cannot be placed; NULL: it can. */
static const char *doubt_of_edge(const struct finding *f, size_t level)
{
    if (level + 1 == edges_of(f) && ends_soon(f))
        return "the sizes end too soon behind the edge";
    if (next_size(f, level) > capacity(f, level) * CLOSE)
        return "the sizes around the edge are too far apart";
    if (high_end(f, level) > low_end(f, level) * WIDEST)
        return "the edge is too soft to place";
    if (level == 0 && f->first_differs)
        return "elsewhere with other pages, on which a first level does not depend";
    return doubt_of_pages(f, level, SAME_CAPACITY);
}

/*
 * On a hypervisor a page may be many of the host's, and neighbours use the last cache. What pages
 * of two sizes show alike is hardly made by either.
 */
static const char *doubt_of_hypervisor(const struct finding *f, size_t level)
{
    bool is_third = level + 1 == CACHES;
    return is_third && f->on_hypervisor && !f->third_agrees
               ? "on a hypervisor, and no other page size shows the same: frames and neighbours "
                 "are unknown"
               : NULL;
}

/* Concludes with doubt, since there are too few plateaus. */
static void conclude_missing(const struct finding *f, struct verdict *v)
{
    char largest[SIZE_TEXT_MAX], missing[SIZE_TEXT_MAX];
    size_text(largest, (uint64_t)largest_size(f));
    if (f->missing > 0)
        verdict_conclude(v, VERDICT_DOUBT,
                         "%lu plateaus up to %s: which levels the last are is open; no memory for "
                         "%s and more",
                         (unsigned long)f->plateaus.count, largest,
                         size_text(missing, (uint64_t)f->missing));
    else
        verdict_conclude(v, VERDICT_DOUBT,
                         "%lu plateaus up to %s: which levels the last are is open",
                         (unsigned long)f->plateaus.count, largest);
}

/* Whether a level cannot be named or is not among so many; then concludes with doubt. */
static bool is_missing(const struct finding *f, size_t level, size_t levels, struct verdict *v)
{
    const char *doubt = level < CACHES ? doubt_of_name(f, level) : doubt_of_memory(f);
    if (doubt != NULL)
        verdict_conclude(v, VERDICT_DOUBT, "%s", doubt);
    else if (level >= levels)
        conclude_missing(f, v);
    return doubt != NULL || level >= levels;
}

static void judge_capacity(const struct finding *f, size_t level, struct verdict *v)
{
    if (is_missing(f, level, edges_of(f), v))
        return;
    const struct plateau *p = &f->plateaus.at[level];
    verdict_value(v, capacity(f, level), low_end(f, level), high_end(f, level));
    const char *doubt = doubt_of_edge(f, level);
    if (doubt == NULL)
        doubt = doubt_of_hypervisor(f, level);
    if (doubt != NULL)
        verdict_conclude(v, VERDICT_DOUBT, "%s", doubt);
    else
        verdict_conclude(
            v, VERDICT_OK, "last size of a plateau at %.1f ticks; the next is at %.1f%s", p->level,
            p[1].level, level + 1 == CACHES ? "; where shared, what others left of it" : "");
}

static void judge_latency(const struct finding *f, size_t level, struct verdict *v)
{
    char from[SIZE_TEXT_MAX], to[SIZE_TEXT_MAX];
    if (is_missing(f, level, level < CACHES ? edges_of(f) : f->plateaus.count, v))
        return;
    const struct plateau *p = &f->plateaus.at[level];
    bool short_one = level == edges_of(f) && ends_soon(f);
    verdict_value(v, p->level, p->low, p->high);
    if (doubt_of_hypervisor(f, level) != NULL) {
        verdict_conclude(v, VERDICT_DOUBT, "%s", doubt_of_hypervisor(f, level));
        return;
    }
    verdict_conclude(
        v, short_one ? VERDICT_DOUBT : VERDICT_OK,
        "median and spread of one chain in %lu sizes, %s to %s%s%s",
        (unsigned long)(p->last - p->core + 1), size_text(from, (uint64_t)f->curve->x[p->core]),
        size_text(to, (uint64_t)f->curve->x[p->last]), short_one ? "; the sizes end too soon" : "",
        level == CACHES && f->missing > 0 ? "; no memory for more" : "");
}

static void judge_case(const struct finding *f, struct verdict_list *verdicts)
{
    struct verdict *v[2 * CACHES + 1];
    for (size_t i = 0; i < 2 * CACHES + 1; i++)
        v[i] = verdict_add(verdicts, f->of, verdict_names[i], i < CACHES ? "bytes" : "ticks");
    if (f->curve->count < 2) {
        for (size_t i = 0; i < 2 * CACHES + 1; i++)
            verdict_conclude(v[i], VERDICT_SKIP, "needs N = 1 in two sizes or more");
        return;
    }
    for (size_t i = 0; i < CACHES; i++)
        judge_capacity(f, i, v[i]);
    for (size_t i = 0; i < LEVELS; i++)
        judge_latency(f, i, v[CACHES + i]);
}

static bool is_on_hypervisor(const struct table *table)
{
    for (const struct row *row = table->rows; row < table->rows + table->count; row++)
        if (row_is(row, ARRAY_HYPERVISOR))
            return true;
    return false;
}

static void find(const struct table *table, struct latencies *latencies, struct finding *f)
{
    *f = (struct finding){.of = table->of,
                          .missing = smallest_missing(table),
                          .on_hypervisor = is_on_hypervisor(table),
                          .curve = &latencies->curve,
                          .fast = latencies->fast};
    find_latencies(table, latencies);
    plateaus_find(f->curve, &workspace, &f->plateaus);
}

/* The case with the largest pages that is otherwise the same; NULL: this one has them. */
static const struct table *largest_pages(const struct tables *tables, const struct table *table)
{
    struct variant of = *table->of;
    for (of.page = PAGE_SIZES - 1; of.has_page && of.page > table->of->page; of.page--) {
        const struct table *found = tables_find(tables, &of);
        if (found != NULL)
            return found;
    }
    return NULL;
}

static bool differ_in_first(const struct finding *a, const struct finding *b)
{
    if (edges_of(a) == 0 || edges_of(b) == 0)
        return false;
    return low_end(a, 0) > high_end(b, 0) || low_end(b, 0) > high_end(a, 0);
}

static bool is_near(double a, double b, double factor)
{
    return a <= b * factor && b <= a * factor;
}

/* Both know their third level, and it is one. */
static bool agree_in_third(const struct finding *a, const struct finding *b)
{
    const size_t third = CACHES - 1;
    const struct finding *both[] = {a, b};
    for (unsigned i = 0; i < 2; i++)
        if (edges_of(both[i]) <= third || doubt_of_name(both[i], third) != NULL ||
            doubt_of_edge(both[i], third) != NULL)
            return false;
    return is_near(capacity(a, third), capacity(b, third), SAME_CAPACITY) &&
           is_near(a->plateaus.at[third].level, b->plateaus.at[third].level, SAME_LATENCY);
}

/* Compares with the cases that have other pages and are otherwise the same. */
static void ask_others(const struct tables *tables, struct finding *f)
{
    struct variant of = *f->of;
    const struct finding *most = f->larger_pages != NULL ? f->larger_pages : f;
    for (unsigned page = 0; of.has_page && page < PAGE_SIZES; page++) {
        struct finding found;
        of.page = page;
        const struct table *table = page == f->of->page ? NULL : tables_find(tables, &of);
        if (table == NULL)
            continue;
        find(table, &other_latencies, &found);
        found.larger_pages = page == most->of->page ? NULL : most;
        f->first_differs |= differ_in_first(f, &found);
        f->third_agrees |= agree_in_third(f, &found);
    }
}

/*
 * Adds for each case, from the latencies of one chain (N = 1): l1_bytes, l2_bytes, l3_bytes, each
 * the last size of a plateau, between the last that is still well on it and the first that is
 * mostly gone; l1_latency to memory_latency in ticks, a plateau's median and spread, without what
 * is close behind the edge. Pure.
 *
 * A level is `ok` only where it cannot well be something else. The sizes start at 8 KB or less. A
 * plateau is an octave long, even, and clearly below the next. Behind the last there is a plateau
 * of the memory's: with fewer than four it is open which level the last one is, with more one of
 * them may be the reach of the TLB. Capacities do not depend on pages: smaller ones must agree with
 * the largest measured, and 4 KB pages alone only show the first level. On a hypervisor the third
 * level takes two page sizes that agree.
 */
static void compare(const struct tables *tables, struct verdict_list *verdicts)
{
    for (const struct table *t = tables->at; t < tables->at + tables->count; t++) {
        const struct table *larger = largest_pages(tables, t);
        struct finding f, of_larger;
        find(t, &own_latencies, &f);
        if (larger != NULL) {
            find(larger, &larger_latencies, &of_larger);
            f.larger_pages = &of_larger;
        }
        ask_others(tables, &f);
        judge_case(&f, verdicts);
    }
}

void array_judge_capacities(const struct table *table, struct verdict_list *verdicts)
{
    struct finding f;
    find(table, &own_latencies, &f);
    for (size_t level = 0; level + 1 < CACHES; level++) {
        struct verdict *v = verdict_add(verdicts, table->of, verdict_names[level], "bytes");
        if (f.curve->count < 2)
            verdict_conclude(v, VERDICT_SKIP, "needs N = 1 in two sizes or more");
        else
            judge_capacity(&f, level, v);
    }
}

/* Of an edge, from end to end, what is farther apart than it should be. */
static bool find_gap(const struct finding *f, struct edge edge, struct array_gap *gap)
{
    const double *x = f->curve->x;
    for (size_t i = edge.low; i < edge.high; i++)
        if (x[i + 1] > x[i] * CLOSE) {
            *gap = (struct array_gap){(uint64_t)x[i], (uint64_t)x[i + 1]};
            return true;
        }
    return false;
}

bool array_next_gap(const struct table *table, struct array_gap *gap)
{
    struct finding f;
    find(table, &own_latencies, &f);
    for (size_t i = 0; i < edges_of(&f); i++)
        if (find_gap(&f, edge_of(&f, i), gap))
            return true;
    return false;
}

uint64_t array_ends_at(const struct table *table)
{
    struct finding f;
    find(table, &own_latencies, &f);
    return f.missing == 0 && edges_of(&f) > 0 && ends_soon(&f) ? (uint64_t)largest_size(&f) : 0;
}

const struct rule rule_array = {
    .compare = compare,
    .verdicts = verdict_names,
};

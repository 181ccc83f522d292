/* levels: names the plateaus of the curve of one chain, or says why they cannot be named. */
#include "levels.h"

#include "../lib/size.h"
#include "../lib/string.h"
#include "case_name.h"
#include "latency.h"
#include "plateaus.h"
#include "verdict.h"

#define CACHES 3
#define LEVELS (CACHES + 1)    /* and memory */
#define CLOSE 1.26             /* neighbouring sizes: a quarter, and rounding */
#define LARGEST_FIRST 8192     /* bytes; no first-level cache is smaller */
#define LEAST_LAST 3.0         /* largest size over the last plateau's first */
#define LARGEST_FIRST_RISE 8.0 /* from the first level to the second; more hides a level */
#define SAME_CAPACITY 1.3      /* a step, with other pages */
#define SAME_LEVEL 2.5         /* another level's capacity is farther off than that */
#define EDGE_OFF 1.33          /* off a level by this factor is neither on it nor on the next */
#define EDGE_BEFORE 2.0        /* sizes; farther off, the rise places no capacity */
#define EDGE_BEHIND 4.0

const char *const levels_verdict_names[] = {
    "l1_bytes",   "l2_bytes",   "l3_bytes",       "l1_latency",
    "l2_latency", "l3_latency", "memory_latency", NULL,
};

/* One case, and what was found in it. */
struct finding {
    const struct row *rows;
    size_t count;
    struct curve *curve;
    struct plateaus plateaus;
    const struct finding *larger_pages; /* the case to agree with; NULL: this one has the largest */
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
    return case_name_rest(f->rows->variant, "4k") == NULL;
}

/* Whether the edge behind a level is steep enough to say where it is. */
static bool is_steep(const struct finding *f, size_t level)
{
    const struct plateau *p = &f->plateaus.at[level], *next = p + 1;
    const struct curve *c = f->curve;
    size_t below = p->last, above = next->first;
    while (below > p->first && c->y[below] > p->level * EDGE_OFF)
        below--;
    while (above < next->last && c->y[above] < next->level / EDGE_OFF)
        above++;
    return c->x[below] * EDGE_BEFORE >= c->x[p->last] && c->x[above] <= c->x[p->last] * EDGE_BEHIND;
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
        return "more plateaus than levels: one of them may be the reach of the TLB";
    if (p[1].level > p[0].level * LARGEST_FIRST_RISE)
        return "time rises so much at the first edge that a level may hide in it";
    return NULL;
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
    if (!is_steep(f, level))
        return "the edge is too soft to place";
    return doubt_of_pages(f, level, SAME_CAPACITY);
}

/* Concludes with doubt, since there are too few plateaus. */
static void conclude_missing(const struct finding *f, struct verdict *v)
{
    char largest[SIZE_TEXT_MAX], missing[SIZE_TEXT_MAX];
    int64_t not_measured = latency_missing(f->rows, f->count);
    size_text(largest, (uint64_t)largest_size(f));
    if (not_measured > 0)
        verdict_conclude(v, VERDICT_DOUBT,
                         "%lu plateaus up to %s: which levels the last are is open; no memory for "
                         "%s and more",
                         (unsigned long)f->plateaus.count, largest,
                         size_text(missing, (uint64_t)not_measured));
    else
        verdict_conclude(v, VERDICT_DOUBT,
                         "%lu plateaus up to %s: which levels the last are is open",
                         (unsigned long)f->plateaus.count, largest);
}

static void judge_capacity(const struct finding *f, size_t level, struct verdict *v)
{
    const char *doubt = doubt_of_name(f, level);
    if (doubt != NULL) {
        verdict_conclude(v, VERDICT_DOUBT, "%s", doubt);
        return;
    }
    if (level >= edges_of(f)) {
        conclude_missing(f, v);
        return;
    }
    const struct plateau *p = &f->plateaus.at[level];
    double size = capacity(f, level);
    verdict_value(v, size, size, next_size(f, level));
    doubt = doubt_of_edge(f, level);
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
    const char *doubt = doubt_of_name(f, level);
    if (doubt != NULL) {
        verdict_conclude(v, VERDICT_DOUBT, "%s", doubt);
        return;
    }
    if (level >= (level < CACHES ? edges_of(f) : f->plateaus.count)) {
        conclude_missing(f, v);
        return;
    }
    const struct plateau *p = &f->plateaus.at[level];
    bool short_one = level == edges_of(f) && ends_soon(f);
    verdict_value(v, p->level, p->low, p->high);
    verdict_conclude(
        v, short_one ? VERDICT_DOUBT : VERDICT_OK,
        "median and deciles of one chain in %lu sizes, %s to %s%s%s",
        (unsigned long)(p->last - p->core + 1), size_text(from, (uint64_t)f->curve->x[p->core]),
        size_text(to, (uint64_t)f->curve->x[p->last]), short_one ? "; the sizes end too soon" : "",
        level == CACHES && latency_missing(f->rows, f->count) > 0 ? "; no memory for more" : "");
}

static void judge_case(const struct finding *f, struct verdict_list *verdicts)
{
    struct verdict *v[2 * CACHES + 1];
    for (size_t i = 0; i < 2 * CACHES + 1; i++)
        v[i] = verdict_add(verdicts, f->rows->experiment, f->rows->variant, levels_verdict_names[i],
                           i < CACHES ? "bytes" : "ticks");
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

/* 4k, then 2m, then 1g; what is none of them comes before. *rest is what follows the page size. */
static unsigned page_rank(const char *variant, const char **rest)
{
    static const char *const names[] = {"4k", "2m", "1g"};
    unsigned rank = 3;
    *rest = variant;
    while (rank > 0 && (*rest = case_name_rest(variant, names[rank - 1])) == NULL)
        rank--;
    if (rank == 0)
        *rest = variant;
    return rank;
}

static void find(const struct row *rows, size_t count, struct curve *curve,
                 struct finding *f)
{
    *f = (struct finding){.rows = rows, .count = count, .curve = curve};
    latency_curve(rows, count, 1, curve);
    plateaus_find(curve, &f->plateaus);
}

/* How many rows from the first on are of its case. */
static size_t case_size(const struct row *rows, size_t count)
{
    size_t size;
    curve_case(rows, count, rows->variant, &size);
    return size;
}

/* The first row of the case with the largest pages that is otherwise the same as this one's. */
static size_t largest_pages(const struct row *rows, size_t count, size_t of)
{
    const char *rest, *other;
    size_t chosen = of;
    unsigned best = page_rank(rows[of].variant, &rest);
    for (size_t i = 0; i < count; i += case_size(rows + i, count - i)) {
        unsigned rank = page_rank(rows[i].variant, &other);
        if (rank > best && strcmp(rest, other) == 0) {
            best = rank;
            chosen = i;
        }
    }
    return chosen;
}

void levels_compare(const struct row *rows, size_t count, struct verdict_list *verdicts)
{
    static struct curve curves[2]; /* too large for a firmware's stack */
    struct finding largest, here;
    size_t size;
    for (size_t i = 0; i < count; i += size) {
        size_t chosen = largest_pages(rows, count, i);
        size = case_size(rows + i, count - i);
        find(rows + i, size, &curves[1], &here);
        if (chosen != i) {
            find(rows + chosen, case_size(rows + chosen, count - chosen), &curves[0], &largest);
            here.larger_pages = &largest;
        }
        judge_case(&here, verdicts);
    }
}

bool levels_next_gap(const struct row *rows, size_t count, struct levels_gap *gap)
{
    static struct curve curve; /* too large for a firmware's stack */
    struct finding f;
    find(rows, count, &curve, &f);
    for (size_t i = 0; i < edges_of(&f); i++) {
        gap->low = (uint64_t)capacity(&f, i);
        gap->high = (uint64_t)next_size(&f, i);
        if ((double)gap->high > (double)gap->low * CLOSE)
            return true;
    }
    return false;
}

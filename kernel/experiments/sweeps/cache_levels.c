/* cache_levels: how large is each cache, and how long does a load from it take?
 *
 * Expected: one chain through all lines, each met again only after all others, has one latency up
 * to a cache's size, and the next level's from there on.
 * Seen, in guests, cycles and KB: Intel family 6 model 207: 5.0 to 48, 16.0 to 1536 [1024 .. 2048];
 * Zen 4: 32 and 768 [640 .. 1280] of 1024; Zen 5: 4.0 to 48, 14.0 to 896 [768 .. 1280] of 1024.
 * Third levels are shared: on Zen 5, 51 cycles [40 .. 73]. Other tools see the same (methods.md).
 * Not understood: why a second level ends before its size in every guest. Frames that fall into the
 * sets at random would do it, as a guest's large page may lie on small ones; bare metal tells. */
#include "cache_levels.h"

#include "../../analysis/drift.h"
#include "../../analysis/plateaus.h"
#include "../../lib/string.h"
#include "../answer.h"
#include "cache_bandwidth_rule.h"
#include "cache_overlap_rule.h"
#include "core_clock.h"
#include "memory_rule.h"

#define USUAL 3        /* caches; a verdict says so where there are fewer */
#define SAME 1.3       /* neighbouring sizes, and what two page sizes or CPUID say of one level */
#define LEAST_RISE 1.7 /* from a level to the next: walks make memory's time rise by less */
#define LARGEST_FIRST 8192     /* bytes; no first-level cache is smaller */
#define LARGEST_FIRST_RISE 8.0 /* from the first level to the second; more hides a level */
/*
 * Shares of the way from a level's time to the next level's. A size still fits below HARDLY. It
 * does not above MOSTLY, even if lines are replaced at random, unless the fastest tenth of the
 * samples is below AT_BEST: then others made the rest slow.
 */
#define HARDLY 0.25
#define MOSTLY 0.6
#define AT_BEST 0.5
#define WIDEST 2.0 /* high over low; a softer edge places no capacity */
/* High over the last size that fits. With random replacement MOSTLY is reached at 1.4 times a
 * capacity, and the next size may be SAME larger; a later end says that some lines missed before it
 * was full. */
#define LATEST 1.7
#define WIDEST_LATENCY 1.5
#define REACHED_BYTES 131072  /* by any first-level TLB: 32 entries for 4 KB pages */
#define WHOLE_CYCLES 2        /* levels so near the core that they take whole cycles, L1 and L2 */
#define KNOWN_LAST (1u << 30) /* bytes: no cache goes on so far, where CPUID tells none */
/* Sizes that are a level's alone: shares of its capacity, times the capacity before it. */
#define SMALL_SHARE 0.5
#define LARGE_SHARE 0.75
#define PAST_CACHE 1.5
#define IN_MEMORY 4 /* times the last cache: what hits there hardly counts */
#define SIZE_STEP 4096

enum quantity { LATENCY, CYCLES, READ, WRITE, COPY, OVERLAP, STREAM, BYTES, RANDOM };
#define QUANTITIES RANDOM /* of a cache; memory has no bytes, and RANDOM alone */

#define LEVELS (CACHE_LEVELS_MAX + 1) /* memory is the last, and has no bytes */

/* The metrics of bandwidth, NULL of what chains tell. */
static const char *const metrics[RANDOM + 1] = {
    [READ] = CACHE_BANDWIDTH_READ,
    [WRITE] = CACHE_BANDWIDTH_WRITE,
    [COPY] = CACHE_BANDWIDTH_COPY,
};

static bool is_array(const struct variant *variant)
{
    return variant->pattern[0] == '\0' && variant->sibling == SIBLING_UNNAMED;
}

static bool is_size(const struct variant *variant)
{
    return is_array(variant) || strcmp(variant->pattern, CACHE_LEVELS_CHAIN) == 0;
}

/* The fourth and the fifth level are reported where they are found. */
static bool is_further(const struct variant *variant)
{
    (void)variant;
    return false;
}

#define LEVEL(level, what, unit, is_of, needs, means, line, number)                                \
    QUESTION(level what, unit, is_of, needs, NULL, means, .at = {line, number})
#define OF_CACHES(what, unit, is_near, near_needs, needs, means, line)                             \
    LEVEL("l1_", what, unit, is_near, near_needs, means, line, 0),                                 \
        LEVEL("l2_", what, unit, is_near, needs, NULL, line, 1),                                   \
        LEVEL("l3_", what, unit, is_array, needs, NULL, line, 2),                                  \
        LEVEL("l4_", what, unit, is_further, needs, NULL, line, 3),                                \
        LEVEL("l5_", what, unit, is_further, needs, NULL, line, 4)
#define OF_LEVELS(what, unit, clock, pages, means, line, of_memory, number)                        \
    OF_CACHES(what, unit, is_array, clock, (pages) | (clock), means, line),                        \
        LEVEL("memory_", what, unit, is_array, NEEDS_WHOLE_PAGES | NEEDS_MEMORY | (clock), NULL,   \
              of_memory, number)

/*
 * By quantity, and then by level. Walks may change what large pages tell beyond L1; the first level
 * of a TLB has room for the pieces in which L1 and L2 are timed. A host's scattered pages make some
 * lines of half a cache miss, others in each run. (Tried: 41 bytes/cycle of both sizes of an Intel
 * family 6 model 207's L2, with narrow intervals; 50 in nine other runs.)
 */
const struct question cache_level_questions[] = {
    OF_LEVELS("latency", "ticks", NEEDS_CLOCK, NEEDS_WHOLE_PAGES,
              MEANS("ticks per load on the level's plateau, timer excluded"), HEADLINE_NONE,
              HEADLINE_MEMORY, 0),
    OF_LEVELS("latency_cycles", "cycles", 0, NEEDS_WHOLE_PAGES,
              MEANS("load-to-use latency in core cycles; of L1 and L2 the whole number in the "
                    "interval"),
              HEADLINE_NONE, HEADLINE_NONE, 0),
    OF_LEVELS(
        "read_bandwidth", "bytes/cycle", NEEDS_WHOLE_CORE, NEEDS_HOST_PAGES,
        MEANS("bytes per core cycle that one core reads, writes or copies by its widest "
              "accesses; a copied byte counts twice, as in STREAM. The interval holds two sizes "
              "of the level"),
        HEADLINE_READS, HEADLINE_READS, CACHE_LEVELS_MAX),
    OF_LEVELS("write_bandwidth", "bytes/cycle", NEEDS_WHOLE_CORE, NEEDS_HOST_PAGES, NULL,
              HEADLINE_NONE, HEADLINE_NONE, 0),
    OF_LEVELS("copy_bandwidth", "bytes/cycle", NEEDS_WHOLE_CORE, NEEDS_HOST_PAGES, NULL,
              HEADLINE_NONE, HEADLINE_NONE, 0),
    OF_CACHES("bytes", "bytes", is_size, NEEDS_WHOLE_CORE, NEEDS_WHOLE_CORE | NEEDS_WHOLE_PAGES,
              MEANS("the last size on its plateau. The interval reaches to the first size from "
                    "which all are mostly at the next level, behind L1 in a guest to CPUID's"),
              HEADLINE_CACHES),
    {.name = NULL},
};

#define OF_BUFFERS (NEEDS_WHOLE_CORE | NEEDS_WHOLE_PAGES)
#define OF_FURTHER(what, unit, needs, means, line, of_memory)                                      \
    LEVEL("l2_", what, unit, is_array, needs, means, line, 0),                                     \
        LEVEL("l3_", what, unit, is_array, needs, NULL, line, 1),                                  \
        LEVEL("l4_", what, unit, is_further, needs, NULL, line, 2),                                \
        LEVEL("l5_", what, unit, is_further, needs, NULL, line, 3),                                \
        LEVEL("memory_", what, unit, is_array, OF_BUFFERS | NEEDS_MEMORY, NULL, of_memory, 0)

/* The same of all levels but the first. */
const struct question cache_overlap_questions[] = {
    OF_FURTHER("overlap", "loads", OF_BUFFERS,
               MEANS("independent loads of random lines of the level that are under way at once: "
                     "the latency of one chain over the time of one more load"),
               HEADLINE_NONE, HEADLINE_MLP),
    OF_FURTHER("stream_overlap", "lines", NEEDS_WHOLE_CORE | NEEDS_HOST_PAGES,
               MEANS("lines of the level that are under way where all are read in order: latency "
                     "times read bandwidth"),
               HEADLINE_NONE, HEADLINE_NONE),
    QUESTION(
        "memory_latency_random", "ticks", is_array, NEEDS_CLOCK | NEEDS_MEMORY, NULL,
        MEANS("ticks per load of a random line of an array that is named, page walks included")),
    {.name = NULL},
};

static const struct question *question_of(size_t level, enum quantity quantity)
{
    if (quantity == RANDOM)
        return &cache_overlap_questions[2 * (LEVELS - 1)];
    if (quantity == OVERLAP || quantity == STREAM)
        return &cache_overlap_questions[(quantity - OVERLAP) * (LEVELS - 1) + level - 1];
    return &cache_level_questions[(quantity == BYTES ? OVERLAP : quantity) * LEVELS + level];
}

/* One case, and what was found of its levels. */
struct cache_levels {
    const struct table *table;
    const struct variant *variant;
    int64_t missing; /* the smallest size without memory; 0: all sizes had memory */
    bool on_hypervisor;
    const double *cpuid;    /* bytes of each cache, of the facts */
    size_t cpuid_count;     /* levels up to the last of those */
    struct curve curve;     /* ticks of a load over bytes, */
    double fast[CURVE_MAX]; /* and of the fastest tenth of its samples */
    struct plateaus plateaus;
    struct cache_level_sizes sizes[LEVELS];  /* of arrays that are each level's alone */
    const struct cache_levels *larger_pages; /* to agree with; NULL: this case's are the largest */
    bool last_agrees;                        /* another page size shows the same last cache */
};

/* --- latencies ------------------------------------------------------------------------------- */

/* Collects (T(longest) - T(shortest)) / (loads between) of each size: timer and start-up cancel. */
static void collect_latencies(const struct table *table, struct cache_levels *c)
{
    struct curve *curve = &c->curve;
    curve->count = 0;
    for (int64_t bytes = 0; (bytes = curve_next_bytes(table, "tsc", bytes)) != 0;) {
        struct curve_ends ends = curve_ends_of(table, "tsc", 1, bytes);
        struct interval ticks = curve_of_part(table, "tsc", 1, bytes);
        if (!(ticks.value > 0) || curve->count == CURVE_MAX)
            continue;
        c->fast[curve->count] =
            (ends.longest->p10 - ends.shortest->p10) / (double)(ends.longest->k - ends.shortest->k);
        curve->x[curve->count] = (double)bytes;
        curve->error[curve->count] = interval_half_width(ticks) / NORMAL_95;
        curve->y[curve->count++] = ticks.value;
    }
}

/* Returns the smallest size that could not be measured; 0: none. A row whose samples were all
 * discarded had its memory. */
static int64_t smallest_missing(const struct table *table)
{
    int64_t smallest = 0;
    for (TABLE_ROWS(row, table))
        if (row->samples == 0 && row->discarded == 0 && row->bytes > 0 &&
            (smallest == 0 || row->bytes < smallest))
            smallest = row->bytes;
    return smallest;
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
    return largest_size(c) < c->curve.x[last->first] * PLATEAUS_PAST;
}

static bool is_within(double a, double b, double factor)
{
    return a <= b * factor && b <= a * factor;
}

/* --- sizes of arrays for the bandwidth ------------------------------------------------------- */

/* Returns two sizes from `small` to `large`, if they are apart. */
static struct cache_level_sizes sizes_between(double small, double large)
{
    if (small > large || large < 2 * SIZE_STEP)
        return (struct cache_level_sizes){0};
    return (struct cache_level_sizes){(uint64_t)small / SIZE_STEP * SIZE_STEP,
                                      (uint64_t)large / SIZE_STEP * SIZE_STEP};
}

/* Returns what all caches hold: up to the last edge, or by CPUID, if that is more. */
static struct interval last_cache(const struct cache_levels *c)
{
    double told = c->cpuid_count > 0 ? c->cpuid[c->cpuid_count - 1] : 0;
    struct interval bytes =
        edges_of(c) > 0 ? capacity_of(c, edges_of(c) - 1) : (struct interval){0, 0, 0};
    return (struct interval){larger(bytes.value, told), bytes.low, larger(bytes.high, told)};
}

/* Returns the largest size, at least, of arrays of which two are memory's; in whole MB. */
static double memory_from(const struct cache_levels *c)
{
    const double mega = 1 << 20;
    return mega * (1 + (double)(uint64_t)(SAME * IN_MEMORY * last_cache(c).value / mega));
}

static void find_sizes(struct cache_levels *c)
{
    size_t count = edges_of(c);
    double before = 0;
    memset(c->sizes, 0, sizeof c->sizes);
    for (size_t i = 0; i < count; i++) {
        double own = last_size(c, i);
        c->sizes[i] =
            sizes_between(larger(SMALL_SHARE * own, PAST_CACHE * before), LARGE_SHARE * own);
        before = own;
    }
    if (count == 0)
        return;
    double in_memory = IN_MEMORY * last_cache(c).value, largest = largest_size(c);
    if (memory_from(c) <= largest)
        c->sizes[count] = sizes_between(larger(in_memory, largest / 2), largest);
}

static void find_cache_levels(const struct table *table, const struct facts *facts,
                              struct cache_levels *c)
{
    c->table = table;
    c->variant = table->variant;
    c->missing = smallest_missing(table);
    c->on_hypervisor = facts->is_guest;
    c->cpuid = facts->cpuid;
    for (c->cpuid_count = CACHE_LEVELS_MAX;
         c->cpuid_count > 0 && c->cpuid[c->cpuid_count - 1] == 0;)
        c->cpuid_count--;
    c->larger_pages = NULL;
    c->last_agrees = false;
    collect_latencies(table, c);
    plateaus_find(&c->curve, LEAST_RISE, &c->plateaus);
    find_sizes(c);
}

/* --- doubts: each returns NULL if it has none ------------------------------------------------ */

static bool is_4k(const struct cache_levels *c)
{
    return c->variant->has_page && c->variant->page == PAGE_4K;
}

/* Doubts a plateau's end that larger pages do not show, to the factor `same`. */
static enum reason doubt_of_pages(const struct cache_levels *c, size_t level, double same)
{
    const struct cache_levels *other = c->larger_pages;
    if (other == NULL)
        return level > 0 && is_4k(c) ? REASON_MAY_BE_TLB : REASON_NONE;
    if (level >= edges_of(other))
        return REASON_MAY_BE_TLB;
    return is_within(last_size(c, level), last_size(other, level), same) ? REASON_NONE
                                                                         : REASON_MAY_BE_TLB;
}

/* Doubts the number of every level. */
static enum reason doubt_of_all(const struct cache_levels *c)
{
    if (c->curve.x[0] > LARGEST_FIRST)
        return answer_mostly_shared(c->table) > 0 ? REASON_CORE_WAS_SHARED
                                                  : REASON_SIZES_START_LARGE;
    if (edges_of(c) == 0)
        return REASON_NO_EDGE;
    return REASON_NONE;
}

/* Doubts that every edge is a cache's: on a hypervisor pages may be small, whatever they seem. */
static enum reason doubt_of_count(const struct cache_levels *c)
{
    size_t usual = c->cpuid_count > USUAL ? c->cpuid_count : USUAL;
    return c->on_hypervisor && edges_of(c) > usual ? REASON_MAY_BE_TLB : REASON_NONE;
}

/* Returns the size that CPUID has for a level; 0: it does not know the level. */
static double cpuid_of(const struct cache_levels *c, size_t level)
{
    return edges_of(c) <= c->cpuid_count && level < c->cpuid_count ? c->cpuid[level] : 0;
}

/* Returns -1, 0 or 1: the capacity is less than CPUID reports, may be equal, or is more. */
static int against_cpuid(const struct cache_levels *c, size_t level)
{
    struct interval bytes = capacity_of(c, level);
    double cpuid = cpuid_of(c, level);
    if (cpuid == 0)
        return 0;
    return bytes.high * SAME < cpuid ? -1 : bytes.low > cpuid * SAME ? 1 : 0;
}

/* True if CPUID tells these levels and no other one. */
static bool is_told(const struct cache_levels *c, size_t level)
{
    return level < edges_of(c) ? cpuid_of(c, level) > 0 && against_cpuid(c, level) == 0
                               : edges_of(c) == c->cpuid_count;
}

/* Fills in the latencies in core cycles, by the additions of the same rounds. False: not all sizes
 * of the level have those. */
static bool collect_cycles(const struct cache_levels *c, const struct plateau *p,
                           struct curve *cycles)
{
    cycles->count = c->curve.count;
    memcpy(cycles->x, c->curve.x, sizeof cycles->x);
    for (size_t i = p->first; i <= p->last; i++) {
        struct interval cycle =
            curve_of_part(c->table, CORE_CLOCK, ROW_NONE, (int64_t)c->curve.x[i]);
        if (!(cycle.value > 0))
            return false;
        double half_width = NORMAL_95 * c->curve.error[i];
        struct interval latency =
            interval_divide(interval_around(c->curve.y[i], half_width), cycle);
        cycles->y[i] = latency.value;
        cycles->error[i] = interval_half_width(latency) / NORMAL_95;
    }
    return true;
}

/* True if a plateau may be two levels whose times are close. A step that larger pages do not show
 * is the TLB's. */
static bool may_be_two(const struct cache_levels *c, size_t level)
{
    const struct cache_levels *most = c->larger_pages != NULL ? c->larger_pages : c;
    return level < most->plateaus.count && most->plateaus.at[level].stepped &&
           !is_told(most, level);
}

/* True for L1 and L2, and never for memory. */
static bool is_near(const struct cache_levels *c, size_t level)
{
    return level < WHOLE_CYCLES && level < edges_of(c);
}

/* True if neighbouring sizes just behind a cache, of a third more from the first to the last,
 * agree, and are clearly faster than the level: behind a single edge fewer lines hit from size to
 * size. */
static bool has_flat_edge(const struct curve *curve, const struct plateau *p)
{
    struct plateau edge = {.first = p->first, .core = p->first, .last = p->core - 1};
    while (edge.last > edge.first && curve->y[edge.last] * PLATEAUS_PART_RISE > p->level)
        edge.last--;
    struct plateau_flat flat = plateaus_longest(curve, &edge, SAME_SHARE);
    return flat.last >= flat.first + 2 && curve->x[flat.last] >= SAME * curve->x[flat.first];
}

/* True if a size well past L2, or a later cache, is clearly faster than the level behind it, in
 * ticks and in cycles, so that no clock makes it so: too few lines hit in the cache before for
 * that. Either another cache, a few times as large, is between, or small pages make a slope of the
 * level. A hypervisor's neighbours make one, too, as other doubts tell. Or, in ticks alone, a cache
 * less than PLATEAUS_PAST times as large as the one before is a flat part of its edge. */
static bool hides_cache(const struct cache_levels *c, size_t level)
{
    const struct cache_levels *most = c->larger_pages != NULL ? c->larger_pages : c;
    const struct plateau *p = &most->plateaus.at[level];
    struct curve cycles;
    if (c->on_hypervisor || is_near(most, level) || level >= edges_of(most) ||
        p->core == p->first || is_told(most, level))
        return false;
    bool has_cycles = collect_cycles(most, p, &cycles);
    struct plateau_flat core = {p->core, p->last};
    double usual = has_cycles ? plateaus_level(&cycles, core, 0).value : 0;
    for (size_t i = core.first; i < core.last; i++)
        if (most->curve.y[i] * PLATEAUS_PART_RISE <= p->level &&
            (!has_cycles || cycles.y[i] * PLATEAUS_PART_RISE <= usual))
            return true;
    return has_flat_edge(&most->curve, p);
}

static bool may_have_small_pages(const struct cache_levels *c)
{
    return c->variant->page == PAGE_4K || c->on_hypervisor;
}

/* Doubts that this plateau is the level of the same number. If pages may be small, sizes that any
 * first-level TLB maps tell L2's time: what a TLB does to larger ones does not matter. */
static enum reason doubt_of_name(const struct cache_levels *c, size_t level, enum quantity quantity)
{
    bool is_reached = is_near(c, level) && may_have_small_pages(c) && quantity <= CYCLES;
    enum reason doubt = doubt_of_all(c);
    for (size_t i = 0; doubt == REASON_NONE && i <= level && i < c->plateaus.count; i++) {
        if (is_reached && i == 1)
            continue;
        else if (may_be_two(c, i))
            doubt = REASON_LEVELS_TOO_CLOSE;
        else if (i < edges_of(c))
            doubt = doubt_of_pages(c, i, PLATEAUS_PAST)
                        ?: hides_cache(c, i) ? REASON_LEVEL_HIDDEN
                                             : REASON_NONE;
    }
    if (doubt != REASON_NONE || level == 0)
        return doubt;
    doubt = is_reached ? REASON_NONE : doubt_of_count(c);
    if (doubt != REASON_NONE)
        return doubt;
    if (c->plateaus.at[1].level > c->plateaus.at[0].level * LARGEST_FIRST_RISE)
        return REASON_LEVEL_HIDDEN;
    if (level < edges_of(c) && edges_of(c) < c->cpuid_count && against_cpuid(c, level) != 0)
        return REASON_LEVEL_HIDDEN;
    return REASON_NONE;
}

/* True if what is behind the last edge need not be memory: a larger cache may be. */
static bool may_be_cache(const struct cache_levels *c)
{
    bool is_told = c->cpuid_count > 0;
    double most = is_told ? c->cpuid[c->cpuid_count - 1] : KNOWN_LAST / PLATEAUS_PAST;
    return edges_of(c) < (is_told ? c->cpuid_count : USUAL) &&
           largest_size(c) < most * PLATEAUS_PAST;
}

/* Doubts that the last plateau is memory. A last cache that neighbours use hardly has a plateau,
 * but what comes behind it is memory all the same. */
static enum reason doubt_of_memory(const struct cache_levels *c)
{
    enum reason doubt = doubt_of_all(c) ?: doubt_of_count(c);
    if (doubt != REASON_NONE)
        return doubt;
    if (may_be_two(c, edges_of(c)))
        return REASON_LEVELS_TOO_CLOSE;
    return doubt_of_pages(c, edges_of(c) - 1, PLATEAUS_PAST);
}

/* Doubts the place of a plateau's end. */
static enum reason doubt_of_edge(const struct cache_levels *c, size_t level)
{
    struct interval bytes = capacity_of(c, level);
    if (level + 1 == edges_of(c) && ends_soon(c))
        return REASON_RANGE_ENDS;
    if (c->curve.x[c->plateaus.at[level].last + 1] > bytes.value * SAME)
        return REASON_EDGE_NOT_PLACED;
    if (bytes.high > bytes.low * WIDEST || bytes.high > bytes.value * LATEST)
        return REASON_GRADUAL_EDGE;
    return doubt_of_pages(c, level, SAME);
}

static bool is_shared_cache(const struct cache_levels *c, size_t level)
{
    return level + 1 == edges_of(c) && level + 1 >= USUAL;
}

/* On a hypervisor a page may be many of the host's, and neighbours use the last cache: only what
 * two page sizes show alike is hardly made by either. */
static enum reason doubt_of_hypervisor(const struct cache_levels *c, size_t level)
{
    return is_shared_cache(c, level) && c->on_hypervisor && !c->last_agrees ? REASON_GUEST
                                                                            : REASON_NONE;
}

/* Two page sizes meet the same neighbours, so that they agree on a share, too. A hypervisor may
 * have made up what CPUID says, but of the last cache nothing else tells a share from the whole. */
static enum reason doubt_of_share(const struct cache_levels *c, size_t level)
{
    bool is_shared = is_shared_cache(c, level);
    if (c->variant->shared) /* what a sibling thread leaves of a cache is no size */
        return REASON_OTHERS_USE_IT;
    int way = !c->on_hypervisor || is_shared ? against_cpuid(c, level) : 0;
    if (c->on_hypervisor && is_shared && cpuid_of(c, level) == 0)
        return REASON_OTHERS_USE_IT;
    if (way < 0)
        return is_shared ? REASON_OTHERS_USE_IT : REASON_CPUID_DIFFERS;
    return way > 0 ? REASON_CPUID_DIFFERS : REASON_NONE;
}

/* --- verdicts -------------------------------------------------------------------------------- */

/* Says why the sizes end where they do; where they only lack memory's, how large these are. */
static void open_end(const struct cache_levels *c, enum reason doubt, struct verdict *v)
{
    char largest[SIZE_TEXT_MAX], missing[SIZE_TEXT_MAX], needed[SIZE_TEXT_MAX];
    bool lacks_memory = c->missing > 0;
    bool is_short = edges_of(c) > 0 && !ends_soon(c) && memory_from(c) > largest_size(c);
    answer_open(v, doubt, "%lu levels up to %s%s%s%s%s%s", (unsigned long)c->plateaus.count,
                size_text(largest, (uint64_t)largest_size(c)),
                lacks_memory ? "; no memory for " : "",
                lacks_memory ? size_text(missing, (uint64_t)c->missing) : "",
                lacks_memory ? " and more" : "", is_short ? "; memory's sizes go to " : "",
                is_short ? size_text(needed, (uint64_t)memory_from(c)) : "");
}

/* Concludes the verdict on a cache that the curve does not show, or memory that it need not show.
 */
static void conclude_missing(const struct cache_levels *c, size_t level, struct verdict *v)
{
    char largest[SIZE_TEXT_MAX];
    if (ends_soon(c) || doubt_of_memory(c) != REASON_NONE || may_be_cache(c))
        open_end(c, REASON_LEVEL_UNKNOWN, v);
    else if (level < c->cpuid_count && c->cpuid[level] > 0)
        answer_open(v, REASON_CPUID_DIFFERS, "%s, and no plateau shows",
                    size_text(largest, (uint64_t)c->cpuid[level]));
    else
        answer_skip(v, REASON_NO_SUCH_LEVEL, "memory is behind the cache before");
}

/* Returns a capacity as another run may find it. A hypervisor's pages may be small: then their
 * frames crowd some sets of a cache behind L1, others in each run, and CPUID's size may be the
 * whole one. (Tried: 640 to 1024 KB of Zen 4's 1 MB in 30 runs of a guest.) */
static struct interval capacity_told(const struct cache_levels *c, size_t level)
{
    struct interval bytes = capacity_of(c, level);
    if (c->on_hypervisor && level > 0 && against_cpuid(c, level) == 0)
        bytes.high = larger(bytes.high, cpuid_of(c, level));
    return bytes;
}

static enum reason doubt_of_capacity(const struct cache_levels *c, size_t level)
{
    return doubt_of_edge(c, level) ?: doubt_of_hypervisor(c, level) ?: doubt_of_share(c, level);
}

static void judge_bytes(const struct cache_levels *c, size_t level, struct verdict *v)
{
    const struct plateau *p = &c->plateaus.at[level];
    struct interval bytes = capacity_told(c, level);
    if (bytes.low <= SAME * c->cpuid[level] && c->cpuid[level] <= SAME * bytes.high)
        v->needs &= ~(unsigned)NEEDS_WHOLE_PAGES;
    answer(v, bytes, doubt_of_capacity(c, level),
           "the last size of a plateau at %.1f ticks; the next sizes take %.1f or more%s", p->level,
           p[1].level,
           is_shared_cache(c, level) ? "; of a shared cache, the part that others left" : "");
}

/* True if pages are small, or may be, and a level is so near the core that a miss of the first TLB
 * level, which maps only smaller sizes for sure, is a large part of its time. */
static bool misses_add_much(const struct cache_levels *c, size_t level, size_t size)
{
    return is_near(c, level) && may_have_small_pages(c) && c->curve.x[size] > REACHED_BYTES;
}

/* Doubts the time that a flat part of the curve tells. Other sizes of the level may show that it is
 * flat. */
static enum reason doubt_of_latency(const struct cache_levels *c, size_t level,
                                    const struct curve *curve, struct plateau_flat flat,
                                    struct interval t)
{
    if (!(t.high < t.low * WIDEST_LATENCY))
        return REASON_NOT_FLAT;
    if (misses_add_much(c, level, flat.last))
        return REASON_GUEST;
    if (!plateaus_shows(curve, &c->plateaus.at[level], flat))
        return REASON_NO_PLATEAU;
    /* Beside a sibling 16 cycles became 16.4 to 17.8, in one of two runs. */
    return c->variant->shared && level > 0 ? REASON_OTHERS_USE_IT : doubt_of_hypervisor(c, level);
}

/* Puts the value on the only whole number that an interval holds, if it holds one alone. */
static bool make_whole(struct interval *cycles)
{
    double last = (double)(int64_t)cycles->high;
    if (!(cycles->high < 1e6) || last < cycles->low || last - 1 >= cycles->low || last < 1)
        return false;
    cycles->value = last;
    return true;
}

/* Returns the points that tell a cache's time. Near the core, sizes that a first-level TLB maps are
 * enough. */
static struct plateau_flat flat_of(const struct cache_levels *c, size_t level,
                                   const struct curve *curve)
{
    struct plateau p = c->plateaus.at[level];
    while (misses_add_much(c, level, p.last) && p.last > p.core)
        p.last--;
    return plateaus_flat(curve, &p);
}

/* Judges ticks, or cycles, of the sizes whose cycles are flat: the clock may change from size to
 * size. */
static void judge_time(const struct cache_levels *c, size_t level, bool in_cycles,
                       struct verdict *v)
{
    char from[SIZE_TEXT_MAX], to[SIZE_TEXT_MAX], words[VERDICT_METHOD_BYTES];
    struct curve cycles;
    bool has_cycles = collect_cycles(c, &c->plateaus.at[level], &cycles);
    if (in_cycles && !has_cycles) {
        answer_skip(v, REASON_NOT_MEASURED, "the time of an addition, which is a core cycle");
        return;
    }
    const struct curve *curve = has_cycles ? &cycles : &c->curve;
    struct plateau_flat flat = flat_of(c, level, curve);
    struct interval latency = in_cycles ? plateaus_level(&cycles, flat, CORE_CLOCK_ERROR)
                                        : plateaus_level(&c->curve, flat, DRIFT_LEAST);
    double measured = latency.value;
    bool takes_whole = in_cycles && is_near(c, level);
    bool is_whole = takes_whole && make_whole(&latency);
    if (is_near(c, level) && c->on_hypervisor) /* sizes that any first-level TLB maps */
        v->needs &= ~(unsigned)NEEDS_WHOLE_PAGES;
    answer(v, latency, doubt_of_latency(c, level, curve, flat, latency),
           "one chain of dependent loads in %lu size%s, %s to %s: the flat part of the plateau",
           (unsigned long)(flat.last - flat.first + 1), flat.last > flat.first ? "s" : "",
           size_text(from, (uint64_t)c->curve.x[flat.first]),
           size_text(to, (uint64_t)c->curve.x[flat.last]));
    if (takes_whole && (double)(int64_t)latency.high < latency.low) {
        answer_doubt(v, REASON_CONTRADICTS, "%.2f is no whole number, so some loads took longer",
                     measured);
    } else if (is_whole && v->status == VERDICT_OK) {
        memcpy(words, v->method, sizeof words);
        verdict_conclude(v, VERDICT_OK, REASON_NONE, "%.2f, a whole number; %s", measured, words);
    }
}

static void judge_quantity(const struct cache_levels *c, size_t level, enum quantity quantity,
                           const struct verdict_list *verdicts, struct verdict *v)
{
    bool is_memory = level == edges_of(c);
    enum reason doubt = is_memory ? doubt_of_memory(c) : doubt_of_name(c, level, quantity);
    const struct cache_level_sizes sizes = c->sizes[level];
    const char *metric = metrics[quantity];
    bool needs_sizes = metric != NULL || quantity == OVERLAP || (is_memory && quantity != STREAM);
    size_t number = is_memory ? CACHE_LEVELS_MAX : level;
    if (doubt == REASON_NONE && is_memory && needs_sizes && sizes.small == 0)
        doubt = REASON_RANGE_ENDS;
    if (doubt == REASON_RANGE_ENDS)
        open_end(c, doubt, v);
    else if (doubt != REASON_NONE && (!needs_sizes || sizes.small == 0))
        answer_open(v, doubt, "%s", "");
    else if (quantity == STREAM)
        cache_stream_judge(verdict_find(verdicts, c->variant, question_of(number, CYCLES)->name),
                           verdict_find(verdicts, c->variant, question_of(number, READ)->name), v);
    else if (quantity == OVERLAP)
        cache_overlap_judge(
            c->table, is_memory ? last_cache(c) : capacity_of(c, level - 1), level == 1,
            sizes.small, sizes.large,
            is_memory ? NULL
                      : verdict_find(verdicts, c->variant, question_of(number, LATENCY)->name),
            is_memory ? NULL
                      : verdict_find(verdicts, c->variant, question_of(number, CYCLES)->name),
            doubt ?: doubt_of_hypervisor(c, level), v);
    else if (metric != NULL)
        cache_bandwidth_judge(c->table, metric, sizes.small, sizes.large, is_memory, doubt, v);
    else if (quantity == BYTES)
        judge_bytes(c, level, v);
    else if (quantity == RANDOM)
        memory_judge_random(c->table, sizes, doubt, v);
    else if (is_memory)
        memory_judge_latency(c->table, sizes, quantity == CYCLES, doubt, v);
    else
        judge_time(c, level, quantity == CYCLES, v);
    /* Forty runs of a Zen 5 guest wrote 5.4 to 8.9 bytes/cycle to memory, with narrow intervals. */
    if (metric != NULL && c->on_hypervisor && (is_memory || is_shared_cache(c, level)))
        answer_doubt(v, REASON_GUEST, "neighbours may use a part of this level's bandwidth");
    /* They took 352 to 606 ticks for a random line of 256 MB within twenty minutes, each in narrow
     * intervals. 21 or 41 loads seemed under way, as walks of 4 KB pages took 100 or 550 ticks. */
    if (c->on_hypervisor && (quantity == RANDOM || (quantity == OVERLAP && is_memory && is_4k(c))))
        answer_doubt(v, REASON_GUEST, "page walks are the hypervisor's, too");
}

/* Adds a verdict on a cache, or on memory with `number` CACHE_LEVELS_MAX. */
static void judge_verdict(const struct cache_levels *c, size_t number, enum quantity quantity,
                          struct verdict_list *verdicts)
{
    struct verdict *v = verdict_add(verdicts, c->variant, question_of(number, quantity));
    bool is_memory = number == CACHE_LEVELS_MAX;
    size_t level = is_memory ? edges_of(c) : number;
    enum reason doubt;
    if (c->curve.count < 2)
        answer_skip(v, REASON_TOO_FEW_POINTS, "N = 1 at two sizes");
    else if (!is_memory && level >= edges_of(c) &&
             (doubt = doubt_of_name(c, level, quantity)) != REASON_NONE)
        answer_open(v, doubt, "%s", "");
    else if (is_memory ? doubt_of_memory(c) == REASON_NONE && may_be_cache(c)
                       : level >= edges_of(c))
        conclude_missing(c, level, v);
    else
        judge_quantity(c, level, quantity, verdicts, v);
}

/* --- pages of other sizes -------------------------------------------------------------------- */

static bool knows_last(const struct cache_levels *c, size_t last)
{
    return doubt_of_name(c, last, BYTES) == REASON_NONE && doubt_of_edge(c, last) == REASON_NONE;
}

static bool agree_in_last(const struct cache_levels *a, const struct cache_levels *b)
{
    size_t last = edges_of(a) - 1;
    return edges_of(a) > 0 && edges_of(a) == edges_of(b) && knows_last(a, last) &&
           knows_last(b, last) && is_within(last_size(a, last), last_size(b, last), SAME) &&
           is_within(a->plateaus.at[last].level, b->plateaus.at[last].level, SAME);
}

/* Compares with each case that has other pages and is otherwise the same, the largest first. */
static void compare_pages(const struct evidence *e, struct cache_levels *c,
                          struct cache_levels *larger)
{
    struct cache_levels found;
    struct variant other = *c->variant;
    for (unsigned page = PAGE_SIZES; other.has_page && page-- > 0;) {
        other.page = page;
        const struct table *table =
            page == c->variant->page ? NULL : tables_find(e->tables, &other);
        if (table == NULL)
            continue;
        find_cache_levels(table, e->facts, &found);
        if (page > c->variant->page && c->larger_pages == NULL) {
            *larger = found;
            c->larger_pages = larger;
        } else {
            found.larger_pages = c->larger_pages != NULL ? c->larger_pages : c;
        }
        c->last_agrees |= agree_in_last(c, &found);
    }
}

/* Adds all verdicts of a case, level by level: of the usual ones, and of those found beyond. */
static void judge_case(const struct cache_levels *c, struct verdict_list *verdicts)
{
    for (size_t level = 0; level < USUAL || level < edges_of(c); level++)
        for (enum quantity q = 0; q < QUANTITIES; q++)
            if (level > 0 || (q != OVERLAP && q != STREAM))
                judge_verdict(c, level, q, verdicts);
    for (enum quantity q = 0; q <= RANDOM; q++)
        if (q != BYTES)
            judge_verdict(c, CACHE_LEVELS_MAX, q, verdicts);
}

void cache_levels_judge(const struct evidence *e)
{
    const struct tables *tables = e->tables;
    struct cache_levels own, of_larger;
    for (const struct table *t = tables->at; t < tables->at + tables->count; t++) {
        find_cache_levels(t, e->facts, &own);
        compare_pages(e, &own, &of_larger);
        judge_case(&own, e->verdicts);
    }
}

void cache_levels_judge_alone(const struct evidence *e)
{
    struct cache_levels own;
    find_cache_levels(e->table, e->facts, &own);
    judge_verdict(&own, 0, BYTES, e->verdicts);
    judge_verdict(&own, 1, BYTES, e->verdicts);
}

/* --- refinement ------------------------------------------------------------------------------ */

/* Finds neighbouring sizes of an edge that are farther apart than they should be. */
static bool find_size_gap(const double *x, struct plateau_edge edge, struct cache_level_gap *gap)
{
    for (size_t i = edge.low; i < edge.high; i++)
        if (x[i + 1] > x[i] * SAME) {
            *gap = (struct cache_level_gap){(uint64_t)x[i], (uint64_t)x[i + 1]};
            return true;
        }
    return false;
}

/* Returns an edge, up to the last size behind it where the time rises as to another level: a cache
 * too small for a plateau of its own may be there. */
static struct plateau_edge whole_edge_of(const struct cache_levels *c, size_t level)
{
    struct plateau_edge edge = edge_of(c, level);
    const double *y = c->curve.y;
    for (size_t i = edge.high; i < c->plateaus.at[level + 1].core; i++)
        if (y[i + 1] >= y[i] * PLATEAUS_LEAST_RISE)
            edge.high = i + 1;
    return edge;
}

/* Finds the same where a cache's time steps up: one more cache may be there, nearly as fast. With
 * 4 KB pages that is the TLB. */
static bool find_step_gap(const struct cache_levels *c, size_t level, struct cache_level_gap *gap)
{
    const struct plateau *p = &c->plateaus.at[level];
    for (size_t i = p->core; !is_4k(c) && i < p->last; i++)
        if (c->curve.y[i + 1] >= c->curve.y[i] * PLATEAUS_PART_RISE &&
            find_size_gap(c->curve.x, (struct plateau_edge){i, i + 1}, gap))
            return true;
    return false;
}

void cache_levels_plan(const struct table *table, const struct facts *facts,
                       struct cache_levels_plan *plan)
{
    struct cache_levels own;
    find_cache_levels(table, facts, &own);
    size_t count = edges_of(&own), i = 0;
    *plan = (struct cache_levels_plan){.levels = count > 0 ? (unsigned)count + 1 : 0};
    memcpy(plan->sizes, own.sizes, sizeof plan->sizes);
    while (i < count && !find_size_gap(own.curve.x, whole_edge_of(&own, i), &plan->gap) &&
           !find_step_gap(&own, i, &plan->gap))
        i++;
    if (own.missing > 0 || count == 0)
        return;
    /* A hypervisor's processor may have caches that nobody here gets a measurable share of. */
    if (ends_soon(&own) || (may_be_cache(&own) && !own.on_hypervisor))
        plan->larger = (uint64_t)(2 * largest_size(&own));
    else if (own.sizes[count].small == 0)
        plan->larger = (uint64_t)larger(2 * largest_size(&own), memory_from(&own));
}

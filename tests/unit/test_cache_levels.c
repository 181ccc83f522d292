/* test_cache_levels: capacities and latencies from curves of machines that are known. */
#include "../../kernel/analysis/curve.h"
#include "../../kernel/analysis/plateaus.h"
#include "../../kernel/data/case.h"
#include "../../kernel/engine/engine.h"
#include "../../kernel/experiments/experiment.h"
#include "../../kernel/experiments/sweeps/cache_bandwidth_rule.h"
#include "../../kernel/experiments/sweeps/cache_levels.h"
#include "../../kernel/experiments/sweeps/cache_overlap_rule.h"
#include "../../kernel/experiments/sweeps/core_clock.h"
#include "../../kernel/probe/cycle.h"
#include "rows.h"
#include "rules.h"

#include "kit.h"

#define FURTHER 8                  /* of each cache, and of memory */
#define VERDICTS (4 * FURTHER - 2) /* overlap is of all levels but L1 */
#define KILO 1024.0
#define MEGA (1024 * KILO)
#define GIGA (1024 * MEGA)
#define ONE_STEP 1.26
#define WIDEST 2
#define TRIALS 50
#define BUFFERS 12

static const char *const bytes[] = {"l1_bytes", "l2_bytes", "l3_bytes"};
static const char *const cycles[] = {"l1_latency_cycles", "l2_latency_cycles", "l3_latency_cycles",
                                     "memory_latency_cycles"};
static const char *const ticks[] = {"l1_latency", "l2_latency", "l3_latency", "memory_latency"};

/* --- machines -------------------------------------------------------------------------------- */

enum edge { HARD, RANDOM, EARLY, EDGES };

struct machine {
    const char *name;
    unsigned caches;
    double capacity[5];
    double latency[6]; /* of each cache, then of memory */
};

static const struct machine machines[] = {
    {"haswell server", 3, {32 * KILO, 256 * KILO, 20 * MEGA}, {4, 12, 50, 220}},
    {"sapphire rapids", 3, {48 * KILO, 2 * MEGA, 260 * MEGA}, {5, 15, 75, 350}},
    {"zen 3", 3, {32 * KILO, 512 * KILO, 32 * MEGA}, {4, 13, 47, 280}},
    {"zen 5", 3, {48 * KILO, 1 * MEGA, 32 * MEGA}, {2.5, 8.8, 33, 410}},
    {"client", 3, {48 * KILO, 1280 * KILO, 12 * MEGA}, {5, 14, 40, 160}},
    {"small client", 3, {32 * KILO, 256 * KILO, 3 * MEGA}, {4, 12, 30, 180}},
};
#define MACHINES (sizeof machines / sizeof *machines)
#define HASWELL (&machines[0])
#define SAPPHIRE (&machines[1])
#define ZEN5 (&machines[3])

static const struct machine two_caches = {"no L3", 2, {64 * KILO, 1 * MEGA}, {3, 16, 220}};

/* How much of a walk through `size` misses a cache. */
static double misses(enum edge edge, double size, double capacity, bool is_first)
{
    if (edge == EARLY) /* some lines' sets are full before the cache is */
        capacity *= 0.95;
    if (size <= capacity)
        return edge == EARLY && size > 0.6 * capacity ? 0.1 * (size / capacity - 0.6) : 0;
    if (edge == HARD || is_first) /* no first-level cache replaces at random */
        return 1;
    double hits = 0;
    for (unsigned i = 0; i < 200; i++) /* random replacement, h = exp(-(1-h) size / capacity) */
        hits = exp(-(1 - hits) * size / capacity);
    return 1 - hits;
}

/* What 4 KB pages add: a second-level TLB, then walks, then walks that miss the caches. */
static double tlb_cost(double size, double walk)
{
    double second = size > 256 * KILO ? 7 * (1 - 256 * KILO / size) : 0;
    double walks = size > 6 * MEGA ? walk * (1 - 6 * MEGA / size) : 0;
    double far = size > 64 * MEGA ? 2 * walk * (1 - 64 * MEGA / size) : 0;
    return second + walks + far;
}

/* What one more independent load of a random line takes: beyond L1, BUFFERS are under way, and hits
 * in L1 need none. */
static double access_of(const struct machine *m, double size)
{
    double access = 0, before = 0;
    for (unsigned i = 0; i < m->caches; i++) {
        double next = m->latency[i + 1] / BUFFERS;
        access += (next - before) * fmax(0, 1 - m->capacity[i] / size);
        before = next;
    }
    return access;
}

static double latency_of(const struct machine *m, enum edge edge, double size)
{
    double latency = m->latency[0];
    for (unsigned i = 0; i < m->caches; i++)
        latency += (m->latency[i + 1] - m->latency[i]) * misses(edge, size, m->capacity[i], i == 0);
    return latency;
}

/* --- rows ------------------------------------------------------------------------------------ */

struct conditions {
    const struct machine *machine;
    enum edge edge;
    double noise;    /* up to that share more or less */
    double walk;     /* 0: no TLB misses */
    double largest;  /* size; 0: 1 GB */
    double smallest; /* 0: 1 KB */
    double absent;   /* sizes from here on do not fit; 0: all do */
};
#define ON(...) ((struct conditions){.machine = __VA_ARGS__})

/* A case may show more levels than it is given where it is skipped. */
static const struct rule levels = {.judge_all = cache_levels_judge};

SETUP(start)
{
    rows_start("array", &levels, 50, 0);
}

static struct row *add_row(const char *variant, int64_t n, int64_t k, double size)
{
    struct row *row = add(variant, "tsc", n, k, NAN);
    row->bytes = (int64_t)size;
    row->samples = 0;
    return row;
}

static struct row *add_time(const char *variant, int64_t n, int64_t k, double size, double time)
{
    struct row *row = add(variant, "tsc", n, k, time);
    row->bytes = (int64_t)size;
    return row;
}

/* A row of one value, of another metric and of no size. */
static void add_fact(const char *variant, const char *metric, int64_t n, double value)
{
    add(variant, metric, n, ROW_NONE, value);
}

#define CYCLE 0.75 /* ticks */

#define FEW 32 /* independent loads of random lines */
#define MANY 288

/* What a chain of lines of few pages in turn takes, and a few and many independent loads. */
static void add_others(const char *variant, double size, double paged, double access)
{
    for (int64_t k = 32; k <= 288; k += 256)
        name_copy(add_time(variant, 1, k, size, 45 + (double)k * paged)->metric,
                  CACHE_LEVELS_PAGED);
    for (int64_t n = FEW; n <= MANY; n += MANY - FEW)
        name_copy(add_time(variant, n, ROW_NONE, size, 45 + (double)n * access)->metric,
                  CACHE_LEVELS_RANDOM);
}

/* Samples of additions: a cycle each. */
static void add_additions(const char *variant, const char *metric, double size, double cycle)
{
    for (int64_t k = 32; k <= 1312; k += 1280) {
        struct row *row = add_time(variant, ROW_NONE, k, size, 45 + (double)k * cycle);
        name_copy(row->metric, metric);
    }
}

/* A short and a long sample of one chain, and the same of fastest samples; and additions. */
static void add_chain(const char *variant, double size, double load, double fast)
{
    for (int64_t k = 32; k <= 288; k += 256) {
        struct row *row = add_time(variant, 1, k, size, 45 + (double)k * load);
        row->p10 = row->min = 45 + (double)k * fast;
    }
    add_additions(variant, CORE_CLOCK, size, CYCLE);
}

static void add_size(const struct conditions *c, const char *variant, double size)
{
    if (c->absent > 0 && size >= c->absent) {
        add_row(variant, 1, 32, size);
        return;
    }
    double load = latency_of(c->machine, c->edge, size), walks = 0;
    if (c->walk > 0)
        walks = tlb_cost(size, c->walk);
    double factor = 1 + c->noise * (2 * uniform() - 1), other = 1 + c->noise * uniform() / 8;
    add_others(variant, size, (load + walks / CYCLE_PAGE_LINES) * other,
               (access_of(c->machine, size) + walks / BUFFERS) * other);
    load = (load + walks) * factor;
    add_chain(variant, size, load, load);
    for (int64_t k = 32; k <= 288; k += 256) /* N = 1 alone is judged */
        add_time(variant, 2, k, size, 45 + (double)k * load);
}

static bool has_size(const char *variant, int64_t size)
{
    for (ROWS_OF(row, variant, CACHE_LEVELS_RANDOM))
        if (row->bytes == size)
            return true;
    return false;
}

/* As the experiment goes about it: powers of two, then quarters where a plateau ends, then what
 * each level's own answers need. */
static void measure(const struct conditions *c, const char *variant)
{
    size_t first = row_count;
    double largest = c->largest > 0 ? c->largest : GIGA;
    static const struct facts facts;
    struct cache_levels_plan plan;
    for (double size = c->smallest > 0 ? c->smallest : KILO; size <= largest; size *= 2)
        add_size(c, variant, size);
    for (unsigned round = 0; round < 12; round++) {
        struct table table = {&rows[first].variant, rows + first, row_count - first, 0};
        cache_levels_plan(&table, &facts, &plan);
        uint64_t low = plan.gap.low, high = plan.gap.high;
        if (high == 0 && (plan.larger == 0 || c->largest > 0))
            break;
        if (high == 0)
            add_size(c, variant, (double)plan.larger);
        assert_true(low < high || high == 0);
        for (unsigned i = 1; high > 0 && i <= 3; i++)
            add_size(c, variant, (double)(low + (high - low) * i / 4));
    }
    for (unsigned i = 2; i < 2 * plan.levels; i++) {
        const struct cache_level_sizes *sizes = &plan.sizes[i / 2];
        uint64_t size = i % 2 == 0 ? sizes->small : sizes->large;
        if (size > 0 && !has_size(variant, (int64_t)size))
            add_size(c, variant, (double)size);
    }
}

/* The next of all quarters between powers of two. */
static double next_quarter(double size)
{
    return size + exp2(floor(log2(size))) / 4;
}

static void assert_bytes(enum verdict_status status, const char *name, double value, double low,
                         double high)
{
    assert_interval(assert_verdict("2m", name, status, value), low, high);
}

static bool is_ok(const char *variant, const char *name)
{
    return verdict_of(variant, name)->status == OK;
}

/* What is ok must be right: capacities to a step, latencies to a quarter. */
static void assert_none_wrong(const struct conditions *c, const char *variant)
{
    const struct machine *m = c->machine;
    for (unsigned i = 0; i < 3; i++) {
        const struct verdict *v = verdict_of(variant, bytes[i]);
        double true_bytes = i < m->caches ? m->capacity[i] : 0;
        bool is_near = v->value <= true_bytes * ONE_STEP && v->value >= true_bytes / ONE_STEP;
        bool is_narrow = v->low <= v->value && v->high > v->value && v->high <= v->low * WIDEST;
        bool may_miss = c->edge == EARLY || c->walk > 0;
        bool holds = may_miss || (true_bytes >= v->low && true_bytes <= v->high);
        if (v->status == OK && !(is_near && is_narrow && holds))
            fail_msg("%s, edge %d: %s %.0f [%.0f .. %.0f] is not %.0f", m->name, (int)c->edge,
                     v->question->name, v->value, v->low, v->high, true_bytes);
    }
    for (unsigned i = 0; i < 4; i++) {
        const struct verdict *v = verdict_of(variant, ticks[i]);
        double latency = i == 3 ? m->latency[m->caches] : i < m->caches ? m->latency[i] : 0;
        if (v->status == OK && c->walk == 0 && !(fabs(v->value / latency - 1) < 0.25))
            fail_msg("%s, edge %d, up to %.0f: %s %.0f: %s", m->name, (int)c->edge, c->largest,
                     v->question->name, v->value, v->method);
    }
}

/* Judges again when chains through arrays from a size on take so many times as long. */
static void scale_from(double size, double factor)
{
    for (ADDED_ROWS(row))
        if ((double)row->bytes >= size && (row_is(row, "tsc") || row_is(row, CACHE_LEVELS_PAGED)))
            row_scale(row, factor);
    judge();
}

static void judge_machine(const struct conditions *c)
{
    row_count = 0;
    measure(c, "2m");
    judge();
}

static void measure_and_judge(const struct conditions *c)
{
    judge_machine(c);
    assert_compare(verdicts.count, >=, VERDICTS);
    assert_none_wrong(c, "2m");
}

/* Pages of two sizes, each on a machine of its own. */
static void measure_both(const struct machine *large, const struct machine *small)
{
    struct conditions c = {.machine = large};
    row_count = 0;
    measure(&c, "2m");
    c.machine = small;
    measure(&c, "4k");
}

/* --- whole machines -------------------------------------------------------------------------- */

TEST(three_caches)
{
    for (size_t i = 0; i < MACHINES; i++)
        for (enum edge edge = HARD; edge < EDGES; edge++) {
            measure_and_judge(&ON(&machines[i], .edge = edge));
            for (size_t j = 0; j < 4; j++) {
                assert_status("2m", j < 3 ? bytes[j] : ticks[j], OK);
                assert_status("2m", ticks[j], OK);
                const struct verdict *v = verdict_of("2m", cycles[j]);
                double true_cycles = machines[i].latency[j] / CYCLE;
                bool is_whole = fabs(true_cycles - round(true_cycles)) < 0.005 * true_cycles;
                assert_compare(fabs(v->value / true_cycles - 1), <, 0.25);
                assert_int_equal(v->status == OK, j >= 2 || is_whole);
            }
        }
}

/* Without noise and with hard edges the capacity itself is found. */
TEST(exact)
{
    measure_and_judge(&ON(ZEN5));
    assert_bytes(OK, "l1_bytes", 48 * KILO, 48 * KILO, 56 * KILO);
    assert_compare(verdict_of("2m", "l2_bytes")->value, ==, MEGA);
    assert_compare(verdict_of("2m", "l3_bytes")->value, ==, 32 * MEGA);
    assert_compare(fabs(verdict_of("2m", "l1_latency")->value - 2.5), <, 1e-9);
    assert_compare(fabs(verdict_of("2m", "memory_latency")->value - 410), <, 1e-6);
}

/* Both arrays behind the last cache tell memory's time, and it holds both: where they are a third
 * apart, neither is believed. */
TEST(two_arrays_in_memory)
{
    measure(&ON(ZEN5), "2m");
    scale_from(GIGA, 1.1);
    const struct verdict *v = assert_words("2m", "memory_latency", "arrays of 512m and 1g");
    assert_within(v->low, 400, 410);
    assert_within(v->high, 451, 460);
    assert_compare(verdict_of("2m", "memory_latency_cycles")->high * CYCLE, >, 451);
    assert_status("2m", "memory_latency", OK);
    for (ROWS_OF(row, "2m", CORE_CLOCK_BANDWIDTH))
        assert_true(false); /* none yet */
    for (double size = 512 * MEGA; size <= GIGA;
         size *= 2) /* the clock is a tenth slower by then */
        add_additions("2m", CORE_CLOCK_BANDWIDTH, size, CYCLE * 1.1);
    for (ROWS_OF(row, "2m", CACHE_LEVELS_PAGED))
        row_scale(row, 1.1);
    scale_from(GIGA, 1 / 1.1);
    assert_within(assert_status("2m", "memory_latency_cycles", OK)->value, 409 / CYCLE,
                  411 / CYCLE);
    for (ROWS_OF(row, "2m", CACHE_LEVELS_PAGED))
        row_scale(row, 1 / 1.1);
    scale_from(GIGA, 1.43);
    assert_doubt("2m", "memory_latency", "scatter");
    row_count = 0;
    measure(&ON(ZEN5), "2m");
    for (ROWS_OF(row, NULL, CACHE_LEVELS_PAGED))
        row->samples = 0;
    assert_no_value("2m", "memory_latency", SKIP, "lines of few pages in turn");
    assert_near(assert_status("2m", "memory_latency_random", OK)->value, 410);
}

/* Walks are no part of memory's latency, however much they add to random lines. */
TEST(memory_without_walks)
{
    for (double walk = 10; walk <= 40; walk *= 2) {
        row_count = 0;
        measure(&ON(ZEN5), "2m");
        measure(&ON(ZEN5, .walk = walk), "4k");
        judge();
        assert_near(assert_status("4k", "memory_latency", OK)->value, 410);
        assert_near(assert_status("4k", "memory_latency_random", OK)->value,
                    410 + tlb_cost(GIGA, walk));
        assert_near(assert_status("2m", "memory_latency_random", OK)->value, 410);
    }
}

TEST(noise)
{
    unsigned ok = 0, all = 0;
    for (unsigned trial = 0; trial < TRIALS; trial++)
        for (size_t i = 0; i < MACHINES; i++)
            for (enum edge edge = HARD; edge < EDGES; edge++) {
                measure_and_judge(&ON(&machines[i], .edge = edge, .noise = 0.1));
                for (unsigned j = 0; j < 3; j++, all++)
                    ok += is_ok("2m", bytes[j]);
            }
    if (ok < all * 97 / 100)
        fail_msg("only %u of %u capacities are ok", ok, all);
}

static void add_hypervisor(const char *variant)
{
    add_fact(variant, FACTS_HYPERVISOR, ROW_NONE, 1);
}

/* Page walks of a guest are the hypervisor's, too; small pages have one in each load of a chain. */
TEST(random_lines_of_a_guest)
{
    measure(&ON(ZEN5), "2m");
    measure(&ON(ZEN5), "4k");
    assert_status("4k", "memory_latency_random", OK);
    assert_status("4k", "memory_overlap", OK);
    add_hypervisor("2m");
    add_hypervisor("4k");
    assert_doubt("4k", "memory_latency_random", "guest");
    assert_doubt("4k", "memory_overlap", "guest");
    assert_status("4k", "l2_overlap", OK);
    assert_status("2m", "memory_overlap", OK);
}

/* --- machines that cannot be judged whole ---------------------------------------------------- */

TEST(no_third_cache)
{
    for (unsigned trial = 0; trial < TRIALS; trial++)
        for (enum edge edge = HARD; edge < EDGES; edge++) {
            measure_and_judge(&ON(&two_caches, .edge = edge, .noise = 0.1));
            assert_status("2m", "l1_bytes", OK);
            assert_status("2m", "l1_latency", OK);
            assert_no_value("2m", "l3_bytes", SKIP, "no-such-level");
            assert_no_value("2m", "l3_latency", SKIP, "no-such-level");
            assert_status("2m", "memory_latency", OK);
        }
    judge_machine(&ON(&two_caches, .largest = GIGA / 2)); /* a third one may end behind that */
    assert_no_value("2m", "l3_bytes", DOUBT, "level-unknown");
    /* By small pages, memory's plateau has no edge that larger pages could show. */
    measure_both(&two_caches, &two_caches);
    assert_no_value("4k", "l3_bytes", SKIP, "no-such-level");
}

/* Five caches have names, too: a core with three before its L3, and one with a cache behind it. */
TEST(four_and_five_caches)
{
    static const struct machine lion_cove = {
        "lion cove", 4, {48 * KILO, 192 * KILO, 3 * MEGA, 36 * MEGA}, {4, 9, 17, 80, 400}};
    static const struct machine five = {"five",
                                        5,
                                        {32 * KILO, 128 * KILO, 1 * MEGA, 8 * MEGA, 64 * MEGA},
                                        {4, 9, 20, 50, 110, 300}};
    static const struct machine *const both[] = {&lion_cove, &five};
    char name[32];
    for (unsigned trial = 0; trial < TRIALS; trial++)
        for (unsigned i = 0; i < 2; i++) {
            judge_machine(&ON(both[i], .noise = trial > 0 ? 0.05 : 0));
            assert_count((both[i]->caches + 1) * FURTHER - 2);
            for (unsigned j = 0; j < both[i]->caches; j++) {
                snprintf(name, sizeof name, "l%u_bytes", j + 1);
                double value = assert_status("2m", name, OK)->value;
                assert_compare(fabs(log2(value / both[i]->capacity[j])), <, 0.4);
                snprintf(name, sizeof name, "l%u_latency", j + 1);
                value = verdict_of("2m", name)->value; /* 192 KB leave few sizes behind 48 KB */
                assert_true(is_ok("2m", name) || (trial > 0 && j == 1));
                assert_compare(fabs(value / both[i]->latency[j] - 1), <, 0.2);
            }
            double memory = assert_status("2m", "memory_latency", OK)->value;
            assert_compare(fabs(memory / both[i]->latency[both[i]->caches] - 1), <, 0.2);
        }
    judge_machine(&ON(&five));
    add_hypervisor("2m"); /* small pages of the host may be behind an edge */
    assert_status("2m", "l1_bytes", OK);
    assert_doubt("2m", "l2_bytes", "may-be-tlb");
    assert_doubt("2m", "l4_bytes", "may-be-tlb");
    assert_doubt("2m", "memory_latency", "may-be-tlb");
    assert_status("2m", "l2_latency", OK); /* from sizes that any TLB maps */
    assert_compare(fabs(verdict_of("2m", "l2_latency")->value / 9 - 1), <, 0.1);
}

/* The sizes in one more cache agree: only the largest array, behind it, takes longer. */
TEST(a_cache_that_the_largest_array_alone_exceeds)
{
    static const struct machine m = {"third", 3, {32 * KILO, 1 * MEGA, 6 * MEGA}, {4, 15, 42, 107}};
    judge_machine(&ON(&m, .largest = 128 * MEGA));
    assert_status("2m", "memory_latency", OK);
    scale_from(128 * MEGA, 1.68);
    assert_doubt("2m", "memory_latency", "scatter");
    assert_doubt("2m", "memory_latency_cycles", "scatter");
}

/* --- what CPUID contradicts ------------------------------------------------------------------ */

/* Returns the size with which they have to go on, or 0. */
static uint64_t larger_size(void)
{
    struct tables tables;
    struct facts facts = {.step = 0};
    struct cache_levels_plan plan;
    struct row *copy = malloc(row_count * sizeof *copy);
    memcpy(copy, rows, row_count * sizeof *copy);
    void *room = rows_group(copy, row_count, &tables);
    facts_find(&tables, &facts);
    cache_levels_plan(tables.at, &facts, &plan);
    free(room);
    free(copy);
    return plan.larger;
}

/* What CPUID reports of the levels from the first on; 0: nothing. */
static void add_cpuid(const char *variant, double first, double second, double third)
{
    const double sizes[] = {first, second, third};
    for (int64_t level = 1; level <= 3; level++)
        if (sizes[level - 1] > 0)
            add_fact(variant, FACTS_CPUID, level, sizes[level - 1]);
}

/* Two caches whose times are close make one plateau: CPUID alone tells which of them ends it. */
TEST(two_levels_that_are_close)
{
    static const double ends[] = {16 * MEGA, 12 * MEGA, 6 * MEGA};
    struct machine m = {"close", 4, {32 * KILO, 256 * KILO, 0, 48 * MEGA}, {4, 14, 60, 60, 300}};
    for (unsigned i = 0; i < 6; i++) /* 36 MB leave one power of two behind 16 MB */
        for (double rise = 1.2; rise < 1.65; rise += 0.1) {
            m.capacity[2] = ends[i % 3];
            m.capacity[3] = i < 3 ? 48 * MEGA : 36 * MEGA;
            m.latency[3] = m.latency[2] * rise;
            judge_machine(&ON(&m, .noise = 0.02));
            assert_status("2m", "l2_bytes", OK);
            assert_doubt("2m", "l3_bytes", "levels-too-close");
            assert_doubt("2m", "l3_latency", "levels-too-close");
            assert_status("2m", "memory_latency", OK);
        }
    m.capacity[2] = ends[0];
    m.capacity[3] = 48 * MEGA;
    m.latency[3] = 1.25 * m.latency[2];
    judge_machine(&ON(&m));
    add_cpuid("2m", m.capacity[0], m.capacity[1], 48 * MEGA);
    assert_bytes(OK, "l3_bytes", 48 * MEGA, 48 * MEGA, 56 * MEGA);

    m.latency[3] = 2 * m.latency[2];
    m.latency[4] = 1.5 * m.latency[3]; /* memory is as close to the last cache */
    judge_machine(&ON(&m, .noise = 0.005));
    assert_status("2m", "l3_bytes", OK);
    assert_doubt("2m", "memory_latency", "levels-too-close");
}

/* Small pages of a host crowd some sets behind L1: all of what CPUID reports may be there. */
TEST(sizes_up_to_cpuids)
{
    measure_both(HASWELL, HASWELL);
    add_cpuid("2m", 38 * KILO, 400 * KILO, 20 * MEGA);
    for (unsigned is_virtual = 0; is_virtual < 2; is_virtual++) {
        if (is_virtual)
            add_hypervisor("2m");
        assert_int_equal(verdict_of("2m", "l2_bytes")->high == 400 * KILO, is_virtual);
        assert_compare(verdict_of("2m", "l1_bytes")->high, !=, 38 * KILO);
        assert_compare(verdict_of("2m", "l3_bytes")->high, >, 20 * MEGA);
    }
}

/* The last cache's size against CPUID's: a share is at least that. Of a hypervisor's processor it
 * has to be told; what is nearer the core is nobody else's, and may be told wrong there. */
TEST(sizes_against_cpuid)
{
    static const struct {
        double last; /* MB; 0: not told */
        const char *bare, *under;
    } cases[] = {{20, NULL, NULL},
                 {30, NULL, NULL},
                 {480, "others-use-it", "others-use-it"},
                 {8, "cpuid-differs", "cpuid-differs"},
                 {0, NULL, "others-use-it"}};
    for (EACH(c, cases))
        for (unsigned is_virtual = 0; is_virtual < 2; is_virtual++) {
            measure_both(HASWELL, HASWELL);
            for (unsigned j = 0; j < 2; j++) {
                if (is_virtual)
                    add_hypervisor(j ? "4k" : "2m");
                if (c->last > 0)
                    add_cpuid(j ? "4k" : "2m", 32 * KILO, 256 * KILO, c->last * MEGA);
            }
            assert_doubt("2m", "l3_bytes", is_virtual ? c->under : c->bare);
            assert_status("2m", "l1_bytes", OK);
            assert_doubt("2m", "memory_latency", c->last > 256 ? "range-ends" : NULL);
        }
    measure_both(HASWELL, HASWELL);
    add_cpuid("2m", 64 * KILO, 256 * KILO, 20 * MEGA);
    assert_doubt("2m", "l1_bytes", "cpuid-differs");
    add_hypervisor("2m");
    assert_status("2m", "l1_bytes", OK);
}

/* A cache that CPUID tells and the curve does not show. */
TEST(caches_that_only_cpuid_tells)
{
    measure(&ON(&two_caches), "2m");
    add_cpuid("2m", 64 * KILO, MEGA, 0);
    assert_no_value("2m", "l3_bytes", SKIP, "no-such-level");
    assert_status("2m", "memory_latency", OK);
    add_cpuid("2m", 0, 0, 32 * MEGA);
    assert_no_value("2m", "l3_bytes", DOUBT, "32m, and no plateau");
    assert_status("2m", "l2_bytes", OK);
    assert_status("2m", "memory_latency", OK);
    judge_machine(&ON(&two_caches));
    add_cpuid("2m", 64 * KILO, 256 * KILO, 480 * MEGA);
    assert_doubt("2m", "l2_bytes", "level-hidden");
    assert_doubt("2m", "l3_bytes", "3 levels up to 1g");
    assert_doubt("2m", "memory_latency", "3 levels up to 1g");
    assert_int_equal(larger_size(), (uint64_t)(2 * GIGA)); /* a cache may hide, */
    add_hypervisor("2m");
    assert_int_equal(larger_size(), (uint64_t)(2497 * MEGA)); /* or only memory has no sizes */
    assert_doubt("2m", "memory_latency", "memory's sizes go to 2497m");
    judge_machine(&ON(&two_caches));
    add_cpuid("2m", 64 * KILO, MEGA, 150 * MEGA);
    add_hypervisor("2m");
    assert_int_equal(larger_size(), 0);
}

/* The third of four caches is little more than twice as large as the second, and shows as sizes of
 * its edge that agree: what is behind them may be the fourth. A soft edge alone has none. */
TEST(a_small_cache_before_a_large_one)
{
    struct machine m = {
        "four caches", 4, {64 * KILO, 640 * KILO, 1200 * KILO, 64 * MEGA}, {4, 14, 44, 86, 180}};
    judge_machine(&ON(&m));
    assert_status("2m", "l2_bytes", OK);
    assert_doubt("2m", "l3_bytes", "level-hidden");
    assert_doubt("2m", "l3_latency", "level-hidden");
    assert_status("2m", "memory_latency", OK);
    m.capacity[2] = 1408 * KILO; /* the sizes that are measured for it are no plateau yet */
    judge_machine(&ON(&m));
    assert_status("2m", "l2_bytes", OK);
    assert_doubt("2m", "l3_bytes", "levels-too-close");
    assert_doubt("2m", "l3_latency", "levels-too-close");
    assert_status("2m", "memory_latency", OK);
    m.capacity[2] = m.capacity[1];
    for (unsigned edge = 0; edge < EDGES; edge++) {
        judge_machine(&ON(&m, .edge = edge));
        assert_status("2m", "l3_latency", OK);
    }
}

/* Sizes between are measured, where the one power of two is faster than the fourth cache. */
TEST(a_small_cache_that_one_power_of_two_tells)
{
    struct machine m = {
        "four caches", 4, {32 * KILO, 640 * KILO, 0, 40 * MEGA}, {4, 15, 45.5, 90, 378}};
    for (m.capacity[2] = 1550 * KILO; m.capacity[2] < 2300 * KILO; m.capacity[2] += 50 * KILO) {
        judge_machine(&ON(&m));
        assert_none_wrong(&ON(&m), "2m");
        assert_status("2m", "l3_bytes", OK);
        assert_status("2m", "l4_bytes", OK);
    }
}

/* A guest's large pages may be small. Sizes up to 128 KB, which any first-level TLB maps, tell L2;
 * where L1 leaves none of these, a part of the time may be the TLB's. */
TEST(l2_of_small_pages)
{
    struct machine m = {"guest", 3, {48 * KILO, 2 * MEGA, 30 * MEGA}, {5, 16, 70, 300}};
    measure(&ON(&m, .walk = 30, .noise = 0.002), "2m");
    add_hypervisor("2m");
    assert_within(assert_status("2m", "l2_latency", OK)->value, 15.7, 16.3);
    assert_words("2m", "l2_latency", "to 128k");
    m.capacity[0] = 96 * KILO;
    m.capacity[1] = 8 * MEGA;
    judge_machine(&ON(&m, .walk = 30, .noise = 0.002));
    assert_status("2m", "l2_latency", OK); /* without a hypervisor large pages are large */
    add_hypervisor("2m");
    assert_doubt("2m", "l2_latency", "guest");
    assert_doubt("2m", "l2_latency_cycles", "guest");
}

/* --- core cycles ----------------------------------------------------------------------------- */

/* Near the core a latency is a whole number of cycles, if its interval holds one alone. */
TEST(whole_cycles)
{
    struct machine m = {"cycles", 3, {48 * KILO, 2 * MEGA, 30 * MEGA}, {5, 16, 70.4, 300.3}};
    for (unsigned i = 0; i < 4; i++)
        m.latency[i] *= CYCLE;
    measure_and_judge(&ON(&m, .noise = 0.002));
    assert_compare(verdict_of("2m", "l1_latency_cycles")->value, ==, 5);
    const struct verdict *v = assert_words("2m", "l2_latency_cycles", "a whole number");
    assert_compare(v->value, ==, 16);
    assert_within(v->low, 15.8001, 15.9999);
    assert_within(v->high, 16.0001, 16.1999);
    assert_within(verdict_of("2m", "l3_latency_cycles")->value, 69.9, 70.9);
    assert_within(verdict_of("2m", "memory_latency_cycles")->value, 298.3, 302.3);
    m.latency[1] = 16.45 * CYCLE;
    measure_and_judge(&ON(&m));
    assert_near(assert_doubt("2m", "l2_latency_cycles", "contradicts")->value, 16.45);
    for (ROWS_OF(row, NULL, CORE_CLOCK))
        if (row->bytes == 128 * (int64_t)KILO)
            row->samples = 0;
    assert_no_value("2m", "l2_latency_cycles", SKIP, "an addition");
    assert_status("2m", "l2_latency", OK);
}

/* A latency that is not known to a factor of 1.5 is no answer. */
TEST(wide_latencies)
{
    for (unsigned is_wide = 0; is_wide < 2; is_wide++) {
        judge_machine(&ON(HASWELL));
        for (ADDED_ROWS(row))
            if (row->bytes > MEGA && row->bytes < 16 * MEGA && row->k == 288)
                rows_visits(row, 100, is_wide ? 2800 : 500);
        assert_doubt("2m", "l3_latency", is_wide ? "not-flat" : NULL);
    }
}

/* --- overlap --------------------------------------------------------------------------------- */

static const char *const overlaps[] = {"l2_overlap", "l3_overlap", "memory_overlap"};

/* Beyond L1 so many loads are under way, whatever share of the lines hits before. */
TEST(overlap_of_each_level)
{
    for (size_t i = 0; i < MACHINES; i++)
        for (unsigned is_noisy = 0; is_noisy < 2; is_noisy++) {
            judge_machine(&ON(&machines[i], .noise = is_noisy * 0.02));
            for (EACH(name, overlaps)) {
                const struct verdict *v = assert_status("2m", *name, OK);
                assert_within(v->value, 0.95 * BUFFERS, 1.05 * BUFFERS);
                assert_true(v->low < BUFFERS && v->high > BUFFERS);
            }
        }
    assert_none("2m", "l1_overlap");
}

/* Makes so many accesses of L2's arrays be under way, whether they hit L1 or not. */
static void judge_window_in_l2(const struct conditions *c, double overlap, int64_t largest)
{
    judge_machine(c);
    for (ROWS_OF(row, "2m", CACHE_LEVELS_RANDOM))
        if (row->bytes > 32 * (int64_t)KILO && row->bytes <= largest)
            row_scale(row, (45 + (double)row->n * 12 / overlap) / row->median);
}

/* If a window of loads ends the overlap, hits take places of misses, and save no time. Buffers may
 * end it sooner when no load hits: the fewer hit, the less that leaves open. */
TEST(overlap_in_a_window)
{
    judge_window_in_l2(&ON(ZEN5), BUFFERS, MEGA);
    const struct verdict *v = assert_status("2m", "l2_overlap", OK);
    double l2 = verdict_of("2m", "l2_latency")->value / 12 * BUFFERS;
    assert_within(v->high, l2, 1.05 * l2);
    assert_within(v->low, 0.85 * l2, (1 - 48 * KILO / (double)MEGA) * l2);
    judge_window_in_l2(&ON(HASWELL), BUFFERS, 256 * KILO);
    assert_doubt("2m", "l2_overlap", "may-end-first");
}

/* Memory of HASWELL, measured up to so much that a share of its lines hits L3. */
static void judge_with_hits(double small, double large)
{
    measure(&ON(HASWELL, .largest = 128 * MEGA), "2m");
    for (ROWS_OF(row, "2m", CACHE_LEVELS_RANDOM))
        if (row->bytes >= 80 * (int64_t)MEGA) {
            double overlap = row->bytes < 128 * (int64_t)MEGA ? small : large;
            row_scale(row, (45 + (double)row->n * 220 / overlap) / row->median);
        }
}

/* Hits hide that buffers end it a little sooner than a window: the answer is the window's, and
 * holds both. */
TEST(overlap_where_two_limits_are_near)
{
    static const double first[] = {12.2, 12.25};
    for (EACH(small, first)) {
        judge_with_hits(*small, 12.2);
        const struct verdict *v = assert_status("2m", "memory_overlap", OK);
        assert_within(v->value, 12.1, 12.4);
        assert_within(v->high, 12.2, 12.8);
        assert_within(v->low, 10.0, 10.7); /* one in six hits, in a quarter of the time */
    }
}

/* Sizes that agree by no limit show none. */
TEST(overlap_between_two_limits)
{
    static const double first[] = {12.35, 12.5, 12.7};
    for (EACH(small, first)) {
        judge_with_hits(*small, 12.2);
        assert_doubt("2m", "memory_overlap", "may-end-first");
    }
}

/* Both sizes share the error of the level's latency, so it does not hide which limit there is. */
TEST(overlap_of_a_latency_that_scatters)
{
    judge_with_hits(12.2, 12.2);
    struct verdict latency = *verdict_of("2m", "memory_latency");
    struct verdict v = *verdict_of("2m", "memory_overlap");
    struct table table = {&rows[0].variant, rows, row_count, 0};
    latency.high = 1.1 * latency.value;
    cache_overlap_judge(&table, interval_around(20 * MEGA, 0), false, 80 * (uint64_t)MEGA,
                        128 * (uint64_t)MEGA, &latency, NULL, REASON_NONE, &v);
    assert_within(v.value, 12.1, 12.4);
    assert_within(v.high, 1.1 * v.value, 1.11 * v.value);
}

/* An overlap that memory's rate ends is as large without hits, which take nothing of that rate. */
TEST(overlap_that_the_rate_ends)
{
    double l3 = 20, rate = 11;
    judge_with_hits(rate / (1 - l3 / 80), rate / (1 - l3 / 128));
    const struct verdict *v = assert_status("2m", "memory_overlap", OK);
    assert_within(v->value, 0.97 * rate, 1.03 * rate);
}

/* A size that is off hides the rate, which the interval holds all the same. */
TEST(overlap_that_the_rate_may_end)
{
    static const double off[] = {0.98, 0.985, 0.99, 1.01, 1.015, 1.02};
    double l3 = 20, rate = 11;
    for (EACH(factor, off)) {
        judge_with_hits(*factor * rate / (1 - l3 / 80), rate / (1 - l3 / 128));
        const struct verdict *v = assert_doubt("2m", "memory_overlap", "may-end-first");
        assert_true(v->low < rate && v->high > rate);
    }
}

/* Times of visits that scatter so much hide the rate from buffers, and from a window where few
 * lines hit. The interval holds the rate all the same. */
static void judge_by_rate(const struct machine *m, const char *name, double hits, double error)
{
    double rate = 11, latency = m->latency[name[0] == 'l' ? 2 : 3];
    for (ROWS_OF(row, "2m", CACHE_LEVELS_RANDOM))
        if (row->bytes > 3.9 * hits) {
            double time = latency * (1 - hits / (double)row->bytes) / rate;
            row_scale(row, (45 + (double)row->n * time) / row->median);
            rows_visits(row, 400, error * row->median);
        }
    const struct verdict *v = assert_status("2m", name, OK);
    assert_compare(v->low, <, rate);
    assert_compare(v->high, >, rate);
}

TEST(overlap_that_scatter_hides_the_rate_of)
{
    measure(&ON(HASWELL, .largest = 128 * MEGA), "2m");
    judge_by_rate(HASWELL, "memory_overlap", 20 * MEGA, 0.007);
    judge_machine(&ON(&machines[5]));
    judge_by_rate(&machines[5], "l3_overlap", 256 * KILO, 0.012);
}

/* How far runs are part full is the same for both sizes, and does not hide which limit there is. */
TEST(overlap_of_many_buffers)
{
    judge_machine(&ON(HASWELL));
    for (ROWS_OF(row, "2m", CACHE_LEVELS_RANDOM))
        if (row->bytes > 32 * (int64_t)KILO && row->bytes <= 256 * (int64_t)KILO) {
            double hits = 32 * KILO / (double)row->bytes;
            row_scale(row, (45 + (double)row->n * 12 * (1 - hits) / 36) / row->median);
        }
    assert_within(assert_status("2m", "l2_overlap", OK)->value, 35.5, 36.5);
}

/* A clock that differs between sizes may differ between a chain and what it is held against. */
TEST(overlap_beside_a_clock_that_moves)
{
    for (unsigned moves = 0; moves < 2; moves++) {
        judge_machine(&ON(ZEN5));
        for (ROWS_OF(row, "2m", CORE_CLOCK))
            if (row->bytes == (int64_t)GIGA)
                row_scale(row, moves ? 1.1 : 1);
        const struct verdict *v = assert_status("2m", "memory_overlap", OK);
        assert_within(v->high - v->low, (moves ? 0.2 : 0.05) * BUFFERS,
                      (moves ? 0.29 : 0.12) * BUFFERS);
    }
}

/* A miss that takes no longer than a hit waits for no buffer, but for its turn to be dispatched.
 * Hits among these accesses are not under way: without them, buffers may be as few as the misses.
 */
TEST(overlap_that_dispatch_ends)
{
    judge_machine(&ON(ZEN5));
    for (ROWS_OF(row, "2m", CACHE_LEVELS_RANDOM))
        if (row->bytes <= MEGA)
            row_scale(row, (45 + (double)row->n * 0.375) / row->median);
    double l2 = verdict_of("2m", "l2_latency")->value;
    const struct verdict *v = assert_status("2m", "l2_overlap", OK);
    assert_within(v->high, l2 / 0.375, 1.05 * l2 / 0.375);
    assert_within(v->low, 0.88 * l2 / 0.375, (1 - 48 * KILO / (double)MEGA) * l2 / 0.375);
}

/* Conflicts make lines miss in some sizes, where a chain takes longer: those do not count. */
TEST(overlap_without_lines_that_miss)
{
    judge_machine(&ON(ZEN5));
    struct verdict latency = *verdict_of("2m", "l2_latency"), v = *verdict_of("2m", "l2_overlap");
    struct table table = {&rows[0].variant, rows, row_count, 0};
    for (unsigned misses = 0; misses < 2; misses++) {
        for (ROWS_OF(row, "2m", "tsc"))
            if (row->bytes == MEGA && row->n == 1 && row->k == 288)
                row_scale(row, misses ? 1.3 / 1.2 : 1.2);
        cache_overlap_judge(&table, interval_around(48 * KILO, 0), true, 256 * KILO, MEGA, &latency,
                            NULL, REASON_NONE, &v);
        assert_contains(v.method, misses ? "to 768k" : "to 1m");
    }
}

/* Makes the clock slower for some arrays, by a tenth. */
static void slow_down(const char *metric)
{
    for (ROWS_OF(row, "2m", metric))
        if (row->bytes < 16 * (int64_t)MEGA)
            row_scale(row, 1.1);
}

/* A clock that is another one in one array changes no overlap, if each array tells its own. */
TEST(overlap_at_two_clocks)
{
    for (unsigned is_told = 0; is_told < 2; is_told++) {
        judge_machine(&ON(ZEN5));
        double before = verdict_of("2m", "l3_overlap")->value;
        slow_down(CACHE_LEVELS_RANDOM);
        slow_down("tsc");
        slow_down(CORE_CLOCK);
        for (ROWS_OF(row, "2m", CORE_CLOCK))
            row->samples = is_told ? row->samples : 0;
        double now = verdict_of("2m", "l3_overlap")->value / before;
        assert_within(now, is_told ? 0.999 : 1.05, is_told ? 1.001 : 1.11);
    }
}

/* The addresses of long runs are in L2 themselves. Elsewhere long runs tell more: the ends of a run
 * are part of fewer windows. */
TEST(overlap_of_long_runs)
{
    measure(&ON(ZEN5), "2m");
    size_t count = row_count;
    for (size_t i = 0; i < count; i++)
        if (row_is(&rows[i], CACHE_LEVELS_RANDOM) && rows[i].n == MANY) {
            struct row *longer = add_time("2m", 1152, ROW_NONE, (double)rows[i].bytes, 0);
            *longer = rows[i];
            longer->n = 1152;
            row_scale(longer, (45 + (rows[i].median - 45) * 2 * 1152 / MANY) / longer->median);
        }
    assert_within(assert_status("2m", "l2_overlap", OK)->value, 0.95 * BUFFERS, 1.05 * BUFFERS);
    for (unsigned i = 1; i < 3; i++) {
        const struct verdict *v = assert_status("2m", overlaps[i], OK);
        assert_within(v->value, 5.9, 6.1);
        assert_within(v->high - v->low, 2 * 6 * 0.015, 2 * 6 * 0.045);
    }
}

/* Refreshes stop some runs, or most: the mean has them in their share, the median none or one.
 * Whatever stops a run for as long as it takes is no refresh. */
TEST(overlap_of_runs_that_are_stopped)
{
    static const struct {
        double longest, mean, least, most;
    } cases[] = {
        {1.9, 12.0 / 11, 10.8, 11.2}, {1.9, 12.0 / 13, 12.8, 13.2}, {2.1, 12.0 / 11, 11.8, 12.2}};
    for (EACH(c, cases)) {
        judge_machine(&ON(ZEN5));
        for (ROWS_OF(row, "2m", CACHE_LEVELS_RANDOM))
            if (row->bytes > 32 * (int64_t)MEGA) {
                row->mean = 45 + (row->median - 45) * c->mean;
                row->mean_error = row->median / 1000;
                row->max = row->median * c->longest;
            }
        assert_within(assert_status("2m", "memory_overlap", OK)->value, c->least, c->most);
    }
}

/* Sizes that disagree widen the interval, up to a doubt; one size alone is no answer. */
TEST(overlap_of_sizes_that_disagree)
{
    static const struct {
        double factor;
        const char *doubt;
    } cases[] = {{1.02, NULL}, {1.15, "scatter"}, {2, "scatter"}};
    for (EACH(c, cases)) {
        judge_machine(&ON(ZEN5));
        for (ROWS_OF(row, "2m", CACHE_LEVELS_RANDOM))
            if (row->bytes == (int64_t)GIGA)
                row_scale(row, c->factor);
        const struct verdict *v = assert_doubt("2m", "memory_overlap", c->doubt);
        assert_compare(v->low, <, 1.03 * BUFFERS / c->factor);
        assert_compare(v->high, >, 0.96 * BUFFERS);
    }
    for (ROWS_OF(row, "2m", CACHE_LEVELS_RANDOM))
        if (row->bytes > 512 * (int64_t)MEGA)
            row->samples = 0;
    assert_no_value("2m", "memory_overlap", SKIP, "two sizes of this level");
}

/* --- bandwidth ------------------------------------------------------------------------------- */

static void add_stream(const char *metric, double size, double rate)
{
    for (int64_t k = 512; k <= 8704; k += 8192) {
        double time = 45 + (double)k * 64 * CYCLE / rate;
        name_copy(add_time("2m", 64, k, size, time)->metric, metric);
    }
    add_additions("2m", CORE_CLOCK_BANDWIDTH, size, CYCLE);
}

/* Two sizes of a level agree, or they do not. */
TEST(bandwidth)
{
    static const struct facts facts;
    struct cache_levels_plan plan;
    const struct cache_level_sizes *sizes = plan.sizes;
    measure(&ON(HASWELL), "2m");
    struct table table = {&rows[0].variant, rows, row_count, 0};
    cache_levels_plan(&table, &facts, &plan);
    assert_int_equal(plan.levels, 4);
    assert_true(sizes[0].small == 16384 && sizes[0].large == 24576);
    assert_true(sizes[1].small == 131072 && sizes[1].large == 196608);
    assert_true(sizes[3].small > 48 * MEGA && sizes[3].large <= GIGA);
    add_stream(CACHE_BANDWIDTH_READ, 16384, 100);
    add_stream(CACHE_BANDWIDTH_READ, 24576, 110);
    add_stream(CACHE_BANDWIDTH_WRITE, 16384, 50);
    add_stream(CACHE_BANDWIDTH_WRITE, 24576, 68);
    add_stream(CACHE_BANDWIDTH_COPY, 16384, 50);
    const struct verdict *v = assert_status("2m", "l1_read_bandwidth", OK);
    assert_true(fabs(v->value - 105) < 0.5 && v->low <= 100.5 && v->high >= 109.5);
    assert_words("2m", "l1_read_bandwidth", "64-byte accesses to arrays of 16k and 24k");
    for (unsigned is_either = 0; is_either < 2;
         is_either++) { /* of two times, and few medians tell */
        for (ROWS_OF(row, "2m", CACHE_BANDWIDTH_READ))
            if (row->bytes == 16384 && row->k > 1000)
                row->p90 = row->p10 + row->median * (is_either ? 0.16 : 0.14);
        assert_doubt("2m", "l1_read_bandwidth", is_either ? "scatter" : NULL);
    }
    for (ROWS_OF(row, "2m", CACHE_BANDWIDTH_READ))
        row->p90 = row->p10;
    assert_doubt("2m", "l1_write_bandwidth", "scatter");
    for (ROWS_OF(row, "2m",
                 CACHE_BANDWIDTH_WRITE)) /* 50 and 58.6: of one level, but of two speeds */
        if (row->bytes == 24576)
            row_scale(row, (45 + (double)row->k * 64 * CYCLE / 58.6) / row->median);
    assert_doubt("2m", "l1_write_bandwidth", "scatter");
    assert_no_value("2m", "l1_copy_bandwidth", SKIP, "two sizes of this level");
    assert_no_value("2m", "l2_read_bandwidth", SKIP, "two sizes of this level");
    add_stream(CACHE_BANDWIDTH_READ, (double)sizes[3].small, 20);
    add_stream(CACHE_BANDWIDTH_READ, (double)sizes[3].large, 20);
    assert_status("2m", "memory_read_bandwidth", OK);
    add_hypervisor("2m"); /* a guest's neighbours use memory, but not its L1 */
    assert_status("2m", "memory_read_bandwidth", DOUBT);
    struct row *missing = add_row("2m", ROW_NONE, ROW_NONE, ROW_NONE);
    name_copy(missing->metric, CACHE_BANDWIDTH_MISSING);
    name_copy(missing->unit, "no loops");
    assert_status("2m", "l1_read_bandwidth", OK);
    assert_no_value("2m", "l2_read_bandwidth", SKIP, "unavailable");
    for (ADDED_ROWS(row))
        if (row_is(row, CACHE_BANDWIDTH_READ))
            rows_visits(row, 4, 400);
    assert_doubt("2m", "l1_read_bandwidth", "scatter");
}

/* Wherever the sizes end, nothing wrong is ok. */
TEST(every_end)
{
    for (unsigned trial = 0; trial < 5; trial++)
        for (size_t i = 0; i < MACHINES; i++)
            for (double largest = KILO; largest <= GIGA; largest *= 2)
                for (enum edge edge = HARD; edge < EDGES; edge++)
                    measure_and_judge(&(struct conditions){
                        &machines[i], edge, .noise = trial > 0 ? 0.1 : 0, .largest = largest});
}

/* The smallest size without memory is named, wherever its rows are. */
TEST(no_memory_for_more)
{
    measure_and_judge(&ON(SAPPHIRE, .absent = 256 * MEGA));
    assert_status("2m", "l2_bytes", OK);
    assert_doubt("2m", "l3_bytes", "level-unknown");
    assert_doubt("2m", "memory_latency", "no memory for 256m and more");
    measure_and_judge(&ON(HASWELL, .absent = 256 * MEGA));
    assert_status("2m", "memory_latency", OK);
    measure_and_judge(&ON(SAPPHIRE, .largest = 128 * MEGA));
    add_row("2m", 1, 32, GIGA);
    add_row("2m", 1, 32, GIGA / 2);
    add_row("2m", 2, 288, GIGA);
    assert_doubt("2m", "memory_latency", "no memory for 512m and more");
    judge_machine(&ON(SAPPHIRE, .largest = GIGA));
    assert_no_value("2m", "memory_latency", DOUBT, "range-ends");
    add_row("2m", 1, 32, 2 * GIGA);
    assert_doubt("2m", "memory_latency", "no memory for 2g and more");
    /* The plan goes on unless that is why; samples that were discarded had their memory. */
    for (unsigned discarded = 0; discarded <= 100; discarded += 100) {
        judge_machine(&ON(SAPPHIRE, .largest = GIGA / 4));
        add_row("2m", 1, 32, GIGA / 2)->discarded = discarded;
        assert_compare((larger_size() > 0), ==, (discarded > 0));
    }
}

TEST(sizes_start_high)
{
    static const char *const names[] = {"l1_bytes", "l3_bytes", "l3_latency"};
    measure_and_judge(&ON(HASWELL, .smallest = 16 * KILO));
    for (EACH(name, names))
        assert_no_value("2m", *name, DOUBT, "sizes-start-large");
    add_fact("2m", ENGINE_APART, ROW_NONE, 65);
    for (EACH(name, names))
        assert_no_value("2m", *name, DOUBT, "core-was-shared");
}

/* Sizes too coarse to show the second level must not pass the third off as it. */
TEST(hidden_level)
{
    struct conditions c = ON(HASWELL);
    for (double size = KILO; size <= GIGA; size *= 2)
        if (size <= 32 * KILO || size >= MEGA)
            add_size(&c, "2m", size);
    assert_none_wrong(&c, "2m");
    assert_doubt("2m", "l2_bytes", "level-hidden");
    assert_doubt("2m", "l1_bytes", "edge-not-placed");
}

/* --- the TLB --------------------------------------------------------------------------------- */

static void measure_pages(struct conditions c, double walk)
{
    row_count = 0;
    measure(&c, "2m");
    c.walk = walk;
    measure(&c, "4k");
    judge();
    assert_compare(verdicts.count, >=, 2 * VERDICTS);
    assert_none_wrong(&c, "4k");
}

TEST(small_pages)
{
    unsigned ok = 0, all = 0;
    for (unsigned trial = 0; trial < TRIALS / 5; trial++)
        for (size_t i = 0; i < MACHINES; i++)
            for (enum edge edge = HARD; edge < EDGES; edge++)
                for (double walk = 10; walk <= 160; walk *= 2) {
                    measure_pages(ON(&machines[i], .edge = edge, .noise = 0.1), walk);
                    for (unsigned j = 0; j < 2 && walk <= 40; j++, all++)
                        ok += is_ok("4k", bytes[j]);
                }
    if (ok < all * 85 / 100)
        fail_msg("only %u of %u capacities are ok", ok, all);
}

/* Walks that cost as much as memory look like a level; larger pages tell that they are not. */
TEST(tlb_is_no_cache)
{
    for (double walk = 20; walk <= 640; walk *= 2) {
        measure_pages(ON(&two_caches), walk);
        assert_false(is_ok("4k", "l3_bytes"));
        if (is_ok("4k", "memory_latency"))
            assert_near(verdict_of("4k", "memory_latency")->value, 220);
    }
}

/* Larger pages tell nothing of a case that differs in something else. */
TEST(small_pages_alone)
{
    for (unsigned others = 0; others < 2; others++) {
        row_count = 0;
        if (others)
            measure(&ON(HASWELL), "2m");
        measure(&ON(HASWELL, .walk = 20), "4k-nopf");
        assert_status("4k-nopf", "l1_bytes", OK);
        assert_within(assert_status("4k-nopf", "l2_latency", OK)->value, 10.8, 13.2);
        assert_doubt("4k-nopf", "l2_bytes", "may-be-tlb");
        assert_doubt("4k-nopf", "l3_latency", "may-be-tlb");
        assert_doubt("4k-nopf", "memory_latency", "may-be-tlb");
    }
}

/* --- curves that are no machine's ------------------------------------------------------------ */

TEST(flat)
{
    for (double size = KILO; size <= GIGA; size *= 2)
        add_chain("2m", size, 3, 3);
    assert_count(VERDICTS);
    for (size_t i = 0; i < VERDICTS; i++)
        assert_no_value("2m", verdicts.at[i].question->name, DOUBT, "no-edge");
}

static void assert_not_all_ok(void)
{
    assert_compare(verdicts.count, >=, VERDICTS);
    assert_false(is_ok("2m", "l1_bytes") && is_ok("2m", "l2_bytes") && is_ok("2m", "l3_bytes"));
}

/* A slope without steps, as steep as any. */
TEST(slope)
{
    for (double power = 0.05; power < 1.5; power += 0.05) {
        row_count = 0;
        for (double size = KILO; size <= GIGA; size *= pow(2, 0.25))
            add_chain("2m", size, pow(size / KILO, power), pow(size / KILO, power));
        judge();
        assert_not_all_ok();
    }
}

/* An emulator's times mean nothing; they must not crash anything either. */
TEST(garbage)
{
    static const double odd[] = {0, -5, 1e300, -1e300, INFINITY, NAN};
    for (unsigned trial = 0; trial < 500; trial++) {
        row_count = 0;
        for (double size = KILO; size <= GIGA; size *= 2)
            for (int64_t k = 32; k <= 288; k += 256)
                add_time("2m", 1, k, size,
                         uniform() < 0.05 ? odd[(int)(uniform() * 6)] : 1e5 * uniform());
        judge();
        assert_not_all_ok();
    }
}

TEST(too_little)
{
    add_time("2m", 1, 32, KILO, 100); /* one number of steps */
    add_time("2m", 1, 32, 2 * KILO, 100);
    add_time("2m", 2, 32, KILO, 100); /* N = 1 is wanted */
    add_time("2m", 2, 288, KILO, 900);
    add_time("2m", 1, 288, 2 * KILO, 900);
    judge();
    for (size_t i = 0; i < VERDICTS; i++)
        assert_no_value("2m", verdicts.at[i].question->name, SKIP, "N = 1 at two sizes");
}

/* The rule has room for so many sizes, and leaves out the rest. */
TEST(more_sizes_than_there_is_room_for)
{
    for (unsigned i = 0; i < CURVE_MAX + 2; i++)
        add_chain("2m", (i + 1) * KILO, i < 32 ? 4 : 12, i < 32 ? 4 : 12);
    assert_compare(verdict_of("2m", "l1_bytes")->value, ==, 32 * KILO);
}

/* Neither the order of rows, nor sizes and numbers of loads beside the two that a latency is made
 * of. */
TEST(rows_that_do_not_matter)
{
    static struct verdict before[2 * VERDICTS];
    measure_and_judge(&ON(HASWELL, .edge = RANDOM, .noise = 0.1));
    size_t count = verdicts.count;
    memcpy(before, verdicts.at, count * sizeof *before);
    for (double size = KILO; size <= GIGA; size *= 2) {
        add_time("2m", 1, 96, size, 1e9);
        add_time("2m", 1, 96, size + 64, 1e9);
        add_time("2m", 3, 288, size, 1);
    }
    rows_shuffle(rows, row_count);
    judge();
    for (size_t i = 0; i < count; i++)
        assert_true(same_verdict(&before[i], &verdicts.at[i]));
}

/* --- doubts of pages and of evenness --------------------------------------------------------- */

/* Pages of two sizes, each with a second level of its own size; every quarter is measured. */
static void judge_two(double large, double small)
{
    static const char *const names[] = {"2m", "4k"};
    const double second[] = {large, small};
    row_count = 0;
    for (unsigned i = 0; i < 2; i++) {
        struct machine m = *HASWELL;
        struct conditions c = ON(&m);
        m.capacity[1] = second[i];
        for (double size = KILO; size < GIGA; size = next_quarter(size))
            add_size(&c, names[i], size);
        add_size(&c, names[i], second[i]);
    }
    judge();
}

/* Up to a factor of 1.3 they agree; up to 2.5 it is the same level, and its size is in doubt. */
TEST(sizes_within_the_tolerance)
{
    static const double factors[] = {1.29, 1.3, 1.31, 2.5, 2.51};
    const double size = 1000 * KILO;
    for (EACH(factor, factors))
        for (unsigned way = 0; way < 2; way++) {
            double other = *factor * size, small = way ? size : other;
            judge_two(way ? other : size, small);
            assert_doubt("4k", "l2_bytes", *factor > 1.3 ? "may-be-tlb" : NULL);
            assert_verdict("4k", "l2_bytes", *factor > 1.3 ? DOUBT : OK,
                           *factor > 2.5 ? NAN : (double)(int64_t)small);
        }
}

/* Sizes that end within the last edge go on; a curve without edges has no end to find. */
TEST(sizes_that_end_too_soon)
{
    static const double l3 = 24 * MEGA;
    struct machine m = {"ends", 3, {48 * KILO, 2 * MEGA, l3}, {5, 15, 60, 300}};
    for (double largest = MEGA; largest <= GIGA; largest *= 2) {
        judge_machine(&ON(&m, .largest = largest));
        bool is_soon = largest < 4 * l3; /* before, a cache may hide, and hits in the last count */
        assert_int_equal(larger_size(), is_soon ? (uint64_t)(2 * largest) : 0);
    }
}

/* --- intervals of capacities ----------------------------------------------------------------- */

/* From the last size that hardly left 50 ticks to the first that is most of the way to 220. Where
 * the fastest samples are still fast, others may have made the rest slow. */
TEST(soft_edges)
{
    static const struct {
        unsigned count;          /* of sizes above 20 MB: 24, 28, 32, 40, 48 and 56 MB */
        double load[6], fast[6]; /* ticks */
        double value, low, high; /* MB */
        const char *doubt;
    } cases[] = {
        {4, {60, 90, 110, 130}, {60, 90, 110, 130}, 28, 24, 40, NULL},
        {6, {220, 220, 220, 220, 220, 220}, {60, 60, 60, 60, 60, 60}, 20, 20, 64, "gradual-edge"},
        {3, {200, 200, 200}, {200, 190, 200}, 20, 20, 24, NULL},
        {1, {200}, {60}, 20, 20, 28, NULL},
        /* 28 MB is slow at best, 32 MB is not: it is not the size */
        {3, {200, 200, 200}, {60, 190, 60}, 20, 20, 40, "gradual-edge"},
        /* a cache that replaces at random is lost as late as that */
        {2, {200, 200}, {190, 60}, 20, 20, 32, NULL},
    };
    for (EACH(c, cases)) {
        unsigned soft = 0;
        row_count = 0;
        for (double size = KILO; size < GIGA; size = next_quarter(size))
            if (size > 20 * MEGA && soft < c->count) {
                add_chain("2m", size, c->load[soft], c->fast[soft]);
                soft++;
            } else {
                add_size(&ON(HASWELL), "2m", size);
            }
        assert_interval(assert_answer("2m", "l3_bytes", c->value * MEGA, c->doubt), c->low * MEGA,
                        c->high * MEGA);
    }
}

/* --- what pages of another size say ---------------------------------------------------------- */

TEST(the_third_level_on_a_hypervisor)
{
    static const struct {
        double capacity, latency; /* of the third level with 4 KB pages */
        bool agree;
    } cases[] = {{20 * MEGA, 50, true},
                 {20 * MEGA, 64, true},
                 {20 * MEGA, 66, false},
                 {24 * MEGA, 50, true},
                 {28 * MEGA, 50, false}};
    static const double *const told = machines[0].capacity;
    for (EACH(c, cases))
        for (unsigned is_virtual = 0; is_virtual < 2; is_virtual++) {
            const char *doubt = is_virtual && !c->agree ? "guest" : NULL;
            struct machine m = *HASWELL;
            m.capacity[2] = c->capacity;
            m.latency[2] = c->latency;
            measure_both(HASWELL, &m);
            for (unsigned j = 0; j < 2 && is_virtual; j++) {
                add_hypervisor(j ? "4k" : "2m");
                add_cpuid(j ? "4k" : "2m", told[0], told[1], told[2]);
            }
            assert_doubt("2m", "l3_bytes", doubt);
            assert_doubt("2m", "l3_latency", doubt);
            if (doubt != NULL)
                assert_status("4k", "l3_bytes", DOUBT);
            assert_status("2m", "l2_bytes", OK);
            assert_status("2m", "memory_latency", OK);
        }
    /* Nobody there to agree: no other case, or one that does not know itself. */
    judge_machine(&ON(HASWELL));
    add_hypervisor("2m");
    assert_answer("2m", "l3_bytes", 20 * MEGA, "guest");
    assert_doubt("2m", "l3_latency", "guest");
    measure(&ON(HASWELL, .largest = 32 * MEGA), "4k");
    assert_doubt("2m", "l3_bytes", "guest");
}

/* --- intervals of latencies ------------------------------------------------------------------ */

/* A latency is that of the first octave that is flat, and its interval holds all of that. */
TEST(flat_parts_of_latencies)
{
    unsigned at = 0;
    for (double size = KILO; size < GIGA; size = next_quarter(size)) {
        double load = latency_of(HASWELL, HARD, size) * (1 + at++ % 11 * 0.01);
        add_chain("2m", size, load, load);
    }
    const struct verdict *v = assert_words("2m", "l1_latency", "5 sizes, 1k to 2k");
    assert_near(v->value, 4 * 1.02);
    assert_interval(v, 4 - 0.015 * v->value, 4 * 1.04 + 0.015 * v->value);
}

/* In cycles a latency is as uncertain as in ticks, where the cycles are certain. */
TEST(errors_of_latencies_in_cycles)
{
    measure_and_judge(&ON(HASWELL));
    for (ADDED_ROWS(row))
        if (row_is(row, "tsc"))
            rows_spread(row, 20000);
    const struct verdict *in_ticks = verdict_of("2m", "l3_latency");
    const struct verdict *in_cycles = verdict_of("2m", "l3_latency_cycles");
    assert_compare(in_ticks->high, >, 1.1 * in_ticks->value);
    assert_compare(fabs(in_cycles->high * CYCLE / in_ticks->high - 1), <, 0.01);
    assert_compare(fabs(in_cycles->low * CYCLE / in_ticks->low - 1), <, 0.01);
}

/* Gives every row that spread. */
static const struct verdict *spread_all(double distance)
{
    for (ADDED_ROWS(row))
        rows_spread(row, distance);
    return verdict_of("2m", "l1_latency");
}

/* Each size's own error is in it, that of both its rows; and it is never below 0. */
TEST(errors_of_latencies)
{
    measure_and_judge(&ON(HASWELL));
    assert_interval(verdict_of("2m", "l1_latency"), 4 * 0.985, 4 * 1.015);
    const struct verdict *v = spread_all(100);
    struct interval one = curve_median(&rows[0]);
    double error = sqrt(2) * (one.high - one.value) / 256;
    assert_compare(error, >, 0.04);
    assert_interval(v, v->value - error, v->value + error);
    v = spread_all(1e5);
    assert_true(v->low == 0 && v->value == 4 && v->high > 8);
}

/* --- plateaus that are not shown ------------------------------------------------------------- */

/* Adds sizes in KB and their cycles, of which there are so many. */
static void add_curve(const double (*points)[2], size_t count)
{
    for (size_t i = 0; i < count; i++) {
        double size = points[i][0] * KILO, load = points[i][1] * CYCLE;
        add_chain("4k", size, load, load);
    }
}

/* A level whose time rises from size to size has none, whole numbers or not. The first sizes that
 * agree, beyond those that any TLB maps, show it. */
TEST(a_slope_is_no_plateau)
{
    static const double first[][2] = {{4, 4}, {8, 4}, {16, 4}, {24, 4}, {32, 4}};
    static const double slope[][2] = {{48, 8}, {64, 10}, {128, 11}, {192, 12}};
    static const double plateau[][2] = {{48, 8}, {64, 10}, {128, 12}, {192, 12}};
    static const double rest[][2] = {{384, 12},    {512, 12},    {768, 40},  {1024, 40},
                                     {2048, 40},   {4096, 40},   {8192, 40}, {32768, 220},
                                     {65536, 220}, {131072, 220}};
    for (unsigned is_slope = 0; is_slope < 2; is_slope++) {
        rows_clear();
        add_curve(first, sizeof first / sizeof *first);
        add_curve(is_slope ? slope : plateau, 4);
        add_curve(rest, sizeof rest / sizeof *rest);
        assert_doubt("4k", "l2_latency_cycles", is_slope ? "no-plateau" : NULL);
        assert_doubt("4k", "l2_latency", is_slope ? "no-plateau" : NULL);
        assert_near(verdict_of("4k", "l2_latency_cycles")->value, is_slope ? 11 : 12);
    }
}

/* Of a last cache that ends soon, few sizes are well past the one before: they show no plateau,
 * unless those before them take as long. */
TEST(a_cache_little_larger_than_the_one_before)
{
    static const struct {
        double last, hits; /* MB; ticks of sizes that still hit the cache before */
        const char *doubt;
    } cases[] = {{3.4, 46, "no-plateau"}, {4.1, 46, NULL}, {3.4, 50, NULL}};
    for (EACH(c, cases)) {
        rows_clear();
        for (double size = KILO; size < GIGA; size = next_quarter(size)) {
            double load = size <= 32 * KILO        ? 4
                          : size <= MEGA           ? 12
                          : size < 2.5 * MEGA      ? c->hits
                          : size <= c->last * MEGA ? 50
                                                   : 220;
            add_chain("2m", size, load, load);
        }
        assert_doubt("2m", "l3_latency", c->doubt);
    }
}

/* Sizes well past L2 that are faster than those behind them are of a cache of its own, if the clock
 * is not, and no neighbour of a guest makes a slope. */
TEST(a_cache_between_two_others)
{
    static const struct {
        double last, load,
            cycle; /* MB up to which sizes take up to so many ticks, at such a clock */
        bool is_guest;
        const char *doubt;
    } cases[] = {
        {2, 88, CYCLE, false, "level-hidden"}, {1, 88, CYCLE, false, NULL},
        {2, 104, CYCLE, false, NULL},          {2, 88, CYCLE * 0.8, false, NULL},
        {2, 88, CYCLE, true, "guest"},
    };
    for (EACH(c, cases)) {
        rows_clear();
        for (double size = KILO; size < GIGA; size = next_quarter(size)) {
            bool is_before = size > 512 * KILO && size <= c->last * MEGA;
            double load = size <= 32 * KILO    ? 4
                          : size <= 512 * KILO ? 16
                          : is_before          ? c->load * pow(size / (2 * MEGA), 0.25)
                          : size <= 48 * MEGA  ? 104
                                               : 220;
            add_chain("2m", size, load, load);
            for (ROWS_OF(row, "2m", CORE_CLOCK))
                if (is_before && row->bytes == (int64_t)size)
                    row_scale(row, c->cycle / CYCLE);
        }
        if (c->is_guest)
            add_hypervisor("2m");
        assert_doubt("2m", "l3_latency", c->doubt);
    }
}

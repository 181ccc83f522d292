/* test_array_rule: capacities and latencies from curves of machines that are known. */
#include "../../kernel/analysis/curve.h"
#include "../../kernel/analysis/plateaus.h"
#include "../../kernel/experiments/caches/array_rule.h"
#include "../../kernel/experiments/experiment.h"
#include "rows.h"
#include "rules.h"

#include "kit.h"

#define VERDICTS 7
#define KILO 1024.0
#define MEGA (1024 * KILO)
#define GIGA (1024 * MEGA)
#define ONE_STEP 1.26
#define WIDEST 2
#define TRIALS 100

/* --- machines -------------------------------------------------------------------------------- */

enum edge { HARD, RANDOM, EARLY, EDGES };

struct machine {
    const char *name;
    unsigned caches;
    double capacity[3];
    double latency[4]; /* of each cache, then of memory */
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

static double latency_of(const struct machine *m, enum edge edge, double size)
{
    double ticks = m->latency[0];
    for (unsigned i = 0; i < m->caches; i++)
        ticks += (m->latency[i + 1] - m->latency[i]) * misses(edge, size, m->capacity[i], i == 0);
    return ticks;
}

/* --- rows ------------------------------------------------------------------------------------ */

struct conditions {
    const struct machine *machine;
    enum edge edge;
    double noise;    /* up to that share more or less */
    double walk;     /* 0: no TLB misses */
    double largest;  /* size */
    double smallest; /* 0: 1 KB */
    double absent;   /* sizes from here on do not fit; 0: all do */
};

SETUP(start)
{
    rows_clear();
}

static struct row *add_row(const char *variant, int64_t n, int64_t k, double bytes)
{
    struct row *row = rows_add("array", variant, n, k, NAN);
    row->bytes = (int64_t)bytes;
    row->samples = 0;
    return row;
}

static void set_time(struct row *row, double ticks)
{
    row->samples = 50;
    row->min = row->p10 = row->median = row->p90 = row->max = row->mean = ticks;
}

static void add_time(const char *variant, int64_t n, int64_t k, double bytes, double ticks)
{
    set_time(add_row(variant, n, k, bytes), ticks);
}

static void add_size(const struct conditions *c, const char *variant, double bytes)
{
    if (c->absent > 0 && bytes >= c->absent) {
        add_row(variant, 1, 32, bytes);
        return;
    }
    double ticks = latency_of(c->machine, c->edge, bytes);
    if (c->walk > 0)
        ticks += tlb_cost(bytes, c->walk);
    ticks *= 1 + c->noise * (2 * uniform() - 1);
    for (int64_t n = 1; n <= 2; n++) {
        add_time(variant, n, 32, bytes, 45 + 32 * ticks);
        add_time(variant, n, 288, bytes, 45 + 288 * ticks);
    }
}

/* As the experiment goes about it: powers of two, then quarters where a plateau ends. */
static void measure(const struct conditions *c, const char *variant)
{
    size_t first = row_count;
    double smallest = c->smallest > 0 ? c->smallest : KILO;
    struct array_gap gap;

    for (double bytes = smallest; bytes <= c->largest; bytes *= 2)
        add_size(c, variant, bytes);
    for (unsigned round = 0; round < 12; round++) {
        struct table table = {&rows[first].of, rows + first, row_count - first};
        if (!array_next_gap(&table, &gap))
            return;
        assert_true(gap.low < gap.high);
        for (unsigned i = 1; i <= 3; i++)
            add_size(c, variant, (double)(gap.low + (gap.high - gap.low) * i / 4));
    }
}

static void judge(void)
{
    compare_rows(rule_array.compare);
}

static void measure_and_judge(const struct conditions *c)
{
    row_count = 0;
    measure(c, "2m");
    judge();
    assert_int_equal(verdicts.count, VERDICTS);
}

static bool is_ok(const char *name)
{
    return verdict_of("2m", name)->status == VERDICT_OK;
}

static void assert_ok(const char *variant, const char *name)
{
    assert_status(variant, name, VERDICT_OK);
}

static void assert_doubt(const char *variant, const char *name, const char *why)
{
    assert_says(variant, name, VERDICT_DOUBT, why);
}

/* What is ok must be right: capacities to a step, latencies to a quarter. */
static void assert_none_wrong(const struct conditions *c, const char *variant)
{
    static const char *const bytes[] = {"l1_bytes", "l2_bytes", "l3_bytes"};
    static const char *const ticks[] = {"l1_latency", "l2_latency", "l3_latency"};
    const struct machine *m = c->machine;

    for (unsigned i = 0; i < 3; i++) {
        const struct verdict *v = verdict_of(variant, bytes[i]);
        double true_bytes = i < m->caches ? m->capacity[i] : 0;
        if (v->status == VERDICT_OK &&
            (v->value > true_bytes * ONE_STEP || v->value < true_bytes / ONE_STEP))
            fail_msg("%s, edge %d: %s %.0f is not %.0f", m->name, (int)c->edge, v->name, v->value,
                     true_bytes);
        if (v->status == VERDICT_OK)
            assert_true(v->low <= v->value && v->high > v->value && v->high <= v->low * WIDEST);
        if (v->status == VERDICT_OK && c->edge != EARLY && c->walk == 0 &&
            (true_bytes < v->low || true_bytes > v->high))
            fail_msg("%s, edge %d: %s is in %.0f to %.0f, not %.0f", m->name, (int)c->edge, v->name,
                     v->low, v->high, true_bytes);
        v = verdict_of(variant, ticks[i]);
        if (v->status == VERDICT_OK && c->walk == 0)
            assert_true(i < m->caches && fabs(v->value / m->latency[i] - 1) < 0.25);
    }
    const struct verdict *v = verdict_of(variant, "memory_latency");
    if (v->status == VERDICT_OK && c->walk == 0 &&
        fabs(v->value / m->latency[m->caches] - 1) >= 0.25)
        fail_msg("%s, edge %d, up to %.0f: memory_latency %.0f: %s", m->name, (int)c->edge,
                 c->largest, v->value, v->method);
}

/* --- whole machines -------------------------------------------------------------------------- */

TEST(three_caches)
{
    for (size_t i = 0; i < MACHINES; i++)
        for (enum edge edge = HARD; edge < EDGES; edge++) {
            struct conditions c = {.machine = &machines[i], .edge = edge, .largest = GIGA};
            measure_and_judge(&c);
            for (size_t j = 0; j < VERDICTS; j++)
                if (verdicts.at[j].status != VERDICT_OK)
                    fail_msg("%s, edge %d: %s: %s", machines[i].name, (int)edge,
                             verdicts.at[j].name, verdicts.at[j].method);
            assert_none_wrong(&c, "2m");
        }
}

/* Without noise and with hard edges the capacity itself is found. */
TEST(exact)
{
    struct conditions c = {.machine = &machines[3], .edge = HARD, .largest = GIGA};

    measure_and_judge(&c);
    assert_true(verdict_of("2m", "l1_bytes")->value == 48 * KILO);
    assert_true(verdict_of("2m", "l1_bytes")->high == 56 * KILO);
    assert_true(verdict_of("2m", "l2_bytes")->value == MEGA);
    assert_true(verdict_of("2m", "l3_bytes")->value == 32 * MEGA);
    assert_true(fabs(verdict_of("2m", "l1_latency")->value - 2.5) < 1e-9);
    assert_true(fabs(verdict_of("2m", "memory_latency")->value - 410) < 1e-6);
    assert_string_equal(verdict_of("2m", "l1_bytes")->unit, "bytes");
    assert_string_equal(verdict_of("2m", "memory_latency")->unit, "ticks");
}

TEST(noise)
{
    unsigned ok = 0, all = 0;

    for (unsigned trial = 0; trial < TRIALS; trial++)
        for (size_t i = 0; i < MACHINES; i++)
            for (enum edge edge = HARD; edge < EDGES; edge++) {
                struct conditions c = {
                    .machine = &machines[i], .edge = edge, .noise = 0.1, .largest = GIGA};
                measure_and_judge(&c);
                assert_none_wrong(&c, "2m");
                ok += is_ok("l1_bytes") + is_ok("l2_bytes") + is_ok("l3_bytes");
                all += 3;
            }
    if (ok < all * 97 / 100)
        fail_msg("only %u of %u capacities are ok", ok, all);
}

/* --- machines that cannot be judged whole ---------------------------------------------------- */

TEST(no_third_cache)
{
    for (unsigned trial = 0; trial < TRIALS; trial++)
        for (enum edge edge = HARD; edge < EDGES; edge++) {
            struct conditions c = {
                .machine = &two_caches, .edge = edge, .noise = 0.1, .largest = GIGA};
            measure_and_judge(&c);
            assert_none_wrong(&c, "2m");
            assert_ok("2m", "l1_bytes");
            assert_ok("2m", "l1_latency");
            assert_doubt("2m", "l3_bytes", "3 plateaus up to 1g");
            assert_doubt("2m", "l3_latency", "3 plateaus up to 1g");
            assert_doubt("2m", "memory_latency", "3 plateaus up to 1g");
        }
}

TEST(sizes_end_before_memory)
{
    struct conditions c = {.machine = &machines[1], .largest = 128 * MEGA};

    measure_and_judge(&c);
    assert_none_wrong(&c, "2m");
    assert_ok("2m", "l1_bytes");
    assert_ok("2m", "l2_bytes");
    assert_ok("2m", "l2_latency");
    assert_doubt("2m", "l3_bytes", "3 plateaus up to 128m");
    assert_doubt("2m", "memory_latency", "3 plateaus up to 128m");
}

/* Wherever the sizes end, nothing wrong is ok. */
TEST(every_end)
{
    for (unsigned trial = 0; trial < 10; trial++)
        for (size_t i = 0; i < MACHINES; i++)
            for (double largest = KILO; largest <= GIGA; largest *= 2)
                for (enum edge edge = HARD; edge < EDGES; edge++) {
                    struct conditions c = {.machine = &machines[i],
                                           .edge = edge,
                                           .noise = trial > 0 ? 0.1 : 0,
                                           .largest = largest};
                    measure_and_judge(&c);
                    assert_none_wrong(&c, "2m");
                }
}

TEST(no_memory_for_more)
{
    struct conditions c = {.machine = &machines[1], .largest = GIGA, .absent = 256 * MEGA};

    measure_and_judge(&c);
    assert_ok("2m", "l2_bytes");
    assert_doubt("2m", "l3_bytes", "up to 128m: which levels the last are is open; no memory for");
    assert_doubt("2m", "memory_latency", "no memory for 256m and more");
    c.machine = &machines[0];
    measure_and_judge(&c);
    assert_ok("2m", "memory_latency");
    assert_words("2m", "memory_latency", "no memory for more");
}

TEST(sizes_start_high)
{
    static const char *const why = "the sizes start too high";
    struct conditions c = {.machine = &machines[0], .largest = GIGA, .smallest = 16 * KILO};

    measure_and_judge(&c);
    assert_doubt("2m", "l1_bytes", why);
    assert_doubt("2m", "l3_bytes", why);
    assert_doubt("2m", "memory_latency", why);
    assert_true(isnan(verdict_of("2m", "l1_bytes")->value));
}

/* Sizes too coarse to show the second level must not pass the third off as it. */
TEST(hidden_level)
{
    struct conditions c = {.machine = &machines[0], .edge = HARD};

    row_count = 0;
    for (double bytes = KILO; bytes <= 32 * KILO; bytes *= 2)
        add_size(&c, "2m", bytes);
    for (double bytes = MEGA; bytes <= GIGA; bytes *= 2)
        add_size(&c, "2m", bytes);
    judge();
    assert_none_wrong(&c, "2m");
    assert_doubt("2m", "l2_bytes", "a level may hide in it");
    assert_doubt("2m", "l1_bytes", "too far apart");
}

/* --- the TLB --------------------------------------------------------------------------------- */

static void measure_pages(struct conditions c, double walk)
{
    row_count = 0;
    measure(&c, "2m");
    c.walk = walk;
    measure(&c, "4k");
    judge();
    assert_int_equal(verdicts.count, 2 * VERDICTS);
    assert_none_wrong(&c, "4k");
}

TEST(small_pages)
{
    unsigned ok = 0, all = 0;

    for (unsigned trial = 0; trial < TRIALS / 5; trial++)
        for (size_t i = 0; i < MACHINES; i++)
            for (enum edge edge = HARD; edge < EDGES; edge++)
                for (double walk = 10; walk <= 160; walk *= 2) {
                    struct conditions c = {
                        .machine = &machines[i], .edge = edge, .noise = 0.1, .largest = GIGA};
                    measure_pages(c, walk);
                    if (walk > 40)
                        continue;
                    ok += verdict_of("4k", "l1_bytes")->status == VERDICT_OK;
                    ok += verdict_of("4k", "l2_bytes")->status == VERDICT_OK;
                    all += 2;
                }
    if (ok < all * 85 / 100)
        fail_msg("only %u of %u capacities are ok", ok, all);
}

/* Walks that cost as much as memory look like a level; larger pages tell that they are not. */
TEST(tlb_is_no_cache)
{
    struct conditions c = {.machine = &two_caches, .edge = HARD, .largest = GIGA};

    for (double walk = 20; walk <= 640; walk *= 2) {
        measure_pages(c, walk);
        assert_true(verdict_of("4k", "l3_bytes")->status == VERDICT_DOUBT);
        assert_true(verdict_of("4k", "memory_latency")->status == VERDICT_DOUBT);
    }
}

TEST(small_pages_alone)
{
    struct conditions c = {.machine = &machines[0], .edge = HARD, .walk = 20, .largest = GIGA};

    row_count = 0;
    measure(&c, "4k");
    judge();
    assert_ok("4k", "l1_bytes");
    assert_doubt("4k", "l2_bytes", "4 KB pages alone");
    assert_doubt("4k", "memory_latency", "4 KB pages alone");
}

/* Larger pages tell nothing of a case that differs in something else. */
TEST(larger_pages_of_the_same_kind)
{
    struct conditions c = {.machine = &machines[0], .edge = HARD, .largest = GIGA};

    row_count = 0;
    measure(&c, "2m");
    c.walk = 20;
    measure(&c, "4k-nopf");
    judge();
    assert_doubt("4k-nopf", "l2_bytes", "4 KB pages alone");
}

/* --- curves that are no machine's ------------------------------------------------------------ */

TEST(flat)
{
    for (double size = KILO; size <= GIGA; size *= 2) {
        add_time("2m", 1, 32, size, 100);
        add_time("2m", 1, 288, size, 900);
    }
    judge();
    for (size_t i = 0; i < VERDICTS; i++) {
        assert_doubt("2m", verdicts.at[i].name, "does not rise in steps");
        assert_true(isnan(verdicts.at[i].value));
    }
}

/* A slope without steps, as steep as any. */
TEST(slope)
{
    for (double power = 0.05; power < 1.5; power += 0.05) {
        row_count = 0;
        for (double size = KILO; size <= GIGA; size *= pow(2, 0.25)) {
            add_time("2m", 1, 32, size, 32 * pow(size / KILO, power));
            add_time("2m", 1, 288, size, 288 * pow(size / KILO, power));
        }
        judge();
        assert_false(is_ok("l1_bytes") && is_ok("l2_bytes") && is_ok("l3_bytes"));
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
        assert_int_equal(verdicts.count, VERDICTS);
        assert_false(is_ok("l1_bytes") && is_ok("l2_bytes") && is_ok("l3_bytes"));
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
    for (size_t i = 0; i < VERDICTS; i++) {
        assert_int_equal(verdicts.at[i].status, VERDICT_SKIP);
        assert_non_null(strstr(verdicts.at[i].method, "needs N = 1"));
    }
}

TEST(order_of_rows)
{
    static struct verdict before[VERDICTS];
    struct conditions c = {.machine = &machines[0], .edge = RANDOM, .noise = 0.1, .largest = GIGA};

    measure_and_judge(&c);
    memcpy(before, verdicts.at, sizeof before);
    rows_shuffle(rows, row_count);
    judge();
    for (size_t i = 0; i < VERDICTS; i++) {
        assert_string_equal(verdicts.at[i].method, before[i].method);
        assert_memory_equal(&verdicts.at[i].value, &before[i].value, sizeof(double));
    }
}

/* --- one chain's latency --------------------------------------------------------------------- */

/* Only the shortest and the longest chain of a size count, and only where there is one chain. */
TEST(other_chains_are_not_judged)
{
    static struct verdict before[VERDICTS];
    struct conditions c = {.machine = &machines[0], .edge = HARD, .largest = GIGA};

    measure_and_judge(&c);
    memcpy(before, verdicts.at, sizeof before);
    for (double bytes = KILO; bytes <= GIGA; bytes *= 2) {
        add_time("2m", 1, 96, bytes, 1e9);
        add_time("2m", 2, 288, bytes, 1e9);
        add_time("2m", 2, 32, bytes, 45);
    }
    judge();
    for (size_t i = 0; i < VERDICTS; i++)
        assert_true(same_verdict(&before[i], &verdicts.at[i]));
}

/* Verdicts are those of chains, whatever random lines take. */
TEST(random_lines_are_not_judged)
{
    static struct verdict before[VERDICTS];
    struct conditions c = {.machine = &machines[0], .edge = HARD, .largest = GIGA};

    measure_and_judge(&c);
    memcpy(before, verdicts.at, sizeof before);
    for (double bytes = KILO; bytes <= GIGA; bytes *= 2)
        for (int64_t n = 1; n <= 288; n += 287) {
            add_time("2m", n, 1, bytes, 1e3 * (double)n * uniform());
            name_copy(rows[row_count - 1].metric, ARRAY_RANDOM);
        }
    judge();
    for (size_t i = 0; i < VERDICTS; i++)
        assert_true(same_verdict(&before[i], &verdicts.at[i]));
}

/* The smallest size without memory is named, wherever its rows are. */
TEST(missing)
{
    struct conditions c = {.machine = &machines[1], .largest = 128 * MEGA};

    measure(&c, "2m");
    add_row("2m", 1, 32, GIGA);
    add_row("2m", 1, 32, GIGA / 2);
    add_row("2m", 2, 288, GIGA);
    judge();
    assert_doubt("2m", "memory_latency", "no memory for 512m and more");
}

/* --- doubts of pages and of evenness --------------------------------------------------------- */

/* Both kinds of pages, each with a second level of its own size; every quarter is measured. */
static void judge_two(double large, double small)
{
    static const char *const names[] = {"2m", "4k"};
    const double second[] = {large, small};

    row_count = 0;
    for (unsigned i = 0; i < 2; i++) {
        struct machine m = machines[0];
        struct conditions c = {.machine = &m, .edge = HARD};
        m.capacity[1] = second[i];
        for (double bytes = KILO; bytes <= GIGA / 2; bytes *= 2)
            for (unsigned quarter = 4; quarter < 8; quarter++)
                add_size(&c, names[i], bytes * quarter / 4);
        add_size(&c, names[i], second[i]);
    }
    judge();
}

/* Up to a factor of 1.3 they agree; up to 2.5 it is the same level, and its size is in doubt. */
TEST(sizes_within_the_tolerance)
{
    static const struct {
        double factor;
        enum verdict_status status;
        bool has_value;
    } cases[] = {{1.29, VERDICT_OK, true},
                 {1.3, VERDICT_OK, true},
                 {1.31, VERDICT_DOUBT, true},
                 {2.5, VERDICT_DOUBT, true},
                 {2.51, VERDICT_DOUBT, false}};
    const double size = 1000 * KILO;

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        for (unsigned way = 0; way < 2; way++) {
            double other = cases[i].factor * size;
            judge_two(way ? other : size, way ? size : other);
            const struct verdict *v = verdict_of("4k", "l2_bytes");
            if (v->status != cases[i].status || !isnan(v->value) != cases[i].has_value)
                fail_msg("%.2f, way %u: %f, %s", cases[i].factor, way, v->value, v->method);
            if (cases[i].status == VERDICT_DOUBT)
                assert_doubt("4k", "l2_bytes", "elsewhere with larger pages");
            if (cases[i].has_value)
                assert_true(v->value == (double)(int64_t)(way ? size : other));
        }
}

/* From the first uneven plateau on, itself included, nothing has a name. */
TEST(uneven_plateau)
{
    static const char *const bytes[] = {"l1_bytes", "l2_bytes", "l3_bytes"};
    static const char *const ticks[] = {"l1_latency", "l2_latency", "l3_latency"};
    static const double from[] = {2 * KILO, 64 * KILO, 1 * MEGA}, to[] = {28, 224, 16 * KILO};

    for (unsigned uneven = 0; uneven < 3; uneven++) {
        const struct machine *m = &machines[0];
        unsigned far = 0;
        row_count = 0;
        for (double size = KILO; size <= GIGA / 2; size *= 2)
            for (unsigned quarter = 4; quarter < 8; quarter++) {
                double here = size * quarter / 4, t = latency_of(m, HARD, here);
                if (here > from[uneven] && here < to[uneven] * KILO && ++far % 2 == 0)
                    t *= 1.69;
                add_time("2m", 1, 32, here, 45 + 32 * t);
                add_time("2m", 1, 288, here, 45 + 288 * t);
            }
        judge();
        for (unsigned i = 0; i < 3; i++)
            if (i >= uneven) {
                assert_doubt("2m", bytes[i], "uneven");
                assert_doubt("2m", ticks[i], "uneven");
            } else {
                assert_ok("2m", bytes[i]);
                assert_ok("2m", ticks[i]);
            }
        assert_ok("2m", "memory_latency"); /* what comes last, behind whatever caches */
    }
}

TEST(uneven_memory)
{
    unsigned far = 0;
    row_count = 0;
    for (double size = KILO; size <= GIGA / 2; size *= 2)
        for (unsigned quarter = 4; quarter < 8; quarter++) {
            double here = size * quarter / 4, t = latency_of(&machines[0], HARD, here);
            if (here > 128 * MEGA && ++far % 2 == 0)
                t *= 1.69;
            add_time("2m", 1, 32, here, 45 + 32 * t);
            add_time("2m", 1, 288, here, 45 + 288 * t);
        }
    judge();
    assert_ok("2m", "l3_latency");
    assert_doubt("2m", "memory_latency", "uneven");
}

/* Where the sizes end within the last edge, they go on; a core without edges has nothing to find.
 */
TEST(sizes_that_end_too_soon)
{
    static const double l3 = 24 * MEGA;
    struct machine m = {"ends", 3, {48 * KILO, 2 * MEGA, l3}, {5, 15, 60, 300}};
    struct conditions c = {.machine = &m, .edge = HARD};
    for (c.largest = MEGA; c.largest <= GIGA; c.largest *= 2) {
        row_count = 0;
        measure(&c, "2m");
        struct table table = {&rows[0].of, rows, row_count};
        bool is_soon = c.largest > l3 ? c.largest < 3 * l3 : c.largest == 4 * MEGA;
        assert_int_equal(array_ends_at(&table), is_soon ? (uint64_t)c.largest : 0);
    }
}

/* --- intervals of capacities ----------------------------------------------------------------- */

/* Every quarter, with this time and this fastest tenth in the sizes above 20 MB. */
static void add_soft_edge(const double *ticks, const double *fast, unsigned count)
{
    struct conditions c = {.machine = &machines[0], .edge = HARD};
    unsigned soft = 0;

    for (double bytes = KILO; bytes <= GIGA / 2; bytes *= 2)
        for (unsigned quarter = 4; quarter < 8; quarter++) {
            double size = bytes * quarter / 4;
            if (size <= 20 * MEGA || soft == count) {
                add_size(&c, "2m", size);
                continue;
            }
            for (int64_t k = 32; k <= 288; k += 256) {
                add_time("2m", 1, k, size, 45 + (double)k * ticks[soft]);
                rows[row_count - 1].p10 = rows[row_count - 1].min = 45 + (double)k * fast[soft];
            }
            soft++;
        }
    judge();
}

/* From the last size that hardly left 50 ticks to the first that is most of the way to 220. */
TEST(soft_edges)
{
    static const double slow[] = {60, 90, 110, 130};
    static const double after[] = {220, 220, 220, 220, 220, 220},
                        at_best[] = {60, 60, 60, 60, 60, 60};

    add_soft_edge(slow, slow, 4); /* 24, 28, 32 and 40 MB */
    const struct verdict *v = assert_status("2m", "l3_bytes", VERDICT_OK);
    assert_true(v->value == 28 * MEGA && v->low == 24 * MEGA && v->high == 40 * MEGA);
    row_count = 0;
    add_soft_edge(after, at_best, 6); /* up to 56 MB */
    v = assert_says("2m", "l3_bytes", VERDICT_DOUBT, "too soft");
    assert_true(v->low == 20 * MEGA && v->high == 64 * MEGA);
}

/* Where the fastest samples are still fast it may be others who made the rest slow. */
TEST(sizes_slow_by_others)
{
    static const double slow[] = {200, 200, 200}, fast[] = {60, 190, 60}, all[] = {200, 190, 200};

    add_soft_edge(slow, all, 3);
    const struct verdict *v = assert_status("2m", "l3_bytes", VERDICT_OK);
    assert_true(v->value == 20 * MEGA && v->low == v->value && v->high == 24 * MEGA);
    row_count = 0;
    add_soft_edge(slow, fast, 1);
    v = assert_status("2m", "l3_bytes", VERDICT_OK);
    assert_true(v->value == 20 * MEGA && v->low == v->value && v->high == 28 * MEGA);
    row_count = 0;
    add_soft_edge(slow, fast, 3); /* 28 MB is slow at best, 32 MB is not: it is not the size */
    v = assert_status("2m", "l3_bytes", VERDICT_OK);
    assert_true(v->value == 20 * MEGA && v->low == v->value && v->high == 40 * MEGA);
}

/* --- what pages of another size say ---------------------------------------------------------- */

static void add_hypervisor(const char *variant)
{
    struct row *row = add_row(variant, ROW_NONE, ROW_NONE, ROW_NONE);
    set_time(row, 1);
    name_copy(row->metric, ARRAY_HYPERVISOR);
}

/* The second machine's third level in the 4 KB case; a hypervisor is told in both, or in none. */
static void judge_third(double capacity, double latency, bool virtual)
{
    struct machine m = machines[0];
    struct conditions large = {.machine = &machines[0], .edge = HARD, .largest = GIGA};
    struct conditions small = {.machine = &m, .edge = HARD, .largest = GIGA};

    row_count = 0;
    m.capacity[2] = capacity;
    m.latency[2] = latency;
    measure(&large, "2m");
    measure(&small, "4k");
    if (virtual) {
        add_hypervisor("2m");
        add_hypervisor("4k");
    }
    judge();
}

TEST(the_third_level_on_a_hypervisor)
{
    static const struct {
        double capacity, latency;
        bool agree;
    } cases[] = {{20 * MEGA, 50, true},
                 {20 * MEGA, 64, true},
                 {20 * MEGA, 66, false},
                 {24 * MEGA, 50, true},
                 {28 * MEGA, 50, false}};
    static const char *const third[] = {"l3_bytes", "l3_latency"};

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        for (unsigned way = 0; way < 2; way++) {
            judge_third(cases[i].capacity, cases[i].latency, way);
            for (unsigned j = 0; j < 2; j++)
                if (way && !cases[i].agree)
                    assert_doubt("2m", third[j], "on a hypervisor");
                else
                    assert_ok("2m", third[j]);
            if (way && !cases[i].agree)
                assert_true(verdict_of("4k", "l3_bytes")->status == VERDICT_DOUBT);
            assert_ok("2m", "l2_bytes");
            assert_ok("2m", "memory_latency");
        }
}

/* Nobody there to agree: no other case, or one that does not know itself. */
TEST(alone_on_a_hypervisor)
{
    struct conditions c = {.machine = &machines[0], .edge = HARD, .largest = GIGA};

    row_count = 0;
    measure(&c, "2m");
    add_hypervisor("2m");
    judge();
    const struct verdict *v = assert_says("2m", "l3_bytes", VERDICT_DOUBT, "on a hypervisor");
    assert_true(v->value == 20 * MEGA);
    assert_doubt("2m", "l3_latency", "on a hypervisor");
    c.largest = 32 * MEGA;
    measure(&c, "4k");
    judge();
    assert_doubt("2m", "l3_bytes", "on a hypervisor");
}

/* No first-level cache depends on pages: of two sizes that exclude each other neither is ok. */
TEST(two_first_levels)
{
    struct machine m = machines[0];
    struct conditions large = {.machine = &machines[0], .edge = HARD, .largest = GIGA};
    struct conditions small = {.machine = &m, .edge = HARD, .largest = GIGA};

    row_count = 0;
    m.capacity[0] = 48 * KILO;
    measure(&large, "2m");
    measure(&small, "4k");
    judge();
    assert_doubt("2m", "l1_bytes", "elsewhere with other pages");
    assert_doubt("4k", "l1_bytes", "elsewhere with");
    assert_ok("2m", "l2_bytes");
    rows_clear();
    m.capacity[0] = 40 * KILO; /* 32 to 40, and 40 to 48 */
    measure(&large, "2m");
    measure(&small, "4k");
    judge();
    assert_ok("2m", "l1_bytes");
}

/* --- intervals of latencies ------------------------------------------------------------------ */

/* A latency's interval is from a plateau's first decile to its last, and 1.5 percent more. */
TEST(deciles_of_latencies)
{
    struct conditions c = {.machine = &machines[0], .edge = HARD};
    unsigned at = 0;

    for (double size = KILO; size <= GIGA / 2; size *= 2)
        for (unsigned quarter = 4; quarter < 8; quarter++) {
            double t = latency_of(c.machine, HARD, size * quarter / 4) * (1 + at++ % 11 * 0.01);
            add_time("2m", 1, 32, size * quarter / 4, 45 + 32 * t);
            add_time("2m", 1, 288, size * quarter / 4, 45 + 288 * t);
        }
    judge();
    const struct verdict *v = verdict_of("2m", "l1_latency");
    assert_int_equal(v->status, VERDICT_OK);
    assert_true(v->low >= 4 * 0.985 && v->low <= 4 * 1.01);
    assert_true(v->value >= 4 * 1.04 && v->value <= 4 * 1.06);
    assert_true(v->high >= 4 * 1.09 && v->high <= 4 * 1.12);
}

/* Each size's own error is in it, that of both its rows; and it is never below 0. */
TEST(errors_of_latencies)
{
    struct conditions c = {.machine = &machines[0], .edge = HARD, .largest = GIGA};

    measure_and_judge(&c);
    const struct verdict *v = verdict_of("2m", "l1_latency");
    assert_true(near(v->low, 4 * 0.985) && near(v->high, 4 * 1.015));
    for (size_t i = 0; i < row_count; i++)
        rows_spread(&rows[i], 100);
    judge();
    struct interval one = curve_median(&rows[0]);
    double reach = sqrt(2) * (one.high - one.value) / 256;
    v = verdict_of("2m", "l1_latency");
    assert_true(reach > 0.04 && near(v->high - v->value, reach) && near(v->value - v->low, reach));
    for (size_t i = 0; i < row_count; i++)
        rows_spread(&rows[i], 1e5);
    judge();
    v = verdict_of("2m", "l1_latency");
    assert_true(v->low == 0 && v->value == 4 && v->high > 8);
}

static bool has_uneven(const struct plateaus *plateaus)
{
    bool uneven = false;
    for (size_t i = 0; i < plateaus->count; i++)
        uneven |= plateaus->at[i].uneven;
    return uneven;
}

/* Of levels that were tried and given up nothing is said. */
TEST(only_plateaus_that_there_are)
{
    static struct curve curve;
    static struct plateaus_workspace workspace;
    struct plateaus plateaus;
    unsigned even = 0;

    for (unsigned trial = 0; trial < 400; trial++) {
        row_count = 0;
        curve.count = 0;
        for (double size = KILO; size <= MEGA; size *= 1.25) {
            double t = size < 40 * KILO ? 4 : 12;
            t *= size > 256 * KILO && below(2) ? 0.75 + uniform() : 1;
            add_time("2m", 1, 0, (double)(int64_t)size, 0);
            add_time("2m", 1, 1024, (double)(int64_t)size, 1024 * t);
            curve.x[curve.count] = (double)(int64_t)size;
            curve.y[curve.count++] = t;
        }
        plateaus_find(&curve, &workspace, &plateaus);
        judge();
        if (has_uneven(&plateaus))
            continue;
        even++;
        for (size_t i = 0; i < verdicts.count; i++)
            assert_null(strstr(verdicts.at[i].method, "uneven"));
    }
    assert_true(even > 100);
}

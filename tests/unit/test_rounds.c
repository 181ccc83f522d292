/* test_sweep: rounds, stop rule and discarding, on a platform, a clock and samples made up here. */
#include "../../kernel/probe/native.h"
#include "../../kernel/probe/sweep.h"
#include "fake_platform.h"
#include "kit.h"

#define POINTS_MAX 40
#define VISITS_MAX 100000
#define TICKS_PER_SECOND 1000000
#define ENDLESS 1000000 /* so many visits mean that it never ends */
#define ROUNDING 1e-12  /* shares are added in each round's own order */

/* What is taken for point p's sample number i, counted from 0. */
typedef uint32_t script(uint32_t p, uint32_t i);

static struct fake_platform fake;

static struct {
    uint64_t now, visit_ticks; /* the clock, and how long a visit takes */

    script *script;
    uint32_t taken[POINTS_MAX];
    uint32_t visited[VISITS_MAX];
    unsigned visits;
    bool (*smi_happens)(unsigned visit); /* during that visit */

    unsigned progress_calls;
    double progress;
} made;

/* In place of kernel/probe/native.c: time is what the visits say. */
uint64_t native_ticks(void)
{
    assert_true(fake.inside);
    return made.now++;
}

static void visit(void *context, uint32_t point, uint32_t *ticks, unsigned count)
{
    assert_ptr_equal(context, &made);
    assert_true(fake.inside);
    assert_in_range(count, 1, SWEEP_VISIT_SAMPLES);
    assert_true(point < POINTS_MAX);
    for (unsigned i = 0; i < count; i++)
        ticks[i] = made.script(point, made.taken[point]++);
    assert_true(made.visits < ENDLESS);
    if (made.visits < VISITS_MAX)
        made.visited[made.visits] = point;
    if (made.smi_happens != NULL && made.smi_happens(made.visits))
        fake.smis++;
    made.visits++;
    made.now += made.visit_ticks;
}

static void progress(void *context, double done)
{
    assert_ptr_equal(context, &made.progress);
    assert_false(fake.inside);
    assert_true(done >= 0 && done <= 1 + ROUNDING);
    assert_true(done >= made.progress - ROUNDING);
    made.progress = done;
    made.progress_calls++;
}

SETUP(start)
{
    memset(&made, 0, sizeof made);
    made.visit_ticks = TICKS_PER_SECOND / 1000;
    fake_platform_open(&fake);
    fake.platform.ticks_per_second = TICKS_PER_SECOND;
    fake.smi_known = true;
}

static uint64_t hash(uint64_t x)
{
    x = (x ^ x >> 33) * 0xff51afd7ed558ccdu;
    x = (x ^ x >> 33) * 0xc4ceb9fe1a85ec53u;
    return x ^ x >> 33;
}

static uint32_t constant(uint32_t p, uint32_t i)
{
    (void)i;
    return 100 + p;
}

static uint32_t noisy(uint32_t p, uint32_t i)
{
    return (uint32_t)(100 + hash((uint64_t)p << 32 | i) % 600); /* never 8 times the median */
}

static uint32_t mixed(uint32_t p, uint32_t i)
{
    return p % 2 ? constant(p, i) : noisy(p, i);
}

static void open(struct sweep *sweep, uint32_t count, struct sweep_rules rules, uint64_t seed)
{
    assert_null(sweep_open(sweep, &fake.platform, count, &rules, seed));
    assert_int_equal(sweep->count, count);
    for (uint32_t i = 0; i < count; i++)
        assert_int_equal(sweep->points[i].count, 0);
}

static void run(struct sweep *sweep, script *samples)
{
    made.script = samples;
    assert_true(sweep_run(sweep, visit, &made, progress, &made.progress));
}

static void close(struct sweep *sweep)
{
    sweep_close(sweep);
    fake_platform_assert_returned(&fake);
}

TEST(constant_samples_stop_early)
{
    static const struct {
        uint32_t min, max, wanted;
    } cases[] = {
        {1, 1000, 25},    {25, 1000, 25},     {26, 1000, 50}, {30, 1000, 50}, {100, 1000, 100},
        {101, 1000, 125}, {1000, 1000, 1000}, {60, 60, 60},   {10, 10, 10},
    };

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct sweep sweep;
        start();
        open(&sweep, 7, (struct sweep_rules){cases[i].min, cases[i].max, 0.01, 1}, i);
        run(&sweep, constant);
        for (uint32_t p = 0; p < 7; p++) {
            assert_int_equal(sweep.points[p].count, cases[i].wanted);
            assert_int_equal(made.taken[p], cases[i].wanted);
            assert_int_equal(sweep.points[p].discarded, 0);
            assert_int_equal(sweep.points[p].sorted[0], 100 + p);
            assert_int_equal(sweep.points[p].sorted[cases[i].wanted - 1], 100 + p);
        }
        close(&sweep);
    }
}

TEST(noisy_samples_stop_at_the_most)
{
    static const uint32_t most[] = {25, 26, 100, 110, 1999};

    for (size_t i = 0; i < sizeof most / sizeof *most; i++) {
        struct sweep sweep;
        start();
        open(&sweep, 5, (struct sweep_rules){10, most[i], 0.0001, 1}, i);
        run(&sweep, noisy);
        for (uint32_t p = 0; p < 5; p++) {
            assert_int_equal(sweep.points[p].count, most[i]);
            assert_int_equal(made.taken[p], most[i]);
        }
        close(&sweep);
    }
}

/* Somewhere between both, as soon as it is precise and never before. */
TEST(stops_when_precise)
{
    enum { MIN = 50, MAX = 5000, POINTS = 10 };
    struct sweep sweep;
    unsigned between = 0;

    open(&sweep, POINTS, (struct sweep_rules){MIN, MAX, 0.05, 1}, 1);
    run(&sweep, noisy);
    for (uint32_t p = 0; p < POINTS; p++) {
        const struct distribution *d = &sweep.points[p];
        uint32_t memory[MAX];
        struct distribution earlier;
        assert_in_range(d->count, MIN, MAX);
        assert_true(distribution_is_precise(d, 0.05));
        between += d->count > MIN && d->count < MAX;
        distribution_init(&earlier, memory, MAX);
        for (uint32_t i = 0; i < d->count; i++) {
            if (i >= MIN && i % SWEEP_VISIT_SAMPLES == 0)
                assert_false(distribution_is_precise(&earlier, 0.05));
            distribution_add(&earlier, noisy(p, i));
        }
        assert_memory_equal(memory, d->sorted, d->count * sizeof *memory);
    }
    assert_true(between >= POINTS / 2);
    close(&sweep);
}

/* Each failing in turn: a reason, and what was there is given back. */
TEST(not_enough_memory)
{
    struct sweep_rules rules = {10, 100, 0.01, 1};
    struct sweep sweep;
    unsigned needed;

    open(&sweep, 20, rules, 1);
    needed = fake.allocations;
    close(&sweep);
    assert_true(needed > 0);
    for (unsigned failing = 1; failing <= needed; failing++) {
        start();
        fake.failing = failing;
        const char *reason = sweep_open(&sweep, &fake.platform, 20, &rules, 1);
        assert_non_null(reason);
        assert_non_null(strstr(reason, "memory"));
        assert_int_equal(fake.live, 0);
        assert_int_equal(fake.live_bytes, 0);
    }
}

/* Every round is a permutation of the points left, and no two rounds are alike. */
TEST(rounds)
{
    enum { POINTS = 30, ROUNDS = 40 };
    struct sweep sweep;
    unsigned same = 0;

    open(&sweep, POINTS, (struct sweep_rules){10, ROUNDS * SWEEP_VISIT_SAMPLES, 0, 1}, 5);
    run(&sweep, noisy);
    assert_int_equal(made.visits, POINTS * ROUNDS);
    for (unsigned round = 0; round < ROUNDS; round++) {
        bool seen[POINTS] = {false};
        const uint32_t *visited = made.visited + round * POINTS;
        for (unsigned i = 0; i < POINTS; i++) {
            assert_false(seen[visited[i]]);
            seen[visited[i]] = true;
            same += round > 0 && visited[i] == visited[(int)i - POINTS];
        }
    }
    /* One point of a round in the place it had before is what chance gives. */
    assert_in_range(same, 0, 3 * ROUNDS);
    close(&sweep);
}

TEST(first_round_is_random_too)
{
    enum { POINTS = 30 };
    struct sweep sweep;
    unsigned in_place = 0;

    open(&sweep, POINTS, (struct sweep_rules){1, 25, 0, 1}, 2);
    run(&sweep, constant);
    for (unsigned i = 0; i < POINTS; i++)
        in_place += made.visited[i] == i;
    assert_in_range(in_place, 0, 8);
    close(&sweep);
}

/* A point that is done is not visited again; the others still are. */
TEST(finished_points_are_left_out)
{
    struct sweep sweep;

    open(&sweep, 20, (struct sweep_rules){50, 500, 0, 1}, 3);
    run(&sweep, mixed);
    for (uint32_t p = 0; p < 20; p++)
        assert_int_equal(made.taken[p], p % 2 ? 50 : 500);
    assert_int_equal(made.visits, 10 * 2 + 10 * 20);
    close(&sweep);
}

static void visits_of_seed(uint64_t seed, uint32_t *visited, unsigned *visits)
{
    struct sweep sweep;

    start();
    open(&sweep, 15, (struct sweep_rules){30, 300, 0.05, 1}, seed);
    run(&sweep, mixed);
    memcpy(visited, made.visited, made.visits * sizeof *visited);
    *visits = made.visits;
    close(&sweep);
}

TEST(same_seed_same_order)
{
    static uint32_t first[VISITS_MAX], again[VISITS_MAX], other[VISITS_MAX];
    unsigned visits, visits_again, visits_other;

    visits_of_seed(42, first, &visits);
    visits_of_seed(42, again, &visits_again);
    visits_of_seed(43, other, &visits_other);
    assert_int_equal(visits, visits_again);
    assert_memory_equal(first, again, visits * sizeof *first);
    assert_int_equal(visits, visits_other); /* the same samples, only in another order */
    assert_memory_not_equal(first, other, visits * sizeof *first);
}

static bool every_third(unsigned visit_number)
{
    return visit_number % 3 == 0;
}

static bool always(unsigned visit_number)
{
    (void)visit_number;
    return true;
}

/* All samples of a visit during which one happened are counted and none is kept. */
TEST(smi_discards_the_visit)
{
    struct sweep sweep;

    made.smi_happens = every_third;
    open(&sweep, 1, (struct sweep_rules){100, 200, 0, 1}, 1);
    run(&sweep, noisy);
    const struct distribution *d = &sweep.points[0];
    /* Visits 0, 3, 6, 9 lost; 1, 2, 4, 5, 7, 8, 10, 11 kept. */
    assert_int_equal(made.visits, 12);
    assert_int_equal(d->count, 200);
    assert_int_equal(d->discarded, 4 * SWEEP_VISIT_SAMPLES);
    uint64_t sum = 0;
    for (uint32_t i = 0; i < 12 * SWEEP_VISIT_SAMPLES; i++)
        if (!every_third(i / SWEEP_VISIT_SAMPLES))
            sum += noisy(0, i);
    assert_true(d->sum == sum);
    close(&sweep);
}

TEST(smi_count_unknown)
{
    struct sweep sweep;

    fake.smi_known = false;
    made.smi_happens = always;
    open(&sweep, 3, (struct sweep_rules){50, 200, 0.01, 1}, 1);
    run(&sweep, constant);
    for (uint32_t p = 0; p < 3; p++) {
        assert_int_equal(sweep.points[p].count, 50);
        assert_int_equal(sweep.points[p].discarded, 0);
    }
    close(&sweep);
}

/* Of ten samples one is more than eight times the others, another exactly that. */
static uint32_t jumping(uint32_t p, uint32_t i)
{
    (void)p;
    return i % 10 == 3 ? 820 : i % 10 == 7 ? 800 : 100;
}

TEST(jump_is_discarded)
{
    enum { MAX = 100 };
    struct sweep sweep;

    open(&sweep, 4, (struct sweep_rules){MAX, MAX, 0, 1}, 1);
    run(&sweep, jumping);
    for (uint32_t p = 0; p < 4; p++) {
        const struct distribution *d = &sweep.points[p];
        unsigned jumps = 0;
        for (uint32_t i = 0; i < made.taken[p]; i++)
            jumps += jumping(p, i) == 820;
        assert_int_equal(d->count, MAX);
        assert_true(jumps > 0);
        assert_int_equal(d->discarded, jumps);
        assert_int_equal(d->count + d->discarded, made.taken[p]);
        assert_int_equal(d->sorted[MAX - 1], 800);
    }
    close(&sweep);
}

/* A clock too coarse for the body gives many zeroes: what it gives besides is no jump. */
static uint32_t coarse(uint32_t p, uint32_t i)
{
    (void)p;
    return i % 5 == 0 ? 2 : 0;
}

TEST(coarse_clock)
{
    struct sweep sweep;

    open(&sweep, 2, (struct sweep_rules){100, 100, 0, 1}, 1);
    run(&sweep, coarse);
    assert_int_equal(sweep.points[0].discarded, 0);
    assert_int_equal(sweep.points[0].sum, 40);
    close(&sweep);
}

/* Largest values there are: the limit is no 32-bit number. */
static uint32_t huge(uint32_t p, uint32_t i)
{
    (void)p;
    return i % 2 ? UINT32_MAX : UINT32_MAX / 2;
}

TEST(huge_samples)
{
    struct sweep sweep;

    open(&sweep, 2, (struct sweep_rules){50, 50, 0.01, 1}, 1);
    run(&sweep, huge);
    assert_int_equal(sweep.points[0].count, 50);
    assert_int_equal(sweep.points[0].discarded, 0);
    close(&sweep);
}

/* Where every visit is disturbed, the end comes all the same, with no samples but all counted. */
TEST(everything_disturbed_ends)
{
    struct sweep sweep;

    made.smi_happens = always;
    open(&sweep, 6, (struct sweep_rules){100, 1000, 0.01, 1}, 1);
    run(&sweep, constant);
    for (uint32_t p = 0; p < 6; p++) {
        assert_int_equal(sweep.points[p].count, 0);
        assert_int_equal(sweep.points[p].discarded, made.taken[p]);
        assert_in_range(made.taken[p], 1000, 3000);
    }
    close(&sweep);
}

/* Nearly every visit: a few samples are kept, yet it ends. */
static bool nearly_always(unsigned visit_number)
{
    return visit_number % 50 != 0;
}

TEST(nearly_everything_disturbed_ends)
{
    struct sweep sweep;

    made.smi_happens = nearly_always;
    open(&sweep, 1, (struct sweep_rules){500, 2000, 0.01, 1}, 1);
    run(&sweep, constant);
    assert_in_range(sweep.points[0].count, 1, 499);
    assert_int_equal(sweep.points[0].count + sweep.points[0].discarded, made.taken[0]);
    close(&sweep);
}

TEST(fault_ends_it)
{
    for (unsigned fault_at = 1; fault_at < 4; fault_at++) {
        struct sweep sweep;
        start();
        fake.fault_at = fault_at;
        made.script = noisy;
        open(&sweep, 20, (struct sweep_rules){10, 5000, 0, 1}, 1);
        assert_false(sweep_run(&sweep, visit, &made, progress, &made.progress));
        assert_int_equal(fake.slices, fault_at);
        assert_int_equal(made.progress_calls, fault_at - 1);
        close(&sweep);
    }
}

/* Between slices the console may be written: none is much longer than a fifth of a second. */
TEST(slices_and_progress)
{
    enum { POINTS = 20, MAX = 1000, PER_SLICE = 4 };
    struct sweep sweep;
    unsigned visits = POINTS * MAX / SWEEP_VISIT_SAMPLES;

    made.visit_ticks = TICKS_PER_SECOND / 5 / PER_SLICE;
    open(&sweep, POINTS, (struct sweep_rules){10, MAX, 0, 1}, 1);
    run(&sweep, noisy);
    assert_int_equal(made.visits, visits);
    assert_in_range(fake.slices, visits / (PER_SLICE + 1), visits / PER_SLICE + 1);
    assert_int_equal(made.progress_calls, fake.slices);
    assert_true(made.progress == 1);
    close(&sweep);
}

/* Part of the way it says which part. */
TEST(progress_is_the_share)
{
    enum { POINTS = 20, MAX = 1000, SLICES = 200 };
    struct sweep sweep;

    made.visit_ticks = TICKS_PER_SECOND; /* a slice for each visit */
    fake.fault_at = SLICES + 1;
    made.script = noisy;
    open(&sweep, POINTS, (struct sweep_rules){10, MAX, 0, 1}, 1);
    assert_false(sweep_run(&sweep, visit, &made, progress, &made.progress));
    assert_int_equal(made.visits, SLICES);
    double share = (double)SLICES * SWEEP_VISIT_SAMPLES / (POINTS * MAX);
    assert_true(made.progress > share - ROUNDING && made.progress < share + ROUNDING);
    close(&sweep);
}

/* Also where points end at different times, or by being disturbed. */
static bool now_and_then(unsigned visit_number)
{
    return hash(visit_number) % 4 != 0;
}

TEST(progress_never_falls)
{
    for (uint64_t seed = 0; seed < 10; seed++) {
        struct sweep sweep;
        start();
        made.visit_ticks = TICKS_PER_SECOND; /* a slice for each visit */
        made.smi_happens = seed % 2 ? now_and_then : NULL;
        open(&sweep, 12, (struct sweep_rules){50, 500, 0.1, 1}, seed);
        run(&sweep, mixed);
        assert_int_equal(fake.slices, made.visits);
        assert_true(made.progress == 1);
        close(&sweep);
    }
}

/* Three values of each sample: 10 * point + value, and a jump that must not be left out. */
static void count_visit(void *context, uint32_t point, uint32_t *samples, unsigned count)
{
    (void)context;
    for (unsigned v = 0; v < 3; v++)
        for (unsigned i = 0; i < count; i++)
            samples[v * count + i] = (10 * point + v) * (i == 0 ? 100 : 1);
}

TEST(several_values)
{
    struct sweep sweep;

    open(&sweep, 4, (struct sweep_rules){40, 40, 0.01, 3}, 1);
    assert_true(sweep_run(&sweep, count_visit, &made, progress, &made.progress));
    for (uint32_t i = 0; i < 4 * 3; i++) {
        const struct distribution *d = &sweep.points[i];
        uint32_t value = 10 * (i / 3) + i % 3;
        assert_int_equal(d->count, 40);
        assert_int_equal(d->discarded, 0);
        assert_true(distribution_median(d) == value);
        assert_true(distribution_percentile(d, 100) == 100 * value);
    }
    close(&sweep);
}

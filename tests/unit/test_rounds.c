/* test_rounds: rounds, stop rule and discarding, on a platform, clock and samples made up here. */
#include "../../kernel/engine/rounds.h"
#include "../../kernel/probe/native.h"
#include "fake_platform.h"
#include "kit.h"

#define ITEMS_MAX 40
#define VISITS_MAX 100000
#define TICKS_PER_SECOND 1000000
#define ENDLESS 1000000 /* so many visits mean that it never ends */
#define ROUNDING 1e-12  /* shares are added in each round's own order */

/* What is taken of item p's sample number i, counted from 0. */
typedef uint32_t script(uint32_t p, uint32_t i);

static struct fake_platform fake;
static struct measurement m;
static struct point points[ITEMS_MAX];
static struct rounds rounds;

static struct {
    uint64_t now, visit_ticks; /* the clock, and how long a visit takes */

    script *script;
    uint32_t taken[ITEMS_MAX];
    uint32_t visited[VISITS_MAX];
    unsigned slice[VISITS_MAX]; /* in which the visit was */
    unsigned visits;
    bool (*smi_happens)(unsigned visit); /* during that visit */
    unsigned calls_each;                 /* that a visit needs; 0: one */
    unsigned calls[ITEMS_MAX];
    unsigned most; /* samples wanted of a visit at once */

    unsigned progress_calls;
    double progress;
    unsigned pauses, failing_pause; /* 0: none fails */
    unsigned visits_at_pause[100];
} made;

/* In place of kernel/probe/native.c: time is what the visits say. */
uint64_t native_ticks(void)
{
    assert_true(fake.inside);
    return made.now++;
}

static uint32_t item_of(const struct point *point)
{
    return (uint32_t)(point - points);
}

static void visit(void *context, const struct point *point, struct samples *samples)
{
    uint32_t item = item_of(point);
    assert_ptr_equal(context, &made);
    assert_true(fake.inside);
    assert_in_range(samples->count, 1, VISIT_SAMPLES_MAX);
    assert_true(item < ITEMS_MAX && samples->counting == NULL && !samples->unfinished);
    made.most = samples->count > made.most ? samples->count : made.most;
    for (unsigned i = 0; i < samples->count; i++)
        samples->at[i] = made.script(item, made.taken[item]++);
    assert_compare(made.visits, <, ENDLESS);
    if (made.visits < VISITS_MAX) {
        made.visited[made.visits] = item;
        made.slice[made.visits] = fake.slices;
    }
    if (made.smi_happens != NULL && made.smi_happens(made.visits))
        fake.smis++;
    made.visits++;
    made.now += made.visit_ticks;
    if (made.calls_each > 0)
        samples->unfinished = ++made.calls[item] % made.calls_each != 0;
}

static void progress(double done)
{
    assert_false(fake.inside);
    assert_within(done, 0, 1 + ROUNDING);
    assert_compare(done, >=, made.progress - ROUNDING);
    made.progress = done;
    made.progress_calls++;
}

static bool pause_rounds(void)
{
    assert_compare(made.pauses, <, 100);
    made.visits_at_pause[made.pauses++] = made.visits;
    fake.platform.set_prefetch(&fake.platform, SETTING_OFF); /* whatever is measured meanwhile */
    rounds_resume(&rounds);
    return made.pauses != made.failing_pause;
}

/* As the engine runs them. */
static bool run_slices(void)
{
    while (rounds.active > 0) {
        if (!rounds_run_slice(&rounds))
            return false;
        progress(rounds_done(&rounds));
        if (rounds_must_pause(&rounds) && !pause_rounds())
            return false;
    }
    return true;
}

SETUP(start)
{
    memset(&made, 0, sizeof made);
    memset(&rounds, 0, sizeof rounds);
    memset(points, 0, sizeof points);
    made.visit_ticks = TICKS_PER_SECOND / 1000;
    fake_platform_open(&fake);
    fake.platform.ticks_per_second = TICKS_PER_SECOND;
    fake.smi_known = true;
    m = (struct measurement){.platform = &fake.platform};
}

TEARDOWN(end)
{
    rounds_close(&rounds);
    measurement_release(&m);
    fake_platform_assert_returned(&fake);
}

static void start_again(void)
{
    end();
    start();
}

static uint64_t hash(uint64_t x)
{
    x = (x ^ x >> 33) * 0xff51afd7ed558ccdu;
    x = (x ^ x >> 33) * 0xc4ceb9fe1a85ec53u;
    return x ^ x >> 33;
}

/* What is taken of item p's sample number i. */
#define SCRIPT(name, ticks)                                                                        \
    static uint32_t name(uint32_t p, uint32_t i)                                                   \
    {                                                                                              \
        (void)p, (void)i;                                                                          \
        return (uint32_t)(ticks);                                                                  \
    }

SCRIPT(constant, 100 + p)
SCRIPT(noisy, 100 + hash((uint64_t)p << 32 | i) % 600) /* never 8 times the median */
SCRIPT(mixed, p % 2 ? constant(p, i) : noisy(p, i))
SCRIPT(jumping, i % 10 == 3 ? 820 : i % 10 == 7 ? 800 : 100) /* more than 8 times, and exactly */
SCRIPT(coarse, i % 5 == 0 ? 2 : 0)                           /* too coarse a clock for the body */
SCRIPT(huge, i % 2 ? UINT32_MAX : UINT32_MAX / 2)            /* 8 times that is no 32-bit number */

/* True if an SMI happens during that visit. */
#define SMIS(name, condition)                                                                      \
    static bool name(unsigned visit_number)                                                        \
    {                                                                                              \
        (void)visit_number;                                                                        \
        return condition;                                                                          \
    }

SMIS(every_third, visit_number % 3 == 0)
SMIS(always, true)
SMIS(nearly_always, visit_number % 50 != 0)
SMIS(now_and_then, hash(visit_number) % 4 != 0)

static struct task task_of(uint32_t min, uint32_t max, double precision)
{
    return (struct task){.measurement = &m,
                         .rules = {.samples_min = min, .samples_max = max, .precision = precision},
                         .context = &made,
                         .visit = visit};
}

static void open(uint32_t count, struct task task, uint64_t seed)
{
    assert_null(rounds_open(&rounds, &task, points, count, seed));
    assert_int_equal(rounds.count, count);
    for (uint32_t i = 0; i < count; i++)
        assert_int_equal(rounds.distributions[i].count, 0);
}

/* Every point has so many samples, and none was discarded. */
static void assert_counts(uint32_t wanted)
{
    for (uint32_t i = 0; i < rounds.count; i++) {
        assert_int_equal(rounds.distributions[i].count, wanted);
        assert_int_equal(rounds.distributions[i].discarded, 0);
    }
}

static void run(script *samples)
{
    made.script = samples;
    assert_true(run_slices());
    for (uint32_t i = 0; i < rounds.count; i++)
        assert_true(rounds.items[i].is_done);
}

static void measure(uint32_t count, struct task task, uint64_t seed, script *samples)
{
    open(count, task, seed);
    run(samples);
}

/* Constant samples stop early, noisy ones at the most. */
TEST(stops)
{
    static const struct {
        script *samples;
        uint32_t min, max, wanted;
    } cases[] = {{constant, 1, 1000, 25},  {constant, 25, 1000, 25},     {constant, 26, 1000, 50},
                 {constant, 30, 1000, 50}, {constant, 100, 1000, 100},   {constant, 101, 1000, 125},
                 {constant, 60, 60, 60},   {constant, 1000, 1000, 1000}, {constant, 10, 10, 10},
                 {noisy, 10, 25, 25},      {noisy, 10, 27, 25},          {noisy, 10, 28, 28},
                 {noisy, 10, 100, 100},    {noisy, 10, 110, 110},        {noisy, 10, 1999, 1999}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        bool is_noisy = cases[i].samples == noisy;
        start_again();
        measure(7, task_of(cases[i].min, cases[i].max, is_noisy ? 0.0001 : 0.01), i,
                cases[i].samples);
        assert_counts(cases[i].wanted);
        for (uint32_t p = 0; p < 7; p++) {
            const uint32_t *sorted = rounds.distributions[p].sorted;
            assert_int_equal(made.taken[p], cases[i].wanted);
            assert_true(is_noisy || sorted[0] == 100 + p);
            assert_true(is_noisy || sorted[cases[i].wanted - 1] == 100 + p);
        }
    }
}

/* Somewhere between both, as soon as it is precise and never before. */
TEST(stops_when_precise)
{
    enum { MIN = 50, MAX = 5000, POINTS = 10 };
    unsigned between = 0;
    measure(POINTS, task_of(MIN, MAX, 0.05), 1, noisy);
    for (uint32_t p = 0; p < POINTS; p++) {
        const struct distribution *d = &rounds.distributions[p];
        uint32_t memory[MAX];
        struct distribution earlier;
        assert_in_range(d->count, MIN, MAX);
        assert_true(distribution_is_precise(d, 0.05));
        between += d->count > MIN && d->count < MAX;
        distribution_init(&earlier, memory, MAX);
        for (uint32_t i = 0; i < d->count; i++) {
            if (i >= MIN && i % VISIT_SAMPLES == 0)
                assert_false(distribution_is_precise(&earlier, 0.05));
            distribution_add(&earlier, noisy(p, i));
        }
        assert_memory_equal(memory, d->sorted, d->count * sizeof *memory);
    }
    assert_compare(between, >=, POINTS / 2);
}

/* Each failing in turn: a reason, and what was there is given back. */
TEST(not_enough_memory)
{
    struct task task = task_of(10, 100, 0.01);
    unsigned needed;
    open(20, task, 1);
    needed = fake.allocations;
    assert_compare(needed, >, 0);
    for (unsigned failing = 1; failing <= needed; failing++) {
        start_again();
        fake.failing = failing;
        const char *reason = rounds_open(&rounds, &task, points, 20, 1);
        assert_non_null(reason);
        assert_non_null(strstr(reason, "memory"));
        assert_numbers((fake.live, fake.live_bytes), (0, 0));
        memset(&rounds, 0, sizeof rounds); /* nothing is left to close */
    }
}

/* Every round is a permutation of the points left, and no two rounds are alike: a few points of a
 * round in the place they had before are what chance gives. */
static void check_permutations(unsigned count, unsigned round_count, unsigned most_in_place)
{
    unsigned same = 0;
    assert_int_equal(made.visits, count * round_count);
    for (unsigned round = 0; round < round_count; round++) {
        bool seen[ITEMS_MAX] = {false};
        const uint32_t *visited = made.visited + round * count;
        for (unsigned i = 0; i < count; i++) {
            assert_false(seen[visited[i]]);
            seen[visited[i]] = true;
            same += round > 0 && visited[i] == made.visited[(round - 1) * count + i];
        }
    }
    assert_in_range(same, 0, most_in_place * round_count);
}

TEST(rounds)
{
    measure(30, task_of(10, 40 * VISIT_SAMPLES, 0), 5, noisy);
    check_permutations(30, 40, 3);
}

TEST(first_round_is_random_too)
{
    enum { POINTS = 30 };
    unsigned in_place = 0;
    measure(POINTS, task_of(1, 25, 0), 2, constant);
    for (unsigned i = 0; i < POINTS; i++)
        in_place += made.visited[i] == i;
    assert_in_range(in_place, 0, 8);
}

static unsigned visits_of_seed(uint64_t seed, uint32_t *visited)
{
    start_again();
    measure(15, task_of(30, 300, 0.05), seed, mixed);
    memcpy(visited, made.visited, made.visits * sizeof *visited);
    return made.visits;
}

TEST(same_seed_same_order)
{
    static uint32_t first[VISITS_MAX], again[VISITS_MAX], other[VISITS_MAX];
    unsigned count = visits_of_seed(42, first);
    assert_int_equal(visits_of_seed(42, again), count);
    assert_memory_equal(first, again, count * sizeof *first);
    assert_int_equal(visits_of_seed(43, other), count); /* the same samples, in another order */
    assert_memory_not_equal(first, other, count * sizeof *first);
}

/* All samples of a visit during which one happened are counted and none is kept. */
TEST(smi_discards_the_visit)
{
    made.smi_happens = every_third;
    measure(1, task_of(100, 200, 0), 1, noisy);
    const struct distribution *d = &rounds.distributions[0];
    /* Visits 0, 3, 6, 9 lost; 1, 2, 4, 5, 7, 8, 10, 11 kept. */
    assert_numbers((made.visits, d->count, d->discarded), (12, 200, 4 * VISIT_SAMPLES));
    uint64_t sum = 0;
    for (uint32_t i = 0; i < 12 * VISIT_SAMPLES; i++)
        if (!every_third(i / VISIT_SAMPLES))
            sum += noisy(0, i);
    assert_compare(d->sum, ==, sum);
}

TEST(smi_count_unknown)
{
    fake.smi_known = false;
    made.smi_happens = always;
    measure(3, task_of(50, 200, 0.01), 1, constant);
    assert_counts(50);
}

TEST(jump_is_discarded)
{
    enum { MAX = 100 };
    measure(4, task_of(MAX, MAX, 0), 1, jumping);
    for (uint32_t p = 0; p < 4; p++) {
        const struct distribution *d = &rounds.distributions[p];
        unsigned jumps = 0;
        for (uint32_t i = 0; i < made.taken[p]; i++)
            jumps += jumping(p, i) == 820;
        assert_int_equal(d->count, MAX);
        assert_compare(jumps, >, 0);
        assert_numbers((d->discarded, d->count + d->discarded), (jumps, made.taken[p]));
        assert_int_equal(d->sorted[MAX - 1], 800);
    }
}

/* What a coarse clock gives beside zeroes is no jump, nor are the largest values. */
TEST(no_jumps)
{
    static script *const scripts[] = {coarse, huge};
    for (EACH(samples, scripts)) {
        start_again();
        measure(2, task_of(100, 100, 0), 1, *samples);
        assert_counts(100);
    }
}

/* Where every visit is disturbed, the end comes all the same, with no samples but all counted. */
TEST(everything_disturbed_ends)
{
    made.smi_happens = always;
    measure(6, task_of(100, 1000, 0.01), 1, constant);
    for (uint32_t p = 0; p < 6; p++) {
        assert_int_equal(rounds.distributions[p].count, 0);
        assert_int_equal(rounds.distributions[p].discarded, made.taken[p]);
        assert_int_equal(made.taken[p], 4 * 1000);
    }
}

/* A few samples are kept, yet it ends. */
TEST(nearly_everything_disturbed_ends)
{
    made.smi_happens = nearly_always;
    measure(1, task_of(500, 2000, 0.01), 1, constant);
    assert_in_range(rounds.distributions[0].count, 1, 499);
    assert_int_equal(rounds.distributions[0].count + rounds.distributions[0].discarded,
                     made.taken[0]);
}

TEST(fault_ends_it)
{
    for (unsigned fault_at = 1; fault_at < 4; fault_at++) {
        start_again();
        fake.fault_at = fault_at;
        made.script = noisy;
        open(20, task_of(10, 5000, 0), 1);
        assert_false(run_slices());
        assert_numbers((fake.slices, made.progress_calls), (fault_at, fault_at - 1));
    }
}

/* The longest time between two looks at the clock is kept, unless an emulator is slow. */
TEST(a_standstill_is_noted)
{
    for (unsigned i = 0; i < 3; i++) {
        start_again();
        m.is_emulated = i == 2;
        made.visit_ticks = i == 0 ? TICKS_PER_SECOND : 5 * TICKS_PER_SECOND;
        measure(2, task_of(25, 25, 1), 1, constant);
        if (i == 1)
            assert_in_range(m.stood_still, 5 * TICKS_PER_SECOND, 5 * TICKS_PER_SECOND + 10);
        else
            assert_int_equal(m.stood_still, 0);
    }
}

static void stand_still(struct fake_platform *self)
{
    made.now += self->slices == 2 ? 5 * TICKS_PER_SECOND : 0;
}

TEST(a_standstill_between_slices_is_noted)
{
    made.visit_ticks = TICKS_PER_SECOND;
    fake.after_slice = stand_still;
    measure(4, task_of(25, 25, 1), 1, constant);
    assert_in_range(m.stood_still, 5 * TICKS_PER_SECOND, 5 * TICKS_PER_SECOND + 10);
}

/* Between slices the console may be written: none is much longer than a fifth of a second. */
TEST(slices_and_progress)
{
    enum { POINTS = 20, MAX = 1000, PER_SLICE = 4 };
    unsigned wanted = POINTS * MAX / VISIT_SAMPLES;
    made.visit_ticks = TICKS_PER_SECOND / 5 / PER_SLICE;
    measure(POINTS, task_of(10, MAX, 0), 1, noisy);
    assert_int_equal(made.visits, wanted);
    assert_in_range(fake.slices, wanted / (PER_SLICE + 1), wanted / PER_SLICE + 1);
    assert_numbers((made.progress_calls, made.progress), (fake.slices, 1));
}

/* Part of the way it says which part. */
TEST(progress_is_the_share)
{
    enum { POINTS = 20, MAX = 1000, SLICES = 200 };
    made.visit_ticks = TICKS_PER_SECOND; /* a slice for each visit */
    fake.fault_at = SLICES + 1;
    made.script = noisy;
    open(POINTS, task_of(10, MAX, 0), 1);
    assert_false(run_slices());
    assert_int_equal(made.visits, SLICES);
    double share = (double)SLICES * VISIT_SAMPLES / (POINTS * MAX);
    assert_compare(made.progress, >, share - ROUNDING);
    assert_compare(made.progress, <, share + ROUNDING);
}

/* Progress never falls where points end at different times or are disturbed. */
TEST(progress_never_falls)
{
    for (uint64_t seed = 0; seed < 10; seed++) {
        start_again();
        made.visit_ticks = TICKS_PER_SECOND; /* a slice for each visit */
        made.smi_happens = seed % 2 ? now_and_then : NULL;
        measure(12, task_of(50, 500, 0.1), seed, mixed);
        assert_numbers((fake.slices, made.progress), (made.visits, 1));
    }
}

/* Three values of each sample: 10 * item + value, and a jump that must not be left out. A point's
 * two passes are two items. */
static void count_visit(void *context, const struct point *point, struct samples *samples)
{
    uint32_t item = 2 * item_of(point) + samples->pass;
    (void)context;
    for (unsigned v = 0; v < 3; v++)
        for (unsigned i = 0; i < samples->count; i++)
            samples->at[v * samples->count + i] = (10 * item + v) * (i == 0 ? 100 : 1);
}

TEST(several_values)
{
    struct task task = task_of(40, 40, 0.01);
    task.visit = count_visit;
    task.values = 3;
    task.passes = 2;
    assert_null(rounds_open(&rounds, &task, points, 2, 1));
    assert_int_equal(rounds.count, 4);
    assert_true(rounds_run(&rounds));
    for (uint32_t i = 0; i < 4 * 3; i++) {
        const struct distribution *d = &rounds.distributions[i];
        uint32_t value = 10 * (i / 3) + i % 3;
        assert_numbers((d->count, d->discarded, distribution_median(d)), (40, 0, value));
        assert_compare(distribution_percentile(d, 100), ==, 100 * value);
    }
}

/* An SMI in the first visit meets all values of a sample. */
static void count_with_smi(void *context, const struct point *point, struct samples *samples)
{
    count_visit(context, point, samples);
    fake.smis += made.visits++ == 0;
}

TEST(smi_discards_every_value)
{
    struct task task = task_of(50, 50, 0.01);
    task.visit = count_with_smi;
    task.values = 3;
    open(1, task, 1);
    assert_true(rounds_run(&rounds));
    for (uint32_t i = 0; i < 3; i++) {
        assert_int_equal(rounds.distributions[i].count, 50);
        assert_int_equal(rounds.distributions[i].discarded, VISIT_SAMPLES);
    }
}

/* --- how much of an item at a time ----------------------------------------------------------- */

TEST(visits_are_as_long_as_asked_for)
{
    struct task task = task_of(10, 200, 0);
    task.rules.visit_samples = VISIT_SAMPLES_MAX;
    measure(3, task, 1, noisy);
    assert_numbers((made.most, made.visits), (VISIT_SAMPLES_MAX, 3 * 2));
}

/* --- unfinished visits ----------------------------------------------------------------------- */

/* All calls of a visit follow each other, whether a slice ends in between or not. */
TEST(an_unfinished_visit_goes_on)
{
    for (unsigned in_a_slice = 1; in_a_slice <= 4; in_a_slice *= 2) {
        struct task task = task_of(10, 500, 0);
        unsigned split = 0;
        start_again();
        made.calls_each = 3;
        made.visit_ticks = TICKS_PER_SECOND / 5 / in_a_slice;
        measure(10, task, 4, noisy);
        for (unsigned i = 0; i + 2 < made.visits; i += 3) {
            assert_int_equal(made.visited[i], made.visited[i + 1]);
            assert_int_equal(made.visited[i], made.visited[i + 2]);
            split += made.slice[i] != made.slice[i + 2];
        }
        assert_compare(split, >, 0);
        for (uint32_t i = 0; i < 10; i++) {
            assert_int_equal(made.calls[i] % 3, 0); /* none ends in the middle */
            assert_int_equal(rounds.items[i].visits, made.calls[i] / 3);
            assert_in_range(rounds.distributions[i].count, 490, 500);
        }
    }
}

/* --- surroundings ---------------------------------------------------------------------------- */

static unsigned kinds; /* item i is of case number i modulo so many, with surroundings of its own */

/* The visit finds what it wants, and every slice holds one kind. */
static void visit_surrounded(void *context, const struct point *point, struct samples *samples)
{
    uint32_t item = item_of(point);
    assert_numbers((fake.prefetch, fake.openly), (!(item % kinds % 2), item % kinds / 2));
    if (made.visits > 0 && made.slice[made.visits - 1] == fake.slices)
        assert_int_equal(made.visited[made.visits - 1] % kinds, item % kinds);
    visit(context, point, samples);
}

static void run_surrounded(uint32_t count, struct task task, uint64_t seed, script *samples)
{
    for (unsigned i = 0; i < kinds; i++) {
        struct variant variant = {.prefetch_off = i % 2};
        uint32_t number = measurement_add_case(&m, &variant, 0);
        measurement_case(&m, number)->interrupts = i / 2;
    }
    for (uint32_t i = 0; i < ITEMS_MAX; i++)
        points[i].case_id = i % kinds;
    task.visit = visit_surrounded;
    measure(count, task, seed, samples);
}

TEST(surroundings_never_mix_in_a_slice)
{
    for (kinds = 1; kinds <= 4; kinds++) {
        start_again();
        fake.prefetch = true;
        run_surrounded(24, task_of(50, 500, 0), kinds, mixed);
        for (uint32_t i = 0; i < 24; i++)
            assert_int_equal(made.taken[i], i % 2 ? 50 : 500);
    }
}

/* Every round still has every item once, each kind's next to each other, in an order of its own. */
TEST(a_round_gathers_each_kind)
{
    enum { ITEMS = 24, ROUNDS = 20 };
    unsigned first[4] = {0};
    kinds = 4;
    run_surrounded(ITEMS, task_of(10, ROUNDS * VISIT_SAMPLES, 0), 6, noisy);
    check_permutations(ITEMS, ROUNDS, 4);
    for (unsigned round = 0; round < ROUNDS; round++) {
        const uint32_t *visited = made.visited + round * ITEMS;
        unsigned changes = 0;
        for (unsigned i = 1; i < ITEMS; i++)
            changes += visited[i] % 4 != visited[i - 1] % 4;
        assert_int_equal(changes, 3);
        first[visited[0] % 4]++;
    }
    for (unsigned i = 0; i < 4; i++)
        assert_in_range(first[i], 1, ROUNDS - 3);
}

/* Once for every change, however many slices there are. */
TEST(prefetchers_are_set_when_they_change)
{
    unsigned changes = 1;
    kinds = 2;
    made.visit_ticks = TICKS_PER_SECOND; /* a slice for each visit */
    run_surrounded(10, task_of(10, 500, 0), 1, noisy);
    for (unsigned i = 1; i < made.visits; i++)
        changes += made.visited[i] % 2 != made.visited[i - 1] % 2;
    assert_numbers((fake.prefetch_calls, fake.slices), (changes, made.visits));
    start_again();
    kinds = 1;
    made.visit_ticks = TICKS_PER_SECOND;
    run_surrounded(10, task_of(10, 500, 0), 1, noisy);
    assert_int_equal(fake.prefetch_calls, 1); /* whatever they were before */
    assert_true(fake.prefetch && fake.prefetch_is_found);
    start_again();
    fake.platform.usual_prefetch = SETTING_ON;
    run_surrounded(10, task_of(10, 500, 0), 1, noisy);
    assert_true(fake.prefetch && !fake.prefetch_is_found);
}

/* --- states of the core ----------------------------------------------------------------------- */

#define WHOLE_BLOCK 500 /* ticks */
#define SHARED_BLOCK 900
#define LOOKS 100        /* times the block runs as long as a visit */
#define SHARED_MORE 1000 /* ticks that a sample takes more of a shared core */

static struct states states;
static unsigned chains, state_visits[CORE_STATES];
static bool is_after; /* a visit, so that the next look is the one behind it */
/* By moments, one for each look before a visit, or in place of one. */
static enum core_state (*state_at)(unsigned moment);
#define MOMENT (chains - 1)

static uint32_t side_by_side(struct platform *self)
{
    assert_ptr_equal(self, &fake.platform);
    assert_true(fake.inside);
    enum core_state state = state_at(MOMENT);
    made.now += made.visit_ticks / LOOKS;
    return state == CORE_WHOLE || (state == CORE_BETWEEN && is_after) ? WHOLE_BLOCK : SHARED_BLOCK;
}

static uint32_t chain(struct platform *self)
{
    assert_ptr_equal(self, &fake.platform);
    assert_true(fake.inside);
    is_after = false;
    chains++;
    return 2400;
}

#define STATES(name, state)                                                                        \
    static enum core_state name(unsigned moment)                                                   \
    {                                                                                              \
        (void)moment;                                                                              \
        return state;                                                                              \
    }

/* Half, a third, and what is between. */
static const enum core_state turn[] = {CORE_WHOLE,  CORE_SHARED,  CORE_WHOLE,
                                       CORE_SHARED, CORE_BETWEEN, CORE_WHOLE};

STATES(always_whole, CORE_WHOLE)
STATES(always_shared, CORE_SHARED)
STATES(in_turn, turn[hash(moment) % 6])
STATES(rarely_whole, hash(moment) % 25 == 0 ? CORE_WHOLE : CORE_SHARED)
STATES(shared_first, moment < 100 ? CORE_SHARED : CORE_WHOLE)
#define LATE (4 * 28)
STATES(whole_at_last, moment < LATE ? CORE_SHARED : CORE_WHOLE)
SMIS(before_it_is_whole, visit_number < LATE)
STATES(never_certain, hash(moment) % 8 == 0 ? CORE_WHOLE : CORE_BETWEEN)

static uint32_t by_state(uint32_t p, uint32_t i)
{
    enum core_state state = state_at(MOMENT);
    is_after = true;
    if (i % 25 == 0)
        state_visits[state]++;
    return noisy(p, i) + (state == CORE_SHARED ? SHARED_MORE : state == CORE_BETWEEN ? 1 : 0);
}

static void use_states(enum core_state (*at)(unsigned))
{
    memset(&states, 0, sizeof states);
    memset(state_visits, 0, sizeof state_visits);
    chains = 0;
    is_after = false;
    state_at = at;
    fake.platform.sentinel_side_by_side = side_by_side;
    fake.platform.sentinel_chain = chain;
    m.states = &states;
}

static void open_with_states(uint32_t count, struct task task)
{
    if (task.contention == CONTENTION_IGNORED)
        task.contention = CONTENTION_APART;
    open(count, task, 1);
}

static void run_with_states(struct task task, enum core_state (*at)(unsigned))
{
    use_states(at);
    open_with_states(4, task);
    run(by_state);
}

/* Samples of one state only, and as many as there were visits in it. */
static void check_state(enum core_state state, uint32_t least)
{
    for (uint32_t p = 0; p < rounds.count; p++) {
        const struct distribution *d = rounds_of(&rounds, p, state);
        assert_compare(d->count, >=, least);
        for (uint32_t i = 0; i < d->count; i++)
            assert_compare((d->sorted[i] >= 100 + SHARED_MORE), ==, (state == CORE_SHARED));
    }
}

TEST(samples_of_two_states_are_kept_apart)
{
    run_with_states(task_of(200, 400, 0.0001), in_turn);
    check_state(CORE_WHOLE, 400);
    check_state(CORE_SHARED, 100);
    uint32_t discarded = 0;
    for (uint32_t p = 0; p < 4; p++)
        discarded += rounds_of(&rounds, p, CORE_WHOLE)->discarded;
    assert_int_equal(discarded, 25 * state_visits[CORE_BETWEEN]);
    assert_int_equal(states.visits[CORE_WHOLE], state_visits[CORE_WHOLE]);
    assert_int_equal(states.visits[CORE_BETWEEN], state_visits[CORE_BETWEEN]);
    /* Looks in place of a visit, while samples of the shared core were not wanted, are of it. */
    assert_compare(states.visits[CORE_SHARED], >, state_visits[CORE_SHARED]);
}

/* Each row has the samples of a point in each state, and the visits that it took. */
TEST(what_a_core_in_such_states_needs)
{
    static const struct {
        uint32_t min, max;
        enum core_state (*at)(unsigned moment);
        uint32_t whole[2], shared[2], visits[2]; /* samples, and visits of all four points */
        bool has_smis;
    } cases[] = {
        {200, 400, always_whole, {400, 400}, {0, 0}, {64, 64}, false},
        /* Rounds do not wait for a state that hardly comes, once the other has enough. */
        {200, 400, rarely_whole, {0, 400}, {400, 400}, {4 * 16, 4 * 22}, false},
        /* Visits that are taken back are none of the 32 that a point may have, or that it needs. */
        {200, 200, whole_at_last, {200, 200}, {0, 200}, {LATE, 4 * 60}, true},
        /* Two states may need four times the samples, and no more. */
        {1000, 1000, never_certain, {0, 1000}, {0, 0}, {4 * 160, 4 * 161}, false},
    };
    for (EACH(c, cases)) {
        start_again();
        made.smi_happens = c->has_smis ? before_it_is_whole : NULL;
        run_with_states(task_of(c->min, c->max, 0.0001), c->at);
        check_state(CORE_WHOLE, c->whole[0]);
        check_state(CORE_SHARED, c->shared[0]);
        for (uint32_t p = 0; p < 4; p++) {
            assert_within(rounds_of(&rounds, p, CORE_WHOLE)->count, 0, c->whole[1]);
            assert_within(rounds_of(&rounds, p, CORE_SHARED)->count, 0, c->shared[1]);
        }
        assert_within(made.visits, c->visits[0], c->visits[1]);
    }
}

/* Not a sample more than of a whole core. */
TEST(a_core_known_to_be_shared_all_the_time)
{
    use_states(always_shared);
    states.published = WHOLE_BLOCK / 2.0;
    open_with_states(4, task_of(200, 400, 0.0001));
    run(by_state);
    check_state(CORE_SHARED, 400);
    assert_int_equal(made.visits, 4 * 400 / 25);
}

/* Pairs of loads are a second look where a sibling may share the core, at visits of one value. */
TEST(pairs_look_where_the_core_may_be_shared)
{
    static struct pair_probe pairs;
    for (unsigned i = 0; i < 3; i++) {
        struct task task = task_of(25, 25, 1);
        start_again();
        use_states(always_whole);
        m.pairs = &pairs;
        states.is_alone = i == 1;
        task.values = i == 2 ? 2 : 1;
        open_with_states(4, task);
        assert_ptr_equal(rounds.pairs, i == 0 ? &pairs : NULL);
    }
}

/* --- siblings that were started as generators ------------------------------------------------ */

static const enum sibling_work works[] = {SIBLING_IDLE, SIBLING_BUSY, SIBLING_LOADING};
static const enum generator_work ordered[SIBLING_WORKS] = {
    [SIBLING_IDLE] = GENERATOR_REST,
    [SIBLING_BUSY] = GENERATOR_SPIN,
    [SIBLING_LOADING] = GENERATOR_READ,
};

/* The last order is the item's, and of this slice. */
static void visit_beside(void *context, const struct point *point, struct samples *samples)
{
    assert_int_equal(fake.orders, fake.slices);
    const struct generator_order *order = &fake.ordered[fake.orders - 1];
    assert_numbers((order->work, order->pause), (ordered[works[item_of(point) % 3]], 0));
    visit(context, point, samples);
}

static void start_siblings(void)
{
    const struct generators_request request = {.are_siblings = true, .bytes = 4096};
    unsigned started;
    assert_null(fake.platform.start_generators(&fake.platform, &request, &started));
    for (unsigned i = 0; i < 3; i++) {
        struct variant variant = {.sibling = works[i]};
        measurement_add_case(&m, &variant, 0);
    }
    for (uint32_t i = 0; i < ITEMS_MAX; i++)
        points[i].case_id = i % 3;
}

static void run_beside(struct task task, uint64_t seed, script *samples)
{
    task.visit = visit_beside;
    measure(12, task, seed, samples);
}

TEST(siblings_are_ordered_in_each_slice)
{
    unsigned changes = 0;
    start_siblings();
    run_beside(task_of(10, 500, 0), 3, noisy);
    for (unsigned i = 1; i < made.visits; i++)
        changes += made.visited[i] % 3 != made.visited[i - 1] % 3;
    assert_in_range(changes, 2 * 20 * 9 / 10, 3 * 20); /* all three in each of twenty rounds */
    assert_compare(fake.slices, >=, changes + 1);
    fake.platform.stop_generators(&fake.platform);
}

/* No order where no case is of that. */
TEST(siblings_of_other_cases_get_no_orders)
{
    measure(4, task_of(10, 500, 0), 3, noisy);
    assert_int_equal(fake.orders, 0);
}

/* What a neighbour did to it is discarded; labels of the others change nothing. */
TEST(a_sleeping_sibling_is_disturbed)
{
    uint64_t lost = 0, all = 0;
    use_states(in_turn);
    start_siblings();
    struct task task = task_of(200, 400, 0.0001);
    task.contention = CONTENTION_LABELLED;
    run_beside(task, 1, by_state);
    for (uint32_t p = 0; p < 12; p++) {
        const struct distribution *d = rounds_of(&rounds, p, CORE_WHOLE);
        if (p % 3 != 0) {
            assert_numbers((d->discarded, d->count), (0, 400));
            assert_compare(d->sorted[399], >=, 100 + SHARED_MORE); /* of any state */
            continue;
        }
        for (uint32_t i = 0; i < d->count; i++)
            assert_compare(d->sorted[i], <, 100 + SHARED_MORE);
        lost += d->discarded;
        all += d->discarded + d->count;
    }
    assert_in_range(100 * lost / all, 35, 65);
    fake.platform.stop_generators(&fake.platform);
}

/* The first hundred visits looked whole as long as nothing was faster. */
TEST(what_was_called_whole_is_taken_back)
{
    run_with_states(task_of(1000, 1000, 0.0001), shared_first);
    check_state(CORE_WHOLE, 1000);
    uint32_t left = 0;
    for (uint32_t p = 0; p < 4; p++)
        left += rounds_of(&rounds, p, CORE_WHOLE)->discarded +
                rounds_of(&rounds, p, CORE_SHARED)->discarded +
                rounds_of(&rounds, p, CORE_SHARED)->count;
    assert_in_range(left, 0, 10 * 25); /* what is forgotten counts nowhere */
    assert_in_range(made.visits, 100 + 4 * 1000 / 25, 120 + 4 * 1000 / 25);
}

/* The first point is done long before the others, and with samples of the wrong state. */
SCRIPT(first_is_steady, p > 0                             ? by_state(p, i)
                        : state_at(MOMENT) == CORE_SHARED ? 100 + SHARED_MORE
                                                          : 100)

TEST(what_was_done_is_taken_back_too)
{
    use_states(shared_first);
    open_with_states(4, task_of(200, 1000, 0.0001));
    run(first_is_steady);
    assert_in_range(rounds_of(&rounds, 0, CORE_WHOLE)->count, 200, 250);
    for (uint32_t p = 1; p < 4; p++)
        assert_true(rounds_of(&rounds, p, CORE_WHOLE)->count >= 1000);
}

/* A case counts the visits that left samples, and the waits in place of one; none, if not asked. */
TEST(visits_are_counted_with_their_state)
{
    for (unsigned counts = 0; counts < 2; counts++) {
        const struct measured_case *c = measurement_case(&m, 0);
        start_again();
        use_states(in_turn);
        open_with_states(2, task_of(50, 100, 0.0001));
        rounds.counts_visits = counts;
        run(by_state);
        assert_compare(m.visits, ==, counts * made.visits);
        uint32_t waits = states.visits[CORE_SHARED] - state_visits[CORE_SHARED];
        assert_int_equal(c->seen, counts * (made.visits - state_visits[CORE_BETWEEN] + waits));
        assert_int_equal(c->seen_shared, counts * states.visits[CORE_SHARED]);
    }
}

/* Of the whole core as many visits as are asked for; of the shared core no more than that. */
TEST(so_many_visits_of_each_state)
{
    struct task task = task_of(25, 1000, 10);
    task.rules.visits_min = 6;
    run_with_states(task, in_turn);
    for (uint32_t p = 0; p < 4; p++) {
        assert_compare(rounds_of(&rounds, p, CORE_WHOLE)->visits, >=, 6);
        assert_compare(rounds_of(&rounds, p, CORE_SHARED)->visits, <=, 6);
    }
}

TEST(nobody_waits_for_the_shared_core)
{
    run_with_states(task_of(200, 200, 0.0001), in_turn);
    uint32_t shared = 0;
    for (uint32_t p = 0; p < 4; p++) {
        assert_int_equal(rounds_of(&rounds, p, CORE_WHOLE)->count, 200);
        shared += rounds_of(&rounds, p, CORE_SHARED)->count < 200;
    }
    assert_compare(shared, >, 0);
}

#define PHASE 40 /* visits of the whole core before the shared one's, and of that */
STATES(away_for_a_while, moment < PHASE || moment >= PHASE * LOOKS ? CORE_WHOLE : CORE_SHARED)
STATES(away_for_good, moment < PHASE ? CORE_WHOLE : CORE_SHARED)

/* Seconds of a visit. */
static double visit_seconds(void)
{
    return (double)made.visit_ticks / TICKS_PER_SECOND;
}

/* As if so many visits had brought samples before. */
static void visited_before(unsigned visits)
{
    m.waits = (struct waits){.useful = visits * visit_seconds(), .usual = visit_seconds()};
}

/* The time of looks goes by as that of visits does; nothing else is visited meanwhile, once each
 * point has samples of the shared core. */
TEST(the_whole_core_is_waited_for)
{
    visited_before(1000);
    run_with_states(task_of(100, 400, 0.0001), away_for_a_while);
    check_state(CORE_WHOLE, 400);
    check_state(CORE_SHARED, 100);
    assert_int_equal(made.visits, 4 * (400 + 100) / 25);
    assert_compare(m.waits.useful / visit_seconds(), >=, 1000 + made.visits);
    assert_within(m.waits.vain / visit_seconds(), PHASE, 5 * PHASE);
}

STATES(whole_now_and_then, moment % 7 == 6 ? CORE_WHOLE : CORE_SHARED)

/* The visit is at once when the state comes: a look later it may be gone. */
TEST(a_state_that_has_come_is_used)
{
    visited_before(1000);
    run_with_states(task_of(100, 400, 0.0001), whole_now_and_then);
    check_state(CORE_WHOLE, 400);
    check_state(CORE_SHARED, 100);
}

/* As long as the run has measured so far, and no longer: points then end with all that the shared
 * core tells. */
TEST(a_state_that_stays_away_is_not_waited_for_for_ever)
{
    run_with_states(task_of(100, 400, 0.0001), away_for_good);
    check_state(CORE_WHOLE, 400 * PHASE / 64 - 50);
    check_state(CORE_SHARED, 400);
    assert_compare(made.visits, <=, 4 * (400 + 400) / 25);
    assert_within(m.waits.vain / m.waits.useful, 0.95, 1.1);
}

/* A stop of the machine during a visit is no time that later waits may take. */
STATES(away_after_a_stop, moment < 4 ? CORE_WHOLE : CORE_SHARED)
#define STOP (60 * TICKS_PER_SECOND)

static uint32_t stopped_once(uint32_t p, uint32_t i)
{
    made.now += made.visits == 3 && i == 0 ? STOP : 0;
    return by_state(p, i);
}

TEST(a_standstill_is_no_time_to_wait)
{
    use_states(away_after_a_stop);
    open_with_states(4, task_of(100, 400, 0.0001));
    run(stopped_once);
    assert_within(m.waits.useful, 1.0 / SLICES_PER_SECOND, 0.5);
    assert_compare(m.waits.vain, <, 1);
    assert_compare(made.now, <, STOP + 2 * TICKS_PER_SECOND);
}

/* A point that is full lacks visits, and no state of the core. */
TEST(a_full_point_waits_for_nothing)
{
    struct task task = task_of(10, 100, 0.0001);
    task.rules.visits_min = 8;
    visited_before(1000);
    run_with_states(task, always_whole);
    check_state(CORE_WHOLE, 100);
    assert_int_equal(made.visits, 4 * 100 / 25);
    assert_within(m.waits.vain, 0, 0);
}

/* Points that the shared core's rows asked for want its samples alone, and wait less. */
TEST(points_for_the_shared_core)
{
    for (unsigned shared = 0; shared < 2; shared++) {
        start_again();
        for (uint32_t p = 0; p < 4; p++)
            points[p].is_for_shared = true;
        visited_before(1000);
        run_with_states(task_of(200, 200, 0.0001), shared ? in_turn : away_for_good);
        for (uint32_t p = 0; p < 4; p++) {
            assert_int_equal(rounds_of(&rounds, p, CORE_WHOLE)->count, 0);
            assert_int_equal(rounds_of(&rounds, p, CORE_SHARED)->count, 200);
        }
    }
    for (unsigned count = 1; count <= 4; count += 3) {
        start_again();
        for (uint32_t p = 0; p < count; p++)
            points[p].is_for_shared = true;
        visited_before(1000);
        run_with_states(task_of(200, 200, 0.0001), always_whole);
        assert_int_equal(rounds_of(&rounds, 0, CORE_SHARED)->count, 0);
        assert_within(m.waits.vain / m.waits.useful, 0.24, 0.27);
        /* Each wait takes as long as a visit, and counts as one. */
        assert_compare(states.visits[CORE_WHOLE], <=, 1000 / 4 + (4 - count) * 8 + 20);
    }
}

/* --- what points need ------------------------------------------------------------------------- */

/* In turn: a centre, the fastest too, a glance. */
static void run_needs(script *samples, uint32_t max)
{
    struct task task = task_of(10, max, 0.5);
    static const enum point_needs needs[] = {POINT_CENTER, POINT_FASTEST, POINT_GLANCE};
    task.rules.visits_min = 4;
    for (uint32_t i = 0; i < 6; i++)
        points[i].needs = needs[i % 3];
    measure(6, task, 1, samples);
}

TEST(what_points_need)
{
    run_needs(constant, 1000);
    for (uint32_t p = 0; p < 6; p++) {
        static const uint32_t wanted[] = {4 * VISIT_SAMPLES, FASTEST_LEAST, VISIT_SAMPLES};
        assert_int_equal(rounds.distributions[p].count, wanted[p % 3]);
        assert_int_equal(made.taken[p], wanted[p % 3]);
    }
    start_again();
    m.is_emulated = true; /* there a second visit tells no more than the first */
    run_needs(constant, 1000);
    for (uint32_t p = 0; p < 6; p++)
        assert_int_equal(made.taken[p], VISIT_SAMPLES);
}

TEST(what_others_are_divided_by_is_more_precise)
{
    struct task task = task_of(10, 100000, 0.02);
    points[1].needs = POINT_SCALE;
    measure(2, task, 1, noisy);
    assert_true(distribution_is_precise(&rounds.distributions[1], 0.005));
    assert_true(!distribution_is_precise(&rounds.distributions[0], 0.005));
    assert_true(distribution_is_precise(&rounds.distributions[0], 0.02));
}

/* So few are fast, and so differently, that nothing places them. */
static uint32_t never_placed(uint32_t p, uint32_t i)
{
    uint64_t number = hash((uint64_t)p << 32 | i);
    return (uint32_t)(number % 50 != 0 ? 1000 : 200 + number / 50 % 800);
}

TEST(fastest_samples_are_placed)
{
    run_needs(noisy, 200);
    for (uint32_t p = 1; p < 6; p += 3) {
        const struct distribution *d = &rounds.distributions[p];
        assert_in_range(d->count, FASTEST_LEAST, FASTEST_MOST - 1);
        assert_true(distribution_is_placed(d, 1, 0.05));
        assert_compare(rounds.distributions[p - 1].count, <=, 200);
    }
    start_again();
    run_needs(never_placed, 200);
    assert_int_equal(rounds.distributions[1].count, FASTEST_MOST);
    assert_compare(rounds.distributions[0].count, <=, 200);
}

/* --- pauses ----------------------------------------------------------------------------------- */

static void open_with_pauses(void)
{
    made.visit_ticks = 1; /* a slice has room for more */
    open(20, task_of(10, 25 * PAUSE_VISITS / 8, 0), 1);
    rounds.has_pauses = true;
}

TEST(pauses_between_visits)
{
    open_with_pauses();
    run(noisy);
    assert_numbers((made.visits, made.pauses), (20 * PAUSE_VISITS / 8, 2));
    assert_int_equal(made.visits_at_pause[0], PAUSE_VISITS);
    assert_int_equal(made.visits_at_pause[1], 2 * PAUSE_VISITS);
    assert_true(fake.prefetch); /* and it is as the items want it again */
}

/* A wait is as long as a visit, and counts as one. */
TEST(pauses_between_waits)
{
    visited_before(16 * PAUSE_VISITS);
    use_states(always_whole);
    for (uint32_t p = 0; p < 4; p++)
        points[p].is_for_shared = true;
    open_with_states(4, task_of(100, 400, 0.0001));
    rounds.has_pauses = true;
    run(by_state);
    assert_in_range(made.pauses, 3, 5);
}

/* Nothing more is visited then. */
TEST(a_pause_that_fails)
{
    made.failing_pause = 1;
    open_with_pauses();
    made.script = noisy;
    assert_false(run_slices());
    assert_int_equal(made.visits, PAUSE_VISITS);
}

/* Where so many visits do not fit, what fits is all there is. */
TEST(fewer_samples_than_visits)
{
    struct task task = task_of(10, 50, 0.0001);
    task.rules.visits_min = 4;
    measure(5, task, 1, noisy);
    assert_counts(50);
}

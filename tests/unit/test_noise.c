/* test_noise: experiment noise with made-up slices: quiet and open ones, SMIs, and brief ones. */
#include "../../kernel/analysis/states.h"
#include "../../kernel/engine/rounds.h"
#include "../../kernel/experiments/noise/noise_rule.h"
#include "../../kernel/probe/sentinel.h"
#include "../../kernel/probe/spin.h"
#include "experiments.h"
#include "fake_platform.h"
#include "kit.h"
#include "rows.h"

#define TICKS_PER_SECOND 2000000000
#define SECONDS 3
#define SLICES (SECONDS * 5)
#define CORE_SLICES 30 /* of looks at the core, */
#define CORE_VISITS 50 /* each of so many */

static unsigned calibrated[2], slices[2]; /* quiet, open */
static uint64_t slice_ticks;

/* In place of kernel/probe/spin.c. */
void spin_calibrate(void *context)
{
    struct spin *spin = context;
    assert_true(fake.inside);
    calibrated[fake.openly]++;
    for (unsigned i = 0; i < SPIN_LOOPS; i++)
        spin->loop[i] = 20;
    spin->threshold = 80;
}

static unsigned interrupted; /* so many times as long is one chain of each slice */

/* In the open ones there is a gap of 5 us and the chains are slower. */
void spin_slice(void *context)
{
    struct spin *spin = context;
    assert_true(fake.inside && calibrated[fake.openly] == 1);
    slices[fake.openly]++;
    slice_ticks = spin->slice_ticks;
    spin->observed = spin->slice_ticks;
    now += spin->slice_ticks;
    for (unsigned i = 0; i < SPIN_CHAINS; i++)
        spin->chain[i] = SPIN_CHAIN_ADDS + fake.openly;
    spin->chain[7] *= interrupted;
    if (fake.openly)
        gaps_add(&spin->gaps, 5000);
}

static void forget_slices(void)
{
    memset(calibrated, 0, sizeof calibrated);
    memset(slices, 0, sizeof slices);
}

SETUP(start)
{
    experiment_open("noise");
    fake.platform.ticks_per_second = TICKS_PER_SECOND;
    config.noise.seconds = SECONDS;
    interrupted = 1;
    experiment_begins = forget_slices;
    forget_slices();
}

TEARDOWN(stop)
{
    experiment_close();
}

static const struct row *row_of(uint32_t id, const char *metric, int64_t n, int64_t stage)
{
    return row_where(id, metric, n, ANY, ANY, stage);
}

/* --- slices ---------------------------------------------------------------------------------- */

/* A slice is a row, of a hundred chains; each case under its own interrupts. */
TEST(quiet_and_open)
{
    measure();
    assert_int_equal(m.case_count, 3);
    assert_string_equal(m.cases[0].variant.pattern, "quiet");
    assert_string_equal(m.cases[1].variant.pattern, "interrupts");
    for (uint32_t id = 0; id < 2; id++) {
        assert_numbers((slices[id], calibrated[id]), (SLICES, 1));
        for (int64_t i = 0; i < SLICES; i++) {
            const struct row *row = row_of(id, NOISE_CHAIN, ROW_NONE, i);
            assert_numbers((row->samples, row->k), (SPIN_CHAINS, SPIN_CHAIN_ADDS));
            assert_numbers((row->median, row->max), (SPIN_CHAIN_ADDS + id, row->median));
        }
    }
    assert_compare(slice_ticks, ==, TICKS_PER_SECOND / 5);
}

TEST(totals)
{
    measure();
    for (uint32_t id = 0; id < 2; id++) {
        const struct row *loop = row_of(id, NOISE_LOOP, ROW_NONE, ROW_NONE);
        const struct row *observed = row_of(id, NOISE_OBSERVED, ROW_NONE, ROW_NONE);
        assert_numbers((loop->samples, loop->median, loop->mean), (SPIN_LOOPS, 10, 10));
        assert_compare(row_of(id, NOISE_THRESHOLD, ROW_NONE, ROW_NONE)->median, ==, 40);
        assert_int_equal(observed->samples, SLICES);
        assert_numbers((observed->median, observed->max), (200000, 200000));
        for (int64_t n = GAPS_FIRST_DECADE; n <= GAPS_LAST_DECADE; n++) {
            const struct row *gaps = row_of(id, NOISE_GAP, n, ROW_NONE);
            bool is_seen = id == 1 && n == 3;
            assert_int_equal(gaps->samples, is_seen ? SLICES : 0);
            if (is_seen)
                assert_numbers((gaps->min, gaps->max, gaps->mean), (5000, 5000, 5000));
        }
    }
}

/* From before the first slice until after the last, pauses included. */
TEST(smi_are_counted_over_all)
{
    assert_false(fake.smi_known);
    measure();
    assert_null(row_of(0, NOISE_SMI, ROW_NONE, ROW_NONE));
    experiment_again();
    fake.smi_known = true;
    fake.smis = UINT32_MAX - 3; /* it wraps */
    fake.smi_step = 0;
    measure();
    const struct row *row = row_of(0, NOISE_SMI, ROW_NONE, ROW_NONE);
    assert_numbers((row->min, row->max, row->samples), (UINT32_MAX - 3.0, row->min, 2));
}

static void interrupt(struct fake_platform *platform)
{
    platform->smis++; /* between any two slices */
}

TEST(smi_between_slices_are_counted)
{
    fake.smi_known = true;
    fake.smis = UINT32_MAX - 3;
    fake.after_slice = interrupt;
    measure();
    for (uint32_t id = 0; id < 2; id++) {
        const struct row *row = row_of(id, NOISE_SMI, ROW_NONE, ROW_NONE);
        double count = row->max - row->min;
        assert_compare(count, >, 0);
        assert_compare(count, <, fake.slices);
        assert_near(row->median, row->min + count / 2);
        for (int64_t i = 0; i < SLICES; i++) /* none in a slice: none is discarded */
            assert_int_equal(row_of(id, NOISE_CHAIN, ROW_NONE, i)->discarded, 0);
    }
}

/* A chain that was interrupted is no sample; its slice is over all the same. */
TEST(interrupted_chains)
{
    interrupted = 100;
    measure();
    for (uint32_t id = 0; id < 2; id++) {
        assert_int_equal(slices[id], SLICES);
        for (int64_t i = 0; i < SLICES; i++) {
            assert_int_equal(row_of(id, NOISE_CHAIN, ROW_NONE, i)->discarded, 1);
            assert_int_equal(row_of(id, NOISE_CHAIN, ROW_NONE, i)->samples, SPIN_CHAINS - 1);
        }
    }
}

/* --- what can be had ------------------------------------------------------------------------- */

/* Some milliseconds of the first case that can be had, and no word of the other. */
TEST(briefly)
{
    experiment_begin("noise", true);
    measure();
    assert_numbers((slices[0], slices[1]), (1, 0));
    assert_compare(slice_ticks, ==, TICKS_PER_SECOND / 1000 * NOISE_BRIEF_MILLISECONDS);
    assert_non_null(row_of(0, NOISE_CHAIN, ROW_NONE, 0));
    stop();
    experiment_begin("noise", true);
    fake.platform.interrupts_remain = "a process cannot";
    measure();
    assert_numbers((slices[0], slices[1]), (0, 1));
    assert_false(m.cases[0].is_skipped);
    assert_non_null(row_of(1, NOISE_CHAIN, ROW_NONE, 0));
}

/* --- the state of the core -------------------------------------------------------------------- */

static struct states states;
static unsigned looks;          /* at the sentinel, after once to warm it */
static unsigned core_slices[2]; /* quiet, open */
static uint32_t (*pace_of)(unsigned visit, bool second);

static uint32_t chain(struct platform *self)
{
    (void)self;
    assert_true(fake.inside);
    return SENTINEL_CHAIN / 2; /* two cycles a tick */
}

static uint32_t side_by_side(struct platform *self)
{
    (void)self;
    unsigned half = looks++ / (SENTINEL_LOOKS + 1);
    if (half % (2 * CORE_VISITS) == 0 && looks % (SENTINEL_LOOKS + 1) == 1)
        core_slices[fake.openly]++;
    return pace_of(half / 2, half % 2);
}

#define WHOLE 300
#define SHARED 500

/* In every slice the first ten visits are shared and the next five between. */
static uint32_t in_turn(unsigned visit, bool second)
{
    unsigned at = visit % CORE_VISITS;
    return at < 10 || (at < 15 && second) ? SHARED : WHOLE;
}

static uint32_t always_shared(unsigned visit, bool second)
{
    (void)visit, (void)second;
    return SHARED;
}

static void start_with_states(uint32_t (*pace)(unsigned visit, bool second))
{
    stop();
    start();
    memset(&states, 0, sizeof states);
    memset(core_slices, 0, sizeof core_slices);
    looks = 0;
    pace_of = pace;
    m.states = &states;
    fake.platform.sentinel_side_by_side = side_by_side;
    fake.platform.sentinel_chain = chain;
}

TEST(looks_are_told_by_slice)
{
    start_with_states(in_turn);
    states.published = 2 * WHOLE;
    measure();
    for (int64_t i = 0; i < CORE_SLICES; i++) {
        const struct row *shared = row_of(2, NOISE_SHARED, ROW_NONE, i);
        assert_numbers((shared->samples, shared->discarded), (CORE_VISITS - 5, 5));
        assert_numbers((shared->min, shared->max), (0, 1));
        assert_near(shared->mean, 0.222);
        assert_string_equal(shared->unit, "share");
    }
    assert_int_equal(states.visits[CORE_SHARED], 10 * CORE_SLICES);
    assert_int_equal(states.visits[CORE_BETWEEN], 5 * CORE_SLICES);
    assert_int_equal(looks, CORE_SLICES * CORE_VISITS * 2 * (SENTINEL_LOOKS + 1));
}

/* A core that was shared from the first is told by its published width. */
TEST(a_core_that_is_always_shared)
{
    start_with_states(always_shared);
    states.published = 2 * WHOLE;
    measure();
    for (int64_t i = 0; i < CORE_SLICES; i++)
        assert_near(row_of(2, NOISE_SHARED, ROW_NONE, i)->mean, 1);
}

/* Beside the slices that spin, under the same interrupts, and none in a brief measurement. */
TEST(where_the_core_is_looked_at)
{
    start_with_states(in_turn);
    measure();
    assert_numbers((core_slices[0], core_slices[1]), (CORE_SLICES, 0));
    start_with_states(in_turn);
    fake.platform.interrupts_remain = "a process cannot";
    measure();
    assert_numbers((core_slices[0], core_slices[1]), (0, CORE_SLICES));
    start_with_states(in_turn);
    fake.platform.interrupts_remain = "time is not a processor's";
    fake.platform.openly = NULL;
    measure();
    assert_numbers((core_slices[0], core_slices[1]), (CORE_SLICES, 0));
    start_with_states(in_turn);
    m.brief = true;
    measure();
    assert_numbers((looks, m.case_count), (0, 2));
}

/* An emulator, or a platform without the sentinel: the row says so. */
TEST(a_core_without_states)
{
    for (unsigned i = 0; i < 2; i++) {
        start_with_states(in_turn);
        m.states = i == 0 ? NULL : &states;
        fake.platform.sentinel_side_by_side = i == 0 ? side_by_side : NULL;
        measure();
        size_t count;
        const struct row *row = rows_of_case(&m, 2, &count);
        assert_int_equal(count, 1);
        assert_string_equal(row->metric, ROW_SKIPPED);
        assert_string_equal(row->unit, "here nothing tells the states of a core");
        assert_int_equal(row->samples + looks, 0);
    }
}

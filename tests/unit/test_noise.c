/* test_noise: experiment noise with made-up slices: quiet and open ones, SMIs, and brief ones. */
#include "../../kernel/experiments/noise_rule.h"
#include "../../kernel/probe/spin.h"
#include "experiments.h"
#include "fake_platform.h"
#include "kit.h"
#include "rows.h"

#define TICKS_PER_SECOND 2000000000
#define SECONDS 3
#define SLICES (SECONDS * 5)

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

static const struct row *row_of(uint32_t of, const char *metric, int64_t n, int64_t stage)
{
    return row_where(of, metric, n, ANY, ANY, stage);
}

/* --- slices ---------------------------------------------------------------------------------- */

/* A slice is a row, of a hundred chains; each case under its own interrupts. */
TEST(quiet_and_open)
{
    measure();
    assert_int_equal(m.case_count, 2);
    assert_string_equal(m.cases[0].of.pattern, "quiet");
    assert_string_equal(m.cases[1].of.pattern, "interrupts");
    for (uint32_t of = 0; of < 2; of++) {
        assert_int_equal(slices[of], SLICES);
        assert_int_equal(calibrated[of], 1);
        for (int64_t i = 0; i < SLICES; i++) {
            const struct row *row = row_of(of, NOISE_CHAIN, ROW_NONE, i);
            assert_int_equal(row->samples, SPIN_CHAINS);
            assert_int_equal(row->k, SPIN_CHAIN_ADDS);
            assert_true(row->median == SPIN_CHAIN_ADDS + of && row->max == row->median);
        }
    }
    assert_true(slice_ticks == TICKS_PER_SECOND / 5);
}

TEST(totals)
{
    measure();
    for (uint32_t of = 0; of < 2; of++) {
        const struct row *loop = row_of(of, NOISE_LOOP, ROW_NONE, ROW_NONE);
        const struct row *observed = row_of(of, NOISE_OBSERVED, ROW_NONE, ROW_NONE);
        assert_true(loop->samples == SPIN_LOOPS && loop->median == 10 && loop->mean == 10);
        assert_true(row_of(of, NOISE_THRESHOLD, ROW_NONE, ROW_NONE)->median == 40);
        assert_int_equal(observed->samples, SLICES);
        assert_true(observed->median == 200000 && observed->max == 200000);
        for (int64_t n = GAPS_FIRST_DECADE; n <= GAPS_LAST_DECADE; n++) {
            const struct row *gaps = row_of(of, NOISE_GAP, n, ROW_NONE);
            bool is_seen = of == 1 && n == 3;
            assert_int_equal(gaps->samples, is_seen ? SLICES : 0);
            if (is_seen)
                assert_true(gaps->min == 5000 && gaps->max == 5000 && gaps->mean == 5000);
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
    assert_true(row->min == UINT32_MAX - 3.0 && row->max == row->min && row->samples == 2);
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
    for (uint32_t of = 0; of < 2; of++) {
        const struct row *row = row_of(of, NOISE_SMI, ROW_NONE, ROW_NONE);
        double count = row->max - row->min;
        assert_true(count > 0 && count < fake.slices);
        assert_true(near(row->median, row->min + count / 2));
        for (int64_t i = 0; i < SLICES; i++) /* none in a slice: none is discarded */
            assert_int_equal(row_of(of, NOISE_CHAIN, ROW_NONE, i)->discarded, 0);
    }
}

/* A chain that was interrupted is no sample; its slice is over all the same. */
TEST(interrupted_chains)
{
    interrupted = 100;
    measure();
    for (uint32_t of = 0; of < 2; of++) {
        assert_int_equal(slices[of], SLICES);
        for (int64_t i = 0; i < SLICES; i++) {
            assert_int_equal(row_of(of, NOISE_CHAIN, ROW_NONE, i)->discarded, 1);
            assert_int_equal(row_of(of, NOISE_CHAIN, ROW_NONE, i)->samples, SPIN_CHAINS - 1);
        }
    }
}

/* --- what can be had ------------------------------------------------------------------------- */

TEST(interrupts_that_remain)
{
    fake.platform.interrupts_remain = "a process cannot";
    measure();
    size_t count;
    assert_true(m.cases[0].is_skipped);
    assert_string_equal(rows_of_case(&m, 0, &count)->unit, "a process cannot");
    assert_int_equal(slices[0], 0);
    assert_int_equal(slices[1], SLICES);
}

TEST(neither)
{
    fake.platform.interrupts_remain = "time is not a processor's";
    fake.platform.openly = NULL;
    measure();
    assert_int_equal(m.row_count, 2);
    assert_true(m.cases[0].is_skipped && m.cases[1].is_skipped);
    assert_int_equal(fake.slices, 0);
}

/* Some milliseconds of the first case that can be had, and no word of the other. */
TEST(briefly)
{
    experiment_begin("noise", true);
    measure();
    assert_true(slices[0] == 1 && slices[1] == 0);
    assert_true(slice_ticks == TICKS_PER_SECOND / 1000 * NOISE_BRIEF_MILLISECONDS);
    assert_non_null(row_of(0, NOISE_CHAIN, ROW_NONE, 0));
    stop();
    experiment_begin("noise", true);
    fake.platform.interrupts_remain = "a process cannot";
    measure();
    assert_true(slices[0] == 0 && slices[1] == 1);
    assert_false(m.cases[0].is_skipped);
    assert_non_null(row_of(1, NOISE_CHAIN, ROW_NONE, 0));
}

/* --- what goes wrong ------------------------------------------------------------------------- */

/* Counting SMIs before and after is a slice as well. */
TEST(a_fault_at_any_slice)
{
    assert_int_equal(assert_faults_end_it(), 2 * (SLICES + 2));
}

TEST(no_memory_at_any_call)
{
    config.noise.seconds = 300; /* more points than there is room for at first */
    assert_no_memory_is_said();
}

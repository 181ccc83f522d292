/* test_spin: this processor's time is watched: the threshold, gaps, and the chains between. */
#include "../../kernel/probe/native.h"
#include "../../kernel/probe/spin.h"
#include "kit.h"

static struct spin spin;
static struct platform platform;
static unsigned smis;

static bool count_smis(struct platform *self, uint32_t *count)
{
    assert_ptr_equal(self, &platform);
    *count = smis;
    return smis > 0;
}

static void begin(void)
{
    memset(&spin, 0xa5, sizeof spin);
    platform = (struct platform){.ticks_per_second = 2000000000, .smi_count = count_smis};
    spin_start(&spin, &platform);
    spin.slice_ticks = 1000000;
}

SETUP(start)
{
    begin();
}

static uint64_t gaps_seen(void)
{
    uint64_t count = 0;
    for (unsigned i = GAPS_FIRST_DECADE; i <= GAPS_LAST_DECADE; i++)
        count += spin.gaps.decade[i].count;
    return count;
}

TEST(starts_with_nothing)
{
    assert_near(spin.ns_per_tick, 0.5);
    assert_false(spin.smi_known);
    assert_int_equal(gaps_seen(), 0);
}

TEST(the_threshold_is_four_times_the_median)
{
    spin_calibrate(&spin);
    for (unsigned i = 1; i < SPIN_LOOPS; i++)
        assert_compare(spin.loop[i - 1], <=, spin.loop[i]);
    assert_in_range(spin.loop[SPIN_LOOPS / 2], 1, 100000);
    assert_int_equal(spin.threshold, 4ull * spin.loop[SPIN_LOOPS / 2]);
}

/* Returns whether all of a slice was watched, but for the chains and where gaps are sorted in. */
static bool is_all_watched(void)
{
    begin();
    spin.threshold = INT64_MAX;
    uint64_t before = native_ticks();
    spin_slice(&spin);
    uint64_t after = native_ticks(), chains = 0;
    for (unsigned i = 0; i < SPIN_CHAINS; i++) {
        assert_true(spin.chain[i] > 0);
        chains += spin.chain[i];
    }
    assert_int_equal(gaps_seen(), 0);
    assert_compare(after - before, >=, spin.slice_ticks * (SPIN_CHAINS - 1) / SPIN_CHAINS);
    assert_compare(spin.observed, >, 0);
    assert_compare(spin.observed, <=, after - before - chains);
    return spin.observed + chains >= spin.slice_ticks * (SPIN_CHAINS - 1) / SPIN_CHAINS;
}

/* In one of a hundred slices nothing else has run on this processor. */
TEST(without_a_gap_all_is_watched)
{
    bool is_watched = false;
    for (unsigned tries = 0; tries < 100 && !is_watched; tries++)
        is_watched = is_all_watched();
    assert_true(is_watched);
}

/* Every reading that takes its time is one; what they add up to has been watched. */
TEST(gaps)
{
    double sum = 0;
    spin.threshold = 0;
    spin_slice(&spin);
    for (unsigned i = GAPS_FIRST_DECADE; i <= GAPS_LAST_DECADE; i++)
        sum += spin.gaps.decade[i].sum;
    assert_compare(gaps_seen(), >, 0);
    assert_compare(sum, >, 0);
    assert_compare(sum, <=, (double)spin.observed * spin.ns_per_tick * (1 + 1e-9));
}

TEST(interrupts_of_the_firmware)
{
    smis = 0;
    spin_count_smi(&spin);
    assert_false(spin.smi_known);
    smis = 7;
    spin_count_smi(&spin);
    assert_true(spin.smi_known);
    assert_int_equal(spin.smi, 7);
}

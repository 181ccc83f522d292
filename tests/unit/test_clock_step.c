/* test_clock_step: steps of clocks made up here, from intervals that begin anywhere in one. */
#include "../../kernel/analysis/clock_step.h"
#include "../../kernel/lib/sort.h"
#include "kit.h"

#define INTERVALS 576

static uint32_t interval[INTERVALS];
static uint32_t count;

/* What a clock of such steps reads between two moments. */
static uint32_t read_off(double step, double ticks)
{
    double start = 1e6 + 1000 * step * uniform();
    double first = floor(start / step) * step, last = floor((start + ticks) / step) * step;
    return (uint32_t)(floor(last + 0.5) - floor(first + 0.5));
}

/* Samples of some bodies, as experiment floor takes them: each 64 times. */
static void measure(double step)
{
    static const double bodies[] = {30, 45, 200, 130, 700, 130, 90, 700, 110};
    count = 0;
    for (unsigned i = 0; i < sizeof bodies / sizeof *bodies; i++)
        for (unsigned j = 0; j < 64; j++)
            interval[count++] = read_off(step, bodies[i] + 2 * uniform());
}

static uint32_t found(void)
{
    sort_numbers(interval, count);
    return clock_step(interval, count);
}

TEST(whole_steps)
{
    static const uint32_t steps[] = {10, 20, 24, 26, 32, 33, 36};
    for (unsigned i = 0; i < sizeof steps / sizeof *steps; i++)
        for (unsigned trial = 0; trial < 50; trial++) {
            measure(steps[i]);
            assert_int_equal(found(), steps[i]);
        }
}

/* Nearest to a step that is not whole: readings are. */
TEST(steps_between_ticks)
{
    static const double steps[] = {22.5, 24.5, 25.6, 28.5, 36.5};
    for (unsigned i = 0; i < sizeof steps / sizeof *steps; i++)
        for (unsigned trial = 0; trial < 50; trial++) {
            measure(steps[i]);
            assert_in_range(found(), steps[i] - 1, steps[i] + 1);
        }
}

/* Readings of a step of 27.9 are mostly 27 apart, and yet multiples of 28. */
TEST(a_step_that_shows_as_one_less)
{
    static const uint32_t readings[] = {112, 139, 168, 195};
    for (count = 0; count < INTERVALS; count++)
        interval[count] = readings[count % 4];
    assert_int_equal(found(), 28);
}

/* A step may miss one interval in twenty, each of them rare; more misses contradict it. */
TEST(intervals_that_are_off)
{
    static const unsigned percent[] = {3, 4, 6, 8};
    for (unsigned i = 0; i < sizeof percent / sizeof *percent; i++) {
        for (count = 0; count < INTERVALS; count++)
            interval[count] = 26 * (2 + count % 4);
        for (unsigned j = 0; j < percent[i] * INTERVALS / 100; j++)
            interval[j] = 26 * (1 + j % 5) + 10 + j % 7;
        assert_int_equal(found(), percent[i] < 5 ? 26 : 1);
    }
}

/* So few that none may be off. */
TEST(few_intervals)
{
    for (count = 0; count < 6; count++)
        interval[count] = 26 * (1 + count / 2);
    assert_int_equal(found(), 26);
}

/* Now and then a reading is one off, and some interval is interrupted: neither is a step. */
TEST(slips)
{
    for (unsigned trial = 0; trial < 50; trial++) {
        measure(26);
        for (unsigned i = 0; i < 3; i++)
            interval[below(count)] += i == 0 ? 1 : i == 1 ? -1 : 12345;
        assert_int_equal(found(), 26);
    }
}

TEST(fine_clocks)
{
    for (unsigned trial = 0; trial < 50; trial++) {
        measure(1);
        assert_int_equal(found(), 1);
        measure(3);
        assert_int_equal(found(), 3);
        count = 0; /* any number, many of them alike */
        while (count < INTERVALS)
            interval[count++] = 40 + below(25);
        assert_int_equal(found(), 1);
        count = 0; /* far apart, and yet no steps: of what they are not multiples */
        while (count < INTERVALS)
            interval[count++] = 47 + 30 * below(4);
        assert_int_equal(found(), 1);
    }
}

/* A clock that counts every other tick: bodies may lie the same eight ticks apart, twice. */
TEST(steps_of_two)
{
    static const uint32_t bodies[] = {22, 34, 42, 52, 78, 78, 270, 282, 1404};
    for (count = 0; count < INTERVALS; count++)
        interval[count] = bodies[count / 64] + 2 * below(3);
    assert_int_equal(found(), 2);
}

/* So far apart twice by chance; any interval of two tens and more could be a multiple of about ten.
 * (Tried: an Intel family 6 model 207 guest, six runs of forty.) */
TEST(bodies_ten_apart)
{
    static const uint32_t bodies[] = {32, 42, 52, 104, 236, 246, 1002, 1012, 1548};
    for (count = 0; count < INTERVALS; count++)
        interval[count] = bodies[count / 64];
    assert_int_equal(found(), 1);
}

/* Bodies that always take as long, on a fine clock: no distance comes again. */
TEST(few_intervals_of_a_fine_clock)
{
    static const uint32_t bodies[] = {41, 41, 41, 73, 283, 298, 1978, 73, 283};
    for (count = 0; count < INTERVALS; count++)
        interval[count] = bodies[count / 64];
    assert_int_equal(found(), 1);
}

/* Two intervals have a distance, one has none. */
TEST(too_few)
{
    count = 0;
    assert_int_equal(clock_step(interval, 0), 0);
    while (count < 100)
        interval[count++] = 52;
    assert_int_equal(found(), 0);
    interval[0] = 26; /* as rare as a slip */
    assert_int_equal(found(), 0);
    for (unsigned i = 0; i < 30; i++)
        interval[i] = 26;
    assert_int_equal(found(), 26);
}

/* test_distribution: order statistics against a sort by libc, and the interval's coverage. */
#include "../../kernel/analysis/distribution.h"
#include "../../kernel/analysis/statistics.h"
#include "../../kernel/lib/random.h"
#include "../../kernel/lib/sort.h"
#include "kit.h"

#define ROOM 2000
#define GUARD 0xdecade

static uint32_t memory[ROOM + 1], reference[ROOM];
static struct distribution d;
static struct random dice;

SETUP(start)
{
    random_seed(&dice, 99);
}

static int compare(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

/* Fills `d`, and `reference` with the same values sorted. `spread` 0: any 32 bits. */
static void fill(uint32_t count, uint64_t spread)
{
    distribution_init(&d, memory, ROOM);
    for (uint32_t i = 0; i < count; i++) {
        uint64_t value = spread == 0 ? random_next(&dice) >> 32 : random_below(&dice, spread);
        reference[i] = (uint32_t)value;
        distribution_add(&d, reference[i]);
    }
    qsort(reference, count, sizeof *reference, compare);
}

/* Rank ceil(percent/100 * count), at least the first, in whole numbers. */
static uint32_t of_rank(unsigned percent, uint32_t count)
{
    uint64_t rank = ((uint64_t)percent * count + 99) / 100;
    return reference[rank > 0 ? rank - 1 : 0];
}

static void check(uint32_t count)
{
    double sum = 0;
    assert_numbers((d.count, d.discarded), (count, 0));
    assert_memory_equal(memory, reference, count * sizeof *reference);
    for (unsigned percent = 0; percent <= 100; percent++)
        assert_compare(distribution_percentile(&d, percent), ==, of_rank(percent, count));
    for (uint32_t i = 0; i < count; i++)
        sum += reference[i];
    assert_true(distribution_mean(&d) == sum / count);
    double median = count % 2 ? reference[count / 2]
                              : ((double)reference[count / 2 - 1] + reference[count / 2]) / 2;
    assert_true(distribution_median(&d) == median);
}

TEST(against_sort)
{
    static const uint64_t spreads[] = {0, 1, 2, 10, 1000};
    for (size_t i = 0; i < sizeof spreads / sizeof *spreads; i++) {
        for (uint32_t count = 1; count <= 60; count++) {
            fill(count, spreads[i]);
            check(count);
        }
        fill(ROOM, spreads[i]);
        check(ROOM);
    }
}

TEST(empty)
{
    distribution_init(&d, memory, ROOM);
    for (unsigned percent = 0; percent <= 100; percent += 50)
        assert_true(isnan(distribution_percentile(&d, percent)));
    assert_true(isnan(distribution_median(&d)));
    assert_true(isnan(distribution_mean(&d)));
    assert_false(distribution_is_precise(&d, 1000));
}

TEST(room)
{
    for (uint32_t room = 0; room < 10; room++) {
        for (uint32_t i = 0; i <= ROOM; i++)
            memory[i] = GUARD;
        distribution_init(&d, memory, room);
        for (uint32_t i = 0; i < 20; i++)
            distribution_add(&d, 100 - i);
        assert_int_equal(d.count, room);
        uint64_t sum = 0;
        for (uint32_t i = 0; i < room; i++) {
            assert_int_equal(memory[i], 100 - room + 1 + i);
            sum += memory[i];
        }
        assert_numbers((d.sum, memory[room]), (sum, GUARD));
    }
}

/* How many of 1000 intervals hold the median of the population, 500 of 0 to 1000. */
static unsigned covered(uint32_t count)
{
    unsigned hits = 0;
    for (unsigned trial = 0; trial < 1000; trial++) {
        fill(count, 1001);
        hits += distribution_is_precise(&d, fabs(500 / distribution_center(&d) - 1));
    }
    return 1000 - hits;
}

TEST(interval_coverage)
{
    static const uint32_t counts[] = {10, 25, 50, 75, 100, 200, 500};
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
        unsigned hits = covered(counts[i]);
        assert_in_range(hits, 900, 995);
    }
}

TEST(is_precise)
{
    distribution_init(&d, memory, ROOM);
    for (unsigned i = 0; i < 5; i++) {
        distribution_add(&d, 100);
        assert_false(distribution_is_precise(&d, 1)); /* too few, however alike */
    }
    distribution_add(&d, 100);
    assert_true(distribution_is_precise(&d, 0));

    for (unsigned count = 6; count < 220; count++) {
        fill(count, 1000);
        double ranks = 0.98 * sqrt(count);
        double low = reference[(unsigned)fmax(count / 2.0 - ranks, 0)];
        double high = reference[(unsigned)fmin(count / 2.0 + ranks, count - 1)];
        double fraction = (high - low) / 2 / distribution_median(&d);
        assert_true(distribution_is_precise(&d, fraction * 1.001));
        assert_false(distribution_is_precise(&d, fraction * 0.999));
    }
}

TEST(undisturbed)
{
    static const uint32_t even[] = {5, 6, 7, 8}, jumps[] = {9, 10, 10, 88, 89}, one[] = {77},
                          zeros[] = {0, 0, 8, 9}, steps[] = {0, 0, 0, 96, 769};
    assert_int_equal(distribution_undisturbed(even, 4, 1), 4);
    assert_int_equal(distribution_undisturbed(jumps, 5, 1), 4); /* 8 x (10 + 1) is none yet */
    assert_int_equal(distribution_undisturbed(one, 1, 1), 1);
    assert_int_equal(distribution_undisturbed(zeros, 3, 1), 3);
    assert_int_equal(distribution_undisturbed(zeros, 4, 1), 4); /* half of them: then it is slow */
    /* A clock reads a third of its step as none twice in three times. */
    assert_int_equal(distribution_undisturbed(steps, 5, 1), 3);
    assert_int_equal(distribution_undisturbed(steps, 5, 96), 4);
}

/* --- visits ----------------------------------------------------------------------------------- */

/* A visit of so many samples, `spread` to either side of a centre. */
static void add_visit(uint32_t center, uint32_t spread, uint32_t count)
{
    uint32_t samples[ROOM];
    for (uint32_t i = 0; i < count; i++)
        samples[i] = center - spread + random_below(&dice, 2 * spread + 1);
    sort_numbers(samples, count);
    distribution_merge(&d, samples, count);
    distribution_end_visit(&d, samples, count);
}

/* Against the textbook's two passes over all of them: the scatter of visits alike within. */
TEST(error_of_visits)
{
    double centers[200], sum = 0, squares = 0;
    distribution_init(&d, memory, ROOM);
    assert_true(isnan(distribution_mean_error(&d)));
    for (unsigned i = 0; i < 200; i++) {
        centers[i] = 1e9 + (double)random_below(&dice, 1000);
        sum += centers[i];
        add_visit((uint32_t)centers[i], 0, 1);
        assert_int_equal(isnan(distribution_mean_error(&d)), i == 0);
    }
    for (unsigned i = 0; i < 200; i++)
        squares += (centers[i] - sum / 200) * (centers[i] - sum / 200);
    assert_int_equal(d.visits, 200);
    assert_true(fabs(distribution_mean_error(&d) - sqrt(squares / 199 / 200)) < 1e-3);
}

/* Where visits are alike, the samples' own interval is the least that the centre may be off. */
TEST(error_within)
{
    distribution_init(&d, memory, ROOM);
    for (unsigned i = 0; i < 2; i++) {
        uint32_t samples[100];
        for (uint32_t j = 0; j < 100; j++)
            samples[j] = 1000 + j;
        distribution_merge(&d, samples, 100);
        distribution_end_visit(&d, samples, 100);
    }
    assert_near(distribution_center_error(&d), (1056 - 1043) / 2.0 / 1.96); /* ranks 87, 114 */
    assert_true(distribution_mean_error(&d) == 0);
}

/* Visits that differ more than their samples: 95 intervals of 100 hold what is common to all. */
TEST(coverage_of_visits)
{
    static const uint32_t visits[] = {4, 8, 16}, within[] = {0, 20, 200};
    for (unsigned w = 0; w < 3; w++)
        for (unsigned v = 0; v < 3; v++) {
            unsigned centers = 0, means = 0;
            for (unsigned trial = 0; trial < 600; trial++) {
                distribution_init(&d, memory, ROOM);
                for (uint32_t i = 0; i < visits[v]; i++) {
                    uint32_t moved = 0;
                    for (unsigned j = 0; j < 12; j++) /* nearly normal, about 60 */
                        moved += random_below(&dice, 11);
                    add_visit(1000 - 60 + moved, within[w], 25);
                }
                double t = student_95(visits[v] - 1);
                centers +=
                    fabs(distribution_center(&d) - 1000) <= t * distribution_center_error(&d);
                means += fabs(distribution_mean(&d) - 1000) <= t * distribution_mean_error(&d);
            }
            /* Where samples scatter far more than visits, order statistics are the wider. */
            assert_in_range(centers, 600 * 91 / 100, w == 2 ? 600 : 600 * 99 / 100);
            assert_in_range(means, 600 * 91 / 100, 600 * 99 / 100);
        }
}

/* --- a clock of steps ------------------------------------------------------------------------- */

/* What a clock of such steps says of `ticks`, begun anywhere in one. */
static uint32_t read_off(double ticks, double step)
{
    double start = step * random_below(&dice, 10000) / 10000;
    return (uint32_t)(step * floor((start + ticks) / step) - step * floor(start / step) + 0.5);
}

/* A median is a step; the centre is what was timed, even where all samples take as long. */
TEST(center_between_steps)
{
    static const uint32_t steps[] = {10, 26, 36};
    for (unsigned s = 0; s < 3; s++)
        for (double ticks = 300; ticks < 300 + steps[s]; ticks += 3.7) {
            distribution_init(&d, memory, ROOM);
            d.step = steps[s];
            for (unsigned i = 0; i < ROOM; i++)
                distribution_add(&d, read_off(ticks, steps[s]));
            if (fabs(distribution_center(&d) - ticks) > 0.05 * steps[s])
                fail_msg("%.1f instead of %.1f", distribution_center(&d), ticks);
            assert_true(fmod(distribution_median(&d), steps[s]) == 0);
        }
}

TEST(center_of_a_fine_clock)
{
    for (uint32_t step = 0; step < 2; step++) {
        fill(101, 1000);
        d.step = step;
        assert_true(distribution_center(&d) == distribution_median(&d));
    }
    distribution_init(&d, memory, ROOM);
    assert_true(isnan(distribution_center(&d)));
    d.step = 26;
    assert_true(isnan(distribution_center(&d)));
}

/* No error is less than the step leaves open, or a tick that all samples are of. */
TEST(error_of_a_step)
{
    distribution_init(&d, memory, ROOM);
    d.step = 26;
    for (unsigned i = 0; i < 4; i++)
        add_visit(260, 0, 25);
    double least = 26 / sqrt(12 * 100);
    assert_true(fabs(distribution_mean_error(&d) - least) < 1e-9);
    assert_true(distribution_center_error(&d) >= least - 1e-9);
    distribution_init(&d, memory, ROOM);
    for (unsigned i = 0; i < 4; i++)
        add_visit(260, 0, 25);
    assert_true(fabs(distribution_mean_error(&d) - 1 / sqrt(12)) < 1e-9);
}

/* On a clock of steps, too, where visits differ, whether or not samples do within one. */
TEST(coverage_on_a_clock_of_steps)
{
    unsigned trials = 600;
    for (uint32_t within = 0; within <= 60; within += 60) {
        unsigned centers = 0, means = 0;
        for (unsigned trial = 0; trial < trials; trial++) {
            distribution_init(&d, memory, ROOM);
            d.step = 26;
            for (unsigned v = 0; v < 8; v++) {
                uint32_t samples[25];
                double center = 290 + (double)random_below(&dice, 21);
                for (unsigned i = 0; i < 25; i++)
                    samples[i] =
                        read_off(center - within / 2.0 + random_below(&dice, within + 1), 26);
                sort_numbers(samples, 25);
                distribution_merge(&d, samples, 25);
                distribution_end_visit(&d, samples, 25);
            }
            double t = student_95(7);
            centers += fabs(distribution_center(&d) - 300) <= t * distribution_center_error(&d);
            means += fabs(distribution_mean(&d) - 300) <= t * distribution_mean_error(&d);
        }
        assert_in_range(means, trials * 91 / 100, trials * 99 / 100);
        assert_in_range(centers, trials * 91 / 100, trials);
    }
}

/* --- the fastest ------------------------------------------------------------------------------ */

/* Ranks 10 -+ 6.17 of 1000: from the fourth to the seventeenth sample. */
TEST(is_placed)
{
    uint32_t samples[1000];
    for (uint32_t i = 0; i < 1000; i++)
        samples[i] = 1000 + i;
    distribution_init(&d, memory, ROOM);
    distribution_merge(&d, samples, 1000);
    assert_true(distribution_is_placed(&d, 1, 13 / 1009.0 + 1e-9));
    assert_false(distribution_is_placed(&d, 1, 13 / 1009.0 - 1e-9));
    d.step = 13; /* or within a step */
    assert_true(distribution_is_placed(&d, 1, 0));
    d.step = 12;
    assert_false(distribution_is_placed(&d, 1, 0));
    d.step = 0; /* the upper end has to be a sample */
    assert_true(distribution_is_placed(&d, 99, 1));
    assert_false(distribution_is_placed(&d, 100, 1));
}

/* Between steps as far as the samples are, and the plain percentile of a fine clock. */
TEST(the_fastest)
{
    distribution_init(&d, memory, ROOM);
    for (unsigned i = 0; i < 100; i++)
        distribution_add(&d, 260 + 26 * (i / 10));
    assert_true(distribution_fastest(&d) == 260);
    d.step = 26;
    assert_true(distribution_fastest(&d) == 260); /* not before the first */
    for (unsigned i = 0; i < 400; i++)
        distribution_add(&d, 780);
    distribution_add(&d, 234);
    double fastest = distribution_fastest(&d);
    assert_compare(fastest, >, 247);
    assert_compare(fastest, <=, 260);
    distribution_init(&d, memory, ROOM);
    d.step = 26;
    assert_true(isnan(distribution_fastest(&d)));
    for (uint32_t step = 0; step < 2; step++) { /* of a fine clock, a sample */
        fill(1000, 1000);
        d.step = step;
        assert_true(distribution_fastest(&d) == reference[9]);
    }
}

/* test_overlap: the published rule and slopes, on curves over N made up here. */
#include "../../kernel/analysis/overlap.h"
#include "kit.h"

static struct curve curve;

static void make(unsigned count, double (*time)(unsigned n), double error)
{
    curve.count = count;
    for (unsigned n = 1; n <= count; n++) {
        curve.x[n - 1] = n;
        curve.y[n - 1] = time(n);
        curve.error[n - 1] = error;
    }
}

/* --- two in turn ------------------------------------------------------------------------------ */

static double rising(unsigned n)
{
    return 205 + 14 * n;
}

static double jumping(unsigned n)
{
    return rising(n) + (n > 10 ? 200 : 0);
}

static struct overlap find_mlp(double sequential, double half_width)
{
    struct overlap o;
    struct interval level = {sequential, sequential - half_width, sequential + half_width};
    memset(&o, 0xa5, sizeof o);
    overlap_find(&curve, &level, &o);
    return o;
}

static void assert_overlap(struct overlap o, int64_t mlp, int64_t low, int64_t high, bool is_sure)
{
    assert_numbers((o.mlp, o.low, o.high, o.sure), (mlp, low, high, is_sure));
}

/* Nothing reaches across the jump: just before it is just before it. */
TEST(first_n_that_reaches)
{
    make(20, jumping, 1);
    struct overlap o = find_mlp(410, 5);
    assert_overlap(o, 10, 10, 10, true);
    assert_true(o.reached && !o.gap);
    assert_compare(o.time.value, ==, jumping(11));
    assert_near(o.time.high, jumping(11) + 1.96);
    assert_near(o.time.low, jumping(11) - 1.96);
}

/* Within three percent of two in turn it is reached. */
TEST(tolerance)
{
    make(20, rising, 0);
    double at = rising(8);
    assert_numbers((find_mlp(at / 0.97 - 1e-9, 0).mlp, find_mlp(at / 0.97 + 1e-9, 0).mlp), (7, 8));
}

TEST(what_errors_leave_open)
{
    const double level = (rising(9) - 3) / 0.97;
    make(20, rising, 6.5); /* 12.7 to either side: nearly one N */
    assert_overlap(find_mlp(level, 0), 8, 7, 9, true);
    make(20, rising, 1); /* of the level as well */
    assert_overlap(find_mlp(level, 14.5 / 0.97), 8, 7, 9, true);
    make(20, rising, 15); /* two: more than a sure answer spans */
    assert_overlap(find_mlp(level, 0), 8, 6, 10, false);
    make(20, rising, 100); /* nothing closes it */
    struct overlap o = find_mlp(level, 0);
    assert_overlap(o, 8, o.low, OVERLAP_OPEN, false);
    make(80, rising, 15); /* a tenth of many loads may be open */
    assert_overlap(find_mlp((rising(51) - 3) / 0.97, 0), 50, 48, 52, true);
}

TEST(not_reached)
{
    make(20, rising, 1);
    struct overlap o = find_mlp(1000, 5);
    assert_overlap(o, 0, 20, 0, o.sure);
    assert_true(!o.reached && o.largest_n == 20);
    curve.count = 0;
    o = find_mlp(1000, 5);
    assert_true(!o.reached && !o.sure);
}

TEST(gaps)
{
    static const unsigned n[] = {1, 2, 6, 12};
    make(4, jumping, 1);
    for (size_t i = 0; i < 4; i++) {
        curve.x[i] = n[i];
        curve.y[i] = jumping(n[i]);
    }
    struct overlap o = find_mlp(410, 5);
    assert_overlap(o, 11, 6, 11, false);
    assert_true(o.gap && o.below_n == 6);
}

/* How often the interval holds the truth, where every mean is off by its error. */
TEST(coverage)
{
    unsigned held = 0, trials = 1000;
    for (unsigned trial = 0; trial < trials; trial++) {
        double off[2] = {0};
        make(30, rising, 6);
        for (size_t i = 0; i < curve.count; i++)
            for (unsigned j = 0; j < 12; j++) /* nearly normal */
                curve.y[i] += 6 * (uniform() - 0.5);
        for (unsigned j = 0; j < 12; j++)
            off[0] += 6 * (uniform() - 0.5);
        struct overlap o = find_mlp(rising(15) / 0.97 + off[0], 1.96 * 6);
        held += o.low <= 14 && 14 <= o.high;
    }
    assert_compare(held, >=, trials * 93 / 100);
}

/* --- slopes ----------------------------------------------------------------------------------- */

static double slope_line(unsigned n)
{
    return 100 + 19.5 * n;
}

TEST(slopes)
{
    struct interval slope;
    for (int off = -2; off <= 2; off += 2) { /* of one point off the line, in ticks a load */
        make(31, slope_line, 3);
        curve.y[15] += 30 * off;
        assert_true(overlap_slope(&curve, &slope));
        assert_near(slope.value, 19.5);
        assert_near(slope.high - slope.value, 1.96 * 3 * sqrt(2) / 30 + abs(off));
        assert_near(slope.value - slope.low, slope.high - slope.value);
    }
    for (curve.count = 1; curve.count <= 1; curve.count--)
        assert_false(overlap_slope(&curve, &slope));
}

/* --- levels ----------------------------------------------------------------------------------- */

TEST(levels)
{
    make(40, slope_line, 1);
    struct interval level = overlap_level_from(&curve, 10.5);
    assert_near(level.value, slope_line(11));
    assert_near(level.high, level.low);
    for (size_t i = 0; i < 10; i++)
        curve.y[i] = 1e6; /* what is before does not count */
    assert_near(overlap_level_from(&curve, 11).value, slope_line(11));
    for (size_t i = 10; i < 40; i++)
        curve.y[i] += i % 2 ? 5 : -5;
    level = overlap_level_from(&curve, 11);
    assert_compare(level.high - level.value, >, 1);
    assert_compare(level.low, <, slope_line(11));
}

/* A time that falls was another while it was measured. */
TEST(a_level_that_falls)
{
    make(40, slope_line, 1);
    for (size_t i = 0; i < 20; i++)
        curve.y[i] = 2 * slope_line(40);
    struct interval level = overlap_level_from(&curve, 1);
    assert_compare(level.value, >, 1.5 * slope_line(40));
    assert_compare(level.low, <, 1.2 * slope_line(40));
}

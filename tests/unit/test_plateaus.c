/* test_plateaus: levels of curves that are known. */
#include "../../kernel/analysis/plateaus.h"
#include "kit.h"

#define KILO 1024.0
#define MEGA (1024 * KILO)
#define LEAST 0.015 /* of a level, that is left open to either side */

static struct curve curve;
static struct plateaus plateaus;

/* Finds the levels of so many points an octave. */
static void make(const double *y, size_t count, double an_octave)
{
    curve.count = count;
    for (size_t i = 0; i < count; i++) {
        curve.x[i] = KILO * pow(2, (double)i / an_octave);
        curve.y[i] = y[i];
    }
    plateaus_find(&curve, 1.7, &plateaus);
}

/* As many points as a curve holds. */
TEST(many_points)
{
    static double y[CURVE_MAX];
    for (size_t i = 0; i < CURVE_MAX; i++) {
        double x = KILO * pow(2, 20.0 * (double)i / CURVE_MAX);
        double level = x <= 32 * KILO ? 4 : x <= 256 * KILO ? 12 : x <= 20 * MEGA ? 50 : 220;
        y[i] = level * (1 + 0.2 * (uniform() - 0.5));
    }
    make(y, CURVE_MAX, CURVE_MAX / 20.0);
    assert_int_equal(plateaus.count, 4);
    assert_compare(fabs(curve.x[plateaus.at[0].last] / (32 * KILO) - 1), <, 0.01);
    assert_compare(fabs(curve.x[plateaus.at[2].last] / (20 * MEGA) - 1), <, 0.01);
}

TEST(no_points)
{
    make(NULL, 0, 1);
    assert_int_equal(plateaus.count, 0);
}

/* A step that is too small for two levels is told where both sides are flat, and neither by a slope
 * nor by a soft end. */
TEST(stepped)
{
    static const struct {
        double y[9];
        double an_octave;
        bool is_stepped;
    } cases[] = {
        {{50, 50, 50.5, 50, 60, 60, 60.5, 60, 60}, 1, true},
        {{50, 50, 50.5, 50, 55, 60, 60.5, 60, 60}, 2, true},  /* a point on the step */
        {{50, 50, 50.5, 50, 55, 60, 60.5, 60, 60}, 1, false}, /* a slope: two octaves */
        {{50, 50, 50.5, 50, 60, 60, 60.5, 60, 60}, 8, false}, /* no wider than a soft edge */
        {{50, 50, 50.5, 50, 57, 57, 57, 57, 57}, 1, false},   /* less than PART_RISE */
        {{50, 50, 50.5, 50, 60, 60, 60.5, 60, 50}, 1, false}, /* and back */
        {{50, 51, 53, 55, 57, 59, 61, 63, 65}, 1, false},
        {{50, 50, 50, 50, 50, 50, 50, 50, 62}, 1, false},
        {{42, 50, 50, 50, 50, 50, 50, 50, 50}, 1, false},
    };
    for (EACH(c, cases)) {
        make(c->y, 9, c->an_octave);
        assert_numbers((plateaus.count, plateaus.at[0].stepped), (1, c->is_stepped));
    }
}

/* --- one level ------------------------------------------------------------------------------- */

/* Each point counts by its share of log x: those at either end by half; in whatever order of y. */
TEST(medians)
{
    static const double y[][11] = {{1, 1.01, 1.02, 1.03, 1.04, 1.05, 1.06, 1.07, 1.08, 1.09, 1.1},
                                   {1, 1.08, 1.01, 1.03, 1.05, 1.09, 1.06, 1.04, 1.02, 1.07, 1.1}};
    for (unsigned i = 0; i < 2; i++) {
        make(y[i], 11, 4);
        assert_int_equal(plateaus.count, 1);
        assert_near(plateaus.at[0].level, 1.05);
        struct plateau_flat flat = plateaus_flat(&curve, &plateaus.at[0]);
        assert_int_equal(flat.last - flat.first, 4); /* an octave */
    }
}

/* --- borders --------------------------------------------------------------------------------- */

/* Two levels, `between` points on the way whose y is that share of it in logarithms. */
static void make_edge(double share, unsigned between)
{
    double y[64];
    for (unsigned i = 0; i < 48; i++)
        y[i] = i < 24 ? 10 : i < 24 + between ? 10 * pow(10, share) : 100;
    make(y, 48, 4);
    assert_int_equal(plateaus.count, 2);
}

/* The border is where y leaves the lower level by four tenths of the way. */
TEST(borders)
{
    make_edge(0.39, 2);
    assert_int_equal(plateaus.at[0].last, 25);
    make_edge(0.41, 2);
    assert_numbers((plateaus.at[0].last, plateaus.at[1].first), (23, 24));
}

/* Beyond it some lines still hit: the next level's core begins at 2.5 times the border. */
TEST(core)
{
    make_edge(0.41, 2);
    assert_int_equal(plateaus.at[0].core, 0);
    /* Four points an octave: 2.5 is between five and six points. */
    assert_numbers((plateaus.at[1].core, plateaus.at[1].last), (23 + 6, 47));
    struct plateau_flat flat = plateaus_flat(&curve, &plateaus.at[1]);
    assert_true(flat.first == 29 && flat.last == 47);
    assert_near(plateaus_level(&curve, flat, LEAST).low,
                98.5); /* of equal points so much is left open */
}

static void assert_ends(struct interval level, double low, double high)
{
    assert_near(level.low, low);
    assert_near(level.high, high);
}

static struct interval level_of(const double *y, size_t count)
{
    make(y, count, 1);
    assert_int_equal(plateaus.count, 1);
    return plateaus_level(&curve, plateaus_flat(&curve, &plateaus.at[0]), LEAST);
}

/* The least and the largest of its points, and what each does not know of itself. */
TEST(intervals)
{
    static const double y[] = {10, 10.5, 10, 11};
    struct interval level = level_of(y, 2);
    assert_near(level.value, 10.25); /* of two their mean */
    assert_ends(level, 10 - LEAST * 10.25, 10.5 + LEAST * 10.25);
    level = level_of(y, 1);
    assert_ends(level, 9.85, 10.15);
    for (size_t i = 0; i < 4; i++)
        curve.error[i] = 2;
    level = level_of(y, 4); /* four points do not know it better than one */
    assert_ends(level, 10 - 2 * 1.96, 11 + 2 * 1.96);
    for (size_t i = 0; i < 4; i++)
        curve.error[i] = 0;
    struct plateau_flat flat = plateaus_flat(&curve, &plateaus.at[0]);
    assert_true(plateaus_level(&curve, flat, 2).low == 0);
}

/* A point that is hardly known is passed over, however well it agrees. */
TEST(points_that_are_not_known)
{
    static const double y[] = {10, 10, 10.1, 10.2};
    curve.error[1] = 5;
    struct interval level = level_of(y, 4);
    curve.error[1] = 0;
    assert_ends(level, 10.1 - 10.15 * LEAST, 10.2 + 10.15 * LEAST);
}

/* An octave whose points agree best, the first of several; or all of it. */
TEST(flat_parts)
{
    static const struct {
        double y[6];
        size_t count, first, last;
    } cases[] = {{{10, 11, 12, 12.1, 12.2, 16}, 6, 2, 4}, {{10, 10.1, 12, 12.1, 12.2, 16}, 6, 0, 1},
                 {{10, 10.5, 12, 13, 15, 16}, 6, 0, 1},   {{10, 12, 14.5, 15, 20, 24}, 6, 2, 3},
                 {{10, 0.1, 10, 0.1, 10, 0.1}, 6, 0, 5},  {{10}, 1, 0, 0}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        size_t count = cases[i].count;
        struct plateau all = {.core = 0, .last = count - 1};
        make(cases[i].y, count, 1);
        struct plateau_flat flat = plateaus_flat(&curve, &all);
        if (flat.first != cases[i].first || flat.last != cases[i].last)
            fail_msg("%zu: %zu to %zu", i, flat.first, flat.last);
    }
}

/* An octave, or half of one whose values agree within 2 %, which may begin before the part, or go
 * on behind it. */
TEST(parts_that_show_a_plateau)
{
    static const struct {
        double y[4];
        size_t first, last;
        bool shows;
    } cases[] = {{{10, 11, 12, 12.5}, 0, 0, false},   {{10, 10.1, 12, 12.5}, 0, 0, true},
                 {{10, 10.3, 12, 12.5}, 0, 0, false}, {{10, 11, 11.1, 12.5}, 0, 1, true},
                 {{10, 11, 12, 12.5}, 0, 2, true},    {{10, 11, 12, 12}, 3, 3, true},
                 {{10, 10.1, 12, 12.5}, 3, 3, false}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        make(cases[i].y, 4, 2);
        const struct plateau all = {.first = 0, .core = 2, .last = 3};
        const struct plateau_flat flat = {.first = cases[i].first, .last = cases[i].last};
        if (plateaus_shows(&curve, &all, flat) != cases[i].shows)
            fail_msg("%zu", i);
    }
}

TEST(ways)
{
    assert_near(plateaus_way(10, 10, 1000), 0);
    assert_near(plateaus_way(1000, 10, 1000), 1);
    assert_near(plateaus_way(100, 10, 1000), 0.5);
    assert_near(plateaus_way(1, 10, 1000), -0.5);
    assert_true(plateaus_way(-5, 10, 1000) < 0 && isfinite(plateaus_way(INFINITY, 10, 1000)));
}

/* Finds levels of 10 before point `border`, of `above` from there on. */
static size_t count_levels(unsigned border, double above)
{
    double y[48];
    for (unsigned i = 0; i < 48; i++)
        y[i] = i < border ? 10 : above;
    make(y, 48, 4);
    return plateaus.count;
}

/* A neighbour slows down one size a little before a border: the sizes around it still show it. */
TEST(a_disturbed_size)
{
    static const double level[] = {4, 14, 50, 220};
    double y[24];
    for (unsigned i = 0; i < 24; i++)
        y[i] = level[i / 6];
    y[16] = 210;
    make(y, 24, 2);
    assert_int_equal(plateaus.count, 4);
    for (unsigned k = 0; k < 3; k++)
        assert_int_equal(plateaus.at[k].last, 6 * k + 5);
}

/* A slow slope is no level, nor is a step of less than 1.7, nor less than a factor of two in x. */
TEST(what_is_no_level)
{
    double y[48];
    for (unsigned i = 0; i < 48; i++)
        y[i] = 10 * pow(1.2, i / 4.0);
    make(y, 48, 4);
    assert_numbers((plateaus.count, count_levels(24, 16.9), count_levels(24, 17.1)), (1, 1, 2));
    assert_numbers((count_levels(4, 100), count_levels(5, 100)), (1, 2));
}

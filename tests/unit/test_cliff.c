/* test_cliff: where curves jump, and how far to trust it. */
#include "../../kernel/analysis/cliff.h"
#include "../../kernel/analysis/step.h"
#include "../../kernel/lib/sort.h"
#include "kit.h"

#define POINTS 400
#define DRAWS 4000

static struct curve curve;

/* Level pieces; each y is known to `error`. */
static void make(size_t count, size_t jump, double low, double high, double error)
{
    curve.count = count;
    for (size_t i = 0; i < count; i++) {
        curve.x[i] = (double)i;
        curve.y[i] = i < jump ? low : high;
        curve.error[i] = error;
    }
}

static struct cliff found(void)
{
    struct cliff cliff;
    memset(&cliff, 0xa5, sizeof cliff);
    cliff_find(&curve, &cliff);
    return cliff;
}

TEST(answers)
{
    make(5, 3, 200, 400, 1);
    assert_int_equal(found().answer, CLIFF_TOO_FEW);
    make(40, 20, 200, 400, 1);
    assert_int_equal(found().answer, CLIFF_FOUND);
    make(40, 20, 200, 209, 1);
    assert_int_equal(found().answer, CLIFF_NONE);
    make(40, 20, 400, 200, 1);
    assert_int_equal(found().answer, CLIFF_NONE);
    make(40, 20, 200, 400, 1);
    for (size_t i = 0; i < 40; i++)
        curve.y[i] += i % 2 ? 50 : -50;
    assert_int_equal(found().answer, CLIFF_UNCLEAR);
    make(40, 20, 200, 400, 1);
    struct cliff cliff = found();
    assert_true(cliff.points == 40 && cliff.last_low == 19 && cliff.first_high == 20);
    assert_true(cliff.low == 20 && cliff.high == 20);
    assert_near(cliff.beyond.value, 400);
}

/* From the bend on, each x adds as much as the two points around it seem to be apart. */
TEST(a_bend_is_no_jump)
{
    for (unsigned gap = 1; gap <= 16; gap *= 4) {
        make(40, 20, 180, 180, 0.2);
        for (size_t i = 0; i < 40; i++) {
            curve.x[i] = (double)(i * gap);
            curve.y[i] += i < 20 ? 0 : 12 * ((double)i - 19.1);
        }
        assert_int_equal(found().answer, CLIFF_NONE);
        for (size_t i = 20; i < 40; i++)
            curve.y[i] += 100;
        assert_int_equal(found().answer, CLIFF_FOUND);
    }
}

/* All 0, all negative, or from below 0 to above: no times. */
TEST(not_above_0)
{
    static const double levels[][2] = {{0, 0}, {-400, -200}, {0, 200}, {-1, 200}, {7, 7}};
    for (unsigned i = 0; i < 5; i++) {
        make(40, 20, levels[i][0], levels[i][1], 0);
        assert_int_equal(found().answer, CLIFF_NONE);
    }
}

/* Two normal numbers (Box and Muller). */
static double normal(void)
{
    return sqrt(-2 * log(1 - uniform())) * cos(6.283185307179586 * uniform());
}

/* Draws the interval by random numbers of our own, and many more of them. */
static void draw_interval(size_t jump, double low, double high, double error, double *from,
                          double *to)
{
    static double place[DRAWS], y[POINTS];
    for (unsigned draw = 0; draw < DRAWS; draw++) {
        for (size_t i = 0; i < POINTS; i++)
            y[i] = (i < jump ? low : high) + error * normal();
        place[draw] = curve.x[step_fit(curve.x, y, POINTS, 3).first_high];
    }
    sort_doubles(place, DRAWS);
    *from = place[DRAWS / 40];
    *to = place[DRAWS - 1 - DRAWS / 40];
}

/* Errors that hide the jump's place: as wide as they make it, and no wider. */
TEST(interval)
{
    static const double errors[] = {10, 20, 30};
    for (unsigned i = 0; i < 3; i++) {
        double from, to;
        make(POINTS, 200, 200, 220, errors[i]);
        struct cliff cliff = found();
        draw_interval(200, 200, 220, errors[i], &from, &to);
        double width = to - from, off = 3 + 0.35 * width;
        assert_int_equal(cliff.answer, CLIFF_FOUND);
        assert_int_equal(cliff.first_high, 200);
        if (fabs((double)cliff.low - from) > off || fabs((double)cliff.high - to) > off)
            fail_msg("%ld .. %ld, and not %.0f .. %.0f", (long)cliff.low, (long)cliff.high, from,
                     to);
    }
}

/* Digit for digit: the same curve has the same answer on every machine and in every version. */
TEST(interval_is_repeatable)
{
    static const struct {
        double error;
        int64_t low, high;
    } wanted[] = {{10, 197, 203}, {20, 186, 218}, {30, 32, 392}};

    for (unsigned i = 0; i < sizeof wanted / sizeof *wanted; i++) {
        make(POINTS, 200, 200, 220, wanted[i].error);
        struct cliff cliff = found();
        if (cliff.low != wanted[i].low || cliff.high != wanted[i].high)
            fail_msg("error %.0f: %ld .. %ld", wanted[i].error, (long)cliff.low, (long)cliff.high);
    }
}

/* Between two points anything may be: the interval is never less than that. */
TEST(gap_between_neighbours)
{
    make(40, 20, 200, 400, 1);
    for (size_t i = 0; i < 40; i++)
        curve.x[i] *= 8;
    struct cliff cliff = found();
    assert_true(cliff.last_low == 152 && cliff.first_high == 160);
    assert_true(cliff.low == 153 && cliff.high == 160);
    assert_true(cliff_is_placed(&cliff));
}

/* Up to a fiftieth of the value, or to one step. */
TEST(placed)
{
    struct cliff cliff = {.first_high = 200, .last_low = 199, .low = 196, .high = 200};
    assert_true(cliff_is_placed(&cliff));
    cliff.low = 195;
    assert_false(cliff_is_placed(&cliff));
    cliff.last_low = 195;
    assert_true(cliff_is_placed(&cliff));
}

/* Fewer points are enough to look closer, and no interval is asked for. */
TEST(locate)
{
    struct cliff cliff;
    make(4, 2, 200, 400, 1);
    cliff_locate(&curve, &cliff);
    assert_int_equal(cliff.answer, CLIFF_FOUND);
    assert_true(cliff.last_low == 1 && cliff.first_high == 2);
    make(3, 2, 200, 400, 1);
    cliff_locate(&curve, &cliff);
    assert_int_equal(cliff.answer, CLIFF_TOO_FEW);
}

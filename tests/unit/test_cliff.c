/* test_cliff: where curves jump, and how far to trust it. */
#include "../../kernel/analysis/cliff.h"
#include "kit.h"

#define POINTS 400

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

/* Returns x before the first jump by that much; -1: there is none. */
static int64_t first(double least)
{
    struct cliff cliff;
    memset(&cliff, 0xa5, sizeof cliff);
    cliff_find_first(&curve, least, &cliff);
    return cliff.answer == CLIFF_FOUND ? cliff.last_low : -1;
}

TEST(answers)
{
    make(3, 2, 200, 400, 1);
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

/* Errors that hide the jump's place: the interval holds so many x, more with larger errors. */
TEST(interval)
{
    static const struct {
        double error;
        int64_t least, most;
    } cases[] = {{1, 0, 0}, {5, 0, 1}, {10, 1, 4}, {20, 5, 20}, {30, 10, 200}};
    for (unsigned i = 0; i < 5; i++) {
        make(POINTS, 200, 200, 220, cases[i].error);
        struct cliff cliff = found();
        assert_numbers((cliff.answer, cliff.first_high), (CLIFF_FOUND, 200));
        assert_in_range(200 - cliff.low, cases[i].least, cases[i].most);
        assert_in_range(cliff.high - 200, cases[i].least, cases[i].most);
    }
}

/* How often it holds the jump, where every y is off by its error. */
TEST(interval_holds)
{
    unsigned held = 0, answers = 0;
    for (unsigned trial = 0; trial < 1000; trial++) {
        size_t jump = 5 + below(31);
        make(40, jump, 200, 220 + 20 * uniform(), 3.5);
        for (size_t i = 0; i < 40; i++)
            curve.y[i] += 3.5 * normal();
        struct cliff cliff = found();
        answers += cliff.answer == CLIFF_FOUND;
        held += cliff.answer == CLIFF_FOUND && cliff.low <= (int64_t)jump &&
                (int64_t)jump <= cliff.high;
    }
    assert_compare(answers, >, 500);
    assert_compare(held, >=, answers * 95 / 100);
}

/* A point whose own error is large has little to say of the jump's place. */
TEST(points_count_by_their_errors)
{
    make(40, 20, 200, 400, 1);
    curve.y[19] = 390;
    assert_int_equal(found().first_high, 19);
    curve.error[19] = 500;
    curve.y[18] = 202;
    struct cliff cliff = found();
    assert_true(cliff.low <= 19 && cliff.high >= 20);
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

/* Two points on either side, and of a first jump one beyond. */
TEST(fewest_points)
{
    make(4, 2, 200, 400, 1);
    struct cliff cliff = found();
    assert_true(cliff.answer == CLIFF_FOUND && cliff.last_low == 1 && cliff.first_high == 2);
    make(3, 2, 200, 400, 1);
    assert_int_equal(found().answer, CLIFF_TOO_FEW);
    make(40, 39, 200, 400, 1);
    assert_int_equal(first(50), 38);
    make(40, 40, 200, 400, 1);
    assert_int_equal(first(50), -1);
    make(0, 0, 0, 0, 0);
    assert_int_equal(first(50), -1);
}

/* The first of several jumps that is large enough is found; a slope has none. */
TEST(first_jump)
{
    for (size_t jump = 3; jump < 60; jump++) {
        make(64, jump, 200, 400, 1);
        for (size_t i = 0; i < 64; i++)
            curve.y[i] += 4 * (double)i + (i >= jump + 8 ? 300 : 0);
        assert_int_equal(first(50), jump - 1);
    }
    for (double each = 20; each <= 200; each += 20) {
        make(40, 40, 200, 200, 1);
        for (size_t i = 0; i < 40; i++)
            curve.y[i] += each * (double)i;
        assert_int_equal(first(50), -1);
    }
}

/* A jump that the error of a point may have made is none. */
TEST(first_jump_and_errors)
{
    make(40, 20, 200, 400, 1);
    curve.y[10] = 300;
    curve.error[10] = 60;
    assert_int_equal(first(50), 19);
    make(21, 20, 200, 400, 1);
    curve.error[20] = 60;
    assert_int_equal(first(50), -1);
}

TEST(first_jump_in_noise)
{
    unsigned wrong = 0;
    for (unsigned trial = 0; trial < 500; trial++) {
        size_t jump = 5 + below(40);
        make(50, jump, 200, trial % 2 ? 350 : 200, 2);
        for (size_t i = 0; i < curve.count; i++)
            curve.y[i] += 5 * (double)i + 8 * (uniform() - 0.5);
        wrong += first(50) != (trial % 2 ? (int64_t)jump - 1 : -1);
    }
    assert_in_range(wrong, 0, 5);
}

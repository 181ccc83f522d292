/* test_step: lines and steps through points whose fits are known. */
#include "../../kernel/analysis/statistics.h"
#include "../../kernel/analysis/step.h"
#include "kit.h"

/* --- step_fit -------------------------------------------------------------------------------- */

/* Sum of squares around the least-squares line through points from..to. */
static double squares(const double *x, const double *y, size_t from, size_t to)
{
    double n = (double)(to - from), mean_x = 0, mean_y = 0, xx = 0, xy = 0, error = 0;
    for (size_t i = from; i < to; i++) {
        mean_x += x[i] / n;
        mean_y += y[i] / n;
    }
    for (size_t i = from; i < to; i++) {
        xx += (x[i] - mean_x) * (x[i] - mean_x);
        xy += (x[i] - mean_x) * (y[i] - mean_y);
    }
    double slope = xx > 0 ? xy / xx : 0;
    for (size_t i = from; i < to; i++)
        error += pow(y[i] - mean_y - slope * (x[i] - mean_x), 2);
    return error;
}

TEST(line)
{
    double x[40], y[40];
    for (unsigned trial = 0; trial < 100; trial++) {
        double offset = 1000 * (uniform() - 0.5), slope = 20 * (uniform() - 0.5);
        size_t count = 2 + below(39);
        for (size_t i = 0; i < count; i++) {
            x[i] = (double)i * 8 + 1000 * trial;
            y[i] = offset + slope * x[i];
        }
        struct line line = line_fit(x, y, count);
        for (size_t i = 0; i < count; i++)
            assert_compare(fabs(line_at(line, x[i]) - y[i]), <, 1e-6);
        /* Off the line: no other line is nearer. */
        for (size_t i = 0; i < count; i++)
            y[i] += 50 * (uniform() - 0.5);
        double error = 0;
        line = line_fit(x, y, count);
        for (size_t i = 0; i < count; i++)
            error += pow(y[i] - line_at(line, x[i]), 2);
        assert_compare(fabs(error - squares(x, y, 0, count)), <, 1e-4 * (1 + error));
    }
}

TEST(line_without_slope)
{
    static const double x[] = {7, 7, 7}, y[] = {1, 2, 6};
    for (size_t count = 1; count <= 3; count++) {
        struct line line = line_fit(x, y, count);
        assert_compare(line.slope, ==, 0);
        assert_near(line.offset, count == 1 ? 1 : count == 2 ? 1.5 : 3);
    }
}

/* On pure noise: no split is better than the one found, and its figures are that split's. Its lines
 * are the best of their sides, which an exact step follows without any error. */
TEST(least_squares)
{
    enum { MAX = 60 };
    double x[MAX], y[MAX];
    for (unsigned trial = 0; trial < 300; trial++) {
        size_t side = 1 + below(4), count = 2 * side + below((uint32_t)(MAX - 2 * side + 1));
        size_t exact = trial % 3 == 0 ? side + below((uint32_t)(count - 2 * side + 1)) : 0;
        for (size_t i = 0; i < count; i++) {
            x[i] = (double)(i * i + 100 * trial);
            y[i] = exact == 0 ? 1000 * uniform() : i < exact ? 400 + x[i] / 4 : 900;
        }
        struct step step = step_fit(x, y, count, side);
        size_t at = step.first_high;
        assert_in_range(at, side, count - side);
        if (exact != 0)
            assert_int_equal(at, exact);
        double error = squares(x, y, 0, at) + squares(x, y, at, count);
        for (size_t split = side; split + side <= count; split++)
            assert_true(error <=
                        (squares(x, y, 0, split) + squares(x, y, split, count)) * 1.000001 + 1e-3);
        double left = 0;
        for (size_t i = 0; i < count; i++)
            left += pow(y[i] - line_at(i < at ? step.low : step.high, x[i]), 2);
        assert_compare(fabs(left - error), <, 1e-4 * (1 + error));
        assert_compare(fabs(step.residual - sqrt(error / (double)count)), <, 1e-2);
        assert_near(step.jump, line_at(step.high, x[at]) - line_at(step.low, x[at]));
        for (size_t i = 0; i < count; i++)
            y[i] = ldexp(y[i], -20); /* the same step, in a larger unit */
        struct step small = step_fit(x, y, count, side);
        assert_int_equal(small.first_high, at);
        assert_compare(ldexp(small.residual, 20), ==, step.residual);
        assert_compare(ldexp(small.jump, 20), ==, step.jump);
    }
}

TEST(constant)
{
    static const double values[] = {0, 1, 412, 0.1, 1e9 / 7};
    double x[50], y[50];
    for (size_t v = 0; v < sizeof values / sizeof *values; v++)
        for (size_t count = 2; count <= 50; count++) {
            for (size_t i = 0; i < count; i++) {
                x[i] = (double)i;
                y[i] = values[v];
            }
            struct step step = step_fit(x, y, count, 1);
            assert_in_range(step.first_high, 1, count - 1);
            assert_near(line_at(step.low, 0), values[v]);
            assert_near(line_at(step.high, 0), values[v]);
            assert_near(step.jump, 0);
            assert_near(step.residual, 0);
        }
}

TEST(too_few_points)
{
    static const double x[] = {0, 1, 2, 3, 4, 5}, y[] = {3, 5, 3, 5, 3, 5};
    for (size_t side = 1; side <= 3; side++)
        for (size_t count = 0; count <= 6; count++)
            assert_int_equal(step_fit(x, y, count, side).first_high != 0, count >= 2 * side);
    struct step step = step_fit(x, y, 2, 1);
    assert_int_equal(step.first_high, 1);
    assert_near(step.jump, 2);
}

/* --- line_regress ---------------------------------------------------------------------------- */

/* Draper and Smith, 1.4, written as a textbook has it. */
TEST(regression)
{
    static const double x[] = {1, 2, 4, 5, 8}, y[] = {3.1, 4.8, 9.2, 10.9, 17};
    struct regression fit = line_regress(x, y, 5);
    double mean = 4, spread = 9 + 4 + 0 + 1 + 16, square_x = 1 + 4 + 16 + 25 + 64;
    double s = sqrt(squares(x, y, 0, 5) / 3);
    assert_near(fit.residual, s);
    assert_near(line_at(fit.line, mean), (3.1 + 4.8 + 9.2 + 10.9 + 17) / 5);
    assert_near(fit.slope_half_width, student_95(3) * s / sqrt(spread));
    assert_near(fit.offset_half_width, student_95(3) * s * sqrt(square_x / (5 * spread)));
}

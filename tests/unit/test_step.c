/* test_step: lines and steps through points whose fits are known. */
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
            assert_true(fabs(line_at(line, x[i]) - y[i]) < 1e-6);
        /* Off the line: no other line is nearer. */
        for (size_t i = 0; i < count; i++)
            y[i] += 50 * (uniform() - 0.5);
        double error = 0;
        line = line_fit(x, y, count);
        for (size_t i = 0; i < count; i++)
            error += pow(y[i] - line_at(line, x[i]), 2);
        assert_true(fabs(error - squares(x, y, 0, count)) < 1e-4 * (1 + error));
    }
}

TEST(line_without_slope)
{
    static const double x[] = {7, 7, 7}, y[] = {1, 2, 6};

    for (size_t count = 1; count <= 3; count++) {
        struct line line = line_fit(x, y, count);
        assert_true(line.slope == 0);
        assert_true(near(line.offset, count == 1 ? 1 : count == 2 ? 1.5 : 3));
    }
}

/* Every place of the jump, up and down, pieces level and not. */
TEST(exact_steps)
{
    enum { COUNT = 30, SIDE = 3 };
    static const double slopes[][2] = {{0, 0}, {0.5, 0.5}, {1, 0}, {-0.25, 0.75}};
    double x[COUNT], y[COUNT];

    for (size_t count = 2 * SIDE; count <= COUNT; count++)
        for (size_t at = SIDE; at + SIDE <= count; at++)
            for (unsigned way = 0; way < 8; way++) {
                double low = slopes[way / 2][0], high = slopes[way / 2][1];
                double jump = way % 2 ? 200.25 : -150.5;
                for (size_t i = 0; i < count; i++) {
                    x[i] = 8 * (double)i;
                    y[i] = i < at ? 400 + low * x[i]
                                  : 400 + low * x[at] + jump + high * (x[i] - x[at]);
                }
                struct step step = step_fit(x, y, count, SIDE);
                assert_int_equal(step.first_high, at);
                assert_true(fabs(step.low.slope - low) < 1e-6);
                assert_true(fabs(step.high.slope - high) < 1e-6);
                assert_true(fabs(line_at(step.low, x[0]) - y[0]) < 1e-6);
                assert_true(fabs(line_at(step.high, x[count - 1]) - y[count - 1]) < 1e-6);
                assert_true(fabs(step.jump - jump) < 1e-6);
                assert_true(step.residual < 1e-3);
            }
}

/* On pure noise: no split is better than the one found, and its figures are that split's. */
TEST(least_squares)
{
    enum { MAX = 60 };
    double x[MAX], y[MAX];

    for (unsigned trial = 0; trial < 300; trial++) {
        size_t side = 1 + below(4), count = 2 * side + below((uint32_t)(MAX - 2 * side + 1));
        for (size_t i = 0; i < count; i++) {
            x[i] = (double)(i * i + 100 * trial);
            y[i] = 1000 * uniform();
        }
        struct step step = step_fit(x, y, count, side);
        size_t at = step.first_high;
        assert_in_range(at, side, count - side);
        double error = squares(x, y, 0, at) + squares(x, y, at, count);
        for (size_t split = side; split + side <= count; split++)
            assert_true(error <=
                        (squares(x, y, 0, split) + squares(x, y, split, count)) * 1.000001 + 1e-3);
        assert_true(fabs(step.residual - sqrt(error / (double)count)) < 1e-2);
        assert_true(near(step.jump, line_at(step.high, x[at]) - line_at(step.low, x[at])));
    }
}

TEST(noisy_step)
{
    enum { COUNT = 80 };
    double x[COUNT], y[COUNT];

    for (unsigned trial = 0; trial < 200; trial++) {
        size_t at = 5 + below(COUNT - 10);
        for (size_t i = 0; i < COUNT; i++) {
            x[i] = (double)i;
            y[i] = (i < at ? 200 : 400) + 20 * (uniform() - 0.5);
        }
        struct step step = step_fit(x, y, COUNT, 3);
        assert_int_equal(step.first_high, at);
        assert_true(fabs(step.jump - 200) < 25);
        assert_true(step.residual > 3 && step.residual < 8); /* 20 / sqrt(12) */
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
            assert_true(near(line_at(step.low, 0), values[v]));
            assert_true(near(line_at(step.high, 0), values[v]));
            assert_true(near(step.jump, 0) && near(step.residual, 0));
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
    assert_true(near(step.jump, 2));
}

/* --- line_regress ---------------------------------------------------------------------------- */

/* Draper and Smith, 1.4, written as a textbook has it. */
TEST(regression)
{
    static const double x[] = {1, 2, 4, 5, 8}, y[] = {3.1, 4.8, 9.2, 10.9, 17};
    struct regression fit = line_regress(x, y, 5);
    double mean = 4, spread = 9 + 4 + 0 + 1 + 16, square_x = 1 + 4 + 16 + 25 + 64;
    double s = sqrt(squares(x, y, 0, 5) / 3);

    assert_true(near(fit.residual, s));
    assert_true(near(line_at(fit.line, mean), (3.1 + 4.8 + 9.2 + 10.9 + 17) / 5));
    assert_true(near(fit.slope_half_width, 1.96 * s / sqrt(spread)));
    assert_true(near(fit.offset_half_width, 1.96 * s * sqrt(square_x / (5 * spread))));
}

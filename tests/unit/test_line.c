/* test_line: lines through points whose fits are known. */
#include "../../kernel/analysis/line.h"
#include "../../kernel/analysis/statistics.h"
#include "kit.h"

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

/* Weights count as so many points, and a point that is taken out leaves nothing. */
TEST(sums)
{
    static const double x[] = {1, 2, 2, 2, 5}, y[] = {3, 5, 5, 5, 4};
    struct line_sums sums = {0}, twice = {0};
    for (size_t i = 0; i < 5; i++)
        line_sums_add(&twice, x[i], y[i], 1);
    line_sums_add(&sums, 1, 3, 1);
    line_sums_add(&sums, 2, 5, 3);
    line_sums_add(&sums, 9, 100, 0.5);
    line_sums_add(&sums, 5, 4, 1);
    line_sums_add(&sums, 9, 100, -0.5);
    double slope = line_fit(x, y, 5).slope;
    assert_near(line_slope(&sums), slope);
    assert_near(line_sums_squares(&sums, slope), squares(x, y, 0, 5));
    assert_near(line_of_slope(&sums, slope, 0, 0).offset, line_fit(x, y, 5).offset);
    assert_near(line_sums_squares(&sums, 0), line_sums_squares(&twice, 0));
    assert_compare(line_sums_squares(&sums, slope + 1), >, squares(x, y, 0, 5));
    assert_near(line_of_slope(&sums, 0, 0, 0).offset, 22 / 5.0); /* the mean */
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

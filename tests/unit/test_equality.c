/* test_equality: values that are one, values that are not, and how often intervals are right. */
#include "../../kernel/analysis/equality.h"
#include "../../kernel/lib/random.h"
#include "kit.h"

#define COUNT_MAX 16
#define TRIALS 2000

static struct random chance;

SETUP(start)
{
    random_seed(&chance, 1);
}

/* Of twelve evenly spread ones: normal to the eye. */
static double normal(void)
{
    double sum = -6;
    for (unsigned i = 0; i < 12; i++)
        sum += (double)random_below(&chance, 1000000) / 1e6;
    return sum;
}

TEST(several_at_once)
{
    assert_float_equal(normal_95_of_all(3), 2.862, 1e-3);
    assert_compare(normal_95_of_all(1), >, NORMAL_95);
}

/* Blocks that differ and treatments that differ leave nothing; one cell that is off does. */
TEST(layout)
{
    double values[] = {1, 2, 4, 11, 12, 14, 5, 6, 8};
    assert_float_equal(layout_error(values, 3, 3), 0, 1e-12);
    values[4] += 9; /* 4 of it are left there, -2 in its row and column, 1 elsewhere */
    double squares = 16 + 4 * 4 + 4;
    assert_float_equal(layout_error(values, 3, 3), sqrt(squares / 4 / 3) * student_95(4) / 1.96,
                       1e-6);
    assert_true(isnan(layout_error(values, 1, 3)) && isnan(layout_error(values, 3, 1)));
}

TEST(equal_values)
{
    static const double values[] = {7, 7, 7}, errors[] = {0.1, 0.2, 0.1};
    struct interval spread = spread_of(values, errors, 3);
    assert_numbers((spread.value, spread.low), (0, 0));
    assert_in_range(1000 * spread.high, 100, 300);
}

/* The errors are nothing against the differences: what is left is the deviation of the values. */
TEST(values_that_differ)
{
    static const double values[] = {46, 43, 43.2, 46.7}, errors[] = {0.05, 0.05, 0.05, 0.05};
    struct interval spread = spread_of(values, errors, 4);
    assert_float_equal(spread.value, 1.645, 0.01);
    assert_compare(spread.low, >, 1.5);
    assert_compare(spread.low, <, spread.value);
    assert_compare(spread.high, <, 1.8);
    assert_compare(spread.high, >, spread.value);
}

/* Weights: a value that is hardly known tells hardly anything. */
TEST(a_value_that_is_hardly_known)
{
    static const double values[] = {10, 10, 10, 15}, errors[] = {0.1, 0.1, 0.1, 5};
    struct interval spread = spread_of(values, errors, 4);
    assert_numbers((spread.value, spread.low), (0, 0));
    assert_compare(spread.high, <, 0.4);
}

/* Chi-squared of 100 degrees of freedom, noncentrality 34.7, is below 101 in 2.5 % of cases. */
TEST(many_equal_values)
{
    double values[101], errors[101];
    for (unsigned i = 0; i < 101; i++) {
        values[i] = i % 2 ? 7.1 : 6.9;
        errors[i] = 0.1;
    }
    assert_float_equal(spread_of(values, errors, 101).high, 0.1 * sqrt(34.7 / 101), 2e-4);
}

/* How often the interval holds the truth, and how often equal values are said to differ. */
static void check_coverage(unsigned count, double apart)
{
    unsigned held = 0, told = 0;
    for (unsigned trial = 0; trial < TRIALS; trial++) {
        double values[COUNT_MAX], errors[COUNT_MAX], weights = 0, sum = 0, truth = 0;
        for (unsigned i = 0; i < count; i++) {
            errors[i] = 1 + i % 3;
            values[i] = 100 + apart * (i % 2) + errors[i] * normal();
            weights += 1 / (errors[i] * errors[i]);
            sum += apart * (i % 2) / (errors[i] * errors[i]);
        }
        for (unsigned i = 0; i < count; i++)
            truth += pow(apart * (i % 2) - sum / weights, 2) / (errors[i] * errors[i]) / weights;
        struct interval spread = spread_of(values, errors, count);
        assert_within(spread.value, spread.low, spread.high);
        assert_compare(spread.high, >, 0);
        held += spread.low <= sqrt(truth) && sqrt(truth) <= spread.high;
        told += spread.low > 0;
    }
    assert_in_range(held, TRIALS * 0.935, TRIALS);
    if (apart == 0)
        assert_in_range(told, 0, TRIALS * 0.04);
}

TEST(coverage)
{
    for (unsigned count = 2; count <= COUNT_MAX; count += 2)
        for (double apart = 0; apart <= 16; apart = apart > 0 ? 2 * apart : 1)
            check_coverage(count, apart);
}

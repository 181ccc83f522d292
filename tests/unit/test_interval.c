/* test_interval: errors add by squares, each side by itself. */
#include "../../kernel/analysis/interval.h"
#include "kit.h"

static void assert_interval(struct interval had, double value, double low, double high)
{
    assert_compare(__builtin_fabs(had.value - value), <, 1e-12);
    assert_compare(__builtin_fabs(had.low - low), <, 1e-12);
    assert_compare(__builtin_fabs(had.high - high), <, 1e-12);
}

TEST(a_time_does_not_go_below_zero)
{
    assert_interval(interval_around(10, 4), 10, 6, 14);
    assert_interval(interval_around(1, 4), 1, 0, 5);
    assert_interval(interval_around(-1, 4), -1, -5, 3);
    assert_interval(interval_widen((struct interval){10, 7, 11}, 4), 10, 5,
                    10 + __builtin_sqrt(17));
    assert_interval(interval_widen((struct interval){1, 0.5, 2}, 4), 1, 0, 1 + __builtin_sqrt(17));
}

TEST(a_side_that_is_wide_enough_stays)
{
    assert_interval(interval_at_least((struct interval){10, 7, 11}, 2), 10, 7, 12);
    assert_interval(interval_at_least((struct interval){10, 9, 13}, 0), 10, 9, 13);
    struct interval bound = interval_at_least((struct interval){10, __builtin_nan(""), 11}, 2);
    assert_true(bound.low != bound.low);
    assert_compare(bound.high, ==, 12);
}

TEST(each_side_of_a_sum_by_itself)
{
    struct interval a = {100, 97, 104}, b = {50, 46, 53};
    assert_interval(interval_add(a, b), 150, 145, 155);
    /* The low end has a's low end and b's high end. */
    assert_interval(interval_subtract(a, b), 50, 50 - __builtin_sqrt(18), 50 + __builtin_sqrt(32));
    assert_interval(interval_subtract(b, b), 0, -5, 5);
}

TEST(a_negative_factor_swaps_the_ends)
{
    assert_interval(interval_scale((struct interval){10, 8, 13}, 2), 20, 16, 26);
    assert_interval(interval_scale((struct interval){10, 8, 13}, -1), -10, -13, -8);
}

TEST(each_operand_moves_a_quotient_by_itself)
{
    struct interval a = {100, 97, 104}, b = {50, 40, 62.5};
    double less = __builtin_hypot(0.06, 2 - 1.6), more = __builtin_hypot(0.08, 2.5 - 2);
    assert_interval(interval_divide(a, b), 2, 2 - less, 2 + more);
    assert_interval(interval_divide(interval_scale(a, -1), b), -2, -2 - more, -2 + less);
    assert_interval(interval_divide(a, interval_scale(b, -1)), -2, -2 - more, -2 + less);
    assert_interval(interval_divide((struct interval){0, -5, 10}, b), 0, -0.1, 0.2);
    /* A time's quotient is above 0 as the time is; that of a difference may be below. */
    const struct interval wide = {1, 0, 2}, one = {1, 1, 1};
    assert_interval(interval_divide(wide, wide), 1, 0, 1 + __builtin_sqrt(2));
    assert_interval(interval_divide((struct interval){1, -1, 3}, one), 1, -1, 3);
}

TEST(half_the_width_of_a_lopsided_one)
{
    assert_compare(interval_half_width((struct interval){10, 8, 13}), ==, 2.5);
}

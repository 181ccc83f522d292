/* test_kit: tests run in the order of their file, between what is set up and taken down for them.
 */
#include "kit.h"

#define LOG_MAX 200

static char log_of[LOG_MAX];
static double drawn;

static void note(const char *what)
{
    assert_true(strlen(log_of) + strlen(what) < LOG_MAX);
    strcat(log_of, what);
}

SETUP_ALL(open)
{
    note("all");
}

TEST(z_comes_first)
{
    assert_string_equal(log_of, "all");
    note(" z");
    drawn = uniform();
    assert_true(drawn >= 0 && drawn < 1);
}

TEST(a_comes_second_with_the_same_numbers)
{
    assert_string_equal(log_of, "all z");
    assert_true(uniform() == drawn);
    for (unsigned i = 0; i < 1000; i++)
        assert_in_range(below(3), 0, 2);
}

SETUP(begin)
{
    note(" begin");
}

TEARDOWN(end)
{
    note(" end");
}

TEST(set_up)
{
    assert_string_equal(log_of, "all z begin");
}

TEST(taken_down_and_set_up_again)
{
    assert_string_equal(log_of, "all z begin end begin");
}

SETUP(begin_otherwise)
{
    note(" otherwise");
}

TEST(another_setup_has_no_teardown)
{
    assert_string_equal(log_of, "all z begin end begin end otherwise");
}

TEST(near_is_within_rounding)
{
    assert_true(near(0.1 + 0.2, 0.3) && near(1e300, 1e300 * (1 + 1e-12)) && near(0, 1e-12));
    assert_false(near(1, 1.00001) || near(0, 1e-6) || near(1, NAN));
}

TEARDOWN_ALL(close)
{
    assert_string_equal(log_of, "all z begin end begin end otherwise otherwise");
}

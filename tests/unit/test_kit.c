/* test_kit: tests run in the order of their file, between what is set up and taken down for them;
 * assertions that fail print what they compared. */
#include <unistd.h>

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
    assert_within(drawn, 0, 0x1.fffffffffffffp-1);
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
    assert_near(0.1 + 0.2, 0.3);
    assert_near(1e300, 1e300 * (1 + 1e-12));
    assert_near(0, 1e-12);
    assert_false(near(1, 1.00001) || near(0, 1e-6) || near(1, NAN));
}

TEST(comparisons_that_hold)
{
    assert_compare(-1, <, 0.5);
    assert_compare(UINT64_MAX, >, UINT64_MAX - 1);
    assert_compare(-1, <, 1u);
    unsigned calls = 0;
    assert_compare(++calls, ==, 1);
    assert_near(++calls, 2);
    assert_within(7, 7, 7);
    assert_within(-0.5, -1, 0);
    assert_numbers((drawn, UINT64_MAX), (drawn, UINT64_MAX));
}

#define FAILURE "KIT_FAILURE" /* number of the comparison that fails; nothing fails without it */

/* Fails in the copy of this program that the next test starts. */
TEST(failing)
{
    const char *number = getenv(FAILURE);
    switch (number != NULL ? number[0] : ' ') {
    case '0':
        assert_compare(40 + 2, >, 42.5);
        break;
    case '1':
        assert_within(0.25 * 3, 1, 2);
        break;
    case '2':
        assert_within(3, 1, 2);
        break;
    case '3':
        assert_within(NAN, 1, 2);
        break;
    case '4':
        assert_near(1.0, 1.5);
        break;
    case '5':
        assert_numbers((1, 2, 3), (1, 5, 3));
        break;
    case '6':
        assert_numbers((1, 2), (1, 2, 3));
        break;
    case '7':
        assert_numbers((UINT64_MAX), (UINT64_MAX - 1));
    }
}

TEST(failures_print_the_values)
{
    static const char *const wanted[] = {
        "40 + 2 > 42.5 does not hold: 42 and 42.5\n",
        "0.25 * 3 is 0.75, not within 1 and 2\n",
        "3 is 3, not within 1 and 2\n",
        "is nan, not within 1 and 2\n",
        "1.0 is near 1.5 does not hold: 1 and 1.5\n",
        "(1, 2, 3): 1 2 3, not 1 5 3\n",
        "(1, 2): 1 2, not 1 2 3\n",
        "18446744073709551615, not 18446744073709551614\n",
    };
    for (unsigned i = 0; i < sizeof wanted / sizeof *wanted; i++) {
        char command[100], output[4000];
        snprintf(command, sizeof command, FAILURE "=%u /proc/%d/exe failing 2>&1", i, getpid());
        FILE *copy = popen(command, "r");
        assert_non_null(copy);
        output[fread(output, 1, sizeof output - 1, copy)] = '\0';
        assert_int_not_equal(pclose(copy), 0);
        assert_contains(output, wanted[i]);
        assert_contains(output, "test_kit.c:");
    }
}

TEARDOWN_ALL(finish)
{
    if (getenv(FAILURE) == NULL)
        assert_string_equal(log_of, "all z begin end begin end otherwise otherwise otherwise"
                                    " otherwise otherwise");
}

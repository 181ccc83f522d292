/* test_case_name: whole parts of names, and what follows them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "../../kernel/analysis/case_name.h"

static void test_rest(void **state)
{
    (void)state;
    assert_string_equal(case_name_rest("4k", "4k"), "");
    assert_string_equal(case_name_rest("4k-cold", "4k"), "-cold");
    assert_string_equal(case_name_rest("4k-cold-nopf", "4k-cold"), "-nopf");
}

static void test_other_parts(void **state)
{
    (void)state;
    assert_null(case_name_rest("4k", "2m"));
    assert_null(case_name_rest("4k", "4k-cold"));
    assert_null(case_name_rest("4kb", "4k"));
    assert_null(case_name_rest("4k-colder", "4k-cold"));
    assert_null(case_name_rest("", "4k"));
}

static void test_natural_rest(void **state)
{
    (void)state;
    assert_string_equal(case_name_natural_rest("4k", "4k"), "");
    assert_string_equal(case_name_natural_rest("4k-nopf-node1", "4k"), "-nopf-node1");
    assert_string_equal(case_name_natural_rest("4k-cold-nopf", "4k-cold"), "-nopf");
    assert_null(case_name_natural_rest("4k-cold", "4k"));
    assert_null(case_name_natural_rest("4k-warm-nopf", "4k"));
    assert_null(case_name_natural_rest("4k-walkmem", "4k"));
    assert_null(case_name_natural_rest("2m", "4k"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rest),
        cmocka_unit_test(test_other_parts),
        cmocka_unit_test(test_natural_rest),
    };

    return cmocka_run_group_tests_name("case_name", tests, NULL, NULL);
}

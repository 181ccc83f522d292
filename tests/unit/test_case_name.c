/* test_case_name: whole parts of names, and what follows them. */
#include "../../kernel/analysis/case_name.h"
#include "kit.h"

TEST(rest)
{
    assert_string_equal(case_name_rest("4k", "4k"), "");
    assert_string_equal(case_name_rest("4k-cold", "4k"), "-cold");
    assert_string_equal(case_name_rest("4k-cold-nopf", "4k-cold"), "-nopf");
}

TEST(other_parts)
{
    assert_null(case_name_rest("4k", "2m"));
    assert_null(case_name_rest("4k", "4k-cold"));
    assert_null(case_name_rest("4kb", "4k"));
    assert_null(case_name_rest("4k-colder", "4k-cold"));
    assert_null(case_name_rest("", "4k"));
}

TEST(natural_rest)
{
    assert_string_equal(case_name_natural_rest("4k", "4k"), "");
    assert_string_equal(case_name_natural_rest("4k-nopf-node1", "4k"), "-nopf-node1");
    assert_string_equal(case_name_natural_rest("4k-cold-nopf", "4k-cold"), "-nopf");
    assert_null(case_name_natural_rest("4k-cold", "4k"));
    assert_null(case_name_natural_rest("4k-warm-nopf", "4k"));
    assert_null(case_name_natural_rest("4k-walkmem", "4k"));
    assert_null(case_name_natural_rest("2m", "4k"));
}

/* test_statistics: Student's quantile against the tables of textbooks. */
#include "../../kernel/analysis/statistics.h"
#include "kit.h"

TEST(student)
{
    static const double table[][2] = {{1, 12.706}, {2, 4.303},  {3, 3.182},   {4, 2.776},
                                      {5, 2.571},  {7, 2.365},  {9, 2.262},   {15, 2.131},
                                      {30, 2.042}, {60, 2.000}, {120, 1.980}, {1e9, 1.960}};
    for (size_t i = 0; i < sizeof table / sizeof *table; i++)
        if (fabs(student_95(table[i][0]) / table[i][1] - 1) > (table[i][0] < 5 ? 0.01 : 0.002))
            fail_msg("%f of %.0f degrees", student_95(table[i][0]), table[i][0]);
    for (double freedom = 1; freedom < 300; freedom++)
        assert_compare(student_95(freedom + 1), <, student_95(freedom));
}

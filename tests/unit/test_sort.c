/* test_sort: against libc's, on every kind of order. */
#include "../../kernel/lib/sort.h"
#include "kit.h"

#define COUNT_MAX 300

static int compare_doubles(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static int compare_numbers(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

/* Few different values, or many. */
TEST(any_order)
{
    static const uint32_t spreads[] = {1, 2, 10, 1000000};
    for (unsigned s = 0; s < 4; s++)
        for (size_t count = 0; count <= COUNT_MAX; count++) {
            double *values = malloc(count * sizeof *values), wanted[COUNT_MAX];
            uint32_t *numbers = malloc(count * sizeof *numbers), wanted_numbers[COUNT_MAX];
            for (size_t i = 0; i < count; i++) {
                wanted_numbers[i] = numbers[i] = below(spreads[s]);
                wanted[i] = values[i] = (double)below(spreads[s]) - spreads[s] / 2.0;
            }
            qsort(wanted, count, sizeof *wanted, compare_doubles);
            qsort(wanted_numbers, count, sizeof *wanted_numbers, compare_numbers);
            sort_doubles(values, count);
            sort_numbers(numbers, count);
            for (size_t i = 0; i < count; i++)
                assert_numbers((values[i], numbers[i]), (wanted[i], wanted_numbers[i]));
            free(values);
            free(numbers);
        }
}

TEST(sorted_already)
{
    double up[COUNT_MAX], down[COUNT_MAX];
    for (unsigned i = 0; i < COUNT_MAX; i++) {
        up[i] = i;
        down[i] = COUNT_MAX - 1 - i;
    }
    sort_doubles(up, COUNT_MAX);
    sort_doubles(down, COUNT_MAX);
    for (unsigned i = 0; i < COUNT_MAX; i++)
        assert_numbers((up[i], down[i]), (i, i));
}

/* row: names, units, and the order of rows. */
#include "row.h"

#include "../lib/string.h"
#include "../lib/text.h"

void name_copy(char *to, const char *from)
{
    text_write(to, NAME_BYTES, "%s", from);
}

static double rounded(double value)
{
    return value == value ? (double)(int64_t)(value * 1000 + 0.5) / 1000 : value; /* not NAN */
}

void row_scale(struct row *row, double factor)
{
    double *const numbers[] = {&row->min,          &row->p10,       &row->median, &row->p90,
                               &row->max,          &row->mean,      &row->p1,     &row->center,
                               &row->center_error, &row->mean_error};
    for (unsigned i = 0; i < sizeof numbers / sizeof *numbers; i++)
        *numbers[i] = rounded(*numbers[i] * factor);
}

/* A NAN is with nothing but NANs, behind all numbers. */
static int compare_numbers(double a, double b)
{
    if (a != a || b != b)
        return (a != a) - (b != b);
    return (a > b) - (a < b);
}

#define COMPARE(field)                                                                             \
    if (a->field != b->field)                                                                      \
    return a->field < b->field ? -1 : 1

int row_compare_points(const struct row *a, const struct row *b)
{
    COMPARE(n);
    COMPARE(k);
    COMPARE(bytes);
    COMPARE(stage);
    COMPARE(attempt);
    return strcmp(a->metric, b->metric);
}

int row_compare(const struct row *a, const struct row *b)
{
    int order = row_compare_points(a, b);
    if (order != 0)
        return order;
    COMPARE(samples);
    COMPARE(discarded);
    COMPARE(visits);
    const double left[] = {a->min,  a->p10, a->median, a->p90,          a->max,
                           a->mean, a->p1,  a->center, a->center_error, a->mean_error};
    const double right[] = {b->min,  b->p10, b->median, b->p90,          b->max,
                            b->mean, b->p1,  b->center, b->center_error, b->mean_error};
    for (unsigned i = 0; order == 0 && i < sizeof left / sizeof *left; i++)
        order = compare_numbers(left[i], right[i]);
    return order != 0 ? order : strcmp(a->unit, b->unit);
}

bool row_is(const struct row *row, const char *metric)
{
    return row->samples > 0 && strcmp(row->metric, metric) == 0;
}

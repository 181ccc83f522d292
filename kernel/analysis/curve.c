/* curve: picks rows, keeps them sorted by x. */
#include "curve.h"

#include "../lib/string.h"

#define DECILES_APART 2.563
#define MEDIAN_OVER_MEAN 1.253
#define REACH_95 1.96
#define FAST_ERROR 0.75 /* sqrt(0.1 * 0.9) / 0.4, see fast_error */

const struct row *curve_case(const struct row *rows, size_t count,
                                    const char *variant, size_t *size)
{
    size_t start = 0;
    while (start < count && strcmp(rows[start].variant, variant) != 0)
        start++;
    *size = 0;
    while (start + *size < count && strcmp(rows[start + *size].variant, variant) == 0)
        ++*size;
    return rows + start;
}

bool curve_has(const struct row *row)
{
    return strcmp(row->metric, "tsc") == 0 && row->samples > 0 && row->n > 0 && row->k >= 0;
}

double curve_deviation(const struct row *row)
{
    return (row->p90 - row->p10) / DECILES_APART;
}

static double median_error(const struct row *row)
{
    return MEDIAN_OVER_MEAN * curve_deviation(row) / __builtin_sqrt((double)row->samples);
}

/*
 * The standard error of a quantile is sqrt(p (1 - p) / n) over the density there (Kendall and
 * Stuart, 10.10); between the first decile and the median lie four tenths of the samples.
 */
static double fast_error(const struct row *row)
{
    return FAST_ERROR * (row->median - row->p10) / __builtin_sqrt((double)row->samples);
}

struct interval curve_median(const struct row *row)
{
    double reach = REACH_95 * median_error(row);
    return (struct interval){row->median, row->median - reach, row->median + reach};
}

/* Where x belongs; *same tells whether it is there already. */
static size_t place(const struct curve *curve, double x, bool *same)
{
    size_t at = curve->count;
    while (at > 0 && curve->x[at - 1] >= x)
        at--;
    *same = at < curve->count && curve->x[at] == x;
    return at;
}

static void make_room(struct curve *curve, size_t at)
{
    size_t behind = (curve->count - at) * sizeof *curve->x;
    memmove(curve->x + at + 1, curve->x + at, behind);
    memmove(curve->y + at + 1, curve->y + at, behind);
    memmove(curve->error + at + 1, curve->error + at, behind);
    curve->count++;
}

static void insert(struct curve *curve, double x, const struct row *row,
                   enum curve_level level)
{
    bool same;
    size_t at = place(curve, x, &same);
    if (!same) {
        if (curve->count == CURVE_MAX)
            return;
        make_room(curve, at);
    }
    curve->x[at] = x;
    curve->y[at] = level == CURVE_MEDIAN ? row->median : row->p10;
    curve->error[at] = level == CURVE_MEDIAN ? median_error(row) : fast_error(row);
}

void curve_over_k(const struct row *rows, size_t count, int64_t n, enum curve_level level,
                  struct curve *curve)
{
    curve->count = 0;
    for (size_t i = 0; i < count; i++)
        if (curve_has(&rows[i]) && rows[i].n == n)
            insert(curve, (double)rows[i].k, &rows[i], level);
}

static int64_t smallest_k(const struct row *rows, size_t count)
{
    int64_t smallest = INT64_MAX;
    for (size_t i = 0; i < count; i++)
        if (curve_has(&rows[i]) && rows[i].k < smallest)
            smallest = rows[i].k;
    return smallest;
}

void curve_over_n(const struct row *rows, size_t count, enum curve_level level,
                  struct curve *curve)
{
    int64_t k = smallest_k(rows, count);
    curve->count = 0;
    for (size_t i = 0; i < count; i++)
        if (curve_has(&rows[i]) && rows[i].k == k)
            insert(curve, (double)rows[i].n, &rows[i], level);
}

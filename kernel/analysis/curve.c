/* curve: picks rows, keeps them sorted by x. */
#include "curve.h"

#include "../lib/string.h"

#define DECILES_APART 2.563
#define MEDIAN_OVER_MEAN 1.253
#define FAST_ERROR 0.75 /* sqrt(0.1 * 0.9) / 0.4, see fast_error */

bool curve_has(const struct row *row)
{
    return strcmp(row->metric, "tsc") == 0 && row->samples >= CURVE_LEAST_SAMPLES && row->n > 0 &&
           row->k >= 0;
}

/* The first row of at least n loads; the table's end where there is none. */
static size_t first_of(const struct table *table, int64_t n)
{
    size_t low = 0, high = table->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (table->rows[middle].n < n)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

const struct row *curve_find(const struct table *table, int64_t n)
{
    for (size_t i = first_of(table, n); i < table->count && table->rows[i].n == n; i++)
        if (curve_has(&table->rows[i]))
            return &table->rows[i];
    return NULL;
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

struct interval curve_median_of_one(const struct row *row)
{
    struct interval all = curve_median(row);
    double k = (double)row->k;
    return (struct interval){all.value / k, all.low / k, all.high / k};
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

static void insert(struct curve *curve, double x, const struct row *row, enum curve_level level)
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

void curve_over_k(const struct table *table, int64_t n, enum curve_level level, struct curve *curve)
{
    curve->count = 0;
    for (const struct row *row = table->rows; row < table->rows + table->count; row++)
        if (row->n == n && curve_has(row))
            insert(curve, (double)row->k, row, level);
}

int64_t curve_smallest_k(const struct table *table)
{
    int64_t smallest = INT64_MAX;
    for (const struct row *row = table->rows; row < table->rows + table->count; row++)
        if (row->k < smallest && curve_has(row))
            smallest = row->k;
    return smallest;
}

void curve_over_n(const struct table *table, enum curve_level level, struct curve *curve)
{
    int64_t k = curve_smallest_k(table);
    curve->count = 0;
    for (const struct row *row = table->rows; row < table->rows + table->count; row++)
        if (row->k == k && curve_has(row))
            insert(curve, (double)row->n, row, level);
}

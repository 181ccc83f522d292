/* curve: picks rows, keeps them sorted by x. */
#include "curve.h"

#include "../lib/string.h"

#define DECILES_APART 2.563
#define MEDIAN_OVER_MEAN 1.253
#define DECILE_ERROR 0.75     /* sqrt(0.1 * 0.9) / 0.4 */
#define PERCENTILE_ERROR 1.11 /* sqrt(0.01 * 0.99) / 0.09 */

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

/* By the visits; where the row knows none, by `within`. In parts of a normal one. */
static double error_of(const struct row *row, double by_visits, double within)
{
    bool is_known = row->visits >= 2 && by_visits == by_visits; /* not NAN */
    return is_known ? by_visits * student_95((double)row->visits - 1) / NORMAL_95 : within;
}

static double mean_error(const struct row *row)
{
    double within = curve_deviation(row) / __builtin_sqrt((double)row->samples);
    return error_of(row, row->mean_error, within);
}

static double median_error(const struct row *row)
{
    double within = curve_deviation(row) / __builtin_sqrt((double)row->samples);
    return error_of(row, row->center_error, MEDIAN_OVER_MEAN * within);
}

/*
 * The standard error of a quantile is sqrt(p (1 - p) / n) over the density there (Kendall and
 * Stuart, 10.10); between a decile and the median lie four tenths of the samples.
 */
static double decile_error(const struct row *row, double to_median)
{
    return DECILE_ERROR * to_median / __builtin_sqrt((double)row->samples);
}

/* Files of old know no first percentile. */
static double fastest_of(const struct row *row)
{
    return row->p1 == row->p1 ? row->p1 : row->p10; /* not NAN */
}

/* Between the first percentile and the first decile lie nine hundredths. */
static double percentile_error(const struct row *row)
{
    return PERCENTILE_ERROR * (row->p10 - fastest_of(row)) / __builtin_sqrt((double)row->samples);
}

static double center_of(const struct row *row)
{
    return row->center == row->center ? row->center : row->median; /* not NAN */
}

static struct interval around(double value, double error)
{
    double low = value - NORMAL_95 * error;
    return (struct interval){value, value > 0 && low < 0 ? 0 : low, value + NORMAL_95 * error};
}

struct interval curve_median(const struct row *row)
{
    return around(center_of(row), median_error(row));
}

struct interval curve_mean(const struct row *row)
{
    return around(row->mean, mean_error(row));
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

static void set(struct curve *curve, size_t at, const struct row *row, enum curve_level level)
{
    const struct {
        double y, error;
    } of[] = {
        [CURVE_MEDIAN] = {center_of(row), median_error(row)},
        [CURVE_MEAN] = {row->mean, mean_error(row)},
        [CURVE_FASTEST] = {fastest_of(row), percentile_error(row)},
        [CURVE_FAST] = {row->p10, decile_error(row, row->median - row->p10)},
        [CURVE_SLOW] = {row->p90, decile_error(row, row->p90 - row->median)},
    };
    curve->y[at] = of[level].y;
    curve->error[at] = of[level].error;
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
    set(curve, at, row, level);
}

uint64_t curve_last_attempt(const struct table *table, int64_t n)
{
    uint64_t last = 0;
    for (const struct row *row = table->rows; row < table->rows + table->count; row++)
        if (row->n == n && row->attempt > last && curve_has(row))
            last = row->attempt;
    return last;
}

void curve_over_k(const struct table *table, int64_t n, enum curve_level level, struct curve *curve)
{
    uint64_t attempt = curve_last_attempt(table, n);
    curve->count = 0;
    for (const struct row *row = table->rows; row < table->rows + table->count; row++)
        if (row->n == n && row->attempt == attempt && curve_has(row))
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

void curve_of_multiples(const struct table *table, const char *metric, int64_t of,
                        struct curve *curve)
{
    curve->count = 0;
    for (const struct row *row = table->rows; row < table->rows + table->count; row++)
        if (row->n > 0 && row->n % of == 0 && row_is(row, metric) &&
            row->samples >= CURVE_LEAST_SAMPLES)
            insert(curve, (double)row->n, row, CURVE_MEDIAN);
}

void curve_less(const struct curve *curve, const struct curve *other, struct curve *above)
{
    above->count = 0;
    for (size_t i = 0, j = 0; i < curve->count; i++) {
        while (j < other->count && other->x[j] < curve->x[i])
            j++;
        if (j == other->count || other->x[j] != curve->x[i])
            continue;
        double a = curve->error[i], b = other->error[j];
        above->x[above->count] = curve->x[i];
        above->y[above->count] = curve->y[i] - other->y[j];
        above->error[above->count++] = __builtin_sqrt(a * a + b * b);
    }
}

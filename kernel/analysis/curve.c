/* curve: picks rows, which are in the order of x. */
#include "curve.h"

#include "../data/tables.h"
#include "../lib/string.h"

/* A quantile's error is sqrt(p (1 - p) / n) over the density there (Kendall and Stuart, 10.10). */
#define DECILE_ERROR 0.75     /* sqrt(0.1 * 0.9) / 0.4, the share from there to the median */
#define PERCENTILE_ERROR 1.11 /* sqrt(0.01 * 0.99) / 0.09, the share from there to the decile */

bool curve_has(const struct row *row)
{
    return row_is(row, "tsc") && row->samples >= CURVE_LEAST_SAMPLES && row->n > 0 && row->k >= 0;
}

const struct row *curve_find(const struct table *table, int64_t n)
{
    for (TABLE_ROWS(row, table))
        if (row->n == n && curve_has(row))
            return row;
    return NULL;
}

double curve_deviation(const struct row *row)
{
    return (row->p90 - row->p10) / DECILES_APART;
}

/* Returns the error between visits, scaled so that 1.96 of it are Student's 95 %; `within` where a
 * single visit has no such error. */
static double error_of_visits(const struct row *row, double error, double within)
{
    bool is_known = error == error; /* not NAN */
    return is_known ? error * student_95((double)row->visits - 1) / NORMAL_95 : within;
}

static double level_of_row(const struct row *row, enum curve_level level, double *error)
{
    double root = __builtin_sqrt((double)row->samples), within = curve_deviation(row) / root;
    switch (level) {
    case CURVE_MEAN:
        *error = error_of_visits(row, row->mean_error, within);
        return row->mean;
    case CURVE_FASTEST:
        *error = PERCENTILE_ERROR * (row->p10 - row->p1) / root;
        return row->p1;
    case CURVE_FAST:
        *error = DECILE_ERROR * (row->median - row->p10) / root;
        return row->p10;
    case CURVE_SLOW:
        *error = DECILE_ERROR * (row->p90 - row->median) / root;
        return row->p90;
    default:
        *error = error_of_visits(row, row->center_error, MEDIAN_ERROR * within);
        return row->center;
    }
}

struct interval curve_median(const struct row *row)
{
    double error, value = level_of_row(row, CURVE_MEDIAN, &error);
    return interval_around(value, NORMAL_95 * error);
}

struct interval curve_mean(const struct row *row)
{
    double error, value = level_of_row(row, CURVE_MEAN, &error);
    return interval_around(value, NORMAL_95 * error);
}

struct interval curve_median_of_one(const struct row *row)
{
    return interval_scale(curve_median(row), 1 / (double)row->k);
}

/* Adds the row behind the others; the last row of several at one x counts. */
static void curve_add(struct curve *curve, int64_t x, const struct row *row, enum curve_level level)
{
    if (curve->count == 0 || curve->x[curve->count - 1] != (double)x) {
        if (curve->count == CURVE_MAX)
            return;
        curve->count++;
    }
    curve->x[curve->count - 1] = (double)x;
    curve->y[curve->count - 1] = level_of_row(row, level, &curve->error[curve->count - 1]);
}

struct curve_ends curve_ends_of(const struct table *table, const char *metric, int64_t n,
                                int64_t bytes)
{
    struct curve_ends ends = {NULL, NULL};
    for (TABLE_ROWS(row, table)) {
        if (row->n != n || row->bytes != bytes || !row_is(row, metric) ||
            row->samples < CURVE_LEAST_SAMPLES)
            continue;
        if (ends.shortest == NULL || row->k < ends.shortest->k)
            ends.shortest = row;
        if (ends.longest == NULL || row->k > ends.longest->k)
            ends.longest = row;
    }
    return ends;
}

struct interval curve_of_part(const struct table *table, const char *metric, int64_t n,
                              int64_t bytes)
{
    struct curve_ends ends = curve_ends_of(table, metric, n, bytes);
    if (ends.shortest == NULL || ends.shortest->k == ends.longest->k)
        return (struct interval){.value = __builtin_nan("")};
    return interval_scale(
        interval_subtract(curve_median(ends.longest), curve_median(ends.shortest)),
        1 / (double)(ends.longest->k - ends.shortest->k));
}

int64_t curve_next_bytes(const struct table *table, const char *metric, int64_t above)
{
    int64_t next = 0;
    for (TABLE_ROWS(row, table))
        if (row->bytes > above && (next == 0 || row->bytes < next) && row_is(row, metric))
            next = row->bytes;
    return next;
}

uint64_t curve_last_attempt(const struct table *table, const char *metric, int64_t n)
{
    uint64_t last = 0;
    for (TABLE_ROWS(row, table))
        if ((n == ROW_ANY || row->n == n) && row->attempt > last && row_is(row, metric) &&
            row->samples >= CURVE_LEAST_SAMPLES)
            last = row->attempt;
    return last;
}

void curve_over_k(const struct table *table, int64_t n, enum curve_level level, struct curve *curve)
{
    curve_of_attempt(table, n, level, curve_last_attempt(table, "tsc", n), curve);
}

void curve_of_attempt(const struct table *table, int64_t n, enum curve_level level,
                      uint64_t attempt, struct curve *curve)
{
    curve->count = 0;
    for (TABLE_ROWS(row, table))
        if (row->n == n && row->attempt == attempt && curve_has(row))
            curve_add(curve, row->k, row, level);
}

int64_t curve_smallest_k(const struct table *table)
{
    int64_t smallest = INT64_MAX;
    for (TABLE_ROWS(row, table))
        if (row->k < smallest && curve_has(row))
            smallest = row->k;
    return smallest;
}

void curve_over_n(const struct table *table, enum curve_level level, struct curve *curve)
{
    int64_t k = curve_smallest_k(table);
    curve->count = 0;
    for (TABLE_ROWS(row, table))
        if (row->k == k && curve_has(row))
            curve_add(curve, row->n, row, level);
}

void curve_of_multiples(const struct table *table, const char *metric, int64_t factor,
                        struct curve *curve)
{
    curve->count = 0;
    for (TABLE_ROWS(row, table))
        if (row->n > 0 && row->n % factor == 0 && row_is(row, metric) &&
            row->samples >= CURVE_LEAST_SAMPLES)
            curve_add(curve, row->n, row, CURVE_MEDIAN);
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

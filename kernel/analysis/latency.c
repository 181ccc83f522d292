/* latency: pairs each size's shortest and longest chain. */
#include "latency.h"

static bool belongs(const struct row *row, int64_t n)
{
    return curve_has(row) && row->n == n && row->bytes > 0;
}

double latency_at(const struct row *rows, size_t count, int64_t n, int64_t bytes)
{
    const struct row *shortest = NULL, *longest = NULL;
    for (const struct row *row = rows; row < rows + count; row++) {
        if (!belongs(row, n) || row->bytes != bytes)
            continue;
        if (shortest == NULL || row->k < shortest->k)
            shortest = row;
        if (longest == NULL || row->k > longest->k)
            longest = row;
    }
    if (shortest == NULL || shortest->k == longest->k)
        return __builtin_nan("");
    return (longest->median - shortest->median) / (double)((longest->k - shortest->k) * n);
}

/* The smallest size above `bytes`; 0 where there is none. */
static int64_t next_size(const struct row *rows, size_t count, int64_t n, int64_t bytes)
{
    int64_t next = 0;
    for (const struct row *row = rows; row < rows + count; row++)
        if (belongs(row, n) && row->bytes > bytes && (next == 0 || row->bytes < next))
            next = row->bytes;
    return next;
}

void latency_curve(const struct row *rows, size_t count, int64_t n, struct curve *curve)
{
    curve->count = 0;
    for (int64_t bytes = next_size(rows, count, n, 0); bytes != 0 && curve->count < CURVE_MAX;
         bytes = next_size(rows, count, n, bytes)) {
        double ticks = latency_at(rows, count, n, bytes);
        if (ticks != ticks) /* NAN */
            continue;
        curve->x[curve->count] = (double)bytes;
        curve->y[curve->count++] = ticks;
    }
}

int64_t latency_missing(const struct row *rows, size_t count)
{
    int64_t smallest = 0;
    for (const struct row *row = rows; row < rows + count; row++)
        if (row->samples == 0 && row->bytes > 0 && (smallest == 0 || row->bytes < smallest))
            smallest = row->bytes;
    return smallest;
}

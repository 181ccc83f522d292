/* drift: the epochs' means over their points, each relative to its own. */
#include "drift.h"

#include "../lib/sort.h"
#include "../lib/string.h"

#define EPOCHS_MAX 256
#define LEAST_EPOCHS 3
#define MOST_GROWTH 16.0

/* In the order of time. */
struct epochs {
    unsigned count;
    double time[EPOCHS_MAX];
    double sum[EPOCHS_MAX]; /* of what the points are off their own means, as shares of those */
    unsigned points[EPOCHS_MAX];
};

static bool is_same_point(const struct row *a, const struct row *b)
{
    return a->n == b->n && a->k == b->k && a->bytes == b->bytes;
}

static bool is_of_epoch(const struct row *row)
{
    return row_is(row, DRIFT_METRIC) && row->stage >= 0;
}

static unsigned place_of(struct epochs *e, double time)
{
    unsigned at = e->count;
    while (at > 0 && e->time[at - 1] >= time)
        at--;
    if (at < e->count && e->time[at] == time)
        return at;
    if (e->count == EPOCHS_MAX)
        return EPOCHS_MAX - 1;
    for (unsigned i = e->count++; i > at; i--) {
        e->time[i] = e->time[i - 1];
        e->sum[i] = e->sum[i - 1];
        e->points[i] = e->points[i - 1];
    }
    e->time[at] = time;
    e->sum[at] = 0;
    e->points[at] = 0;
    return at;
}

/* One point's rows, which follow each other, from `first` on; returns the end of them. */
static const struct row *add_point(const struct row *first, const struct row *end,
                                   struct epochs *epochs)
{
    const struct row *row = first;
    double sum = 0;
    unsigned count = 0;
    for (; row < end && is_same_point(row, first); row++)
        if (is_of_epoch(row)) {
            sum += row->center;
            count++;
        }
    if (!(sum > 0))
        return row;
    for (const struct row *one = first; one < row; one++)
        if (is_of_epoch(one)) {
            unsigned at = place_of(epochs, (double)one->stage);
            epochs->sum[at] += one->center / (sum / count) - 1;
            epochs->points[at]++;
        }
    return row;
}

static double off(const struct epochs *e, unsigned i)
{
    return e->sum[i] / e->points[i];
}

static double variance(const struct epochs *e)
{
    double mean = 0, squares = 0;
    for (unsigned i = 0; i < e->count; i++)
        mean += off(e, i) / e->count;
    for (unsigned i = 0; i < e->count; i++)
        squares += (off(e, i) - mean) * (off(e, i) - mean);
    return squares / (e->count - 1);
}

static double allan_variance(const struct epochs *e)
{
    double squares = 0;
    for (unsigned i = 1; i < e->count; i++)
        squares += (off(e, i) - off(e, i - 1)) * (off(e, i) - off(e, i - 1));
    return squares / 2 / (e->count - 1);
}

bool drift_share(const struct table *table, double *share)
{
    static struct epochs epochs; /* too large for a firmware's stack */
    const struct row *end = table->rows + table->count;
    epochs.count = 0;
    for (const struct row *row = table->rows; row < end;)
        row = add_point(row, end, &epochs);
    *share = DRIFT_LEAST;
    if (epochs.count < LEAST_EPOCHS)
        return epochs.count > 0;
    double all = variance(&epochs), neighbours = allan_variance(&epochs);
    double growth = neighbours > 0 ? all / neighbours : 1;
    growth = growth < 1 ? 1 : growth < MOST_GROWTH ? growth : MOST_GROWTH;
    double minutes = all * growth * __builtin_sqrt(growth);
    double seen = student_95(epochs.count - 1) * __builtin_sqrt(minutes);
    *share = seen > DRIFT_LEAST ? seen : DRIFT_LEAST;
    return true;
}

struct interval drift_widen(struct interval time, const struct table *table)
{
    double share;
    if (!drift_share(table, &share))
        return time;
    double moved = time.value * share;
    double below = time.value - time.low, above = time.high - time.value;
    double low = time.value - __builtin_sqrt(below * below + moved * moved);
    double high = time.value + __builtin_sqrt(above * above + moved * moved);
    return (struct interval){time.value, time.value > 0 && low < 0 ? 0 : low, high};
}

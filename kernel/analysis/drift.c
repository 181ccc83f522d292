/* drift: the epochs' means over their points, each relative to its own. */
#include "drift.h"

#include "../lib/string.h"
#include "moments.h"

#define EPOCHS_MAX 256
#define MOST_GROWTH 16 /* no run is more than so much shorter than what comes after it */

struct epoch {
    int64_t stage;
    struct moments off; /* by how much its points are off their own means, as shares of those */
    double noise;       /* the sum of their squared standard errors, as such shares */
};

/* In the order of time. */
struct epochs {
    unsigned count;
    struct epoch at[EPOCHS_MAX];
};

static bool is_of_epoch(const struct row *row)
{
    return row_is(row, DRIFT_METRIC) && row->stage >= 0;
}

/* Returns the epoch of that stage, new if need be; without room the last one. */
static struct epoch *epoch_of(struct epochs *e, int64_t stage)
{
    unsigned i = e->count;
    while (i > 0 && e->at[i - 1].stage >= stage)
        i--;
    if (i < e->count && e->at[i].stage == stage)
        return &e->at[i];
    if (e->count == EPOCHS_MAX)
        return &e->at[EPOCHS_MAX - 1];
    memmove(&e->at[i + 1], &e->at[i], (e->count++ - i) * sizeof *e->at);
    e->at[i] = (struct epoch){.stage = stage};
    return &e->at[i];
}

/* Adds the rows of one point, which follow each other, from `first` on; returns their end. */
static const struct row *add_epochs_of_point(const struct row *first, const struct row *end,
                                             struct epochs *epochs)
{
    struct moments own = {.count = 0};
    const struct row *row = first;
    for (; row < end && row->n == first->n && row->k == first->k && row->bytes == first->bytes;
         row++)
        if (is_of_epoch(row))
            moments_add(&own, row->center);
    for (const struct row *one = first; one < row && own.mean > 0; one++)
        if (is_of_epoch(one)) {
            struct epoch *epoch = epoch_of(epochs, one->stage);
            double error = one->center_error / own.mean;
            moments_add(&epoch->off, one->center / own.mean - 1);
            epoch->noise += error == error ? error * error : 0; /* not NAN */
        }
    return row;
}

static void find_epochs(const struct table *table, struct epochs *e)
{
    const struct row *end = table->rows + table->count;
    e->count = 0;
    for (const struct row *row = table->rows; row < end;)
        row = add_epochs_of_point(row, end, e);
}

double drift_between(const struct table *table)
{
    struct epochs e;
    double squares = 0; /* of the difference of two points */
    find_epochs(table, &e);
    for (unsigned i = 0; i < e.count; i++)
        if (e.at[i].off.count >= 2)
            squares += 2 * moments_variance(&e.at[i].off) - 2 * e.at[i].noise / e.at[i].off.count;
    if (e.count < FEWEST_POINTS || squares <= 0)
        return e.count > 0 ? DRIFT_LEAST : 0;
    return larger(student_95(e.count - 1) * __builtin_sqrt(squares / (e.count - 1)), DRIFT_LEAST);
}

double drift_later(const struct table *table)
{
    struct epochs e;
    struct moments all = {.count = 0};
    double neighbours = 0; /* the Allan variance */
    find_epochs(table, &e);
    if (e.count < FEWEST_POINTS)
        return e.count > 0 ? DRIFT_LEAST : 0;
    for (unsigned i = 0; i < e.count; i++) {
        double step = i > 0 ? e.at[i].off.mean - e.at[i - 1].off.mean : 0;
        neighbours += step * step / 2 / (e.count - 1);
        moments_add(&all, e.at[i].off.mean);
    }
    double variance = moments_variance(&all);
    double growth = neighbours > 0 ? variance / neighbours : 1;
    growth = smaller(larger(growth, 1), MOST_GROWTH);
    double minutes = variance * growth * __builtin_sqrt(growth);
    return larger(student_95(e.count - 1) * __builtin_sqrt(minutes), DRIFT_LEAST);
}

struct interval drift_widen(struct interval time, const struct table *table)
{
    double share = drift_later(table);
    return share > 0 ? interval_widen(time, time.value * share) : time;
}

/* loads_rule: the curve of N = 2; medians by N and K. */
#include "loads_rule.h"

#include "../../analysis/equality.h"
#include "../../analysis/overlap.h"
#include "../../lib/string.h"

#define JUMP_AGAIN 0.2 /* of one load's time */
#define ONE_AND_A_HALF 1.5
#define PLACES_MAX 16
#define ROB_SPARE 2          /* N with which loads alone fill it nearly */
#define LEAST_TO_JUMP 4      /* values of N */
#define WIDEST_SUSTAINED 0.3 /* of itself */

/* Too large for a firmware's stack. */
static struct curve curve;
static double drawn[CURVE_MAX];

static const char *const doubts[] = {
    [CLIFF_NONE] = "no jump: time does not rise by a twentieth at any K",
    [CLIFF_UNCLEAR] = "no clear jump: the points scatter too much around any two straight pieces",
};

/* Fast and slow samples of one state of the core jump at the same K. */
static void span(const struct table *table, enum curve_level level, struct cliff *cliff)
{
    struct cliff other;
    curve_over_k(table, 2, level, &curve);
    cliff_locate(&curve, &other);
    if (other.answer != CLIFF_FOUND)
        return;
    if (other.last_low + 1 < cliff->low)
        cliff->low = other.last_low + 1;
    if (other.first_high > cliff->high)
        cliff->high = other.first_high;
}

void loads_cliff(const struct table *table, struct cliff *cliff)
{
    curve_over_k(table, 2, CURVE_MEDIAN, &curve);
    cliff_find(&curve, drawn, cliff);
    if (cliff->answer != CLIFF_FOUND || table_is_old(table))
        return;
    span(table, CURVE_FAST, cliff);
    span(table, CURVE_SLOW, cliff);
}

bool loads_again_disagree(const struct table *table, const struct cliff *cliff)
{
    double middle = (cliff->before + cliff->beyond.value) / 2;
    uint64_t attempt = curve_last_attempt(table, 2);
    for (const struct row *row = table->rows; row < table->rows + table->count; row++) {
        bool is_within = row->k > cliff->last_low && row->k < cliff->first_high;
        if (row->n == 2 && row_is(row, LOADS_AGAIN) && row->samples >= CURVE_LEAST_SAMPLES &&
            row->attempt == attempt && !is_within &&
            (row->k >= cliff->first_high) != (row->median > middle))
            return true;
    }
    return false;
}

void loads_conclude_cliff(const struct table *table, const struct cliff *cliff, struct verdict *v,
                          const char *method)
{
    if (loads_again_disagree(table, cliff))
        verdict_conclude(v, VERDICT_DOUBT,
                         "later looks at the jump disagree, in the last of %lu attempts",
                         (unsigned long)curve_last_attempt(table, 2) + 1);
    else if (!cliff_is_placed(cliff))
        verdict_conclude(v, VERDICT_DOUBT,
                         "the jump is open: fast and slow samples, or their scatter, place it "
                         "from K = %ld to %ld",
                         (long)cliff->low, (long)cliff->high);
    else
        verdict_conclude(v, VERDICT_OK, "%s", method);
}

void loads_locate(const struct table *table, struct cliff *cliff)
{
    curve_over_k(table, 2, CURVE_MEDIAN, &curve);
    cliff_locate(&curve, cliff);
}

const char *loads_nops_doubt(const struct table *table, const struct cliff *cliff)
{
    double middle = (cliff->before + cliff->beyond.value) / 2;
    unsigned before = 0, beyond = 0;
    bool is_old = true;
    for (const struct row *row = table->rows; row < table->rows + table->count; row++) {
        is_old = is_old && row->visits == 0;
        if (!row_is(row, LOADS_LONG_NOPS))
            continue;
        if ((row->k >= cliff->first_high) != (row->median > middle))
            return "NOPs of eight bytes jump elsewhere: some share an entry";
        *(row->k >= cliff->first_high ? &beyond : &before) += 1;
    }
    return is_old || (before > 0 && beyond > 0) ? NULL : "NOPs of eight bytes were not compared";
}

void loads_find_buffers(const struct table *table, struct loads_buffers *b)
{
    struct cliff cliff;
    curve_over_n(table, CURVE_FAST, &curve);
    int64_t fast = overlap_jump(&curve);
    curve_over_n(table, CURVE_FASTEST, &curve);
    *b = (struct loads_buffers){.points = curve.count, .last = overlap_jump(&curve)};
    b->low = b->high = b->last;
    if (b->points > 0) {
        double slowest = curve.y[b->points - 1];
        b->largest_n = (int64_t)curve.x[b->points - 1];
        loads_locate(table, &cliff);
        b->may_follow =
            b->last == 0 && (table->of->access != ACCESS_LOAD ||
                             (cliff.answer == CLIFF_FOUND && slowest < cliff.beyond.value));
    }
    if (fast > 0 && fast < b->low)
        b->low = fast;
    if (fast > b->high)
        b->high = fast;
}

bool loads_slope(const struct table *table, const struct loads_buffers *b, struct interval *slope)
{
    curve_of_multiples(table, LOADS_MANY, b->last, &curve);
    return overlap_slope(&curve, slope);
}

void loads_conclude_buffers(const struct loads_buffers *buffers, const char *doubt,
                            const char *method, struct verdict *v)
{
    if (buffers->points < LEAST_TO_JUMP) {
        verdict_conclude(v, VERDICT_SKIP, "needs four values of N or more");
        return;
    }
    if (buffers->last == 0) {
        verdict_conclude(v, VERDICT_DOUBT, "up to N = %ld the fastest samples do not jump",
                         (long)buffers->largest_n);
        return;
    }
    verdict_value(v, (double)buffers->last, (double)buffers->low, (double)buffers->high);
    verdict_conclude(v, doubt == NULL ? VERDICT_OK : VERDICT_DOUBT, "%s",
                     doubt != NULL ? doubt : method);
}

void loads_conclude_sustained(const struct interval *latency, const struct interval *slope,
                              const char *each, const char *many, const char *how,
                              struct verdict *v)
{
    if (!(slope->low > 0 && latency->low > 0)) {
        verdict_conclude(v, VERDICT_DOUBT, "the time of many %s does not rise clearly with N",
                         many);
        return;
    }
    double value = latency->value / slope->value;
    double low = latency->low / slope->high, high = latency->high / slope->low;
    verdict_value(v, value, low, high);
    bool is_wide = high - low > WIDEST_SUSTAINED * value;
    verdict_conclude(v, is_wide ? VERDICT_DOUBT : VERDICT_OK,
                     "latency, %s, over %.1f ticks for each %s more%s", how, slope->value, each,
                     is_wide ? "; that time bends or scatters too much" : "");
}

const struct row *loads_find(const struct table *table, const char *metric)
{
    for (const struct row *row = table->rows; row < table->rows + table->count; row++)
        if (row_is(row, metric))
            return row;
    return NULL;
}

static bool is_near(int64_t a, int64_t b)
{
    return a - b <= LOADS_WIDEST_JUMP && b - a <= LOADS_WIDEST_JUMP;
}

const struct row *loads_find_near(const struct table *table, const char *metric, int64_t n,
                                  int64_t k)
{
    for (const struct row *row = table->rows; row < table->rows + table->count; row++)
        if (is_near(row->n, n) && is_near(row->k, k) && row_is(row, metric))
            return row;
    return NULL;
}

static const struct row *find_again(const struct table *table, int64_t n, int64_t k)
{
    for (const struct row *row = table->rows; row < table->rows + table->count; row++)
        if (row->n == n && row->k == k && row->attempt == 0 && row_is(row, LOADS_AGAIN))
            return row;
    return NULL;
}

bool loads_jump_again(const struct table *table, const struct loads_buffers *b, double *middle)
{
    int64_t k = curve_smallest_k(table);
    const struct row *one = curve_find(table, 1), *low = find_again(table, b->last, k);
    const struct row *next = find_again(table, b->last + 1, k);
    const struct row *high = find_again(table, b->last + 2, k);
    if (one == NULL || low == NULL || next == NULL || high == NULL)
        return false;
    double rise = high->p1 - low->p1;
    *middle = low->p1 + rise / 2;
    return rise > JUMP_AGAIN * one->median && next->p1 - low->p1 > rise / 3;
}

bool loads_jump_is_above(const struct table *table, const struct loads_buffers *b)
{
    const struct row *one = curve_find(table, 1);
    double most = 0, beyond = 0;
    curve_over_n(table, CURVE_FASTEST, &curve);
    for (size_t i = 0; i < curve.count && (int64_t)curve.x[i] <= b->last + 2; i++) {
        double *of = (int64_t)curve.x[i] <= b->last ? &most : &beyond;
        *of = curve.y[i] > *of ? curve.y[i] : *of;
    }
    return one != NULL && beyond - most > JUMP_AGAIN * one->median;
}

/* Between the time of two loads side by side and in turn; without a jump, by one load's. */
static double half_way(const struct table *table, const struct cliff *cliff)
{
    const struct row *one = curve_find(table, 1);
    if (cliff->answer == CLIFF_FOUND)
        return (cliff->before + cliff->beyond.value) / 2;
    return one != NULL ? ONE_AND_A_HALF * one->median : 0;
}

const char *loads_buffers_doubt(const struct table *table, const struct loads_buffers *b,
                                const struct cliff *cliff)
{
    const struct row *hits = loads_find_near(table, LOADS_HITS, 2, b->last);
    double middle;
    if (b->high - b->low > LOADS_WIDEST_JUMP)
        return "the fastest tenth of the samples jumps elsewhere";
    if (!table_is_old(table) && !loads_jump_again(table, b, &middle))
        return "measured again, the loads around it do not jump";
    if (cliff->answer == CLIFF_UNCLEAR)
        return "the samples scatter too much to show a jump over K";
    if (cliff->answer == CLIFF_FOUND && b->last + ROB_SPARE >= cliff->first_high)
        return "as many loads fill the reorder buffer";
    if (hits != NULL && hits->median > half_way(table, cliff))
        return "as many loads that hit the caches have to wait, too: not for a fill buffer";
    return hits == NULL && !table_is_old(table) ? "loads that hit the caches were not compared"
                                                : NULL;
}

const char *loads_one_doubt(const struct table *table, const struct interval *one)
{
    const struct row *cached = loads_find(table, LOADS_CACHED);
    if (!(one->low > 0))
        return "no clear time";
    if (cached == NULL)
        return table_is_old(table) ? NULL : "the same load was not measured in the caches";
    return one->low > curve_median(cached).high * LOADS_LEAST_MISS
               ? NULL
               : "no slower than without the eviction: not memory's time";
}

bool loads_find_places(const struct table *table, struct interval *spread)
{
    double values[PLACES_MAX], errors[PLACES_MAX];
    unsigned count = 0;
    for (const struct row *row = table->rows; row < table->rows + table->count; row++)
        if (row_is(row, LOADS_PLACE) && row->visits >= 2 && count < PLACES_MAX) {
            struct interval t = curve_median(row);
            values[count] = t.value;
            errors[count++] = (t.high - t.value) / NORMAL_95;
        }
    for (unsigned i = 0; i < count; i++)
        if (!(errors[i] > 0))
            return false;
    if (count >= 2)
        *spread = spread_of(values, errors, count);
    return count >= 2;
}

bool loads_have_cliff(const struct cliff *cliff, struct verdict *v)
{
    if (cliff->answer == CLIFF_TOO_FEW)
        verdict_conclude(v, VERDICT_SKIP, "needs N = 2 at six values of K or more");
    else if (cliff->answer != CLIFF_FOUND)
        verdict_conclude(v, VERDICT_DOUBT, "%s", doubts[cliff->answer]);
    return cliff->answer == CLIFF_FOUND;
}

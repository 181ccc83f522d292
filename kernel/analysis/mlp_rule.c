/* mlp_rule: the published reading of an N by K table, with its doubts. */
#include "mlp_rule.h"

#include "../lib/string.h"
#include "step.h"
#include "verdict.h"

#define CURVE_MAX 2048      /* points of one curve; a configured list is no longer */
#define LEAST_JUMP 1.25     /* second level over first; published machines show about 2 */
#define LEAST_EXPLAINED 0.8 /* share of the N = 2 curve's variance that the step must explain */
#define LEAST_POINTS 2      /* on either side of the jump */

const char *const mlp_verdict_names[] = {"one_load", "two_sequential", "rob_cliff_k", "mlp", NULL};

struct interval {
    double value, low, high;
};

struct jump {
    bool found;
    int64_t last_low_k, first_high_k;
    struct interval sequential; /* the level beyond it */
};

static double larger(double a, double b)
{
    return a > b ? a : b;
}

/*
 * A median's 95 % interval from what a row holds: the deciles of a normal distribution are 2.563
 * standard deviations apart, and a median's standard error is 1.253 of the mean's (Kenney and
 * Keeping, Mathematics of Statistics).
 */
static struct interval median_interval(const struct result_row *row)
{
    double deviation = (row->p90 - row->p10) / 2.563;
    double reach = 1.96 * 1.253 * deviation / __builtin_sqrt((double)row->samples);
    return (struct interval){row->median, row->median - reach, row->median + reach};
}

static bool is_point(const struct result_row *row)
{
    return strcmp(row->metric, "tsc") == 0 && row->samples > 0 && row->n > 0 && row->k >= 0;
}

/* The row of n with the smallest k; NULL where n was not measured. */
static const struct result_row *shortest(const struct result_row *rows, size_t count, int64_t n)
{
    for (size_t i = 0; i < count; i++)
        if (is_point(&rows[i]) && rows[i].n == n)
            return &rows[i];
    return NULL;
}

static void judge_one_load(const struct result_row *row, struct verdict *v)
{
    if (row == NULL) {
        verdict_conclude(v, VERDICT_SKIP, "N = 1 was not measured");
        return;
    }
    struct interval t = median_interval(row);
    verdict_value(v, t.value, t.low, t.high);
    verdict_conclude(v, VERDICT_OK, "median of N = 1 with K = %ld; timer included", (long)row->k);
}

/* NULL when the step can be trusted, else why not. */
static const char *doubt_of_step(const struct step *step, size_t points)
{
    if (step->high < step->low)
        return "time falls with K";
    if (step->high < step->low * LEAST_JUMP)
        return "no jump: the two levels differ by less than a quarter";
    if (step->explained < LEAST_EXPLAINED)
        return "no clear jump: two levels do not describe the curve";
    if (step->first_high < LEAST_POINTS || points - step->first_high < LEAST_POINTS)
        return "the jump is at an end of the range of K; widen mlp.fillers";
    return NULL;
}

static void judge_cliff(const struct result_row *rows, size_t count, struct verdict *v,
                        struct jump *jump)
{
    static double y[CURVE_MAX];
    static int64_t k[CURVE_MAX];
    size_t points = 0;
    for (size_t i = 0; i < count && points < CURVE_MAX; i++) {
        if (is_point(&rows[i]) && rows[i].n == 2) {
            y[points] = rows[i].median;
            k[points++] = rows[i].k;
        }
    }
    *jump = (struct jump){.found = false};
    struct step step = step_fit(y, points);
    if (points < 2 * LEAST_POINTS) {
        verdict_conclude(v, VERDICT_SKIP, "needs N = 2 at %u values of K or more",
                         2 * LEAST_POINTS);
        return;
    }
    const char *doubt = doubt_of_step(&step, points);
    if (doubt != NULL) {
        verdict_conclude(v, VERDICT_DOUBT, "%s", doubt);
        return;
    }
    jump->found = true;
    jump->last_low_k = k[step.first_high - 1];
    jump->first_high_k = k[step.first_high];
    double reach = 1.96 * step.high_sd / __builtin_sqrt((double)(points - step.first_high));
    jump->sequential = (struct interval){step.high, step.high - reach, step.high + reach};
    verdict_value(v, (double)jump->first_high_k, (double)jump->last_low_k + 1,
                  (double)jump->first_high_k);
    verdict_conclude(v, VERDICT_OK,
                     "two-level fit of N = 2 over %lu values of K; first K beyond the jump",
                     (unsigned long)points);
}

static void judge_two_sequential(const struct jump *jump, const struct verdict *cliff,
                                 struct verdict *v)
{
    if (!jump->found) {
        verdict_conclude(v, cliff->status, "needs rob_cliff_k: %s", cliff->method);
        return;
    }
    verdict_value(v, jump->sequential.value, jump->sequential.low, jump->sequential.high);
    verdict_conclude(v, VERDICT_OK, "mean of the medians of N = 2 from K = %ld on; timer included",
                     (long)jump->first_high_k);
}

/*
 * The largest n below the first whose time reaches `level` (its `bound`: 0 its median, -1 or +1 an
 * end of its interval). `next` gets the n that reached, 0 where none did.
 */
static int64_t last_below(const struct result_row *rows, size_t count, double level, int bound,
                          int64_t *next)
{
    int64_t last = 0;
    *next = 0;
    for (size_t i = 0; i < count; i++) {
        if (!is_point(&rows[i]) || rows[i].n == last || rows[i].n < 2)
            continue;
        struct interval t = median_interval(&rows[i]);
        double time = bound == 0 ? t.value : bound < 0 ? t.low : t.high;
        if (time >= level) {
            *next = rows[i].n;
            return last;
        }
        last = rows[i].n;
    }
    return last;
}

static void judge_mlp(const struct result_row *rows, size_t count, const struct jump *jump,
                      const struct verdict *cliff, struct verdict *v)
{
    if (!jump->found) {
        verdict_conclude(v, cliff->status, "needs two_sequential: %s", cliff->method);
        return;
    }
    int64_t reached, unused;
    int64_t below = last_below(rows, count, jump->sequential.value, 0, &reached);
    int64_t fewest = last_below(rows, count, jump->sequential.low, +1, &unused);
    int64_t most = last_below(rows, count, jump->sequential.high, -1, &unused);
    if (reached == 0) {
        verdict_value(v, __builtin_nan(""), (double)fewest, __builtin_nan(""));
        verdict_conclude(v, VERDICT_DOUBT,
                         "up to N = %ld no time reaches that of two sequential loads", (long)below);
        return;
    }
    verdict_value(v, (double)(reached - 1), (double)fewest, larger((double)most, reached - 1.0));
    if (below != reached - 1)
        verdict_conclude(v, VERDICT_DOUBT, "N between %ld and %ld was not measured", (long)below,
                         (long)reached);
    else
        verdict_conclude(v, VERDICT_OK, "N = %ld is the first to take as long as two sequential",
                         (long)reached);
}

void mlp_judge(const struct result_row *rows, size_t count, struct verdict_list *verdicts)
{
    if (count == 0)
        return;
    const char *of = rows->experiment, *variant = rows->variant;
    struct jump jump;
    struct verdict *one = verdict_add(verdicts, of, variant, "one_load", "ticks");
    struct verdict *two = verdict_add(verdicts, of, variant, "two_sequential", "ticks");
    struct verdict *cliff = verdict_add(verdicts, of, variant, "rob_cliff_k", "fillers");
    struct verdict *mlp = verdict_add(verdicts, of, variant, "mlp", "loads");
    judge_one_load(shortest(rows, count, 1), one);
    judge_cliff(rows, count, cliff, &jump);
    judge_two_sequential(&jump, cliff, two);
    judge_mlp(rows, count, &jump, cliff, mlp);
}

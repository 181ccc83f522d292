/* shuffle_rule: the stages of each size against each other, and one loop against the other. */
#include "shuffle_rule.h"

#include "../../analysis/curve.h"
#include "../../analysis/equality.h"
#include "../../analysis/moments.h"
#include "../../lib/string.h"
#include "../experiment.h"
#include "../sweeps/counts_rule.h"

#define METHOD_COLUMNS 73 /* a console's line, less what stands before it */
#define STAGES_MAX 1024   /* that a configuration may name */
#define PASSES_MAX 4
#define FLAT 5.0           /* percent: stages that spread less are as good as equal */
#define PRECISE_SHARE 0.1  /* a time known to this share of itself is an answer */
#define LEAST_ERROR 0.0005 /* ticks: verdicts.csv has three decimals, nothing is known better */

static const char *const verdict_names[] = {"swap_ticks",  "plain_flatness", "best_stage",
                                            "staged_gain", "mlp_counted",    NULL};

const struct shuffle_pattern shuffle_patterns[] = {
    {"plain-precomputed", SHUFFLE_PLAIN, SHUFFLE_PRECOMPUTED, NULL},
    {"staged-precomputed", SHUFFLE_STAGED, SHUFFLE_PRECOMPUTED, "plain-precomputed"},
    {"plain-onthefly", SHUFFLE_PLAIN, SHUFFLE_ON_THE_FLY, NULL},
    {"staged-onthefly", SHUFFLE_STAGED, SHUFFLE_ON_THE_FLY, "plain-onthefly"},
    {NULL, SHUFFLE_LOOPS, SHUFFLE_SOURCES, NULL},
};

static bool is_point(const struct row *row)
{
    return row->k > 0 && row->stage > 0 && row_is(row, "tsc");
}

/* The largest size with samples below `below` bytes; 0: there is none. */
static int64_t size_below(const struct table *table, int64_t below)
{
    int64_t found = 0;
    for (const struct row *row = table->rows; row < table->rows + table->count; row++)
        if (row->bytes > found && row->bytes < below && is_point(row))
            found = row->bytes;
    return found;
}

/* One case and size: ticks of a swap by stage, in rising order, and by pass over the array. */
struct sweep {
    unsigned stages, passes; /* those that have every stage */
    int64_t stage[STAGES_MAX];
    double value[STAGES_MAX], error[STAGES_MAX]; /* over all passes, compared with other stages */
    double pass[PASSES_MAX];                     /* over all stages */
    double ticks[PASSES_MAX * STAGES_MAX];       /* medians, one pass after the other; */
    double squares[PASSES_MAX * STAGES_MAX];     /* and their errors' */
};

static double larger(double a, double b)
{
    return a > b ? a : b; /* b where a is NAN */
}

/* Rows of files without passes are one. */
static unsigned pass_of(const struct row *row)
{
    return row->n > 0 ? (unsigned)row->n - 1 : 0;
}

static bool is_in(const struct row *row, int64_t bytes)
{
    return row->bytes == bytes && is_point(row) && row->n <= PASSES_MAX;
}

static void add_stage(struct sweep *s, int64_t stage)
{
    unsigned at = s->stages;
    while (at > 0 && s->stage[at - 1] >= stage)
        at--;
    if (s->stages == STAGES_MAX || (at < s->stages && s->stage[at] == stage))
        return;
    memmove(s->stage + at + 1, s->stage + at, (s->stages - at) * sizeof *s->stage);
    s->stage[at] = stage;
    s->stages++;
}

static void add_median(struct sweep *s, const struct row *row)
{
    struct interval median = curve_median_of_one(row);
    double error = (median.high - median.value) / NORMAL_95;
    for (unsigned i = 0; i < s->stages; i++)
        if (s->stage[i] == row->stage) {
            s->ticks[s->passes * s->stages + i] = median.value;
            s->squares[s->passes * s->stages + i] = error * error;
        }
}

/* Counts if it has every stage. */
static void add_pass(const struct table *table, int64_t bytes, unsigned pass, struct sweep *s)
{
    double *ticks = s->ticks + s->passes * s->stages, sum = 0;
    for (unsigned i = 0; i < s->stages; i++)
        ticks[i] = __builtin_nan("");
    for (const struct row *row = table->rows; row < table->rows + table->count; row++)
        if (is_in(row, bytes) && pass_of(row) == pass)
            add_median(s, row);
    for (unsigned i = 0; i < s->stages; i++)
        sum += ticks[i];
    s->pass[s->passes] = sum / s->stages;
    s->passes += sum == sum; /* not NAN */
}

/* A stage's error is what passes leave that is not common to all stages; of one, what it shows. */
static void sum_up(struct sweep *s)
{
    double left = layout_error(s->ticks, s->stages, s->passes);
    for (unsigned i = 0; i < s->stages; i++) {
        double ticks = 0, squares = 0;
        for (unsigned pass = 0; pass < s->passes; pass++) {
            ticks += s->ticks[pass * s->stages + i];
            squares += s->squares[pass * s->stages + i];
        }
        s->value[i] = ticks / s->passes;
        double error = left == left ? left : __builtin_sqrt(squares) / s->passes; /* not NAN */
        s->error[i] = larger(error, LEAST_ERROR);
    }
}

/* NULL has no stages. */
static void find_sweep(const struct table *table, int64_t bytes, struct sweep *s)
{
    s->stages = s->passes = 0;
    if (table == NULL)
        return;
    for (const struct row *row = table->rows; row < table->rows + table->count; row++)
        if (is_in(row, bytes))
            add_stage(s, row->stage);
    for (unsigned pass = 0; pass < PASSES_MAX; pass++)
        add_pass(table, bytes, pass, s);
    if (s->passes > 0)
        sum_up(s);
    else
        s->stages = 0;
}

/* One case and the plain loop's, and what both say of one size. */
struct finding {
    const struct table *table, *plain; /* NULL: there is no other case */
    int64_t bytes;
    struct sweep own, base;
};

static void look(struct finding *f, int64_t bytes)
{
    f->bytes = bytes;
    find_sweep(f->table, bytes, &f->own);
    find_sweep(f->plain, bytes, &f->base);
}

static unsigned find_best(const struct sweep *s)
{
    unsigned best = 0;
    for (unsigned i = 1; i < s->stages; i++)
        best = s->value[i] < s->value[best] ? i : best;
    return best;
}

/* The fastest may be any that is as fast as far as one can tell, so that all have to be right. */
static struct interval fastest(const struct sweep *s)
{
    double low = s->value[0], high = low, reach = reach_of_all(s->stages);
    for (unsigned i = 0; i < s->stages; i++) {
        double least = s->value[i] - reach * s->error[i], most = s->value[i] + reach * s->error[i];
        low = least < low ? least : low;
        high = i == 0 || most < high ? most : high;
    }
    return (struct interval){s->value[find_best(s)], low > 0 ? low : 0, high};
}

/* By something else that is not known, either way; NAN: nothing. */
static struct interval widen(struct interval x, double reach)
{
    reach = larger(reach, 0);
    double low = x.value - __builtin_sqrt((x.value - x.low) * (x.value - x.low) + reach * reach);
    double high = x.value + __builtin_sqrt((x.high - x.value) * (x.high - x.value) + reach * reach);
    return (struct interval){x.value, low > 0 ? low : 0, high};
}

typedef struct interval of_size(const struct finding *f);

/* Passes at different times are of different speed. */
static struct interval swap_ticks(const struct finding *f)
{
    struct moments passes = {.count = 0};
    for (unsigned i = 0; i < f->own.passes; i++)
        moments_add(&passes, f->own.pass[i]);
    return widen(fastest(&f->own), moments_reach(&passes));
}

static struct interval flatness(const struct finding *f)
{
    const struct sweep *s = &f->own;
    struct interval spread = spread_of(s->value, s->error, s->stages);
    double mean = 0;
    for (unsigned i = 0; i < s->stages; i++)
        mean += s->value[i] / s->stages;
    return (struct interval){100 * spread.value / mean, 100 * spread.low / mean,
                             100 * spread.high / mean};
}

/* What both loops of a pass have in common is not in it. */
static struct interval gain(const struct finding *f)
{
    struct interval own = fastest(&f->own), base = fastest(&f->base);
    struct moments passes = {.count = 0};
    for (unsigned i = 0; i < f->own.passes && i < f->base.passes; i++)
        moments_add(&passes, f->base.pass[i] / f->own.pass[i]);
    double most = own.low > 0 ? base.high / own.low : base.high / own.value;
    struct interval times = {base.value / own.value, base.low / own.high, most};
    times = widen(times, moments_reach(&passes));
    return (struct interval){100 * times.value - 100, 100 * times.low - 100,
                             100 * times.high - 100};
}

static void set(struct verdict *v, struct interval x)
{
    verdict_value(v, x.value, x.low, x.high);
}

/* "256m: <how>; 8m 10.2; 512k 0.9": the other sizes as far as they fit into a line. */
static void conclude(struct finding *f, struct verdict *v, enum verdict_status status,
                     of_size *value, const char *how)
{
    char memory[METHOD_COLUMNS + 1], size[SIZE_TEXT_MAX];
    struct text method;
    int64_t largest = f->bytes, bytes = largest;
    text_init(&method, memory, sizeof memory);
    text_printf(&method, "%s: %s", size_text(size, (uint64_t)bytes), how);
    while ((bytes = size_below(f->table, bytes)) > 0) {
        size_t length = method.length;
        look(f, bytes);
        double of = value(f).value;
        if (of == of) /* not NAN, as without the plain loop in that size */
            text_printf(&method, "; %s %.1f", size_text(size, (uint64_t)bytes), of);
        if (method.truncated) {
            memory[length] = '\0';
            break;
        }
    }
    look(f, largest);
    verdict_conclude(v, status, "%s", memory);
}

static bool has_passes(const struct finding *f, struct verdict *v)
{
    char size[SIZE_TEXT_MAX];
    if (f->own.passes < 2)
        verdict_conclude(v, VERDICT_DOUBT,
                         "%s: measured at one time only, which may be unlike others",
                         size_text(size, (uint64_t)f->bytes));
    return f->own.passes >= 2;
}

static void judge_ticks(struct finding *f, struct verdict *v)
{
    struct interval x = swap_ticks(f);
    bool precise = x.value > 0 && x.high - x.value <= PRECISE_SHARE * x.value;
    set(v, x);
    if (has_passes(f, v))
        conclude(f, v, precise ? VERDICT_OK : VERDICT_DOUBT, swap_ticks,
                 precise ? "fastest stage" : "fastest stage, which scatters");
}

static void judge_flatness(struct finding *f, struct verdict *v)
{
    if (f->own.stages < 2) {
        verdict_conclude(v, VERDICT_SKIP, "needs two stages or more");
        return;
    }
    struct interval x = flatness(f);
    bool flat = x.high <= FLAT, uneven = x.low > FLAT;
    set(v, x);
    if (has_passes(f, v))
        conclude(f, v, flat || uneven ? VERDICT_OK : VERDICT_DOUBT, flatness,
                 flat     ? x.low > 0 ? "stages differ, but little" : "stages are equal"
                 : uneven ? "stages differ"
                          : "stages scatter");
}

/* Those that may be as fast as the fastest, as far as all comparisons tell together. */
static void judge_stage(struct finding *f, struct verdict *v)
{
    char size[SIZE_TEXT_MAX];
    const struct sweep *s = &f->own;
    unsigned best = find_best(s), first = best, last = best;
    if (s->stages < 2) {
        verdict_conclude(v, VERDICT_SKIP, "needs two stages or more");
        return;
    }
    double reach = reach_of_all(s->stages - 1);
    for (unsigned i = 0; i < s->stages; i++) {
        double error = __builtin_sqrt(s->error[i] * s->error[i] + s->error[best] * s->error[best]);
        if (s->value[i] - s->value[best] <= reach * error) {
            first = i < first ? i : first;
            last = i > last ? i : last;
        }
    }
    bool any = first == 0 && last == s->stages - 1, open = first == s->stages - 1;
    verdict_value(v, (double)s->stage[best], (double)s->stage[first], (double)s->stage[last]);
    if (has_passes(f, v))
        verdict_conclude(v, any || open ? VERDICT_DOUBT : VERDICT_OK,
                         any    ? "%s: none of %u stages is faster beyond the scatter"
                         : open ? "%s: the longest of %u; a longer one may be faster still"
                                : "%s: the fastest of %u stages",
                         size_text(size, (uint64_t)f->bytes), s->stages);
}

static void judge_gain(struct finding *f, struct verdict *v)
{
    if (f->base.stages == 0) {
        verdict_conclude(v, VERDICT_SKIP, "needs the plain loop in the same size");
        return;
    }
    struct interval x = gain(f);
    bool open = !(x.low > 0 || x.high < 0);
    set(v, x);
    if (has_passes(f, v))
        conclude(f, v, open ? VERDICT_DOUBT : VERDICT_OK, gain,
                 open ? "no difference beyond the scatter"
                      : "plain against staged, fastest of each");
}

/* Where there are no counters there is nothing to say. */
static void judge_counts(const struct finding *f, struct verdict_list *verdicts)
{
    char size[SIZE_TEXT_MAX];
    struct interval ratio;
    enum verdict_status status;
    int64_t last = f->own.stage[f->own.stages - 1];
    const struct row *row = f->table->rows;
    while (!is_in(row, f->bytes) || row->stage != last)
        row++;
    struct row counted = *row;
    counted.n = ROW_NONE; /* in the first pass alone */
    if (!counts_find_ratio(f->table, &counted, &ratio, &status))
        return;
    struct verdict *v = verdict_add(verdicts, f->table->of, "mlp_counted", "loads");
    set(v, ratio);
    verdict_conclude(v, status, "%s: misses outstanding per cycle with a miss, stage %ld",
                     size_text(size, (uint64_t)f->bytes), (long)last);
}

/* Where there is none of that name: the one without a name. */
static const struct shuffle_pattern *find_pattern(const char *name)
{
    const struct shuffle_pattern *pattern = shuffle_patterns;
    while (pattern->name != NULL && strcmp(pattern->name, name) != 0)
        pattern++;
    return pattern;
}

static void judge_loop(struct finding *f, struct verdict_list *verdicts)
{
    const struct variant *of = f->table->of;
    if (find_pattern(of->pattern)->loop == SHUFFLE_PLAIN) {
        judge_flatness(f, verdict_add(verdicts, of, "plain_flatness", "%"));
        return;
    }
    judge_stage(f, verdict_add(verdicts, of, "best_stage", "swaps"));
    judge_gain(f, verdict_add(verdicts, of, "staged_gain", "%"));
}

static void judge_case(struct finding *f, struct verdict_list *verdicts)
{
    struct verdict *v = verdict_add(verdicts, f->table->of, "swap_ticks", "ticks");
    look(f, size_below(f->table, INT64_MAX));
    if (f->own.stages == 0) {
        verdict_conclude(v, VERDICT_SKIP, "no size was measured");
        return;
    }
    judge_ticks(f, v);
    judge_loop(f, verdicts);
    judge_counts(f, verdicts);
}

/* The plain loop's case that is otherwise the same as a staged one; NULL: there is none. */
static const struct table *find_plain(const struct tables *tables, const struct variant *staged)
{
    const char *plain = find_pattern(staged->pattern)->plain;
    struct variant of = *staged;
    if (plain == NULL)
        return NULL;
    name_copy(of.pattern, plain);
    return tables_find(tables, &of);
}

/*
 * Adds for each case, from medians of the largest size measured (`method` has the smaller ones, as
 * far as there is room): swap_ticks, of the fastest stage; and for the plain loop plain_flatness,
 * the standard deviation of the stages' times beyond what noise explains, in percent of their mean;
 * for the staged loop best_stage, low to high those no slower as far as the samples tell, and
 * staged_gain, by how many percent the plain loop's swap_ticks are above the staged one's. For both
 * mlp_counted with the longest stage, misses outstanding per cycle with a miss; none where that was
 * not counted. Pure.
 */
static void compare(const struct tables *tables, struct verdict_list *verdicts)
{
    static struct finding f; /* too large for a firmware's stack */
    for (const struct table *t = tables->at; t < tables->at + tables->count; t++) {
        f.table = t;
        f.plain = find_plain(tables, t->of);
        judge_case(&f, verdicts);
    }
}

const struct rule rule_shuffle = {
    .compare = compare,
    .verdicts = verdict_names,
};

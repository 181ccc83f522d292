/* reach_rule: levels of a curve that rises in steps, less a second curve that only the caches make.
 */
#include "tlb_capacity_rule.h"

#include "../../analysis/curve.h"
#include "../../analysis/drift.h"
#include "../../lib/sort.h"
#include "../../lib/string.h"

#define FIRST_POINTS 3   /* values of N that any TLB holds */
#define LEAST_CYCLES 2.0 /* a hit in a second level takes so much longer, a walk more than */
#define LEAST_WALK 3.0   /* this, and than half of that hit */
#define LEVEL_FROM 1.3   /* times N of the step: where the next level is well reached, */
#define LEVEL_TO 1.8     /* and where it need not be any more; */
#define WIDER 1.2        /* times that, where it has hardly a point */
#define SLOW_FROM 2.5    /* the same where the step is no step but a slow rise */
#define SLOW_TO 4.0
#define FAR_SIDE 0.6         /* times N of the next step: up to here nothing has begun of it */
#define BEYOND 1.5           /* times N of a step: what its rise leads to */
#define SPREADS 4            /* of a level's points around their median, to leave it */
#define LEAST_DTLB 0.25      /* cycles: half of what one set of ways in sixteen adds, */
#define LEAST_STLB 0.05      /* and of one in many more */
#define MARGIN 4             /* spreads of a level that one page more adds, to be told */
#define HARD 1.14            /* a ratio of N: with four ways or more, half the rise is nearer */
#define COST_PRECISION 0.15  /* a cost's interval may reach so far to either side */
#define WALKS_AGREE 0.15     /* of a walk's cost, from one N to another */
#define LAST_POINTS 3        /* of pages far apart: all of them walk */
#define LATE 0.3             /* of a page: no matter */
#define FULL_SHARE 0.7       /* of the entries: as many pages far apart are no sets' doing */
#define MAD_DEVIATION 1.4826 /* standard deviations of a normal distribution's median deviation */
#define MEDIAN_ERROR 1.253   /* its median's standard error over its mean's */

/* Too large for a firmware's stack. `extra` is the chain's time less the dense one's. */
static struct curve chain, dense, extra, apart;
static double sorted[CURVE_MAX];

bool reach_is(const struct variant *of)
{
    return strcmp(of->pattern, REACH_PATTERN) == 0;
}

/* --- curves ---------------------------------------------------------------------------------- */

static bool is_of(const struct row *row, const char *metric, int64_t bytes, int64_t stage)
{
    return row->stage == stage && row->bytes == bytes && row->k > 0 && row_is(row, metric) &&
           row->samples >= CURVE_LEAST_SAMPLES;
}

/* The time of one load, by rising N; rows of a table are in that order. */
static void collect(const struct table *table, const char *metric, int64_t bytes, int64_t stage,
                    struct curve *curve)
{
    curve->count = 0;
    for (const struct row *row = table->rows; row < table->rows + table->count; row++) {
        if (!is_of(row, metric, bytes, stage) || curve->count == CURVE_MAX)
            continue;
        struct interval one = curve_median_of_one(row);
        curve->x[curve->count] = (double)row->n;
        curve->y[curve->count] = one.value;
        curve->error[curve->count++] = (one.high - one.value) / NORMAL_95;
    }
}

static double median_of(double *values, size_t count)
{
    sort_doubles(values, count);
    return count % 2 ? values[count / 2] : (values[count / 2 - 1] + values[count / 2]) / 2;
}

/* Part of a curve: the median of some points, their deviation from it, and the mean of their own
 * errors. */
struct flat {
    size_t count;
    double median, deviation, own;
};

static struct flat level_between(const struct curve *curve, double from, double to)
{
    struct flat p = {0};
    for (size_t i = 0; i < curve->count; i++)
        if (curve->x[i] >= from && curve->x[i] <= to) {
            sorted[p.count++] = curve->y[i];
            p.own += curve->error[i];
        }
    if (p.count == 0)
        return p;
    p.own /= (double)p.count;
    p.median = median_of(sorted, p.count);
    for (size_t i = 0; i < p.count; i++)
        sorted[i] = __builtin_fabs(sorted[i] - p.median);
    p.deviation = MAD_DEVIATION * median_of(sorted, p.count);
    return p;
}

/* How many of the points from `first` on there are up to the last that is not above `limit`. */
static size_t last_below(const struct curve *curve, size_t first, double limit)
{
    size_t end = curve->count;
    while (end > first && curve->y[end - 1] > limit)
        end--;
    return end;
}

/* Between points, by a line; outside, the last one's. */
static double value_at(const struct curve *curve, double x)
{
    size_t i = 0;
    while (i < curve->count && curve->x[i] < x)
        i++;
    if (i == 0 || i == curve->count)
        return curve->y[i == 0 ? 0 : i - 1];
    double part = (x - curve->x[i - 1]) / (curve->x[i] - curve->x[i - 1]);
    return curve->y[i - 1] + part * (curve->y[i] - curve->y[i - 1]);
}

/* --- levels ---------------------------------------------------------------------------------- */

/* Ticks of a core cycle, from two numbers of additions; of value 0: not known. */
static struct interval find_cycle(const struct table *table)
{
    const struct row *few = NULL, *many = NULL;
    for (const struct row *row = table->rows; row < table->rows + table->count; row++) {
        if (!row_is(row, REACH_ADDITIONS))
            continue;
        few = few == NULL || row->k < few->k ? row : few;
        many = many == NULL || row->k > many->k ? row : many;
    }
    if (few == NULL || few->k == many->k)
        return (struct interval){0};
    struct interval a = curve_median(few), b = curve_median(many);
    double k = (double)(many->k - few->k), off = (a.high - a.value + b.high - b.value) / k;
    double cycle = (b.value - a.value) / k;
    return (struct interval){cycle, cycle - off, cycle + off};
}

/* The first N where so much of what the time will be at half as many again is reached. */
static bool find_half(size_t first, struct reach_level *level)
{
    double most = extra.x[extra.count - 1];
    for (size_t i = first; i < extra.count && BEYOND * extra.x[i] <= most; i++) {
        double rise = value_at(&extra, BEYOND * extra.x[i]) - level->base;
        if (extra.y[i] - level->base < rise / 2)
            continue;
        double before = extra.y[i - 1] - level->base, here = extra.y[i] - level->base;
        double part = here > before ? (rise / 2 - before) / (here - before) : 1;
        part = part < 0 ? 0 : part;
        level->half = extra.x[i - 1] + part * (extra.x[i] - extra.x[i - 1]);
        level->rise = rise;
        return true;
    }
    return false;
}

/* The last N whose time has not left the level, and the next. */
static void place_end(size_t first, double least, double deviation, struct reach_level *level)
{
    double threshold = SPREADS * deviation > least ? SPREADS * deviation : least;
    level->threshold = threshold < level->rise / 3 ? threshold : level->rise / 3;
    level->spread = deviation;
    size_t end = extra.count;
    while (end > first) {
        double own = SPREADS * extra.error[end - 1];
        own = own < level->rise / 3 ? own : level->rise / 3;
        double limit = own > level->threshold ? own : level->threshold;
        if (extra.y[end - 1] - level->base <= limit)
            break;
        end--;
    }
    level->last_low = end > 0 ? (int64_t)extra.x[end - 1] : 0;
    level->above = end > 0 ? extra.y[end - 1] - level->base : 0;
    level->first_high = end < extra.count ? (int64_t)extra.x[end] : INT64_MAX;
}

static double error_of(struct flat p)
{
    double each = p.deviation > p.own ? p.deviation : p.own;
    return NORMAL_95 * MEDIAN_ERROR * each / __builtin_sqrt((double)p.count);
}

/* The level that a step leads to, by the times from so many times its N on. */
static bool reaches(size_t end, double from, double to, struct flat low, struct reach_level *level)
{
    struct flat high = level_between(&extra, from * extra.x[end], to * extra.x[end]);
    if (high.count < 2)
        high = level_between(&extra, from * extra.x[end], WIDER * to * extra.x[end]);
    if (high.count < 2 || !find_half(end, level))
        return false;
    double a = error_of(low), b = error_of(high);
    level->rise = high.median - low.median;
    level->error = __builtin_sqrt(a * a + b * b);
    return true;
}

/* The first level ends where a time rises that stays. */
static bool find_first(double cycle, struct reach_level *level)
{
    struct flat start = level_between(&extra, 0, extra.x[FIRST_POINTS - 1]);
    size_t end = last_below(&extra, FIRST_POINTS, start.median + LEAST_CYCLES * cycle);
    if (end == extra.count)
        return false;
    struct flat low = level_between(&extra, 0, FAR_SIDE * extra.x[end]);
    low = low.count >= FIRST_POINTS ? low : start;
    level->base = low.median;
    if (!reaches(end, LEVEL_FROM, LEVEL_TO, low, level) || level->rise < LEAST_CYCLES * cycle)
        return false;
    place_end(FIRST_POINTS, LEAST_DTLB * cycle, low.deviation, level);
    if (!reach_is_hard(level) && reaches(end, SLOW_FROM, SLOW_TO, low, level))
        place_end(FIRST_POINTS, LEAST_DTLB * cycle, low.deviation, level);
    return true;
}

/* The second one's is the level that the first one's rise led to. */
static bool find_second(double cycle, const struct reach_level *first, struct reach_level *level)
{
    double times = reach_is_hard(first) ? LEVEL_FROM : SLOW_FROM;
    double from = times * (double)first->first_high, half = first->rise / 2;
    double least = LEAST_WALK * cycle > half ? LEAST_WALK * cycle : half;
    size_t start = 0;
    while (start < extra.count && extra.x[start] <= from)
        start++;
    level->base = first->base + first->rise;
    size_t end = last_below(&extra, start, level->base + least);
    if (end == extra.count || end <= start)
        return false;
    struct flat low = level_between(&extra, from, FAR_SIDE * extra.x[end]);
    if (low.count >= 2)
        level->base = low.median;
    if (!find_half(end, level))
        return false;
    level->error = error_of(low);
    place_end(start, LEAST_STLB * cycle, low.deviation, level);
    return true;
}

static int64_t last_stage(const struct table *table)
{
    int64_t last = ROW_NONE;
    for (const struct row *row = table->rows; row < table->rows + table->count; row++)
        if (row->stage > last && row->stage % 2 == table->of->shared && row_is(row, REACH_DENSE))
            last = row->stage;
    return last;
}

int64_t reach_next_stage(const struct table *table, int64_t stage)
{
    return stage == ROW_NONE ? table->of->shared : stage + 2;
}

static int64_t side_by_side(const struct table *table)
{
    return (int64_t)page_bytes(table->of->page);
}

void reach_find(const struct table *table, struct reach *reach)
{
    *reach = (struct reach){.largest = ROW_NONE, .stage = last_stage(table)};
    collect(table, REACH_CHAIN, side_by_side(table), reach->stage, &chain);
    collect(table, REACH_DENSE, ROW_NONE, reach->stage, &dense);
    curve_less(&chain, &dense, &extra);
    struct interval measured = find_cycle(table);
    double cycle = reach->ticks_a_cycle = measured.value;
    reach->cycle_error = measured.high - cycle;
    reach->points = extra.count;
    if (extra.count > 0)
        reach->largest = (int64_t)extra.x[extra.count - 1];
    if (extra.count <= FIRST_POINTS || cycle <= 0)
        return;
    struct reach_level *level = reach->level;
    level[REACH_DTLB].found = find_first(cycle, &level[REACH_DTLB]);
    level[REACH_STLB].found =
        level[REACH_DTLB].found && find_second(cycle, &level[REACH_DTLB], &level[REACH_STLB]);
}

bool reach_is_hard(const struct reach_level *level)
{
    return level->half <= HARD * (double)level->first_high;
}

/* --- looks again ----------------------------------------------------------------------------- */

/* The time above the level's base of a later look. False: nobody looked. */
static bool look(const struct table *table, const struct reach *reach,
                 const struct reach_level *level, int64_t n, double *above)
{
    for (const struct row *row = table->rows; row < table->rows + table->count; row++)
        if (row->n == n && is_of(row, REACH_AGAIN, side_by_side(table), reach->stage)) {
            *above = curve_median_of_one(row).value - value_at(&dense, (double)n) - level->base;
            return true;
        }
    return false;
}

bool reach_was_seen(const struct table *table, const struct reach *reach, unsigned level)
{
    double above;
    const struct reach_level *of = &reach->level[level];
    return look(table, reach, of, of->last_low, &above) &&
           look(table, reach, of, of->first_high, &above);
}

/* A little of a soft end is on either side of it by chance. */
bool reach_was_other(const struct table *table, const struct reach *reach, unsigned level)
{
    double low, high;
    const struct reach_level *of = &reach->level[level];
    if (!look(table, reach, of, of->last_low, &low) ||
        !look(table, reach, of, of->first_high, &high))
        return false;
    bool has_left = low > (reach_is_hard(of) ? 2 * of->threshold : of->rise / 3);
    return has_left || (reach_is_hard(of) && high < of->threshold / 2);
}

/* --- pages far apart ------------------------------------------------------------------------- */

/* The first attempt has them; they are no question of one page more or less. */
static void collect_apart(const struct table *table, int64_t bytes)
{
    collect(table, REACH_CHAIN, bytes, ROW_NONE, &apart);
}

/* What a hit in the first level takes, with the timer's share: the same in every curve of few
 * pages. */
static double first_level_time(const struct table *table)
{
    collect(table, REACH_CHAIN, side_by_side(table), ROW_NONE, &chain);
    return chain.count < FIRST_POINTS ? 0
                                      : level_between(&chain, 0, chain.x[FIRST_POINTS - 1]).median;
}

bool reach_find_apart(const struct table *table, const struct reach *reach, int64_t bytes,
                      unsigned level, int64_t *last_low, int64_t *first_high)
{
    const struct reach_level *first = &reach->level[REACH_DTLB];
    double base = first_level_time(table), limit = base + first->rise / 4;
    if (level == REACH_STLB) {
        double half = first->rise / 2, walk = LEAST_WALK * reach->ticks_a_cycle;
        limit = base + first->rise + (half > walk ? half : walk);
    }
    collect_apart(table, bytes);
    size_t end = last_below(&apart, 0, limit);
    if (!first->found || apart.count == 0 || end == apart.count)
        return false;
    *last_low = end > 0 ? (int64_t)apart.x[end - 1] : 0;
    *first_high = (int64_t)apart.x[end];
    return true;
}

/* Next larger distance of which there are rows; 0: none. */
static int64_t next_distance(const struct table *table, int64_t bytes)
{
    int64_t next = 0;
    for (const struct row *row = table->rows; row < table->rows + table->count; row++)
        if (row->bytes > bytes && (next == 0 || row->bytes < next) && row_is(row, REACH_CHAIN))
            next = row->bytes;
    return next;
}

/* The fewest pages of any distance that leave a level. */
struct fewest {
    int64_t last_low, first_high; /* 0: none did */
    unsigned distances, times;    /* how many were measured, and how many have so few */
    int64_t hidden; /* the fewest of those where the first level is left as early; 0: nowhere */
};

/* Pages that the first level holds ask no second one, and just beyond only some do. */
static bool is_hidden(const struct table *table, const struct reach *reach, int64_t bytes,
                      int64_t last_low)
{
    int64_t low, high;
    return reach_find_apart(table, reach, bytes, REACH_DTLB, &low, &high) &&
           (double)last_low <= HARD * (double)high;
}

static struct fewest find_fewest(const struct table *table, const struct reach *reach,
                                 unsigned level)
{
    struct fewest f = {0};
    int64_t low, high, bytes = side_by_side(table);
    while ((bytes = next_distance(table, bytes)) != 0) {
        f.distances++;
        if (!reach_find_apart(table, reach, bytes, level, &low, &high))
            continue;
        if (level == REACH_STLB && is_hidden(table, reach, bytes, low)) {
            f.hidden = f.hidden == 0 || low < f.hidden ? low : f.hidden;
            continue;
        }
        if (f.times == 0 || low < f.last_low) {
            f.times = 0;
            f.last_low = low;
            f.first_high = high;
        }
        f.times += low == f.last_low;
    }
    return f;
}

/* --- verdicts -------------------------------------------------------------------------------- */

static const struct {
    const char *entries, *ways;
} level_names[REACH_LEVELS] = {{"dtlb_entries", "dtlb_ways"}, {"stlb_entries", "stlb_ways"}};

static const struct {
    const char *name;
    int64_t bytes;
} walks[] = {
    {"walk_cost_2m_stride", INT64_C(1) << 21},
    {"walk_cost_1g_stride", INT64_C(1) << 30},
    {"walk_cost_512g_stride", INT64_C(1) << 39},
};
#define WALKS (sizeof walks / sizeof *walks)

bool reach_gives(const struct variant *of, const char *name)
{
    bool is_of_chains = strcmp(name, "dtlb_miss_cost") == 0;
    for (unsigned i = 0; i < REACH_LEVELS; i++)
        is_of_chains |=
            strcmp(name, level_names[i].entries) == 0 || strcmp(name, level_names[i].ways) == 0;
    for (unsigned i = 0; i < WALKS; i++)
        if (strcmp(name, walks[i].name) == 0)
            return reach_is(of) && walks[i].bytes > (int64_t)page_bytes(of->page);
    return is_of_chains == reach_is(of);
}

/* Large pages whose pieces take as many entries as small pages do: the hypervisor's are small. */
static bool is_splintered(const struct table *table, const struct reach *reach)
{
    const struct reach_level *first = &reach->level[REACH_DTLB];
    double limit = first_level_time(table) + LEAST_CYCLES * reach->ticks_a_cycle;
    collect(table, REACH_PIECES, (int64_t)page_bytes(PAGE_4K), ROW_NONE, &apart);
    return first->found && apart.count > LAST_POINTS && last_below(&apart, 0, limit) < apart.count;
}

static const char splintered[] =
    "4 KB pieces take entries of their own: the host's pages are small";
static const char no_cycles[] = "needs what an addition takes, a core cycle";

/* Why there is no such level; NULL: there is. */
static bool lacks(const struct reach *reach, unsigned level, struct verdict *v)
{
    if (reach->level[level].found)
        return false;
    if (reach->ticks_a_cycle <= 0)
        verdict_conclude(v, VERDICT_SKIP, no_cycles);
    else if (reach->points <= FIRST_POINTS)
        verdict_conclude(v, VERDICT_SKIP, "needs a dozen values of N");
    else
        verdict_conclude(v, VERDICT_SKIP, "no %s step to N = %ld that lasts",
                         level == REACH_DTLB ? "first" : "second", (long)reach->largest);
    return true;
}

/* How many pages too late a rise may show that has to exceed a threshold first. */
static double lateness(const struct reach_level *level)
{
    double pages = level->half - (double)level->last_low + 1;
    double late = level->rise > 0 ? 2 * pages * level->threshold / level->rise : 0;
    return late < LATE ? 0 : (double)((int64_t)late + 1);
}

/* Whether the last N that seems to fit is nearer to fitting than to one page more, which may be
 * below the threshold. */
static bool fits_exactly(const struct reach_level *level)
{
    double slope = level->rise / 2 / (level->half - (double)level->last_low + 1);
    return level->above < slope / 2 && level->spread < slope / MARGIN;
}

static void judge_hard(const struct table *table, const struct reach *reach, unsigned level,
                       const char *doubt, struct verdict *v)
{
    const struct reach_level *of = &reach->level[level];
    if (doubt == NULL && !fits_exactly(of))
        doubt = "a page more than fit may not show: few loads miss then";
    verdict_value(v, (double)of->last_low, (double)of->last_low - lateness(of),
                  (double)of->first_high - 1);
    if (doubt != NULL)
        verdict_conclude(v, VERDICT_DOUBT, "%s", doubt);
    else if (reach_was_other(table, reach, level))
        verdict_conclude(v, VERDICT_DOUBT, "what was seen at N = %ld or %ld was not seen again",
                         (long)of->last_low, (long)of->first_high);
    else if (!reach_was_seen(table, reach, level) || of->first_high - of->last_low > 1)
        verdict_conclude(v, VERDICT_DOUBT, "a step between N = %ld and %ld, not looked at closer",
                         (long)of->last_low, (long)of->first_high);
    else
        verdict_conclude(v, VERDICT_OK,
                         "last N before %.1f cycles more, half of them by N = %.0f; seen twice",
                         of->rise / reach->ticks_a_cycle, of->half);
}

static void judge_entries(const struct table *table, const struct reach *reach, unsigned level,
                          const char *doubt, struct verdict_list *verdicts)
{
    const struct reach_level *of = &reach->level[level];
    struct verdict *v = verdict_add(verdicts, table->of, level_names[level].entries, "entries");
    if (lacks(reach, level, v))
        return;
    if (reach_is_hard(of)) {
        judge_hard(table, reach, level, doubt, v);
        return;
    }
    double low = (double)of->last_low - lateness(of);
    verdict_value(v, of->half, low, 2 * of->half - low);
    if (doubt != NULL)
        verdict_conclude(v, VERDICT_DOUBT, "%s", doubt);
    else
        verdict_conclude(v, VERDICT_DOUBT, "half of a slow rise of %.1f cycles from N = %ld on",
                         of->rise / reach->ticks_a_cycle, (long)of->last_low);
}

static const char *doubt_of_cost(const struct reach *reach, const struct interval *cost,
                                 const char *doubt)
{
    if (doubt != NULL)
        return doubt;
    if (cost->high - cost->value > COST_PRECISION * cost->value)
        return "the times beyond the step scatter";
    if (!reach_is_hard(&reach->level[REACH_DTLB]))
        return "a slow rise: some loads may still hit the first level";
    return reach->level[REACH_STLB].found ? NULL : "no second step: this may be a walk";
}

static void judge_cost(const struct table *table, const struct reach *reach, const char *doubt,
                       struct verdict_list *verdicts)
{
    const struct reach_level *of = &reach->level[REACH_DTLB];
    struct verdict *v = verdict_add(verdicts, table->of, "dtlb_miss_cost", "cycles");
    if (lacks(reach, REACH_DTLB, v))
        return;
    double cycle = reach->ticks_a_cycle, step = (double)of->first_high;
    double value = of->rise / cycle;
    double off = (of->error + value * reach->cycle_error) / cycle;
    struct interval cost = {value, value - off, value + off};
    cost = drift_widen(cost, table);
    verdict_value(v, cost.value, cost.low, cost.high);
    doubt = doubt_of_cost(reach, &cost, doubt);
    if (doubt != NULL)
        verdict_conclude(v, VERDICT_DOUBT, "%s", doubt);
    else
        verdict_conclude(v, VERDICT_OK,
                         "N from %.0f to %.0f against fewer, less what the caches take",
                         LEVEL_FROM * step, LEVEL_TO * step);
}

/* Where any entry may go for a new one, pages beyond a level's end hit it now and then, and no
 * number of them leaves it. */
static const char *doubt_of_order(const struct reach *reach, unsigned level, const char *doubt)
{
    for (unsigned i = 0; i <= level && doubt == NULL; i++)
        if (reach->level[i].found && !reach_is_hard(&reach->level[i]))
            doubt = "a slow rise: not the page used longest ago goes, but any";
    return doubt;
}

static void judge_ways(const struct table *table, const struct reach *reach, unsigned level,
                       const char *doubt, struct verdict_list *verdicts)
{
    struct verdict *v = verdict_add(verdicts, table->of, level_names[level].ways, "ways");
    const struct reach_level *of = &reach->level[level];
    if (lacks(reach, level, v))
        return;
    struct fewest f = find_fewest(table, reach, level);
    double entries = reach_is_hard(of) ? (double)of->last_low : of->half;
    if (f.distances == 0) {
        verdict_conclude(v, VERDICT_SKIP, "no pages far apart could be mapped");
    } else if (f.hidden > 0 && (f.times == 0 || f.hidden < f.last_low)) {
        verdict_conclude(v, VERDICT_DOUBT,
                         "%ld or fewer: the first level holds as many pages of one set",
                         (long)f.hidden);
    } else if (f.times == 0 || (double)f.last_low > FULL_SHARE * entries) {
        verdict_conclude(v, VERDICT_DOUBT,
                         "no earlier step at any of %u distances of pages: no sets, or hashed",
                         f.distances);
    } else {
        bool sure = f.times > 1 && f.first_high - f.last_low == 1;
        doubt = doubt_of_order(reach, level, doubt);
        if (doubt == NULL && f.last_low > 0 && of->last_low % f.last_low != 0)
            doubt = "the entries are no whole number of sets of so many ways";
        verdict_value(v, (double)f.last_low, (double)f.last_low, (double)f.first_high - 1);
        if (doubt != NULL)
            verdict_conclude(v, VERDICT_DOUBT, "%s", doubt);
        else
            verdict_conclude(v, sure ? VERDICT_OK : VERDICT_DOUBT,
                             "fewest pages before a step: at %u of %u distances of pages", f.times,
                             f.distances);
    }
}

/* What the last points of pages far apart take above a base: least, median, most. */
static struct interval last_of_apart(double base)
{
    const double *y = apart.y + apart.count - LAST_POINTS;
    double own[LAST_POINTS], error = 0;
    for (unsigned i = 0; i < LAST_POINTS; i++) {
        double of = apart.error[apart.count - LAST_POINTS + i];
        own[i] = y[i] - base;
        error = of > error ? of : error;
    }
    sort_doubles(own, LAST_POINTS);
    return (struct interval){own[LAST_POINTS / 2], own[0] - NORMAL_95 * error,
                             own[LAST_POINTS - 1] + NORMAL_95 * error};
}

/* Why pages far apart say nothing of walks; NULL: they do. */
static const char *no_walks(const struct reach_level *first, const struct interval *cost,
                            double cycle)
{
    if (apart.x[apart.count - LAST_POINTS] <= (double)first->last_low)
        return "the first level holds as many pages";
    return cost->value < first->rise + LEAST_WALK * cycle
               ? "so many pages so far apart are not walked to"
               : NULL;
}

/* A row without samples says why in place of the unit. */
static const char *why_missing(const struct table *table, int64_t bytes)
{
    for (const struct row *row = table->rows; row < table->rows + table->count; row++)
        if (row->bytes == bytes && row->samples == 0 && strcmp(row->metric, REACH_CHAIN) == 0)
            return row->unit;
    return "pages so far apart were not measured";
}

static void judge_walk(const struct table *table, const struct reach *reach, unsigned i,
                       const char *doubt, struct verdict_list *verdicts)
{
    struct verdict *v = verdict_add(verdicts, table->of, walks[i].name, "cycles");
    if (lacks(reach, REACH_DTLB, v))
        return;
    double base = first_level_time(table), cycle = reach->ticks_a_cycle;
    collect_apart(table, walks[i].bytes);
    if (apart.count < LAST_POINTS) {
        verdict_conclude(v, VERDICT_SKIP, "%s", why_missing(table, walks[i].bytes));
        return;
    }
    struct interval cost = last_of_apart(base);
    const char *reason = no_walks(&reach->level[REACH_DTLB], &cost, cycle);
    if (reason != NULL) {
        verdict_conclude(v, VERDICT_SKIP, "%s", reason);
        return;
    }
    double off = cost.value * reach->cycle_error / cycle;
    cost.low -= off;
    cost.high += off;
    cost = drift_widen(cost, table);
    bool agree = cost.high - cost.low <= 2 * WALKS_AGREE * cost.value;
    verdict_value(v, cost.value / cycle, cost.low / cycle, cost.high / cycle);
    doubt = doubt_of_order(reach, REACH_STLB, doubt);
    if (doubt == NULL && !agree)
        doubt = "the last three numbers of pages do not agree";
    if (doubt != NULL)
        verdict_conclude(v, VERDICT_DOUBT, "%s", doubt);
    else
        verdict_conclude(v, VERDICT_OK, "%.0f to %.0f pages, against a hit in the first level",
                         apart.x[apart.count - LAST_POINTS], apart.x[apart.count - 1]);
}

void reach_judge(const struct table *table, struct verdict_list *verdicts)
{
    struct reach reach;
    reach_find(table, &reach);
    const char *doubt = is_splintered(table, &reach) ? splintered : NULL;
    judge_entries(table, &reach, REACH_DTLB, doubt, verdicts);
    judge_cost(table, &reach, doubt, verdicts);
    judge_entries(table, &reach, REACH_STLB, doubt, verdicts);
    judge_ways(table, &reach, REACH_DTLB, doubt, verdicts);
    judge_ways(table, &reach, REACH_STLB, doubt, verdicts);
    for (unsigned i = 0; i < WALKS; i++)
        if (reach_gives(table->of, walks[i].name))
            judge_walk(table, &reach, i, doubt, verdicts);
}

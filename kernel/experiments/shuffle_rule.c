/* shuffle_rule: the fastest and the slowest stage of each size, and one loop against the other. */
#include "shuffle_rule.h"

#include "../analysis/curve.h"
#include "../lib/string.h"
#include "counts_rule.h"
#include "experiment.h"

#define LINES_MAX 64      /* of a table; results.csv has them all, */
#define COLUMNS_MAX 9     /* and these */
#define METHOD_COLUMNS 73 /* a console's line, less what stands before it */

static const char *const verdict_names[] = {"swap_ticks",  "plain_flatness", "best_stage",
                                            "staged_gain", "mlp_counted",    NULL};

const struct shuffle_pattern shuffle_patterns[] = {
    {"plain-precomputed", SHUFFLE_PLAIN, SHUFFLE_PRECOMPUTED, NULL},
    {"staged-precomputed", SHUFFLE_STAGED, SHUFFLE_PRECOMPUTED, "plain-precomputed"},
    {"plain-onthefly", SHUFFLE_PLAIN, SHUFFLE_ON_THE_FLY, NULL},
    {"staged-onthefly", SHUFFLE_STAGED, SHUFFLE_ON_THE_FLY, "plain-onthefly"},
    {NULL, SHUFFLE_LOOPS, SHUFFLE_SOURCES, NULL},
};

/* Ticks per swap of one case and size, over its stages. */
struct extremes {
    unsigned stages;
    struct interval fastest, slowest;
    int64_t best, last; /* stages: the fastest, and the longest measured */
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

static struct extremes find_extremes(const struct table *table, int64_t bytes)
{
    struct extremes e = {.stages = 0};
    for (const struct row *row = table->rows; row < table->rows + table->count; row++) {
        if (row->bytes != bytes || !is_point(row))
            continue;
        struct interval here = curve_median_of_one(row);
        if (e.stages == 0 || here.value < e.fastest.value) {
            e.fastest = here;
            e.best = row->stage;
        }
        if (e.stages == 0 || here.value > e.slowest.value)
            e.slowest = here;
        if (row->stage > e.last)
            e.last = row->stage;
        e.stages++;
    }
    return e;
}

static double percent_more(double above, double below)
{
    return (above / below - 1) * 100;
}

static struct interval excess(struct interval above, struct interval below)
{
    return (struct interval){percent_more(above.value, below.value),
                             percent_more(above.low, below.high),
                             percent_more(above.high, below.low)};
}

static void set(struct verdict *v, struct interval x)
{
    verdict_value(v, x.value, x.low, x.high);
}

/* One case, and the plain loop's beside it; NULL where that is missing. */
struct finding {
    const struct table *table, *plain;
};

typedef struct interval of_size(const struct finding *f, int64_t bytes);

static struct interval swap_ticks(const struct finding *f, int64_t bytes)
{
    return find_extremes(f->table, bytes).fastest;
}

static struct interval flatness(const struct finding *f, int64_t bytes)
{
    struct extremes e = find_extremes(f->table, bytes);
    return excess(e.slowest, e.fastest);
}

static struct interval gain(const struct finding *f, int64_t bytes)
{
    struct extremes plain = find_extremes(f->plain, bytes);
    return excess(plain.fastest, find_extremes(f->table, bytes).fastest);
}

/* "256m: <how>; 8m 10.2; 512k 0.9": the other sizes as far as they fit into a line. */
static void conclude(const struct finding *f, struct verdict *v, enum verdict_status status,
                     of_size *value, const char *how)
{
    char memory[METHOD_COLUMNS + 1], size[SIZE_TEXT_MAX];
    struct text method;
    int64_t bytes = size_below(f->table, INT64_MAX);
    text_init(&method, memory, sizeof memory);
    text_printf(&method, "%s: %s", size_text(size, (uint64_t)bytes), how);
    while ((bytes = size_below(f->table, bytes)) > 0) {
        size_t length = method.length;
        text_printf(&method, "; %s %.1f", size_text(size, (uint64_t)bytes), value(f, bytes).value);
        if (method.truncated) {
            memory[length] = '\0';
            break;
        }
    }
    verdict_conclude(v, status, "%s", memory);
}

static void judge_flatness(const struct finding *f, const struct extremes *e, struct verdict *v)
{
    if (e->stages < 2) {
        verdict_conclude(v, VERDICT_SKIP, "needs two stages or more");
        return;
    }
    set(v, flatness(f, size_below(f->table, INT64_MAX)));
    conclude(f, v, VERDICT_OK, flatness, "slowest stage against fastest");
}

/* The stages that may be as fast as the fastest: their intervals meet. */
static void judge_stage(const struct finding *f, int64_t bytes, const struct extremes *e,
                        struct verdict *v)
{
    char size[SIZE_TEXT_MAX];
    int64_t low = e->best, high = e->best;
    const struct table *table = f->table;
    for (const struct row *row = table->rows; row < table->rows + table->count; row++)
        if (row->bytes == bytes && is_point(row) &&
            curve_median_of_one(row).low <= e->fastest.high) {
            low = row->stage < low ? row->stage : low;
            high = row->stage > high ? row->stage : high;
        }
    verdict_value(v, (double)e->best, (double)low, (double)high);
    bool ends = e->stages > 1 && low == e->last;
    verdict_conclude(v, ends ? VERDICT_DOUBT : VERDICT_OK,
                     ends ? "%s: the longest of %u; a longer one may be faster still"
                          : "%s: the fastest of %u stages",
                     size_text(size, (uint64_t)bytes), e->stages);
}

static void judge_gain(const struct finding *f, int64_t bytes, struct verdict *v)
{
    if (f->plain == NULL || find_extremes(f->plain, bytes).stages == 0) {
        verdict_conclude(v, VERDICT_SKIP, "needs the plain loop in the same size");
        return;
    }
    struct interval x = gain(f, bytes);
    bool open = x.low <= 0 && x.high >= 0;
    set(v, x);
    conclude(f, v, open ? VERDICT_DOUBT : VERDICT_OK, gain,
             open ? "no difference beyond the scatter" : "plain against staged, fastest of each");
}

static const struct row *find_point(const struct finding *f, int64_t bytes, int64_t stage)
{
    const struct row *row = f->table->rows;
    while (!is_point(row) || row->bytes != bytes || row->stage != stage)
        row++;
    return row;
}

/* Where there are no counters there is nothing to say. */
static void judge_counts(const struct finding *f, int64_t bytes, const struct extremes *e,
                         struct verdict_list *verdicts)
{
    char size[SIZE_TEXT_MAX];
    struct interval ratio;
    enum verdict_status status;
    if (!counts_find_ratio(f->table, find_point(f, bytes, e->last), &ratio, &status))
        return;
    struct verdict *v = verdict_add(verdicts, f->table->of, "mlp_counted", "loads");
    set(v, ratio);
    verdict_conclude(v, status, "%s: misses outstanding per cycle with a miss, stage %ld",
                     size_text(size, (uint64_t)bytes), (long)e->last);
}

/* Where there is none of that name: the one without a name. */
static const struct shuffle_pattern *find_pattern(const char *name)
{
    const struct shuffle_pattern *pattern = shuffle_patterns;
    while (pattern->name != NULL && strcmp(pattern->name, name) != 0)
        pattern++;
    return pattern;
}

static void judge_loop(const struct finding *f, int64_t bytes, const struct extremes *e,
                       struct verdict_list *verdicts)
{
    const struct variant *of = f->table->of;
    if (find_pattern(of->pattern)->loop == SHUFFLE_PLAIN) {
        judge_flatness(f, e, verdict_add(verdicts, of, "plain_flatness", "%"));
        return;
    }
    judge_stage(f, bytes, e, verdict_add(verdicts, of, "best_stage", "swaps"));
    judge_gain(f, bytes, verdict_add(verdicts, of, "staged_gain", "%"));
}

static void judge_case(const struct finding *f, struct verdict_list *verdicts)
{
    int64_t bytes = size_below(f->table, INT64_MAX);
    struct extremes e = find_extremes(f->table, bytes);
    struct verdict *v = verdict_add(verdicts, f->table->of, "swap_ticks", "ticks");
    if (e.stages == 0) {
        verdict_conclude(v, VERDICT_SKIP, "no size was measured");
        return;
    }
    set(v, e.fastest);
    conclude(f, v, e.fastest.value > 0 ? VERDICT_OK : VERDICT_DOUBT, swap_ticks,
             "median of the fastest stage");
    judge_loop(f, bytes, &e, verdicts);
    judge_counts(f, bytes, &e, verdicts);
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
 * by how many percent the slowest stage is above the fastest, noise alone; for the staged loop
 * best_stage, low to high those no slower as far as the samples tell, and staged_gain, by how many
 * percent the plain loop's swap_ticks are above the staged one's. For both mlp_counted with the
 * longest stage, misses outstanding per cycle with a miss; none where that was not counted. Pure.
 */
static void compare(const struct tables *tables, struct verdict_list *verdicts)
{
    for (const struct table *t = tables->at; t < tables->at + tables->count; t++) {
        const struct finding f = {t, find_plain(tables, t->of)};
        judge_case(&f, verdicts);
    }
}

/* A case on the console. Sizes and stages rise. */
struct grid {
    unsigned lines, columns;
    int64_t bytes[LINES_MAX], stage[COLUMNS_MAX];
    double throughput[LINES_MAX][COLUMNS_MAX]; /* swaps per microsecond; 0: not measured */
};

/* Where a value is among rising ones; `count` where it is not. */
static unsigned find_place(const int64_t *values, unsigned count, int64_t value)
{
    unsigned at = 0;
    while (at < count && values[at] != value)
        at++;
    return at;
}

/* Keeps the smallest `room` values, each once. */
static void keep(int64_t *values, unsigned *count, unsigned room, int64_t value)
{
    unsigned at = *count;
    while (at > 0 && values[at - 1] >= value)
        at--;
    if (at == room || (at < *count && values[at] == value))
        return;
    *count += *count < room;
    memmove(values + at + 1, values + at, (*count - at - 1) * sizeof *values);
    values[at] = value;
}

static bool is_shown(const struct row *row)
{
    return row->bytes > 0 && row->stage > 0 && row_is(row, "ns");
}

static void fill_grid(const struct table *table, struct grid *grid)
{
    for (const struct row *row = table->rows; row < table->rows + table->count; row++) {
        unsigned line = find_place(grid->bytes, grid->lines, row->bytes);
        unsigned column = find_place(grid->stage, grid->columns, row->stage);
        if (line < grid->lines && column < grid->columns && row->median > 0 && is_shown(row))
            grid->throughput[line][column] = (double)row->k * 1000 / row->median;
    }
}

static void find_grid(const struct table *table, struct grid *grid)
{
    memset(grid, 0, sizeof *grid);
    for (const struct row *row = table->rows; row < table->rows + table->count; row++) {
        if (!is_shown(row))
            continue;
        keep(grid->bytes, &grid->lines, LINES_MAX, row->bytes);
        keep(grid->stage, &grid->columns, COLUMNS_MAX, row->stage);
    }
    fill_grid(table, grid);
}

static void show_line(const struct grid *grid, unsigned line, struct text *text)
{
    char size[SIZE_TEXT_MAX];
    text_printf(text, "%7s", size_text(size, (uint64_t)grid->bytes[line]));
    for (unsigned i = 0; i < grid->columns; i++)
        if (grid->throughput[line][i] > 0)
            text_printf(text, " %7.2f", grid->throughput[line][i]);
        else
            text_printf(text, "       -");
    text_char(text, '\n');
}

/* swaps per microsecond, sizes down, up to nine stages across. */
static void show(const struct table *table, struct text *text)
{
    static struct grid grid; /* too large for a firmware's stack */
    find_grid(table, &grid);
    if (grid.columns == 0)
        return;
    table_title(table, text);
    text_printf(text, ": swaps per microsecond, stages across\nbytes  ");
    for (unsigned i = 0; i < grid.columns; i++)
        text_printf(text, " %7ld", (long)grid.stage[i]);
    text_char(text, '\n');
    for (unsigned line = 0; line < grid.lines; line++)
        show_line(&grid, line, text);
}

const struct rule rule_shuffle = {
    .compare = compare,
    .verdicts = verdict_names,
    .show = show,
};

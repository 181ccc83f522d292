/* shuffle_rule: the fastest and the slowest stage of each size, and one loop against the other. */
#include "shuffle_rule.h"

#include "../lib/size.h"
#include "../lib/string.h"
#include "../lib/text.h"
#include "counts.h"
#include "curve.h"
#include "verdict.h"

#define METHOD_COLUMNS 73 /* a console's line, less what stands before it */

const char *const shuffle_verdict_names[] = {"swap_ticks",  "plain_flatness", "best_stage",
                                             "staged_gain", "mlp_counted",    NULL};

/* Ticks per swap of one case and size, over its stages. */
struct extremes {
    unsigned stages;
    struct interval fastest, slowest;
    int64_t best, last; /* stages: the fastest, and the longest measured */
};

static bool is_point(const struct row *row)
{
    return strcmp(row->metric, "tsc") == 0 && row->samples > 0 && row->k > 0 && row->stage > 0;
}

int64_t shuffle_size_below(const struct row *rows, size_t count, int64_t below)
{
    int64_t found = 0;
    for (size_t i = 0; i < count; i++)
        if (is_point(&rows[i]) && rows[i].bytes > found && rows[i].bytes < below)
            found = rows[i].bytes;
    return found;
}

static struct interval per_swap(const struct row *row)
{
    struct interval ticks = curve_median(row);
    double k = (double)row->k;
    return (struct interval){ticks.value / k, ticks.low / k, ticks.high / k};
}

static struct extremes find_extremes(const struct row *rows, size_t count, int64_t bytes)
{
    struct extremes e = {.stages = 0};
    for (size_t i = 0; i < count; i++) {
        if (!is_point(&rows[i]) || rows[i].bytes != bytes)
            continue;
        struct interval here = per_swap(&rows[i]);
        if (e.stages == 0 || here.value < e.fastest.value) {
            e.fastest = here;
            e.best = rows[i].stage;
        }
        if (e.stages == 0 || here.value > e.slowest.value)
            e.slowest = here;
        if (rows[i].stage > e.last)
            e.last = rows[i].stage;
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

/* One case's rows, and those of the plain loop beside it; none where it is missing. */
struct finding {
    const struct row *rows, *plain;
    size_t count, plain_count;
};

typedef struct interval of_size(const struct finding *f, int64_t bytes);

static struct interval swap_ticks(const struct finding *f, int64_t bytes)
{
    return find_extremes(f->rows, f->count, bytes).fastest;
}

static struct interval flatness(const struct finding *f, int64_t bytes)
{
    struct extremes e = find_extremes(f->rows, f->count, bytes);
    return excess(e.slowest, e.fastest);
}

static struct interval gain(const struct finding *f, int64_t bytes)
{
    struct extremes plain = find_extremes(f->plain, f->plain_count, bytes);
    return excess(plain.fastest, find_extremes(f->rows, f->count, bytes).fastest);
}

/* "256m: <how>; 8m 10.2; 512k 0.9": the other sizes as far as they fit into a line. */
static void conclude(const struct finding *f, struct verdict *v, enum verdict_status status,
                     of_size *value, const char *how)
{
    char memory[METHOD_COLUMNS + 1], size[SIZE_TEXT_MAX];
    struct text method;
    int64_t bytes = shuffle_size_below(f->rows, f->count, INT64_MAX);
    text_init(&method, memory, sizeof memory);
    text_printf(&method, "%s: %s", size_text(size, (uint64_t)bytes), how);
    while ((bytes = shuffle_size_below(f->rows, f->count, bytes)) > 0) {
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
    set(v, flatness(f, shuffle_size_below(f->rows, f->count, INT64_MAX)));
    conclude(f, v, VERDICT_OK, flatness, "slowest stage against fastest");
}

/* The stages that may be as fast as the fastest: their intervals meet. */
static void judge_stage(const struct finding *f, int64_t bytes, const struct extremes *e,
                        struct verdict *v)
{
    char size[SIZE_TEXT_MAX];
    int64_t low = e->best, high = e->best;
    for (size_t i = 0; i < f->count; i++)
        if (is_point(&f->rows[i]) && f->rows[i].bytes == bytes &&
            per_swap(&f->rows[i]).low <= e->fastest.high) {
            low = f->rows[i].stage < low ? f->rows[i].stage : low;
            high = f->rows[i].stage > high ? f->rows[i].stage : high;
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
    if (find_extremes(f->plain, f->plain_count, bytes).stages == 0) {
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
    const struct row *row = f->rows;
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
    if (!counts_find_ratio(f->rows, f->count, find_point(f, bytes, e->last), &ratio, &status))
        return;
    struct verdict *v =
        verdict_add(verdicts, f->rows->experiment, f->rows->variant, "mlp_counted", "loads");
    set(v, ratio);
    verdict_conclude(v, status, "%s: misses outstanding per cycle with a miss, stage %ld",
                     size_text(size, (uint64_t)bytes), (long)e->last);
}

static bool begins_with(const char *text, const char *start)
{
    while (*start != '\0' && *text == *start) {
        text++;
        start++;
    }
    return *start == '\0';
}

static void judge_plain(const struct finding *f, const struct extremes *e,
                        struct verdict_list *verdicts)
{
    judge_flatness(
        f, e, verdict_add(verdicts, f->rows->experiment, f->rows->variant, "plain_flatness", "%"));
}

static void judge_staged(const struct finding *f, int64_t bytes, const struct extremes *e,
                         struct verdict_list *verdicts)
{
    const char *of = f->rows->experiment, *variant = f->rows->variant;
    judge_stage(f, bytes, e, verdict_add(verdicts, of, variant, "best_stage", "swaps"));
    judge_gain(f, bytes, verdict_add(verdicts, of, variant, "staged_gain", "%"));
}

static void judge_case(const struct finding *f, struct verdict_list *verdicts)
{
    const struct row *row = f->rows;
    int64_t bytes = shuffle_size_below(f->rows, f->count, INT64_MAX);
    struct extremes e = find_extremes(f->rows, f->count, bytes);
    struct verdict *v = verdict_add(verdicts, row->experiment, row->variant, "swap_ticks", "ticks");
    if (e.stages == 0) {
        verdict_conclude(v, VERDICT_SKIP, "no size was measured");
        return;
    }
    set(v, e.fastest);
    conclude(f, v, VERDICT_OK, swap_ticks, "median of the fastest stage");
    if (begins_with(row->variant, SHUFFLE_PLAIN_NAME))
        judge_plain(f, &e, verdicts);
    else
        judge_staged(f, bytes, &e, verdicts);
    judge_counts(f, bytes, &e, verdicts);
}

/* The plain case of the same index source, pages and prefetchers as a staged one. */
static void find_plain(const struct row *rows, size_t count, struct finding *f)
{
    char name[NAME_BYTES + sizeof SHUFFLE_PLAIN_NAME];
    struct text text;
    text_init(&text, name, sizeof name);
    if (!begins_with(f->rows->variant, SHUFFLE_STAGED_NAME))
        return;
    text_printf(&text, "%s%s", SHUFFLE_PLAIN_NAME,
                f->rows->variant + sizeof SHUFFLE_STAGED_NAME - 1);
    f->plain = curve_case(rows, count, name, &f->plain_count);
}

void shuffle_compare(const struct row *rows, size_t count, struct verdict_list *verdicts)
{
    for (size_t i = 0; i < count;) {
        struct finding f = {.rows = rows + i};
        curve_case(rows + i, count - i, rows[i].variant, &f.count);
        find_plain(rows, count, &f);
        judge_case(&f, verdicts);
        i += f.count;
    }
}

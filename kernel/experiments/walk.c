/* walk: fills an array, and times whole walks through it piece by piece, the patterns in turn. */
#include "walk.h"

#include "../analysis/walk_rule.h"
#include "../lib/random.h"
#include "../lib/text.h"
#include "../probe/native.h"
#include "../probe/walk.h"
#include "counted_loop.h"
#include "largest_window.h"
#include "measurement.h"

#define PIECE                                                                                      \
    WALK_PAGE_WORDS /* accesses in one sample: one page walk, with what comes first in it */
#define WALKS_MIN 3 /* of each pattern, so that they show how far they agree */
#define BYTES_MIN (4u << 20) /* of walk.bytes: two pages, so that a walk is more than a sample */
#define SLICE_PIECES 1024    /* at most */
#define SLICES_PER_SECOND 5  /* between two slices the console may be written */
#define ROWS 5               /* of a case, beside counts */

/* One pattern's walks. */
struct course {
    const struct walk_pattern *pattern;
    char name[NAME_BYTES]; /* of the case */
    struct walk walk;
    struct distribution pieces;
    double *ticks, *sums; /* of each whole walk */
    uint32_t walks;
    uint64_t elapsed, sum; /* of the walk under way */
};

/* The patterns over one window: one page size, one state of the prefetchers. */
struct group {
    struct measurement *m;
    char name[NAME_BYTES];
    struct window window;
    uint64_t bytes, filled; /* of the array; words written so far */
    uint32_t walks_max;
    struct course course[WALK_PATTERNS], *now;
    uint32_t slice[SLICE_PIECES], slice_count;
    void *memory; /* of all courses */
    uint64_t memory_bytes;
};

static uint64_t words_of(const struct group *g)
{
    return g->bytes / sizeof(uint64_t);
}

static uint64_t slice_end(const struct group *g)
{
    return native_ticks() + g->m->platform->ticks_per_second / SLICES_PER_SECOND;
}

static void fill_slice(void *context)
{
    struct group *g = context;
    uint64_t end = slice_end(g);
    do {
        walk_fill((uint64_t *)(void *)g->window.base, g->filled, PIECE);
        g->filled += PIECE;
    } while (g->filled < words_of(g) && native_ticks() < end);
}

/* A piece in which a system-management interrupt happened belongs to its walk, but is no sample. */
static void time_piece(struct group *g)
{
    struct platform *p = g->m->platform;
    struct course *course = g->now;
    uint32_t smi_before = 0, smi_after = 0;
    p->smi_count(p, &smi_before);
    uint64_t start = native_ticks();
    course->sum += course->pattern->go(&course->walk, PIECE);
    uint64_t ticks = native_ticks() - start;
    p->smi_count(p, &smi_after);
    course->elapsed += ticks;
    if (smi_before != smi_after)
        course->pieces.discarded++;
    else
        g->slice[g->slice_count++] = ticks < UINT32_MAX ? (uint32_t)ticks : UINT32_MAX;
}

static void walk_slice(void *context)
{
    struct group *g = context;
    uint64_t end = slice_end(g);
    g->slice_count = 0;
    do
        time_piece(g);
    while (g->now->walk.done != 0 && g->slice_count < SLICE_PIECES && native_ticks() < end);
}

/* As in a sweep: a jump of time is no sample. */
static void keep_slice(struct group *g)
{
    struct distribution *pieces = &g->now->pieces;
    if (g->slice_count == 0)
        return;
    distribution_sort(g->slice, g->slice_count);
    uint32_t kept = distribution_undisturbed(g->slice, g->slice_count);
    pieces->discarded += g->slice_count - kept;
    distribution_merge(pieces, g->slice, kept);
}

static bool is_done(const struct group *g, const struct course *course)
{
    const struct config *config = g->m->config;
    const struct distribution *pieces = &course->pieces;
    if (course->walks < WALKS_MIN)
        return false;
    return pieces->count + pieces->discarded >= config->samples_max ||
           (pieces->count >= config->samples_min &&
            distribution_is_precise(pieces, config->samples_precision));
}

static void show_progress(const struct group *g)
{
    double done = 0;
    for (const struct course *c = g->course; c < g->course + WALK_PATTERNS; c++) {
        double walks = c->walks + (double)c->walk.done / (double)words_of(g);
        done += is_done(g, c) ? 1 : walks / g->walks_max;
    }
    measurement_progress(g->m, done / WALK_PATTERNS);
}

static bool walk_once(struct group *g, struct course *course)
{
    struct platform *p = g->m->platform;
    g->now = course;
    course->elapsed = course->sum = 0;
    do {
        if (!p->quietly(p, walk_slice, g))
            return false;
        keep_slice(g);
        show_progress(g);
    } while (course->walk.done != 0);
    course->ticks[course->walks] = (double)course->elapsed;
    course->sums[course->walks++] = (double)course->sum;
    return true;
}

/* Rounds of whole walks, each in a fresh random order, so that drift meets all patterns alike. */
static bool walk_all(struct group *g)
{
    uint32_t order[WALK_PATTERNS] = {0, 1, 2, 3};
    struct random random;
    bool going = true;
    random_seed(&random, g->m->config->seed);
    while (going) {
        going = false;
        random_shuffle(&random, order, WALK_PATTERNS);
        for (unsigned i = 0; i < WALK_PATTERNS; i++) {
            struct course *course = &g->course[order[i]];
            if (is_done(g, course))
                continue;
            if (!walk_once(g, course))
                return false;
            going = true;
        }
    }
    return true;
}

static void count_piece(void *context)
{
    struct group *g = context;
    g->now->pattern->go(&g->now->walk, PIECE);
}

static void place(void *context, struct row *row)
{
    const struct group *g = context;
    row->k = PIECE;
    row->bytes = (int64_t)g->bytes;
}

static bool count_course(struct group *g)
{
    static struct counted_loop loop; /* too large for a firmware's stack */
    loop = (struct counted_loop){
        .measurement = g->m,
        .run = count_piece,
        .place = place,
        .context = g,
        .samples = (uint32_t)(words_of(g) / PIECE),
    };
    return counted_loop_measure(&loop);
}

static void sort(double *values, uint32_t count)
{
    for (uint32_t i = 1; i < count; i++) {
        double value = values[i];
        uint32_t j = i;
        for (; j > 0 && values[j - 1] > value; j--)
            values[j] = values[j - 1];
        values[j] = value;
    }
}

static double mean(const double *values, uint32_t count)
{
    double sum = 0;
    for (uint32_t i = 0; i < count; i++)
        sum += values[i];
    return sum / count;
}

/* A row of what is known of each whole walk, which 32 bits do not hold. Sorts the values. */
static struct row *add_walks(struct group *g, const char *metric, const char *unit,
                                    double *values, uint32_t count)
{
    static const struct distribution none;
    struct row *row = measurement_add(g->m, metric, unit, &none);
    sort(values, count);
    row->k = (int64_t)words_of(g);
    row->bytes = (int64_t)g->bytes;
    row->samples = count;
    row->min = values[0];
    row->p10 = values[(count + 9) / 10 - 1];
    row->median = (values[(count - 1) / 2] + values[count / 2]) / 2;
    row->p90 = values[(count * 9 + 9) / 10 - 1];
    row->max = values[count - 1];
    row->mean = mean(values, count);
    row_scale(row, 1);
    return row;
}

/* The same row in nanoseconds. */
static void add_in_ns(struct measurement *m, const struct row *ticks)
{
    struct row *row = &m->rows[m->row_count++];
    struct text unit;
    *row = *ticks;
    name_copy(row->metric, "ns");
    text_init(&unit, row->unit, sizeof row->unit);
    text_printf(&unit, "ns");
    row_scale(row, 1e9 / (double)m->platform->ticks_per_second);
}

static void add_rows(struct group *g, struct course *course)
{
    struct row *row = measurement_add(g->m, "tsc", "ticks", &course->pieces);
    place(g, row);
    add_in_ns(g->m, row);
    add_in_ns(g->m, add_walks(g, "tsc", "ticks", course->ticks, course->walks));
    add_walks(g, WALK_SUM, "sum", course->sums, course->walks);
}

static bool measure_array(struct group *g)
{
    struct measurement *m = g->m;
    m->failure = "a fault ended the measurement";
    for (g->filled = 0; g->filled < words_of(g);)
        if (!m->platform->quietly(m->platform, fill_slice, g))
            return false;
    if (!walk_all(g))
        return false;
    m->failure = NULL;
    for (unsigned i = 0; i < WALK_PATTERNS; i++) {
        g->now = &g->course[i];
        m->variant = g->now->name;
        add_rows(g, g->now);
        if (!count_course(g))
            return false;
    }
    return true;
}

/* Samples of a point, and whole walks: those that the stop rule allows, however small the array. */
static bool allocate(struct group *g)
{
    const struct config *config = g->m->config;
    uint64_t pieces = config->walk.bytes / sizeof(uint64_t) / PIECE;
    uint64_t samples = config->samples_max + WALKS_MIN * pieces;
    uint64_t walks = config->samples_max / (BYTES_MIN / WALK_PAGE_BYTES) + WALKS_MIN;
    uint64_t each = samples * sizeof(uint32_t) + 2 * walks * sizeof(double);
    each = (each + 7) & ~7ull;
    g->memory_bytes = each * WALK_PATTERNS;
    g->memory = g->m->platform->allocate(g->m->platform, g->memory_bytes);
    if (g->memory == NULL) {
        g->m->failure = "not enough memory for the samples; lower samples.max";
        return false;
    }
    for (unsigned i = 0; i < WALK_PATTERNS; i++) {
        struct course *course = &g->course[i];
        course->ticks = (double *)g->memory + i * (each / sizeof(double));
        course->sums = course->ticks + walks;
        distribution_init(&course->pieces, (uint32_t *)(void *)(course->sums + walks),
                          (uint32_t)samples);
    }
    return true;
}

/* What the window holds of the array asked for; it may also be larger. */
static void start_walks(struct group *g)
{
    const struct config *config = g->m->config;
    g->bytes = config->walk.bytes;
    while (g->bytes > g->window.bytes)
        g->bytes /= 2;
    uint64_t pieces = words_of(g) / PIECE;
    uint64_t walks = (config->samples_max + pieces - 1) / pieces;
    g->walks_max = walks < WALKS_MIN ? WALKS_MIN : (uint32_t)walks;
    for (unsigned i = 0; i < WALK_PATTERNS; i++)
        walk_start(&g->course[i].walk, (const uint64_t *)(void *)g->window.base, g->bytes,
                   config->seed);
}

static void name_cases(struct group *g, enum page_size page, const char *suffix)
{
    struct text text;
    text_init(&text, g->name, sizeof g->name);
    text_printf(&text, "%s%s", page_names[page], suffix);
    for (unsigned i = 0; i < WALK_PATTERNS; i++) {
        struct course *course = &g->course[i];
        course->pattern = &walk_patterns[i];
        text_init(&text, course->name, sizeof course->name);
        text_printf(&text, "%s-%s", course->pattern->name, g->name);
    }
}

static void skip_cases(struct group *g, const char *reason)
{
    for (unsigned i = 0; i < WALK_PATTERNS; i++) {
        g->m->variant = g->course[i].name;
        measurement_skip(g->m, reason);
    }
}

static bool measure_group(struct measurement *m, enum page_size page, unsigned prefetch)
{
    static struct group g; /* too large for a firmware's stack */
    struct platform *p = m->platform;
    const char *suffix, *reason = measurement_set(m, prefetch, &suffix);
    g = (struct group){.m = m};
    name_cases(&g, page, suffix);
    measurement_start_case(m, g.name);
    if (p->no_loops != NULL)
        reason = p->no_loops;
    if (reason == NULL && !allocate(&g))
        return false;
    if (reason == NULL)
        reason = largest_window_map(m, m->config->walk.bytes, BYTES_MIN, page, &g.window);
    bool finished = true;
    if (reason != NULL) {
        skip_cases(&g, reason);
    } else {
        start_walks(&g);
        finished = measure_array(&g);
        p->unmap_window(p, &g.window);
    }
    if (g.memory != NULL)
        p->release(p, g.memory, g.memory_bytes);
    return finished;
}

bool walk_measure(struct measurement *m)
{
    const struct config *config = m->config;
    unsigned states = measurement_settings(m);
    m->cases = config->pages.count * states;
    uint64_t rows = ROWS + counted_loop_rows(m->platform);
    if (!measurement_reserve(m, rows * WALK_PATTERNS * m->cases))
        return false;
    for (uint32_t i = 0; i < m->cases; i++)
        if (!measure_group(m, config->pages.index[i / states], i % states))
            return false;
    return true;
}

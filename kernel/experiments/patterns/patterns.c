/* walk: fills an array, and times whole walks through it piece by piece, the patterns in turn. */
#include "patterns_rule.h"

#include "../../engine/counted.h"
#include "../../engine/windows.h"
#include "../../probe/native.h"
#include "../../probe/pattern_loops.h"
#include "../experiment.h"
#include "../settings.h"

/* Accesses in one sample: one page walk, with what comes first in it. */
#define PIECE WALK_PAGE_WORDS
#define WALKS_MIN 5 /* of each pattern, so that they show how far they agree */
#define BYTES_MIN                                                                                  \
    (4u << 20)           /* of patterns.bytes: two pages, so that a walk is more than a sample */
#define PIECES_A_CALL 16 /* of one pattern, before the clock is looked at */

/* One pattern's walks. */
struct course {
    const struct walk_pattern *pattern;
    struct walk walk;
    double *ticks, *sums; /* of each whole walk, round by round; one piece of memory */
    uint32_t walks, room;
    uint64_t elapsed, sum; /* of the walk under way */
};

/* The patterns over one window, a group: one page size, one state of the prefetchers. */
struct walks {
    struct measurement *m;
    struct task task;
    struct windows windows;
    const struct setting *setting;
    uint32_t first_case;
    const struct window *window;
    uint64_t bytes, filled; /* of the array; words written so far */
    struct course course[WALK_PATTERNS];
};

static uint64_t words_of(const struct walks *w)
{
    return w->bytes / sizeof(uint64_t);
}

/* What the window holds of the array asked for; it may also be larger. */
static void start_walks(struct walks *w)
{
    const struct config *config = w->m->config;
    w->filled = 0;
    w->bytes = config->patterns.bytes;
    while (w->bytes > w->window->bytes)
        w->bytes /= 2;
    for (unsigned i = 0; i < WALK_PATTERNS; i++) {
        struct course *course = &w->course[i];
        walk_start(&course->walk, (const uint64_t *)(void *)w->window->base, w->bytes,
                   config->seed);
        course->walks = 0;
        course->elapsed = course->sum = 0;
    }
}

static bool fill(void *context, uint64_t end)
{
    struct walks *w = context;
    do {
        walk_fill((uint64_t *)(void *)w->window->base, w->filled, PIECE);
        w->filled += PIECE;
    } while (w->filled < words_of(w) && native_ticks() < end);
    return w->filled == words_of(w);
}

/* A whole walk counts in any case, even where single samples of it are discarded. */
static void end_walk(struct course *course)
{
    if (course->walks < course->room) {
        course->ticks[course->walks] = (double)course->elapsed;
        course->sums[course->walks++] = (double)course->sum;
    }
    course->elapsed = course->sum = 0;
}

static void time_pieces(struct course *course, struct samples *samples)
{
    unsigned count = 0;
    do {
        uint64_t start = native_ticks();
        course->sum += course->pattern->go(&course->walk, PIECE);
        uint64_t ticks = native_ticks() - start;
        course->elapsed += ticks;
        samples->at[count++] = sample_of(ticks);
    } while (course->walk.done != 0 && count < samples->count);
    samples->count = count;
    samples->unfinished = course->walk.done != 0;
    if (!samples->unfinished)
        end_walk(course);
}

static void count_piece(void *context)
{
    struct course *course = context;
    course->pattern->go(&course->walk, PIECE);
}

static void visit(void *context, const struct point *point, struct samples *samples)
{
    struct walks *w = context;
    struct course *course = &w->course[point->of - w->first_case];
    if (samples->counting == NULL)
        time_pieces(course, samples);
    else
        for (unsigned i = 0; i < samples->count; i++)
            counted_run(w->m->platform, count_piece, course, samples, i);
}

static struct row *add_walk(struct walks *w, uint32_t of, uint32_t round, const char *metric,
                            const char *unit, double value)
{
    struct row *row = measurement_add_value(w->m, of, metric, unit, value);
    row->k = (int64_t)words_of(w);
    row->bytes = (int64_t)w->bytes;
    row->stage = round;
    return row;
}

/* A row of each, since patterns are compared within a round. */
static void add_whole_walks(struct walks *w)
{
    for (unsigned i = 0; i < WALK_PATTERNS; i++) {
        const struct course *course = &w->course[i];
        uint32_t of = w->first_case + i;
        for (uint32_t round = 0; round < course->walks; round++) {
            struct row ticks = *add_walk(w, of, round, "tsc", "ticks", course->ticks[round]);
            measurement_add_in_ns(w->m, of, &ticks);
            add_walk(w, of, round, WALK_SUM, "sum", course->sums[round]);
        }
    }
}

static void add_points(struct walks *w)
{
    for (unsigned i = 0; i < WALK_PATTERNS; i++) {
        struct point point = {.of = w->first_case + i,
                              .n = ROW_NONE,
                              .k = PIECE,
                              .bytes = (int64_t)w->bytes,
                              .stage = ROW_NONE};
        task_add(&w->task, &w->task.points, &point);
        task_add(&w->task, &w->task.counted, &point);
    }
}

/* Samples of a point: those that the stop rule allows, and those of the last walk, which is whole.
 */
static void set_task(struct walks *w)
{
    w->task = (struct task){
        .measurement = w->m,
        .rules = settings_rules(w->m->config),
        .seed = w->m->config->seed,
        .context = w,
        .visit = visit,
        .prepare = fill,
        .contention = CONTENTION_LABELLED,
        .in_ns = true,
    };
    w->task.rules.visits_min = WALKS_MIN;
    w->task.rules.visit_samples = PIECES_A_CALL;
    w->task.rules.room = w->task.rules.samples_max + WALKS_MIN * (words_of(w) / PIECE);
}

/* As much of the array as fits; the console is told why it is less. */
static const char *map(struct walks *w)
{
    const struct config *config = w->m->config;
    const char *less = NULL;
    struct window_request request = {.bytes = config->patterns.bytes,
                                     .page = w->setting->of.page,
                                     .seed = config->seed,
                                     .node = w->setting->node};
    const char *reason =
        windows_get_largest(&w->windows, &request, BYTES_MIN, false, &w->window, &less);
    if (reason == NULL && less != NULL)
        measurement_say_missing(w->m, &w->setting->of, config->patterns.bytes, less);
    return reason;
}

static uint32_t add_cases(struct walks *w)
{
    uint32_t first = w->m->case_count;
    for (unsigned i = 0; i < WALK_PATTERNS; i++) {
        struct variant of = w->setting->of;
        name_copy(of.pattern, walk_patterns[i].name);
        measurement_add_case(w->m, &of, 0);
    }
    return first;
}

static bool allocate(struct walks *w)
{
    uint32_t room =
        (uint32_t)(w->m->config->samples_max / (BYTES_MIN / WALK_PAGE_BYTES)) + WALKS_MIN + 1;
    bool there = true;
    for (unsigned i = 0; i < WALK_PATTERNS; i++) {
        struct course *course = &w->course[i];
        uint32_t of_both = 0;
        course->pattern = &walk_patterns[i];
        there = there && measurement_grow(w->m, (void **)&course->ticks, &of_both, 2 * room,
                                          sizeof *course->ticks);
        course->sums = there ? course->ticks + room : NULL;
        course->room = room;
    }
    return there;
}

static void release(struct walks *w)
{
    struct platform *p = w->m->platform;
    for (unsigned i = 0; i < WALK_PATTERNS; i++)
        platform_release(p, w->course[i].ticks, 2 * w->course[i].room * sizeof(double));
}

static bool measure_setting(struct walks *w, const struct setting *setting)
{
    w->setting = setting;
    w->first_case = add_cases(w);
    const char *reason = w->m->platform->no_loops;
    if (reason == NULL)
        reason = settings_refusal(w->m, setting);
    if (reason == NULL)
        reason = map(w);
    for (unsigned i = 0; reason != NULL && i < WALK_PATTERNS; i++)
        measurement_skip(w->m, w->first_case + i, reason);
    if (reason != NULL)
        return w->m->failure == NULL;
    start_walks(w);
    set_task(w);
    add_points(w);
    bool finished = engine_run(&w->task);
    if (finished)
        add_whole_walks(w);
    windows_close(&w->windows);
    return finished;
}

/* One window at a time: patterns are compared with each other, page sizes are not. */
static bool measure(struct measurement *m)
{
    static struct walks w; /* too large for a firmware's stack */
    const struct config *config = m->config;
    w = (struct walks){.m = m};
    windows_init(&w.windows, m->platform);
    m->tasks = config->pages.count * settings_count(m, config->node);
    bool finished = allocate(&w);
    for (uint32_t page = 0; page < config->pages.count; page++)
        for (unsigned i = 0; finished && i < settings_count(m, config->node); i++) {
            struct setting setting = settings_get(m, config->node, config->pages.index[page], i);
            finished = measure_setting(&w, &setting);
        }
    release(&w);
    return finished;
}

/* An access of each of the four patterns takes 25 ns in all. */
static double seconds(const struct measurement *m, unsigned pages)
{
    double words = (double)m->config->patterns.bytes / sizeof(uint64_t);
    return pages * settings_count(m, m->config->node) * WALKS_MIN * words * 25e-9;
}

const struct experiment experiment_patterns = {
    .name = "patterns",
    .shows = "the time of an access by the order in which a large array is walked through",
    .measure = measure,
    .seconds = seconds,
    .rule = &rule_patterns,
};

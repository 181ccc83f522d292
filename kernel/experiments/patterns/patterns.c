/* patterns: fills an array, and times passes over it piece by piece, the patterns in turn. */
#include "patterns_rule.h"

#include "../../engine/counted.h"
#include "../../probe/native.h"
#include "../../probe/pattern_loops.h"
#include "../experiment.h"
#include "../settings.h"

#define PIECE PATTERN_PAGE_WORDS /* accesses of one sample: pattern `page` must not go beyond */
#define PASSES_MIN 5             /* of each pattern, so that they show how far they agree */
#define BYTES_MIN (PIECE * sizeof(uint64_t) * 2) /* of the array: more pieces than one */

/* The data of a case: the passes of one pattern. */
struct pattern_case {
    const struct pattern_loop *loop;
    struct pattern_pass pass;
    uint64_t elapsed, sum; /* of the pass under way */
    uint32_t passes;
    struct {
        double ticks, sum;
    } done[]; /* passes, round by round */
};

/* A group is the patterns over one window: one page size, node and state of the prefetchers. */
struct patterns {
    struct measurement *m;
    struct task task;
    struct setting setting;
    uint32_t first_case, passes_max;
    const struct window *window;
    uint64_t bytes, filled; /* of the array; words written so far */
};

static struct pattern_case *case_of_pattern(const struct patterns *p, unsigned i)
{
    return measurement_data(p->m, p->first_case + i);
}

static uint64_t words_of(const struct patterns *p)
{
    return p->bytes / sizeof(uint64_t);
}

/* Uses what the window holds of the array asked for; it may also be larger. */
static void start_passes(struct patterns *p)
{
    const struct config *config = p->m->config;
    p->filled = 0;
    p->bytes = config->patterns.bytes;
    while (p->bytes > p->window->bytes)
        p->bytes /= 2;
    for (unsigned i = 0; i < PATTERN_LOOPS; i++)
        pattern_pass_start(&case_of_pattern(p, i)->pass, (const uint64_t *)(void *)p->window->base,
                           p->bytes, config->seed);
}

static bool fill_array(void *context, uint64_t end)
{
    struct patterns *p = context;
    do {
        pattern_fill((uint64_t *)(void *)p->window->base, p->filled, PIECE);
        p->filled += PIECE;
    } while (p->filled < words_of(p) && native_ticks() < end);
    return p->filled == words_of(p);
}

/* Keeps a pass in any case, even where single samples of it are discarded. */
static void end_pass(struct pattern_case *c, uint32_t passes_max)
{
    if (c->passes < passes_max) {
        c->done[c->passes].ticks = (double)c->elapsed;
        c->done[c->passes++].sum = (double)c->sum;
    }
    c->elapsed = c->sum = 0;
}

static void time_pieces(struct platform *platform, struct pattern_case *c, struct samples *samples)
{
    unsigned kept = 0, timed = 0;
    samples_look_for_smis(samples, platform);
    do {
        uint64_t start = native_ticks();
        c->sum += c->loop->go(&c->pass, PIECE);
        uint64_t ticks = native_ticks() - start;
        c->elapsed += ticks;
        kept = samples_keep(samples, platform, kept, sample_of(ticks));
    } while (c->pass.done != 0 && ++timed < samples->count);
    samples->count = kept;
    samples->unfinished = c->pass.done != 0;
}

static void run_piece(void *context)
{
    struct pattern_case *c = context;
    c->loop->go(&c->pass, PIECE);
}

static void visit_pattern(void *context, const struct point *point, struct samples *samples)
{
    struct patterns *p = context;
    struct pattern_case *c = measurement_data(p->m, point->case_id);
    for (unsigned i = 0; samples->counting != NULL && i < samples->count; i++)
        counted_run(p->m->platform, run_piece, c, samples, i);
    if (samples->counting != NULL)
        return;
    time_pieces(p->m->platform, c, samples);
    if (!samples->unfinished)
        end_pass(c, p->passes_max);
}

static struct row *add_pass_row(struct patterns *p, uint32_t case_id, uint32_t round,
                                const char *metric, const char *unit, double value)
{
    struct row *row = measurement_add_value(p->m, case_id, metric, unit, value);
    row->k = (int64_t)words_of(p);
    row->bytes = (int64_t)p->bytes;
    row->stage = round;
    return row;
}

/* Adds rows of each pass, since patterns are compared within a round. */
static void add_passes(struct patterns *p)
{
    for (uint32_t id = p->first_case; id < p->first_case + PATTERN_LOOPS; id++) {
        const struct pattern_case *c = measurement_data(p->m, id);
        for (uint32_t round = 0; round < c->passes; round++) {
            struct row ticks = *add_pass_row(p, id, round, "tsc", "ticks", c->done[round].ticks);
            measurement_add_in_ns(p->m, id, &ticks);
            add_pass_row(p, id, round, PATTERNS_SUM, "sum", c->done[round].sum);
        }
    }
}

static void add_pattern_points(struct patterns *p)
{
    for (unsigned i = 0; i < PATTERN_LOOPS; i++) {
        struct point point = {.case_id = p->first_case + i,
                              .n = ROW_NONE,
                              .k = PIECE,
                              .bytes = (int64_t)p->bytes,
                              .stage = ROW_NONE};
        task_add(&p->task, &p->task.points, &point);
        task_add(&p->task, &p->task.counted, &point);
    }
}

static void set_patterns_task(struct patterns *p)
{
    p->task = settings_task(p->m, p, visit_pattern);
    p->task.prepare = fill_array;
    p->task.contention = CONTENTION_LABELLED;
    p->task.in_ns = true;
    p->task.rules.visits_min = PASSES_MIN;
    p->task.rules.visit_samples = VISIT_SAMPLES_FEW;
}

/* Maps as much of the array as fits. If that is less than configured, reports the reason. */
static const char *map_array(struct patterns *p)
{
    const struct config *config = p->m->config;
    const char *less = NULL;
    struct window_request request = settings_window(p->m, &p->setting, config->patterns.bytes);
    const char *reason = windows_get_largest(p->m, &request, BYTES_MIN, false, &p->window, &less);
    if (reason == NULL && less != NULL)
        measurement_say_missing(p->m, &p->setting.variant, config->patterns.bytes, less);
    return reason;
}

static void add_pattern_cases(struct patterns *p)
{
    p->passes_max =
        (uint32_t)(p->m->config->samples_max / (BYTES_MIN / PATTERN_PAGE_BYTES)) + PASSES_MIN + 1;
    p->first_case = p->m->case_count;
    for (unsigned i = 0; i < PATTERN_LOOPS && p->m->failure == NULL; i++) {
        struct variant variant = p->setting.variant;
        name_copy(variant.pattern, pattern_loops[i].name);
        measurement_add_case(p->m, &variant,
                             sizeof(struct pattern_case) +
                                 p->passes_max * sizeof *case_of_pattern(p, i)->done);
        if (p->m->failure == NULL)
            case_of_pattern(p, i)->loop = &pattern_loops[i];
    }
}

static bool measure_patterns_of_setting(struct patterns *p)
{
    add_pattern_cases(p);
    const char *reason = p->m->platform->no_loops ?: settings_refusal(p->m, &p->setting);
    if (p->m->failure == NULL && reason == NULL)
        reason = map_array(p);
    for (unsigned i = 0; reason != NULL && i < PATTERN_LOOPS; i++)
        measurement_skip(p->m, p->first_case + i, reason);
    if (reason != NULL || p->m->failure != NULL)
        return p->m->failure == NULL;
    start_passes(p);
    set_patterns_task(p);
    add_pattern_points(p);
    bool finished = engine_run(&p->task);
    if (finished)
        add_passes(p);
    return finished;
}

/* Maps one window at a time: patterns are compared with each other, page sizes are not. */
static bool patterns_measure(struct measurement *m)
{
    struct patterns p = {.m = m};
    struct settings all = {.m = m, .nodes = m->config->node};
    bool finished = true;
    m->tasks = m->config->pages.count * settings_count(m, m->config->node);
    while (finished && settings_next(&all, &p.setting))
        finished = measure_patterns_of_setting(&p);
    return finished && m->failure == NULL;
}

/* Estimates the time: an access of each of the four patterns takes 25 ns in all. */
static double patterns_seconds(const struct measurement *m, unsigned pages)
{
    double words = (double)m->config->patterns.bytes / sizeof(uint64_t);
    return pages * settings_count(m, m->config->node) * PASSES_MIN * words * 25e-9;
}

const struct experiment experiment_patterns = {
    .name = "patterns",
    .shows = "the time of an access, by the order in which a large array is read",
    .measure = patterns_measure,
    .seconds = patterns_seconds,
    .rule = &rule_patterns,
};

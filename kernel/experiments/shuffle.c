/* shuffle: passes over every size, both loops and all stages in rounds, so that drift meets all. */
#include "shuffle.h"

#include "../analysis/shuffle_rule.h"
#include "../lib/random.h"
#include "../lib/size.h"
#include "../probe/shuffle_pass.h"
#include "counted_loop.h"
#include "measurement.h"

#define ROUNDS 2       /* at least, so that drift shows in the median's interval */
#define JUMP_FACTOR 8  /* a sample this many times its pass's median was interrupted, not slow */
#define LINE_BYTES 64u /* sizes are whole lines */

static const char *const loop_names[SHUFFLE_LOOPS] = {SHUFFLE_PLAIN_NAME, SHUFFLE_STAGED_NAME};
static const char *const source_names[SHUFFLE_SOURCES] = {"precomputed", "onthefly"};

struct shuffle_point {
    struct distribution ticks;
    uint32_t passes;
    bool done;
};

/* The cases of both loops, with one index source and page size. */
struct shuffle_case {
    struct measurement *m;
    enum shuffle_source source;
    enum page_size page;
    char variant[SHUFFLE_LOOPS][RESULT_NAME_MAX];
    struct window window;
    struct shuffle_pass pass;

    struct shuffle_point *points; /* of one size: all stages of one loop, then of the other */
    uint32_t *order, *samples;    /* a round's; and of all points */
    uint32_t count;
    struct random random;

    struct counted_loop counted;
    uint32_t checksum[CONFIG_LIST_MAX]; /* of each size, from the first pass of any case on */
    bool known[CONFIG_LIST_MAX];
    double work, work_before, work_here; /* bytes: of all sizes, of those done, of this one */
};

static const char no_memory[] = "not enough memory for the samples; lower samples.max";
static const char faulted[] = "a fault ended the measurement";

static uint32_t stage_of(const struct shuffle_case *c, uint32_t point)
{
    const struct config_list *stages = &c->m->config->shuffle.stages;
    return (uint32_t)stages->value[point % stages->count];
}

static enum shuffle_loop loop_of(const struct shuffle_case *c, uint32_t point)
{
    return point < c->m->config->shuffle.stages.count ? SHUFFLE_PLAIN : SHUFFLE_STAGED;
}

static uint32_t samples_wanted(const struct config *config)
{
    uint64_t wanted = config->samples_max / ROUNDS;
    return wanted < SHUFFLE_PASS_SAMPLES ? (uint32_t)wanted : SHUFFLE_PASS_SAMPLES;
}

/* After so many passes a point has had its chance, however many samples were disturbed. */
static uint32_t passes_max(const struct shuffle_case *c, uint32_t point)
{
    uint64_t chunks = shuffle_chunks(c->pass.elements, stage_of(c, point));
    uint64_t each = chunks < c->pass.wanted ? chunks : c->pass.wanted;
    return (uint32_t)((c->m->config->samples_max + each - 1) / each);
}

static void show_progress(const struct shuffle_case *c)
{
    double done = 0;
    for (uint32_t i = 0; i < c->count; i++)
        done += c->points[i].done ? 1 : (double)c->points[i].passes / passes_max(c, i);
    double here = c->work_here * done / c->count;
    measurement_progress(c->m, SHUFFLE_LOOPS * (c->work_before + here) / c->work);
}

/* Samples that were not interrupted; must be sorted. */
static uint32_t count_undisturbed(const uint32_t *ticks, uint32_t count)
{
    while (count > 0 && ticks[count - 1] / JUMP_FACTOR > ticks[count / 2])
        count--;
    return count;
}

static void keep_samples(struct shuffle_case *c, struct shuffle_point *point)
{
    const struct config *config = c->m->config;
    struct shuffle_pass *pass = &c->pass;
    distribution_sort(pass->ticks, pass->count);
    uint32_t kept = count_undisturbed(pass->ticks, pass->count);
    point->ticks.discarded += pass->discarded + pass->count - kept;
    distribution_merge(&point->ticks, pass->ticks, kept);
    point->passes++;
    point->done = point->passes >= passes_max(c, (uint32_t)(point - c->points)) ||
                  (point->passes >= ROUNDS && point->ticks.count >= config->samples_min &&
                   distribution_is_precise(&point->ticks, config->samples_precision));
}

/* The array holds what it held, in the order that every loop has to leave. */
static const char *check_work(struct shuffle_case *c, uint32_t size)
{
    uint32_t checksum = shuffle_pass_checksum(&c->pass);
    if (!shuffle_pass_is_whole(&c->pass))
        return "the shuffle lost elements of its array";
    if (c->known[size] && c->checksum[size] != checksum)
        return "the loops did not do the same shuffle: another checksum";
    c->known[size] = true;
    c->checksum[size] = checksum;
    return NULL;
}

static bool run_pass(struct shuffle_case *c, uint32_t point, uint32_t size,
                     enum shuffle_phase first)
{
    struct measurement *m = c->m;
    m->variant = c->variant[loop_of(c, point)];
    shuffle_pass_start(&c->pass, first, loop_of(c, point), stage_of(c, point));
    while (c->pass.phase != SHUFFLE_DONE) {
        if (!m->platform->quietly(m->platform, shuffle_pass_slice, &c->pass)) {
            m->failure = faulted;
            return false;
        }
        show_progress(c);
    }
    m->failure = check_work(c, size);
    if (m->failure != NULL)
        return false;
    keep_samples(c, &c->points[point]);
    return true;
}

static void start_points(struct shuffle_case *c)
{
    uint64_t room = c->m->config->samples_max;
    for (uint32_t i = 0; i < c->count; i++) {
        c->points[i] = (struct shuffle_point){.passes = 0};
        distribution_init(&c->points[i].ticks, c->samples + i * room, (uint32_t)room);
        c->order[i] = i;
    }
}

/* Every round visits the points that are not done, in a fresh order. */
static bool run_rounds(struct shuffle_case *c, uint32_t size)
{
    enum shuffle_phase first = c->source == SHUFFLE_PRECOMPUTED ? SHUFFLE_INDEX : SHUFFLE_FILL;
    uint32_t active = c->count;
    start_points(c);
    while (active > 0) {
        random_shuffle(&c->random, c->order, active);
        for (uint32_t i = 0; i < active; i++) {
            if (!run_pass(c, c->order[i], size, first))
                return false;
            first = SHUFFLE_FILL;
        }
        uint32_t left = 0;
        for (uint32_t i = 0; i < active; i++)
            if (!c->points[c->order[i]].done)
                c->order[left++] = c->order[i];
        active = left;
    }
    return true;
}

static void add_point(struct shuffle_case *c, uint32_t point)
{
    static const struct {
        const char *metric, *unit;
    } times[] = {{"tsc", "ticks"}, {"ns", "ns"}};
    double factor[] = {1, 1e9 / (double)c->m->platform->ticks_per_second};
    for (unsigned i = 0; i < 2; i++) {
        struct result_row *row =
            measurement_add(c->m, times[i].metric, times[i].unit, &c->points[point].ticks);
        row->k = (int64_t)shuffle_chunk(stage_of(c, point));
        row->bytes = (int64_t)(c->pass.elements * sizeof *c->pass.data);
        row->stage = stage_of(c, point);
        result_scale(row, factor[i]);
    }
}

static void add_checksum(struct shuffle_case *c, uint32_t size)
{
    struct distribution d = {
        .sorted = &c->checksum[size], .count = 1, .room = 1, .sum = c->checksum[size]};
    measurement_add(c->m, SHUFFLE_CHECKSUM_NAME, "order", &d)->bytes =
        (int64_t)(c->pass.elements * sizeof *c->pass.data);
}

static void add_rows(struct shuffle_case *c, uint32_t size)
{
    for (uint32_t i = 0; i < c->count; i++) {
        c->m->variant = c->variant[loop_of(c, i)];
        add_point(c, i);
        if (i + 1 == c->count || loop_of(c, i + 1) != loop_of(c, i))
            add_checksum(c, size);
    }
}

/* So that the results themselves tell which sizes are missing, and the console why. */
static void add_missing(struct shuffle_case *c, uint64_t bytes, const char *reason)
{
    static const struct distribution nothing;
    char memory[200], size[SIZE_TEXT_MAX];
    struct text note;
    text_init(&note, memory, sizeof memory);
    text_printf(&note, "shuffle %s: not %s: %s\n", c->variant[0], size_text(size, bytes), reason);
    c->m->platform->print(c->m->platform, memory);
    for (unsigned i = 0; i < SHUFFLE_LOOPS; i++) {
        c->m->variant = c->variant[i];
        measurement_add(c->m, "tsc", "ticks", &nothing)->bytes = (int64_t)bytes;
    }
}

/* Precomputed indices are as many as elements, and as large: twice the memory, the same pages. */
static const char *map_size(struct shuffle_case *c, uint64_t bytes)
{
    struct platform *p = c->m->platform;
    bool precomputed = c->source == SHUFFLE_PRECOMPUTED;
    const struct window_request request = {.bytes = precomputed ? 2 * bytes : bytes,
                                           .page = c->page,
                                           .seed = c->m->config->seed,
                                           .node = c->m->node};
    const char *reason = p->map_window(p, &request, &c->window);
    if (reason != NULL)
        return reason;
    c->pass.platform = p;
    c->pass.data = (uint32_t *)(void *)c->window.base;
    c->pass.indices = precomputed ? (uint32_t *)(void *)(c->window.base + bytes) : NULL;
    c->pass.elements = bytes / sizeof *c->pass.data;
    c->pass.seed = c->m->config->seed;
    c->pass.wanted = samples_wanted(c->m->config);
    return NULL;
}

/*
 * The counted chunks are spread over one shuffle. Where it has fewer, it is gone through again,
 * each time from another chunk on, so that every pass of the counters meets all of them. What the
 * array holds does not matter: where a swap goes depends on the indices alone.
 */
static void prepare_chunk(void *context)
{
    struct shuffle_case *c = context;
    struct shuffle_pass *pass = &c->pass;
    uint64_t chunks = pass->elements / pass->chunk, sample = pass->done++;
    uint64_t at = chunks > c->counted.wanted ? sample * chunks / c->counted.wanted
                                             : (sample + sample / chunks) % chunks;
    pass->shuffle.left = pass->elements - at * pass->chunk;
}

static void run_chunk(void *context)
{
    struct shuffle_pass *pass = &((struct shuffle_case *)context)->pass;
    pass->run(&pass->shuffle, pass->chunk);
}

static void place_counted(void *context, struct result_row *row)
{
    const struct shuffle_case *c = context;
    row->k = (int64_t)c->pass.chunk;
    row->bytes = (int64_t)(c->pass.elements * sizeof *c->pass.data);
    row->stage = c->pass.shuffle.stage;
}

/* Counts, where there are counters, come behind the times, while the window is mapped. */
static bool count_points(struct shuffle_case *c)
{
    for (uint32_t i = 0; i < c->count; i++) {
        c->m->variant = c->variant[loop_of(c, i)];
        shuffle_pass_start(&c->pass, SHUFFLE_RUN, loop_of(c, i), stage_of(c, i));
        c->counted = (struct counted_loop){.measurement = c->m,
                                           .prepare = prepare_chunk,
                                           .run = run_chunk,
                                           .place = place_counted,
                                           .context = c};
        if (!counted_loop_measure(&c->counted))
            return false;
    }
    return true;
}

static bool measure_size(struct shuffle_case *c, uint32_t size)
{
    if (!run_rounds(c, size))
        return false;
    add_rows(c, size);
    return count_points(c);
}

/* Every size; *refusal stays NULL if one could be had, else it says why not. */
static bool measure_sizes(struct shuffle_case *c, const char **refusal)
{
    const struct config_list *sizes = &c->m->config->shuffle.bytes;
    bool finished = true, any = false;
    for (uint32_t i = 0; finished && i < sizes->count; i++) {
        uint64_t bytes = sizes->value[i] & ~(uint64_t)(LINE_BYTES - 1);
        const char *reason = map_size(c, bytes);
        c->work_here = (double)bytes;
        if (reason == NULL) {
            any = true;
            finished = measure_size(c, i);
            c->m->platform->unmap_window(c->m->platform, &c->window);
        } else {
            *refusal = reason;
            add_missing(c, bytes, reason);
        }
        c->work_before += (double)bytes;
    }
    if (any)
        *refusal = NULL;
    return finished;
}

static void name_cases(struct shuffle_case *c, const char *prefetch)
{
    for (unsigned i = 0; i < SHUFFLE_LOOPS; i++) {
        struct text name;
        text_init(&name, c->variant[i], RESULT_NAME_MAX);
        text_printf(&name, "%s-%s-%s%s", loop_names[i], source_names[c->source],
                    measurement_page_names[c->page], prefetch);
    }
}

static bool measure_cases(struct shuffle_case *c, unsigned prefetch)
{
    struct measurement *m = c->m;
    const char *suffix, *reason = measurement_set(m, prefetch, &suffix);
    size_t first_row = m->row_count;
    bool finished = true;
    name_cases(c, suffix);
    measurement_start_case(m, c->variant[SHUFFLE_PLAIN]);
    c->work_before = 0;
    if (m->platform->no_loops != NULL)
        reason = m->platform->no_loops;
    if (reason == NULL)
        finished = measure_sizes(c, &reason);
    if (reason != NULL)
        m->row_count = first_row; /* rows of sizes that are missing, which the reason explains */
    m->variant = c->variant[SHUFFLE_PLAIN];
    if (reason != NULL)
        measurement_skip(m, reason);
    measurement_start_case(m, c->variant[SHUFFLE_STAGED]);
    if (reason != NULL)
        measurement_skip(m, reason);
    return finished;
}

static bool open_points(struct shuffle_case *c)
{
    const struct config *config = c->m->config;
    struct platform *p = c->m->platform;
    c->count = SHUFFLE_LOOPS * config->shuffle.stages.count;
    c->points = p->allocate(p, c->count * sizeof *c->points);
    c->order = p->allocate(p, c->count * sizeof *c->order);
    c->samples = p->allocate(p, c->count * config->samples_max * sizeof *c->samples);
    random_seed(&c->random, config->seed);
    if (c->points != NULL && c->order != NULL && c->samples != NULL)
        return true;
    c->m->failure = no_memory;
    return false;
}

static void close_points(struct shuffle_case *c)
{
    struct platform *p = c->m->platform;
    uint64_t samples = c->count * c->m->config->samples_max;
    if (c->samples != NULL)
        p->release(p, c->samples, samples * sizeof *c->samples);
    if (c->order != NULL)
        p->release(p, c->order, c->count * sizeof *c->order);
    if (c->points != NULL)
        p->release(p, c->points, c->count * sizeof *c->points);
}

static bool measure_all(struct shuffle_case *c)
{
    const struct config *config = c->m->config;
    unsigned states = measurement_settings(c->m);
    for (uint32_t i = 0; i < config->shuffle.bytes.count; i++)
        c->work += (double)config->shuffle.bytes.value[i];
    for (uint32_t i = 0; i < config->pages.count * states; i++)
        for (unsigned source = 0; source < SHUFFLE_SOURCES; source++) {
            c->page = config->pages.index[i / states];
            c->source = source;
            if (!measure_cases(c, i % states))
                return false;
        }
    return true;
}

bool shuffle_measure(struct measurement *m)
{
    static struct shuffle_case c; /* too large for a firmware's stack */
    const struct config *config = m->config;
    uint64_t rows = (2 + counted_loop_rows(m->platform)) * config->shuffle.stages.count + 1;
    c = (struct shuffle_case){.m = m};
    m->cases = SHUFFLE_LOOPS * SHUFFLE_SOURCES * config->pages.count * measurement_settings(m);
    if (!measurement_reserve(m, m->cases * config->shuffle.bytes.count * rows))
        return false;
    bool finished = open_points(&c) && measure_all(&c);
    close_points(&c);
    return finished;
}

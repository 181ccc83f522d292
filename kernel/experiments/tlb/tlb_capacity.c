/* reach: a chain through a line of each of N pages, built anew for each visit.
 *
 * Every line of a chain is another line of memory, and lines spread over all sets of the first
 * cache, so that N loads cost the caches what N lines side by side do; the rest is translation. No
 * line has two addresses: AMD's prediction of the way in the first cache would make that slower.
 */
#include "tlb_capacity.h"

#include "../../engine/engine.h"
#include "../../engine/windows.h"
#include "../../probe/floor_probe.h"
#include "../../probe/page_chain_probe.h"
#include "../settings.h"
#include "tlb_capacity_rule.h"

#define LINE_BYTES 64
#define PIECE_BYTES 4096
#define PAGES_MAX 16384
#define SHARED_FRAMES 16 /* of 2 MB; few enough to be had, enough for few mappings under Linux */
#define LEAST_STEPS 512
#define VISIT 10       /* samples of a chain */
#define LEAST_VISITS 8 /* each of another chain */
#define MOST_SAMPLES 240
#define REFERENCE_PAGES 128 /* pages */
#define PIECES 512          /* of 4 KB, which are one page of 2 MB, */
#define PIECES_MOST 256     /* and of which so many lines fit into any first cache */
#define REFINE_POINTS 7     /* between two N: the gap shrinks eight times a round */
#define REFINED_MAX 600     /* points of a case */
#define GLANCE_FROM 8192    /* pages: that a coarse curve goes on is seen at a glance */
#define SOFT_GAP 64         /* part of N to which a soft end is placed */

/* Far enough apart in number that the timer cancels. */
static const unsigned additions[] = {256, 1280};

/*
 * Pages this far apart, for the ways and for what the upper levels cost: every page or every third
 * of a window whose pages are a power of two apart. Sets that are three times a power of two in
 * number, as of 96 entries of 16 ways, take turns at distances that are none.
 */
static const struct {
    uint8_t shift, every;
} far_apart[] = {{14, 1}, {16, 1}, {18, 1}, {20, 1}, {20, 3}, {21, 1}, {24, 1},
                 {24, 3}, {27, 1}, {27, 3}, {30, 1}, {30, 3}, {39, 1}};
#define FAR (sizeof far_apart / sizeof *far_apart)
#define FAR_FRAMES 64
static const uint8_t far_pages[] = {1,  2,  3,  4,  5,  6,  7,  8,  10,  12,  14, 16,
                                    20, 24, 32, 40, 48, 64, 80, 96, 112, 120, 128};
#define FAR_PAGES (sizeof far_pages)
#define FAR_PAGES_MAX 128

/* One case at a time: with pages 512 GB apart, several would have no addresses left. */
static struct reach_run {
    struct measurement *m;
    struct task task;
    struct windows windows;
    struct random random;
    uint32_t of; /* number of the case */
    const struct window *pages, *dense;
    const struct window *apart[FAR]; /* NULL: could not be mapped */
    uint32_t order[PAGES_MAX];       /* of the chain that is built */
    uint8_t *place;                  /* where it is followed next */
} run;                               /* too large for a firmware's stack */

/* --- lines ----------------------------------------------------------------------------------- */

/* Each 64 pages have each line of a page once, and no two that share a frame have the same. */
static uint64_t line_in_piece(uint64_t i)
{
    return (i + i / 64 + i / 4096) % 64 * LINE_BYTES;
}

/* `apart`: from a page to the next that is used. */
static uint8_t *line_of_page(const struct window *window, uint64_t i, uint64_t apart)
{
    uint64_t piece = window->page == PAGE_4K ? 0 : i % PIECES;
    return window->base + i * apart + piece * PIECE_BYTES + line_in_piece(i);
}

static uint8_t *line_of_dense(const struct window *window, uint64_t i, uint64_t apart)
{
    (void)apart;
    return window->base + i * LINE_BYTES;
}

static uint8_t *line_of_piece(const struct window *window, uint64_t i, uint64_t apart)
{
    (void)apart;
    return window->base + i * PIECE_BYTES + line_in_piece(i);
}

/* From a page to the next. */
static int64_t distance(unsigned far)
{
    return (int64_t)far_apart[far].every << far_apart[far].shift;
}

typedef uint8_t *line_function(const struct window *window, uint64_t i, uint64_t apart);

/* What points are of: a point's `place`. */
enum kind { KIND_CHAIN, KIND_AGAIN, KIND_DENSE, KIND_PIECES, KIND_ADDITIONS };

static const struct {
    const char *metric;
    line_function *line; /* NULL: there are none */
} kinds[] = {
    [KIND_CHAIN] = {CAPACITY_CHAIN, line_of_page},
    [KIND_AGAIN] = {CAPACITY_AGAIN, line_of_page},
    [KIND_DENSE] = {CAPACITY_DENSE, line_of_dense},
    [KIND_PIECES] = {CAPACITY_PIECES, line_of_piece},
    [KIND_ADDITIONS] = {CAPACITY_ADDITIONS, NULL},
};

static const struct window *window_of(const struct reach_run *r, const struct point *point)
{
    if (point->place == KIND_DENSE)
        return r->dense;
    for (unsigned i = 0; i < FAR; i++)
        if (r->apart[i] != NULL && point->bytes == distance(i))
            return r->apart[i];
    return r->pages;
}

/* --- visits ---------------------------------------------------------------------------------- */

static struct timing timing_of(const struct reach_run *r)
{
    return (struct timing){.order = ORDER_LFENCE, .rdtscp = r->m->processor->rdtscp};
}

static void build(struct reach_run *r, const struct point *point)
{
    const struct window *window = window_of(r, point);
    line_function *line = kinds[point->place].line;
    uint32_t count = (uint32_t)point->n;
    uint64_t apart = (uint64_t)point->bytes;
    for (uint32_t i = 0; i < count; i++)
        r->order[i] = i;
    random_shuffle(&r->random, r->order, count);
    uint8_t *last = line(window, r->order[count - 1], apart);
    for (uint32_t i = 0; i < count; i++) {
        uint8_t *next = line(window, r->order[i], apart);
        *(uint8_t **)(void *)last = next;
        last = next;
    }
    r->place = last;
}

static uint64_t follow(struct reach_run *r)
{
    return r->m->platform->run_code(r->m->platform, (uint8_t *)&r->place);
}

/* Twice round before the first sample: then each level holds what it will hold. */
static void visit_chain(struct reach_run *r, const struct point *point, struct samples *samples)
{
    struct platform *p = r->m->platform;
    uint32_t count = (uint32_t)point->n;
    struct reach_shape shape = {.lead = count < REACH_LEAD_MAX ? count : REACH_LEAD_MAX,
                                .steps = (unsigned)point->k,
                                .timing = timing_of(r)};
    p->publish_code(p, reach_probe_emit(p->code.write, p->code.bytes, &shape));
    build(r, point);
    for (uint32_t done = 0; done < 2 * count; done += shape.lead + shape.steps)
        follow(r);
    for (unsigned i = 0; i < samples->count; i++)
        samples->at[i] = sample_of(follow(r));
}

static void visit_additions(struct reach_run *r, const struct point *point, struct samples *samples)
{
    struct platform *p = r->m->platform;
    struct floor_shape shape = {.chains = 1, .adds = (unsigned)point->k, .timing = timing_of(r)};
    p->publish_code(p, floor_probe_emit(p->code.write, p->code.bytes, &shape));
    p->run_code(p, (uint8_t *)&r->place);
    for (unsigned i = 0; i < samples->count; i++)
        samples->at[i] = sample_of(p->run_code(p, (uint8_t *)&r->place));
}

static void visit(void *context, const struct point *point, struct samples *samples)
{
    if (point->place == KIND_ADDITIONS)
        visit_additions(context, point, samples);
    else
        visit_chain(context, point, samples);
}

/* --- points ---------------------------------------------------------------------------------- */

static struct point point_of(const struct reach_run *r, enum kind kind, int64_t n, int64_t bytes,
                             int64_t stage)
{
    int64_t k = n > LEAST_STEPS ? n : LEAST_STEPS;
    return (struct point){.of = r->of,
                          .place = kind,
                          .n = n,
                          .k = k < REACH_STEPS_MAX ? k : REACH_STEPS_MAX,
                          .bytes = bytes,
                          .stage = stage,
                          .metric = kinds[kind].metric};
}

static void add(struct reach_run *r, enum kind kind, int64_t n, int64_t bytes, int64_t stage)
{
    struct point point = point_of(r, kind, n, bytes, stage);
    task_add(&r->task, &r->task.points, &point);
}

/* N pages, and the lines that the caches have instead. */
static void add_pair(struct reach_run *r, int64_t n, int64_t stage)
{
    add(r, KIND_CHAIN, n, (int64_t)r->pages->stride, stage);
    add(r, KIND_DENSE, n, ROW_NONE, stage);
}

static void add_curve(struct reach_run *r, int64_t stage)
{
    const struct config_list *n = &r->m->config->tlb.pages;
    for (uint32_t i = 0; i < n->count; i++) {
        uint32_t before = r->task.points.count;
        if (n->value[i] <= r->pages->bytes / r->pages->stride)
            add_pair(r, (int64_t)n->value[i], stage);
        for (uint32_t j = before; n->value[i] > GLANCE_FROM && j < r->task.points.count; j++)
            r->task.points.at[j].needs = POINT_GLANCE;
    }
}

static void add_pieces(struct reach_run *r)
{
    const struct config_list *n = &r->m->config->tlb.pages;
    for (uint32_t i = 0; i < n->count && r->pages->page != PAGE_4K; i++)
        if (n->value[i] <= PIECES_MOST)
            add(r, KIND_PIECES, (int64_t)n->value[i], PIECE_BYTES, ROW_NONE);
}

static void add_points(struct reach_run *r)
{
    int64_t most = (int64_t)(r->pages->bytes / r->pages->stride);
    struct point reference =
        point_of(r, KIND_CHAIN, most < REFERENCE_PAGES ? most : REFERENCE_PAGES,
                 (int64_t)r->pages->stride, ROW_NONE);
    for (unsigned i = 0; i < sizeof additions / sizeof *additions; i++) {
        struct point point = point_of(r, KIND_ADDITIONS, ROW_NONE, ROW_NONE, ROW_NONE);
        point.k = additions[i];
        task_add(&r->task, &r->task.points, &point);
    }
    add_curve(r, ROW_NONE);
    add_pieces(r);
    for (unsigned i = 0; i < FAR; i++)
        for (unsigned j = 0; r->apart[i] != NULL && j < FAR_PAGES; j++)
            if (far_pages[j] <= list_most(&r->m->config->tlb.pages) &&
                far_pages[j] * far_apart[i].every <= FAR_PAGES_MAX)
                add(r, KIND_CHAIN, far_pages[j], distance(i), ROW_NONE);
    task_add(&r->task, &r->task.references, &reference);
}

/* Up to REFINE_POINTS strictly between. */
static void add_between(struct reach_run *r, const struct capacity_level *level, int64_t stage)
{
    int64_t step = (level->first_high - level->last_low) / (REFINE_POINTS + 1);
    step = step < 1 ? 1 : step;
    int64_t n = level->last_low + step;
    for (unsigned i = 0; n < level->first_high && i < REFINE_POINTS; i++, n += step)
        add_pair(r, n, stage);
}

/* --- refinement ------------------------------------------------------------------------------ */

/* Narrows the bracket that a level ends in, and looks at its ends once more. True: that was no
 * news, or there is no end. */
static bool place(struct reach_run *r, const struct table *table, const struct capacity *capacity,
                  unsigned i)
{
    const struct capacity_level *level = &capacity->level[i];
    if (!level->found || level->first_high > capacity->largest)
        return true;
    int64_t gap = capacity_is_hard(level) ? 1 : level->last_low / SOFT_GAP + 1;
    if (level->first_high - level->last_low > gap) {
        add_between(r, level, capacity->stage);
        return false;
    }
    if (capacity_was_seen(table, capacity, i))
        return !capacity_was_other(table, capacity, i);
    add(r, KIND_AGAIN, level->last_low, (int64_t)r->pages->stride, capacity->stage);
    add(r, KIND_AGAIN, level->first_high, (int64_t)r->pages->stride, capacity->stage);
    return false;
}

/* Every N between, where pages far apart leave a level early. */
static void place_apart(struct reach_run *r, const struct table *table,
                        const struct capacity *capacity)
{
    int64_t low, high;
    for (unsigned i = 0; i < FAR; i++) {
        int64_t bytes = distance(i), done = -1;
        for (unsigned level = 0; r->apart[i] != NULL && level < CAPACITY_LEVELS; level++) {
            if (!capacity_find_apart(table, capacity, bytes, level, &low, &high) || low == done ||
                2 * low > capacity->level[level].last_low)
                continue;
            for (int64_t n = low + 1; n < high; n++)
                add(r, KIND_CHAIN, n, bytes, ROW_NONE);
            done = low;
        }
    }
}

static void refine(void *context, uint32_t of, const struct table *table, uint32_t added)
{
    struct reach_run *r = context;
    struct capacity capacity;
    if (of != r->of || added >= REFINED_MAX || r->m->is_emulated)
        return;
    capacity_find(table, &capacity);
    uint32_t before = r->task.points.count;
    bool is_done = true;
    for (unsigned i = 0; i < CAPACITY_LEVELS; i++)
        is_done &= place(r, table, &capacity, i);
    if (r->task.points.count == before && !is_done) {
        int64_t next = capacity_next_stage(table, capacity.stage);
        if (next / 2 + 1 < CAPACITY_ATTEMPTS_MAX)
            add_curve(r, next);
    }
    place_apart(r, table, &capacity);
}

/* --- cases ----------------------------------------------------------------------------------- */

/* Own frames of 4 KB; larger pages share some, whose lines are enough for all of them. */
static const char *map_pages(struct reach_run *r, const struct setting *setting)
{
    uint64_t size = page_bytes(setting->of.page), most = list_most(&r->m->config->tlb.pages);
    struct window_request request = {.bytes = most * size,
                                     .page = setting->of.page,
                                     .seed = r->m->config->seed,
                                     .node = setting->node};
    if (request.page != PAGE_4K) {
        request.distinct = request.page == PAGE_2M ? SHARED_FRAMES : 1;
        return windows_get(&r->windows, &request, false, &r->pages);
    }
    /* In order they might be one entry's: AMD's TLB joins neighbours whose frames are, too. */
    request.frames = FRAMES_SHUFFLED;
    if (windows_get(&r->windows, &request, false, &r->pages) == NULL)
        return NULL;
    request.frames = FRAMES_ORDERED;
    return windows_get_largest(&r->windows, &request, size, false, &r->pages, NULL);
}

/* One large page, or where there is none, the first of the case's. */
static void map_dense(struct reach_run *r, const struct setting *setting)
{
    struct window_request request = {.bytes = page_bytes(PAGE_2M),
                                     .page = PAGE_2M,
                                     .seed = r->m->config->seed,
                                     .node = setting->node};
    if (windows_get(&r->windows, &request, false, &r->dense) != NULL)
        r->dense = r->pages;
}

static void map_apart(struct reach_run *r, const struct setting *setting)
{
    uint64_t size = page_bytes(setting->of.page);
    for (unsigned i = 0; i < FAR; i++) {
        struct window_request request = {.bytes = FAR_PAGES_MAX * size,
                                         .page = setting->of.page,
                                         .seed = r->m->config->seed,
                                         .node = setting->node,
                                         .distinct = size == PIECE_BYTES ? FAR_FRAMES : 1,
                                         .stride = UINT64_C(1) << far_apart[i].shift};
        r->apart[i] = NULL;
        if (request.stride <= size)
            continue;
        const char *reason = windows_get(&r->windows, &request, false, &r->apart[i]);
        if (reason == NULL)
            continue;
        r->apart[i] = NULL;
        measurement_add_value(r->m, r->of, CAPACITY_CHAIN, reason, 0)->bytes = distance(i);
    }
}

static const char *map(struct reach_run *r, const struct setting *setting)
{
    const char *reason = settings_refusal(r->m, setting);
    if (reason == NULL)
        reason = map_pages(r, setting);
    if (reason != NULL)
        return reason;
    map_dense(r, setting);
    map_apart(r, setting);
    return NULL;
}

static void set_task(struct reach_run *r)
{
    r->task = (struct task){
        .measurement = r->m,
        .rules = settings_rules(r->m->config),
        .seed = r->m->config->seed,
        .context = r,
        .visit = visit,
        .refine = refine,
        .has_states = true,
    };
    /* Its visits are long: a state that comes now and then is not waited for. */
    r->task.rules.takes_any_state = true;
    r->task.rules.visits_min = LEAST_VISITS;
    r->task.rules.visit_samples = VISIT;
    if (r->task.rules.samples_max > MOST_SAMPLES)
        r->task.rules.samples_max = MOST_SAMPLES;
}

static bool measure_setting(struct reach_run *r, struct setting *setting)
{
    name_copy(setting->of.pattern, CAPACITY_PATTERN);
    r->of = measurement_add_case(r->m, &setting->of, 0);
    const char *reason = map(r, setting);
    if (reason != NULL)
        measurement_skip(r->m, r->of, reason);
    set_task(r);
    if (reason == NULL)
        add_points(r);
    bool finished = engine_run(&r->task);
    windows_close(&r->windows);
    return finished;
}

bool reach_measure(struct measurement *m)
{
    const struct config_choices *pages = &m->config->pages;
    bool finished = true;
    run.m = m;
    random_seed(&run.random, m->config->seed);
    windows_init(&run.windows, m->platform);
    for (uint32_t page = 0; page < pages->count; page++)
        for (unsigned i = 0; finished && i < settings_count(m, CONFIG_NODE_LOCAL); i++) {
            struct setting setting = settings_get(m, CONFIG_NODE_LOCAL, pages->index[page], i);
            finished = measure_setting(&run, &setting);
        }
    return finished;
}

unsigned reach_tasks(const struct measurement *m)
{
    return m->config->pages.count * settings_count(m, CONFIG_NODE_LOCAL);
}

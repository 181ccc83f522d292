/* tlb_capacity: a chain through a line of each of N pages, built anew for each visit.
 *
 * Every line of a chain is another line of memory, and lines spread over all sets of the first
 * cache, so that N loads cost the caches what N lines side by side do; the rest is translation. No
 * line has two addresses: AMD's prediction of the way in the first cache would make that slower.
 */
#include "tlb_capacity.h"

#include "../../engine/edge.h"
#include "../../engine/engine.h"
#include "../../lib/random.h"
#include "../../lib/string.h"
#include "../../probe/chain_probe.h"
#include "../settings.h"
#include "../sweeps/core_clock.h"
#include "tlb_capacity_rule.h"

#define PIECE_BYTES page_bytes(PAGE_4K)
#define SHARED_FRAMES 16 /* of pages; few enough to be had, enough for few mappings under Linux */
#define LEAST_STEPS 512
#define PIECES (page_bytes(PAGE_2M) / PIECE_BYTES)
#define SOFT_GAP 64 /* part of N to which a soft end is placed */

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
static const uint8_t far_pages[] = {1,  2,  3,  4,  5,  6,  7,  8,  10,  12,  14, 16,
                                    20, 24, 32, 40, 48, 64, 80, 96, 112, 120, 128};
#define FAR_PAGES (sizeof far_pages)
#define FAR_PAGES_MAX (far_pages[FAR_PAGES - 1])

/* Measures one case at a time: pages 512 GB apart leave no addresses for several cases. */
struct capacity_run {
    struct measurement *m;
    struct task task;
    struct random random;
    uint32_t number; /* of the case */
    const struct window *pages, *dense;
    const struct window *apart[FAR]; /* NULL: could not be mapped */
    uint32_t *following, room; /* of the chain that is built: each page's next; how many at most */
    uint8_t *next;             /* the line that it is followed from */
    /* The search for each level's end in the whole core's rows, and in the shared core's. */
    struct edge edge[2][CAPACITY_LEVELS];
};

/* --- lines ----------------------------------------------------------------------------------- */

/* Returns the offset of page i's line: 64 neighbours differ, and so do pages that share a frame. By
 * 5, each line falls evenly into the sets of a cache, where these are three times a power of two in
 * number, too. */
static uint64_t line_in_piece(uint64_t i)
{
    return (i + 5 * (i / 64) + i / 4096) % 64 * LINE_BYTES;
}

/* Returns the bytes from one page to the next. */
static int64_t distance(unsigned far)
{
    return (int64_t)far_apart[far].every << far_apart[far].shift;
}

/* Kinds of points, kept as a point's `place`. */
enum kind { KIND_CHAIN, KIND_AGAIN, KIND_DENSE };

static const char *const metrics[] = {CAPACITY_CHAIN, CAPACITY_AGAIN, CAPACITY_DENSE};

static const struct window *window_of(const struct capacity_run *r, const struct point *point)
{
    if (point->place == KIND_DENSE)
        return r->dense;
    for (unsigned i = 0; i < FAR; i++)
        if (r->apart[i] != NULL && point->bytes == distance(i))
            return r->apart[i];
    return r->pages;
}

/* Returns a point's line i: one of a page, or one beside the last. */
static uint8_t *line_at(const struct window *window, const struct point *point, uint64_t i)
{
    if (point->place == KIND_DENSE)
        return window->base + i * LINE_BYTES;
    uint64_t piece = window->page == PAGE_4K ? 0 : i % PIECES;
    return window->base + i * (uint64_t)point->bytes + piece * PIECE_BYTES + line_in_piece(i);
}

/* --- visits ---------------------------------------------------------------------------------- */

/* Page by page, as they lie: in the chain's order each write would wait for a walk of its own. */
static void build_chain(struct capacity_run *r, const struct point *point)
{
    const struct window *window = window_of(r, point);
    uint32_t count = (uint32_t)point->n;
    random_cycle(&r->random, r->following, count);
    for (uint32_t i = 0; i < count; i++)
        *(uint8_t **)(void *)line_at(window, point, i) = line_at(window, point, r->following[i]);
    r->next = line_at(window, point, 0);
}

/* Takes samples after two rounds of the chain: each level then holds what it will hold. */
static void visit_pages(struct capacity_run *r, const struct point *point, struct samples *samples)
{
    struct platform *p = r->m->platform;
    uint32_t count = (uint32_t)point->n;
    struct page_chain_shape shape = {
        .lead = count < PAGE_CHAIN_LEAD_MAX ? count : PAGE_CHAIN_LEAD_MAX,
        .steps = (unsigned)point->k,
        .timing = {.order = ORDER_LFENCE, .rdtscp = r->m->processor->rdtscp}};
    p->publish_code(p, page_chain_emit(p->code.write, p->code.bytes, &shape));
    build_chain(r, point);
    for (uint32_t done = 0; done < 2 * count; done += shape.lead + shape.steps)
        p->run_code(p, (uint8_t *)&r->next);
    samples_run(samples, p, &r->next);
}

static void visit_capacity(void *context, const struct point *point, struct samples *samples)
{
    struct capacity_run *r = context;
    if (core_clock_is(point))
        core_clock_sample(r->m, point, samples);
    else
        visit_pages(r, point, samples);
}

/* --- points ---------------------------------------------------------------------------------- */

static struct point point_at_pages(const struct capacity_run *r, enum kind kind, int64_t n,
                                   int64_t bytes, uint64_t attempt)
{
    int64_t k = n > LEAST_STEPS ? n : LEAST_STEPS;
    return (struct point){.case_id = r->number,
                          .place = kind,
                          .n = n,
                          .k = k < PAGE_CHAIN_STEPS_MAX ? k : PAGE_CHAIN_STEPS_MAX,
                          .bytes = bytes,
                          .stage = ROW_NONE,
                          .attempt = (uint32_t)attempt,
                          .metric = metrics[kind]};
}

static void add_one(struct capacity_run *r, enum kind kind, int64_t n, int64_t bytes,
                    uint64_t attempt)
{
    struct point point = point_at_pages(r, kind, n, bytes, attempt);
    task_add(&r->task, &r->task.points, &point);
}

/* Adds N pages, and N dense lines for the caches' part of the time. */
static void add_pair(struct capacity_run *r, int64_t n, uint64_t attempt)
{
    add_one(r, KIND_CHAIN, n, (int64_t)r->pages->stride, attempt);
    add_one(r, KIND_DENSE, n, ROW_NONE, attempt);
}

static void add_curve(struct capacity_run *r, uint64_t attempt)
{
    const struct config_list *n = &r->m->config->tlb.pages;
    for (uint32_t i = 0; i < n->count; i++)
        if (n->value[i] <= r->pages->bytes / r->pages->stride)
            add_pair(r, (int64_t)n->value[i], attempt);
}

static void add_points(struct capacity_run *r)
{
    int64_t most = (int64_t)(r->pages->bytes / r->pages->stride);
    struct point reference = point_at_pages(
        r, KIND_CHAIN, most < FAR_PAGES_MAX ? most : FAR_PAGES_MAX, (int64_t)r->pages->stride, 0);
    struct point addition = {
        .case_id = r->number, .bytes = ROW_NONE, .metric = CORE_CLOCK, .needs = POINT_SCALE};
    core_clock_add(&r->task, addition);
    add_curve(r, 0);
    unsigned step = r->m->is_emulated ? FAR_PAGES / 3 : 1;
    for (unsigned i = 0; i < FAR; i++)
        for (unsigned j = 0; r->apart[i] != NULL && j < FAR_PAGES; j += step)
            if (far_pages[j] <= list_most(&r->m->config->tlb.pages) &&
                far_pages[j] * far_apart[i].every <= FAR_PAGES_MAX)
                add_one(r, KIND_CHAIN, far_pages[j], distance(i), 0);
    task_add(&r->task, &r->task.references, &reference);
}

/* --- refinement ------------------------------------------------------------------------------ */

static struct edge_bracket bracket_of_level(const struct table *table,
                                            const struct capacity *capacity, unsigned i)
{
    const struct capacity_level *level = &capacity->level[i];
    return (struct edge_bracket){.low = level->last_low,
                                 .high = level->first_high,
                                 .resolution =
                                     capacity_is_hard(level) ? 1 : level->last_low / SOFT_GAP + 1,
                                 .attempt = capacity->attempt,
                                 .later = capacity_later(table, capacity, i)};
}

/* Narrows a level's bracket, then looks at its ends again. True: measure the curve anew. */
static bool refine_level(struct capacity_run *r, const struct table *table,
                         const struct capacity *capacity, unsigned i)
{
    const struct capacity_level *level = &capacity->level[i];
    if (!level->found || level->first_high > capacity->largest)
        return false;
    struct edge_bracket b = bracket_of_level(table, capacity, i);
    struct edge_step step = edge_refine(&r->edge[table->variant->shared][i], &b);
    for (unsigned j = 0; j < step.count; j++)
        add_pair(r, step.at[j], b.attempt);
    if (step.next == EDGE_GO_ON && step.count == 0) {
        add_one(r, KIND_AGAIN, b.low, (int64_t)r->pages->stride, b.attempt);
        add_one(r, KIND_AGAIN, b.high, (int64_t)r->pages->stride, b.attempt);
    }
    return step.next == EDGE_START_OVER;
}

/* Adds every N between if pages far apart leave a level early. */
static void refine_apart(struct capacity_run *r, const struct table *table,
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
                add_one(r, KIND_CHAIN, n, bytes, 0);
            done = low;
        }
    }
}

/* Refines the levels. One whose end moved waits for the others: all are of one curve. */
static void refine_case(void *context, uint32_t number, const struct table *table)
{
    struct capacity_run *r = context;
    struct capacity capacity;
    if (number != r->number || r->m->is_emulated)
        return;
    capacity_find(table, &capacity);
    uint32_t before = r->task.points.count;
    bool starts_over = false;
    for (unsigned i = 0; i < CAPACITY_LEVELS; i++)
        starts_over |= refine_level(r, table, &capacity, i);
    if (starts_over && r->task.points.count == before)
        add_curve(r, capacity.attempt + 1);
    refine_apart(r, table, &capacity);
}

/* --- cases ----------------------------------------------------------------------------------- */

/* Maps 4 KB pages with frames of their own; larger pages share some, with lines enough for all. */
static const char *map_pages(struct capacity_run *r, const struct setting *setting)
{
    uint64_t size = page_bytes(setting->variant.page), most = list_most(&r->m->config->tlb.pages);
    struct window_request request = settings_window(r->m, setting, most * size);
    if (request.page != PAGE_4K) {
        request.distinct = request.page == PAGE_2M ? SHARED_FRAMES : 1;
        return windows_get(r->m, &request, false, &r->pages);
    }
    /* In order they might be one entry's: AMD's TLB joins neighbours whose frames are, too. */
    request.frames = FRAMES_SHUFFLED;
    if (windows_get(r->m, &request, false, &r->pages) == NULL)
        return NULL;
    request.frames = FRAMES_ORDERED;
    return windows_get_largest(r->m, &request, size, false, &r->pages, NULL);
}

/* Maps one 2 MB page for dense lines; without one, the lines lie in the case's first pages. */
static void map_dense(struct capacity_run *r, const struct setting *setting)
{
    struct window_request request = settings_window(r->m, setting, page_bytes(PAGE_2M));
    request.page = PAGE_2M;
    if (windows_get(r->m, &request, false, &r->dense) != NULL)
        r->dense = r->pages;
}

static void map_apart(struct capacity_run *r, const struct setting *setting)
{
    uint64_t size = page_bytes(setting->variant.page);
    for (unsigned i = 0; i < FAR; i++) {
        struct window_request request = settings_window(r->m, setting, FAR_PAGES_MAX * size);
        request.distinct = size == PIECE_BYTES ? SHARED_FRAMES : 1;
        request.stride = UINT64_C(1) << far_apart[i].shift;
        r->apart[i] = NULL;
        if (request.stride <= size)
            continue;
        const char *reason = windows_get(r->m, &request, false, &r->apart[i]);
        if (reason == NULL)
            continue;
        r->apart[i] = NULL;
        measurement_add_value(r->m, r->number, CAPACITY_CHAIN, reason, 0)->bytes = distance(i);
    }
}

static const char *map_case(struct capacity_run *r, const struct setting *setting)
{
    const char *reason = settings_refusal(r->m, setting) ?: map_pages(r, setting);
    if (reason != NULL)
        return reason;
    map_dense(r, setting);
    map_apart(r, setting);
    return NULL;
}

static void set_capacity_task(struct capacity_run *r)
{
    r->task = settings_task(r->m, r, visit_capacity);
    r->task.refine = refine_case;
    r->task.contention = CONTENTION_APART_ONE;
    settings_expect_scatter(&r->task.rules);
}

static bool measure_setting(struct capacity_run *r, struct setting *setting)
{
    name_copy(setting->variant.pattern, CAPACITY_PATTERN);
    r->number = measurement_add_case(r->m, &setting->variant, 0);
    memset(r->edge, 0, sizeof r->edge);
    const char *reason = map_case(r, setting);
    if (reason != NULL)
        measurement_skip(r->m, r->number, reason);
    set_capacity_task(r);
    if (reason == NULL)
        add_points(r);
    return engine_run(&r->task);
}

bool capacity_measure(struct measurement *m)
{
    struct capacity_run run = {.m = m};
    struct settings all = {.m = m, .nodes = CONFIG_NODE_LOCAL};
    struct setting setting;
    bool finished =
        measurement_grow(m, (void **)&run.following, &run.room,
                         (uint32_t)list_most(&m->config->tlb.pages), sizeof *run.following);
    random_seed(&run.random, m->config->seed);
    while (finished && settings_next(&all, &setting))
        finished = measure_setting(&run, &setting);
    platform_release(m->platform, run.following, run.room * sizeof *run.following);
    return finished;
}

unsigned capacity_tasks(const struct measurement *m)
{
    return m->config->pages.count * settings_count(m, CONFIG_NODE_LOCAL);
}

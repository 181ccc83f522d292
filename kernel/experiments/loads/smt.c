/* smt: fillers, loads and arrays, each with the sibling asleep, on NOPs, and loading from memory.
 *
 * All three of a kind are in the same rounds, so that they meet the same drift: rounds order the
 * sibling anew for each slice. The engine's sentinel only labels the visits: a case's sibling is to
 * be what its name says, and the rule compares.
 */
#include "smt_rule.h"

#include "../experiment.h"
#include "../sweeps/cache_levels.h"
#include "../sweeps/chains.h"
#include "../sweeps/loads.h"

#define SMALL_K 96               /* half of a small structure: up to there K is twice as dense, */
#define EVERY 2                  /* and beyond so much thinner; refining places the jump */
#define LARGEST_CHAIN (16 << 20) /* three times any second-level cache, and more */
#define WALKED_LINES 65536       /* before each visit, of the cycle: more than such a cache has */
#define SIZES_MAX 64
#define SAMPLES_MAX 400u
#define PRECISION 0.01

#define WORKS (SIBLING_WORKS - SIBLING_IDLE)
static const unsigned step_counts[] = {32, 288}; /* as in array */

/* The arrays' part. */
struct smt_chains {
    struct measurement *m;
    struct task task;
    struct windows windows;
    const struct window *window;
    struct chains chains;
    uint32_t first; /* number of the first case */
    uint32_t sizes;
};

/* Sets limits for counts and capacities: three cases of each need no finer times. */
static void set_limits(struct task *task)
{
    struct rounds_rules *rules = &task->rules;
    rules->samples_max = rules->samples_max < SAMPLES_MAX ? rules->samples_max : SAMPLES_MAX;
    rules->samples_min = rules->samples_min < SAMPLES_MAX ? rules->samples_min : SAMPLES_MAX;
    rules->precision = rules->precision > PRECISION ? rules->precision : PRECISION;
    task->contention = CONTENTION_LABELLED;
}

/* --- loads ------------------------------------------------------------------------------------ */

/* Adds K of a list with N = 2. */
static void add_beside(struct loads *l, const struct loads_case *c, const struct config_list *k)
{
    for (uint32_t i = 0; c != NULL && i < k->count; i++) {
        bool is_small = k->value[i] < SMALL_K;
        if (is_small || i % EVERY == 0)
            loads_add_point(l, c, 2, k->value[i]);
        uint64_t next = i + 1 < k->count ? k->value[i + 1] : k->value[i];
        uint64_t between = (k->value[i] + next) / 2;
        if (is_small && !list_has(k, between))
            loads_add_point(l, c, 2, between);
    }
}

/* Adds the published rule's row and column of loads and NOPs. */
static void add_table(struct loads *l, enum sibling_work work)
{
    const struct config *config = l->m->config;
    const struct config_list *n = &config->mlp.loads;
    struct setting setting = settings_get(l->m, CONFIG_NODE_LOCAL, PAGE_4K, 0);
    setting.variant.tlb = TLB_WARM;
    setting.variant.sibling = work;
    struct load_conditions conditions =
        settings_loads(l->m, &setting, loads_most(&setting, list_most(n)));
    struct loads_case *c = loads_add_case(l, &setting, &conditions, l->nops);
    if (c == NULL)
        return;
    loads_find_limits(l, c);
    for (uint32_t i = 0; i < n->count; i++)
        if (n->value[i] != 2) /* it is of the curve */
            loads_add_point(l, c, n->value[i], l->least_k);
    add_beside(l, c, &config->mlp.fillers);
}

static bool measure_loads(struct measurement *m)
{
    struct loads loads;
    loads_start(&loads, m, true);
    for (unsigned filler = 0; filler < FILLER_KINDS; filler++)
        for (enum sibling_work work = SIBLING_IDLE; work < SIBLING_WORKS; work++)
            add_beside(&loads, loads_add_filler(&loads, (enum filler)filler, work),
                       &m->config->structures.fillers);
    for (enum sibling_work work = SIBLING_IDLE; work < SIBLING_WORKS; work++)
        add_table(&loads, work);
    set_limits(&loads.task);
    return loads_measure(&loads);
}

/* --- arrays ----------------------------------------------------------------------------------- */

static const char *open_size(void *context, const struct point *point)
{
    struct smt_chains *s = context;
    chains_start(&s->chains, s->window->base, (uint64_t)point->bytes);
    return NULL;
}

static bool prepare_size(void *context, uint64_t end)
{
    struct smt_chains *s = context;
    return chains_prepare(&s->chains, end);
}

/* Walks through lines first: the caches hold what other work of the sibling left. */
static void visit_chain(void *context, const struct point *point, struct samples *samples)
{
    struct smt_chains *s = context;
    chains_walk(&s->chains, WALKED_LINES);
    chains_sample(&s->chains, (unsigned)point->n, (unsigned)point->k, samples);
}

static bool has_size(const struct smt_chains *s, int64_t bytes)
{
    for (uint32_t i = 0; i < s->task.points.count; i++)
        if (s->task.points.at[i].bytes == bytes)
            return true;
    return false;
}

/* Adds a size with each work of the sibling, in one group: they share the lines. */
static void add_thread_size(struct smt_chains *s, uint64_t bytes)
{
    struct point point = {.group = s->sizes,
                          .n = 1,
                          .bytes = (int64_t)(bytes / CYCLE_LINE_BYTES * CYCLE_LINE_BYTES),
                          .stage = ROW_NONE};
    if (point.bytes == 0 || s->sizes == SIZES_MAX || has_size(s, point.bytes))
        return;
    s->sizes++;
    for (unsigned i = 0; i < WORKS; i++)
        for (unsigned j = 0; j < sizeof step_counts / sizeof *step_counts; j++) {
            point.case_id = s->first + i;
            point.k = step_counts[j];
            task_add(&s->task, &s->task.points, &point);
        }
}

static void refine_thread_sizes(void *context, uint32_t number, const struct table *table,
                                uint32_t added)
{
    struct smt_chains *s = context;
    uint64_t bytes[CHAINS_BETWEEN];
    (void)added;
    if (number < s->first || s->m->is_emulated)
        return;
    unsigned count = chains_next_sizes(table, bytes);
    for (unsigned i = 0; i < count; i++)
        add_thread_size(s, bytes[i]);
}

/* Maps the first page size that is available. Returns NULL, or why no size is. */
static const char *map_thread_arrays(struct smt_chains *s, struct setting *setting)
{
    const struct config_choices *pages = &s->m->config->pages;
    const char *reason = NULL;
    for (uint32_t i = 0; i < pages->count && s->window == NULL; i++) {
        *setting = settings_get(s->m, CONFIG_NODE_LOCAL, pages->index[i], 0);
        struct window_request request = settings_window(s->m, setting, LARGEST_CHAIN);
        reason =
            settings_refusal(s->m, setting) ?: windows_get(&s->windows, &request, true, &s->window);
        if (reason != NULL)
            s->window = NULL;
    }
    return reason;
}

static void add_thread_chains(struct smt_chains *s)
{
    struct setting setting;
    const char *reason = map_thread_arrays(s, &setting);
    const struct config_list *sizes = &s->m->config->array.bytes;
    s->first = s->m->case_count;
    name_copy(setting.variant.pattern, CACHE_LEVELS_CHAIN);
    for (enum sibling_work work = SIBLING_IDLE; work < SIBLING_WORKS; work++) {
        setting.variant.sibling = work;
        uint32_t number = measurement_add_case(s->m, &setting.variant, 0);
        if (s->window == NULL)
            measurement_skip(s->m, number, reason);
    }
    for (uint32_t i = 0; s->window != NULL && i < sizes->count; i++)
        if (sizes->value[i] <= LARGEST_CHAIN)
            add_thread_size(s, sizes->value[i]);
}

static bool measure_chains(struct measurement *m)
{
    struct smt_chains s = {.m = m,
                           .chains = {.platform = m->platform, .rdtscp = m->processor->rdtscp}};
    s.task = settings_task(m, &s, visit_chain);
    s.task.open = open_size;
    s.task.prepare = prepare_size;
    s.task.refine = refine_thread_sizes;
    set_limits(&s.task);
    windows_init(&s.windows, m->platform);
    add_thread_chains(&s);
    bool finished = engine_run(&s.task);
    windows_close(&s.windows);
    return finished;
}

/* Adds in how many visits the sibling read something: one that hangs, or has finished, is none. */
static void add_reading(struct measurement *m)
{
    for (uint32_t i = 0; i < m->case_count; i++) {
        const struct measured_case *c = measurement_case(m, i);
        if (c->beside > 0)
            measurement_add_value(m, i, SMT_READING, "%", 100.0 * c->beside_reading / c->beside);
    }
}

static const char *start_sibling(const struct measurement *m, uint64_t bytes)
{
    struct generators_request request = {.are_siblings = true, .bytes = bytes, .node = NODE_ANY};
    unsigned started;
    if (m->platform->start_generators == NULL)
        return "this processor has no other threads that could be started";
    return m->platform->start_generators(m->platform, &request, &started);
}

static bool measure_smt(struct measurement *m)
{
    struct variant nobody = {.pattern = SMT_NOBODY};
    const char *reason = start_sibling(m, m->config->mlp.bytes);
    if (reason != NULL) {
        measurement_skip(m, measurement_add_case(m, &nobody, 0), reason);
        return m->failure == NULL;
    }
    m->tasks = 2;
    bool finished = measure_loads(m) && measure_chains(m);
    m->platform->stop_generators(m->platform);
    add_reading(m);
    return finished && m->failure == NULL;
}

/* Estimates the time: three times that of structures and mlp, and chains. Starts a sibling only to
 * see if there is one, without an array, which it would write from end to end. */
static double seconds(const struct measurement *m, unsigned pages)
{
    (void)pages;
    if (start_sibling(m, 0) != NULL)
        return 0;
    m->platform->stop_generators(m->platform);
    return loads_seconds(6);
}

const struct experiment experiment_smt = {
    .name = "smt",
    .shows = "the structures that two threads of a core share: whole, halved or competitive",
    .measure = measure_smt,
    .seconds = seconds,
    .rule = &rule_smt,
};

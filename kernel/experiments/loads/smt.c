/* smt: fillers, loads and arrays, each with the sibling asleep, on NOPs, and loading from memory.
 *
 * All three of a kind are in the same rounds, so that they meet the same drift: rounds order the
 * sibling anew for each slice. The engine's sentinel only labels the visits: a case's sibling is to
 * be what its name says, and the rule compares.
 */
#include "smt_rule.h"

#include "../caches/array_rule.h"
#include "../experiment.h"
#include "../sweeps/chains.h"
#include "../sweeps/loads.h"

#define SMALL_K 96               /* half of a small structure: up to there K is twice as dense, */
#define EVERY 2                  /* and beyond so much thinner; refining places the jump */
#define LARGEST_CHAIN (16 << 20) /* three times any second-level cache, and more */
#define WALKED_LINES 65536       /* before each visit, of the cycle: more than such a cache has */
#define REFINE_SIZES 3           /* between two, in quarters of the way */
#define SIZES_MAX 64
#define SAMPLES_MAX 400u
#define PRECISION 0.01
#define CASES_MAX 64

#define WORKS (SIBLING_WORKS - SIBLING_IDLE)
static const unsigned step_counts[] = {32, 288}; /* as in array */

_Static_assert(WORKS *(FILLER_KINDS + 2) <= CASES_MAX, "each case has its visits counted");

/* The one there is. */
static struct smt {
    struct measurement *m;
    /* The visit of the task under way, */
    void (*visit)(void *context, const struct point *point, struct samples *samples);
    /* and how often the sibling read something in it, by case. */
    struct {
        uint32_t all, reading;
    } seen[CASES_MAX];

    struct task task; /* of the arrays */
    struct windows windows;
    const struct window *window;
    struct chains chains;
    uint32_t first_chain; /* number of the first case */
    int64_t size[SIZES_MAX];
    uint32_t sizes;
} smt;

/* A sibling that hangs, or has finished, is none. */
static void visit_and_look(void *context, const struct point *point, struct samples *samples)
{
    struct platform *p = smt.m->platform;
    if (measurement_case(smt.m, point->of)->of.sibling != SIBLING_LOADING) {
        smt.visit(context, point, samples);
        return;
    }
    uint64_t before = p->generated(p);
    smt.visit(context, point, samples);
    smt.seen[point->of].all++;
    smt.seen[point->of].reading += p->generated(p) > before;
}

/* Counts and capacities: three cases of each need no finer times. */
static void set_up(struct task *task)
{
    struct rounds_rules *rules = &task->rules;
    rules->samples_max = rules->samples_max < SAMPLES_MAX ? rules->samples_max : SAMPLES_MAX;
    rules->samples_min = rules->samples_min < SAMPLES_MAX ? rules->samples_min : SAMPLES_MAX;
    rules->precision = rules->precision > PRECISION ? rules->precision : PRECISION;
    smt.visit = task->visit;
    task->visit = visit_and_look;
    task->contention = CONTENTION_LABELLED;
}

static bool has_value(const struct config_list *list, uint64_t value)
{
    for (uint32_t i = 0; i < list->count; i++)
        if (list->value[i] == value)
            return true;
    return false;
}

/* K of a list with N = 2. */
static void add_curve(struct loads *l, uint32_t of, const struct config_list *k)
{
    for (uint32_t i = 0; i < k->count; i++) {
        bool is_small = k->value[i] < SMALL_K;
        if (is_small || i % EVERY == 0)
            loads_add_point(l, of, 2, k->value[i]);
        uint64_t next = i + 1 < k->count ? k->value[i + 1] : k->value[i];
        uint64_t between = (k->value[i] + next) / 2;
        if (is_small && !has_value(k, between))
            loads_add_point(l, of, 2, between);
    }
}

static void add_filler(struct loads *l, enum filler filler, enum sibling_work work)
{
    const struct config *config = l->m->config;
    struct setting setting = {.of = {.sibling = work}, .node = NODE_ANY};
    struct load_conditions conditions = {
        .bytes = config->mlp.bytes,
        .loads = 2,
        .page = PAGE_4K,
        .tlb = TLB_WARM,
        .seed = config->seed,
    };
    bool can_be_had;
    name_copy(setting.of.pattern, filler_table[filler].name);
    uint32_t of = loads_add_case(l, &setting, &conditions, filler, &can_be_had);
    if (can_be_had)
        add_curve(l, of, &config->structures.fillers);
}

/* The published rule's row and column of loads and NOPs. */
static void add_table(struct loads *l, enum sibling_work work)
{
    const struct config *config = l->m->config;
    const struct config_list *n = &config->mlp.loads;
    struct setting setting = settings_get(l->m, CONFIG_NODE_LOCAL, PAGE_4K, 0);
    struct load_conditions conditions = {
        .bytes = config->mlp.bytes,
        .loads = loads_most(&setting, TLB_WARM, (unsigned)list_most(n)),
        .page = PAGE_4K,
        .tlb = TLB_WARM,
        .seed = config->seed,
    };
    bool can_be_had;
    setting.of.tlb = TLB_WARM;
    setting.of.sibling = work;
    uint32_t of = loads_add_case(l, &setting, &conditions, FILLER_NOP, &can_be_had);
    if (!can_be_had)
        return;
    for (uint32_t i = 0; i < n->count; i++)
        if (n->value[i] != 2) /* it is of the curve */
            loads_add_point(l, of, n->value[i], l->least_k);
    add_curve(l, of, &config->mlp.fillers);
    loads_extend(l, of, n);
}

static bool measure_loads(struct measurement *m)
{
    struct loads *loads = loads_start(m, true);
    for (unsigned filler = 0; filler < FILLER_KINDS; filler++)
        for (enum sibling_work work = SIBLING_IDLE; work < SIBLING_WORKS; work++)
            add_filler(loads, (enum filler)filler, work);
    loads->is_table = true;
    for (enum sibling_work work = SIBLING_IDLE; work < SIBLING_WORKS; work++)
        add_table(loads, work);
    set_up(&loads->task);
    return loads_measure(loads);
}

static const char *open_size(void *context, const struct point *point)
{
    (void)context;
    chains_start(&smt.chains, smt.window->base, (uint64_t)point->bytes);
    return NULL;
}

static bool prepare(void *context, uint64_t end)
{
    (void)context;
    return chains_prepare(&smt.chains, end);
}

/* What the caches hold was left by a sibling with other work. */
static void visit_chain(void *context, const struct point *point, struct samples *samples)
{
    (void)context;
    chains_walk(&smt.chains, WALKED_LINES);
    chains_sample(&smt.chains, (unsigned)point->n, (unsigned)point->k, samples);
}

static bool has_size(int64_t bytes)
{
    for (uint32_t i = 0; i < smt.sizes; i++)
        if (smt.size[i] == bytes)
            return true;
    return false;
}

/* With each work of the sibling, in one group: they share the lines. */
static void add_size(uint64_t bytes)
{
    struct point point = {.group = smt.sizes,
                          .n = 1,
                          .bytes = (int64_t)(bytes / CYCLE_LINE_BYTES * CYCLE_LINE_BYTES),
                          .stage = ROW_NONE};
    if (point.bytes == 0 || smt.sizes == SIZES_MAX || has_size(point.bytes))
        return;
    smt.size[smt.sizes++] = point.bytes;
    for (unsigned i = 0; i < WORKS; i++)
        for (unsigned j = 0; j < sizeof step_counts / sizeof *step_counts; j++) {
            point.of = smt.first_chain + i;
            point.k = step_counts[j];
            task_add(&smt.task, &smt.task.points, &point);
        }
}

static void refine(void *context, uint32_t of, const struct table *table, uint32_t added)
{
    struct array_gap gap;
    (void)context;
    (void)added;
    if (of < smt.first_chain || smt.m->is_emulated || !array_next_gap(table, &gap))
        return;
    for (unsigned i = 1; i <= REFINE_SIZES; i++)
        add_size(gap.low + (gap.high - gap.low) * i / (REFINE_SIZES + 1));
}

/* The first page size that can be had. NULL, or why there is none. */
static const char *map_array(struct setting *setting)
{
    const struct config *config = smt.m->config;
    const struct window *window;
    const char *reason = NULL;
    for (uint32_t i = 0; i < config->pages.count && smt.window == NULL; i++) {
        *setting = settings_get(smt.m, CONFIG_NODE_LOCAL, config->pages.index[i], 0);
        struct window_request request = {.bytes = LARGEST_CHAIN,
                                         .page = setting->of.page,
                                         .seed = config->seed,
                                         .node = setting->node};
        reason = settings_refusal(smt.m, setting);
        if (reason == NULL)
            reason = windows_get(&smt.windows, &request, true, &window);
        if (reason == NULL)
            smt.window = window;
    }
    return reason;
}

static void add_chains(struct measurement *m)
{
    struct setting setting;
    const char *reason = map_array(&setting);
    const struct config_list *sizes = &m->config->array.bytes;
    smt.first_chain = m->case_count;
    name_copy(setting.of.pattern, SMT_CHAIN);
    for (enum sibling_work work = SIBLING_IDLE; work < SIBLING_WORKS; work++) {
        setting.of.sibling = work;
        uint32_t of = measurement_add_case(m, &setting.of, 0);
        if (smt.window == NULL)
            measurement_skip(m, of, reason);
    }
    for (uint32_t i = 0; smt.window != NULL && i < sizes->count; i++)
        if (sizes->value[i] <= LARGEST_CHAIN)
            add_size(sizes->value[i]);
}

static bool measure_chains(struct measurement *m)
{
    smt.chains = (struct chains){.platform = m->platform, .rdtscp = m->processor->rdtscp};
    smt.task = (struct task){
        .measurement = m,
        .rules = settings_rules(m->config),
        .seed = m->config->seed,
        .context = &smt,
        .visit = visit_chain,
        .open = open_size,
        .prepare = prepare,
        .refine = refine,
    };
    set_up(&smt.task);
    windows_init(&smt.windows, m->platform);
    add_chains(m);
    bool finished = engine_run(&smt.task);
    windows_close(&smt.windows);
    return finished;
}

static void add_looks(struct measurement *m)
{
    for (uint32_t of = 0; of < m->case_count && of < CASES_MAX; of++)
        if (smt.seen[of].all > 0)
            measurement_add_value(m, of, SMT_READING, "%",
                                  100.0 * smt.seen[of].reading / smt.seen[of].all);
}

static const char *start_sibling(const struct measurement *m, uint64_t bytes)
{
    struct generators_request request = {.are_siblings = true, .bytes = bytes, .node = NODE_ANY};
    unsigned started;
    if (m->platform->start_generators == NULL)
        return "this processor has no other threads that could be started";
    return m->platform->start_generators(m->platform, &request, &started);
}

static bool measure(struct measurement *m)
{
    struct variant nobody = {.pattern = SMT_NOBODY};
    smt = (struct smt){.m = m};
    const char *reason = start_sibling(m, m->config->mlp.bytes);
    if (reason != NULL) {
        measurement_skip(m, measurement_add_case(m, &nobody, 0), reason);
        return m->failure == NULL;
    }
    m->tasks = 2;
    bool finished = measure_loads(m) && measure_chains(m);
    m->platform->stop_generators(m->platform);
    add_looks(m);
    return finished && m->failure == NULL;
}

/* Three times what structures and mlp take, and chains. Whether there is a sibling at all needs no
 * array of its, which it would write from end to end. */
static double seconds(const struct measurement *m, unsigned pages)
{
    (void)pages;
    if (start_sibling(m, 0) != NULL)
        return 0;
    m->platform->stop_generators(m->platform);
    return 6;
}

const struct experiment experiment_smt = {
    .name = "smt",
    .shows = "what two threads of a core share: each structure whole, halved or competitive",
    .measure = measure,
    .seconds = seconds,
    .rule = &rule_smt,
};

/* loads: from points to probes; coarse first, then fine where the jump is. */
#include "loads.h"

#include "../cpu/hypervisor.h"
#include "../engine/counted.h"
#include "loads_rule.h"

#define REFINE_POINTS 15 /* between two values of K: the gap shrinks sixteen times a round */
#define REFINED_MAX 128  /* points of a case */
#define COMPARED_AWAY 32 /* part of K that long NOPs are away from the jump */

static struct mlp_shape shape_of(const struct loads *l, const struct point *point)
{
    const struct loads_case *c = &l->cases[point->of];
    return (struct mlp_shape){
        .loads = (unsigned)point->n,
        .fillers = (unsigned)point->k,
        .filler = point->metric != NULL ? FILLER_LONG_NOP : c->filler,
        .dependent = c->dependent,
        .timing = {.order = c->order, .rdtscp = l->m->processor->rdtscp},
    };
}

static void visit(void *context, const struct point *point, struct samples *samples)
{
    struct loads *l = context;
    struct mlp_shape shape = shape_of(l, point);
    shape.timing.counting = samples->counting;
    load_sampler_visit(&l->cases[point->of].sampler, &shape, samples->at, samples->count);
}

/* Up to REFINE_POINTS values of K strictly between two, evenly spread. */
static void add_between(struct loads *l, uint32_t of, int64_t low, int64_t high)
{
    int64_t step = (high - low) / (REFINE_POINTS + 1);
    if (step < 1)
        step = 1;
    int64_t k = low + step;
    for (unsigned i = 0; k < high && i < REFINE_POINTS; i++, k += step)
        loads_add_point(l, of, 2, (uint64_t)k);
}

/* No jump so far: as far again, up to what a probe has room for. */
static void add_beyond(struct loads *l, uint32_t of, const struct table *table)
{
    int64_t most = 0;
    for (size_t i = 0; i < table->count; i++)
        if (table->rows[i].n == 2 && table->rows[i].k > most)
            most = table->rows[i].k;
    int64_t end = 2 * most < PROBE_FILLERS_MAX ? 2 * most : PROBE_FILLERS_MAX;
    if (most < end) {
        add_between(l, of, most, end);
        loads_add_point(l, of, 2, (uint64_t)end);
    }
}

static void add_long_nops(struct loads *l, uint32_t of, int64_t k)
{
    struct point point = {
        .of = of, .n = 2, .k = k, .bytes = ROW_NONE, .stage = ROW_NONE, .metric = LOADS_LONG_NOPS};
    if (k > 0 && k <= PROBE_FILLERS_MAX)
        task_add(&l->task, &l->task.points, &point);
}

/* A little before the jump and a little beyond it, once for each state of the core. */
static void compare_nops(struct loads *l, uint32_t of, const struct table *table,
                         const struct cliff *cliff)
{
    bool *is_compared = &l->cases[of].is_compared[table->of->shared];
    int64_t away = cliff->first_high / COMPARED_AWAY + 1;
    if (!l->compares_nops || *is_compared)
        return;
    *is_compared = true;
    for (int64_t i = 1; i <= 2; i++) {
        add_long_nops(l, of, cliff->last_low - i * away);
        add_long_nops(l, of, cliff->first_high + i * away);
    }
}

/* Places the jump of N = 2: samples where they pay. */
static void refine(void *context, uint32_t of, const struct table *table, uint32_t added)
{
    struct loads *l = context;
    struct cliff cliff;
    if (l->cases[of].dependent || added + REFINE_POINTS + 1 > REFINED_MAX)
        return;
    loads_locate(table, &cliff);
    if (cliff.answer == CLIFF_NONE && !hypervisor_emulates(l->m->processor))
        add_beyond(l, of, table);
    else if (cliff.answer == CLIFF_FOUND && cliff.first_high - cliff.last_low > 1)
        add_between(l, of, cliff.last_low, cliff.first_high);
    else if (cliff.answer == CLIFF_FOUND)
        compare_nops(l, of, table, &cliff);
}

struct loads *loads_start(struct measurement *m, bool refines)
{
    static struct loads loads;
    struct loads *l = &loads;
    l->m = m;
    l->task = (struct task){
        .measurement = m,
        .rules = settings_rules(m->config),
        .seed = m->config->seed,
        .context = l,
        .visit = visit,
        .refine = refines ? refine : NULL,
        .has_states = true,
    };
    l->cases = NULL;
    l->room = 0;
    l->compares_nops = false;
    windows_init(&l->windows, m->platform);
    return l;
}

/* Nothing writes to it, so that cases may share frames, too. */
static const char *find_window(struct loads *l, const struct load_conditions *conditions,
                               uint32_t node, const struct window **window)
{
    struct window_request request = {
        .bytes = load_conditions_bytes(conditions),
        .page = conditions->page,
        .frames = conditions->frames,
        .seed = conditions->seed,
        .node = node,
    };
    const char *reason = load_conditions_refusal(l->m->platform, conditions);
    return reason != NULL ? reason : windows_get(&l->windows, &request, true, window);
}

uint32_t loads_add_case(struct loads *l, const struct setting *setting,
                        const struct load_conditions *conditions, enum filler filler,
                        bool *can_be_had)
{
    struct measurement *m = l->m;
    const struct window *window = NULL;
    uint32_t of = measurement_add_case(m, &setting->of);
    *can_be_had = false;
    if (m->failure != NULL ||
        !measurement_make_room(m, (void **)&l->cases, &l->room, of, sizeof *l->cases))
        return of;
    const char *reason = setting->refusal;
    if (reason == NULL)
        reason = find_window(l, conditions, setting->node, &window);
    *can_be_had = reason == NULL;
    if (reason != NULL) {
        measurement_skip(m, of, reason);
        return of;
    }
    struct loads_case *c = &l->cases[of];
    load_sampler_init(&c->sampler, m->platform, conditions, window);
    c->filler = filler;
    c->order = setting->of.order;
    c->dependent = setting->of.dependent;
    c->is_compared[0] = c->is_compared[1] = false;
    return of;
}

static void add_point(struct loads *l, struct points *to, uint32_t of, uint64_t n, uint64_t k)
{
    struct point point = {
        .of = of, .n = (int64_t)n, .k = (int64_t)k, .bytes = ROW_NONE, .stage = ROW_NONE};
    task_add(&l->task, to, &point);
}

void loads_add_point(struct loads *l, uint32_t of, uint64_t n, uint64_t k)
{
    add_point(l, &l->task.points, of, n, k);
}

/* Without loads, which is what reading the counters costs, then what the table says at its edges.
 */
void loads_add_table(struct loads *l, uint32_t of, const struct config_list *n, const uint64_t *k,
                     uint32_t k_count)
{
    uint64_t least = UINT64_MAX;
    for (uint32_t j = 0; j < k_count; j++)
        least = k[j] < least ? k[j] : least;
    add_point(l, &l->task.counted, of, 0, least);
    for (uint32_t i = 0; i < n->count; i++)
        for (uint32_t j = 0; j < k_count; j++) {
            loads_add_point(l, of, n->value[i], k[j]);
            if (k[j] == least || n->value[i] == 2)
                add_point(l, &l->task.counted, of, n->value[i], k[j]);
        }
    add_point(l, &l->task.levels, of, list_most(n), least);
}

bool loads_measure(struct loads *l)
{
    bool finished = engine_run(&l->task);
    windows_close(&l->windows);
    platform_release(l->m->platform, l->cases, l->room * sizeof *l->cases);
    return finished;
}

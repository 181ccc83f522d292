/* loads: from points to probes; coarse first, then fine where the jump is. */
#include "loads.h"

#include "../../engine/counted.h"
#include "../../lib/string.h"
#include "accesses_rule.h"
#include "loads_rule.h"

#define REFINE_POINTS 15 /* between two values of K: the gap shrinks sixteen times a round */
#define MANY_TIMES 4
#define TRIES 3
#define REFINED_MAX 512  /* points of a case */
#define FURTHER_LOADS 16 /* values of N at a time, */
#define DENSE_MAX 128    /* up to about this one */
#define LEAST_VISITS 8   /* short ones; their scatter is what intervals are made of */
#define COMPARED_AWAY 32 /* part of K that long NOPs are away from the jump */

/* Rows beside the table's: with other fillers than the case's, with lines that were not evicted, or
 * written one after the other. */
static const struct other {
    const char *metric;
    enum filler filler;
    enum data_state data;
    bool in_turn;
} others[] = {
    {LOADS_LONG_NOPS, FILLER_LONG_NOP, DATA_MEMORY, false},
    {LOADS_HITS, FILLER_LOAD, DATA_MEMORY, false},
    {LOADS_CACHED, FILLER_NOP, DATA_CACHED, false},
    {ACCESSES_PREFETCH_HITS, FILLER_NOP, DATA_LAST_IN_MEMORY, false},
    {ACCESSES_STORE_HITS, FILLER_STORE, DATA_MEMORY, false},
    {ACCESSES_IN_TURN, FILLER_NOP, DATA_MEMORY, true},
};

/* NULL: it is of the table. */
static const struct other *other_of(const struct point *point)
{
    for (size_t i = 0; point->metric != NULL && i < sizeof others / sizeof *others; i++)
        if (strcmp(point->metric, others[i].metric) == 0)
            return &others[i];
    return NULL;
}

static struct mlp_shape shape_of(const struct loads *l, const struct point *point)
{
    const struct loads_case *c = &l->cases[point->of];
    const struct other *other = other_of(point);
    return (struct mlp_shape){
        .loads = (unsigned)point->n,
        .fillers = (unsigned)point->k,
        .access = c->access,
        .in_turn = other != NULL && other->in_turn,
        .filler = other != NULL ? other->filler : c->filler,
        .dependent = c->dependent,
        .timing = {.order = c->order, .rdtscp = l->m->processor->rdtscp},
    };
}

static void visit(void *context, const struct point *point, struct samples *samples)
{
    struct loads *l = context;
    struct loads_case *c = &l->cases[point->of];
    struct mlp_shape shape = shape_of(l, point);
    const struct other *other = other_of(point);
    shape.timing.counting = samples->counting;
    c->sampler.conditions.data =
        other != NULL && other->data != DATA_MEMORY ? other->data : c->data;
    c->sampler.place = point->place;
    load_sampler_visit(&c->sampler, &shape, samples->at, samples->count);
}

/* Of N = 2 at K, of the attempt under way. */
static void add_k(struct loads *l, uint32_t of, const char *metric, int64_t k, uint64_t attempt)
{
    struct point point = {.of = of,
                          .n = 2,
                          .k = k,
                          .bytes = ROW_NONE,
                          .stage = ROW_NONE,
                          .attempt = (uint32_t)attempt,
                          .metric = metric};
    task_add(&l->task, &l->task.points, &point);
}

/* Up to REFINE_POINTS values of K strictly between two, evenly spread. */
static void add_between(struct loads *l, uint32_t of, uint64_t attempt, int64_t low, int64_t high)
{
    int64_t step = (high - low) / (REFINE_POINTS + 1);
    if (step < 1)
        step = 1;
    int64_t k = low + step;
    for (unsigned i = 0; k < high && i < REFINE_POINTS; i++, k += step)
        add_k(l, of, NULL, k, attempt);
}

/* No jump so far: as far again, up to what a probe has room for. */
static void add_beyond(struct loads *l, uint32_t of, const struct table *table, uint64_t attempt)
{
    int64_t most = 0;
    for (size_t i = 0; i < table->count; i++)
        if (table->rows[i].n == 2 && table->rows[i].attempt == attempt && table->rows[i].k > most)
            most = table->rows[i].k;
    int64_t end = 2 * most < PROBE_FILLERS_MAX ? 2 * most : PROBE_FILLERS_MAX;
    if (most < end) {
        add_between(l, of, attempt, most, end);
        add_k(l, of, NULL, end, attempt);
    }
}

static void add_other(struct loads *l, uint32_t of, const char *metric, int64_t n, int64_t k)
{
    struct point point = {
        .of = of, .n = n, .k = k, .bytes = ROW_NONE, .stage = ROW_NONE, .metric = metric};
    if (k >= 0 && k <= PROBE_FILLERS_MAX)
        task_add(&l->task, &l->task.points, &point);
}

/* Whether a row that was asked for `tries` times is still missing: the state of the core that a
 * table is of may not have come. */
static bool is_wanted(const struct table *table, const char *metric, int64_t n, int64_t k,
                      uint8_t *tries)
{
    for (const struct row *row = table->rows; row < table->rows + table->count; row++)
        if (row->n == n && row->k == k && row_is(row, metric))
            return false;
    return (*tries)++ < TRIES;
}

/* A little before the jump and a little beyond it. */
static void compare_nops(struct loads *l, uint32_t of, const struct table *table,
                         const struct cliff *cliff)
{
    int64_t away = cliff->first_high / COMPARED_AWAY + 1;
    int64_t first = cliff->first_high + away;
    if (!l->cases[of].is_table ||
        !is_wanted(table, LOADS_LONG_NOPS, 2, first, &l->cases[of].compared[table->of->shared]))
        return;
    for (int64_t i = 1; i <= 2; i++) {
        add_other(l, of, LOADS_LONG_NOPS, 2, cliff->last_low - i * away);
        add_other(l, of, LOADS_LONG_NOPS, 2, cliff->first_high + i * away);
    }
}

/* The ends of the bracket, and as far from it as K goes. */
static void look_again(struct loads *l, uint32_t of, const struct table *table, uint64_t attempt,
                       const struct cliff *cliff)
{
    int64_t least = cliff->last_low, most = cliff->first_high;
    for (const struct row *row = table->rows; row < table->rows + table->count; row++)
        if (row->n == 2 && curve_has(row)) {
            least = row->k < least ? row->k : least;
            most = row->k > most ? row->k : most;
        }
    const int64_t ks[] = {least, cliff->last_low, cliff->first_high, most};
    for (unsigned i = 0; i < sizeof ks / sizeof *ks; i++)
        if (i == 0 || ks[i] != ks[i - 1])
            add_k(l, of, LOADS_AGAIN, ks[i], attempt);
}

/* The coarse curve once more: what it showed before was of another moment. */
static void start_again(struct loads *l, uint32_t of, uint64_t attempt)
{
    const struct config *config = l->m->config;
    const struct config_list *k =
        l->cases[of].is_table ? &config->mlp.fillers : &config->structures.fillers;
    for (uint32_t i = 0; i < k->count; i++)
        add_k(l, of, NULL, (int64_t)k->value[i], attempt);
}

/* Narrows the bracket that a jump of N = 2 is in, and looks at its ends once more; done where that
 * was no news. */
static void narrow(struct loads *l, uint32_t of, const struct table *table, uint64_t attempt,
                   const struct cliff *cliff)
{
    int64_t *seen_at = &l->cases[of].seen_at[table->of->shared];
    if (*seen_at == cliff->first_high) {
        compare_nops(l, of, table, cliff);
        return;
    }
    if (cliff->first_high - cliff->last_low <= 1)
        *seen_at = cliff->first_high;
    look_again(l, of, table, attempt, cliff);
    add_between(l, of, attempt, cliff->last_low, cliff->first_high);
}

/* Places the jump of N = 2: samples where they pay. */
static void refine_k(struct loads *l, uint32_t of, const struct table *table)
{
    struct cliff cliff;
    uint64_t attempt = curve_last_attempt(table, 2);
    loads_locate(table, &cliff);
    if (cliff.answer == CLIFF_NONE)
        add_beyond(l, of, table, attempt);
    if (cliff.answer != CLIFF_FOUND)
        return;
    if (!loads_again_disagree(table, &cliff))
        narrow(l, of, table, attempt, &cliff);
    else if (attempt + 1 < LOADS_ATTEMPTS_MAX)
        start_again(l, of, attempt + 1);
}

/* With the smallest K. */
static void add_fastest(struct loads *l, uint32_t of, const char *metric, int64_t n)
{
    struct point point = {.of = of,
                          .n = n,
                          .k = (int64_t)l->least_k,
                          .bytes = ROW_NONE,
                          .stage = ROW_NONE,
                          .metric = metric,
                          .needs = POINT_FASTEST};
    task_add(&l->task, &l->task.points, &point);
}

/* Two, three and four times the buffers, or where a probe has no room for that, once and twice. */
static void add_many(struct loads *l, uint32_t of, int64_t buffers)
{
    int64_t most = (int64_t)l->cases[of].sampler.conditions.loads;
    int64_t times = MANY_TIMES * buffers <= most ? MANY_TIMES : 2;
    for (int64_t i = times / 2; i <= times && i * buffers <= most; i++)
        add_other(l, of, LOADS_MANY, i * buffers, (int64_t)l->least_k);
}

/* More N until the fastest samples jump, and then what makes that an answer: not least the same
 * without need for so many buffers. */
static void refine_n(struct loads *l, uint32_t of, const struct table *table)
{
    struct loads_case *c = &l->cases[of];
    const struct access_kind *kind = &access_kinds[c->access];
    const struct access_control *control = &kind->control;
    struct loads_buffers buffers;
    int64_t most = (int64_t)c->sampler.conditions.loads - FURTHER_LOADS;
    most = most < DENSE_MAX ? most : DENSE_MAX;
    if (!c->is_table)
        return;
    loads_find_buffers(table, &buffers);
    if (buffers.last > 0) {
        struct access_point at = access_control_at(control, buffers.last, (int64_t)l->least_k);
        if (!is_wanted(table, control->metric, at.n, at.k, &c->many[table->of->shared]))
            return;
        if (kind->all_arrive)
            add_many(l, of, buffers.last);
        for (int64_t i = -1; i <= 2; i++)
            add_fastest(l, of, LOADS_AGAIN, buffers.last + i);
        add_other(l, of, control->metric, at.n, at.k);
    } else if (buffers.may_follow && c->most_dense < most) {
        c->most_dense += FURTHER_LOADS;
        for (int64_t n = c->most_dense - FURTHER_LOADS + 1; n <= c->most_dense; n++)
            add_fastest(l, of, NULL, n);
    }
}

static void refine(void *context, uint32_t of, const struct table *table, uint32_t added)
{
    struct loads *l = context;
    if (l->cases[of].dependent || added >= REFINED_MAX || l->m->is_emulated)
        return;
    if (l->cases[of].access == ACCESS_LOAD)
        refine_k(l, of, table);
    refine_n(l, of, table);
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
        .contention = CONTENTION_APART,
    };
    l->task.rules.visits_min = LEAST_VISITS;
    l->cases = NULL;
    l->room = 0;
    l->is_table = false;
    l->least_k = list_least(&m->config->mlp.fillers);
    windows_init(&l->windows, m->platform);
    return l;
}

/* What is written to it is zeroes, as what is there, so that cases may share frames, too. */
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
    uint32_t of = measurement_add_case(m, &setting->of, 0);
    *can_be_had = false;
    if (m->failure != NULL ||
        !measurement_make_room(m, (void **)&l->cases, &l->room, of, sizeof *l->cases))
        return of;
    const char *reason = settings_refusal(m, setting);
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
    c->access = setting->of.access;
    c->dependent = setting->of.dependent;
    c->is_table = l->is_table;
    c->data = conditions->data;
    c->most_dense = 0;
    memset(c->seen_at, 0, sizeof c->seen_at);
    memset(c->compared, 0, sizeof c->compared);
    memset(c->many, 0, sizeof c->many);
    return of;
}

static void add_point(struct loads *l, struct points *to, uint32_t of, uint64_t n, uint64_t k,
                      enum point_needs needs)
{
    struct point point = {.of = of,
                          .n = (int64_t)n,
                          .k = (int64_t)k,
                          .bytes = ROW_NONE,
                          .stage = ROW_NONE,
                          .needs = needs};
    task_add(&l->task, to, &point);
}

void loads_add_point(struct loads *l, uint32_t of, uint64_t n, uint64_t k)
{
    const struct loads_case *c = &l->cases[of];
    bool is_of_n = c->is_table && !c->dependent && k == l->least_k;
    enum point_needs needs = is_of_n ? POINT_FASTEST : k > 0 && n > 2 ? POINT_GLANCE : POINT_CENTER;
    add_point(l, &l->task.points, of, n, k, needs);
}

/* A point to be counted. */
static void add_counted(struct loads *l, struct points *to, uint32_t of, uint64_t n, uint64_t k)
{
    add_point(l, to, of, n, k, POINT_CENTER);
}

/* Without loads, which is what reading the counters costs, then what the table says at its edges.
 */
void loads_add_table(struct loads *l, uint32_t of, const struct config_list *n, const uint64_t *k,
                     uint32_t k_count)
{
    uint64_t least = UINT64_MAX;
    for (uint32_t j = 0; j < k_count; j++)
        least = k[j] < least ? k[j] : least;
    add_counted(l, &l->task.counted, of, 0, least);
    for (uint32_t i = 0; i < n->count; i++)
        for (uint32_t j = 0; j < k_count; j++) {
            loads_add_point(l, of, n->value[i], k[j]);
            if (k[j] == least || n->value[i] == 2)
                add_counted(l, &l->task.counted, of, n->value[i], k[j]);
        }
    add_counted(l, &l->task.levels, of, list_most(n), least);
}

unsigned loads_most(const struct setting *setting, enum tlb_state tlb, unsigned configured)
{
    bool is_cheap = setting->of.page == PAGE_4K || tlb < TLB_COLD;
    return is_cheap ? PROBE_LOADS_MAX : configured;
}

void loads_extend(struct loads *l, uint32_t of, const struct config_list *n)
{
    const struct access_kind *kind = &access_kinds[l->cases[of].access];
    l->cases[of].most_dense = (int64_t)list_most(n);
    add_other(l, of, LOADS_CACHED, 1, (int64_t)l->least_k);
    if (kind->has_fence)
        add_other(l, of, ACCESSES_EMPTY, 0, (int64_t)l->least_k);
}

void loads_add_places(struct loads *l, uint32_t of)
{
    for (uint32_t place = 1; place <= LOAD_PLACES; place++) {
        struct point point = {.of = of,
                              .place = place,
                              .n = 1,
                              .k = (int64_t)l->least_k,
                              .bytes = ROW_NONE,
                              .stage = place,
                              .metric = LOADS_PLACE};
        task_add(&l->task, &l->task.points, &point);
    }
}

void loads_add_reference(struct loads *l, uint32_t of, uint64_t n, uint64_t k)
{
    add_point(l, &l->task.references, of, n, k, POINT_CENTER);
}

bool loads_measure(struct loads *l)
{
    bool finished = engine_run(&l->task);
    windows_close(&l->windows);
    platform_release(l->m->platform, l->cases, l->room * sizeof *l->cases);
    return finished;
}

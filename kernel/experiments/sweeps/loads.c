/* loads: from points to probes; coarse first, then fine where the jump is. */
#include "loads.h"

#include "../../lib/sort.h"
#include "../../lib/string.h"
#include "accesses_rule.h"
#include "loads_rule.h"

#define MANY_TIMES 4
#define EPOCHS 2                      /* later looks at a jump after it was placed */
#define FURTHER_LOADS EDGE_POINTS_MAX /* values of N at a time, */
/* Up to about this one: twice as many confirm it. */
#define DENSE_MAX (int64_t)(PROBE_LOADS_MAX / 2)
#define COMPARED_AWAY 32 /* part of K that the farther zeroed registers are away from the jump */
#define SMALL_K 96       /* beside a sibling: half of a small structure, */
#define EVERY 2          /* and how much thinner K is beyond; refining places the jump */

static const uint64_t compared[] = {1, 2, 10}; /* values of N that numa_compare looks at */
#define COMPARED (sizeof compared / sizeof *compared)

/* Rows beside the table's: with other fillers (FILLER_KINDS: the case's), with lines not evicted,
 * or written in turn, with a store between, or of the slowest of many loads. */
static const struct side_row {
    const char *metric;
    enum filler filler;
    enum data_state data;
    bool in_turn, is_slowest;
    enum probe_store store;
    enum tlb_state tlb; /* NATURAL: the case's */
} side_rows[] = {
    {.metric = LOADS_ZEROES, .filler = FILLER_ZERO},
    {.metric = LOADS_SAME_LINE, .filler = FILLER_LINE_LOAD},
    {.metric = LOADS_CACHED, .filler = FILLER_KINDS, .data = DATA_CACHED},
    {.metric = LOADS_SLOWEST, .filler = FILLER_KINDS, .is_slowest = true},
    {.metric = LOADS_SLOWEST_CACHED,
     .filler = FILLER_KINDS,
     .data = DATA_CACHED,
     .tlb = TLB_WARM,
     .is_slowest = true},
    {.metric = LOADS_STORE_WAITS, .filler = FILLER_KINDS, .store = STORE_WAITS},
    {.metric = LOADS_STORE_KNOWN, .filler = FILLER_KINDS, .store = STORE_KNOWN},
    {.metric = ACCESSES_PREFETCH_HITS, .filler = FILLER_KINDS, .data = DATA_LAST_IN_MEMORY},
    {.metric = ACCESSES_STORE_HITS, .filler = FILLER_STORE},
    {.metric = ACCESSES_IN_TURN, .filler = FILLER_KINDS, .in_turn = true},
};

/* Returns NULL where the point is of the table. */
static const struct side_row *side_row_of(const struct point *point)
{
    for (size_t i = 0; point->metric != NULL && i < sizeof side_rows / sizeof *side_rows; i++)
        if (strcmp(point->metric, side_rows[i].metric) == 0)
            return &side_rows[i];
    return NULL;
}

static const struct variant *variant_of(const struct loads *l, const struct loads_case *c)
{
    return &measurement_case(l->m, c->number)->variant;
}

/* Takes the slowest of `stage` loads as one sample. Those of which one was interrupted are taken
 * again, as often as there are others. */
static void visit_slowest(struct loads *l, struct loads_case *c, const struct mlp_shape *shape,
                          const struct point *point, struct samples *samples)
{
    const unsigned wanted = (unsigned)point->stage / LOADS_AT_A_TIME;
    uint32_t ticks[LOADS_AT_A_TIME], slowest = 0;
    unsigned kept = 0;
    for (unsigned i = 0; i < 2 * wanted && kept < wanted; i++) {
        load_sampler_visit(&c->sampler, shape, ticks, LOADS_AT_A_TIME);
        sort_numbers(ticks, LOADS_AT_A_TIME);
        if (distribution_undisturbed(ticks, LOADS_AT_A_TIME, l->m->step) < LOADS_AT_A_TIME)
            continue;
        slowest = slowest > ticks[LOADS_AT_A_TIME - 1] ? slowest : ticks[LOADS_AT_A_TIME - 1];
        kept++;
    }
    samples->at[0] = slowest;
    samples->count = kept == wanted;
    samples->interrupted = kept < wanted;
}

static void visit_loads(void *context, const struct point *point, struct samples *samples)
{
    static const struct side_row none = {.filler = FILLER_KINDS};
    struct loads *l = context;
    struct loads_case *c = measurement_data(l->m, point->case_id);
    const struct variant *variant = variant_of(l, c);
    const struct side_row *row = side_row_of(point) ?: &none;
    const struct mlp_shape shape = {
        .lead = (unsigned)l->m->config->mlp.lead,
        .loads = (unsigned)point->n,
        .fillers = (unsigned)point->k,
        .access = variant->access,
        .in_turn = row->in_turn,
        .store = row->store,
        .filler = row->filler < FILLER_KINDS ? row->filler : c->filler,
        .dependent = variant->dependent,
        .timing = {.counting = samples->counting,
                   .order = variant->order,
                   .rdtscp = l->m->processor->rdtscp},
    };
    c->sampler.conditions.data = row->data != DATA_MEMORY ? row->data : c->data;
    c->sampler.conditions.tlb = row->tlb != TLB_NATURAL ? row->tlb : c->tlb;
    c->sampler.place = point->place;
    if (row->is_slowest)
        visit_slowest(l, c, &shape, point, samples);
    else
        load_sampler_visit(&c->sampler, &shape, samples->at, samples->count);
}

/* --- points ---------------------------------------------------------------------------------- */

/* Adds a point of a case, unless no probe has so many fillers. */
static void add(struct loads *l, struct points *to, const struct loads_case *c, struct point point)
{
    point.case_id = c->number;
    point.bytes = ROW_NONE;
    point.stage = point.stage > 0 ? point.stage : ROW_NONE;
    if (point.k >= 0 && point.k <= PROBE_FILLERS_MAX)
        task_add(&l->task, to, &point);
}

static void add_to(struct loads *l, struct points *to, const struct loads_case *c, uint64_t n,
                   uint64_t k)
{
    add(l, to, c, (struct point){.n = (int64_t)n, .k = (int64_t)k});
}

void loads_add_point(struct loads *l, const struct loads_case *c, uint64_t n, uint64_t k)
{
    bool is_of_n = c->finds_limits && k == l->least_k;
    enum point_needs needs = is_of_n ? POINT_FASTEST : k > 0 && n > 2 ? POINT_GLANCE : POINT_CENTER;
    add(l, &l->task.points, c, (struct point){.n = (int64_t)n, .k = (int64_t)k, .needs = needs});
}

/* Adds a point of N = 2, of an attempt. */
static void add_k(struct loads *l, const struct loads_case *c, int64_t k, uint64_t attempt)
{
    add(l, &l->task.points, c, (struct point){.n = 2, .k = k, .attempt = (uint32_t)attempt});
}

static void add_other(struct loads *l, const struct loads_case *c, const char *metric, int64_t n,
                      int64_t k)
{
    add(l, &l->task.points, c, (struct point){.metric = metric, .n = n, .k = k});
}

/* Adds a point with the smallest K. */
static void add_fastest(struct loads *l, const struct loads_case *c, const char *metric, int64_t n)
{
    add(l, &l->task.points, c,
        (struct point){.metric = metric, .n = n, .k = (int64_t)l->least_k, .needs = POINT_FASTEST});
}

/* Counted beside the table: no loads, which is what reading the counters costs, and its edges. */
void loads_add_table(struct loads *l, const struct loads_case *c, const struct config_list *n,
                     const uint64_t *k, uint32_t k_count)
{
    uint64_t least = UINT64_MAX;
    for (uint32_t j = 0; j < k_count; j++)
        least = k[j] < least ? k[j] : least;
    add_to(l, &l->task.counted, c, 0, least);
    for (uint32_t i = 0; i < n->count; i++)
        for (uint32_t j = 0; j < k_count; j++) {
            loads_add_point(l, c, n->value[i], k[j]);
            if (k[j] == least || n->value[i] == 2)
                add_to(l, &l->task.counted, c, n->value[i], k[j]);
        }
    add_to(l, &l->task.levels, c, list_most(n), least);
}

void loads_add_places(struct loads *l, const struct loads_case *c)
{
    struct point point = {.metric = LOADS_PLACE, .n = 1, .k = (int64_t)l->least_k};
    for (point.place = 1; point.place <= LOAD_PLACES; point.place++) {
        point.stage = point.place;
        add(l, &l->task.points, c, point);
    }
}

void loads_add_tail(struct loads *l, const struct loads_case *c)
{
    struct point point = {.n = 1, .k = (int64_t)l->least_k, .needs = POINT_GLANCE};
    const struct {
        const char *metric;
        int64_t loads;
    } tails[] = {{LOADS_SLOWEST, LOADS_TO_P99},
                 {LOADS_SLOWEST, LOADS_TO_P999},
                 {LOADS_SLOWEST_CACHED, LOADS_TO_P99}};
    for (unsigned i = 0; i < sizeof tails / sizeof *tails && !l->m->is_emulated; i++) {
        point.metric = tails[i].metric;
        point.stage = tails[i].loads;
        add(l, &l->task.points, c, point);
    }
}

void loads_add_reference(struct loads *l, const struct loads_case *c, uint64_t n, uint64_t k)
{
    add_to(l, &l->task.references, c, n, k);
}

/* --- the jump over K -------------------------------------------------------------------------- */

/* Looks closer where the time jumps from the least K to the next. False: it does not. */
static bool add_before(struct loads *l, const struct loads_case *c, const struct table *table)
{
    int64_t least, next, at[EDGE_POINTS_MAX];
    if (!loads_jump_at_once(table, &least, &next))
        return false;
    unsigned count = edge_between(least, next, EDGE_POINTS_MAX, at);
    for (unsigned i = 0; i < count; i++)
        add_k(l, c, at[i], curve_last_attempt(table, "tsc", 2));
    return true;
}

/* Goes on where there is no jump so far: as far again, up to what a probe has room for. */
static void add_beyond(struct loads *l, const struct loads_case *c, const struct table *table)
{
    uint64_t attempt = curve_last_attempt(table, "tsc", 2);
    int64_t most = 0, at[EDGE_POINTS_MAX];
    for (const struct row *row = table->rows; row < table->rows + table->count; row++)
        if (row->n == 2 && row->attempt == attempt && row->k > most)
            most = row->k;
    int64_t end = 2 * most < PROBE_FILLERS_MAX ? 2 * most : PROBE_FILLERS_MAX;
    unsigned count = edge_between(most, end, EDGE_POINTS_MAX, at);
    for (unsigned i = 0; i < count; i++)
        add_k(l, c, at[i], attempt);
    if (most < end)
        add_k(l, c, end, attempt);
}

/* True if a missing row was asked for fewer than EDGE_LOOKS_MAX times: its core state may be away.
 */
static bool is_wanted(const struct table *table, const char *metric, int64_t n, int64_t k,
                      uint8_t *tries)
{
    return table_find_at(table, metric, n, k, ROW_ANY, ROW_ANY) == NULL &&
           (*tries)++ < EDGE_LOOKS_MAX;
}

/* Compares zeroed registers before the jump and beyond it: to one entry, and farther away. */
static void compare_zeroes(struct loads *l, struct loads_case *c, const struct table *table,
                           const struct cliff *cliff)
{
    const int64_t away[] = {1, cliff->first_high / COMPARED_AWAY + 2};
    if (!c->finds_limits || !is_wanted(table, LOADS_ZEROES, 2, cliff->first_high + away[1],
                                       &c->search[table->variant->shared].compared))
        return;
    for (unsigned i = 0; i < sizeof away / sizeof *away; i++) {
        add_other(l, c, LOADS_ZEROES, 2, cliff->last_low - away[i]);
        add_other(l, c, LOADS_ZEROES, 2, cliff->first_high + away[i]);
    }
}

/* Looks again at the ends of the bracket, a little away from a narrow one, and as far as K goes. */
static void look_again(struct loads *l, const struct loads_case *c, const struct table *table,
                       const struct edge_bracket *bracket, int64_t stage)
{
    bool is_narrow = bracket->high - bracket->low <= bracket->resolution;
    int64_t slack = is_narrow ? loads_slack(bracket->high) : 0;
    int64_t least = bracket->low, most = bracket->high;
    for (const struct row *row = table->rows; row < table->rows + table->count; row++)
        if (row->n == 2 && curve_has(row)) {
            least = row->k < least ? row->k : least;
            most = row->k > most ? row->k : most;
        }
    const int64_t ks[] = {least,         bracket->low - slack,  bracket->low,
                          bracket->high, bracket->high + slack, most};
    struct point again = {
        .metric = LOADS_AGAIN, .n = 2, .stage = stage, .attempt = (uint32_t)bracket->attempt};
    int64_t last = -1;
    for (unsigned i = 0; i < sizeof ks / sizeof *ks; i++)
        if (ks[i] > last && ks[i] <= most) {
            last = again.k = ks[i];
            add(l, &l->task.points, c, again);
        }
}

/* Adds the coarse curve once more: what it showed before was of another moment. */
static void start_over(struct loads *l, const struct loads_case *c, uint64_t attempt)
{
    const struct config *config = l->m->config;
    const struct config_list *k =
        c->finds_limits ? &config->mlp.fillers : &config->structures.fillers;
    for (uint32_t i = 0; i < k->count; i++)
        add_k(l, c, (int64_t)k->value[i], attempt);
}

static bool was_seen_again(const struct table *table, int64_t k, uint64_t attempt)
{
    return table_find_attempt(table, LOADS_AGAIN, 2, k, ROW_ANY, attempt) != NULL;
}

static struct edge_bracket bracket_of(const struct table *table, const struct cliff *cliff)
{
    struct edge_bracket b = {.low = cliff->last_low,
                             .high = cliff->first_high,
                             .resolution = 1,
                             .attempt = curve_last_attempt(table, "tsc", 2)};
    if (loads_again_disagree(table, cliff))
        b.later = EDGE_DISAGREES;
    else if (was_seen_again(table, b.low, b.attempt) && was_seen_again(table, b.high, b.attempt))
        b.later = EDGE_AGREES;
    return b;
}

/* True if a case has a jump over K to place. */
static bool searches(const struct loads *l, const struct loads_case *c)
{
    const struct variant *variant = variant_of(l, c);
    return !variant->dependent && !l->m->is_emulated && variant->access == ACCESS_LOAD;
}

/* Places the jump of N = 2: samples where they pay. */
static void refine_k(struct loads *l, struct loads_case *c, const struct table *table)
{
    struct cliff cliff;
    loads_locate(table, &cliff);
    if (cliff.answer == CLIFF_NONE && !add_before(l, c, table))
        add_beyond(l, c, table);
    if (cliff.answer != CLIFF_FOUND)
        return;
    struct edge_bracket b = bracket_of(table, &cliff);
    struct loads_search *search = &c->search[table->variant->shared];
    struct edge_step step = edge_refine(&search->edge, &b);
    if (step.next == EDGE_GO_ON)
        look_again(l, c, table, &b, ROW_NONE);
    for (unsigned i = 0; i < step.count; i++)
        add_k(l, c, step.at[i], b.attempt);
    if (step.next == EDGE_START_OVER) {
        search->epochs = 0;
        start_over(l, c, b.attempt + 1);
    }
    if (step.next == EDGE_DONE && b.later != EDGE_DISAGREES)
        compare_zeroes(l, c, table, &cliff);
}

/* Looks again at a jump that is placed. */
static void look_later(void *context, uint32_t number, const struct table *table)
{
    struct loads *l = context;
    struct loads_case *c = measurement_data(l->m, number);
    struct loads_search *search = &c->search[table->variant->shared];
    struct cliff cliff;
    loads_locate(table, &cliff);
    if (!searches(l, c) || cliff.answer != CLIFF_FOUND || search->epochs == EPOCHS)
        return;
    struct edge_bracket b = bracket_of(table, &cliff);
    if (b.high - b.low <= b.resolution && b.later == EDGE_AGREES)
        look_again(l, c, table, &b, ++search->epochs);
}

/* --- the jump over N -------------------------------------------------------------------------- */

/* Adds two, three and four times the buffers, or once and twice if a probe lacks the room. */
static void add_many(struct loads *l, const struct loads_case *c, int64_t buffers)
{
    int64_t most = (int64_t)c->sampler.conditions.loads;
    int64_t times = MANY_TIMES * buffers <= most ? MANY_TIMES : 2;
    for (int64_t i = times / 2; i <= times && i * buffers <= most; i++)
        add_other(l, c, LOADS_MANY, i * buffers, (int64_t)l->least_k);
}

/* Adds what makes a jump an answer: not least the same without need for so many buffers. */
static void confirm_buffers(struct loads *l, struct loads_case *c, const struct table *table,
                            int64_t last)
{
    const struct access_kind *kind = &access_kinds[variant_of(l, c)->access];
    struct access_point at = access_control_at(&kind->control, last, (int64_t)l->least_k);
    if (!is_wanted(table, kind->control.metric, at.n, at.k,
                   &c->search[table->variant->shared].many))
        return;
    if (kind->all_arrive)
        add_many(l, c, last);
    for (int64_t i = -1; i <= 2; i++)
        add_fastest(l, c, LOADS_AGAIN, last + i);
    add_other(l, c, kind->control.metric, at.n, at.k);
}

/* Adds one load, half of the most, and the most that overlap without it, behind a store that waits
 * for its address, and behind one that does not. */
static void look_behind_store(struct loads *l, struct loads_case *c, const struct table *table,
                              int64_t most)
{
    const int64_t n[] = {2, most / 2, most};
    if (variant_of(l, c)->access != ACCESS_LOAD || l->m->beside_sibling ||
        !is_wanted(table, LOADS_STORE_WAITS, most > 2 ? most : 2, (int64_t)l->least_k,
                   &c->search[table->variant->shared].behind))
        return;
    for (unsigned i = 0; i < sizeof n / sizeof *n; i++)
        for (unsigned waits = 0; waits < 2 && (i == 0 || n[i] > 2); waits++)
            add_other(l, c, waits ? LOADS_STORE_WAITS : LOADS_STORE_KNOWN, n[i],
                      (int64_t)l->least_k);
}

/* Adds more N until the fastest samples jump, from one N to the next. */
static void refine_n(struct loads *l, struct loads_case *c, const struct table *table)
{
    struct loads_buffers buffers;
    int64_t most = (int64_t)c->sampler.conditions.loads - FURTHER_LOADS;
    most = most < DENSE_MAX ? most : DENSE_MAX;
    if (!c->finds_limits)
        return;
    loads_find_buffers(table, &buffers);
    if (buffers.last > 0 && buffers.next == buffers.last + 1) {
        confirm_buffers(l, c, table, buffers.last);
        look_behind_store(l, c, table, buffers.last);
    } else if (buffers.last > 0) {
        for (int64_t n = buffers.last + 1; n < buffers.next; n++)
            add_fastest(l, c, NULL, n);
    } else if (buffers.may_follow && c->most_dense < most) {
        c->most_dense += FURTHER_LOADS;
        for (int64_t n = c->most_dense - FURTHER_LOADS + 1; n <= c->most_dense; n++)
            add_fastest(l, c, NULL, n);
    } else if (buffers.has_risen || c->most_dense >= most) {
        look_behind_store(l, c, table, 2);
    }
}

static void refine_loads(void *context, uint32_t number, const struct table *table)
{
    struct loads *l = context;
    struct loads_case *c = measurement_data(l->m, number);
    if (searches(l, c))
        refine_k(l, c, table);
    if (!variant_of(l, c)->dependent && !l->m->is_emulated)
        refine_n(l, c, table);
}

/* --- cases ------------------------------------------------------------------------------------ */

void loads_start(struct loads *l, struct measurement *m, bool refines)
{
    l->m = m;
    l->task = settings_task(m, l, visit_loads);
    l->task.contention = m->beside_sibling ? CONTENTION_LABELLED : CONTENTION_APART;
    l->task.refine = refines ? refine_loads : NULL;
    l->task.refine_later = refines ? look_later : NULL;
    l->task.rules.visits_min = VISITS_LEAST;
    l->least_k = list_least(&m->config->mlp.fillers);
    l->nops = m->config->mlp.filler == SWEEP_NOP ? FILLER_NOP : FILLER_LONG_NOP;
}

struct loads_case *loads_add_case(struct loads *l, const struct setting *setting,
                                  const struct load_conditions *conditions, enum filler filler)
{
    struct measurement *m = l->m;
    uint32_t number = measurement_add_case(m, &setting->variant, sizeof(struct loads_case));
    struct loads_case *c = measurement_data(m, number);
    if (c == NULL)
        return NULL;
    const char *reason = settings_refusal(m, setting)
                             ?: windows_get_for_loads(l->m, conditions, setting->node, &c->sampler);
    if (reason != NULL) {
        measurement_skip(m, number, reason);
        return NULL;
    }
    c->number = number;
    c->filler = filler;
    c->data = conditions->data;
    c->tlb = conditions->tlb;
    return c;
}

static struct loads_case *add_filler(struct loads *l, enum filler filler, enum sibling_work sibling)
{
    struct setting setting = {.variant = {.sibling = sibling}, .node = NODE_ANY};
    struct load_conditions conditions = settings_loads(l->m, &setting, 2);
    conditions.page = PAGE_4K; /* every platform has them */
    conditions.tlb = TLB_WARM;
    name_copy(setting.variant.pattern, filler_table[filler].name);
    return loads_add_case(l, &setting, &conditions, filler);
}

/* Adds K of a list with N = 2; a row of the smallest K has it already. */
static void add_column(struct loads *l, const struct loads_case *c, const struct config_list *k)
{
    for (uint32_t i = 0; i < k->count; i++) {
        uint64_t here = k->value[i], next = i + 1 < k->count ? k->value[i + 1] : here;
        bool is_dense = l->m->beside_sibling && here < SMALL_K;
        bool is_thin = l->m->beside_sibling && !is_dense;
        if (!(c->finds_limits && here == l->least_k) && (!is_thin || i % EVERY == 0))
            loads_add_point(l, c, 2, here);
        if (is_dense && !list_has(k, (here + next) / 2))
            loads_add_point(l, c, 2, (here + next) / 2);
    }
}

void loads_add_structures(struct loads *l)
{
    for (unsigned filler = 0; filler < FILLER_KINDS; filler++)
        for (SIBLING_CASES(work, l->m)) {
            const struct loads_case *c = add_filler(l, (enum filler)filler, work);
            if (c != NULL)
                add_column(l, c, &l->m->config->structures.fillers);
        }
}

struct loads_case *loads_add_cross(struct loads *l, const struct setting *setting)
{
    const struct config_list *n = &l->m->config->mlp.loads;
    uint64_t most = list_most(n), least = compared[COMPARED - 1];
    struct load_conditions conditions =
        settings_loads(l->m, setting, loads_most(setting, most > least ? most : least));
    conditions.frames = l->m->config->mlp.frames;
    struct loads_case *c = loads_add_case(l, setting, &conditions, l->nops);
    if (c == NULL)
        return NULL;
    loads_find_limits(l, c);
    for (unsigned i = 0; i < COMPARED; i++)
        if (!list_has(n, compared[i]))
            loads_add_point(l, c, compared[i], l->least_k);
    for (uint32_t i = 0; i < n->count; i++)
        loads_add_point(l, c, n->value[i], l->least_k);
    add_column(l, c, &l->m->config->mlp.fillers);
    return c;
}

void loads_find_limits(struct loads *l, struct loads_case *c)
{
    c->finds_limits = true;
    c->most_dense = (int64_t)list_most(&l->m->config->mlp.loads);
    add_other(l, c, LOADS_CACHED, 1, (int64_t)l->least_k);
    if (access_kinds[variant_of(l, c)->access].has_fence)
        add_other(l, c, ACCESSES_EMPTY, 0, (int64_t)l->least_k);
}

uint64_t loads_most(const struct setting *setting, uint64_t configured)
{
    bool is_cheap = setting->variant.page == PAGE_4K || setting->variant.tlb < TLB_COLD;
    return is_cheap ? PROBE_LOADS_MAX : configured;
}

double loads_seconds(double measured)
{
    return measured + EPOCHS * (measured < TASK_LATER ? measured : TASK_LATER);
}

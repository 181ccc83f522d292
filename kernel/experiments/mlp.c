/* mlp: N loads with K fillers before the last of them, per page size and TLB state; and in a chain.
 */
#include "mlp.h"

#include "../analysis/chain.h"
#include "../analysis/mlp_rule.h"
#include "load_case.h"

/* Every N with every K; memory of the platform's. NULL: there is not enough. */
static struct load_point *plan_table(struct measurement *m, uint32_t *count)
{
    const struct config_list *loads = &m->config->mlp.loads, *fillers = &m->config->mlp.fillers;
    *count = loads->count * fillers->count;
    struct load_point *plan = m->platform->allocate(m->platform, *count * sizeof *plan);
    if (plan == NULL) {
        m->failure = "not enough memory for that many points";
        return NULL;
    }
    for (uint32_t i = 0; i < *count; i++) {
        plan[i].n = (uint16_t)loads->value[i / fillers->count];
        plan[i].k = (uint16_t)fillers->value[i % fillers->count];
    }
    return plan;
}

static bool measure_table(struct measurement *m, struct load_case *c)
{
    uint32_t count;
    size_t first_row = m->row_count;
    struct load_point *plan = plan_table(m, &count);
    if (plan == NULL)
        return false;
    bool finished = load_case_measure(c, plan, count) && load_case_refine(c, first_row) &&
                    load_case_count(c, plan, count);
    m->platform->release(m->platform, plan, count * sizeof *plan);
    return finished;
}

/* Each load waits for the one before it. */
static bool measure_chain(struct measurement *m, struct load_case *c)
{
    struct load_point plan[PROBE_LOADS_MAX];
    const struct config_list *lengths = &m->config->mlp.dependent;
    for (uint32_t i = 0; i < lengths->count; i++)
        plan[i] = (struct load_point){.n = (uint16_t)lengths->value[i], .k = 0};
    c->dependent = true;
    return load_case_measure(c, plan, lengths->count);
}

/* What is varied from case to case. */
struct variation {
    enum page_size page;
    unsigned setting; /* see measurement_set */
    enum tlb_state tlb;
    enum probe_order order;
};

/* The table and the chain of one variation: two cases in one window. */
static bool measure_variation(struct measurement *m, const struct variation *v)
{
    char table[NAME_BYTES], chain[NAME_BYTES];
    const char *setting, *refusal = measurement_set(m, v->setting, &setting);
    struct load_case c;
    unsigned independent = load_case_most_loads(&m->config->mlp.loads);
    unsigned chained = load_case_most_loads(&m->config->mlp.dependent);
    struct load_conditions conditions = {
        .bytes = m->config->mlp.bytes,
        .loads = independent > chained ? independent : chained,
        .page = v->page,
        .frames = m->config->mlp.frames,
        .tlb = v->tlb,
        .data = DATA_MEMORY,
        .seed = m->config->seed,
    };
    bool published = v->order == ORDER_CPUID;
    load_case_name(table, v->page, v->tlb, setting, published ? MLP_CPUID_SUFFIX : "");
    load_case_name(chain, v->page, v->tlb, setting,
                   published ? MLP_CPUID_SUFFIX CHAIN_SUFFIX : CHAIN_SUFFIX);
    if (!load_case_open(&c, m, table, &conditions, refusal))
        return true;
    c.order = v->order;
    bool finished = measure_table(m, &c);
    measurement_start_case(m, chain);
    finished = finished && measure_chain(m, &c);
    load_case_close(&c);
    return finished;
}

/* Of `cases`, page sizes outermost. */
static struct variation variation(const struct measurement *m, uint32_t i)
{
    const struct config *config = m->config;
    uint32_t orders = config->mlp.order.count, states = config->mlp.tlb.count;
    uint32_t settings = measurement_settings(m);
    return (struct variation){
        .page = config->pages.index[i / orders / states / settings],
        .setting = i / orders / states % settings,
        .tlb = config->mlp.tlb.index[i / orders % states],
        .order = config->mlp.order.index[i % orders],
    };
}

bool mlp_measure(struct measurement *m)
{
    const struct config *config = m->config;
    uint32_t cases = config->pages.count * config->mlp.tlb.count * config->mlp.order.count *
                     measurement_settings(m);
    uint64_t loads = config->mlp.loads.count, fillers = config->mlp.fillers.count;
    uint64_t rows = loads * fillers + LOAD_CASE_REFINEMENTS + config->mlp.dependent.count +
                    load_case_counted_rows(m->platform, loads, fillers);
    m->cases = 2 * cases;
    if (!measurement_reserve(m, rows * cases))
        return false;
    for (uint32_t i = 0; i < cases; i++) {
        struct variation v = variation(m, i);
        if (!measure_variation(m, &v))
            return false;
    }
    return true;
}

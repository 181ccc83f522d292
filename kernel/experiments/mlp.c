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

/* The table and the chain of one page size, TLB state and ordering: two cases in one window. */
static bool measure_state(struct measurement *m, enum page_size page, enum tlb_state tlb,
                          enum probe_order order)
{
    char table[RESULT_NAME_MAX], chain[RESULT_NAME_MAX];
    struct load_case c;
    unsigned independent = load_case_most_loads(&m->config->mlp.loads);
    unsigned chained = load_case_most_loads(&m->config->mlp.dependent);
    struct load_conditions conditions = {
        .bytes = m->config->mlp.bytes,
        .loads = independent > chained ? independent : chained,
        .page = page,
        .frames = m->config->mlp.frames,
        .tlb = tlb,
        .data = DATA_MEMORY,
        .seed = m->config->seed,
    };
    bool published = order == ORDER_CPUID;
    load_case_name(table, page, tlb, published ? MLP_CPUID_SUFFIX : "");
    load_case_name(chain, page, tlb, published ? MLP_CPUID_SUFFIX CHAIN_SUFFIX : CHAIN_SUFFIX);
    if (!load_case_open(&c, m, table, &conditions))
        return true;
    c.order = order;
    bool finished = measure_table(m, &c);
    measurement_start_case(m, chain);
    finished = finished && measure_chain(m, &c);
    load_case_close(&c);
    return finished;
}

bool mlp_measure(struct measurement *m)
{
    const struct config *config = m->config;
    uint32_t orders = config->mlp.order.count, states = config->mlp.tlb.count;
    uint32_t cases = config->pages.count * states * orders;
    uint64_t points =
        (uint64_t)config->mlp.loads.count * config->mlp.fillers.count + LOAD_CASE_REFINEMENTS +
        config->mlp.dependent.count +
        load_case_counted_rows(m->platform, config->mlp.loads.count, config->mlp.fillers.count);
    m->cases = 2 * cases;
    if (!measurement_reserve(m, points * cases))
        return false;
    for (uint32_t i = 0; i < cases; i++) {
        enum page_size page = config->pages.index[i / orders / states];
        enum tlb_state tlb = config->mlp.tlb.index[i / orders % states];
        enum probe_order order = config->mlp.order.index[i % orders];
        if (!measure_state(m, page, tlb, order))
            return false;
    }
    return true;
}

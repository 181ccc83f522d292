/* tlb: N loads side by side, data in the caches, in every state of the TLB. */
#include "tlb.h"

#include "load_case.h"

static bool measure_state(struct measurement *m, enum page_size page, enum tlb_state tlb,
                          unsigned setting)
{
    struct load_point plan[PROBE_LOADS_MAX];
    const struct config_list *loads = &m->config->tlb.loads;
    char variant[NAME_BYTES];
    const char *suffix, *refusal = measurement_set(m, setting, &suffix);
    struct load_case c;
    struct load_conditions conditions = {
        .bytes = m->config->mlp.bytes,
        .loads = load_case_most_loads(loads),
        .page = page,
        .tlb = tlb,
        .data = DATA_CACHED,
        .seed = m->config->seed,
    };
    for (uint32_t i = 0; i < loads->count; i++)
        plan[i] = (struct load_point){.n = (uint16_t)loads->value[i], .k = 0};
    load_case_name(variant, page, tlb, suffix, "");
    if (!load_case_open(&c, m, variant, &conditions, refusal))
        return true;
    bool finished =
        load_case_measure(&c, plan, loads->count) && load_case_count(&c, plan, loads->count);
    load_case_close(&c);
    return finished;
}

bool tlb_measure(struct measurement *m)
{
    const struct config_choices *pages = &m->config->pages;
    m->nodes = CONFIG_NODE_LOCAL; /* its data is cached: whose memory it is makes no difference */
    unsigned states = measurement_settings(m);
    m->cases = pages->count * TLB_STATES * states;
    uint64_t loads = m->config->tlb.loads.count;
    uint64_t rows = loads + load_case_counted_rows(m->platform, loads, 0);
    if (!measurement_reserve(m, m->cases * rows))
        return false;
    for (uint32_t i = 0; i < pages->count; i++)
        for (unsigned j = 0; j < TLB_STATES * states; j++)
            if (!measure_state(m, pages->index[i], j % TLB_STATES, j / TLB_STATES))
                return false;
    return true;
}

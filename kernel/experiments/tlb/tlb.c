/* tlb: N cached loads side by side, in every state of the TLB; and chains through N pages. */
#include "../experiment.h"
#include "../sweeps/loads.h"
#include "tlb_capacity.h"

static void add_state(struct loads *l, const struct setting *setting)
{
    static const uint64_t no_fillers = 0;
    const struct config_list *n = &l->m->config->tlb.loads;
    struct load_conditions conditions = settings_loads(l->m, setting, list_most(n));
    conditions.data = DATA_CACHED;
    struct loads_case *c = loads_add_case(l, setting, &conditions, FILLER_NOP);
    if (c == NULL)
        return;
    loads_add_table(l, c, n, &no_fillers, 1);
    loads_add_reference(l, c, 1, 0);
}

/* Its data is cached: whose memory it is makes no difference. */
static bool measure_walks(struct measurement *m)
{
    struct settings all = {.m = m, .nodes = CONFIG_NODE_LOCAL};
    struct setting setting;
    struct loads loads;
    loads_start(&loads, m, false);
    while (settings_next(&all, &setting))
        for (unsigned tlb = 0; tlb < TLB_STATES; tlb++) {
            setting.variant.tlb = (enum tlb_state)tlb;
            add_state(&loads, &setting);
        }
    return engine_run(&loads.task);
}

static bool measure_tlb(struct measurement *m)
{
    m->tasks = 1 + capacity_tasks(m);
    return measure_walks(m) && capacity_measure(m);
}

static double seconds(const struct measurement *m, unsigned pages)
{
    return pages * settings_count(m, CONFIG_NODE_LOCAL) *
           (0.5 + 0.02 * (double)m->config->samples_min);
}

const struct experiment experiment_tlb = {
    .name = "tlb",
    .shows = "the number of pages the TLB holds, the cost of a page walk, and the number of "
             "parallel walks",
    .measure = measure_tlb,
    .seconds = seconds,
    .rule = &rule_tlb,
};

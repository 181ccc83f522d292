/* tlb: N loads side by side, data in the caches, in every state of the TLB; and chains through N
 * pages. */
#include "../experiment.h"
#include "../sweeps/loads.h"
#include "tlb_capacity.h"

static void add_state(struct loads *l, const struct setting *asked, enum tlb_state tlb)
{
    static const uint64_t no_fillers = 0;
    const struct config *config = l->m->config;
    struct setting setting = *asked;
    struct load_conditions conditions = {
        .bytes = config->mlp.bytes,
        .loads = (unsigned)list_most(&config->tlb.loads),
        .page = setting.of.page,
        .tlb = tlb,
        .data = DATA_CACHED,
        .seed = config->seed,
    };
    bool can_be_had;
    setting.of.tlb = tlb;
    uint32_t of = loads_add_case(l, &setting, &conditions, FILLER_NOP, &can_be_had);
    if (!can_be_had)
        return;
    loads_add_table(l, of, &config->tlb.loads, &no_fillers, 1);
    loads_add_reference(l, of, 1, 0);
}

/* Its data is cached: whose memory it is makes no difference. */
static bool measure_walks(struct measurement *m)
{
    const struct config_choices *pages = &m->config->pages;
    struct loads *loads = loads_start(m, false);
    for (uint32_t page = 0; page < pages->count; page++)
        for (unsigned i = 0; i < settings_count(m, CONFIG_NODE_LOCAL); i++) {
            struct setting setting = settings_get(m, CONFIG_NODE_LOCAL, pages->index[page], i);
            for (unsigned tlb = 0; tlb < TLB_STATES; tlb++)
                add_state(loads, &setting, (enum tlb_state)tlb);
        }
    return loads_measure(loads);
}

static bool measure(struct measurement *m)
{
    m->tasks = 1 + reach_tasks(m);
    return measure_walks(m) && reach_measure(m);
}

static double seconds(const struct measurement *m, unsigned pages)
{
    return pages * settings_count(m, CONFIG_NODE_LOCAL) *
           (0.5 + 0.02 * (double)m->config->samples_min);
}

const struct experiment experiment_tlb = {
    .name = "tlb",
    .shows = "how many pages the TLB holds, what a page walk costs, and how many go side by side",
    .measure = measure,
    .seconds = seconds,
    .rule = &rule_tlb,
};

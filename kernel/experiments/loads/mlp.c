/* mlp: N loads with K fillers before the last of them, per page size and TLB state; in a chain; and
 * N lines that are prefetched or stored to. */
#include "mlp_rule.h"

#include "../experiment.h"
#include "../sweeps/loads.h"

static void add_table(struct loads *l, uint32_t of)
{
    const struct config *config = l->m->config;
    loads_add_table(l, of, &config->mlp.loads, config->mlp.fillers.value,
                    config->mlp.fillers.count);
    loads_extend(l, of, &config->mlp.loads);
    loads_add_places(l, of);
    loads_add_reference(l, of, 1, l->least_k);
    loads_add_reference(l, of, 2, list_most(&config->mlp.fillers));
}

static void add_chain(struct loads *l, uint32_t of)
{
    const struct config_list *lengths = &l->m->config->mlp.dependent;
    for (uint32_t i = 0; i < lengths->count; i++)
        loads_add_point(l, of, lengths->value[i], 0);
    loads_add_reference(l, of, list_most(lengths), 0);
}

static void add_accesses(struct loads *l, uint32_t of)
{
    const struct config_list *n = &l->m->config->mlp.loads;
    for (uint32_t i = 0; i < n->count; i++)
        loads_add_point(l, of, n->value[i], l->least_k);
    loads_extend(l, of, n);
    loads_add_reference(l, of, 1, l->least_k);
}

/* Of loads two cases: the table, and where that can be had, the chain. */
static void add_access(struct loads *l, struct setting *setting,
                       const struct load_conditions *conditions, enum access access)
{
    bool can_be_had;
    setting->of.access = access;
    setting->of.dependent = false;
    uint32_t of = loads_add_case(l, setting, conditions, FILLER_NOP, &can_be_had);
    if (can_be_had)
        (access == ACCESS_LOAD ? add_table : add_accesses)(l, of);
    if (!can_be_had || access != ACCESS_LOAD)
        return;
    setting->of.dependent = true;
    of = loads_add_case(l, setting, conditions, FILLER_NOP, &can_be_had);
    if (can_be_had)
        add_chain(l, of);
}

/* All cases of one variation, in one window. */
static void add_variation(struct loads *l, struct setting *setting, enum tlb_state tlb,
                          enum probe_order order)
{
    const struct config *config = l->m->config;
    uint64_t independent = list_most(&config->mlp.loads);
    uint64_t chained = list_most(&config->mlp.dependent);
    struct load_conditions conditions = {
        .bytes = config->mlp.bytes,
        .loads =
            loads_most(setting, tlb, (unsigned)(independent > chained ? independent : chained)),
        .page = setting->of.page,
        .frames = config->mlp.frames,
        .tlb = tlb,
        .data = DATA_MEMORY,
        .seed = config->seed,
    };
    setting->of.tlb = tlb;
    setting->of.order = order;
    for (uint32_t i = 0; i < config->mlp.access.count; i++)
        add_access(l, setting, &conditions, (enum access)config->mlp.access.index[i]);
}

static bool measure(struct measurement *m)
{
    const struct config *config = m->config;
    struct loads *loads = loads_start(m, true);
    loads->is_table = true;
    for (uint32_t page = 0; page < config->pages.count; page++)
        for (unsigned i = 0; i < settings_count(m, config->node); i++) {
            struct setting setting = settings_get(m, config->node, config->pages.index[page], i);
            for (uint32_t tlb = 0; tlb < config->mlp.tlb.count; tlb++)
                for (uint32_t order = 0; order < config->mlp.order.count; order++)
                    add_variation(loads, &setting, config->mlp.tlb.index[tlb],
                                  config->mlp.order.index[order]);
        }
    return loads_measure(loads);
}

/* Each N with each K for loads, fill buffers for all. */
static double seconds(const struct measurement *m, unsigned pages)
{
    const struct config *config = m->config;
    double points = (double)config->mlp.loads.count * config->mlp.fillers.count, one = 0;
    for (uint32_t i = 0; i < config->mlp.access.count; i++)
        one += config->mlp.access.index[i] == ACCESS_LOAD
                   ? 0.3 + 5e-6 * points * (double)config->samples_min
                   : 0.02 * (double)config->samples_min;
    return pages * settings_count(m, config->node) * config->mlp.tlb.count *
           config->mlp.order.count * one;
}

const struct experiment experiment_mlp = {
    .name = "mlp",
    .shows = "how many loads one core overlaps, and how far its reorder buffer reaches",
    .measure = measure,
    .seconds = seconds,
    .rule = &rule_mlp,
};

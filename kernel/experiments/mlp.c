/* mlp: N loads with K fillers before the last of them, per page size and TLB state; and in a chain.
 */
#include "mlp_rule.h"

#include "experiment.h"
#include "loads.h"

/* The table and the chain of one variation: two cases in one window. */
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
    bool can_be_had;
    setting->of.tlb = tlb;
    setting->of.order = order;
    setting->of.dependent = false;
    uint32_t of = loads_add_case(l, setting, &conditions, FILLER_NOP, &can_be_had);
    if (!can_be_had)
        return;
    loads_add_table(l, of, &config->mlp.loads, config->mlp.fillers.value,
                    config->mlp.fillers.count);
    loads_extend(l, of, &config->mlp.loads);
    loads_add_places(l, of);
    loads_add_anchor(l, of, 1, l->least_k);
    loads_add_anchor(l, of, 2, list_most(&config->mlp.fillers));
    setting->of.dependent = true;
    of = loads_add_case(l, setting, &conditions, FILLER_NOP, &can_be_had);
    for (uint32_t i = 0; can_be_had && i < config->mlp.dependent.count; i++)
        loads_add_point(l, of, config->mlp.dependent.value[i], 0);
    if (can_be_had)
        loads_add_anchor(l, of, chained, 0);
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

static double seconds(const struct measurement *m, unsigned pages)
{
    const struct config *config = m->config;
    double points = (double)config->mlp.loads.count * config->mlp.fillers.count;
    return pages * settings_count(m, config->node) * config->mlp.tlb.count *
           config->mlp.order.count * (0.25 + 5e-6 * points * (double)config->samples_min);
}

const struct experiment experiment_mlp = {
    .name = "mlp",
    .shows = "how many loads one core overlaps, and how far its reorder buffer reaches",
    .measure = measure,
    .seconds = seconds,
    .rule = &rule_mlp,
};

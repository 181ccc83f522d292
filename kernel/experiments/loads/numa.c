/* numa: one row and one column of mlp's table, node by node. */
#include "numa_rule.h"

#include "../experiment.h"
#include "../sweeps/loads.h"
#include "mlp_rule.h"

static const uint64_t compared[] = {1, 2, 10}; /* values of N that numa_compare looks at */

#define COMPARED (sizeof compared / sizeof *compared)

static bool is_compared(uint64_t n)
{
    for (unsigned i = 0; i < COMPARED; i++)
        if (compared[i] == n)
            return true;
    return false;
}

/* Each once: N with the smallest K, and K with N = 2. */
static void add_points(struct loads *l, uint32_t of)
{
    const struct config_list *n = &l->m->config->mlp.loads, *k = &l->m->config->mlp.fillers;
    uint64_t least = list_least(k);
    for (unsigned i = 0; i < COMPARED; i++)
        loads_add_point(l, of, compared[i], least);
    for (uint32_t i = 0; i < n->count; i++)
        if (!is_compared(n->value[i]))
            loads_add_point(l, of, n->value[i], least);
    for (uint32_t i = 0; i < k->count; i++)
        if (k->value[i] != least)
            loads_add_point(l, of, 2, k->value[i]);
}

static void add_case(struct loads *l, const struct setting *setting)
{
    const struct config *config = l->m->config;
    uint64_t most = list_most(&config->mlp.loads), least = compared[COMPARED - 1];
    struct load_conditions conditions = {
        .bytes = config->mlp.bytes,
        .loads = loads_most(setting, TLB_NATURAL, (unsigned)(most > least ? most : least)),
        .page = setting->of.page,
        .frames = config->mlp.frames,
        .tlb = TLB_NATURAL,
        .data = DATA_MEMORY,
        .seed = config->seed,
    };
    bool can_be_had;
    uint32_t of = loads_add_case(l, setting, &conditions, FILLER_NOP, &can_be_had);
    if (!can_be_had)
        return;
    add_points(l, of);
    loads_extend(l, of, &config->mlp.loads);
    loads_add_reference(l, of, 1, l->least_k);
    loads_add_reference(l, of, 2, list_most(&config->mlp.fillers));
}

static bool measure(struct measurement *m)
{
    const struct config_choices *pages = &m->config->pages;
    /* Without another node the local one is nothing new: one case says that there is none. */
    bool one = m->platform->nodes->count < 2;
    enum config_node nodes = one ? CONFIG_NODE_REMOTE : CONFIG_NODE_ALL;
    struct loads *loads = loads_start(m, true);
    loads->is_table = true;
    for (uint32_t page = 0; page < (one ? 1 : pages->count); page++)
        for (unsigned i = 0; i < settings_count(m, nodes); i++) {
            struct setting setting = settings_get(m, nodes, pages->index[page], i);
            add_case(loads, &setting);
        }
    return loads_measure(loads);
}

static double seconds(const struct measurement *m, unsigned pages)
{
    bool one = m->platform->nodes->count < 2;
    return one ? 0 : pages * settings_count(m, CONFIG_NODE_ALL) * 0.4;
}

const struct experiment experiment_numa = {
    .name = "numa",
    .shows = "what memory of another node costs: one load, ten side by side, and their overlap",
    .measure = measure,
    .seconds = seconds,
    .rule = &rule_numa,
};

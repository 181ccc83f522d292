/* numa: one row and one column of mlp's table, node by node. */

#include "../experiment.h"
#include "../sweeps/loads.h"

static const uint64_t compared[] = {1, 2, 10}; /* values of N that numa_compare looks at */

#define COMPARED (sizeof compared / sizeof *compared)

/* Adds N with the smallest K, and K with N = 2, each once. */
static void add_cross(struct loads *l, const struct loads_case *c)
{
    const struct config_list *n = &l->m->config->mlp.loads, *k = &l->m->config->mlp.fillers;
    for (unsigned i = 0; i < COMPARED; i++)
        if (!list_has(n, compared[i]))
            loads_add_point(l, c, compared[i], l->least_k);
    for (uint32_t i = 0; i < n->count; i++)
        loads_add_point(l, c, n->value[i], l->least_k);
    for (uint32_t i = 0; i < k->count; i++)
        if (k->value[i] != l->least_k)
            loads_add_point(l, c, 2, k->value[i]);
}

static void add_node(struct loads *l, const struct setting *setting)
{
    const struct config *config = l->m->config;
    uint64_t most = list_most(&config->mlp.loads), least = compared[COMPARED - 1];
    struct load_conditions conditions =
        settings_loads(l->m, setting, loads_most(setting, most > least ? most : least));
    conditions.frames = config->mlp.frames;
    struct loads_case *c = loads_add_case(l, setting, &conditions, l->nops);
    if (c == NULL)
        return;
    loads_find_limits(l, c);
    add_cross(l, c);
    loads_add_reference(l, c, 1, l->least_k);
    loads_add_reference(l, c, 2, list_most(&config->mlp.fillers));
}

/* True if there is no other node: the local one is nothing new, and one case says so. */
static bool is_one_node(const struct measurement *m)
{
    return m->platform->nodes->count < 2;
}

static bool measure_numa(struct measurement *m)
{
    enum config_node nodes = is_one_node(m) ? CONFIG_NODE_REMOTE : CONFIG_NODE_ALL;
    struct settings all = settings_start(m, nodes);
    struct setting setting;
    struct loads loads;
    loads_start(&loads, m, true);
    while (settings_next(&all, &setting))
        if (!is_one_node(m) || setting.variant.page == m->config->pages.index[0])
            add_node(&loads, &setting);
    return loads_measure(&loads);
}

static double seconds(const struct measurement *m, unsigned pages)
{
    return is_one_node(m) ? 0 : pages * settings_count(m, CONFIG_NODE_ALL) * 0.4;
}

const struct experiment experiment_numa = {
    .name = "numa",
    .shows = "the cost of memory of another node: one load, ten parallel loads, and their overlap",
    .measure = measure_numa,
    .seconds = seconds,
    .rule = &rule_numa,
};

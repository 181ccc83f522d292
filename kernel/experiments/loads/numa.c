/* numa: one row and one column of mlp's table, node by node. */

#include "../experiment.h"
#include "../sweeps/loads.h"

static void add_node(struct loads *l, const struct setting *setting)
{
    const struct loads_case *c = loads_add_cross(l, setting);
    if (c == NULL)
        return;
    loads_add_reference(l, c, 1, l->least_k);
    loads_add_reference(l, c, 2, list_most(&l->m->config->mlp.fillers));
}

/* True if there is no other node: the local one is nothing new, and one case says so. */
static bool is_one_node(const struct measurement *m)
{
    return m->platform->nodes->count < 2;
}

static bool measure_numa(struct measurement *m)
{
    enum config_node nodes = is_one_node(m) ? CONFIG_NODE_REMOTE : CONFIG_NODE_ALL;
    struct settings all = {.m = m, .nodes = nodes};
    struct setting setting;
    struct loads loads;
    loads_start(&loads, m, true);
    while (settings_next(&all, &setting))
        if (!is_one_node(m) || setting.variant.page == m->config->pages.index[0])
            add_node(&loads, &setting);
    return engine_run(&loads.task);
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

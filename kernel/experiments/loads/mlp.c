/* mlp: N loads with K fillers before the last of them, per page size and TLB state; in a chain; and
 * N lines that are prefetched or stored to. */

#include "../experiment.h"
#include "../sweeps/loads.h"

static void add_table(struct loads *l, struct loads_case *c)
{
    const struct config *config = l->m->config;
    loads_add_table(l, c, &config->mlp.loads, config->mlp.fillers.value, config->mlp.fillers.count);
    loads_add_places(l, c);
    loads_add_tail(l, c);
    loads_add_reference(l, c, 1, l->least_k);
    loads_add_reference(l, c, 2, list_most(&config->mlp.fillers));
}

static void add_chain(struct loads *l, const struct loads_case *c)
{
    const struct config_list *lengths = &l->m->config->mlp.dependent;
    for (uint32_t i = 0; i < lengths->count; i++)
        loads_add_point(l, c, lengths->value[i], 0);
    loads_add_reference(l, c, list_most(lengths), 0);
}

static void add_accesses(struct loads *l, struct loads_case *c)
{
    const struct config_list *n = &l->m->config->mlp.loads;
    for (uint32_t i = 0; i < n->count; i++)
        loads_add_point(l, c, n->value[i], l->least_k);
    loads_add_reference(l, c, 1, l->least_k);
}

/* Adds the cases of one access. Loads have two: the table and, if possible, the chain. */
static void add_access(struct loads *l, struct setting *setting,
                       const struct load_conditions *conditions, enum access access)
{
    setting->variant.access = access;
    setting->variant.dependent = false;
    struct loads_case *c = loads_add_case(l, setting, conditions, l->nops);
    if (c == NULL)
        return;
    loads_find_limits(l, c);
    if (!list_has(&l->m->config->mlp.loads, 1)) /* jumps are compared with one load's time */
        loads_add_point(l, c, 1, l->least_k);
    (access == ACCESS_LOAD ? add_table : add_accesses)(l, c);
    if (access != ACCESS_LOAD)
        return;
    setting->variant.dependent = true;
    c = loads_add_case(l, setting, conditions, l->nops);
    if (c != NULL)
        add_chain(l, c);
}

/* Adds all cases of one variation, in one window. */
static void add_variation(struct loads *l, struct setting *setting)
{
    const struct config *config = l->m->config;
    uint64_t independent = list_most(&config->mlp.loads);
    uint64_t chained = list_most(&config->mlp.dependent);
    struct load_conditions conditions = settings_loads(
        l->m, setting, loads_most(setting, independent > chained ? independent : chained));
    conditions.frames = config->mlp.frames;
    for (uint32_t i = 0; i < config->mlp.access.count; i++)
        add_access(l, setting, &conditions, (enum access)config->mlp.access.index[i]);
}

static bool measure_mlp(struct measurement *m)
{
    const struct config *config = m->config;
    struct settings all = {.m = m, .nodes = config->node};
    struct setting setting;
    struct loads loads;
    loads_start(&loads, m, true);
    while (settings_next(&all, &setting))
        for (uint32_t tlb = 0; tlb < config->mlp.tlb.count; tlb++)
            for (uint32_t order = 0; order < config->mlp.order.count; order++) {
                setting.variant.tlb = config->mlp.tlb.index[tlb];
                setting.variant.order = config->mlp.order.index[order];
                add_variation(&loads, &setting);
            }
    return engine_run(&loads.task);
}

/* Estimates the time: each N with each K for loads, and the fill buffers of all accesses. */
static double seconds(const struct measurement *m, unsigned pages)
{
    const struct config *config = m->config;
    double points = (double)config->mlp.loads.count * config->mlp.fillers.count, one = 0;
    for (uint32_t i = 0; i < config->mlp.access.count; i++)
        one += config->mlp.access.index[i] == ACCESS_LOAD
                   ? 0.3 + 5e-6 * points * (double)config->samples_min
                   : 0.02 * (double)config->samples_min;
    return loads_seconds(pages * settings_count(m, config->node) * config->mlp.tlb.count *
                         config->mlp.order.count * one);
}

const struct experiment experiment_mlp = {
    .name = "mlp",
    .shows = "the number of loads that one core overlaps, and the size of its reorder buffer",
    .measure = measure_mlp,
    .seconds = seconds,
    .rule = &rule_mlp,
};

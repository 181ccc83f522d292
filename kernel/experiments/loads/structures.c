/* structures: two loads, each kind of filler between them, coarse and then fine. */
#include "../experiment.h"
#include "../sweeps/loads.h"

static void add_filler(struct loads *l, enum filler filler)
{
    const struct config *config = l->m->config;
    struct setting setting = {.node = NODE_ANY};
    struct load_conditions conditions = {
        .bytes = config->mlp.bytes,
        .loads = 2,
        .page = PAGE_4K, /* every platform has them, and with a warm TLB they cost nothing */
        .tlb = TLB_WARM,
        .seed = config->seed,
    };
    bool can_be_had;
    name_copy(setting.of.pattern, filler_table[filler].name);
    uint32_t of = loads_add_case(l, &setting, &conditions, filler, &can_be_had);
    for (uint32_t i = 0; can_be_had && i < config->structures.fillers.count; i++)
        loads_add_point(l, of, 2, config->structures.fillers.value[i]);
}

static bool measure(struct measurement *m)
{
    struct loads *loads = loads_start(m, true);
    for (unsigned filler = 0; filler < FILLER_KINDS; filler++)
        add_filler(loads, (enum filler)filler);
    return loads_measure(loads);
}

static double seconds(const struct measurement *m, unsigned pages)
{
    (void)pages;
    return 0.3 + FILLER_KINDS * 4e-5 * m->config->structures.fillers.count *
                     (double)m->config->samples_min;
}

const struct experiment experiment_structures = {
    .name = "structures",
    .shows = "the sizes of the other structures: register files, queues, scheduler",
    .measure = measure,
    .seconds = seconds,
    .rule = &rule_structures,
};

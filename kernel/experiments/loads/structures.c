/* structures: two loads, each kind of filler between them, coarse and then fine. */
#include "../experiment.h"
#include "../sweeps/loads.h"

static bool measure_structures(struct measurement *m)
{
    const struct config_list *k = &m->config->structures.fillers;
    struct loads loads;
    loads_start(&loads, m, true);
    for (unsigned filler = 0; filler < FILLER_KINDS; filler++) {
        const struct loads_case *c = loads_add_filler(&loads, (enum filler)filler, SIBLING_UNNAMED);
        for (uint32_t i = 0; c != NULL && i < k->count; i++)
            loads_add_point(&loads, c, 2, k->value[i]);
    }
    return loads_measure(&loads);
}

static double seconds(const struct measurement *m, unsigned pages)
{
    (void)pages;
    return loads_seconds(0.3 + FILLER_KINDS * 4e-5 * m->config->structures.fillers.count *
                                   (double)m->config->samples_min);
}

const struct experiment experiment_structures = {
    .name = "structures",
    .shows = "the sizes of the other structures: register files, queues, scheduler",
    .measure = measure_structures,
    .seconds = seconds,
    .rule = &rule_structures,
};

/* structures: two loads, each kind of filler between them, coarse and then fine. */
#include "../experiment.h"
#include "../sweeps/loads.h"

static bool measure_structures(struct measurement *m)
{
    struct loads loads;
    loads_start(&loads, m, true);
    loads_add_structures(&loads);
    return engine_run(&loads.task);
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

/* plan: points of each experiment, rows of each point. */
#include "plan.h"

#include "../data/experiments.h"

#define ROW_BYTES 100 /* of results.csv; the usual one has 90 */
#define COUNTED 30    /* rows of a point that is counted, one for each event */
#define FILLERS 9     /* kinds of them; a sweep is refined by up to 30 points */
#define REFINED 30
#define NODES 4 /* more have no run's files planned any larger */
#define FILE_LEAST 65536
#define VERDICTS_EACH 16384 /* bytes, of an experiment */
#define REWRITTEN 6         /* run.json, in the page, besides once for each experiment */
#define CONDITIONS_USUAL 12288

enum experiment_number {
#define NUMBER(name) EXPERIMENT_##name,
    EXPERIMENTS(NUMBER)
};

/* Rows that any run has: the floor, and noise for the certificate. */
#define ROWS_ALWAYS 200

static uint64_t rows_of(enum experiment_number experiment, const struct config *c)
{
    uint64_t nodes = c->node == CONFIG_NODE_LOCAL ? 1 : NODES;
    uint64_t windows = c->pages.count * (c->prefetch == PREFETCH_BOTH ? 2u : 1u);
    uint64_t sweep = c->mlp.loads.count, fillers = c->mlp.fillers.count;
    uint64_t structures = FILLERS * (c->structures.fillers.count + REFINED);
    switch (experiment) {
    case EXPERIMENT_mlp:
        return windows * nodes * c->mlp.tlb.count * c->mlp.order.count *
               (sweep * fillers * 6 / 5 + COUNTED * (sweep + fillers) +
                4 * (fillers + REFINED) * c->mlp.access.count + 5 * c->mlp.dependent.count);
    case EXPERIMENT_structures:
        return 2 * structures;
    case EXPERIMENT_smt:
        return 4 * structures;
    case EXPERIMENT_tlb:
        return windows * COUNTED * (4 * c->tlb.loads.count + c->tlb.pages.count);
    case EXPERIMENT_array:
        return windows * nodes * COUNTED * c->array.loads.count * (c->array.bytes.count + REFINED);
    case EXPERIMENT_shuffle:
        return windows * COUNTED * c->shuffle.bytes.count * (c->shuffle.stages.count + 2);
    case EXPERIMENT_loaded:
        return windows * nodes * COUNTED * c->loaded.cores.count * c->loaded.pauses.count;
    case EXPERIMENT_timeline:
        return (windows * c->timeline.tlb.count + 1) * COUNTED / 2 * c->timeline.cycles.count;
    case EXPERIMENT_walk:
    case EXPERIMENT_numa:
        return windows * NODES * 10 * COUNTED;
    case EXPERIMENT_noise:
    case EXPERIMENT_floor:
        break;
    }
    return ROWS_ALWAYS;
}

struct plan plan_files(const struct config *config)
{
    const struct config_choices *asked = &config->experiments;
    uint64_t rows = ROWS_ALWAYS;
    for (uint32_t i = 0; i < asked->count; i++)
        rows += rows_of(asked->index[i], config);
    struct plan plan = {
        .results = FILE_LEAST + rows * ROW_BYTES,
        .verdicts = FILE_LEAST + asked->count * VERDICTS_EACH,
        .conditions = FILE_LEAST,
        .log = FILE_LEAST,
    };
    /* Characters that JSON writes as two are a tenth of them. */
    plan.report =
        (plan.results + plan.verdicts) / 10 * 11 + (REWRITTEN + asked->count) * CONDITIONS_USUAL;
    return plan;
}

/* plan: cases of each experiment, rows of each case. */
#include "plan.h"

#include "../data/experiments.h"

#define ROW_BYTES 100 /* of results.csv; the usual one has 90 */
#define COUNTED 30    /* rows of a point that is counted, one for each event */
#define FILLERS 9     /* kinds of them; a sweep is refined by up to 30 points */
#define REFINED 30
#define CHAINS_COUNTED 4     /* of array's, and the random accesses */
#define WORKS 3              /* of a sibling, or of other cores */
#define RATE_ROWS 36         /* of loaded, for each pause, and without any load */
#define LOOPS 4              /* of shuffle, each in three passes; as many patterns of walk */
#define WALK_PAGE (2u << 20) /* a sample of walk */
#define SLICES 20            /* of noise: twice those of a second, in both cases */
#define NODES 4              /* more have no run's files planned any larger */
#define FILE_LEAST 65536
/* All together fit the image's own volume, and that much memory is there. */
#define RESULTS_MOST (24u << 20)
#define OTHERS_MOST (1u << 20)
#define CASE_VERDICTS 4096 /* bytes */
#define CORE_LOG 2048      /* bytes, and as many for each experiment */
#define REWRITTEN 6        /* run.json, in the page, besides once for each experiment */
#define CONDITIONS_USUAL 12288
#define PROCESSOR_BYTES 512 /* of run.json, for each there is */

enum experiment_number {
#define NUMBER(name) EXPERIMENT_##name,
    EXPERIMENTS(NUMBER)
};

/* Rows that any run has: the floor, and noise for the certificate. */
#define ROWS_ALWAYS 200

/* What it is measured under, and the rows of each of that. */
struct size {
    uint64_t cases, rows;
};

static uint64_t rows_of_mlp(const struct config *c)
{
    uint64_t sweep = c->mlp.loads.count, fillers = c->mlp.fillers.count;
    uint64_t rows = c->mlp.access.count * 2 * (sweep + REFINED);
    for (uint32_t i = 0; i < c->mlp.access.count; i++)
        if (c->mlp.access.index[i] == ACCESS_LOAD)
            rows += sweep * fillers * 6 / 5 + COUNTED * (sweep + fillers) +
                    4 * (fillers + REFINED) + 5 * c->mlp.dependent.count;
    return rows;
}

static uint64_t rows_of_array(const struct config *c)
{
    uint64_t chains = c->array.loads.count;
    uint64_t counted = 1 + (chains < CHAINS_COUNTED ? chains : CHAINS_COUNTED);
    return (c->array.bytes.count + REFINED) * (6 * chains + COUNTED * counted);
}

static struct size size_of(enum experiment_number experiment, const struct config *c)
{
    uint64_t prefetch = c->prefetch == PREFETCH_BOTH ? 2 : 1;
    uint64_t windows = c->pages.count * prefetch;
    uint64_t settings = windows * (c->node == CONFIG_NODE_LOCAL ? 1 : NODES);
    uint64_t sweep = c->mlp.loads.count, fillers = c->mlp.fillers.count;
    uint64_t structures = FILLERS * (c->structures.fillers.count + REFINED);
    uint64_t sizes = c->array.bytes.count + REFINED;
    uint64_t walks = 5 + c->samples_max / (c->walk.bytes / WALK_PAGE);
    switch (experiment) {
    case EXPERIMENT_mlp:
        return (struct size){settings * c->mlp.tlb.count * c->mlp.order.count, rows_of_mlp(c)};
    case EXPERIMENT_structures:
        return (struct size){1, 2 * structures};
    case EXPERIMENT_smt:
        return (struct size){WORKS,
                             structures + (FILLERS + 1) * REFINED + sweep + fillers + 4 * sizes};
    case EXPERIMENT_tlb:
        return (struct size){windows,
                             COUNTED * (4 * c->tlb.loads.count + c->tlb.pages.count + REFINED)};
    case EXPERIMENT_array:
        return (struct size){settings, rows_of_array(c)};
    case EXPERIMENT_shuffle:
        return (struct size){settings * c->shuffle.bytes.count,
                             LOOPS * c->shuffle.stages.count * (COUNTED + 3 * 2)};
    case EXPERIMENT_loaded:
        return (struct size){settings * c->loaded.cores.count * WORKS,
                             RATE_ROWS * (c->loaded.pauses.count + 2)};
    case EXPERIMENT_timeline:
        return (struct size){windows * c->timeline.tlb.count + 1,
                             COUNTED / 2 * c->timeline.cycles.count};
    case EXPERIMENT_walk:
        return (struct size){settings, LOOPS * (4 * walks + COUNTED)};
    case EXPERIMENT_numa:
        return (struct size){windows * NODES, 2 * (sweep + fillers + REFINED)};
    case EXPERIMENT_noise:
        return (struct size){1, ROWS_ALWAYS + SLICES * c->noise.seconds};
    case EXPERIMENT_floor:
        break;
    }
    return (struct size){1, ROWS_ALWAYS};
}

static uint64_t at_most(uint64_t bytes, uint64_t most)
{
    return bytes < most ? bytes : most;
}

/* One core has twice what it leaves, of many each has that once. */
static uint64_t of_cores(uint64_t cores, uint64_t bytes)
{
    return FILE_LEAST + (cores + 1) * bytes / 2;
}

struct plan plan_files(const struct config *config, unsigned processors)
{
    const struct config_choices *asked = &config->experiments;
    uint64_t cores = config->core.wish == WISH_ALL ? processors : 1;
    uint64_t conditions = CONDITIONS_USUAL + (uint64_t)processors * PROCESSOR_BYTES;
    uint64_t rows = ROWS_ALWAYS, cases = 0;
    for (uint32_t i = 0; i < asked->count; i++) {
        struct size size = size_of(asked->index[i], config);
        rows += size.cases * size.rows;
        cases += size.cases;
    }
    struct plan plan = {
        .results = at_most(of_cores(cores, rows * ROW_BYTES), RESULTS_MOST),
        .verdicts = at_most(of_cores(cores, cases * CASE_VERDICTS), OTHERS_MOST),
        .conditions = at_most(FILE_LEAST + conditions, OTHERS_MOST),
        .log = at_most(of_cores(cores, (1 + asked->count) * CORE_LOG), OTHERS_MOST),
    };
    /* Characters that JSON writes as two are a tenth of them. */
    plan.report = at_most((plan.results + plan.verdicts) / 10 * 11 +
                              (REWRITTEN + cores * (1 + asked->count)) * conditions,
                          RESULTS_MOST + RESULTS_MOST / 10);
    return plan;
}

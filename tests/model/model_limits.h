/* model_limits: how much of everything the core has for the thread that is measured. */
#ifndef MLPBOOT_MODEL_LIMITS_H
#define MLPBOOT_MODEL_LIMITS_H

#include "model_decode.h"
#include "model_parameters.h"

/* Work of the core's other thread: nothing; work of somebody else, which takes half of what the
 * pipeline has; or ordered work. */
enum model_beside {
    BESIDE_NOBODY,
    BESIDE_SOMEBODY,
    BESIDE_NOPS,
    BESIDE_LOADS,
    BESIDE_STORES,
    BESIDE_WORKS
};

#define MODEL_CACHE_PARTS 8 /* of each set's ways */
#define MODEL_SCHEDULERS_MAX 8

struct model_limits {
    uint32_t rob, width, fill_buffers;
    uint32_t schedulers, scheduler;           /* and entries of each */
    uint32_t prefetch_buffers, write_buffers; /* 0: those for loads */
    uint32_t wc_buffers;
    uint32_t entries[STRUCTURES];
    uint32_t held[REGISTER_FILES]; /* of the files, by what registers hold as the code begins */
    uint32_t cache_parts;          /* of the first two levels */
    unsigned limited;              /* bits of the structures that can be full before the ROB is */
    bool is_scheduler_limited;
    bool is_load_queue_early; /* limited, and left when data is there */
    bool shares_entries;      /* of the ROB: neighbours do */
};

/*
 * Returns what the core leaves beside that work. Work of somebody else takes half of the pipeline,
 * ordered work half of each structure that is split (a parameter smt_... of 0). It takes as much of
 * a shared one (1) as it uses; a whole one (2) each thread has for itself. At least one is left.
 */
struct model_limits model_limits_of(const struct model_parameters *parameters,
                                    enum model_beside beside);

#endif

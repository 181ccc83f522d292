/* model_limits: how much of everything the core has for the thread that is measured. */
#ifndef MLPBOOT_MODEL_LIMITS_H
#define MLPBOOT_MODEL_LIMITS_H

#include "model_decode.h"
#include "model_parameters.h"

/* Work of the core's other thread: none; somebody's, which takes half of the pipeline; or work that
 * it was ordered to do. */
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
 * Returns the limits beside that work. Somebody's takes half of everything but the caches. Ordered
 * work takes half of what is split (a parameter smt_... of 0), whatever it is; what it uses of what
 * is shared (1); nothing of what is whole (2). At least one of everything is left.
 */
struct model_limits model_limits_of(const struct model_parameters *parameters,
                                    enum model_beside beside);

#endif

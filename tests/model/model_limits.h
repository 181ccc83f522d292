/* model_limits: how much of everything the core has for the thread that is measured. */
#ifndef MLPBOOT_MODEL_LIMITS_H
#define MLPBOOT_MODEL_LIMITS_H

#include "model_decode.h"
#include "model_parameters.h"

/* What the core's other thread does: nothing; what somebody has it do, who takes half of what the
 * pipeline has; or what it was ordered to. */
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
 * Of the core beside that work. Somebody gets half of everything, and so does ordered work of what
 * is split (a parameter smt_... of 0), whatever it is. Of what is shared (1) it takes as much as it
 * uses; what is whole (2) each thread has for itself. There is at least one of everything.
 */
struct model_limits model_limits_of(const struct model_parameters *parameters,
                                    enum model_beside beside);

#endif

/* model_limits: how much of everything the core has for the thread that is measured. */
#ifndef MLPBOOT_MODEL_LIMITS_H
#define MLPBOOT_MODEL_LIMITS_H

#include "model_decode.h"
#include "model_parameters.h"

struct model_limits {
    uint32_t rob, width, scheduler, fill_buffers;
    uint32_t prefetch_buffers, write_buffers; /* 0: those for loads */
    uint32_t wc_buffers;
    uint32_t of[STRUCTURES];
    unsigned limited; /* bits of the structures that can be full before the ROB is */
    bool is_scheduler_limited;
    bool is_load_queue_early; /* limited, and left when data is there */
    bool is_paired;           /* NOPs are */
};

/* Of a core that `threads` share: each has its part of everything, and at least one. */
struct model_limits model_limits_of(const struct model_parameters *parameters, unsigned threads);

#endif

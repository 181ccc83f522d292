/* model_sibling: when the core's other hardware thread is awake. */
#ifndef MLPBOOT_MODEL_SIBLING_H
#define MLPBOOT_MODEL_SIBLING_H

#include <stdbool.h>

#include "model_random.h"

/* Awake and asleep in turn; at first by its share of the time. */
struct model_sibling {
    struct random random;
    double mean[2]; /* cycles of a period: asleep, awake */
    double until;   /* cycle in which this period ends */
    bool is_awake;
};

void model_sibling_open(struct model_sibling *sibling, const struct model_parameters *parameters,
                        uint64_t now);

/* `now` must never decrease. */
bool model_sibling_is_awake(struct model_sibling *sibling, uint64_t now);

#endif

/* model_sibling: what the core's other hardware thread does. */
#ifndef MLPBOOT_MODEL_SIBLING_H
#define MLPBOOT_MODEL_SIBLING_H

#include <stdbool.h>

#include "../../kernel/data/generators.h"
#include "model_limits.h"
#include "model_random.h"

/* Awake and asleep in turn; at first by its share of the time. But it does what it is ordered. */
struct model_sibling {
    struct random random;
    double mean[2]; /* cycles of a period: asleep, awake */
    double until;   /* cycle in which this period ends */
    bool is_awake;
    enum generator_work work; /* ordered; at first to rest */
};

void model_sibling_open(struct model_sibling *sibling, const struct model_parameters *parameters,
                        uint64_t now);

/* `now` must never decrease. */
enum model_beside model_sibling_beside(struct model_sibling *sibling, uint64_t now);

#endif

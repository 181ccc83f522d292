/* model_random: what the model draws, each purpose from a sequence of its own. */
#ifndef MLPBOOT_MODEL_RANDOM_H
#define MLPBOOT_MODEL_RANDOM_H

#include "../../kernel/lib/random.h"
#include "model_parameters.h"

/* Added to the seed, so that no vice moves what another one draws. */
enum model_sequence {
    SEQUENCE_LATENCY,
    SEQUENCE_SAMPLE,
    SEQUENCE_SIBLING,
    SEQUENCE_CLOCK,
    SEQUENCE_SLOW,
    SEQUENCE_INERT,
    SEQUENCE_GENERATORS,
    SEQUENCE_TLB,
    SEQUENCE_CACHES
};

void model_random_open(struct random *random, const struct model_parameters *parameters,
                       enum model_sequence sequence);

/* Returns a uniform number in [0, 1). */
double model_uniform(struct random *random);
/* Returns a number of mean 0 and standard deviation 1: four uniform ones' sum, nearly normal. */
double model_normal(struct random *random);
/* Returns a number of mean 1: how long something lasts that may end at any time. */
double model_exponential(struct random *random);

#endif

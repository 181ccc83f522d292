/* model_pairs: entries of a reorder buffer in which two NOPs in a row take one together. */
#ifndef MLPBOOT_MODEL_PAIRS_H
#define MLPBOOT_MODEL_PAIRS_H

#include "model_decode.h"

/* Each as long as the code is. */
struct model_pairs {
    uint32_t *entry; /* of each operation, counted from the code's start */
    uint32_t *last;  /* operation of each entry */
};

void model_pairs_find(struct model_pairs *pairs, const struct operation *operation, size_t count);

#endif

/* model_sibling: periods that may end at any time, drawn one after the other. */
#include "model_sibling.h"

#include <math.h>

static void draw_end(struct model_sibling *sibling)
{
    sibling->until += sibling->mean[sibling->is_awake] * model_exponential(&sibling->random);
}

/* Both kinds together have the mean asked for; their ratio is the share. */
void model_sibling_open(struct model_sibling *sibling, const struct model_parameters *parameters,
                        uint64_t now)
{
    double both = 2 * parameters->sibling_ms * MODEL_CYCLES_PER_MS, share = parameters->sibling;

    model_random_open(&sibling->random, parameters, SEQUENCE_SIBLING);
    sibling->mean[false] = both * (1 - share);
    sibling->mean[true] = both * share;
    sibling->is_awake = model_uniform(&sibling->random) < share;
    sibling->until = (double)now;
    if (share == 0 || share == 1)
        sibling->until = INFINITY;
    else
        draw_end(sibling);
}

bool model_sibling_is_awake(struct model_sibling *sibling, uint64_t now)
{
    while ((double)now >= sibling->until) {
        sibling->is_awake = !sibling->is_awake;
        draw_end(sibling);
    }
    return sibling->is_awake;
}

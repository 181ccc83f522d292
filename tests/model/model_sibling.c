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
    sibling->work = GENERATOR_REST;
    if (share == 0 || share == 1)
        sibling->until = INFINITY;
    else
        draw_end(sibling);
}

static bool is_awake(struct model_sibling *sibling, uint64_t now)
{
    while ((double)now >= sibling->until) {
        sibling->is_awake = !sibling->is_awake;
        draw_end(sibling);
    }
    return sibling->is_awake;
}

/* Resting, it is anybody's. */
enum model_beside model_sibling_beside(struct model_sibling *sibling, uint64_t now)
{
    static const enum model_beside ordered[GENERATOR_WORKS] = {
        [GENERATOR_SPIN] = BESIDE_NOPS,
        [GENERATOR_READ] = BESIDE_LOADS,
        [GENERATOR_WRITE] = BESIDE_STORES,
        [GENERATOR_COPY] = BESIDE_STORES,
    };
    if (sibling->work != GENERATOR_REST)
        return ordered[sibling->work];
    return is_awake(sibling, now) ? BESIDE_SOMEBODY : BESIDE_NOBODY;
}

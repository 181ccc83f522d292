/* model_random: numbers of three distributions, from seeded bits. */
#include "model_random.h"

#include <math.h>

void model_random_open(struct random *random, const struct model_parameters *parameters,
                       enum model_sequence sequence)
{
    random_seed(random, parameters->seed + sequence);
}

double model_uniform(struct random *random)
{
    return (double)(random_next(random) >> 11) * 0x1p-53;
}

double model_normal(struct random *random)
{
    uint64_t bits = random_next(random);
    uint64_t sum = (bits & 0xffff) + (bits >> 16 & 0xffff) + (bits >> 32 & 0xffff) + (bits >> 48);
    /* Mean 2 * 65535; each has the variance 65536^2 / 12, four of them a third of 65536^2. */
    return ((double)sum - 131070) * (1.7320508075688772 / 65536);
}

double model_exponential(struct random *random)
{
    return -log(1 - model_uniform(random));
}

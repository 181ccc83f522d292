/* model_generators: one exponential interval after the other. */
#include "model_generators.h"

#include <string.h>

#include "model_cache.h"

#define BLOCK_LINES (GENERATOR_BLOCK / MODEL_LINE_BYTES)

void model_generators_open(struct model_generators *generators,
                           const struct model_parameters *parameters)
{
    memset(generators, 0, sizeof(*generators));
    generators->parameters = parameters;
    model_random_open(&generators->random, parameters, SEQUENCE_GENERATORS);
}

unsigned model_generators_start(struct model_generators *generators,
                                const struct generators_request *request, uint64_t there)
{
    bool is_fewer = request->count > 0 && request->count < there;
    generators->count = is_fewer ? request->count : (unsigned)there;
    generators->between = 0;
    generators->lines = 0;
    return generators->count;
}

void model_generators_stop(struct model_generators *generators)
{
    generators->count = 0;
    generators->between = 0;
}

/* From one line of them all to the next, in the mean. */
static double interval(const struct model_generators *generators,
                       const struct generator_order *order)
{
    const struct model_parameters *parameters = generators->parameters;
    double block = (double)(BLOCK_LINES * parameters->memory) / (double)parameters->fill_buffers;
    if (order->work <= GENERATOR_SPIN)
        return 0;
    if (block < order->pause)
        block = order->pause;
    return block / (BLOCK_LINES * generators->count);
}

void model_generators_order(struct model_generators *generators,
                            const struct generator_order *order, uint64_t now, double *next_line)
{
    model_generators_advance(generators, now, next_line);
    generators->between = interval(generators, order);
    generators->next = (double)now + generators->between * model_exponential(&generators->random);
}

void model_generators_advance(struct model_generators *generators, uint64_t now, double *next_line)
{
    const struct model_parameters *parameters = generators->parameters;
    double line = parameters->bandwidth > 0 ? MODEL_LINE_BYTES / parameters->bandwidth : 0;
    double longest = (double)(generators->count * parameters->fill_buffers - 1) * line;
    while (generators->between > 0 && generators->next <= (double)now) {
        if (generators->next < *next_line - longest) {
            generators->next = *next_line - longest; /* until then no buffer is free */
            continue;
        }
        *next_line = (*next_line > generators->next ? *next_line : generators->next) + line;
        generators->lines++;
        generators->next += generators->between * model_exponential(&generators->random);
    }
}

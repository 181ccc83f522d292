/* model_generators: what other cores ask of the memory that they share with the modelled one. */
#ifndef MLPBOOT_MODEL_GENERATORS_H
#define MLPBOOT_MODEL_GENERATORS_H

#include "../../kernel/data/generators.h"
#include "model_random.h"

/*
 * Their lines come at random moments (a Poisson process), at the rate that their number, their
 * fill buffers and the pause give: alone, a core has all its buffers under way all the time. Memory
 * hands out one line after the other, each in the same time: what waits there is the queue M/D/1,
 * and a load that comes to it waits r S / (2 (1 - r)) cycles in the mean, with S cycles for a line
 * and a share r of the time in which the memory is busy (Pollaczek and Khinchin; Kleinrock,
 * "Queueing Systems", 1975, 5.6). No more lines wait than they have buffers.
 */
struct model_generators {
    const struct model_parameters *parameters;
    struct random random;
    unsigned count; /* 0: there are none */
    double between; /* mean cycles between two lines; 0: they ask for none */
    double next;    /* cycle in which the next one is asked for */
    uint64_t lines; /* asked for since they were started */
};

/* Starts without generators. `parameters` must stay. */
void model_generators_open(struct model_generators *generators,
                           const struct model_parameters *parameters);

/* Work as the platform's services, with `there` processors in all. Returns how many were
 * started. */
unsigned model_generators_start(struct model_generators *generators,
                                const struct generators_request *request, uint64_t there);
void model_generators_stop(struct model_generators *generators);
void model_generators_order(struct model_generators *generators,
                            const struct generator_order *order, uint64_t now, double *next_line);

/* Makes the generators ask for all lines until `now`, which must never decrease. *next_line is the
 * cycle from which memory may be asked for another line. */
void model_generators_advance(struct model_generators *generators, uint64_t now, double *next_line);

#endif

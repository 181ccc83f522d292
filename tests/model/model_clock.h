/* model_clock: what the time-stamp counter says in a cycle of the core. */
#ifndef MLPBOOT_MODEL_CLOCK_H
#define MLPBOOT_MODEL_CLOCK_H

#include <stdbool.h>

#include "model_random.h"

#define MODEL_WAVES 3

/* One part of how fast the counter runs against the core: the sine of `phase` and the time. */
struct model_wave {
    double per_cycle, phase; /* radians */
    double height;           /* ticks that it brings at most, either way */
};

struct model_clock {
    const struct model_parameters *parameters;
    struct random random;
    struct model_wave wave[MODEL_WAVES];
    bool is_drifting;
    uint64_t first;     /* cycle of the core */
    double low;         /* the least clock as a share of the full one */
    double ramp, steps; /* ticks from least to full, and from one step to the next; 0: none */
    uint64_t step;      /* 0: it counts one by one */
    uint64_t last;      /* reading */
};

/* The parameters must stay. `first` is the cycle in which the core starts, and as many ticks. */
void model_clock_open(struct model_clock *clock, const struct model_parameters *parameters,
                      uint64_t first);

/* Returns for how many cycles SMIs have stopped the core by its cycle `cycle`, in which no other
 * cycle is counted: clocks and counters go on. */
uint64_t model_clock_stopped(const struct model_parameters *parameters, uint64_t cycle);

/* A reading; one that is off does not make the next one smaller than it. */
uint64_t model_clock_read(struct model_clock *clock, uint64_t cycle);

/*
 * Cycles to wait before a run: what lies between two runs has no length that fits a counter's
 * step, so that runs start anywhere in it.
 */
uint64_t model_clock_wait(struct model_clock *clock);

#endif

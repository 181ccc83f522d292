/* model_clock: the integral of slow sines and the SMIs, in steps of which a reading now and then is
 * one off. */
#include "model_clock.h"

#include <math.h>

#define TURN (2 * 3.14159265358979323846)
#define READINGS_PER_SLIP 1000

/*
 * Periods in units of drift_ms. Three sines of two thirds each have a root mean square of 0.8, and
 * with these periods they change by about 1 in the unit.
 */
static const double periods[MODEL_WAVES] = {3.1, 5.3, 11.7};
#define WAVE_SHARE (2.0 / MODEL_WAVES)

void model_clock_open(struct model_clock *clock, const struct model_parameters *parameters)
{
    *clock = (struct model_clock){.parameters = parameters};
    model_random_open(&clock->random, parameters, SEQUENCE_CLOCK);
    clock->is_drifting = parameters->drift > 0;
    for (unsigned i = 0; i < MODEL_WAVES; i++) {
        double period = periods[i] * parameters->drift_ms * MODEL_CYCLES_PER_MS;
        struct model_wave *wave = &clock->wave[i];
        wave->per_cycle = TURN / period;
        wave->phase = TURN * model_uniform(&clock->random);
        wave->height = parameters->drift * WAVE_SHARE / wave->per_cycle;
    }
}

/* Ticks that there are more than cycles; a sum of sines has this for its integral. */
static double drift(const struct model_clock *clock, uint64_t cycle)
{
    double ticks = 0;
    for (const struct model_wave *wave = clock->wave; wave < clock->wave + MODEL_WAVES; wave++)
        ticks +=
            wave->height * (cos(wave->phase) - cos(wave->phase + wave->per_cycle * (double)cycle));
    return ticks;
}

uint64_t model_clock_stopped(const struct model_parameters *parameters, uint64_t cycle)
{
    double every = parameters->smi_ms * MODEL_CYCLES_PER_MS;
    double stop = parameters->smi_us * (MODEL_CYCLES_PER_MS / 1000.0);
    return (uint64_t)(floor((double)cycle / every) * stop);
}

uint64_t model_clock_read(struct model_clock *clock, uint64_t cycle)
{
    uint64_t ticks = cycle, step = clock->parameters->tsc_step;
    if (clock->is_drifting)
        ticks = (uint64_t)((double)cycle + drift(clock, cycle) + 0.5);
    ticks += model_clock_stopped(clock->parameters, cycle);
    if (step > 0) {
        ticks -= ticks % step;
        ticks += random_below(&clock->random, READINGS_PER_SLIP) == 0;
        if (ticks < clock->last)
            ticks = clock->last;
    }
    clock->last = ticks;
    return ticks;
}

uint64_t model_clock_wait(struct model_clock *clock)
{
    uint64_t step = clock->parameters->tsc_step;
    return step > 0 ? random_below(&clock->random, step) : 0;
}

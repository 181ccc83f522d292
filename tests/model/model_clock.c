/* model_clock: the integral of slow sines, ramps, steps and SMIs; what it counts by is now and then
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

void model_clock_open(struct model_clock *clock, const struct model_parameters *parameters,
                      uint64_t first)
{
    *clock = (struct model_clock){.parameters = parameters,
                                  .first = first,
                                  .step = parameters->tsc_step,
                                  .low = parameters->clock_low,
                                  .ramp = parameters->clock_ramp * MODEL_CYCLES_PER_MS,
                                  .steps = parameters->clock_steps * MODEL_CYCLES_PER_MS};
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

/* Ticks until so many cycles have passed of a ramp: low * t + (1 - low) / 2 * t^2 / ramp of them.
 */
static double ticks_of_ramp(const struct model_clock *clock, double cycles)
{
    double more = (1 - clock->low) / clock->ramp;
    return more > 0 ? (sqrt(clock->low * clock->low + 2 * more * cycles) - clock->low) / more
                    : cycles;
}

/* The same of a full clock and the least one by turns. */
static double ticks_of_steps(const struct model_clock *clock, double cycles)
{
    double turn = clock->steps * (1 + clock->low), within = fmod(cycles, turn);
    double slow = within > clock->steps ? within - clock->steps : 0;
    return cycles - within + (cycles - within) / turn * clock->steps * (1 - clock->low) +
           (within - slow) + slow / clock->low;
}

static double ticks_of(const struct model_clock *clock, double cycles)
{
    double ramp = clock->ramp * (1 + clock->low) / 2; /* cycles */
    if (cycles < ramp)
        return ticks_of_ramp(clock, cycles);
    cycles -= ramp;
    return clock->ramp + (clock->steps > 0 ? ticks_of_steps(clock, cycles) : cycles);
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
    uint64_t ticks = cycle;
    if (clock->is_drifting || clock->ramp > 0 || clock->steps > 0)
        ticks = (uint64_t)((double)clock->first + ticks_of(clock, (double)(cycle - clock->first)) +
                           drift(clock, cycle) + 0.5);
    ticks += model_clock_stopped(clock->parameters, cycle);
    if (clock->step > 0) {
        ticks -= ticks % clock->step;
        ticks += random_below(&clock->random, READINGS_PER_SLIP) == 0;
        if (ticks < clock->last)
            ticks = clock->last;
    }
    clock->last = ticks;
    return ticks;
}

uint64_t model_clock_wait(struct model_clock *clock)
{
    return clock->step > 0 ? random_below(&clock->random, clock->step) : 0;
}

/* noise: the time that a spinning core is not given. */
#ifndef MLPBOOT_EXPERIMENTS_NOISE_H
#define MLPBOOT_EXPERIMENTS_NOISE_H

#include <stdbool.h>

struct measurement;

/* As experiment.h says. Cases `quiet` and `interrupts`. */
bool noise_measure(struct measurement *m);

/*
 * One slice of that many milliseconds of the quietest case that the platform can give, for a run's
 * certificate. Reserves its own rows, see measurement_release. Where no case can be had, the one
 * row is a skipped one with the reason. False: as experiment.h says.
 */
bool noise_sample(struct measurement *m, unsigned milliseconds);

#endif

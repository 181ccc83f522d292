/* floor: what measuring itself costs, below which nothing can be told. */
#ifndef MLPBOOT_EXPERIMENTS_FLOOR_H
#define MLPBOOT_EXPERIMENTS_FLOOR_H

#include <stdbool.h>

#include "../lib/text.h"
#include "../data/row.h"

struct measurement;

/* As experiment.h says: as many samples as configured, and instructions counted where they can be.
 */
bool floor_measure(struct measurement *m);

/* The same with few samples and nothing counted, some milliseconds: every run has it. */
bool floor_sample(struct measurement *m);

/* One case on the console, a line for each row. */
void floor_show(const struct row *rows, size_t count, struct text *text);

#endif

/* width: how many additions a core can do in a cycle, as published. */
#ifndef MLPBOOT_CPU_WIDTH_H
#define MLPBOOT_CPU_WIDTH_H

#include "processor.h"

/*
 * Additions of a register and a constant, independent of each other; 0: not known, or several kinds
 * of core.
 *
 * Sources: AMD, Software Optimization Guides for families 17h, 19h and 1Ah (integer units); Agner
 * Fog, Instruction tables, and uops.info (ADD r32, i8) for Intel's.
 */
unsigned width_of_additions(const struct processor *processor);

#endif

/* microcode: which revision of it the processor runs. */
#ifndef MLPBOOT_CPU_MICROCODE_H
#define MLPBOOT_CPU_MICROCODE_H

#include "processor.h"

/*
 * Its revision by MSR 8BH, which is left as it was: after a write of 0, CPUID leaf 1 has an Intel
 * processor fill it in (SDM volume 3A, 10.11.7.1); on AMD's it is always there (Linux,
 * MSR_AMD64_PATCH_LEVEL). Ring 0, with our own IDT loaded (see exceptions.h). False: not told.
 */
bool microcode_revision(const struct processor *processor, uint32_t *revision);

#endif

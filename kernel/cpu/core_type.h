/* core_type: which kind of core we run on, on a processor that has several. */
#ifndef MLPBOOT_CPU_CORE_TYPE_H
#define MLPBOOT_CPU_CORE_TYPE_H

#include "event.h"

/* CORE_ANY where all cores are alike. Intel SDM 2A, CPUID leaf 1AH and (7,0):EDX[15]. */
enum core_type core_type_read(const struct processor *processor);

#endif

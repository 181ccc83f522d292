/* counter_errata: what single models of processor do otherwise than the manuals promise. */
#ifndef MLPBOOT_CPU_COUNTER_ERRATA_H
#define MLPBOOT_CPU_COUNTER_ERRATA_H

#include "model_match.h"

/* The counters count wrongly unless a set sequence of events ran on them before (AAK100 ...). */
#define ERRATUM_PRIMING (1u << 0)
/* CPUID leaf 0AH may announce fewer than the three fixed counters there are (bare metal only). */
#define ERRATUM_FIXED_COUNT (1u << 1)
/* Microcode borrows general counter 3 unless TSX_FORCE_ABORT[0] is set. */
#define ERRATUM_TSX_BORROWS (1u << 2)

/* Those of this processor. `version`: of architectural performance monitoring; 0 on AMD. */
unsigned counter_errata(const struct processor *processor, unsigned version);

#define PRIMING_STEPS 4

/*
 * The selectors of ERRATUM_PRIMING for general counters 0 to 3: program them over cleared counters,
 * enable all four, disable, clear the selectors. Errata AAK100 (Core i7-900), AAP53 (i7-800), BD53
 * (Xeon 5600).
 */
extern const uint32_t counter_priming[PRIMING_STEPS];

#endif

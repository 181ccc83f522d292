/* unit: the performance counters of the core we run on, in one description. */
#ifndef MLPBOOT_PMU_UNIT_H
#define MLPBOOT_PMU_UNIT_H

#include "event.h"

/* Counters are numbered as in event.h and RDPMC's masks: general n is n, fixed n is 32 + n. */
#define COUNTER_GENERAL_MAX 16
#define COUNTER_ALIASED 8 /* general counters from here on have no legacy registers */
#define COUNTER_FIXED 32
#define COUNTER_FIXED_MAX 7
#define COUNTERS_MAX (COUNTER_FIXED + COUNTER_FIXED_MAX)
#define COUNTER_BIT(n) (1ull << (n))

#define MSR_OFFCORE_RSP 0x1a6 /* 0; 1 is the next one */

#define SELECTOR_ENABLE (1ull << 22)

/* In the status register: an overflow stopped all counters (Intel CTR_FRZ, from version 4 on; AMD
 * PerfMonV2 likewise). Before version 4 global control is cleared instead. */
#define COUNTERS_FROZEN (1ull << 59)

enum counter_unit_kind {
    COUNTERS_NONE,
    COUNTERS_INTEL,        /* architectural version 1: selectors only */
    COUNTERS_INTEL_GLOBAL, /* from version 2: fixed counters, global control */
    COUNTERS_AMD_LEGACY,
    COUNTERS_AMD_EXTENDED,
    COUNTERS_AMD_GLOBAL, /* PerfMonV2 */
    COUNTER_UNIT_KINDS
};

/* MSR numbers of a kind of unit; 0: it has no such register. */
struct counter_layout {
    uint32_t selector, counter, step; /* of general counter 0, and to the next one */
    uint32_t global_control, status, status_clear;
    uint32_t fixed_control, fixed_counter;
};

struct counter_unit {
    enum counter_unit_kind kind;
    const char *why_none; /* for COUNTERS_NONE, in words for the user */
    unsigned version;     /* architectural, on AMD of PerfMon; 0 where that is not announced */
    unsigned general_width, fixed_width; /* bits */
    bool full_width;                     /* a write sets all bits, not 32 sign-extended ones */
    bool umask2;                         /* selectors have UMASK2 */
    bool freezes_in_smm;                 /* DEBUGCTL stops the counters during SMIs */
    /* Why an overflow cannot stop all counters at once (DEBUGCTL); NULL: it can. */
    const char *no_freeze;
    uint8_t offcore; /* bit n: OFFCORE_RSP_n answers */
    unsigned errata; /* ERRATUM_... */
    enum core_type core_type;
    uint64_t present;                  /* announced by CPUID */
    uint64_t owned;                    /* of these, in use by firmware */
    uint64_t usable;                   /* of these, what is left */
    const char *why_not[COUNTERS_MAX]; /* of those present and not usable */
};

/* --- unit.c: found --------------------------------------------------------------------------- */

/*
 * Describes the running core's unit; `owned` is found out by counter_find_owned, the counters'
 * worth by pmu_prove (pmu.h). Writes nothing. Ring 0 with our own IDT loaded. Intel SDM 3B, chapter
 * 20 (CPUID leaves 0AH and 23H); AMD APM 2, section 13.2, and 3, appendix E (80000022H).
 */
void counter_unit_discover(struct counter_unit *unit, const struct processor *processor);

/* No counter of the unit can be used after all. */
void counter_unit_lose(struct counter_unit *unit, const char *why);
/* One counter cannot be used. */
void counter_drop(struct counter_unit *unit, unsigned counter, const char *why);

const struct counter_layout *counter_layout(const struct counter_unit *unit);
/* MSR number of the selector of a general counter, and of a counter's value. */
uint32_t counter_selector_msr(const struct counter_unit *unit, unsigned counter);
uint32_t counter_value_msr(const struct counter_unit *unit, unsigned counter);
/* All bits of a counter's value. */
uint64_t counter_mask(const struct counter_unit *unit, unsigned counter);

/* --- owner.c: whose -------------------------------------------------------------------------- */

/*
 * Sets unit->owned and drops those counters, and those whose registers do not answer. Only reads,
 * and runs a loop of about a millisecond to see whether a counter moves on its own. Intel,
 * "Performance Monitoring Unit Sharing Guide"; SDM 3B, 20.2.4.3 (IA32_PERF_GLOBAL_INUSE).
 */
void counter_find_owned(struct counter_unit *unit);

/* --- errata.c: what single models of processor do otherwise than the manuals promise --------- */

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

/* --- known_loop.c: code whose number of instructions is known -------------------------------- */

#define KNOWN_LOOP_INSTRUCTIONS 8 /* of each iteration */

/*
 * Retires KNOWN_LOOP_INSTRUCTIONS per iteration (at least one) and a handful more. An iteration
 * takes about six cycles, so that cycles are not mistaken for instructions.
 */
void known_loop(uint64_t iterations);

#endif

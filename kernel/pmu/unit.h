/* unit: describes the performance counters of the core we run on. */
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

#define SELECTOR_ENABLE (1ull << 22)

/* Status bit: an overflow stopped all counters (Intel CTR_FRZ, from version 4 on; AMD PerfMonV2).
 * Before version 4 an overflow clears global control instead. */
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

/* Holds the MSR numbers of a kind of unit; 0: it has no such register. */
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
    unsigned errata; /* ERRATUM_... */
    enum core_type core_type;
    uint64_t present;                  /* announced by CPUID */
    uint64_t owned;                    /* of these, in use by firmware */
    uint64_t usable;                   /* of these, what is left */
    const char *why_not[COUNTERS_MAX]; /* of those present and not usable */
};

/* --- unit.c: found --------------------------------------------------------------------------- */

/*
 * Describes the running core's unit. counter_find_owned finds `owned`; pmu_prove (pmu.h) tests the
 * counters. Writes no register. Ring 0 with our own IDT loaded. Intel SDM 3B, chapter 20 (CPUID
 * leaves 0AH and 23H); AMD APM 2, section 13.2, and 3, appendix E (80000022H).
 */
void counter_unit_discover(struct counter_unit *unit, const struct processor *processor);

/* Drops all counters of the unit. */
void counter_unit_lose(struct counter_unit *unit, const char *why);
/* Makes one counter unusable. */
void counter_drop(struct counter_unit *unit, unsigned counter, const char *why);

const struct counter_layout *counter_layout(const struct counter_unit *unit);
/* Returns the MSR number of a general counter's selector, and of a counter's value. */
uint32_t counter_selector_msr(const struct counter_unit *unit, unsigned counter);
uint32_t counter_value_msr(const struct counter_unit *unit, unsigned counter);
/* Returns a value with all bits of the counter set. */
uint64_t counter_mask(const struct counter_unit *unit, unsigned counter);

/* --- owner.c: used by firmware --------------------------------------------------------------- */

/*
 * Sets unit->owned. Drops the owned counters, and the counters whose registers do not answer.
 * Writes no register, and runs a loop of about a millisecond to find counters that count already.
 * Intel, "Performance Monitoring Unit Sharing Guide"; SDM 3B, 20.2.4.3 (IA32_PERF_GLOBAL_INUSE).
 */
void counter_find_owned(struct counter_unit *unit);

/* --- errata: processors that contradict the manuals ------------------------------------------ */

/* CPUID leaf 0AH may announce fewer than the three fixed counters (bare metal only). */
#define ERRATUM_FIXED_COUNT (1u << 0)
/* Microcode borrows general counter 3 unless TSX_FORCE_ABORT[0] is set. */
#define ERRATUM_TSX_BORROWS (1u << 1)

/* --- known_loop.c: a loop with a known number of instructions -------------------------------- */

#define KNOWN_LOOP_INSTRUCTIONS 8 /* of each iteration */

/*
 * Retires KNOWN_LOOP_INSTRUCTIONS per iteration (at least one) and a handful more. An iteration
 * takes about six cycles, so that cycles are not mistaken for instructions.
 */
void known_loop(uint64_t iterations);

#endif

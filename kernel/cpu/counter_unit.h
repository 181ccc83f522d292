/* counter_unit: the performance counters of the core we run on, in one description. */
#ifndef MLPBOOT_CPU_COUNTER_UNIT_H
#define MLPBOOT_CPU_COUNTER_UNIT_H

#include "core_type.h"
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
    uint8_t offcore;                     /* bit n: OFFCORE_RSP_n answers */
    unsigned errata;                     /* ERRATUM_... of counter_errata.h */
    enum core_type core_type;
    uint64_t present;                  /* announced by CPUID */
    uint64_t owned;                    /* of these, in use by firmware */
    uint64_t usable;                   /* of these, what is left */
    const char *why_not[COUNTERS_MAX]; /* of those present and not usable */
};

/*
 * Describes the running core's unit; `owned` and the counters' worth are found out elsewhere
 * (counter_owner.h, counter_test.h). Writes nothing. Ring 0 with our own IDT loaded. Intel SDM 3B,
 * chapter 20 (CPUID leaves 0AH and 23H); AMD APM 2, section 13.2, and 3, appendix E (80000022H).
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

#endif

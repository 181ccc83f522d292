/* event: the events of each microarchitecture, compiled from events.csv. */
#ifndef MLPBOOT_PMU_EVENT_H
#define MLPBOOT_PMU_EVENT_H

#include <stdbool.h>
#include <stdint.h>

#include "../cpu/processor.h"

#define EVENT_FIXED(n) (1ull << (32 + (n))) /* in sets of counters: fixed counter n */
#define EVENT_ANY_COUNTER ((1ull << 40) - 1)

/* Returns ECX of RDPMC for counter n, or 32 + n: fixed counter n (Intel SDM 2B, RDPMC). */
static inline uint32_t event_rdpmc(unsigned counter)
{
    return counter < 32 ? counter : (1u << 30) + counter - 32;
}

/* Holds a line of events.csv. Encodings: Intel SDM 3B, chapter 20; AMD PPR of each family. Fixed
 * counters ignore select and umask. */
struct event {
    uint64_t counters : 40;        /* bit n: general counter n may count it; EVENT_FIXED(n) */
    uint64_t counters_ht_off : 16; /* general ones with hyper-threading off; 0: no other */
    /* AMD: adds more than 15 per cycle; the odd counter after its even one has to merge with it. */
    uint64_t wide : 1;
    uint64_t architectural : 4; /* 1 + bit of CPUID 0AH:EBX that makes it void; 0: none does */
    uint16_t key;               /* row of event_keys */
    uint16_t select;            /* 8 bits on Intel, 12 on AMD */
    uint8_t umask, cmask;
    uint8_t umask_ext; /* UMASK2: only where CPUID leaf 23H says so */
};

/* Lists the events of one microarchitecture, in the order of their keys. Several share an event,
 * which the image holds once. */
struct microarchitecture {
    const char *name; /* as in events.csv: "haswell", "alderlake_p" */
    const struct event *pool;
    const uint16_t *rows; /* of the pool, `count` */
    unsigned count;
};

static inline const struct event *event_at(const struct microarchitecture *uarch, unsigned i)
{
    return &uarch->pool[uarch->rows[i]];
}

/* --- compiled by events.awk ------------------------------------------------------------------ */

/* Describes the processors of a line's family and models. The first row that fits is taken. */
struct processor_range {
    uint8_t vendor, core; /* enum processor_vendor, enum core_type */
    uint16_t family_first, family_last;
    uint8_t model_first, model_last, stepping_first, stepping_last;
    uint8_t microarchitecture; /* row of event_microarchitectures */
};

extern const struct microarchitecture event_microarchitectures[];
extern const unsigned event_microarchitecture_count;
extern const struct processor_range event_processors[];
extern const unsigned event_processor_count;

/* Lists every key of events.csv, in alphabetical order: names of metrics in results.csv. */
extern const char *const event_keys[];
extern const unsigned event_key_count;

/* Finds a processor's microarchitecture by vendor, family, model and stepping, and on a hybrid by
 * the type of the core we run on (CPUID leaf 1AH); CORE_ANY if the processor is no hybrid. Returns
 * the architectural events for an Intel processor not in the table; else NULL. */
const struct microarchitecture *microarchitecture_find(const struct processor *processor,
                                                       enum core_type type);

/* Returns NULL if the microarchitecture (NULL: none) has no event of this key. */
const struct event *event_find(const struct microarchitecture *uarch, const char *key);

#endif

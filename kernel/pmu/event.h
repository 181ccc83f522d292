/* event: what a counter can be told to count, by microarchitecture; compiled from events.csv. */
#ifndef MLPBOOT_PMU_EVENT_H
#define MLPBOOT_PMU_EVENT_H

#include <stdbool.h>
#include <stdint.h>

#include "../cpu/processor.h"

#define EVENT_FIXED(n) (1ull << (32 + (n))) /* in sets of counters: fixed counter n */
#define EVENT_ANY_COUNTER ((1ull << 40) - 1)

/* What ECX holds for RDPMC, of counter n, or 32 + n: fixed counter n (Intel SDM 2B, RDPMC). */
static inline uint32_t event_rdpmc(unsigned counter)
{
    return counter < 32 ? counter : (1u << 30) + counter - 32;
}

/*
 * AMD: counts nothing itself; in the odd counter n + 1 it makes the even counter n take more than
 * 15 per cycle (PPR of each family, large increment per cycle events).
 */
#define EVENT_SELECT_MERGE 0xfff

/*
 * One line of events.csv, in 24 bytes. Encodings: Intel SDM 3B, chapter 20; AMD PPR of each family.
 * Of an event that only fixed counters can count, select and umask mean nothing.
 */
struct event {
    uint64_t counters : 40;        /* bit n: general counter n may count it; EVENT_FIXED(n) */
    uint64_t counters_ht_off : 16; /* general ones with hyper-threading off; 0: no other */
    uint64_t inv : 1, edge : 1;
    uint64_t precise_only : 1;  /* listed for sampling only: plain counting has to be proved */
    uint64_t wide : 1;          /* needs EVENT_SELECT_MERGE in the counter beside it */
    uint64_t architectural : 4; /* 1 + bit of CPUID 0AH:EBX that makes it void; 0: none does */
    uint64_t offcore_rsp;       /* for OFFCORE_RSP_0 (MSR 1A6); 0: needs none */
    uint16_t key;               /* row of event_keys */
    uint16_t select;            /* 8 bits on Intel, 12 on AMD */
    uint8_t umask, cmask;
    uint8_t umask_ext; /* UMASK2: only where CPUID leaf 23H says so */
};

/*
 * The events of one microarchitecture, in the order of their keys. Many have most of them in
 * common: each is in the image once.
 */
struct microarchitecture {
    const char *name; /* as in events.csv: "haswell", "alderlake_p" */
    const struct event *pool;
    const uint16_t *rows; /* of the pool, `count` */
    unsigned count;
};

static inline const struct event *event_at(const struct microarchitecture *of, unsigned i)
{
    return &of->pool[of->rows[i]];
}

/* Every key of events.csv, in alphabetical order: names of metrics in results.csv. */
extern const char *const event_keys[];
extern const unsigned event_key_count;

/*
 * The microarchitecture of a processor: by vendor, family, model, stepping, and on a hybrid by the
 * type of the core we run on (CPUID leaf 1AH); CORE_ANY where the processor does not say it is a
 * hybrid. The architectural events for an Intel processor that is not in the table; NULL where
 * nothing is known.
 */
const struct microarchitecture *microarchitecture_find(const struct processor *processor,
                                                       enum core_type type);

/* NULL where this microarchitecture (or NULL) has no such event, or there is no such key. */
const struct event *event_find(const struct microarchitecture *of, const char *key);

#endif

/* event: what a counter can be told to count, by microarchitecture; compiled from events.csv. */
#ifndef MLPBOOT_CPU_EVENT_H
#define MLPBOOT_CPU_EVENT_H

#include <stdbool.h>
#include <stdint.h>

#include "cpuid.h"

#define EVENT_FIXED(n) (1ull << (32 + (n))) /* in `counters`: fixed counter n */

/* One line of events.csv. Encodings: Intel SDM 3B, chapter 20; AMD PPR of each family. */
struct event {
    uint64_t counters;    /* bit n: general counter n may count it; EVENT_FIXED(n): fixed n may */
    uint64_t offcore_rsp; /* for OFFCORE_RSP_0, or _1 by the other event select; 0: needs none */
    uint16_t key;         /* row of event_keys */
    uint16_t select;      /* 8 bits on Intel, 12 on AMD */
    uint8_t umask, cmask;
    uint8_t umask_ext; /* UMASK2: only where CPUID leaf 23H says so */
    bool inv, edge;
    bool precise_only; /* vendor lists it for sampling only: plain counting has to be proved */
};

enum core_type { CORE_ANY, CORE_PERFORMANCE, CORE_EFFICIENT, CORE_LOW_POWER };

/* The events of one microarchitecture stand together in `events`. */
struct microarchitecture {
    const char *name; /* as in events.csv: "haswell", "alderlake_p" */
    const struct event *events;
    unsigned count;
};

/* Every key of events.csv, in alphabetical order: names of metrics in results.csv. */
extern const char *const event_keys[];
extern const unsigned event_key_count;

/*
 * The microarchitecture of a processor: by vendor, family, model, stepping, and on a hybrid by the
 * type of the core we run on (CPUID leaf 1AH). The architectural events for an Intel processor that
 * is not in the table; NULL where nothing is known.
 */
const struct microarchitecture *microarchitecture_find(const struct processor *processor,
                                                       enum core_type type);

/* NULL where this microarchitecture has no such event, or there is no such key. */
const struct event *event_find(const struct microarchitecture *of, const char *key);

#endif

/* conditions: the parts of run.json that are the same on every platform, and which machine a run
 * was on. */
#ifndef MLPBOOT_REPORT_CONDITIONS_H
#define MLPBOOT_REPORT_CONDITIONS_H

#include "../config/config.h"
#include "../cpu/package.h"
#include "../data/machine.h"
#include "../data/nodes.h"
#include "../experiments/noise/noise_report.h"
#include "../lib/json.h"
#include "../lib/utc.h"

#define IDENTITY_ID_MAX 17 /* characters of an id, the final NUL included */

#define IDENTITY_CORES_MAX 256

struct identity_core {
    uint32_t signature; /* CPUID leaf 1, EAX */
    uint32_t apic_id;   /* processor_apic_id */
    enum core_type type;
    uint32_t microcode; /* 0: not known */
};

/* The run's own findings about the machine, besides its tables. Starts as zeroes. */
struct identity {
    const struct processor *processor;
    const struct machine *machine; /* NULL: none, a model */
    bool is_anonymous;             /* leaves out what names one machine, but for the id */
    uint32_t cores;                /* that measure, one after the other; the first are kept */
    struct identity_core core[IDENTITY_CORES_MAX];
    /* Empty: not known, or not yet; then the last of `no_utc` says why, where it is not empty. */
    char utc_start[UTC_TEXT_MAX], utc_end[UTC_TEXT_MAX];
    const char *clock; /* who told the time */
    char no_utc[UTC_REASON_MAX];
};

/* 64 bits of a hash over what stays the same on a machine, anonymous or not: makers, names and
 * serial numbers of system and board, UUID, and the processor's brand. Empty: no machine. */
void identity_id(const struct identity *identity, char id[IDENTITY_ID_MAX]);

/* Object "configuration": every key as used, and object "configured_by": where each came from. */
void conditions_configuration(struct json *json, const struct config *config);

/* Object "numa": the memory nodes, their distances, what was proved, and the reasons for gaps. */
void conditions_nodes(struct json *json, const struct memory_nodes *nodes);

/* Object "uncore": the clock that L3 and memory depend on, in each step of the run. */
void conditions_uncore(struct json *json, const struct uncore_clock *clock);

/* Object "certificate": how quiet the machine was; null: not known. */
void conditions_noise(struct json *json, const struct noise_report *report,
                      const struct platform *platform);

/* Object "counting": which events are counted here, and why others are not. */
void conditions_counting(struct json *json, const struct platform *platform);

/* Object "machine". */
void conditions_machine(struct json *json, const struct identity *identity);

/* Object "processor", and "hypervisor" behind it under one. */
void conditions_processor(struct json *json, const struct processor *processor);

#endif

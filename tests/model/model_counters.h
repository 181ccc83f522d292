/* model_counters: the modelled core's performance counters: their events and their values. */
#ifndef MLPBOOT_MODEL_COUNTERS_H
#define MLPBOOT_MODEL_COUNTERS_H

#include "../../kernel/pmu/plan.h"
#include "../../kernel/pmu/schedule.h"
#include "model_activity.h"
#include "model_parameters.h"

#define MODEL_EVENTS_MAX 64
#define MODEL_FIXED_COUNTERS 3
#define MODEL_REASON_MAX 96
#define MODEL_GLOBAL_CONTROL 0x38f /* IA32_PERF_GLOBAL_CTRL */

/* Describes what one counter counts. */
struct model_counter {
    const struct model_event_kind *kind; /* NULL: nothing */
    uint8_t cmask;
};

struct model_counters {
    const struct model_parameters *parameters;
    struct model_activity activity;
    uint16_t row[MODEL_EVENTS_MAX]; /* of the events offered */
    struct microarchitecture uarch; /* the events that the model counts */
    struct counter_offer offer;
    struct counter_unit unit;
    struct model_counter counter[COUNTERS_MAX]; /* numbered as in unit.h */
    unsigned closing;     /* the counter that ends spans; COUNTERS_MAX: none does */
    uint64_t span;        /* cycles to its overflow */
    bool counts_executed; /* a counter counts executed instructions */
    char reason[MODEL_REASON_MAX];
};

/* The parameters must stay. False: not enough memory, and nothing to close. */
bool model_counters_open(struct model_counters *counters,
                         const struct model_parameters *parameters);
void model_counters_close(struct model_counters *counters);

/*
 * Programs a pass, which counts from `now` on, unless it counts spans. Returns NULL, or the reason:
 * what plan.h refuses, or an event that the model does not count, or not with such a mask. Then
 * nothing counts.
 */
const char *model_counters_program(struct model_counters *counters, const struct counter_use *use,
                                   unsigned count, uint64_t now);
void model_counters_stop(struct model_counters *counters);

/*
 * Prepares a span, in a pass with a counter that closes: sets all counters to 0, and the closing
 * counter so many cycles before its overflow.
 */
void model_counters_set_span(struct model_counters *counters, uint64_t cycles);
/* Does a WRMSR: the span counts from `now` on. False: this register starts no span. */
bool model_counters_write(struct model_counters *counters, uint32_t index, uint64_t value,
                          uint64_t now);

/*
 * Reads what RDPMC would at `now`, with `select` in ECX, after all that has retired by then was
 * recorded. False: that counter does not count.
 */
bool model_counters_read(struct model_counters *counters, uint32_t select, uint64_t now,
                         uint64_t *value);

#endif

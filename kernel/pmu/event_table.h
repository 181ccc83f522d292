/* event_table: the tables that events.awk compiles from events.csv; for event.c and tests. */
#ifndef MLPBOOT_PMU_EVENT_TABLE_H
#define MLPBOOT_PMU_EVENT_TABLE_H

#include "event.h"

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

#endif

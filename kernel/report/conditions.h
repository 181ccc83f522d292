/* conditions: the parts of run.json that are the same on every platform. */
#ifndef MLPBOOT_REPORT_CONDITIONS_H
#define MLPBOOT_REPORT_CONDITIONS_H

#include "../config/config.h"
#include "../cpu/processor.h"
#include "../data/nodes.h"
#include "../lib/json.h"

/* Object "configuration": every key as used, and object "configured_by": where each came from. */
void conditions_configuration(struct json *json, const struct config *config);

/* Object "numa": the memory nodes, their distances, what was proved, and the reasons for gaps. */
void conditions_nodes(struct json *json, const struct memory_nodes *nodes);

/* Object "processor". */
void conditions_processor(struct json *json, const struct processor *processor);

#endif

/* counter_owner: which counters somebody else is using, firmware most likely. */
#ifndef MLPBOOT_CPU_COUNTER_OWNER_H
#define MLPBOOT_CPU_COUNTER_OWNER_H

#include "counter_unit.h"

/*
 * Sets unit->owned and drops those counters, and those whose registers do not answer. Only reads,
 * and runs a loop of about a millisecond to see whether a counter moves on its own. Intel,
 * "Performance Monitoring Unit Sharing Guide"; SDM 3B, 20.2.4.3 (IA32_PERF_GLOBAL_INUSE).
 */
void counter_find_owned(struct counter_unit *unit);

#endif

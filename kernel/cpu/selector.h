/* selector: an event as the bits that a counter's selector takes. */
#ifndef MLPBOOT_CPU_SELECTOR_H
#define MLPBOOT_CPU_SELECTOR_H

#include "counter_unit.h"

/* Widens the even counter before it, for what adds more than 15 per cycle. AMD PPR 17h, PMCxFFF. */
#define SELECTOR_MERGE 0xf004000ffull

/*
 * The selector's value, enabled, for a general counter. USR and OS are both set: with one alone
 * some processors miss counts (nanoBench). No interrupt. NULL, or the reason why this unit's
 * selectors cannot express the event. Intel SDM 3B, IA32_PERFEVTSELx; AMD APM 2, 13.2.1.
 */
const char *selector_encode(const struct counter_unit *unit, const struct event *event,
                            uint64_t *value);

/* Which OFFCORE_RSP register goes with the event: 0 or 1. Intel SDM 3B, off-core response events.
 */
unsigned selector_offcore(const struct event *event);

#endif

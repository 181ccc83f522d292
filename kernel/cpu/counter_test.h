/* counter_test: no counter is trusted before it has counted something known. */
#ifndef MLPBOOT_CPU_COUNTER_TEST_H
#define MLPBOOT_CPU_COUNTER_TEST_H

#include "counters.h"

/*
 * Each usable counter, just taken: must keep what is written to it, return the same by RDPMC, and
 * count the instructions of a loop of known length, twice. Fixed counters of other events must
 * advance. One that does not is dropped from unit.usable with the reason. Linux tests a counter's
 * read-back alike (arch/x86/events/core.c, check_hw_exists).
 */
void counter_test(struct counters *counters);

#endif

/* counter_test_loop: code whose number of instructions is known. */
#ifndef MLPBOOT_CPU_COUNTER_TEST_LOOP_H
#define MLPBOOT_CPU_COUNTER_TEST_LOOP_H

#include <stdint.h>

#define COUNTER_TEST_LOOP_INSTRUCTIONS 8 /* of each iteration */

/*
 * Retires COUNTER_TEST_LOOP_INSTRUCTIONS per iteration (at least one) and a handful more. An
 * iteration takes about six cycles, so that cycles are not mistaken for instructions.
 */
void counter_test_loop(uint64_t iterations);

#endif

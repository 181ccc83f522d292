/* call_and_look: calls generated code, and looks at what is left of registers and stack. */
#ifndef MLPBOOT_TESTS_CALL_AND_LOOK_H
#define MLPBOOT_TESTS_CALL_AND_LOOK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What a called function has to keep: RBX, RBP, R12 to R15; and by how much RSP moved. */
#define KEPT 7

/*
 * Calls the code with `argument` in RDI and returns RAX. Code that returns with one of those
 * registers on its stack comes back as well, and is seen by RSP.
 */
uint64_t call_and_look(const void *code, const void *argument, uint64_t kept[KEPT]);

/* Whether all is as it was before. */
bool is_all_kept(const uint64_t kept[KEPT]);

/* Every register but RSP, which is 0: RAX, RCX, RDX, RBX, RSP, RBP, RSI, RDI, R8 to R15. */
struct all_registers {
    uint64_t general[16];
    uint64_t vector[16][2]; /* XMM0 to XMM15 */
};

/* Calls the code with all of them set, and stores what they are then. */
void call_with_all(const void *code, struct all_registers *registers);

/* Memory for code: writable, then made executable. Fails the test where there is none. */
uint8_t *code_open(size_t bytes);
void code_close(uint8_t *code, size_t bytes);

/*
 * User mode may not read counters: puts RDTSC, which writes the same registers, in the place of
 * each RDPMC behind `mov ecx, counter`. Returns how many there were.
 */
unsigned code_read_time_for_counters(uint8_t *code, size_t length);

#endif

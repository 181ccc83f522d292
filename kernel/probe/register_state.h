/* register_state: the architectural state that a probe begins with. */
#ifndef MLPBOOT_PROBE_REGISTER_STATE_H
#define MLPBOOT_PROBE_REGISTER_STATE_H

#include "encoder.h"

/* The vector registers that can be used: XMM0 to 15; with upper halves; 32 of them, and masks. */
enum vector_registers { VECTORS_UNKNOWN, VECTORS_SSE, VECTORS_AVX, VECTORS_AVX512 };

/* Returns those of the processor that this runs on. To be asked where vector_width() may be; to
 * clear the last 16, EVEX forms of 128 bits are needed (Intel SDM volume 1, 15.4). */
enum vector_registers registers_usable(void);

/*
 * Emits the clearing of all vector registers, and of RBX, RCX, RSI, RBP and R10 to R15. A register
 * that holds something takes one of the register file's entries on many cores, a cleared one does
 * not: without this, what firmware or a library left there would decide how many are free (AMD Zen
 * 4, tried: 153, 171 or 186 to 191 vector registers).
 */
void encode_clear_registers(struct encoder *e, enum vector_registers vectors);

#endif

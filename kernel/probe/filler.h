/* filler: the instructions that stand between two loads, each using up another structure. */
#ifndef MLPBOOT_PROBE_FILLER_H
#define MLPBOOT_PROBE_FILLER_H

#include "encoder.h"

enum filler {
    FILLER_NOP,         /* one byte; a ROB entry each */
    FILLER_LONG_NOP,    /* eight bytes; a ROB entry each, and eight times the code */
    FILLER_ADD,         /* register to register; an integer register each */
    FILLER_VECTOR_ADD,  /* the same with 128-bit integers; a vector register each */
    FILLER_LOAD,        /* hits the first-level cache; a load-queue entry each */
    FILLER_STORE,       /* likewise; a store-queue entry each */
    FILLER_WAITING_ADD, /* needs the first load's result; a scheduler entry each */
    FILLER_KINDS
};

/*
 * Emits `count` of them. They read RDI, RAX, XMM0 and the 16 bytes at RSP, and write RCX, RDX, RSI,
 * R11, XMM1 to XMM4 and those 16 bytes.
 */
void encode_fillers(struct encoder *e, enum filler kind, unsigned count);

#endif

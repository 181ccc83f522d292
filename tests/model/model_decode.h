/* model_decode: turns a probe's bytes into operations; knows the few instructions of probes. */
#ifndef MLPBOOT_MODEL_DECODE_H
#define MLPBOOT_MODEL_DECODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum operation_kind {
    OPERATION_NOP,
    OPERATION_MOVE,
    OPERATION_CONSTANT, /* a register set to it */
    OPERATION_CLEAR,    /* a register by itself, xor */
    OPERATION_ADD,
    OPERATION_SUBTRACT,
    OPERATION_OR,
    OPERATION_XOR,
    OPERATION_AND,
    OPERATION_ADD_CONSTANT,
    OPERATION_SHIFT_LEFT,
    OPERATION_SHIFT_RIGHT,
    OPERATION_ADDRESS,  /* lea */
    OPERATION_MULTIPLY, /* imul */
    OPERATION_VECTOR_MOVE,
    OPERATION_VECTOR_CLEAR, /* a vector register by itself, pxor */
    OPERATION_VECTOR_XOR,
    OPERATION_VECTOR_ADD_4, /* paddd */
    OPERATION_VECTOR_ADD_8, /* paddq */
    OPERATION_MASK_CLEAR,   /* a mask register by itself, kxor */
    OPERATION_CLEAR_ALL,    /* vzeroall */
    OPERATION_CLEAR_UPPER,  /* vzeroupper */
    OPERATION_LOAD,         /* from here on: no mere computation */
    OPERATION_STORE,
    OPERATION_STORE_PAST, /* movnti */
    OPERATION_PREFETCH,
    OPERATION_PUSH,
    OPERATION_POP,
    OPERATION_FENCE,      /* lfence */
    OPERATION_DRAIN,      /* mfence */
    OPERATION_IDENTIFY,   /* cpuid */
    OPERATION_TIME,       /* rdtsc */
    OPERATION_TIME_AFTER, /* rdtscp */
    OPERATION_COUNT,      /* rdpmc */
    OPERATION_WRITE,      /* wrmsr */
    OPERATION_RETURN
};

/* Registers: RAX to R15 by the processor's numbers, ZMM0 to ZMM31, K0 to K7, and none. */
enum {
    REGISTER_RAX = 0,
    REGISTER_RCX = 1,
    REGISTER_RDX = 2,
    REGISTER_RBX = 3,
    REGISTER_RSP = 4,
    REGISTER_RDI = 7,
    REGISTER_VECTOR = 16,
    REGISTER_MASK = 48,
    REGISTER_NONE = 56,
    REGISTER_STORED = 57, /* what stores wrote last, by the address: model_core.c */
    REGISTERS = 61
};

#define STORED_REGISTERS (REGISTERS - REGISTER_STORED)
#define VECTOR_REGISTERS (REGISTER_MASK - REGISTER_VECTOR)
#define MASK_REGISTERS (REGISTER_NONE - REGISTER_MASK)
#define VECTOR_BYTES_MAX 64
#define INSTRUCTION_BYTES_MAX 15

/* Structures of which an operation holds an entry, besides one of the reorder buffer. */
enum model_structure { INT_REGS, VEC_REGS, LOAD_QUEUE, STORE_QUEUE, STRUCTURES };

#define OPERATION_SOURCES 3
#define REGISTER_FILES 2 /* INT_REGS and VEC_REGS */

struct operation {
    uint8_t kind;
    uint8_t to;                        /* register written, or none */
    uint8_t source[OPERATION_SOURCES]; /* registers it waits for, or none */
    uint8_t value;                     /* register moved, added, stored ..., or none */
    uint8_t base, index, shift;        /* an address: base + (index << shift) + constant;
                                        * of a computation in vectors, `base` is the other source */
    uint8_t bytes;                     /* moved or computed: 8, or a vector's 16, 32, 64 */
    uint8_t structures;                /* it takes an entry of: bits by enum model_structure */
    uint8_t returns[REGISTER_FILES];   /* entries that are free once it retires (model_entries) */
    bool is_scheduled;                 /* waits in a scheduler */
    bool keeps_upper;                  /* of the vector register beyond `bytes`, as SSE does */
    bool is_aligned;                   /* its address has to be a multiple of `bytes` */
    uint8_t length;                    /* in bytes of code */
    int64_t constant;
    uint32_t offset; /* in the code */
};

/*
 * Decodes `bytes` of code up to the first return; at most one operation a byte. Returns how many; 0
 * if the code does not end with a return or holds something else, and `error` names offset and
 * bytes.
 */
size_t model_decode(const uint8_t *code, size_t bytes, struct operation *operations, char *error,
                    size_t error_size);

#endif

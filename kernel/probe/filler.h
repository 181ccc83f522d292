/* filler: the instructions that stand between two loads, each using up another structure. */
#ifndef MLPBOOT_PROBE_FILLER_H
#define MLPBOOT_PROBE_FILLER_H

#include <stdbool.h>

#include "encoder.h"

/*
 * All of them, and here alone: a further one is a further row. In its columns: the enum's name;
 * the case's; where R15 points; the bytes of one, and its four forms, which it takes in turn.
 * The structures that they use up, and the verdicts, are in experiments/loads/structures_rule.h.
 *
 * The forms write four registers: with four chains, fillers are never the slowest part, and K of
 * them take K/4 cycles. Memory is addressed by R15: some processors rename what is addressed by
 * RSP, and a load from there is no load (AMD Zen 2, 4 and 5: tried).
 */
#define FILLERS(X)                                                                                 \
    /* 1-byte NOPs: cores pack several of them into one entry of the reorder buffer */             \
    X(NOP, "nop", STACK, 1, {0x90}, {0x90}, {0x90}, {0x90})                                        \
    /* nop word [rax+rax+0]: the recommended 9-byte form (Intel SDM 2B, NOP). AMD Zen 4 packs two  \
     * neighbours into one entry where both together have at most 15 bytes (tried) */              \
    X(LONG_NOP, "long-nop", STACK, 9, {0x66, 0x0f, 0x1f, 0x84}, {0x66, 0x0f, 0x1f, 0x84},          \
      {0x66, 0x0f, 0x1f, 0x84}, {0x66, 0x0f, 0x1f, 0x84})                                          \
    /* xor ecx|edx|esi|r11d with itself; a prefix without effect makes all equally long */         \
    X(ZERO, "zero", STACK, 3, {0x40, 0x31, 0xc9}, {0x40, 0x31, 0xd2}, {0x40, 0x31, 0xf6},          \
      {0x45, 0x31, 0xdb})                                                                          \
    /* add rcx|rdx|rsi|r11, rdi: no immediate, which some processors add while renaming */         \
    X(ADD, "add", STACK, 3, {0x48, 0x01, 0xf9}, {0x48, 0x01, 0xfa}, {0x48, 0x01, 0xfe},            \
      {0x49, 0x01, 0xfb})                                                                          \
    /* paddd xmm1|xmm2|xmm3|xmm4, xmm0 */                                                          \
    X(VECTOR_ADD, "vector", STACK, 4, {0x66, 0x0f, 0xfe, 0xc8}, {0x66, 0x0f, 0xfe, 0xd0},          \
      {0x66, 0x0f, 0xfe, 0xd8}, {0x66, 0x0f, 0xfe, 0xe0})                                          \
    /* mov rcx|rdx|rsi|r11, [r15]: hits the first-level cache */                                   \
    X(LOAD, "load", STACK, 3, {0x49, 0x8b, 0x0f}, {0x49, 0x8b, 0x17}, {0x49, 0x8b, 0x37},          \
      {0x4d, 0x8b, 0x1f})                                                                          \
    /* the same, of the line that the first load waits for */                                      \
    X(LINE_LOAD, "line-load", LINE, 3, {0x49, 0x8b, 0x0f}, {0x49, 0x8b, 0x17}, {0x49, 0x8b, 0x37}, \
      {0x4d, 0x8b, 0x1f})                                                                          \
    /* mov rcx|rdx|rsi|r11, [r15+rax]: hits, but only once the first load is done */               \
    X(WAITING_LOAD, "waiting-load", STACK, 4, {0x49, 0x8b, 0x0c, 0x07}, {0x49, 0x8b, 0x14, 0x07},  \
      {0x49, 0x8b, 0x34, 0x07}, {0x4d, 0x8b, 0x1c, 0x07})                                          \
    /* mov [r15], rcx|rdx|rsi|r11 */                                                               \
    X(STORE, "store", STACK, 3, {0x49, 0x89, 0x0f}, {0x49, 0x89, 0x17}, {0x49, 0x89, 0x37},        \
      {0x4d, 0x89, 0x1f})                                                                          \
    /* add rcx|rdx|rsi|r11, rax: needs the first load's result */                                  \
    X(WAITING_ADD, "waiting", STACK, 3, {0x48, 0x01, 0xc1}, {0x48, 0x01, 0xc2},                    \
      {0x48, 0x01, 0xc6}, {0x49, 0x01, 0xc3})                                                      \
    /* imul rcx|rdx|rsi|r11, rax: the same, and on one port alone */                               \
    X(MULTIPLY, "multiply", STACK, 4, {0x48, 0x0f, 0xaf, 0xc8}, {0x48, 0x0f, 0xaf, 0xd0},          \
      {0x48, 0x0f, 0xaf, 0xf0}, {0x4c, 0x0f, 0xaf, 0xd8})

#define FILLER_ENUM(id, ...) FILLER_##id,
enum filler { FILLERS(FILLER_ENUM) FILLER_KINDS };

#define FILLER_FORMS 4
#define FILLER_BYTES_MAX 9

struct filler_kind {
    const char *name;
    enum filler_base { BASE_STACK, BASE_LINE } base; /* R15: the stack, or the first load's line */
    uint8_t length;
    uint8_t forms[FILLER_FORMS][FILLER_BYTES_MAX];
};

extern const struct filler_kind filler_table[FILLER_KINDS];

/*
 * Emits `count` of them. They read RDI, RAX, XMM0 and the eight bytes at R15, and write RCX, RDX,
 * RSI, R11, XMM1 to XMM4 and those eight bytes. WAITING_LOAD takes RAX for an offset: it has to
 * be 0.
 */
void encode_fillers(struct encoder *e, enum filler kind, unsigned count);

#endif

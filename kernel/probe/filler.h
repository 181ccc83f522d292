/* filler: the instructions that stand between two loads, each using up another structure. */
#ifndef MLPBOOT_PROBE_FILLER_H
#define MLPBOOT_PROBE_FILLER_H

#include <stdbool.h>

#include "encoder.h"

/*
 * All of them, and here alone: a further one is a further row. In its columns: the enum's name;
 * the case's; the structure that it uses up; of which other fillers' structures it takes entries,
 * too (none: of the reorder buffer alone); the filler that has to jump where it does, or its own
 * structure may not be what ended (itself: there is no doubt of that); the verdict that its jump
 * gives, and its unit; what is added to the first K beyond the jump, and why; the bytes of one, and
 * its four forms, which it takes in turn.
 *
 * The forms write four registers: with four chains, fillers are never the slowest part, and K of
 * them take K/4 cycles.
 */
#define FILLERS(X)                                                                                 \
    X(NOP, "nop", "the reorder buffer", 0, NOP, "rob_entries", "entries", 1,                       \
      "the fillers before the jump and both loads fit", 1, {0x90}, {0x90}, {0x90}, {0x90})         \
    /* nop dword [rax+rax+0]: the recommended eight-byte form (Intel SDM 2B, NOP) */               \
    X(LONG_NOP, "long-nop", "the reorder buffer", 0, LONG_NOP, "rob_entries_long_nop", "entries",  \
      1, "the same with NOPs of eight bytes", 8, {0x0f, 0x1f, 0x84}, {0x0f, 0x1f, 0x84},           \
      {0x0f, 0x1f, 0x84}, {0x0f, 0x1f, 0x84})                                                      \
    /* add rcx|rdx|rsi|r11, rdi: no immediate, which some processors add while renaming */         \
    X(ADD, "add", "the integer register file", TOO(NOP), ADD, "integer_registers", "registers", 1, \
      "the fillers before the jump and both loads each take one; architectural ones not counted",  \
      3, {0x48, 0x01, 0xf9}, {0x48, 0x01, 0xfa}, {0x48, 0x01, 0xfe}, {0x49, 0x01, 0xfb})           \
    /* paddd xmm1|xmm2|xmm3|xmm4, xmm0 */                                                          \
    X(VECTOR_ADD, "vector", "the vector register file", TOO(NOP), VECTOR_ADD, "vector_registers",  \
      "registers", -1,                                                                             \
      "the fillers before the jump each take one; architectural ones not counted", 4,              \
      {0x66, 0x0f, 0xfe, 0xc8}, {0x66, 0x0f, 0xfe, 0xd0}, {0x66, 0x0f, 0xfe, 0xd8},                \
      {0x66, 0x0f, 0xfe, 0xe0})                                                                    \
    /* mov rcx|rdx|rsi|r11, [rsp]: hits the first-level cache */                                   \
    X(LOAD, "load", "what keeps loads in flight", TOO(NOP) | TOO(ADD), LOAD, "loads_in_flight",    \
      "loads", 1, "the fillers before the jump and both loads fit", 4, {0x48, 0x8b, 0x0c, 0x24},   \
      {0x48, 0x8b, 0x14, 0x24}, {0x48, 0x8b, 0x34, 0x24}, {0x4c, 0x8b, 0x1c, 0x24})                \
    /* mov [rsp], rcx|rdx|rsi|r11 */                                                               \
    X(STORE, "store", "the store queue", TOO(NOP), STORE, "store_queue", "entries", -1,            \
      "the fillers before the jump fit; the loads take none", 4, {0x48, 0x89, 0x0c, 0x24},         \
      {0x48, 0x89, 0x14, 0x24}, {0x48, 0x89, 0x34, 0x24}, {0x4c, 0x89, 0x1c, 0x24})                \
    /* add rcx|rdx|rsi|r11, rax: needs the first load's result */                                  \
    X(WAITING_ADD, "waiting", "the scheduler", TOO(NOP) | TOO(ADD), WAITING_ADD,                   \
      "scheduler_entries", "entries", 0,                                                           \
      "the fillers before the jump and the last load wait together", 3, {0x48, 0x01, 0xc1},        \
      {0x48, 0x01, 0xc2}, {0x48, 0x01, 0xc6}, {0x49, 0x01, 0xc3})                                  \
    /* mov rcx|rdx|rsi|r11, [rsp+rax]: the same place, but only once the first load is done. Where \
     * such loads get no farther than others, it is not for waiting in a scheduler. */             \
    X(WAITING_LOAD, "waiting-load", "the load queue", TOO(NOP) | TOO(ADD) | TOO(WAITING_ADD),      \
      LOAD, "load_queue", "entries", 1,                                                            \
      "the fillers before the jump and both loads fit, whether or not they wait", 4,               \
      {0x48, 0x8b, 0x0c, 0x04}, {0x48, 0x8b, 0x14, 0x04}, {0x48, 0x8b, 0x34, 0x04},                \
      {0x4c, 0x8b, 0x1c, 0x04})

#define FILLER_ENUM(id, ...) FILLER_##id,
enum filler { FILLERS(FILLER_ENUM) FILLER_KINDS };

#define FILLER_FORMS 4
#define FILLER_BYTES_MAX 8

/* A bit of a set of fillers. */
#define TOO(id) (1u << FILLER_##id)

struct filler_kind {
    const char *name, *structure;
    unsigned too; /* the set of fillers whose structures it uses, too */
    enum filler like;
    const char *verdict, *unit;
    int more;
    const char *method;
    uint8_t length;
    uint8_t forms[FILLER_FORMS][FILLER_BYTES_MAX];
};

extern const struct filler_kind filler_table[FILLER_KINDS];

/*
 * Emits `count` of them. They read RDI, RAX, XMM0 and the 16 bytes at RSP, and write RCX, RDX, RSI,
 * R11, XMM1 to XMM4 and those 16 bytes. WAITING_LOAD takes RAX for an offset: it has to be 0.
 */
void encode_fillers(struct encoder *e, enum filler kind, unsigned count);

#endif

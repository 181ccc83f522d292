/* floor_probe: emits the pair of timestamps, and the additions between two ordered ones. */
#include "floor_probe.h"

/* R8 and R9 hold the first timestamp, RDI is what is added. */
static const uint8_t chain_register[FLOOR_CHAINS_MAX] = {RAX, RCX, RDX, RSI, R10, R11,
                                                         RBX, RBP, R12, R13, R14, R15};
static const uint8_t saved[] = {RBX, RBP, R12, R13, R14, R15};
#define SAVED (sizeof saved / sizeof *saved)

size_t floor_probe_emit_timer(uint8_t *code, size_t room)
{
    struct encoder e;
    encoder_init(&e, code, room);
    encode_rdtsc(&e);
    encode_keep_time(&e);
    encode_rdtsc(&e);
    encode_elapsed_time(&e);
    encode_return(&e);
    return e.overflow ? 0 : e.length;
}

size_t floor_probe_emit(uint8_t *code, size_t room, const struct floor_shape *shape)
{
    /* nop word [rax+rax+0]: the recommended form of 9 bytes (Intel SDM 2B, NOP) */
    static const uint8_t nop[] = {0x66, 0x0f, 0x1f, 0x84, 0, 0, 0, 0, 0};
    struct encoder e;
    encoder_init(&e, code, room);
    for (unsigned i = 0; i < SAVED; i++)
        encode_push(&e, saved[i]);
    encode_timer_start(&e, shape->timing);
    for (unsigned i = 0; i < shape->adds; i++)
        if (shape->chains == 0)
            encode_raw(&e, nop, sizeof nop);
        else
            encode_add(&e, chain_register[i % shape->chains], RDI);
    encode_timer_stop(&e, shape->timing);
    for (unsigned i = SAVED; i > 0; i--)
        encode_pop(&e, saved[i - 1]);
    encode_return(&e);
    return e.overflow ? 0 : e.length;
}

/* chain_probe: a register for each chain, all of them advanced step by step. */
#include "chain_probe.h"

/* R8 and R9 hold the first timestamp, RDI the pointers' address. */
static const uint8_t chain_register[CHAINS_MAX] = {RAX, RCX, RDX, RSI, R10, R11,
                                                   RBX, RBP, R13, R14, R15};
static const uint8_t saved[] = {RBX, RBP, R13, R14, R15};
#define SAVED (sizeof saved / sizeof *saved)

static void encode_chains(struct encoder *e, const struct chain_shape *shape)
{
    for (unsigned i = 0; i < shape->chains; i++)
        encode_load_slot(e, chain_register[i], RDI, i);
    for (unsigned step = 0; step < shape->steps; step++)
        for (unsigned i = 0; i < shape->chains; i++)
            encode_follow(e, chain_register[i]);
    for (unsigned i = 0; i < shape->chains; i++)
        encode_store_slot(e, RDI, i, chain_register[i]);
}

size_t chain_probe_emit(uint8_t *code, size_t room, const struct chain_shape *shape)
{
    struct encoder e;
    encoder_init(&e, code, room);
    encode_counting_enter(&e, shape->timing.counting);
    for (unsigned i = 0; i < SAVED; i++)
        encode_push(&e, saved[i]);
    encode_timer_start(&e, shape->timing);
    encode_chains(&e, shape);
    encode_timer_stop(&e, shape->timing);
    for (unsigned i = SAVED; i > 0; i--)
        encode_pop(&e, saved[i - 1]);
    encode_counting_leave(&e, shape->timing.counting);
    encode_return(&e);
    return e.overflow ? 0 : e.length;
}

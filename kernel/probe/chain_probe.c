/* chain_probe: a register for each chain. */
#include "chain_probe.h"

/* R8 and R9 hold the first timestamp, RDI the pointers' address. */
static const uint8_t chain_register[CHAINS_MAX] = {RAX, RCX, RDX, RSI, R10, R11,
                                                   RBX, RBP, R13, R14, R15};

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
    struct encoder e = {.at = code, .room = room};
    encode_enter(&e);
    encode_timer_start(&e, shape->timing);
    encode_chains(&e, shape);
    encode_timer_stop(&e, shape->timing);
    encode_leave(&e);
    encode_return(&e);
    return e.overflow ? 0 : e.length;
}

/* By R11, which no timestamp uses. */
size_t page_chain_emit(uint8_t *code, size_t room, const struct page_chain_shape *shape)
{
    struct encoder e = {.at = code, .room = room};
    encode_load_slot(&e, R11, RDI, 0);
    for (unsigned i = 0; i < shape->lead; i++)
        encode_follow(&e, R11);
    encode_timer_start(&e, shape->timing);
    for (unsigned i = 0; i < shape->steps; i++)
        encode_follow(&e, R11);
    encode_timer_stop(&e, shape->timing);
    encode_store_slot(&e, RDI, 0, R11);
    encode_return(&e);
    return e.overflow ? 0 : e.length;
}

/* A pair of loads for each access: an address, and then what is there. */
size_t access_probe_emit(uint8_t *code, size_t room, unsigned accesses, struct timing timing)
{
    struct encoder e = {.at = code, .room = room};
    encode_enter(&e);
    encode_timer_start(&e, timing);
    for (unsigned i = 0; i < accesses; i++) {
        encode_load(&e, (int32_t)(i * sizeof(uint8_t *)));
        encode_follow(&e, RAX);
    }
    encode_timer_stop(&e, timing);
    encode_leave(&e);
    encode_return(&e);
    return e.overflow ? 0 : e.length;
}

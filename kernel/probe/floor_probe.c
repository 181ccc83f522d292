/* floor_probe: emits the pair of timestamps, and the additions between two ordered ones. */
#include "floor_probe.h"

#include "filler.h"

/* R8 and R9 hold the first timestamp, RDI is what is added. */
static const uint8_t chain_register[FLOOR_CHAINS_MAX] = {RAX, RCX, RDX, RSI, R10, R11,
                                                         RBX, RBP, R12, R13, R14, R15};

size_t floor_probe_emit_timer(uint8_t *code, size_t room)
{
    struct encoder e = {.at = code, .room = room};
    encode_rdtsc(&e);
    encode_keep_time(&e);
    encode_rdtsc(&e);
    encode_elapsed_time(&e);
    encode_return(&e);
    return e.overflow ? 0 : e.length;
}

size_t floor_probe_emit(uint8_t *code, size_t room, const struct floor_shape *shape)
{
    struct encoder e = {.at = code, .room = room};
    encode_enter(&e);
    encode_timer_start(&e, shape->timing);
    if (shape->chains == 0)
        encode_fillers(&e, FILLER_LONG_NOP, shape->adds);
    for (unsigned i = 0; shape->chains > 0 && i < shape->adds; i++)
        encode_add(&e, chain_register[i % shape->chains], RDI);
    encode_timer_stop(&e, shape->timing);
    encode_leave(&e);
    encode_return(&e);
    return e.overflow ? 0 : e.length;
}

size_t forward_probe_emit(uint8_t *code, size_t room, const struct forward_shape *shape)
{
    struct encoder e = {.at = code, .room = room};
    encode_enter(&e);
    encode_copy(&e, R15, RDI);
    encode_timer_start(&e, shape->timing);
    for (unsigned i = 0; i < shape->pairs; i++) {
        unsigned chain = i % shape->chains;
        encode_store_slot(&e, RDI, chain, chain_register[chain]);
        encode_load_slot(&e, chain_register[chain], R15, chain);
    }
    encode_timer_stop(&e, shape->timing);
    encode_leave(&e);
    encode_return(&e);
    return e.overflow ? 0 : e.length;
}

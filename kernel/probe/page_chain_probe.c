/* page_chain_probe: a register that no timestamp uses, loaded from where it points to. */
#include "page_chain_probe.h"

size_t page_chain_emit(uint8_t *code, size_t room, const struct page_chain_shape *shape)
{
    struct encoder e;
    encoder_init(&e, code, room);
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

/* access_probe: a pair of loads for each access, an address and then what is there. */
#include "access_probe.h"

size_t access_probe_emit(uint8_t *code, size_t room, unsigned accesses, struct timing timing)
{
    struct encoder e;
    encoder_init(&e, code, room);
    encode_counting_enter(&e, timing.counting);
    encode_timer_start(&e, timing);
    for (unsigned i = 0; i < accesses; i++) {
        encode_load(&e, (int32_t)(i * sizeof(uint8_t *)));
        encode_follow(&e, RAX);
    }
    encode_timer_stop(&e, timing);
    encode_counting_leave(&e, timing.counting);
    encode_return(&e);
    return e.overflow ? 0 : e.length;
}

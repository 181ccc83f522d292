/* timing: emits the start and the end of a timed interval. */
#include "timing.h"

/* Between the first timestamp and the body stand only two register moves: they share the reorder
 * buffer with the body. */
void encode_timer_start(struct encoder *e, struct timing timing)
{
    if (timing.counting != NULL) {
        encode_counting_start(e, timing.counting);
        return;
    }
    if (timing.order == ORDER_CPUID) {
        encode_cpuid_leaf_0(e);
        encode_rdtsc(e);
    } else {
        encode_lfence(e);
        encode_rdtsc(e);
        encode_lfence(e);
    }
    encode_keep_time(e);
}

void encode_timer_stop(struct encoder *e, struct timing timing)
{
    if (timing.counting != NULL) {
        encode_counting_stop(e, timing.counting);
        return;
    }
    if (timing.rdtscp) {
        encode_rdtscp(e);
    } else {
        encode_lfence(e);
        encode_rdtsc(e);
    }
    encode_elapsed_time(e);
    if (timing.order == ORDER_CPUID) {
        encode_keep_result(e);
        encode_cpuid_leaf_0(e);
        encode_take_result(e);
    } else {
        encode_lfence(e);
    }
}

size_t timing_emit_now(uint8_t *code, size_t room)
{
    struct encoder e = {.at = code, .room = room};
    encode_constant(&e, R8, 0); /* elapsed since then */
    encode_constant(&e, R9, 0);
    encode_lfence(&e);
    encode_rdtsc(&e);
    encode_elapsed_time(&e);
    encode_return(&e);
    return e.overflow ? 0 : e.length;
}

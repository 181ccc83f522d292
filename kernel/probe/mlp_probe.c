/* mlp_probe: emits the classic body with its timestamps. */
#include "mlp_probe.h"

#include "encoder.h"

/*
 * Between the first timestamp and the first load stand two register moves only: what sits there
 * shares the reorder buffer with the body.
 */
static void start_timer(struct encoder *e, enum probe_order order)
{
    if (order == ORDER_CPUID) {
        encode_cpuid_leaf_0(e);
        encode_rdtsc(e);
    } else {
        encode_lfence(e);
        encode_rdtsc(e);
        encode_lfence(e);
    }
    encode_keep_time(e);
}

static void stop_timer(struct encoder *e, enum probe_order order, bool rdtscp)
{
    if (rdtscp) {
        encode_rdtscp(e);
    } else {
        encode_lfence(e);
        encode_rdtsc(e);
    }
    encode_elapsed_time(e);
    if (order == ORDER_CPUID) {
        encode_keep_result(e);
        encode_cpuid_leaf_0(e);
        encode_take_result(e);
    } else {
        encode_lfence(e);
    }
}

size_t mlp_probe_emit(uint8_t *code, size_t room, const struct mlp_shape *shape,
                      const int32_t *displacement)
{
    struct encoder e;
    encoder_init(&e, code, room);
    encode_enter(&e);
    start_timer(&e, shape->order);
    for (unsigned i = 0; i + 1 < shape->loads; i++)
        encode_load(&e, displacement[i]);
    encode_nops(&e, shape->fillers);
    encode_load(&e, displacement[shape->loads - 1]);
    stop_timer(&e, shape->order, shape->rdtscp);
    encode_leave(&e);
    return e.overflow ? 0 : e.length;
}

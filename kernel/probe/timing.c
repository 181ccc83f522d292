/* timing: emits the start and the end of a timed interval, or RDPMC into registers before the body,
 * and once more after it. */
#include "timing.h"

#include "../data/point.h"
#include "../platform.h"

static const uint8_t holder[COUNTING_MAX] = {R8, R9, R10, R12, RBX, RBP, R13, R14};

static void start_counting(struct encoder *e, const struct counting *counting)
{
    encode_lfence(e);
    if (counting->span > 0) {
        encode_write_register(e, counting->start.index, counting->start.value);
        return;
    }
    for (unsigned i = 0; i < counting->count; i++) {
        encode_read_counter(e, counting->select[i]);
        encode_copy(e, holder[i], RAX);
    }
    encode_lfence(e);
}

/* Number of serialized additions behind the body. They keep the probe running until a span that
 * includes the body's last cycle has ended. */
#define CYCLES_BEHIND 64

static void read_stopped(struct encoder *e, const struct counting *counting)
{
    for (unsigned i = 0; i < CYCLES_BEHIND; i++)
        encode_add(e, RAX, RAX);
    encode_lfence(e);
    encode_constant(e, R8, (uint64_t)counting->result);
    for (unsigned i = 0; i < counting->count; i++) {
        encode_read_counter(e, counting->select[i]);
        encode_store_slot(e, R8, i, RAX);
    }
}

static void stop_counting(struct encoder *e, const struct counting *counting)
{
    encode_lfence(e);
    if (counting->span > 0) {
        read_stopped(e, counting);
        return;
    }
    for (unsigned i = 0; i < counting->count; i++) {
        encode_read_counter(e, counting->select[i]);
        encode_subtract(e, RAX, holder[i]);
        encode_copy(e, holder[i], RAX);
    }
    encode_lfence(e);
    encode_constant(e, RAX, (uint64_t)counting->result);
    for (unsigned i = 0; i < counting->count; i++)
        encode_store_slot(e, RAX, i, holder[i]);
}

void counting_sample(const struct counting *counting, struct platform *platform, uint8_t *argument,
                     uint32_t *at, unsigned i, unsigned count)
{
    uint64_t span = counting != NULL ? counting->span : 0;
    if (span > 0)
        platform->set_span(platform, span);
    uint64_t ticks = platform->run_code(platform, argument);
    if (counting == NULL)
        at[i] = sample_of(ticks);
    for (unsigned j = 0; counting != NULL && j < counting->count; j++)
        at[j * count + i] = (uint32_t)counting->result[j];
    if (span > 0)
        at[i] += (uint32_t)span; /* it began so far below 0 */
}

/* Between the first timestamp and the body stand only two register moves: they share the reorder
 * buffer with the body. */
void encode_timer_start(struct encoder *e, struct timing timing)
{
    if (timing.counting != NULL) {
        start_counting(e, timing.counting);
        return;
    }
    (timing.order == ORDER_CPUID ? encode_cpuid_leaf_0 : encode_lfence)(e);
    encode_rdtsc(e);
    if (timing.order == ORDER_LFENCE)
        encode_lfence(e);
    encode_keep_time(e);
}

void encode_timer_stop(struct encoder *e, struct timing timing)
{
    if (timing.counting != NULL) {
        stop_counting(e, timing.counting);
        return;
    }
    if (!timing.rdtscp)
        encode_lfence(e);
    (timing.rdtscp ? encode_rdtscp : encode_rdtsc)(e);
    encode_elapsed_time(e);
    if (timing.order == ORDER_CPUID) {
        encode_copy(e, R10, RAX);
        encode_cpuid_leaf_0(e);
        encode_copy(e, RAX, R10);
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

/* counting: RDPMC into registers before the body, and once more after it. */
#include "counting.h"

#include "../data/point.h"

static const uint8_t holder[COUNTING_MAX] = {R8, R9, R10, R12, RBX, RBP, R13, R14};

void encode_counting_start(struct encoder *e, const struct counting *counting)
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

void encode_counting_stop(struct encoder *e, const struct counting *counting)
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

void counting_keep(const struct counting *counting, uint64_t ticks, uint32_t *at, unsigned i,
                   unsigned count)
{
    if (counting == NULL)
        at[i] = sample_of(ticks);
    for (unsigned j = 0; counting != NULL && j < counting->count; j++)
        at[j * count + i] = (uint32_t)counting->result[j];
    if (counting != NULL && counting->span > 0)
        at[i] += (uint32_t)counting->span; /* it began so far below 0 */
}

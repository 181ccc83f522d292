/* bandwidth_probe: a loop around one block, whose pointer wraps by a conditional move. */
#include "bandwidth_probe.h"

#define REGISTERS 8

static void encode_block(struct encoder *e, const struct bandwidth_shape *shape, uint64_t step)
{
    int32_t away = (int32_t)(shape->bytes - generator_span(shape->work, shape->bytes));
    unsigned reg = 0;
    for (unsigned at = 0; at < step; at += shape->width, reg = (reg + 1) % REGISTERS) {
        if (shape->work != GENERATOR_WRITE)
            encode_vector(e, false, shape->width, reg, (int32_t)at);
        if (shape->work != GENERATOR_READ)
            encode_vector(e, true, shape->width, reg, (int32_t)at + away);
    }
}

/* RDI steps from RSI to R11, and starts over; RCX counts the turns. It writes the array's first
 * lines: pointers left there make them non-zero. */
size_t bandwidth_probe_emit(uint8_t *code, size_t room, const struct bandwidth_shape *shape)
{
    struct encoder e = {.at = code, .room = room};
    uint64_t step = generator_span(shape->work, BANDWIDTH_BLOCK);
    encode_constant(&e, RSI, (uintptr_t)shape->base);
    encode_constant(&e, R11, (uintptr_t)shape->base + generator_span(shape->work, shape->bytes));
    for (unsigned reg = 0; shape->work == GENERATOR_WRITE && reg < REGISTERS; reg++)
        encode_vector(&e, false, shape->width, reg, (int32_t)(reg * shape->width));
    encode_timer_start(&e, shape->timing);
    encode_constant(&e, RCX, shape->turns);
    size_t start = e.length;
    encode_block(&e, shape, step);
    encode_next_turn(&e, (int32_t)step, start);
    encode_timer_stop(&e, shape->timing);
    encode_vector_end(&e, shape->width);
    encode_return(&e);
    return e.overflow ? 0 : e.length;
}

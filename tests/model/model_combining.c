/* model_combining: finds the buffer of a line, or the one that is free first. */
#include "model_combining.h"

#include <stdlib.h>
#include <string.h>

#include "model_cache.h"

#define WORD 8
#define ALL_WRITTEN 0xff

bool model_combining_open(struct model_combining *combining,
                          const struct model_parameters *parameters)
{
    *combining = (struct model_combining){.parameters = parameters};
    combining->buffer = calloc(parameters->wc_buffers, sizeof(*combining->buffer));
    return combining->buffer != NULL;
}

void model_combining_close(struct model_combining *combining)
{
    free(combining->buffer);
    combining->buffer = NULL;
}

static uint64_t later(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

static void send(struct model_combining *combining, struct model_combining_buffer *buffer,
                 uint64_t now)
{
    combining->way_free_at = later(combining->way_free_at, now) + combining->parameters->wc_cycles;
    buffer->free_at = combining->way_free_at;
    buffer->written = 0;
    combining->last_visible = buffer->free_at + combining->parameters->memory;
}

/* True if `a` is available before `b`: empty buffers by when they are free, then the oldest. */
static bool is_before(const struct model_combining_buffer *a,
                      const struct model_combining_buffer *b)
{
    if ((a->written == 0) != (b->written == 0))
        return a->written == 0;
    return a->written == 0 ? a->free_at < b->free_at : a->opened < b->opened;
}

static struct model_combining_buffer *find_buffer(struct model_combining *combining,
                                                  uint32_t buffers, uint64_t line)
{
    struct model_combining_buffer *best = combining->buffer;
    for (struct model_combining_buffer *b = best; b < combining->buffer + buffers; b++) {
        if (b->written != 0 && b->line == line)
            return b;
        if (is_before(b, best))
            best = b;
    }
    return best;
}

uint64_t model_combining_write(struct model_combining *combining, uint32_t buffers,
                               uint64_t address, uint64_t now)
{
    uint64_t line = address / MODEL_LINE_BYTES;
    struct model_combining_buffer *buffer = find_buffer(combining, buffers, line);
    if (buffer->written != 0 && buffer->line != line)
        send(combining, buffer, now);
    if (buffer->written == 0) {
        now = later(now, buffer->free_at);
        buffer->line = line;
        buffer->opened = now;
    }
    buffer->written |= (uint8_t)(1u << address % MODEL_LINE_BYTES / WORD);
    if (buffer->written == ALL_WRITTEN)
        send(combining, buffer, now);
    return now;
}

uint64_t model_combining_flush(struct model_combining *combining, uint64_t now)
{
    for (uint64_t i = 0; i < combining->parameters->wc_buffers; i++)
        if (combining->buffer[i].written != 0)
            send(combining, &combining->buffer[i], now);
    return later(combining->last_visible, now);
}

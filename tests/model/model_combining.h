/* model_combining: write-combining buffers: lines half written past the caches. */
#ifndef MLPBOOT_MODEL_COMBINING_H
#define MLPBOOT_MODEL_COMBINING_H

#include <stdbool.h>
#include <stdint.h>

#include "model_parameters.h"

struct model_combining_buffer {
    uint64_t line, opened; /* and when */
    uint64_t free_at;      /* when what left it last was gone */
    uint8_t written;       /* a bit of each of the line's eight words; 0: nothing waits in it */
};

/*
 * Whole lines leave at once, one after the other; where another line needs a buffer and all hold a
 * part of one, the oldest part leaves.
 */
struct model_combining {
    const struct model_parameters *parameters;
    struct model_combining_buffer *buffer;
    uint64_t way_free_at;  /* when the next may leave */
    uint64_t last_visible; /* when memory has all that left */
};

/* False: not enough memory. */
bool model_combining_open(struct model_combining *combining,
                          const struct model_parameters *parameters);
void model_combining_close(struct model_combining *combining);

/* A word is written at `now`, which never decreases, with so many buffers in use; returns when it
 * has its place. */
uint64_t model_combining_write(struct model_combining *combining, uint32_t buffers,
                               uint64_t address, uint64_t now);

/* All parts leave; returns when memory has everything. */
uint64_t model_combining_flush(struct model_combining *combining, uint64_t now);

#endif

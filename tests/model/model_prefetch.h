/* model_prefetch: which accesses go from line to line, so that the next ones can be brought. */
#ifndef MLPBOOT_MODEL_PREFETCH_H
#define MLPBOOT_MODEL_PREFETCH_H

#include <stdbool.h>
#include <stdint.h>

#define MODEL_STREAMS 16
#define MODEL_PREFETCH_LINES 4 /* ahead of a stream */

struct model_stream {
    uint32_t next;  /* line + 1 of its latest access; 0: no stream */
    uint32_t lines; /* in a row so far */
};

/* The streams seen so far. Starts as zeroes. */
struct model_prefetch {
    struct model_stream stream[MODEL_STREAMS]; /* the latest first */
};

/* True if this access continues a stream of rising lines that is long enough. */
bool model_prefetch_sees_stream(struct model_prefetch *prefetch, uint32_t line);

#endif

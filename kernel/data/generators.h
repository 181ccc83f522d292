/* generators: what other processors do while one measures. */
#ifndef MLPBOOT_DATA_GENERATORS_H
#define MLPBOOT_DATA_GENERATORS_H

#include <stdbool.h>
#include <stdint.h>

enum generator_work {
    GENERATOR_REST,  /* nothing; asleep where the processor and the platform let it */
    GENERATOR_SPIN,  /* NOPs, and nothing of memory */
    GENERATOR_READ,  /* loads each line of its array, one after the other */
    GENERATOR_WRITE, /* stores to each line */
    GENERATOR_COPY,  /* from one half of its array to the other */
    GENERATOR_WORKS
};

/* Which processors, and what each gets to work with. */
struct generators_request {
    bool are_siblings; /* the other threads of the core that measures; else one thread of each of
                          other cores, those of its own node first */
    unsigned count;    /* at most so many; 0: all there are */
    uint64_t bytes;    /* of each one's array, ordinary memory; 0: none, they only spin */
    uint32_t node;     /* whose memory: an index into the platform's nodes, or NODE_ANY */
};

struct generator_order {
    enum generator_work work;
    /* Core cycles, at the least, from one block of GENERATOR_BLOCK bytes to the next; a copy's
     * block is half read, half written. 0: as fast as it can be, from where the rate falls without
     * a jump. */
    uint32_t pause;
};

#define GENERATOR_BLOCK 512u

/* Returns how many of `bytes` the work steps through: a copy's source is only their first half. */
static inline uint64_t generator_span(enum generator_work work, uint64_t bytes)
{
    return work == GENERATOR_COPY ? bytes / 2 : bytes;
}

#endif

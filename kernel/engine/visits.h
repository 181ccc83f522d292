/* visits: keeps every visit of a measurement, in the order of time. */
#ifndef MLPBOOT_ENGINE_VISITS_H
#define MLPBOOT_ENGINE_VISITS_H

#include "../data/point.h"
#include "../platform.h"

#define VISITS_A_CHUNK 16384

struct visits_chunk {
    struct visits_chunk *next;
    uint32_t count;
    struct visit at[VISITS_A_CHUNK];
};

/* Starts as zeroes but for the platform. */
struct visits {
    struct platform *platform;
    struct visits_chunk *first, *last;
    uint64_t count;
};

/* Makes room for a slice's visits. False: not enough memory. Not from inside `quietly`. */
bool visits_make_room(struct visits *visits);

/* True if one more can be added. */
bool visits_have_room(const struct visits *visits);

/* Adds a visit; there must be room. */
void visits_add(struct visits *visits, const struct visit *visit);

void visits_close(struct visits *visits);

#endif

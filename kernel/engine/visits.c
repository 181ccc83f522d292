/* visits: a list of chunks, so that none ever has to be moved. */
#include "visits.h"

#define LEAST_ROOM (VISITS_A_CHUNK / 16) /* of a slice, which ends early if it is used up */

static uint32_t room_left(const struct visits *visits)
{
    return visits->last != NULL ? VISITS_A_CHUNK - visits->last->count : 0;
}

bool visits_make_room(struct visits *visits)
{
    if (room_left(visits) >= LEAST_ROOM)
        return true;
    struct visits_chunk *chunk = visits->platform->allocate(visits->platform, sizeof *visits->last);
    if (chunk == NULL)
        return false;
    if (visits->last != NULL)
        visits->last->next = chunk;
    else
        visits->first = chunk;
    visits->last = chunk;
    return true;
}

bool visits_have_room(const struct visits *visits)
{
    return room_left(visits) > 0;
}

void visits_add(struct visits *visits, const struct visit *visit)
{
    visits->last->at[visits->last->count++] = *visit;
    visits->count++;
}

void visits_close(struct visits *visits)
{
    while (visits->first != NULL) {
        struct visits_chunk *chunk = visits->first;
        visits->first = chunk->next;
        visits->platform->release(visits->platform, chunk, sizeof *chunk);
    }
    *visits = (struct visits){.platform = visits->platform};
}

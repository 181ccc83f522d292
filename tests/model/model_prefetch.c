/* model_prefetch: a few streams; who is not continued is forgotten first. */
#include "model_prefetch.h"

#include <string.h>

#define LINES_ENOUGH 3

static void move_to_front(struct model_prefetch *prefetch, unsigned from)
{
    struct model_stream moved = prefetch->stream[from];
    memmove(prefetch->stream + 1, prefetch->stream, from * sizeof(moved));
    prefetch->stream[0] = moved;
}

bool model_prefetch_sees_stream(struct model_prefetch *prefetch, uint32_t line)
{
    struct model_stream *first = &prefetch->stream[0];
    unsigned i = 0;
    if (first->next == line + 1) /* once more the line just seen */
        return false;
    while (i < MODEL_STREAMS && (prefetch->stream[i].next != line || line == 0))
        i++;
    if (i == MODEL_STREAMS) {
        i--;
        prefetch->stream[i].lines = 0;
    }
    move_to_front(prefetch, i);
    first->next = line + 1;
    first->lines++;
    return first->lines >= LINES_ENOUGH;
}

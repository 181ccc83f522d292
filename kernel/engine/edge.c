/* edge: a bracket is narrowed, and its ends are looked at again; what moved is measured anew. */
#include "edge.h"

unsigned edge_between(int64_t low, int64_t high, unsigned points, int64_t at[EDGE_POINTS_MAX])
{
    int64_t step = (high - low) / (points + 1);
    unsigned count = 0;
    step = step < 1 ? 1 : step;
    for (int64_t x = low + step; x < high && count < points; x += step)
        at[count++] = x;
    return count;
}

struct edge_step edge_refine(struct edge *edge, const struct edge_bracket *b)
{
    struct edge_step step = {.next = EDGE_GO_ON};
    bool is_narrow = b->high - b->low <= b->resolution;
    uint8_t *looks = &edge->looks[b->attempt];
    if (b->later == EDGE_DISAGREES)
        step.next = b->attempt + 1 < EDGE_ATTEMPTS_MAX ? EDGE_START_OVER : EDGE_DONE;
    else if (!is_narrow)
        step.count = edge_between(b->low, b->high, EDGE_POINTS_MAX, step.at);
    else if (b->later == EDGE_AGREES || *looks == EDGE_LOOKS_MAX)
        step.next = EDGE_DONE;
    else
        ++*looks;
    return step;
}

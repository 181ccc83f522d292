/* clock_step: the distances between clusters of frequent intervals. */
#include "clock_step.h"

#include <stdbool.h>

#define RARE_SHARE 100  /* an interval seen no more than once in so many is a slip */
#define MOST_OFF 20     /* one in so many intervals may be no multiple */
#define LEAST_UNEVEN 10 /* ticks: a smaller step is a whole number of them */

/* Between frequent intervals, fewer than RARE_SHARE, in rising order of those. */
struct distances {
    uint32_t count, at[RARE_SHARE];
};

/* Collects the distances of at least `apart`. */
static void find_distances(const uint32_t *sorted, uint32_t count, uint32_t apart,
                           struct distances *found)
{
    uint32_t last = 0, end, least = count / RARE_SHARE;
    bool is_first = true;
    found->count = 0;
    for (uint32_t i = 0; i < count; i = end) {
        for (end = i; end < count && sorted[end] == sorted[i];)
            end++;
        if (end - i <= least)
            continue;
        if (!is_first && sorted[i] - last >= apart)
            found->at[found->count++] = sorted[i] - last;
        is_first = false;
        last = sorted[i];
    }
}

/* A distance that comes but once among several is chance: then the step is a single tick. */
static uint32_t most_frequent(const struct distances *distances)
{
    uint32_t best = 0, most = 0;
    for (uint32_t i = 0; i < distances->count; i++) {
        uint32_t times = 0, here = distances->at[i];
        for (uint32_t j = 0; j < distances->count; j++)
            times += distances->at[j] == here;
        if (times > most || (times == most && here < best)) {
            most = times;
            best = here;
        }
    }
    return distances->count > 1 && most == 1 ? 1 : best;
}

/*
 * A large step need not be a whole number: each adds up to half a tick to what an interval is off,
 * until nearly every interval could be a multiple and none tells. A small step has to fit exactly.
 */
static uint32_t tolerated_of(uint32_t times, uint32_t step)
{
    return step < LEAST_UNEVEN ? step / 8 : 1 + times / 2;
}

/* True if nearly all are exact multiples; or those that tell are, and more tell than may be off. */
static bool are_multiples(const uint32_t *sorted, uint32_t count, uint32_t step)
{
    uint32_t inexact = 0, telling = 0, off = 0;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t times = (sorted[i] + step / 2) / step, exact = times * step;
        uint32_t away = sorted[i] > exact ? sorted[i] - exact : exact - sorted[i];
        uint32_t tolerated = tolerated_of(times, step);
        bool tells = step < LEAST_UNEVEN || tolerated < step / 4;
        inexact += away > 0;
        telling += tells;
        off += tells && away > tolerated;
    }
    return inexact <= count / MOST_OFF || (telling > count / MOST_OFF && off <= count / MOST_OFF);
}

/* Returns the step or a neighbour, as which a step shows that is no whole number; 0: neither. */
static uint32_t step_of_multiples(const uint32_t *sorted, uint32_t count, uint32_t step)
{
    const uint32_t candidates[] = {step, step + 1, step - 1};
    for (unsigned i = 0; i < sizeof candidates / sizeof *candidates; i++)
        if (are_multiples(sorted, count, candidates[i]))
            return candidates[i];
    return 0;
}

uint32_t clock_step(const uint32_t *sorted, uint32_t count)
{
    struct distances distances;
    find_distances(sorted, count, CLOCK_FINE + 1, &distances);
    uint32_t step = distances.count < 2 ? 0 : most_frequent(&distances);
    if (step > CLOCK_FINE && (step = step_of_multiples(sorted, count, step)) > 0)
        return step;
    find_distances(sorted, count, 1, &distances);
    step = most_frequent(&distances);
    return step <= CLOCK_FINE || are_multiples(sorted, count, step) ? step : 1;
}

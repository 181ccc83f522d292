/* selector: fields to their places. */
#include "selector.h"

#include <stddef.h>

#define USR (1ull << 16)
#define OS (1ull << 17)
#define EDGE (1ull << 18)
#define INV (1ull << 23)
#define CMASK_SHIFT 24
#define AMD_SELECT_HIGH_SHIFT 32
#define UMASK2_SHIFT 40

static bool is_intel(const struct counter_unit *unit)
{
    return unit->kind == COUNTERS_INTEL || unit->kind == COUNTERS_INTEL_GLOBAL;
}

const char *selector_encode(const struct counter_unit *unit, const struct event *event,
                            uint64_t *value)
{
    uint64_t high = event->select >> 8;
    if (high > (is_intel(unit) ? 0 : 15))
        return "the event's number does not fit into the selector";
    if (event->umask_ext != 0 && !unit->umask2)
        return "the event needs UMASK2, which this processor lacks";
    *value = (event->select & 0xff) | (uint64_t)event->umask << 8 | USR | OS |
             (event->edge ? EDGE : 0) | SELECTOR_ENABLE | (event->inv ? INV : 0) |
             (uint64_t)event->cmask << CMASK_SHIFT | high << AMD_SELECT_HIGH_SHIFT |
             (uint64_t)event->umask_ext << UMASK2_SHIFT;
    return NULL;
}

unsigned selector_offcore(const struct event *event)
{
    bool second_select = event->select == 0xbb || event->select == 0x2b;
    return second_select || (event->select == 0xb7 && event->umask == 2);
}

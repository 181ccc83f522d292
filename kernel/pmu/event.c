/* event: finds a processor's microarchitecture and an event of it in the compiled tables. */
#include "event.h"

#include <stddef.h>

#include "../lib/string.h"

/* Names the type whose events a core has if its own type has no table: a hybrid with efficient
 * cores off in firmware no longer says that it is one, and most low-power cores are efficient ones
 * elsewhere. */
static const uint8_t stand_in[] = {
    [CORE_ANY] = CORE_PERFORMANCE,
    [CORE_PERFORMANCE] = CORE_PERFORMANCE,
    [CORE_EFFICIENT] = CORE_EFFICIENT,
    [CORE_LOW_POWER] = CORE_EFFICIENT,
};

static bool fits(const struct processor_range *range, const struct processor *p,
                 enum core_type type)
{
    return range->vendor == p->vendor && p->family >= range->family_first &&
           p->family <= range->family_last && p->model >= range->model_first &&
           p->model <= range->model_last && p->stepping >= range->stepping_first &&
           p->stepping <= range->stepping_last &&
           (range->core == CORE_ANY || range->core == type || range->core == stand_in[type]);
}

const struct microarchitecture *microarchitecture_find(const struct processor *processor,
                                                       enum core_type type)
{
    for (unsigned i = 0; i < event_processor_count; i++)
        if (fits(&event_processors[i], processor, type))
            return &event_microarchitectures[event_processors[i].microarchitecture];
    return NULL;
}

const struct event *event_find(const struct microarchitecture *uarch, const char *key)
{
    for (unsigned i = 0; uarch != NULL && i < uarch->count; i++)
        if (strcmp(key, event_keys[event_at(uarch, i)->key]) == 0)
            return event_at(uarch, i);
    return NULL;
}

/* model_windows: kept in order of address, so that each load finds its own quickly. */
#include "model_windows.h"

#include <stdlib.h>
#include <string.h>

#include "model_limits.h"

bool model_windows_open(struct model_windows *windows, const struct model_parameters *parameters,
                        struct model_activity *activity)
{
    memset(windows, 0, sizeof(*windows));
    windows->common.parameters = parameters;
    windows->common.activity = activity;
    windows->common.now = model_limits_of(parameters, BESIDE_NOBODY);
    windows->common.is_prefetching = parameters->prefetchers > 0;
    model_generators_open(&windows->common.generators, parameters);
    model_random_open(&windows->common.noise, parameters, SEQUENCE_LATENCY);
    model_random_open(&windows->common.slow, parameters, SEQUENCE_SLOW);
    return model_translation_open(&windows->common.translation, parameters);
}

void model_windows_close(struct model_windows *windows)
{
    while (windows->count > 0)
        model_windows_remove(windows, windows->at[windows->count - 1]->base);
    model_translation_close(&windows->common.translation);
}

/* How many start at or below an address. */
static unsigned starting_before(const struct model_windows *windows, uint64_t address)
{
    unsigned low = 0, high = windows->count;
    while (low < high) {
        unsigned middle = (low + high) / 2;
        if ((uintptr_t)windows->at[middle]->base <= address)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

struct model_memory *model_windows_find(struct model_windows *windows, uint64_t address)
{
    if (windows->last != NULL && model_memory_has(windows->last, address))
        return windows->last;
    unsigned before = starting_before(windows, address);

    if (before == 0 || !model_memory_has(windows->at[before - 1], address))
        return NULL;
    windows->last = windows->at[before - 1];
    return windows->last;
}

bool model_windows_add(struct model_windows *windows, const struct window *window,
                       const struct model_layout *layout)
{
    struct model_memory *memory = malloc(sizeof(*memory));
    unsigned at = starting_before(windows, (uintptr_t)window->base);
    if (memory == NULL || !model_memory_open(memory, &windows->common, window, layout)) {
        free(memory);
        return false;
    }
    memmove(windows->at + at + 1, windows->at + at, (windows->count - at) * sizeof(*windows->at));
    windows->at[at] = memory;
    windows->count++;
    return true;
}

void model_windows_share(struct model_windows *windows, const struct model_limits *now)
{
    bool is_same = windows->common.now.cache_parts == now->cache_parts;
    windows->common.now = *now;
    if (is_same)
        return;
    for (unsigned i = 0; i < windows->count; i++)
        model_memory_share(windows->at[i]);
}

void model_windows_remove(struct model_windows *windows, const uint8_t *base)
{
    unsigned at = starting_before(windows, (uintptr_t)base);
    if (at == 0 || windows->at[at - 1]->base != base)
        return;
    windows->last = NULL;
    model_memory_close(windows->at[at - 1]);
    free(windows->at[at - 1]);
    windows->count--;
    memmove(windows->at + at - 1, windows->at + at,
            (windows->count + 1 - at) * sizeof(*windows->at));
}

/* model_windows: all windows of the modelled core, each with a memory of its own. */
#ifndef MLPBOOT_MODEL_WINDOWS_H
#define MLPBOOT_MODEL_WINDOWS_H

#include "model_memory.h"

/* A probe only ever uses one window: what it finds in caches, no other has changed. */
struct model_windows {
    struct model_common common;
    struct model_memory *at[WINDOWS_MAX]; /* by rising addresses */
    unsigned count;
    struct model_memory *last; /* the one that was found last; NULL: look for it */
};

/* `parameters` and `activity` must stay. False: not enough memory, and nothing to close. */
bool model_windows_open(struct model_windows *windows, const struct model_parameters *parameters,
                        struct model_activity *activity);
void model_windows_close(struct model_windows *windows);

/* There must be room. False: not enough memory. See model_memory_open. */
bool model_windows_add(struct model_windows *windows, const struct window *window,
                       const struct model_layout *layout);
/* The window with that base, if there is one. */
void model_windows_remove(struct model_windows *windows, const uint8_t *base);

/* Leaves every window, of now and later, so much of the buffers and caches. */
void model_windows_share(struct model_windows *windows, const struct model_limits *now);

/* The memory of the window that an address is in; NULL: of none. */
struct model_memory *model_windows_find(struct model_windows *windows, uint64_t address);

#endif

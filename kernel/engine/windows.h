/* windows: maps the memory that an experiment measures in, each piece once. */
#ifndef MLPBOOT_ENGINE_WINDOWS_H
#define MLPBOOT_ENGINE_WINDOWS_H

#include "../platform.h"
#include "../probe/load_sampler.h"

struct measurement;

/* The windows of a measurement, some 60 KB. Starts as zeroes. */
struct windows {
    unsigned count;
    struct windows_entry {
        struct window_request request;
        struct window window;
        const char *refusal; /* why it could not be mapped; NULL: it is */
        char reason[160];    /* a copy of it: platforms reuse their memory for reasons */
    } at[WINDOWS_MAX];
};

/*
 * Maps a window, or finds the one that was mapped for an equal request; it stays until
 * windows_close, which engine_run calls at its end. With `shares` it lies over the frames of
 * another window of its node if the platform can do that: a write to one is read in the other.
 * Returns NULL, or why it cannot be had.
 */
const char *windows_get(struct measurement *m, const struct window_request *request, bool shares,
                        const struct window **window);

/*
 * Maps as much as fits: request->bytes, else half of that and so on, but no less than `smallest`.
 * *first_refusal, unless the pointer is NULL, becomes the reason of a smaller window, or NULL.
 */
const char *windows_get_largest(struct measurement *m, const struct window_request *request,
                                uint64_t smallest, bool shares, const struct window **window,
                                const char **first_refusal);

/*
 * Maps the window that these loads need, in memory of that node, and starts the sampler in it. It
 * shares frames: all that is written to it is zeroes. NULL, or why it cannot be had.
 */
const char *windows_get_for_loads(struct measurement *m, const struct load_conditions *conditions,
                                  uint32_t node, struct load_sampler *sampler);

/* Unmaps them all, the last one first. */
void windows_close(struct measurement *m);

#endif

/* windows: the memory an experiment measures in, several pieces mapped at once, each of them once.
 */
#ifndef MLPBOOT_ENGINE_WINDOWS_H
#define MLPBOOT_ENGINE_WINDOWS_H

#include "../platform.h"
#include "../probe/load_sampler.h"

struct windows {
    struct platform *platform;
    unsigned count;
    struct windows_entry {
        struct window_request request;
        struct window window;
        const char *refusal; /* why it could not be mapped; NULL: it is */
        char reason[160];    /* a copy of it: platforms use their memory for reasons again */
    } at[WINDOWS_MAX];
};

/* Starts empty. The struct takes some 60 KB. */
void windows_init(struct windows *windows, struct platform *platform);

/*
 * Maps a window, or finds the one that was mapped for an equal request; it stays until
 * windows_close. With `shares` it lies over the frames of another one of its node where the
 * platform can do that: what is written in one is read in the other. NULL, or why it cannot be had.
 */
const char *windows_get(struct windows *windows, const struct window_request *request, bool shares,
                        const struct window **window);

/*
 * As much of it as fits: maps request->bytes, else half of that and so on, but no less than
 * `smallest`. *first_refusal, unless NULL, is why it became less, or NULL.
 */
const char *windows_get_largest(struct windows *windows, const struct window_request *request,
                                uint64_t smallest, bool shares, const struct window **window,
                                const char **first_refusal);

/*
 * Maps the window that these loads need, in memory of that node, and starts the sampler in it. It
 * shares frames: all that is written to it is zeroes. NULL, or why it cannot be had.
 */
const char *windows_get_for_loads(struct windows *windows, const struct load_conditions *conditions,
                                  uint32_t node, struct load_sampler *sampler);

/* Unmaps them all, the last one first. */
void windows_close(struct windows *windows);

#endif

/* platform_model: the services of platform.h, with a modelled core in place of the real one. */
#ifndef MLPBOOT_MODEL_PLATFORM_MODEL_H
#define MLPBOOT_MODEL_PLATFORM_MODEL_H

#include <setjmp.h>

#include "../hosted/platform_linux.h"
#include "model_core.h"

/* Private to platform_model.c, but for what `host` shows. */
struct model_platform {
    struct linux_platform host; /* first: console, files and allocations are Linux's */
    struct model_parameters parameters;
    struct model_counters counters;
    struct model_windows windows;
    struct model_core core;
    bool (*guard)(struct platform *self, void (*work)(void *context), void *context); /* Linux's */
    void (*work)(void *context); /* inside `quietly` */
    void *context;
    bool is_working, is_stopped;
    bool are_siblings; /* who was started last as generators */
    jmp_buf stop;
};

/*
 * As linux_platform_open, on any CPU. Ticks are the model's cycles, but for what model_clock.h does
 * to them; ticks_per_second is the host's, by which the time that measuring takes is counted.
 * `parameters` is copied.
 */
const char *model_platform_open(struct model_platform *model,
                                const struct model_parameters *parameters,
                                struct results_dir *results);
void model_platform_close(struct model_platform *model);

#endif

/* platform_linux: the services of platform.h, given by a Linux process. */
#ifndef MLPBOOT_HOSTED_PLATFORM_LINUX_H
#define MLPBOOT_HOSTED_PLATFORM_LINUX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "../../kernel/data/machine.h"
#include "../../kernel/platform.h"
#include "linux_cpu.h"
#include "results_dir.h"

#define LINUX_CODE_BYTES (1u << 20)
#define LINUX_UNPINNED (-2) /* instead of a CPU: the process may run anywhere */

/* Around a window: what to unmap. */
struct linux_reservation {
    const uint8_t *base; /* the window's */
    void *start;
    size_t bytes;
};

struct linux_generator; /* linux_generators.c */

/* Private to linux_*.c and platform_linux.c, but for `platform`, `console` and `is_quiet`. */
struct linux_platform {
    struct platform platform; /* first: services cast their `self` back */
    struct results_dir *results;
    FILE *console;             /* stdout, or what the caller sets */
    bool is_quiet;             /* it gets the last page alone; set by the caller */
    struct memory_nodes nodes; /* what platform.nodes shows */
    struct machine machine;    /* what platform.machine shows */
    int cpu;
    bool is_locked;         /* in memory, against swapping */
    const char *huge_pages; /* where a window's huge pages came from last; NULL: none yet */
    struct linux_reservation
        reservation[WINDOWS_MAX + 1];  /* one while a window's frames are made */
    unsigned windows;                  /* how many there are */
    struct linux_generator *generator; /* the threads that are running, */
    unsigned generators;               /* and how many */
    bool has_report;                   /* report.html has its beginning */
    char reason[256];
};

/*
 * Fills every service, keeps the process on one CPU (see linux_pin) and measures the time-stamp
 * counter, the first time, some 60 ms. `results` must be open and stay so; NULL where no file will
 * be written. Once per process at a time. NULL, or the reason in words; then there is nothing to
 * close.
 */
const char *linux_platform_open(struct linux_platform *linux_platform, int cpu,
                                struct results_dir *results);

/* Stops generators, unmaps what is left. The process stays on its CPU. */
void linux_platform_close(struct linux_platform *linux_platform);

/* In linux_window.c, members of struct platform. */
const char *linux_map_window(struct platform *self, const struct window_request *request,
                             struct window *window);
void linux_unmap_window(struct platform *self, struct window *window);

/* NULL, or why no window more can be mapped. */
const char *linux_window_room(const struct linux_platform *linux_platform);
/* Has linux_unmap_window unmap that much around a window. There must be room. */
void linux_window_keep(struct linux_platform *linux_platform, const struct window *window,
                       void *start, size_t bytes);

/* In linux_describe.c, a member of struct platform: the object "linux" of run.json. */
void linux_describe(struct platform *self, struct json *json);

#endif

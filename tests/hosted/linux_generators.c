/* linux_generators: runs a thread with a window for each; a resting one waits for a futex. */
#define _GNU_SOURCE 1 /* syscall */
#include "linux_generators.h"

#include <linux/futex.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "../../kernel/probe/generator.h"
#include "linux_cpu.h"
#include "linux_others.h"
#include "platform_linux.h"

#define CPUS_FOLDER "/sys/devices/system/cpu"

struct linux_generator {
    struct generator generator; /* first: it gets its own address */
    struct window window;
    pthread_t thread;
};

static void sleep_while(struct generator *generator, uint32_t sequence)
{
    syscall(SYS_futex, &generator->sequence, FUTEX_WAIT_PRIVATE, sequence, NULL);
}

static void wake(struct generator *generator)
{
    syscall(SYS_futex, &generator->sequence, FUTEX_WAKE_PRIVATE, 1);
}

static void *run_generator(void *context)
{
    generator_run(context);
    return NULL;
}

/* Maps an array, with large pages if Linux has them: the loops must not wait for page walks. */
static const char *linux_map_array(struct platform *self, const struct generators_request *request,
                                   struct window *window)
{
    struct window_request wanted = {
        .bytes = request->bytes, .page = PAGE_2M, .node = request->node};

    if (request->bytes == 0)
        return NULL;
    if (linux_map_window(self, &wanted, window) == NULL)
        return NULL;
    wanted.page = PAGE_4K;
    return linux_map_window(self, &wanted, window);
}

static const char *start_one(struct linux_platform *linux_platform,
                             const struct generators_request *request, int cpu,
                             struct linux_generator *g)
{
    struct platform *self = &linux_platform->platform;
    const char *reason = linux_map_array(self, request, &g->window);

    if (reason != NULL)
        return reason;
    generator_init(&g->generator, g->window.base, request->bytes, sleep_while);
    int status = linux_start_thread(&g->thread, cpu, run_generator, g);
    if (status == 0)
        return NULL;
    linux_unmap_window(self, &g->window);
    snprintf(linux_platform->reason, sizeof(linux_platform->reason),
             "Linux starts no thread on CPU %d: %s", cpu, strerror(status));
    return linux_platform->reason;
}

/* Waits until all have begun; Linux may have to run them on this thread's processor. */
static void wait_until_begun(const struct linux_platform *linux_platform)
{
    for (unsigned i = 0; i < linux_platform->generators; i++)
        while (!generator_has_begun(&linux_platform->generator[i].generator))
            sched_yield();
}

const char *linux_start_generators(struct platform *self, const struct generators_request *request,
                                   unsigned *started)
{
    static struct linux_others others;
    struct linux_platform *linux_platform = (struct linux_platform *)self;
    const char *reason = linux_others_find(CPUS_FOLDER, linux_platform->cpu, request->are_siblings,
                                           linux_may_use, &others);

    *started = 0;
    if (reason != NULL)
        return reason;
    if (request->count > 0 && request->count < others.count)
        others.count = request->count;
    size_t bytes = others.count * sizeof(struct linux_generator);
    linux_platform->generator = aligned_alloc(_Alignof(struct linux_generator), bytes);
    if (linux_platform->generator == NULL)
        return "Linux gives no memory";
    memset(linux_platform->generator, 0, bytes);
    for (unsigned i = 0; reason == NULL && i < others.count; i++) {
        reason = start_one(linux_platform, request, others.cpu[i], &linux_platform->generator[i]);
        linux_platform->generators += reason == NULL;
    }
    *started = linux_platform->generators;
    if (*started > 0) {
        wait_until_begun(linux_platform);
        return NULL;
    }
    linux_stop_generators(self);
    return reason;
}

void linux_stop_generators(struct platform *self)
{
    struct linux_platform *linux_platform = (struct linux_platform *)self;

    for (unsigned i = 0; i < linux_platform->generators; i++) {
        struct linux_generator *g = &linux_platform->generator[i];
        generator_leave(&g->generator);
        wake(&g->generator);
        pthread_join(g->thread, NULL);
        linux_unmap_window(self, &g->window);
    }
    free(linux_platform->generator);
    linux_platform->generator = NULL;
    linux_platform->generators = 0;
}

void linux_order_generators(struct platform *self, const struct generator_order *order)
{
    const struct linux_platform *linux_platform = (const struct linux_platform *)self;

    for (unsigned i = 0; i < linux_platform->generators; i++) {
        generator_order(&linux_platform->generator[i].generator, order);
        wake(&linux_platform->generator[i].generator);
    }
    wait_until_begun(linux_platform);
}

uint64_t linux_generated(struct platform *self)
{
    const struct linux_platform *linux_platform = (const struct linux_platform *)self;
    uint64_t bytes = 0;

    for (unsigned i = 0; i < linux_platform->generators; i++)
        bytes += linux_platform->generator[i].generator.done;
    return bytes;
}

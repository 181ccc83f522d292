/* linux_cpu: which processor the process runs on, and that it stays there. */
#define _GNU_SOURCE 1 /* CPU_SET_S */
#include "linux_cpu.h"

#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "../../kernel/cpu/processor.h"

/* A cpu_set_t itself holds 1024. */
union cpus {
    cpu_set_t first;
    unsigned char all[LINUX_CPUS / 8];
};

static bool has(const union cpus *cpus, int cpu)
{
    return cpu < LINUX_CPUS && CPU_ISSET_S((size_t)cpu, sizeof(cpus->all), &cpus->first);
}

/* Lists CPUs, or their APIC ids, as Linux does: "0-3,8". */
static void list_cpus(const union cpus *cpus, char *text, size_t size)
{
    size_t length = 0;

    text[0] = '\0';
    for (int cpu = 0; cpu < LINUX_CPUS && length < size; cpu++) {
        int first = cpu;
        if (!has(cpus, cpu))
            continue;
        while (has(cpus, cpu + 1))
            cpu++;
        const char *comma = length > 0 ? "," : "";
        int added = first == cpu
                        ? snprintf(text + length, size - length, "%s%d", comma, cpu)
                        : snprintf(text + length, size - length, "%s%d-%d", comma, first, cpu);
        length += (size_t)added;
    }
}

static int last_cpu(const union cpus *cpus)
{
    int cpu = LINUX_CPUS - 1;

    while (cpu >= 0 && !has(cpus, cpu))
        cpu--;
    return cpu;
}

static union cpus only(int cpu)
{
    union cpus one = {.all = {0}};

    CPU_SET_S((size_t)cpu, sizeof(one.all), &one.first);
    return one;
}

static bool stay_on(int cpu)
{
    union cpus one = only(cpu);

    return sched_setaffinity(0, sizeof(one.all), &one.first) == 0;
}

/* The CPUs that the process might use before it was pinned the first time. */
static union cpus allowed_first;

int linux_pin(int wanted, char *reason, size_t size)
{
    union cpus allowed = {.all = {0}};
    char list[256];

    if (sched_getaffinity(0, sizeof(allowed.all), &allowed.first) != 0) {
        snprintf(reason, size, "Linux does not say which CPUs may be used: %s", strerror(errno));
        return -1;
    }
    if (last_cpu(&allowed_first) < 0)
        allowed_first = allowed;
    int cpu = wanted == LINUX_ANY_CPU ? last_cpu(&allowed) : wanted;
    if (cpu < 0 || !has(&allowed, cpu)) {
        list_cpus(&allowed, list, sizeof(list));
        snprintf(reason, size, "CPU %d is not among those this process may use: %s", cpu, list);
        return -1;
    }
    if (!stay_on(cpu)) {
        snprintf(reason, size, "the process cannot be kept on CPU %d: %s", cpu, strerror(errno));
        return -1;
    }
    return cpu;
}

int linux_pin_apic_id(uint32_t apic_id, char *reason, size_t size)
{
    int before = sched_getcpu();
    union cpus ids = {.all = {0}};
    char list[256];

    for (int cpu = 0; cpu <= last_cpu(&allowed_first); cpu++) {
        if (!has(&allowed_first, cpu) || !stay_on(cpu))
            continue;
        uint32_t found = processor_apic_id();
        if (found == apic_id)
            return cpu;
        CPU_SET_S(found, sizeof(ids.all), &ids.first);
    }
    stay_on(before);
    list_cpus(&ids, list, sizeof(list));
    snprintf(reason, size, "no CPU this process may use has the APIC id %u; theirs are %s", apic_id,
             list);
    return -1;
}

bool linux_may_use(int cpu)
{
    return has(&allowed_first, cpu);
}

int linux_start_thread(pthread_t *thread, int cpu, void *(*work)(void *context), void *context)
{
    union cpus one = only(cpu);
    pthread_attr_t attributes;
    sigset_t all, before;

    pthread_attr_init(&attributes);
    pthread_attr_setaffinity_np(&attributes, sizeof(one.all), &one.first);
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    int status = pthread_create(thread, &attributes, work, context);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    pthread_attr_destroy(&attributes);
    return status;
}

/* linux_others: cpuN/topology tells of threads, a link nodeM beside it of the node. */
#include "linux_others.h"

#include <dirent.h>
#include <stdio.h>

#include "linux_list.h"

#define NO_NODE (-1)

/* Reads the threads of a CPU's core, itself among them. False: Linux does not show them. */
static bool read_core(const char *folder, int cpu, struct linux_list *core)
{
    char path[512];

    snprintf(path, sizeof(path), "%s/cpu%d/topology/thread_siblings_list", folder, cpu);
    return linux_list_read(path, LINUX_CPUS, core) && linux_list_has(core, (uint32_t)cpu);
}

static int node_of(const char *folder, int cpu)
{
    char path[512];
    int node = NO_NODE;

    snprintf(path, sizeof(path), "%s/cpu%d", folder, cpu);
    DIR *entries = opendir(path);
    if (entries == NULL)
        return NO_NODE;
    for (struct dirent *e; node == NO_NODE && (e = readdir(entries)) != NULL;)
        if (sscanf(e->d_name, "node%d", &node) != 1)
            node = NO_NODE;
    closedir(entries);
    return node;
}

static const char *find_siblings(const struct linux_list *core, int cpu, bool (*may_use)(int cpu),
                                 struct linux_others *others)
{
    for (uint32_t i = 0; i < core->count; i++)
        if (core->number[i] != (uint32_t)cpu && may_use((int)core->number[i]))
            others->cpu[others->count++] = (int)core->number[i];
    if (others->count > 0)
        return NULL;
    return core->count > 1 ? "this process may not use the other thread of its core"
                           : "this core has no other thread that Linux shows";
}

/* True if the CPU is the first of its core that may be used. */
static bool stands_for_its_core(const struct linux_list *core, int cpu, bool (*may_use)(int cpu))
{
    for (uint32_t i = 0; i < core->count; i++)
        if (core->number[i] < (uint32_t)cpu && may_use((int)core->number[i]))
            return false;
    return true;
}

/* Adds one CPU of each other core: of those on the own node, or of all others. */
static void add_allowed_cores(const char *folder, const struct linux_list *own, int own_node,
                              bool near, bool (*may_use)(int cpu), struct linux_others *others)
{
    static struct linux_list core;

    for (int cpu = 0; cpu < LINUX_CPUS; cpu++)
        if (may_use(cpu) && !linux_list_has(own, (uint32_t)cpu) && read_core(folder, cpu, &core) &&
            stands_for_its_core(&core, cpu, may_use) && (node_of(folder, cpu) == own_node) == near)
            others->cpu[others->count++] = cpu;
}

const char *linux_others_find(const char *folder, int cpu, bool are_siblings,
                              bool (*may_use)(int cpu), struct linux_others *others)
{
    static struct linux_list own;

    others->count = 0;
    if (!read_core(folder, cpu, &own))
        return "Linux does not show which CPUs are threads of this core";
    if (are_siblings)
        return find_siblings(&own, cpu, may_use, others);
    int node = node_of(folder, cpu);
    add_allowed_cores(folder, &own, node, true, may_use, others);
    add_allowed_cores(folder, &own, node, false, may_use, others);
    return others->count > 0 ? NULL : "Linux shows no other core that this process may use";
}

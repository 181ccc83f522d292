/* linux_others: which other CPUs may work while one measures, by the topology that Linux shows. */
#ifndef MLPBOOT_HOSTED_LINUX_OTHERS_H
#define MLPBOOT_HOSTED_LINUX_OTHERS_H

#include <stdbool.h>

#include "linux_cpu.h"

/* In the order in which they are to be taken. */
struct linux_others {
    unsigned count;
    int cpu[LINUX_CPUS];
};

/*
 * Out of a folder like /sys/devices/system/cpu, of the CPUs that may be used: the other threads of
 * the core that has `cpu`; or else one thread of each other core, those of its own node first.
 * NULL, or the reason why it could not.
 */
const char *linux_others_find(const char *folder, int cpu, bool are_siblings,
                              bool (*may_use)(int cpu), struct linux_others *others);

#endif

/* linux_machine: which machine this is, as far as Linux lets a process know, and the time. */
#ifndef MLPBOOT_HOSTED_LINUX_MACHINE_H
#define MLPBOOT_HOSTED_LINUX_MACHINE_H

#include <stdbool.h>

#include "../../kernel/data/machine.h"
#include "../../kernel/lib/utc.h"
#include "../../kernel/platform.h"

/*
 * Reads it from a folder like /sys: out of the firmware's SMBIOS table where the process may read
 * that (root), else from class/dmi/id; `reason` names what may not be read there.
 */
void linux_machine_find(const char *sys, struct machine *machine);

/* The name of this boot, from a file like /proc/sys/kernel/random/boot_id; empty: absent. */
void linux_boot(const char *boot_id, machine_text boot);

/* The revision that a file like /proc/cpuinfo gives for a CPU. False: none. */
bool linux_microcode(const char *cpuinfo, int cpu, uint32_t *revision);

/* A member of struct platform. */
const char *linux_now(struct platform *self, struct utc *utc);

#endif

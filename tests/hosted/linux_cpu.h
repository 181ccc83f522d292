/* linux_cpu: which processor the process runs on, and that it stays there. */
#ifndef MLPBOOT_HOSTED_LINUX_CPU_H
#define MLPBOOT_HOSTED_LINUX_CPU_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define LINUX_ANY_CPU (-1)
#define LINUX_CPUS 16384 /* more than Linux can be built for */

/*
 * Keeps this process on one CPU: the one given, or with LINUX_ANY_CPU the last it may use (the
 * first ones take most interrupts). Returns its number; -1: `reason` says why it cannot be.
 */
int linux_pin(int wanted, char *reason, size_t size);

/*
 * The same on the CPU with that APIC id, by CPUID on each that linux_pin could choose from when it
 * was first called. -1: `reason` names the ids that these have, and the process is where it was.
 */
int linux_pin_apic_id(uint32_t apic_id, char *reason, size_t size);

/* True if linux_pin could choose that CPU when it was first called. */
bool linux_may_use(int cpu);

/* As pthread_create, for a thread that stays on that CPU and gets none of the process's signals. */
int linux_start_thread(pthread_t *thread, int cpu, void *(*work)(void *context), void *context);

#endif

/* linux_memory: how much memory a Linux process may still take without being killed for it. */
#ifndef MLPBOOT_HOSTED_LINUX_MEMORY_H
#define MLPBOOT_HOSTED_LINUX_MEMORY_H

#include <stdint.h>

/* Bytes of one line "NAME:  123 kB" of /proc/meminfo; 0 where there is no such line. */
uint64_t linux_meminfo(const char *name);

/*
 * Bytes that can be taken now: what the kernel estimates as available and what every memory control
 * group around this process leaves, less a margin for everyone else. 0 where nothing is known.
 */
uint64_t linux_memory_free(void);

#endif

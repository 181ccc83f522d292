/* linux_fault: calls a function and survives the processor faults it causes. */
#ifndef MLPBOOT_HOSTED_LINUX_FAULT_H
#define MLPBOOT_HOSTED_LINUX_FAULT_H

#include <stdbool.h>
#include <stddef.h>

#define LINUX_FAULT_DUMP_MAX 1024

/*
 * Calls work(context). A SIGSEGV, SIGBUS, SIGILL or SIGFPE inside ends it at once, wherever it is;
 * `dump` then holds lines that say which, where, and the registers. Signals and their stack are as
 * before when this returns. One thread, not nested. False: a fault ended the work.
 */
bool linux_fault_guard(void (*work)(void *context), void *context, char dump[LINUX_FAULT_DUMP_MAX]);

#endif

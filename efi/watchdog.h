/* watchdog: the firmware's own, which resets the machine where a call of the firmware hangs. */
#ifndef MLPBOOT_EFI_WATCHDOG_H
#define MLPBOOT_EFI_WATCHDOG_H

#include <stdbool.h>
#include <stdint.h>

/*
 * How long a call may take from now on, in seconds; 0: for ever. Starts anew. Returns NULL, or why
 * nobody watches (UEFI 2.10, SetWatchdogTimer).
 */
const char *watchdog_set(uint64_t seconds);

/* Starts its time anew: a call before this one came back. */
void watchdog_feed(void);

/* True if a machine that hangs is to be reset, whether or not the firmware can do that. */
bool watchdog_is_wanted(void);

/* Likewise before a call that may take so many seconds by itself, should that be more. */
void watchdog_feed_for(uint64_t seconds);

/*
 * Not armed until it is fed again. It is a timer event, for which interrupts have to be on: while
 * they are off it resets nothing, and a timer that is read from a free-running counter (edk2's
 * HpetTimerDxe) credits all of that time with its first tick afterwards. So it rests whenever they
 * are off.
 */
void watchdog_rest(void);

#endif

/* pm_timer: the rate of the time-stamp counter by the ACPI power-management timer. */
#ifndef MLPBOOT_EFI_PM_TIMER_H
#define MLPBOOT_EFI_PM_TIMER_H

#include "../kernel/platform.h"

/*
 * Finds the timer by the firmware's ACPI tables and fills `check`, its reason if no timer is there.
 * Takes 60 ms at the highest task priority. `ticks_per_second` is the rate to be checked; it only
 * says how long to wait.
 */
void pm_timer_check(uint64_t ticks_per_second, struct clock_check *check);

#endif

/* pm_timer: the rate of the time-stamp counter by the ACPI power-management timer. */
#ifndef MLPBOOT_EFI_PM_TIMER_H
#define MLPBOOT_EFI_PM_TIMER_H

#include "../kernel/platform.h"
#include "acpi.h"

/* Both counters at one moment. */
struct pm_moment {
    uint64_t ticks;
    uint32_t count;
};

/* The time from a first moment on. */
struct pm_timer_span {
    struct acpi_pm_timer timer;
    struct pm_moment start;
    const char *reason; /* why there is no timer; NULL: there is one */
};

/* Finds the timer by the firmware's ACPI tables and reads the first moment, or sets the reason. */
void pm_timer_start(struct pm_timer_span *span);

/*
 * Fills `check`: how many ticks a second has by the timer, or why that is not known. Waits until
 * 50 ms have passed since the start by `ticks_per_second`, the rate to be checked. A turn of the
 * timer, 4.6 s, must not be over by then.
 */
void pm_timer_end(const struct pm_timer_span *span, uint64_t ticks_per_second,
                  struct clock_check *check);

#endif

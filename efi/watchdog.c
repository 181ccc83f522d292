/* watchdog: a timer event of the firmware's, set and cleared. */
#include "watchdog.h"

#include "firmware.h"

#define CODE 0x10000 /* in the firmware's log of resets; those below are its own */

static uint64_t limit;
static bool is_wanted;

static EFI_STATUS arm(uint64_t seconds)
{
    return firmware_boot->SetWatchdogTimer(seconds, CODE, 0, NULL);
}

const char *watchdog_set(uint64_t seconds)
{
    limit = seconds;
    is_wanted = seconds != 0;
    EFI_STATUS status = arm(seconds);
    if (!EFI_ERROR(status))
        return NULL;
    limit = 0;
    return firmware_status(status);
}

bool watchdog_is_wanted(void)
{
    return is_wanted;
}

void watchdog_feed(void)
{
    watchdog_feed_for(0);
}

void watchdog_feed_for(uint64_t seconds)
{
    if (limit != 0)
        arm(limit > seconds ? limit : seconds);
}

void watchdog_rest(void)
{
    if (limit != 0)
        arm(0);
}

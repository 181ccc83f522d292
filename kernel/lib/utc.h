/* utc: dates and times of day. */
#ifndef MLPBOOT_LIB_UTC_H
#define MLPBOOT_LIB_UTC_H

#include <stddef.h>
#include <stdint.h>

/* By the Gregorian calendar: month and day from 1. */
struct utc {
    unsigned year, month, day, hour, minute, second;
};

#define UTC_TEXT_MAX 24 /* characters, the final NUL included */

/* As in ISO 8601: "2026-11-22T05:34:52Z". Returns `buffer`. */
const char *utc_text(char buffer[UTC_TEXT_MAX], const struct utc *utc);

#define UTC_REASON_MAX 96

/*
 * The reading of a clock that is so many minutes behind UTC (-1440 to 1440; negative: ahead) as
 * UTC. NULL; or `reason`, in words, where that cannot be the time: no date, no such zone, or a date
 * from before this program was written, as clocks show that were never set.
 */
const char *utc_from_clock(const struct utc *clock, int minutes, struct utc *utc,
                           char reason[UTC_REASON_MAX]);

#endif

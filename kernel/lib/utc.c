/* utc: the calendar, as far as a time zone needs it. */
#include "utc.h"

#include <stdbool.h>

#include "text.h"

#define MINUTES_A_DAY (24 * 60)
#define YEAR_FIRST 2025 /* this program did not exist before */
#define YEAR_LAST 2069  /* a clock that was reset to 1970 shows 2070 where it keeps two digits */
#define YEAR_SHOWN 9999 /* that four digits can tell */

const char *utc_text(char buffer[UTC_TEXT_MAX], const struct utc *utc)
{
    return text_write(buffer, UTC_TEXT_MAX, "%04u-%02u-%02uT%02u:%02u:%02uZ", utc->year, utc->month,
                      utc->day, utc->hour, utc->minute, utc->second);
}

static unsigned days_of(unsigned year, unsigned month)
{
    static const uint8_t days[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
    bool is_leap = (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
    return days[month - 1] + (month == 2 && is_leap);
}

static bool is_date(const struct utc *utc)
{
    return utc->year >= 1 && utc->year <= YEAR_SHOWN && utc->month >= 1 && utc->month <= 12 &&
           utc->day >= 1 && utc->day <= days_of(utc->year, utc->month) && utc->hour < 24 &&
           utc->minute < 60 && utc->second < 60;
}

static void shift(struct utc *utc, int minutes)
{
    int of_day = (int)(utc->hour * 60 + utc->minute) + minutes;
    unsigned month = utc->year * 12 + utc->month - 1; /* from the year 0 on */
    utc->day += of_day >= MINUTES_A_DAY;
    utc->day -= of_day < 0;
    if (utc->day > days_of(utc->year, utc->month)) {
        month++;
        utc->day = 1;
    }
    month -= utc->day == 0;
    utc->year = month / 12;
    utc->month = month % 12 + 1;
    if (utc->day == 0)
        utc->day = days_of(utc->year, utc->month);
    of_day = (of_day + MINUTES_A_DAY) % MINUTES_A_DAY;
    utc->hour = (unsigned)of_day / 60;
    utc->minute = (unsigned)of_day % 60;
}

const char *utc_from_clock(const struct utc *clock, int minutes, struct utc *utc,
                           char reason[UTC_REASON_MAX])
{
    char shown[64];
    text_write(shown, sizeof shown, "%u-%02u-%02u %02u:%02u:%02u", clock->year, clock->month,
               clock->day, clock->hour, clock->minute, clock->second);
    if (!is_date(clock))
        return text_write(reason, UTC_REASON_MAX, "the clock shows no date: %s", shown);
    if (minutes < -MINUTES_A_DAY || minutes > MINUTES_A_DAY)
        return text_write(reason, UTC_REASON_MAX,
                          "the clock's time zone is %d minutes; -1440 to 1440 are possible",
                          minutes);
    if (clock->year < YEAR_FIRST || clock->year > YEAR_LAST)
        return text_write(reason, UTC_REASON_MAX, "the clock is not set: it shows %s", shown);
    *utc = *clock;
    shift(utc, minutes);
    return NULL;
}

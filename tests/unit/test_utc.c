/* test_utc: clocks of all zones, and those that show no time. */
#include "../../kernel/lib/utc.h"
#include "kit.h"

static char reason[UTC_REASON_MAX];

static void assert_utc(struct utc clock, int minutes, const char *wanted)
{
    char text[UTC_TEXT_MAX];
    struct utc utc;
    assert_null(utc_from_clock(&clock, minutes, &utc, reason));
    assert_string_equal(utc_text(text, &utc), wanted);
}

TEST(zones)
{
    assert_utc((struct utc){2026, 11, 22, 5, 34, 52}, 0, "2026-11-22T05:34:52Z");
    assert_utc((struct utc){2026, 7, 1, 5, 0, 0}, 420, "2026-07-01T12:00:00Z"); /* PDT */
    assert_utc((struct utc){2026, 7, 1, 14, 0, 9}, -120, "2026-07-01T12:00:09Z");
    assert_utc((struct utc){2026, 7, 1, 17, 30, 0}, -330, "2026-07-01T12:00:00Z"); /* IST */
}

TEST(days_that_turn)
{
    assert_utc((struct utc){2026, 12, 31, 23, 59, 59}, 1, "2027-01-01T00:00:59Z");
    assert_utc((struct utc){2027, 1, 1, 0, 0, 59}, -1, "2026-12-31T23:59:59Z");
    assert_utc((struct utc){2028, 2, 28, 23, 0, 0}, 60, "2028-02-29T00:00:00Z");
    assert_utc((struct utc){2028, 3, 1, 0, 0, 0}, -1440, "2028-02-29T00:00:00Z");
    assert_utc((struct utc){2027, 3, 1, 0, 0, 0}, -60, "2027-02-28T23:00:00Z");
    assert_utc((struct utc){2069, 12, 31, 23, 59, 59}, 1440, "2070-01-01T23:59:59Z");
}

static void assert_refused(struct utc clock, int minutes, const char *why)
{
    struct utc utc = {1, 2, 3, 4, 5, 6};
    assert_ptr_equal(utc_from_clock(&clock, minutes, &utc, reason), reason);
    if (strstr(reason, why) == NULL)
        fail_msg("\"%s\" does not say \"%s\"", reason, why);
    assert_int_equal(utc.year, 1); /* nothing was written */
}

TEST(clocks_that_show_no_time)
{
    assert_refused((struct utc){2024, 12, 31, 23, 59, 59}, 0,
                   "the clock is not set: it shows 2024-12-31 23:59:59");
    assert_refused((struct utc){1980, 1, 1, 0, 0, 0}, 0, "not set");
    assert_refused((struct utc){2070, 1, 1, 0, 0, 0}, 0, "the clock is not set: it shows 2070");
    assert_refused((struct utc){2400, 2, 29, 0, 0, 0}, 0, "not set");
    assert_refused((struct utc){9999, 12, 31, 0, 0, 0}, 0, "not set");
    assert_refused((struct utc){0, 0, 0, 0, 0, 0}, 0, "no date: 0-00-00 00:00:00");
    assert_refused((struct utc){10000, 1, 1, 0, 0, 0}, 0, "no date");
    assert_refused((struct utc){2026, 13, 1, 0, 0, 0}, 0, "no date");
    assert_refused((struct utc){2026, 2, 29, 0, 0, 0}, 0, "no date");
    assert_refused((struct utc){2100, 2, 29, 0, 0, 0}, 0, "no date");
    assert_refused((struct utc){2026, 4, 31, 0, 0, 0}, 0, "no date");
    assert_refused((struct utc){2026, 1, 0, 0, 0, 0}, 0, "no date");
    assert_refused((struct utc){2026, 1, 1, 24, 0, 0}, 0, "no date");
    assert_refused((struct utc){2026, 1, 1, 0, 60, 0}, 0, "no date");
    assert_refused((struct utc){2026, 1, 1, 0, 0, 60}, 0, "no date");
    assert_refused((struct utc){65535, 255, 255, 255, 255, 255}, 0, "no date");
    assert_refused(
        (struct utc){UINT32_MAX, UINT32_MAX, UINT32_MAX, UINT32_MAX, UINT32_MAX, UINT32_MAX}, 0,
        "no date");
    assert_refused((struct utc){2026, 1, 1, 0, 0, 0}, 1441, "zone is 1441 minutes");
    assert_refused((struct utc){2026, 1, 1, 0, 0, 0}, -32768, "zone is -32768 minutes");
}

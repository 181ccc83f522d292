/* console: plain ASCII to whatever the firmware's console is, and a key from it. */
#ifndef MLPBOOT_EFI_CONSOLE_H
#define MLPBOOT_EFI_CONSOLE_H

#include <stdbool.h>

/* Has text shown where the firmware left the console in graphics mode; and gives that back. */
void console_open(void);
void console_close(void);

/* "\n" becomes "\r\n"; what is not ASCII becomes `?`. Nothing happens without a console. However
 * long that takes, the watchdog lets it: it is fed as often as a line is long. */
void console_print(const char *text);

/* printf style (see text.h), up to 1023 characters. */
void console_printf(const char *format, ...) __attribute__((format(printf, 1, 2)));

/*
 * True if somebody may record what is printed: a console of the firmware's has a serial port, or
 * the firmware does not tell. console_record prints to those alone: a BMC's screen takes a second
 * for 5 to 20 lines.
 */
bool console_is_recorded(void);
void console_record(const char *text);

/* Empties the screen. */
void console_clear(void);

/* Keys typed before do not count. Not all of them, where one is stuck. */
void console_forget_keys(void);

/*
 * Waits for a key, at most that long; for Enter alone if asked, since a serial line that nobody
 * uses brings characters, too. False: none came.
 */
bool console_wait_key(unsigned milliseconds, bool is_enter_asked);

#endif

/* console: plain ASCII to whatever the firmware's console is, and a key from it. */
#ifndef MLPBOOT_EFI_CONSOLE_H
#define MLPBOOT_EFI_CONSOLE_H

#include <stdbool.h>

/* "\n" becomes "\r\n"; what is not ASCII becomes `?`. Nothing happens without a console. */
void console_print(const char *text);

/* printf style (see text.h), up to 1023 characters. */
void console_printf(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Empties the screen. */
void console_clear(void);

/* Keys typed before do not count. Not all of them, where one is stuck. */
void console_forget_keys(void);

/* Waits for a key, at most that long. False: none came. */
bool console_wait_key(unsigned milliseconds);

#endif

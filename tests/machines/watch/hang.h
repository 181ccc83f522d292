/* hang: calls of the firmware that never return. */
#ifndef MLPBOOT_WATCH_HANG_H
#define MLPBOOT_WATCH_HANG_H

/*
 * From the moment on in which one call to the console holds that text, writing to the volume booted
 * from never returns. "": nothing happens. The text has to stay.
 */
void hang_after(const char *text);

/* When the console is given that text for the first time, it does this instead. */
void hang_instead(void (*what)(void));

/* Never returns. */
void hang_now(void) __attribute__((noreturn));

#endif

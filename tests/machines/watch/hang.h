/* hang: a disk that stops answering when the console says something. */
#ifndef MLPBOOT_WATCH_HANG_H
#define MLPBOOT_WATCH_HANG_H

#include <stdbool.h>

/*
 * From the moment on in which one call to the console holds that text, writing to the volume booted
 * from never returns. "": nothing happens. The text has to stay.
 */
void hang_after(const char *text);

/* Whether it does not answer any more. */
bool hang_is_on(void);

#endif

/* vices: what bad firmware does, one name each; the table is in vices.c. */
#ifndef MLPBOOT_WATCH_VICES_H
#define MLPBOOT_WATCH_VICES_H

#include <stdbool.h>
#include <stdint.h>

/*
 * The firmware gets that vice; `number` says from which processor on, where the table says so.
 * False: there is no such vice.
 */
bool vices_add(const char *name, uint64_t number);

/* From now on, or no more, the firmware does what it got. In between the watcher calls nothing. */
void vices_begin(void);
void vices_end(void);

bool vices_are_on(void);

#endif

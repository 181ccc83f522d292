/* state: what a program has to leave on this processor as it found it. */
#ifndef MLPBOOT_WATCH_STATE_H
#define MLPBOOT_WATCH_STATE_H

#include "../../../kernel/lib/text.h"
#include "list.h"

/* An MSR, which must exist. */
uint64_t state_msr(uint32_t index);
void state_set_msr(uint32_t index, uint64_t value);

/* Writes the registers that the list gives a value. */
void state_set(const struct list *list);

/*
 * Appends a line "<moment> <whose><register> <value>" for each register: those of the list, and
 * those that every x86-64 processor has. Bits that hardware changes by itself read as zero.
 */
void state_tell(const struct list *list, const char *moment, const char *whose, struct text *text);

#endif

/* power_on: tells by the firmware's variables what was measured since the machine was switched on
 * or reset, and what starts first when it is reset. Nothing is written to NVRAM. */
#ifndef MLPBOOT_EFI_POWER_ON_H
#define MLPBOOT_EFI_POWER_ON_H

#include <stdbool.h>
#include <stdint.h>

/* True if this hash of a configuration was noted since then, from whichever volume. */
bool power_on_measured(uint64_t text);

/* Notes it, in a variable without EFI_VARIABLE_NON_VOLATILE: a reset takes it away
 * (UEFI 2.10, 8.2). Firmware that refuses it has measured nothing yet, whenever it is asked. */
void power_on_note(uint64_t text);

/*
 * Returns the name of an entry that a reset tries before the one that started this (BootOrder and
 * BootCurrent; UEFI 2.10, 3.3). NULL: no entry comes before it, or the firmware does not tell.
 */
const char *power_on_rival(void);

#endif

/* apic: masks the local interrupt sources; a pending one slows some processors even under CLI. */
#ifndef MLPBOOT_CPU_APIC_H
#define MLPBOOT_CPU_APIC_H

#include "journal.h"

/*
 * Masks every entry of the local vector table (timer, thermal, counters, LINT0, LINT1, error,
 * CMCI), in xAPIC or x2APIC mode as found, by way of the journal; but for LINT0 or LINT1 where it
 * carries the machine's NMI (bus errors, a watchdog, a button), which would be lost. Nothing
 * happens where the APIC is off. Intel SDM volume 3A, chapter 11.
 */
void apic_mask(struct journal *journal);

#endif

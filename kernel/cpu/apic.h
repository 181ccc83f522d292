/* apic: masks the local interrupt sources; a pending one slows some processors even under CLI. */
#ifndef MLPBOOT_CPU_APIC_H
#define MLPBOOT_CPU_APIC_H

#include "journal.h"
#include "processor.h"

/*
 * Masks every entry of the local vector table (timer, thermal, counters, LINT0, LINT1, error,
 * CMCI), in xAPIC or x2APIC mode as found, by way of the journal; but for LINT0 or LINT1 where it
 * carries the machine's NMI (bus errors, a watchdog, a button), which would be lost. A timer that
 * counts once and gets to its end meanwhile is started anew. Nothing happens where the APIC is off.
 * Intel SDM volume 3A, chapter 11; AMD APM volume 2, 16.4, which has no CMCI.
 */
void apic_mask(struct journal *journal, enum processor_vendor vendor);

#endif

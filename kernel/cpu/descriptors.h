/* descriptors: our own GDT, TSS and IDT, and the firmware's back. */
#ifndef MLPBOOT_CPU_DESCRIPTORS_H
#define MLPBOOT_CPU_DESCRIPTORS_H

#include <stdbool.h>
#include <stdint.h>

#include "registers.h"

struct descriptors_before {
    struct descriptor_pointer gdtr, idtr;
    uint16_t tr;
};

/*
 * Loads a GDT that holds the firmware's descriptors at their own selectors and our TSS behind them,
 * that TSS, and an IDT whose NMI, double fault and machine check have stacks of their own. False,
 * with nothing changed, if the firmware uses descriptors beyond the 64th. Interrupts must be off.
 */
bool descriptors_load(struct descriptors_before *before);

/*
 * Undoes it. A task register that was null stays on our TSS: no instruction loads a null one (LTR
 * faults), and nothing at ring 0 reads it while no gate of the firmware's IDT asks for a stack.
 */
void descriptors_restore(const struct descriptors_before *before);

#endif

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

/* True inside a quiet section: the IDT that is loaded is that of descriptors_load. */
bool descriptors_are_ours(void);

/*
 * Loads a copy of the firmware's IDT, made in `memory` of DESCRIPTORS_CATCH_BYTES, in which the
 * gates of exceptions (vectors 0 to 31) are ours. Timers and all other interrupts stay the
 * firmware's; so do the exceptions by which a hypervisor talks to an encrypted guest, and each
 * gate's stack (IST), as the firmware's TSS stays loaded. Edk2 gives other processors that it
 * starts the IDT of this one; so `memory` has to stay for ever.
 */
#define DESCRIPTORS_CATCH_BYTES 4096
void descriptors_catch(void *memory);

/* Loads that copy on another processor, where there is one; returns what was loaded there. */
struct descriptor_pointer descriptors_join(void);

/* Loads the firmware's IDT again. The copy then says what the firmware's says. */
void descriptors_let_go(void);

/* Returns the address of the firmware's handler of an exception. After descriptors_catch. */
uint64_t descriptors_found(uint64_t vector);

#endif

/* quiet: takes the processor over for a piece of work, and restores it. */
#ifndef MLPBOOT_CPU_QUIET_H
#define MLPBOOT_CPU_QUIET_H

#include <stdbool.h>
#include <stdint.h>

#include "exceptions.h"
#include "processor.h"
#include "registers.h"
#include "switches.h"

/* Firmware expects to find these unchanged. */
struct cpu_state {
    uint64_t cr0, cr3, cr4, efer, pat, rflags;
    struct descriptor_pointer gdtr, idtr;
    uint16_t cs, ds, ss, tr;
};

struct quiet {
    const struct processor *processor;
    uint64_t cr3;              /* our page tables' root */
    struct switches *switches; /* applied before the work; NULL: none */
    /* Takes over further registers, after the switches and before cr3. NULL: none. */
    void (*enter)(void *context, const struct processor *processor, struct journal *journal);
    void *enter_context;
    struct cpu_state before, after;
    bool tr_was_null;            /* TR was null in the first run */
    bool amd_lfence_set;         /* LFENCE was made ordering (AMD) */
    const char *no_lfence_order; /* why LFENCE does not order; NULL: it does */
    unsigned registers_changed;  /* the most in the journal so far */
    unsigned journal_failed;     /* how many were not restored */
    uint64_t failed_where; /* the first that was not: MSR number, or address in the local APIC */
    struct fault fault;
    uint32_t apic_id; /* of the processor that did the work, read there */
};

enum quiet_result { QUIET_DONE, QUIET_FAULT, QUIET_REFUSED };

/*
 * Runs work(context) with interrupts off, every local interrupt source masked, our own GDT, TSS and
 * IDT, and quiet->cr3; then restores everything in reverse. QUIET_FAULT: an exception ended the
 * work (quiet->fault); QUIET_REFUSED: nothing was run. The work must not call firmware, nor lower
 * the task priority below the caller's.
 */
enum quiet_result quiet_run(struct quiet *quiet, void (*work)(void *context), void *context);

/*
 * Returns the first register that differs between before and after; NULL: none does. A task
 * register that was null does not count (see descriptors.h).
 */
const char *quiet_difference(const struct quiet *quiet);

#endif

/* quiet: the processor taken over for a piece of work, and given back as it was. */
#ifndef MLPBOOT_CPU_QUIET_H
#define MLPBOOT_CPU_QUIET_H

#include <stdbool.h>
#include <stdint.h>

#include "exceptions.h"
#include "processor.h"
#include "registers.h"
#include "switches.h"

/* What firmware expects to find as it left it. */
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
    bool tr_was_null;            /* when first run */
    bool amd_lfence_set;         /* LFENCE had to be made ordering (AMD) */
    const char *no_lfence_order; /* why it could not; NULL: it orders */
    unsigned registers_changed;  /* in the journal at its fullest */
    unsigned journal_failed;     /* of those, not restored */
    uint64_t failed_where;       /* the first of these: MSR number, or address in the local APIC */
    struct fault fault;
    uint32_t apic_id; /* of the processor that the work ran on, as it said itself meanwhile */
};

enum quiet_result { QUIET_DONE, QUIET_FAULT, QUIET_REFUSED };

/*
 * Runs work(context) with interrupts off, every local interrupt source masked, our own GDT, TSS and
 * IDT, and quiet->cr3; then restores everything in reverse. QUIET_FAULT: an exception ended the
 * work (quiet->fault); QUIET_REFUSED: nothing was run. Firmware must not be called from the work,
 * and nothing may raise the task priority less than the caller did.
 */
enum quiet_result quiet_run(struct quiet *quiet, void (*work)(void *context), void *context);

/*
 * The first register that differs between before and after, NULL when none does. The task register
 * does not count where it was null (see descriptors.h).
 */
const char *quiet_difference(const struct quiet *quiet);

#endif

/* quiet: takes the processor over for a piece of work, and restores it. */
#ifndef MLPBOOT_CPU_QUIET_H
#define MLPBOOT_CPU_QUIET_H

#include <stdbool.h>
#include <stdint.h>

#include "exceptions.h"
#include "journal.h"
#include "processor.h"
#include "registers.h"
#include "switches.h"

/*
 * takeover.c. NULL, or in words what forbids that we take the processor over. Ring 0; the
 * firmware's IDT may be loaded, since only registers are read that CPUID announces. `cr4` is CR4's
 * value.
 *
 * Supervisor shadow stacks (Intel SDM 1, 17): our exceptions have no shadow stacks to return by. An
 * encrypted guest of AMD's (SEV; APM 2, 15.34 to 15.36): our page tables do not set the bit that
 * tells memory of its own, and with SEV-ES and SEV-SNP every CPUID and MSR is a #VC (vector 29)
 * that only the firmware's handler answers. A guest of Intel's TDX likewise, by #VE (vector 20;
 * Intel, TDX module 1.5 base architecture specification, "CPUID virtualization").
 */
const char *takeover_obstacle(uint64_t cr4);

/*
 * apic.c. Masks every entry of the local vector table (timer, thermal, counters, LINT0, LINT1,
 * error, CMCI), in xAPIC or x2APIC mode as found, by way of the journal; but for LINT0 or LINT1
 * where it carries the machine's NMI (bus errors, a watchdog, a button), which would be lost. A
 * timer that counts once and gets to its end meanwhile is started anew. Nothing happens where the
 * APIC is off. Intel SDM volume 3A, chapter 11; AMD APM volume 2, 16.4, which has no CMCI.
 */
void apic_mask(struct journal *journal, enum processor_vendor vendor);

/* Sends the processor with that APIC id an NMI. Nothing happens where our APIC is off. Intel SDM
 * 3A, 11.6.1. */
void apic_send_nmi(uint32_t apic_id);

/* Firmware expects to find these unchanged. */
struct cpu_state {
    uint64_t cr0, cr3, cr4, efer, pat, rflags;
    struct descriptor_pointer gdtr, idtr;
    uint16_t cs, ds, ss, tr;
};

struct quiet {
    const struct processor *processor;
    uint64_t cr3;              /* our page tables' root, */
    bool no_execute;           /* whose entries have PTE_NX: EFER.NXE has to be set */
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

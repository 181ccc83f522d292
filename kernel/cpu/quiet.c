/* quiet: enters, works and leaves, in the only order that is safe. */
#include "quiet.h"

#include <stddef.h>

#include "../lib/string.h"
#include "cpuid.h"
#include "descriptors.h"
#include "journal.h"
#include "msr.h"

#define DE_CFG_LFENCE_SERIALIZES (1u << 1)
#define CR4_MCE (1ul << 6)
#define HAS_MCE (1u << 7)         /* CPUID.1:EDX */
#define RFLAGS_ARITHMETIC 0x8d5ul /* CF PF AF ZF SF OF: results of arithmetic */

/* The only piece of work, on one processor. */
static struct {
    struct quiet *quiet;
    void (*work)(void *context);
    void *context;
    struct journal journal;
} current;

static void keep_state(struct cpu_state *state)
{
    *state = (struct cpu_state){
        .cr0 = cr0_read(),
        .cr3 = cr3_read(),
        .cr4 = cr4_read(),
        .rflags = rflags_read() & ~RFLAGS_ARITHMETIC,
        .gdtr = gdtr_read(),
        .idtr = idtr_read(),
        .cs = cs_read(),
        .ds = ds_read(),
        .ss = ss_read(),
        .tr = tr_read(),
    };
}

/*
 * Sets the bit without which LFENCE does not order on AMD; firmware may leave it clear, unlike an
 * operating system (AMD, "Software techniques for managing speculation").
 */
static const char *make_lfence_order(struct quiet *quiet, struct journal *journal)
{
    uint64_t value;
    if (quiet->processor->lfence_orders)
        return NULL;
    if (!msr_read(MSR_AMD_DE_CFG, &value))
        return "LFENCE is not known to order here: DE_CFG cannot be read";
    if (value & DE_CFG_LFENCE_SERIALIZES)
        return NULL;
    if (!journal_msr(journal, MSR_AMD_DE_CFG, value | DE_CFG_LFENCE_SERIALIZES, 0))
        return "LFENCE does not order here: DE_CFG cannot be written";
    if (!msr_read(MSR_AMD_DE_CFG, &value) || !(value & DE_CFG_LFENCE_SERIALIZES))
        return "LFENCE does not order here: DE_CFG keeps its bit clear";
    quiet->amd_lfence_set = true;
    return NULL;
}

/*
 * Lets machine checks be exceptions, for our handler: else they shut the processor down (Intel SDM
 * 3B, 16.1). Some firmware does that on its boot processor only. True if that changed something.
 */
static bool take_machine_checks(uint64_t cr4)
{
    bool changes = !(cr4 & CR4_MCE) && cpuid_read(1, 0).edx & HAS_MCE;
    if (changes)
        cr4_write(cr4 | CR4_MCE);
    return changes;
}

static void prepare_and_work(void *unused)
{
    (void)unused;
    struct quiet *quiet = current.quiet;
    apic_mask(&current.journal, quiet->processor->vendor);
    quiet->no_lfence_order = make_lfence_order(quiet, &current.journal);
    if (quiet->switches != NULL)
        switches_apply(quiet->switches, quiet->processor, &current.journal);
    if (quiet->enter != NULL)
        quiet->enter(quiet->enter_context, quiet->processor, &current.journal);
    if (current.journal.count > quiet->registers_changed)
        quiet->registers_changed = current.journal.count;
    quiet->apic_id = processor_apic_id();
    if (quiet->no_execute && !(quiet->before.efer & EFER_NXE))
        journal_msr(&current.journal, MSR_EFER, quiet->before.efer | EFER_NXE, 0);
    cr3_write(quiet->cr3);
    current.work(current.context);
}

enum quiet_result quiet_run(struct quiet *quiet, void (*work)(void *context), void *context)
{
    struct descriptors_before descriptors;
    keep_state(&quiet->before);
    quiet->tr_was_null |= quiet->before.tr == 0;
    interrupts_disable();
    if (!descriptors_load(&descriptors)) {
        rflags_write(quiet->before.rflags);
        return QUIET_REFUSED;
    }
    msr_read(MSR_EFER, &quiet->before.efer);
    msr_read(MSR_PAT, &quiet->before.pat);

    bool takes_checks = take_machine_checks(quiet->before.cr4);
    current.quiet = quiet;
    current.work = work;
    current.context = context;
    bool finished = guarded_call(prepare_and_work, NULL, &quiet->fault);
    cr3_write(quiet->before.cr3);
    journal_undo(&current.journal);
    quiet->journal_failed = current.journal.failed;
    quiet->failed_where = current.journal.failed_where;
    uint64_t efer = 0, pat = 0;
    msr_read(MSR_EFER, &efer);
    msr_read(MSR_PAT, &pat);
    if (takes_checks)
        cr4_write(cr4_read() & ~CR4_MCE);
    descriptors_restore(&descriptors);
    rflags_write(quiet->before.rflags);
    keep_state(&quiet->after);
    quiet->after.efer = efer;
    quiet->after.pat = pat;
    return finished ? QUIET_DONE : QUIET_FAULT;
}

const char *quiet_difference(const struct quiet *quiet)
{
    const struct cpu_state *a = &quiet->before, *b = &quiet->after;
    const struct {
        const char *name;
        bool same;
    } checks[] = {
        {"CR0", a->cr0 == b->cr0},
        {"CR3", a->cr3 == b->cr3},
        {"CR4", a->cr4 == b->cr4},
        {"EFER", a->efer == b->efer},
        {"PAT", a->pat == b->pat},
        {"RFLAGS", a->rflags == b->rflags},
        {"GDTR", memcmp(&a->gdtr, &b->gdtr, sizeof a->gdtr) == 0},
        {"IDTR", memcmp(&a->idtr, &b->idtr, sizeof a->idtr) == 0},
        {"CS", a->cs == b->cs},
        {"DS", a->ds == b->ds},
        {"SS", a->ss == b->ss},
        {"TR", a->tr == b->tr || a->tr == 0},
        {"a journalled register", quiet->journal_failed == 0},
    };
    for (unsigned i = 0; i < sizeof checks / sizeof *checks; i++)
        if (!checks[i].same)
            return checks[i].name;
    return NULL;
}

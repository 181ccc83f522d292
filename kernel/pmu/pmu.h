/* pmu: takes the usable counters over, programs them for a pass, starts, stops and reads them. */
#ifndef MLPBOOT_PMU_PMU_H
#define MLPBOOT_PMU_PMU_H

#include "../cpu/journal.h"
#include "../cpu/msr.h"
#include "plan.h"

struct pmu {
    struct counter_unit unit;
    bool discovered;          /* the unit is described and its counters were tested */
    uint64_t stopped;         /* global control between passes: firmware's own bits, and SMIs' */
    uint64_t fixed_stopped;   /* fixed control likewise */
    uint64_t overflow_before; /* status bits that were set when we came */
    struct counter_plan plan; /* what is programmed */
    uint64_t smi_counter; /* mask of the counter that no pass uses, since it counts SMIs; or 0 */
    bool counts_smis;     /* it counts, from pmu_enter to pmu_end_smis */
    uint64_t smis_before; /* SMIs that it had counted when it last ended */
};

/*
 * take.c. The first time: describes the unit, sets aside the counters that firmware uses, and tests
 * each counter; a few milliseconds. Every time: takes every usable counter over: notes its
 * registers in the journal, stops and clears it. Drops a counter that refuses from unit.usable,
 * with a reason.
 *
 * Only journal_undo undoes it, in this order: stop, selectors, counters, the overflow bits we
 * caused, global control. `pmu` starts as all zero and stays with one core. Ring 0 with our own IDT
 * loaded, interrupts off.
 */
void pmu_enter(struct pmu *pmu, const struct processor *processor, struct journal *journal);

/*
 * prove.c. Tests each usable counter, just taken. The counter must keep what is written to it, show
 * the same by RDPMC, and count the instructions of a loop of known length, twice. Fixed counters of
 * other events must advance. Drops a counter that fails from unit.usable, with the reason. Linux
 * tests a counter's read-back alike (arch/x86/events/core.c, check_hw_exists).
 */
void pmu_prove(struct pmu *pmu);

/*
 * smi.c. Counts system-management interrupts by PMCx02B on AMD's processors, which have no register
 * for them (AMD BKDG of families 10h and 15h; PPR of 17h to 1Ah, Core::X86::Pmc::Core::LsSmiRx).
 * The counter is the last general one, provided that four others are left for passes, so that
 * PMCs 0 to 3 stay a pass's own; not under a hypervisor. pmu_enter chooses it the first time, and
 * starts it every further time.
 * pmu_smis: how many came while it counted, since pmu_choose_smi_counter. False: not known, or
 * nothing counts now. pmu_end_smis keeps the count; to be called before the journal is undone.
 */
void pmu_choose_smi_counter(struct pmu *pmu, const struct processor *processor);
void pmu_start_smis(struct pmu *pmu);
bool pmu_smis(const struct pmu *pmu, uint64_t *count);
void pmu_end_smis(struct pmu *pmu);

/*
 * Programs a pass on counters taken by pmu_enter since the journal was last undone, and leaves them
 * cleared and stopped. Writes no journal. Returns NULL, or the reason: what counter_plan_make
 * refuses, or a register does not keep what is written to it. Then nothing counts.
 */
const char *pmu_program(struct pmu *pmu, const struct counter_use *use, unsigned count);

/* Starts or stops all counters of the pass at once. False: a register did not take the write. */
bool pmu_switch(const struct pmu *pmu, bool counting);

/* Sets the stopped counters of the pass to 0, and their overflow bits. False as above. */
bool pmu_clear(struct pmu *pmu);

/*
 * Prepares a span of so many cycles, in a pass with a counter that closes (plan.h): stops and
 * clears all counters, and sets the closing counter so many cycles before its overflow. A write to
 * the register that pmu_span_start names starts all counters. The overflow stops them all,
 * sometimes a few cycles late: the closing counter's value is then the number of cycles too many.
 * False as above. FREEZE_PERFMON_ON_PMI: Intel SDM 3B, "Freezing LBR and performance counters on
 * PMI"; AMD APM 2, 13.2, PerfMonV2. The interrupt is masked (cpu/apic.h): its request stops the
 * counters, not its delivery. First used so by B. Falk, "Sushi Roll" (2019).
 */
bool pmu_set_span(struct pmu *pmu, uint64_t cycles);
struct msr_value pmu_span_start(const struct pmu *pmu);

/* Reads a counter by RDPMC. False, with *value untouched, if RDPMC faults. */
bool pmu_read(const struct pmu *pmu, unsigned counter, uint64_t *value);

#endif

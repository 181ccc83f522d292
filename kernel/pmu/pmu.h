/* pmu: the usable counters taken over, programmed for a pass, started, stopped and read. */
#ifndef MLPBOOT_PMU_PMU_H
#define MLPBOOT_PMU_PMU_H

#include "../cpu/journal.h"
#include "../cpu/msr.h"
#include "plan.h"

struct pmu {
    struct counter_unit unit;
    bool discovered;          /* the unit is described and its counters were tested */
    uint64_t stopped;         /* global control while ours stand still: firmware's own bits */
    uint64_t fixed_stopped;   /* fixed control likewise */
    uint64_t overflow_before; /* status bits that were set when we came */
    struct counter_plan plan; /* what is programmed */
};

/*
 * take.c. The first time: describes the unit, sets aside what firmware uses, and tests each
 * counter; a few milliseconds. Every time: takes every usable counter over, that is, notes its
 * registers in the journal, stops and clears it. A counter that refuses is dropped from unit.usable
 * with a reason.
 *
 * journal_undo is the only way back, in this order: stop, selectors, counters, the overflow bits
 * we caused, global control as it was. `pmu` starts as all zero and stays with one core. Ring 0
 * with our own IDT loaded, interrupts off.
 */
void pmu_enter(struct pmu *pmu, const struct processor *processor, struct journal *journal);

/*
 * prove.c. No counter is trusted before it has counted something known: each usable counter, just
 * taken, must keep what is written to it, return the same by RDPMC, and count the instructions of a
 * loop of known length, twice. Fixed counters of other events must advance. One that does not is
 * dropped from unit.usable with the reason. Linux tests a counter's read-back alike
 * (arch/x86/events/core.c, check_hw_exists).
 */
void pmu_prove(struct pmu *pmu);

/*
 * Programs a pass on counters taken by pmu_enter since the journal was last undone; they are left
 * cleared and stopped. Writes no journal. Returns NULL, or the reason: a counter that is not usable
 * or cannot count this event, two events for one register, or a register that does not take what is
 * written to it, in which case nothing counts.
 */
const char *pmu_program(struct pmu *pmu, const struct counter_use *use, unsigned count);

/* All of the pass at once. False: a register did not take the write. */
bool pmu_start(struct pmu *pmu);
bool pmu_stop(struct pmu *pmu);

/* Sets the stopped counters of the pass to 0, and their overflow bits. False as above. */
bool pmu_clear(struct pmu *pmu);

/*
 * Of a pass with a counter that closes (plan.h): leaves all stopped and cleared, and that one so
 * many cycles before its overflow. All start together when the register that pmu_span_start names
 * is written, and stop together when it has counted as many, or a few more: its value is then how
 * many more. False as above. FREEZE_PERFMON_ON_PMI: Intel SDM 3B, "Freezing LBR and performance
 * counters on PMI"; AMD APM 2, 13.2, PerfMonV2. The interrupt itself is masked (cpu/apic.h): the
 * request stops the counters, not its delivery. First used so by B. Falk, "Sushi Roll" (2019).
 */
bool pmu_set_span(struct pmu *pmu, uint64_t cycles);
struct msr_value pmu_span_start(const struct pmu *pmu);

/* A counter's value by RDPMC. False when that faults; *value is then untouched. */
bool pmu_read(const struct pmu *pmu, unsigned counter, uint64_t *value);

#endif

/* take: takes the counters over; the journal puts back last what was noted first. */
#include "../cpu/msr.h"
#include "../lib/string.h"
#include "pmu.h"

#define MSR_TSX_FORCE_ABORT 0x10f
#define TSX_FORCE_ABORT 1u
#define TSX_BORROWED 3                         /* the counter */
#define DEBUGCTL_FREEZE_ON_OVERFLOW (1u << 12) /* with an interrupt requested */
#define DEBUGCTL_FREEZE_IN_SMM (1u << 14)

/* Sets bits of a register until the journal is undone. False: they are not set. */
static bool set_bits(struct journal *journal, uint32_t index, uint64_t bits)
{
    uint64_t value;
    if (!msr_read(index, &value))
        return false;
    if ((value & bits) == bits)
        return true;
    return journal_msr(journal, index, value | bits, 0) && msr_read(index, &value) &&
           (value & bits) == bits;
}

/* Stops the counters before anything else is written; the journal starts them last. */
static bool take_global(struct pmu *c, struct journal *journal)
{
    const struct counter_layout *layout = counter_layout(&c->unit);
    uint64_t value;
    if (layout->global_control == 0)
        return true;
    if (!msr_read(layout->global_control, &value))
        return false;
    c->stopped = value & c->unit.owned;
    if (!journal_msr(journal, layout->global_control, c->stopped, 0))
        return false;
    c->overflow_before = 0;
    msr_read(layout->status, &c->overflow_before);
    journal_sticky(journal, layout->status, layout->status_clear, c->unit.usable | COUNTERS_FROZEN);
    return true;
}

/* True if a write can restore the value. A legacy counter takes 32 bits, sign-extended. */
static bool can_be_put_back(const struct counter_unit *unit, unsigned counter, uint64_t value)
{
    uint64_t written = (uint64_t)(int64_t)(int32_t)value & counter_mask(unit, counter);
    return unit->full_width || counter >= COUNTER_ALIASED || written == value;
}

static void take_values(struct pmu *c, struct journal *journal)
{
    uint64_t value;
    for (unsigned n = 0; n < COUNTERS_MAX; n++) {
        uint32_t index = counter_value_msr(&c->unit, n);
        if (!(c->unit.usable & COUNTER_BIT(n)))
            continue;
        if (msr_read(index, &value) && !can_be_put_back(&c->unit, n, value))
            counter_drop(&c->unit, n, "it holds a value that could not be put back");
        else if (!journal_msr(journal, index, 0, 0))
            counter_drop(&c->unit, n, "its value cannot be written");
    }
}

static void take_selectors(struct pmu *c, struct journal *journal)
{
    for (unsigned n = 0; n < COUNTER_GENERAL_MAX; n++)
        if (c->unit.usable & COUNTER_BIT(n) &&
            !journal_msr(journal, counter_selector_msr(&c->unit, n), 0, 0))
            counter_drop(&c->unit, n, "its selector cannot be written");
}

/* Clears the nibbles of our counters only. */
static void take_fixed_control(struct pmu *c, struct journal *journal)
{
    uint32_t index = counter_layout(&c->unit)->fixed_control;
    uint64_t value = 0, ours = 0;
    for (unsigned n = COUNTER_FIXED; n < COUNTERS_MAX; n++)
        if (c->unit.usable & COUNTER_BIT(n))
            ours |= 15ull << 4 * (n - COUNTER_FIXED);
    if (ours == 0)
        return;
    bool readable = msr_read(index, &value);
    c->fixed_stopped = value & ~ours;
    if (readable && journal_msr(journal, index, c->fixed_stopped, 0))
        return;
    for (unsigned n = COUNTER_FIXED; n < COUNTERS_MAX; n++)
        if (c->unit.usable & COUNTER_BIT(n))
            counter_drop(&c->unit, n, "the fixed counters' control cannot be written");
}

/* Switches the freeze on. It stops all counters, so none of them may be the firmware's. */
static void take_freeze(struct counter_unit *unit, struct journal *journal)
{
    if (unit->no_freeze != NULL)
        return;
    if (unit->owned != 0)
        unit->no_freeze = "stopping all counters would stop those of the firmware";
    else if (!set_bits(journal, MSR_DEBUGCTL, DEBUGCTL_FREEZE_ON_OVERFLOW))
        unit->no_freeze = "DEBUGCTL does not take the bit that stops all counters on an overflow";
}

static void take_unit(struct pmu *c, struct journal *journal)
{
    struct counter_unit *unit = &c->unit;
    if (unit->errata & ERRATUM_TSX_BORROWS && unit->usable & COUNTER_BIT(TSX_BORROWED) &&
        !set_bits(journal, MSR_TSX_FORCE_ABORT, TSX_FORCE_ABORT))
        counter_drop(unit, TSX_BORROWED, "microcode uses it (TSX_FORCE_ABORT)");
    if (unit->freezes_in_smm)
        unit->freezes_in_smm = set_bits(journal, MSR_DEBUGCTL, DEBUGCTL_FREEZE_IN_SMM);
    take_freeze(unit, journal);
    if (!take_global(c, journal)) {
        counter_unit_lose(unit, "the counters' global control cannot be written");
        return;
    }
    take_values(c, journal);
    take_fixed_control(c, journal);
    take_selectors(c, journal);
    uint32_t control = counter_layout(unit)->global_control;
    if (control != 0 && !journal_msr(journal, control, c->stopped, 0))
        counter_unit_lose(unit, "the counters' global control cannot be written");
}

void pmu_enter(struct pmu *c, const struct processor *processor, struct journal *journal)
{
    bool first = !c->discovered;
    if (first) {
        counter_unit_discover(&c->unit, processor);
        counter_find_owned(&c->unit);
    }
    c->plan = (struct counter_plan){.closing = COUNTERS_MAX};
    if (c->unit.usable != 0)
        take_unit(c, journal);
    if (first) {
        pmu_prove(c);
        pmu_choose_smi_counter(c, processor);
    } else {
        pmu_start_smis(c);
    }
    c->discovered = true;
}

/* pmu: writes the unit's registers in an order that loses no count and adds none. */
#include "pmu.h"

#include <stddef.h>

#include "../cpu/msr.h"

static bool put_register(uint32_t index, uint64_t value)
{
    uint64_t now;
    return msr_write(index, value) && msr_read(index, &now) && now == value;
}

/* Without a global control, the selector is enabled only while its counter counts. */
static uint64_t selector_while(const struct pmu *c, unsigned counter, bool counting)
{
    bool enable = counting || counter_layout(&c->unit)->global_control != 0;
    return c->plan.selector[counter] & (enable ? ~0ull : ~SELECTOR_ENABLE);
}

/* Starts the odd half of a merged pair first, and stops it last (AMD PPR 17h, PMCxFFF). */
static bool switch_selectors(const struct pmu *c, bool counting)
{
    bool done = true;
    for (unsigned i = 0; i < COUNTER_GENERAL_MAX; i++) {
        unsigned n = counting ? COUNTER_GENERAL_MAX - 1 - i : i;
        if (c->plan.chosen & COUNTER_BIT(n))
            done &= put_register(counter_selector_msr(&c->unit, n), selector_while(c, n, counting));
    }
    return done;
}

/* Writes nothing if no counter was taken: then the journal holds no register. */
bool pmu_switch(const struct pmu *c, bool counting)
{
    uint32_t control = counter_layout(&c->unit)->global_control;
    if (c->unit.usable == 0)
        return true;
    if (control == 0)
        return switch_selectors(c, counting);
    return put_register(control, c->stopped | (counting ? c->plan.chosen : 0));
}

static bool clear_status(const struct pmu *c)
{
    const struct counter_layout *layout = counter_layout(&c->unit);
    uint64_t status;
    if (layout->status == 0 || !msr_read(layout->status, &status))
        return true;
    status &= (c->plan.chosen | COUNTERS_FROZEN) & ~c->overflow_before;
    return status == 0 || msr_write(layout->status_clear, status);
}

bool pmu_clear(struct pmu *c)
{
    for (unsigned n = 0; n < COUNTERS_MAX; n++)
        if (c->plan.chosen & COUNTER_BIT(n) && !put_register(counter_value_msr(&c->unit, n), 0))
            return false;
    return clear_status(c);
}

bool pmu_set_span(struct pmu *c, uint64_t cycles)
{
    unsigned n = c->plan.closing;
    if (n >= COUNTERS_MAX || !pmu_switch(c, false) || !pmu_clear(c))
        return false;
    return put_register(counter_value_msr(&c->unit, n), (0 - cycles) & counter_mask(&c->unit, n));
}

struct msr_value pmu_span_start(const struct pmu *c)
{
    return (struct msr_value){counter_layout(&c->unit)->global_control,
                              c->stopped | c->plan.chosen};
}

/* Writes fixed control and each selector that the last pass or this one uses. */
static bool write_selectors(struct pmu *c, const struct counter_plan *plan)
{
    uint64_t touched = c->plan.chosen | plan->chosen;
    uint32_t fixed_control = counter_layout(&c->unit)->fixed_control;
    c->plan = *plan;
    for (unsigned n = 0; n < COUNTER_GENERAL_MAX; n++)
        if (touched & COUNTER_BIT(n) &&
            !put_register(counter_selector_msr(&c->unit, n), selector_while(c, n, false)))
            return false;
    return touched >> COUNTER_FIXED == 0 ||
           put_register(fixed_control, c->fixed_stopped | plan->fixed_control);
}

/* Clears the selectors: a pass that could not be programmed must not count. */
static void give_up(struct pmu *c)
{
    const struct counter_layout *layout = counter_layout(&c->unit);
    if (layout->global_control != 0)
        msr_write(layout->global_control, c->stopped);
    for (unsigned n = 0; n < COUNTER_GENERAL_MAX; n++)
        if (c->unit.usable & COUNTER_BIT(n))
            msr_write(counter_selector_msr(&c->unit, n), 0);
    if (c->unit.usable >> COUNTER_FIXED != 0)
        msr_write(layout->fixed_control, c->fixed_stopped);
    c->plan = (struct counter_plan){.closing = COUNTERS_MAX};
}

const char *pmu_program(struct pmu *c, const struct counter_use *use, unsigned count)
{
    struct counter_plan plan;
    const char *why = counter_plan_make(&plan, &c->unit, use, count);
    if (why != NULL)
        return why;
    if (pmu_switch(c, false) && write_selectors(c, &plan) && pmu_clear(c))
        return NULL;
    give_up(c);
    return "a counter register does not keep what is written to it";
}

bool pmu_read(const struct pmu *c, unsigned counter, uint64_t *value)
{
    uint64_t raw;
    if (!counter_read(event_rdpmc(counter), &raw))
        return false;
    *value = raw & counter_mask(&c->unit, counter);
    return true;
}

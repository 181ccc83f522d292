/* owner: asks the in-use register and the enable bits, and looks whether counters stand still. */
#include "../cpu/msr.h"
#include "unit.h"

#define MSR_GLOBAL_INUSE 0x392
#define WATCH_ITERATIONS 500000 /* some 3 million cycles */

static void set_owned(struct counter_unit *unit, unsigned counter, const char *why)
{
    unit->owned |= COUNTER_BIT(counter);
    counter_drop(unit, counter, why);
}

static void ask_in_use(struct counter_unit *unit)
{
    uint64_t in_use;
    if (unit->kind != COUNTERS_INTEL_GLOBAL || unit->version < 4 ||
        !msr_read(MSR_GLOBAL_INUSE, &in_use))
        return;
    for (unsigned n = 0; n < COUNTERS_MAX; n++)
        if (unit->usable & in_use & COUNTER_BIT(n))
            set_owned(unit, n, "in use by firmware (IA32_PERF_GLOBAL_INUSE)");
}

static void ask_general(struct counter_unit *unit, unsigned counter)
{
    uint64_t selector;
    if (!msr_read(counter_selector_msr(unit, counter), &selector))
        counter_drop(unit, counter, "its selector cannot be read");
    else if (selector & SELECTOR_ENABLE)
        set_owned(unit, counter, "in use by firmware (its selector is enabled)");
}

static void ask_fixed(struct counter_unit *unit, unsigned counter)
{
    uint64_t control;
    if (!msr_read(counter_layout(unit)->fixed_control, &control))
        counter_drop(unit, counter, "the fixed counters' control cannot be read");
    else if (control >> 4 * (counter - COUNTER_FIXED) & 3)
        set_owned(unit, counter, "in use by firmware (its control is enabled)");
}

static void ask_enables(struct counter_unit *unit)
{
    for (unsigned n = 0; n < COUNTERS_MAX; n++) {
        if (!(unit->usable & COUNTER_BIT(n)))
            continue;
        if (n < COUNTER_FIXED)
            ask_general(unit, n);
        else
            ask_fixed(unit, n);
    }
}

static void read_values(struct counter_unit *unit, uint64_t value[COUNTERS_MAX])
{
    for (unsigned n = 0; n < COUNTERS_MAX; n++)
        if (unit->usable & COUNTER_BIT(n) && !msr_read(counter_value_msr(unit, n), &value[n]))
            counter_drop(unit, n, "its value cannot be read");
}

static void watch(struct counter_unit *unit)
{
    uint64_t before[COUNTERS_MAX], after[COUNTERS_MAX];
    read_values(unit, before);
    known_loop(WATCH_ITERATIONS);
    read_values(unit, after);
    for (unsigned n = 0; n < COUNTERS_MAX; n++)
        if (unit->usable & COUNTER_BIT(n) && before[n] != after[n])
            set_owned(unit, n, "in use: it counts though it was not started");
}

void counter_find_owned(struct counter_unit *unit)
{
    ask_in_use(unit);
    ask_enables(unit);
    watch(unit);
}

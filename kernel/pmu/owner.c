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

static void ask_enables(struct counter_unit *unit)
{
    for (unsigned n = 0; n < COUNTERS_MAX; n++) {
        bool is_fixed = n >= COUNTER_FIXED;
        uint64_t enables = is_fixed ? 3ull << 4 * (n - COUNTER_FIXED) : SELECTOR_ENABLE, value;
        if (!(unit->usable & COUNTER_BIT(n)))
            continue;
        if (!msr_read(is_fixed ? counter_layout(unit)->fixed_control
                               : counter_selector_msr(unit, n),
                      &value))
            counter_drop(unit, n,
                         is_fixed ? "the fixed counters' control cannot be read"
                                  : "its selector cannot be read");
        else if (value & enables)
            set_owned(unit, n,
                      is_fixed ? "in use by firmware (its control is enabled)"
                               : "in use by firmware (its selector is enabled)");
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

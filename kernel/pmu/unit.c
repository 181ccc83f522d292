/* unit: reads CPUID's several ways to announce counters into one description. */
#include "unit.h"

#include "../cpu/msr.h"
#include "../lib/string.h"

#define MSR_PERF_CAPABILITIES 0x345
#define CAPABILITY_FREEZE_IN_SMM (1u << 12)
#define CAPABILITY_FULL_WIDTH (1u << 13)
#define FULL_WIDTH_COUNTER 0x4c1 /* IA32_A_PMC0 */
#define V6_COUNTER 0x1900        /* IA32_PMC_GP0_CTR; its selector is the next one */
#define V6_STEP 4
#define AMD_LEGACY_COUNTERS 4
#define AMD_COUNTERS_MAX 6 /* RDPMC 6 and on are the data fabric's */
#define AMD_WIDTH 48
#define TSX_FORCE_ABORT_PRESENT (1u << 13) /* CPUID.(7,0):EDX */
#define AMD_FREEZES (1u << 2)              /* CPUID leaf 80000022H, EAX: LbrAndPmcFreeze */

static const char no_freeze[] = "an overflow does not stop all counters on this processor";

static const struct counter_layout layouts[COUNTER_UNIT_KINDS] = {
    [COUNTERS_INTEL] = {.selector = 0x186, .counter = 0xc1, .step = 1},
    [COUNTERS_INTEL_GLOBAL] = {.selector = 0x186,
                               .counter = 0xc1,
                               .step = 1,
                               .global_control = 0x38f,
                               .status = 0x38e,
                               .status_clear = 0x390,
                               .fixed_control = 0x38d,
                               .fixed_counter = 0x309},
    [COUNTERS_AMD_LEGACY] = {.selector = 0xc0010000, .counter = 0xc0010004, .step = 1},
    [COUNTERS_AMD_EXTENDED] = {.selector = 0xc0010200, .counter = 0xc0010201, .step = 2},
    [COUNTERS_AMD_GLOBAL] = {.selector = 0xc0010200,
                             .counter = 0xc0010201,
                             .step = 2,
                             .global_control = 0xc0000301,
                             .status = 0xc0000300,
                             .status_clear = 0xc0000302},
};

static uint64_t first(unsigned count)
{
    return (1ull << count) - 1;
}

/* Reads leaf 23H, which describes each type of core; leaf 0AH describes all types alike. */
static void read_leaf_23(struct counter_unit *unit, uint64_t *general, uint64_t *fixed)
{
    if (!(cpuid_read(7, 1).eax >> 8 & 1))
        return;
    struct cpuid_result main = cpuid_read(0x23, 0);
    unit->umask2 = main.ebx & 1;
    if (main.eax >> 1 & 1) {
        struct cpuid_result counters = cpuid_read(0x23, 1);
        *general = counters.eax;
        *fixed = counters.ebx;
    }
}

static void read_capabilities(struct counter_unit *unit)
{
    uint64_t value;
    if (!(cpuid_read(1, 0).ecx >> 15 & 1))
        return;
    if (unit->version >= 2) /* SDM 3B, "Freezing LBR and performance counters on PMI" */
        unit->no_freeze = NULL;
    if (!msr_read(MSR_PERF_CAPABILITIES, &value))
        return;
    unit->full_width = (value & CAPABILITY_FULL_WIDTH) != 0;
    unit->freezes_in_smm = (value & CAPABILITY_FREEZE_IN_SMM) != 0;
}

/* Returns the fixed counters that the bitmap or the count announces (SDM 2A, CPUID leaf 0AH). */
static uint64_t fixed_of_leaf_10(const struct counter_unit *unit, struct cpuid_result leaf)
{
    unsigned count = leaf.edx & 31;
    if (unit->version < 2)
        return 0;
    if (unit->errata & ERRATUM_FIXED_COUNT && count < 3)
        count = 3;
    return first(count) | (unit->version >= 5 ? leaf.ecx : 0);
}

/* `version`: of architectural monitoring. */
static unsigned errata_of(const struct processor *processor, unsigned version)
{
    bool is_known = version >= 2 && version <= 4 && !processor->is_virtual;
    bool borrows = cpuid_read(7, 0).edx & TSX_FORCE_ABORT_PRESENT;
    return (is_known ? ERRATUM_FIXED_COUNT : 0) | (borrows ? ERRATUM_TSX_BORROWS : 0);
}

static void discover_intel(struct counter_unit *unit, const struct processor *processor)
{
    struct cpuid_result leaf = cpuid_read(0xa, 0);
    unit->version = leaf.eax & 255;
    unit->kind = unit->version >= 2 ? COUNTERS_INTEL_GLOBAL : COUNTERS_INTEL;
    unit->errata = errata_of(processor, unit->version);
    unit->general_width = leaf.eax >> 16 & 255;
    unit->fixed_width = leaf.edx >> 5 & 255;
    if (unit->errata & ERRATUM_FIXED_COUNT && unit->fixed_width == 0)
        unit->fixed_width = unit->general_width;

    unsigned count = leaf.eax >> 8 & 255;
    uint64_t general = first(count < COUNTER_ALIASED ? count : COUNTER_ALIASED);
    uint64_t fixed = fixed_of_leaf_10(unit, leaf);
    read_leaf_23(unit, &general, &fixed);
    general &= first(unit->version >= 6 ? COUNTER_GENERAL_MAX : COUNTER_ALIASED);
    unit->present = general | (fixed & first(COUNTER_FIXED_MAX)) << COUNTER_FIXED;
    read_capabilities(unit);
}

static void discover_amd(struct counter_unit *unit)
{
    struct cpuid_result v2 = cpuid_read(0x80000022, 0);
    unsigned count = AMD_LEGACY_COUNTERS;
    unit->kind = COUNTERS_AMD_LEGACY;
    unit->general_width = AMD_WIDTH;
    unit->full_width = true;
    if (cpuid_read(0x80000001, 0).ecx >> 23 & 1) {
        unit->kind = COUNTERS_AMD_EXTENDED;
        count = AMD_COUNTERS_MAX;
    }
    if (unit->kind == COUNTERS_AMD_EXTENDED && v2.eax & 1) {
        unit->kind = COUNTERS_AMD_GLOBAL;
        unit->version = 2;
        if ((v2.ebx & 15) < count)
            count = v2.ebx & 15;
        if (v2.eax & AMD_FREEZES)
            unit->no_freeze = NULL;
    }
    unit->present = first(count);
}

static bool width_is_possible(unsigned width)
{
    return width >= 32 && width < 64;
}

static const char *reason_for_none(const struct counter_unit *unit, const struct processor *p)
{
    if (p->vendor == VENDOR_OTHER)
        return "no counters are known of this vendor's processors";
    if (unit->present == 0 || (unit->version == 0 && p->vendor == VENDOR_INTEL))
        return p->is_virtual ? "the hypervisor exposes no counters" : "CPUID announces no counters";
    if (!width_is_possible(unit->general_width))
        return "CPUID announces counters of an impossible width";
    return NULL;
}

void counter_unit_discover(struct counter_unit *unit, const struct processor *processor)
{
    memset(unit, 0, sizeof *unit);
    unit->no_freeze = no_freeze;
    unit->core_type = processor_core_type(processor);
    if (processor->vendor == VENDOR_INTEL)
        discover_intel(unit, processor);
    else if (processor->vendor == VENDOR_AMD)
        discover_amd(unit);
    unit->usable = unit->present;
    const char *why = reason_for_none(unit, processor);
    if (why != NULL)
        counter_unit_lose(unit, why);
    for (unsigned n = COUNTER_FIXED; n < COUNTERS_MAX; n++)
        if (unit->usable & COUNTER_BIT(n) && !width_is_possible(unit->fixed_width))
            counter_drop(unit, n, "CPUID announces an impossible width");
}

void counter_unit_lose(struct counter_unit *unit, const char *why)
{
    for (unsigned n = 0; n < COUNTERS_MAX; n++)
        if (unit->usable & COUNTER_BIT(n))
            counter_drop(unit, n, why);
    unit->kind = COUNTERS_NONE;
    unit->why_none = why;
}

void counter_drop(struct counter_unit *unit, unsigned counter, const char *why)
{
    unit->usable &= ~COUNTER_BIT(counter);
    unit->why_not[counter] = why;
}

const struct counter_layout *counter_layout(const struct counter_unit *unit)
{
    return &layouts[unit->kind];
}

uint32_t counter_selector_msr(const struct counter_unit *unit, unsigned counter)
{
    const struct counter_layout *layout = counter_layout(unit);
    if (counter >= COUNTER_ALIASED)
        return V6_COUNTER + V6_STEP * counter + 1;
    return layout->selector + layout->step * counter;
}

uint32_t counter_value_msr(const struct counter_unit *unit, unsigned counter)
{
    const struct counter_layout *layout = counter_layout(unit);
    if (counter >= COUNTER_FIXED)
        return layout->fixed_counter + counter - COUNTER_FIXED;
    if (counter >= COUNTER_ALIASED)
        return V6_COUNTER + V6_STEP * counter;
    if (unit->full_width && layout->counter == layouts[COUNTERS_INTEL].counter)
        return FULL_WIDTH_COUNTER + counter;
    return layout->counter + layout->step * counter;
}

uint64_t counter_mask(const struct counter_unit *unit, unsigned counter)
{
    return (1ull << (counter < COUNTER_FIXED ? unit->general_width : unit->fixed_width)) - 1;
}

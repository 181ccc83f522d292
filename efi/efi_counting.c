/* efi_counting: offers the unit to the scheduler, and programs it pass by pass. */
#include "efi_counting.h"

#include "../kernel/cpu/frequency.h"
#include "../kernel/lib/text.h"
#include "../kernel/pmu/pmu.h"

static struct platform_efi *own(struct platform *self)
{
    return (struct platform_efi *)self;
}

/* Leaves the counters stopped where a probe is to start them. */
static const char *count(struct platform *self, const struct counter_use *use, unsigned uses,
                         struct msr_value *start)
{
    struct pmu *pmu = &own(self)->pmu;
    const char *reason = pmu_program(pmu, use, uses);
    if (start != NULL)
        *start = pmu_span_start(pmu);
    else if (reason == NULL && !pmu_switch(pmu, true))
        reason = "the counters' control cannot be written";
    own(self)->uses = reason == NULL ? uses : 0;
    for (unsigned i = 0; i < own(self)->uses; i++)
        own(self)->counter[i] = use[i].counter;
    return reason;
}

/* If a register refuses, the probe does not count the cycles that were asked for. */
static void set_span(struct platform *self, uint64_t cycles)
{
    pmu_set_span(&own(self)->pmu, cycles);
}

static void read_counts(struct platform *self, uint64_t *counts)
{
    const struct platform_efi *p = own(self);
    for (unsigned i = 0; i < p->uses; i++)
        pmu_read(&p->pmu, p->counter[i], &counts[i]);
}

static void take_over(void *pmu, const struct processor *processor, struct journal *journal)
{
    pmu_enter(pmu, processor, journal);
}

/* Reads the rate of the TSC, which needs our own IDT; quiet_run has tested the counters. */
static void look_inside(void *context)
{
    struct platform_efi *p = context;
    p->tsc_hz = tsc_rate(&p->processor, &p->tsc_source);
}

/* Returns bit n for each architectural event n that the processor has (Intel SDM 2A, CPUID leaf
 * 0AH, EAX and EBX). */
static uint32_t architectural_events(void)
{
    struct cpuid_result r = cpuid_read(10, 0);
    unsigned known = r.eax >> 24;
    return ~r.ebx & (known < 32 ? (1u << known) - 1 : UINT32_MAX);
}

/* True if each core has one thread, by the first level of CPUID leaf 0BH. */
static bool is_threading_off(void)
{
    return (cpuid_read(11, 0).ebx & 0xffff) == 1;
}

/* Returns the first refusal, for the console; run.json has all of them. */
static const char *first_refusal(const struct counter_unit *unit)
{
    for (unsigned n = 0; n < COUNTERS_MAX; n++)
        if (unit->why_not[n] != NULL)
            return unit->why_not[n];
    return "the processor announces no counter";
}

void counting_open(struct platform_efi *p)
{
    const struct counter_unit *unit = &p->pmu.unit;
    p->pmu = (struct pmu){.plan = {.chosen = 0}};
    p->base.counters = NULL;
    p->base.no_counters = "they could not be looked at";
    p->quiet.enter = take_over;
    p->quiet.enter_context = &p->pmu;
    if (!p->base.quietly(&p->base, look_inside, p)) {
        p->quiet.enter = NULL; /* a broken unit must not stop what needs no counters */
        return;
    }
    const struct microarchitecture *uarch = microarchitecture_find(&p->processor, unit->core_type);
    if (unit->kind == COUNTERS_NONE) {
        p->base.no_counters = unit->why_none;
    } else if (unit->usable == 0) {
        p->base.no_counters = first_refusal(unit);
    } else if (uarch == NULL) {
        p->base.no_counters = "no events are known for this processor";
    } else {
        p->offer.uarch = uarch;
        p->offer.set = (struct counter_set){
            .usable = unit->usable & ~p->pmu.smi_counter,
            .architectural = architectural_events(),
            .umask2 = unit->umask2,
            .ht_off = is_threading_off(),
        };
        p->base.counters = &p->offer;
        p->base.count = count;
        p->base.set_span = set_span;
        p->base.read_counts = read_counts;
    }
    /* Skips counters that nobody reads: taking them over happens five times a second. */
    if (p->base.counters == NULL)
        p->quiet.enter = NULL;
}

/* Names counters as manuals do: PMC0, FIXED0. */
static void describe_refusals(const struct counter_unit *unit, struct json *json)
{
    char memory[16];
    json_open(json, "why_not");
    for (unsigned n = 0; n < COUNTERS_MAX; n++) {
        if (unit->why_not[n] == NULL)
            continue;
        text_write(memory, sizeof memory, n < COUNTER_FIXED ? "PMC%u" : "FIXED%u",
                   n % COUNTER_FIXED);
        json_text(json, memory, unit->why_not[n]);
    }
    json_close(json);
}

void counting_describe(const struct platform_efi *p, struct json *json)
{
    static const char *const kinds[COUNTER_UNIT_KINDS] = {
        "none",       "Intel",        "Intel with global control",
        "AMD legacy", "AMD extended", "AMD with global control",
    };
    const struct counter_unit *unit = &p->pmu.unit;
    json_open(json, "counters");
    json_text(json, "unit", kinds[unit->kind]);
    if (unit->kind == COUNTERS_NONE)
        json_text(json, "reason", unit->why_none);
    json_number(json, "version", unit->version, 0);
    json_number(json, "general_bits", unit->general_width, 0);
    json_number(json, "fixed_bits", unit->fixed_width, 0);
    json_hex(json, "present", unit->present);
    json_hex(json, "in_use_by_firmware", unit->owned);
    json_hex(json, "usable", unit->usable);
    json_hex(json, "for_smis", p->pmu.smi_counter);
    describe_refusals(unit, json);
    json_text(json, "not_stopped_by_overflow", unit->no_freeze != NULL ? unit->no_freeze : "");
    json_close(json);
}

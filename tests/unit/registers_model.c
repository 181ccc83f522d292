/* registers_model: what cpuid.c, msr.c and known_loop.c do, done to the model. */
#include "registers_model.h"

#include "../../kernel/cpu/msr.h"
#include "../../kernel/pmu/unit.h"
#include "kit.h"

#define CYCLES_PER_ITERATION 6
#define INTEL_VALUE 0x1900
#define INTEL_SELECTOR 0x1901
#define AMD_SELECTOR 0xc0010200
#define AMD_VALUE 0xc0010201

struct model model;

/* --- registers and their aliases ------------------------------------------------------------- */

static uint32_t alias(uint32_t index)
{
    if (index >= 0xc1 && index < 0xc9)
        return INTEL_VALUE + 4 * (index - 0xc1);
    if (index >= 0x4c1 && index < 0x4c9)
        return INTEL_VALUE + 4 * (index - 0x4c1);
    if (index >= 0x186 && index < 0x18e)
        return INTEL_SELECTOR + 4 * (index - 0x186);
    if (index >= 0xc0010000 && index < 0xc0010004)
        return AMD_SELECTOR + 2 * (index - 0xc0010000);
    if (index >= 0xc0010004 && index < 0xc0010008)
        return AMD_VALUE + 2 * (index - 0xc0010004);
    return index;
}

bool model_same(uint32_t a, uint32_t b)
{
    return alias(a) == alias(b);
}

uint64_t *model_register(uint32_t index)
{
    uint32_t stored = alias(index);
    for (unsigned i = model.list[stored % MODEL_LISTS]; i > 0; i = model.storage[i - 1].next)
        if (model.storage[i - 1].index == stored)
            return &model.storage[i - 1].value;
    return NULL;
}

static void add_register(uint32_t index, uint64_t value)
{
    assert_compare(model.stored, <, MODEL_STORAGE_MAX);
    uint8_t *list = &model.list[index % MODEL_LISTS];
    model.storage[model.stored].index = index;
    model.storage[model.stored].first_value = value;
    model.storage[model.stored].next = *list;
    model.storage[model.stored++].value = value;
    *list = (uint8_t)model.stored;
}

static uint64_t value_of(uint32_t index)
{
    const uint64_t *value = model_register(index);
    return value != NULL ? *value : 0;
}

static const struct model_registers *row(uint32_t index)
{
    for (const struct model_registers *r = model.machine->registers; r->count != 0; r++)
        if (index >= r->first && index < r->first + r->count * r->step &&
            (index - r->first) % r->step == 0)
            return r;
    return NULL;
}

static bool is_amd(void)
{
    return model.machine->processor.vendor == VENDOR_AMD;
}

static uint32_t value_index(unsigned counter)
{
    if (counter >= COUNTER_FIXED)
        return 0x309 + counter - COUNTER_FIXED;
    return is_amd() ? AMD_VALUE + 2 * counter : INTEL_VALUE + 4 * counter;
}

static void find_unit(void)
{
    for (unsigned n = 0; n < COUNTERS_MAX; n++)
        model.counter[n] = model_register(value_index(n));
    for (unsigned n = 0; n < COUNTER_GENERAL_MAX; n++)
        model.selector[n] =
            model_register(is_amd() ? AMD_SELECTOR + 2 * n : INTEL_SELECTOR + 4 * n);
    model.global_control = model_register(is_amd() ? 0xc0000301 : 0x38f);
    model.status = model_register(is_amd() ? 0xc0000300 : 0x38e);
    model.fixed_control = model_register(0x38d);
}

void model_start(const struct model_machine *machine)
{
    memset(&model, 0, sizeof model);
    model.machine = machine;
    for (const struct model_registers *r = machine->registers; r->count != 0; r++)
        for (uint32_t i = 0; i < r->count; i++) {
            uint32_t index = alias(r->first + i * r->step);
            if (model_register(index) == NULL)
                add_register(index, r->value);
        }
    find_unit();
}

const struct model_machine *model_machine(const char *name)
{
    for (unsigned i = 0; i < model_machine_count; i++)
        if (strcmp(model_machines[i].name, name) == 0)
            return &model_machines[i];
    fail_msg("no machine %s", name);
    return NULL;
}

/* --- counting -------------------------------------------------------------------------------- */

unsigned model_counter_of(uint32_t index)
{
    const uint64_t *value = model_register(index);
    for (unsigned n = 0; n < COUNTERS_MAX && value != NULL; n++)
        if (value == model.counter[n] || (n < COUNTER_GENERAL_MAX && value == model.selector[n]))
            return n;
    return COUNTERS_MAX;
}

/* What somebody else counts moves by itself. */
static bool may_differ(uint32_t index, uint32_t besides)
{
    unsigned n = model_counter_of(index), of = model_counter_of(besides);
    bool is_value = n < COUNTERS_MAX && model_register(index) == model.counter[n];
    bool is_control = model_register(besides) == model.global_control ||
                      model_register(besides) == model.fixed_control;
    if (besides != 0 && (model_same(index, besides) || (is_value && (n == of || is_control))))
        return true;
    return is_value && model.machine->owned >> n & 1;
}

uint32_t model_difference_besides(uint32_t index)
{
    for (unsigned i = 0; i < model.stored; i++)
        if (model.storage[i].value != model.storage[i].first_value &&
            !may_differ(model.storage[i].index, index))
            return model.storage[i].index;
    return 0;
}

uint32_t model_difference(void)
{
    return model_difference_besides(0);
}

void model_assert_restored(struct journal *journal)
{
    journal_undo(journal);
    assert_int_equal(model.violations, 0);
    if (journal->failed != 0)
        fail_msg("%s: register %lx was not put back", model.machine->name, journal->failed_where);
    if (model_difference() != 0)
        fail_msg("%s: register %x is not restored", model.machine->name, model_difference());
}

static uint64_t width_mask(void)
{
    return (1ull << model.machine->width) - 1;
}

static bool globally_enabled(unsigned counter)
{
    if (model.status != NULL && *model.status & COUNTERS_FROZEN)
        return false;
    return model.global_control == NULL || *model.global_control >> counter & 1;
}

static uint64_t general_advance(unsigned n, uint64_t instructions, uint64_t cycles)
{
    uint64_t selector =
        n < COUNTER_GENERAL_MAX && model.selector[n] != NULL ? *model.selector[n] : 0;
    uint64_t event = (selector & 0xffff) | (selector >> 32 & 15) << 16;
    if (!(selector & SELECTOR_ENABLE) || !(selector >> 16 & 3) || !globally_enabled(n))
        return 0;
    if (event == 0xc0 && !(model.machine->wrong >> n & 1))
        return instructions;
    if (event == 0x2b && is_amd())
        return model.smis;
    return event == (is_amd() ? 0x76 : 0x3c) || event == 0xc0 ? cycles : 0;
}

static uint64_t fixed_advance(unsigned n, uint64_t instructions, uint64_t cycles)
{
    bool on = model.fixed_control != NULL && *model.fixed_control >> 4 * n & 3;
    if (!on || !globally_enabled(COUNTER_FIXED + n) || n == 4 || n == 5)
        return 0;
    return n == 0 || n == 6 ? instructions : cycles;
}

static uint64_t advance_of(unsigned n, uint64_t instructions, uint64_t cycles)
{
    return n < COUNTER_FIXED ? general_advance(n, instructions, cycles)
                             : fixed_advance(n - COUNTER_FIXED, instructions, cycles);
}

static bool asks_for_interrupt(unsigned n)
{
    if (n >= COUNTER_FIXED)
        return value_of(0x38d) >> 4 * (n - COUNTER_FIXED) & 8;
    return n < COUNTER_GENERAL_MAX && model.selector[n] != NULL && *model.selector[n] >> 20 & 1;
}

/* From version 4 of Intel's counters on, and on AMD, a status bit; before, nothing is enabled any
 * more. */
static void freeze(unsigned n)
{
    *model.status |= 1ull << n;
    if (is_amd() || (cpuid_read(0xa, 0).eax & 255) >= 4)
        *model.status |= COUNTERS_FROZEN;
    else
        *model.global_control = 0;
}

/* The counter whose overflow stops all, within what comes: only so much of it is counted then. */
static unsigned cut_at_overflow(uint64_t *instructions, uint64_t *cycles)
{
    bool freezes = value_of(0x1d9) >> 12 & 1;
    for (unsigned n = 0; n < COUNTERS_MAX && freezes; n++) {
        if (model.counter[n] == NULL || !asks_for_interrupt(n))
            continue;
        uint64_t by = advance_of(n, *instructions, *cycles);
        uint64_t left = width_mask() + 1 - *model.counter[n];
        if (by < left)
            continue;
        *instructions = *instructions * left / by;
        *cycles = *cycles * left / by;
        return n;
    }
    return COUNTERS_MAX;
}

static void advance(uint64_t instructions, uint64_t cycles)
{
    unsigned last = cut_at_overflow(&instructions, &cycles);
    for (unsigned n = 0; n < COUNTERS_MAX; n++) {
        uint64_t *value = model.counter[n], by;
        if (value == NULL)
            continue;
        by = advance_of(n, instructions, cycles);
        if (model.machine->still)
            by = 0;
        if (model.machine->twice >> n & 1)
            by *= 2;
        if (model.machine->unsteady >> n & 1 && by > 1000 && model.loops % 2 == 0)
            by += 300;
        if (model.machine->ghosts >> n & 1)
            by += cycles;
        *value = (*value + by) & width_mask();
    }
    model.smis = 0;
    if (last < COUNTERS_MAX)
        freeze(last);
}

void known_loop(uint64_t iterations)
{
    model.loops++;
    advance(iterations * KNOWN_LOOP_INSTRUCTIONS + 9, iterations * CYCLES_PER_ITERATION);
    if (model.status != NULL)
        *model.status |= model.overflow;
    model.overflow = 0;
}

/* --- in place of the instructions ------------------------------------------------------------ */

struct cpuid_result cpuid_read(uint32_t leaf, uint32_t subleaf)
{
    struct cpuid_result result = {0};
    for (const struct model_cpuid *c = model.machine->cpuid; c->leaf != 0; c++)
        if (c->leaf == leaf && c->subleaf == subleaf)
            result = c->value;
    if (leaf == 6 && value_of(0x1a0) >> 38 & 1 && !model.machine->turbo_is_only_kept)
        result.eax &= ~2u;
    return result;
}

static uint64_t in_use(void)
{
    uint64_t used = 0;
    for (unsigned n = 0; n < model.machine->general; n++)
        used |= (uint64_t)((value_of(INTEL_SELECTOR + 4 * n) & 255) != 0) << n;
    for (unsigned n = 0; n < model.machine->fixed; n++)
        used |= (uint64_t)((value_of(0x38d) >> 4 * n & 3) != 0) << (COUNTER_FIXED + n);
    return used;
}

/* Lets MPERF and APERF follow the time since turbo changed. */
static void run_clock(void)
{
    uint64_t ticks = __builtin_ia32_rdtsc() - model.changed;
    if (model.tail == 0)
        return;
    *model_register(0xe7) = ticks;
    *model_register(0xe8) = ticks + (ticks < model.tail ? ticks : model.tail) / 2;
}

bool msr_read(uint32_t index, uint64_t *value)
{
    const struct model_registers *r = row(index);
    advance(3, 10);
    run_clock();
    if (r == NULL) {
        *value = model.machine->forgiving ? 0 : *value;
        return model.machine->forgiving;
    }
    *value = r->role == ROLE_IN_USE ? in_use() : r->role == ROLE_CLEARS ? 0 : value_of(index);
    return true;
}

static void store(const struct model_registers *r, uint32_t index, uint64_t value)
{
    if (r->role == ROLE_CLEARS)
        *model.status &= ~value;
    else if (index >= 0xc1 && index < 0xc9)
        *model_register(index) = (uint64_t)(int64_t)(int32_t)value & width_mask();
    else if (r->role == ROLE_PLAIN)
        *model_register(index) = value;
}

static bool attempt(uint32_t index, uint64_t value)
{
    const struct model_registers *r = row(index);
    assert_compare(model.writes, <, MODEL_WRITES_MAX); /* a driver that never ends */
    model.write[model.writes].index = index;
    model.write[model.writes++].value = value;
    advance(3, 10);
    model.changed = index == 0x1a0 || index == 0xc0010015 ? __builtin_ia32_rdtsc() : model.changed;
    if (model.writes == model.fault_at)
        return false;
    if (model.writes == model.ignore_at || (r == NULL && model.machine->forgiving))
        return true;
    if (r != NULL && r->role == ROLE_LOCKED)
        return false;
    if (r == NULL || value & r->reserved || r->role == ROLE_READ_ONLY || r->role == ROLE_IN_USE) {
        model.violations++;
        return false;
    }
    store(r, index, value);
    return true;
}

bool msr_write(uint32_t index, uint64_t value)
{
    bool is_good = attempt(index, value);
    if (model.writes == model.end_at)
        longjmp(model.end, 1);
    return is_good;
}

bool counter_read(uint32_t index, uint64_t *value)
{
    bool fixed = index >> 30 & 1;
    unsigned n = index & 0xff;
    if (model.machine->forgiving || n >= (fixed ? model.machine->fixed : model.machine->general))
        return false;
    advance(3, 10);
    const uint64_t *held = model.counter[fixed ? COUNTER_FIXED + n : n];
    if (held == NULL)
        return false;
    *value = model.machine->rdpmc_reads_zero ? 0 : *held;
    return true;
}

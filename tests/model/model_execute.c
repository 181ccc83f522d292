/* model_execute: what an operation does to registers and memory, apart from when: 64-bit registers,
 * the host's memory, and a clock that may be disturbed. */
#include "model_core.h"

#include <stdio.h>
#include <string.h>

#define WORD 8
#define SAMPLE_NOISE_SHARE 4 /* the noise of a whole sample is this much smaller */
#define SAMPLES_PER_OUTLIER 200
#define OUTLIER_LEAST 3 /* times too long */
#define OUTLIER_MOST 50

static uint64_t address_of(const struct model_core *core, const struct operation *o)
{
    uint64_t index = core->value[o->index] << o->shift; /* no register holds 0 */
    return core->value[o->base] + index + (uint64_t)o->constant;
}

/* Refuses an address at RSP outside of the stack, and an unaligned one; others are unchecked. */
static bool check_address(struct model_core *core, const struct operation *o, uint64_t address)
{
    uint64_t offset = address - (uintptr_t)core->stack;
    const char *wrong = NULL;
    if (o->base == REGISTER_RSP && offset > sizeof(core->stack) - o->bytes)
        wrong = "leaves the stack";
    else if (o->is_aligned && address % o->bytes != 0)
        wrong = "has an address that is not aligned";
    if (wrong == NULL)
        return true;
    snprintf(core->error, sizeof(core->error), "the instruction at code offset %u %s", o->offset,
             wrong);
    core->fault = core->error;
    return false;
}

/* Returns the bytes of a register's value, as memory holds them. */
static void *bytes_of(struct model_core *core, uint8_t reg)
{
    return reg >= REGISTER_VECTOR && reg < REGISTER_MASK
               ? (void *)core->vector[reg - REGISTER_VECTOR]
               : &core->value[reg];
}

/* Zeroes a vector beyond the operand, as VEX and EVEX do. */
static void clear_upper(struct model_core *core, const struct operation *o, uint8_t reg)
{
    if (reg >= REGISTER_VECTOR && !o->keeps_upper)
        memset((uint8_t *)bytes_of(core, reg) + o->bytes, 0, VECTOR_BYTES_MAX - o->bytes);
}

/* Almost all are of one size. */
static inline void copy(void *to, const void *from, size_t bytes)
{
    if (bytes == WORD)
        memcpy(to, from, WORD);
    else
        memcpy(to, from, bytes);
}

/* Brings what the next load of a chain needs into the host's caches: of large arrays a model's time
 * was mostly that of the host's memory. */
static void expect_next(const struct model_core *core, uint64_t address)
{
    const struct model_memory *memory = model_windows_find(core->windows, address);
    if (memory == NULL)
        return;
    __builtin_prefetch((const void *)(uintptr_t)address);
    model_memory_expect(memory, address);
}

static bool execute_load(struct model_core *core, uint32_t number, uint64_t address)
{
    const struct operation *o = &core->operation[number];
    if (!check_address(core, o, address))
        return false;
    copy(bytes_of(core, o->to), (const void *)(uintptr_t)address, o->bytes);
    clear_upper(core, o, o->to);
    if (o->to == o->base)
        expect_next(core, core->value[o->to]);
    core->flight[number].address = address;
    return true;
}

static bool store(struct model_core *core, uint32_t number, uint64_t address)
{
    const struct operation *o = &core->operation[number];
    if (!check_address(core, o, address))
        return false;
    core->flight[number].address = address;
    copy((void *)(uintptr_t)address, bytes_of(core, o->value), o->bytes);
    return true;
}

/* A processor would take what lies there for the address to go to. */
static bool check_balance(struct model_core *core, const struct operation *o)
{
    int64_t left = (int64_t)(model_core_stack(core) - core->value[REGISTER_RSP]);
    if (left == 0)
        return true;
    snprintf(core->error, sizeof(core->error),
             "the return at code offset %u finds %d bytes on the stack", o->offset, (int)left);
    core->fault = core->error;
    return false;
}

static bool push(struct model_core *core, uint32_t number)
{
    core->value[REGISTER_RSP] -= WORD;
    return store(core, number, core->value[REGISTER_RSP]);
}

static bool pop(struct model_core *core, uint32_t number)
{
    uint64_t address = core->value[REGISTER_RSP];
    core->value[REGISTER_RSP] += WORD;
    return execute_load(core, number, address);
}

/* Returns the interval with noise and outliers, which change all of it since its start. */
static uint64_t disturb(struct model_core *core, uint64_t elapsed)
{
    double noise = core->parameters->noise / SAMPLE_NOISE_SHARE;
    if (noise == 0)
        return elapsed;
    double factor = 1 + noise * model_normal(&core->random);
    if (random_below(&core->random, SAMPLES_PER_OUTLIER) == 0) {
        factor *= OUTLIER_LEAST + model_uniform(&core->random) * (OUTLIER_MOST - OUTLIER_LEAST);
    }
    return (uint64_t)((double)elapsed * factor + 0.5);
}

static void read_time(struct model_core *core, uint64_t when)
{
    if (core->first_time == 0)
        core->first_time = when;
    else
        when = core->first_time + disturb(core, when - core->first_time);
    core->last_time = when;
    uint64_t ticks = model_clock_read(&core->tsc, when);
    core->value[REGISTER_RAX] = ticks & UINT32_MAX;
    core->value[REGISTER_RDX] = ticks >> 32;
}

static bool read_counter(struct model_core *core, const struct operation *o, uint64_t when)
{
    uint32_t select = (uint32_t)core->value[REGISTER_RCX];
    uint64_t value;
    model_core_count(core, when);
    if (model_counters_read(core->counters, select, when, &value)) {
        core->value[REGISTER_RAX] = value & UINT32_MAX;
        core->value[REGISTER_RDX] = value >> 32;
        return true;
    }
    snprintf(core->error, sizeof(core->error),
             "the instruction at code offset %u reads counter 0x%x, which is not programmed",
             o->offset, select);
    core->fault = core->error;
    return false;
}

/* Returns two 32-bit sums side by side. */
static uint64_t add_halves(uint64_t a, uint64_t b)
{
    return ((a >> 32) + (b >> 32)) << 32 | (uint32_t)(a + b);
}

static void compute_vector(struct model_core *core, const struct operation *o)
{
    uint64_t *to = bytes_of(core, o->to);
    const uint64_t *a = bytes_of(core, o->base), *b = bytes_of(core, o->value);
    for (unsigned i = 0; i < o->bytes / WORD; i++) {
        if (o->kind == OPERATION_VECTOR_ADD_4)
            to[i] = add_halves(a[i], b[i]);
        else
            to[i] = o->kind == OPERATION_VECTOR_ADD_8 ? a[i] + b[i] : a[i] ^ b[i];
    }
    clear_upper(core, o, o->to);
}

/* Sets a vector to another one, or, without `from`, to zero. */
static void set_vector(struct model_core *core, const struct operation *o, const void *from)
{
    void *to = bytes_of(core, o->to);
    if (from != NULL)
        memmove(to, from, o->bytes);
    else
        memset(to, 0, o->bytes);
    clear_upper(core, o, o->to);
}

/* Zeroes ZMM0 to ZMM15 beyond their first `kept` bytes. */
static void clear_vectors(struct model_core *core, unsigned kept)
{
    for (unsigned i = 0; i < VECTOR_REGISTERS / 2; i++)
        memset((uint8_t *)core->vector[i] + kept, 0, VECTOR_BYTES_MAX - kept);
}

static void identify(struct model_core *core)
{
    core->value[REGISTER_RAX] = core->value[REGISTER_RBX] = 0;
    core->value[REGISTER_RCX] = core->value[REGISTER_RDX] = 0;
}

bool model_execute(struct model_core *core, uint32_t number, uint64_t when)
{
    const struct operation *o = &core->operation[number];
    uint64_t *to = &core->value[o->to], value = core->value[o->value];
    switch ((enum operation_kind)o->kind) {
    case OPERATION_NOP:
    case OPERATION_MASK_CLEAR:
    case OPERATION_FENCE:
    case OPERATION_WRITE: /* when it is over */
    case OPERATION_DRAIN:
        return true;
    case OPERATION_RETURN:
        return check_balance(core, o);
    case OPERATION_MOVE:
        *to = value;
        return true;
    case OPERATION_CONSTANT:
        *to = (uint64_t)o->constant;
        return true;
    case OPERATION_CLEAR:
        *to = 0;
        return true;
    case OPERATION_ADD:
        *to += value;
        return true;
    case OPERATION_SUBTRACT:
        *to -= value;
        return true;
    case OPERATION_OR:
        *to |= value;
        return true;
    case OPERATION_XOR:
        *to ^= value;
        return true;
    case OPERATION_AND:
        *to &= value;
        return true;
    case OPERATION_ADD_CONSTANT:
        *to += (uint64_t)o->constant;
        return true;
    case OPERATION_SHIFT_LEFT:
        *to <<= o->constant;
        return true;
    case OPERATION_SHIFT_RIGHT:
        *to >>= o->constant;
        return true;
    case OPERATION_ADDRESS:
        *to = address_of(core, o);
        return true;
    case OPERATION_MULTIPLY:
        *to *= value;
        return true;
    case OPERATION_VECTOR_MOVE:
        set_vector(core, o, bytes_of(core, o->value));
        return true;
    case OPERATION_VECTOR_CLEAR:
        set_vector(core, o, NULL);
        return true;
    case OPERATION_VECTOR_XOR:
    case OPERATION_VECTOR_ADD_4:
    case OPERATION_VECTOR_ADD_8:
        compute_vector(core, o);
        return true;
    case OPERATION_CLEAR_ALL:
        clear_vectors(core, 0);
        return true;
    case OPERATION_CLEAR_UPPER:
        clear_vectors(core, 16);
        return true;
    case OPERATION_LOAD:
        return execute_load(core, number, address_of(core, o));
    case OPERATION_STORE:
    case OPERATION_STORE_PAST:
        return store(core, number, address_of(core, o));
    case OPERATION_PREFETCH: /* wherever it leads, it does no harm */
        core->flight[number].address = address_of(core, o);
        return true;
    case OPERATION_PUSH:
        return push(core, number);
    case OPERATION_POP:
        return pop(core, number);
    case OPERATION_IDENTIFY:
        identify(core);
        return true;
    case OPERATION_TIME_AFTER:
        core->value[REGISTER_RCX] = 0;
        read_time(core, when);
        return true;
    case OPERATION_TIME:
        read_time(core, when);
        return true;
    case OPERATION_COUNT:
        return read_counter(core, o, when);
    }
    return false;
}

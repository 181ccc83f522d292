/* model_entries: follows entries and registers through the code, which has no jumps. */
#include "model_entries.h"

/* The entry that was filled last. */
struct shared_entry {
    const struct operation *first;
    unsigned operations;
};

bool model_entries_are_shared(const struct model_parameters *parameters)
{
    return parameters->fuse > 0 || parameters->pairs > 0;
}

/* Seen on Zen 4 with 15 bytes: four NOPs of 1 byte an entry, one of 8; and one of 8 behind a load
 * of 7. */
static bool is_fused(const struct shared_entry *entry, const struct operation *o, uint64_t most)
{
    const struct operation *first = entry->first;
    uint32_t end = o->offset + o->length;
    if (o->kind != OPERATION_NOP || (first->kind != OPERATION_NOP && first->kind != OPERATION_LOAD))
        return false;
    return entry->operations < MODEL_FUSED_MAX && end - first->offset <= most &&
           first->offset / MODEL_FETCH_BYTES == (end - 1) / MODEL_FETCH_BYTES;
}

/* Seen there, too: lea and paddd, add and a NOP, xor and cmp. */
static bool is_pair(const struct shared_entry *entry, const struct operation *o)
{
    return entry->operations == 1 && entry->first->kind != o->kind &&
           entry->first->kind < OPERATION_LOAD && o->kind < OPERATION_LOAD;
}

static bool joins(const struct shared_entry *entry, const struct operation *o,
                  const struct model_parameters *parameters)
{
    if (entry->operations == 0)
        return false;
    return is_fused(entry, o, parameters->fuse) || (parameters->pairs > 0 && is_pair(entry, o));
}

void model_entries_find(struct model_entries *entries, const struct model_parameters *parameters,
                        const struct operation *operation, size_t count)
{
    struct shared_entry entry = {0};
    uint32_t filled = 0;
    for (uint32_t number = 0; number < count; number++) {
        const struct operation *o = &operation[number];
        if (!joins(&entry, o, parameters)) {
            entry = (struct shared_entry){.first = o};
            filled++;
        }
        entry.operations++;
        entries->entry[number] = filled - 1;
        entries->last[filled - 1] = number;
    }
}

/* --- registers --- */

enum holding { HOLDS_OWN_PLACE, HOLDS_ENTRY, HOLDS_NOTHING };

/* The place of each register's value: enum holding. */
struct holdings {
    uint8_t of[REGISTERS];
};

/* Notes that the highest `held` registers of a range hold an entry. */
static void hold_highest(struct holdings *holdings, unsigned first, unsigned registers,
                         uint64_t held)
{
    for (unsigned i = 0; i < held && i < registers; i++)
        holdings->of[first + registers - 1 - i] = HOLDS_ENTRY;
}

static uint8_t zero(struct holdings *holdings, unsigned reg)
{
    bool is_held = holdings->of[reg] == HOLDS_ENTRY;
    if (is_held)
        holdings->of[reg] = HOLDS_NOTHING;
    return is_held;
}

/* The upper halves of the registers lie in vectors of 512 bits: VZEROALL leaves ZMM16 to ZMM31
 * alone. */
static uint8_t zero_lower(struct holdings *holdings)
{
    unsigned returned = 0; /* gcc 12 -O3 adds 255 a register to one byte */
    for (unsigned i = 0; i < VECTOR_REGISTERS / 2; i++)
        returned += zero(holdings, REGISTER_VECTOR + i);
    return (uint8_t)returned;
}

/* Notes that a result takes an entry. Returns 1 if its register's entry before is freed, else 0. */
static uint8_t write(struct holdings *holdings, unsigned reg)
{
    bool is_new = holdings->of[reg] == HOLDS_NOTHING;
    if (is_new)
        holdings->of[reg] = HOLDS_ENTRY;
    return !is_new;
}

static void find_returns(struct holdings *holdings, struct operation *o)
{
    for (unsigned file = 0; file < REGISTER_FILES; file++)
        o->returns[file] = o->structures >> file & 1 ? write(holdings, o->to) : 0;
    if (o->kind == OPERATION_CLEAR)
        o->returns[INT_REGS] = zero(holdings, o->to);
    else if (o->kind == OPERATION_CLEAR_ALL)
        o->returns[VEC_REGS] = zero_lower(holdings);
    else if (o->kind == OPERATION_MASK_CLEAR ||
             (o->kind == OPERATION_VECTOR_CLEAR && o->structures == 0))
        o->returns[VEC_REGS] = zero(holdings, o->to);
}

void model_entries_find_returned(const struct model_parameters *parameters,
                                 struct operation *operation, size_t count)
{
    struct holdings holdings = {{0}};
    hold_highest(&holdings, REGISTER_RAX, REGISTER_VECTOR, parameters->int_state);
    hold_highest(&holdings, REGISTER_VECTOR, VECTOR_REGISTERS, parameters->vec_state);
    if (parameters->vec_state > VECTOR_REGISTERS)
        hold_highest(&holdings, REGISTER_MASK, MASK_REGISTERS,
                     parameters->vec_state - VECTOR_REGISTERS);
    for (size_t i = 0; i < count; i++)
        find_returns(&holdings, &operation[i]);
}

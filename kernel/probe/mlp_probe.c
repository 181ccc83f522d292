/* mlp_probe: emits the classic body with its timestamps. */
#include "mlp_probe.h"

#define WORDS_PER_LINE 8

typedef void encode_access(struct encoder *e, int32_t displacement);

static void encode_lines(struct encoder *e, unsigned lines, bool in_turn,
                         const int32_t *displacement)
{
    for (unsigned i = 0; i < lines * WORDS_PER_LINE; i++) {
        unsigned line = in_turn ? i / WORDS_PER_LINE : i % lines;
        unsigned word = in_turn ? i % WORDS_PER_LINE : i / lines;
        encode_store_past(e, displacement[line] + (int32_t)(word * sizeof(uint64_t)));
    }
}

static void encode_store_behind(struct encoder *e, enum probe_store store)
{
    if (store == STORE_WAITS)
        encode_store_waiting(e);
    else if (store == STORE_KNOWN)
        encode_store_slot(e, R15, 0, RCX);
}

/* Lines are written whole, in rounds, so that no filler would stand before the last of them. */
static void encode_body(struct encoder *e, const struct mlp_shape *shape,
                        const int32_t *displacement)
{
    static encode_access *const accesses[ACCESSES] = {encode_load, encode_prefetch, encode_store};
    encode_access *access = shape->dependent ? encode_dependent_load : accesses[shape->access];
    encode_access *last = shape->access == ACCESS_PREFETCH ? encode_load : access;
    if (shape->access == ACCESS_NT) {
        encode_lines(e, shape->loads, shape->in_turn, displacement);
        return;
    }
    for (unsigned i = 0; i + 1 < shape->loads; i++) {
        access(e, displacement[i]);
        if (i == 0)
            encode_store_behind(e, shape->store);
    }
    encode_fillers(e, shape->filler, shape->fillers);
    if (shape->access == ACCESS_PREFETCH)
        encode_lfence(e);
    if (shape->loads > 0)
        last(e, displacement[shape->loads - 1]);
}

/* Puts what fillers address into R15; what is before the first timestamp takes no part. */
static void encode_base(struct encoder *e, const struct mlp_shape *shape,
                        const int32_t *displacement)
{
    if (filler_table[shape->filler].base == BASE_LINE && shape->loads > 0)
        encode_line_address(e, displacement[0]);
    else
        encode_copy(e, R15, RSP);
}

size_t mlp_probe_emit(uint8_t *code, size_t room, const struct mlp_shape *shape,
                      const int32_t *displacement)
{
    bool stores = shape->access == ACCESS_STORE || shape->access == ACCESS_NT;
    struct encoder e = {.at = code, .room = room};
    encode_enter(&e);
    encode_clear_registers(&e, shape->vectors);
    encode_base(&e, shape, displacement);
    encode_timer_start(&e, shape->timing);
    /* An address even where no load gave one; the zero that is stored. */
    if (shape->dependent || stores || shape->filler == FILLER_WAITING_LOAD)
        encode_clear(&e, RAX);
    encode_fillers(&e, FILLER_LONG_NOP, shape->lead);
    encode_body(&e, shape, displacement);
    if (stores)
        encode_mfence(&e);
    encode_timer_stop(&e, shape->timing);
    encode_leave(&e);
    encode_return(&e);
    return e.overflow ? 0 : e.length;
}

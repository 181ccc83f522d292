/* test_filler: fillers run here; they write what filler.h says, and nothing else. */
#include "../../kernel/probe/filler.h"
#include "call_and_look.h"
#include "kit.h"

#define CODE_BYTES 65536

static uint8_t *code;

SETUP_ALL(open)
{
    code = code_open(CODE_BYTES);
}

TEARDOWN_ALL(close)
{
    code_close(code, CODE_BYTES);
}

static void emit(enum filler kind, unsigned count)
{
    struct encoder e = {.at = code, .room = CODE_BYTES};
    encode_enter(&e);
    encode_copy(&e, R15, RSP);
    encode_fillers(&e, kind, count);
    encode_leave(&e);
    encode_return(&e);
    assert_false(e.overflow);
}

/* Numbers of which no sum of a few is another one. */
static struct all_registers made_up(void)
{
    struct all_registers r = {.vector = {{0}}};
    for (unsigned i = 0; i < 16; i++) {
        r.general[i] = i == RSP ? 0 : 0x0123456789abcd00u * (i + 3) + i;
        r.vector[i][0] = r.general[i] * 7 + 1;
        r.vector[i][1] = r.general[i] * 11 + 1;
    }
    return r;
}

/* The registers whose values changed: bit i of general ones, 16 + i of vectors. */
static uint32_t changed(const struct all_registers *before, const struct all_registers *after)
{
    uint32_t bits = 0;
    for (unsigned i = 0; i < 16; i++) {
        bits |= (uint32_t)(before->general[i] != after->general[i]) << i;
        bits |= (uint32_t)(memcmp(before->vector[i], after->vector[i], 16) != 0) << (16 + i);
    }
    return bits;
}

static uint32_t changed_by(enum filler kind, unsigned count)
{
    struct all_registers before = made_up();
    if (kind == FILLER_WAITING_LOAD)
        before.general[RAX] = 0;
    struct all_registers after = before;
    emit(kind, count);
    call_with_all(code, &after);
    return changed(&before, &after);
}

/* In turn: RCX, RDX, RSI, R11; XMM1 to XMM4. */
static const uint32_t general[] = {1u << RCX, 1u << RDX, 1u << RSI, 1u << R11};
static const uint32_t vector[] = {1u << 17, 1u << 18, 1u << 19, 1u << 20};

static uint32_t first(const uint32_t *registers, unsigned count)
{
    uint32_t bits = 0;
    for (unsigned i = 0; i < count && i < 4; i++)
        bits |= registers[i];
    return bits;
}

TEST(they_write_four_registers_in_turn)
{
    static const uint32_t *const written[FILLER_KINDS] = {
        [FILLER_ZERO] = general,        [FILLER_ADD] = general,
        [FILLER_VECTOR_ADD] = vector,   [FILLER_LOAD] = general,
        [FILLER_LINE_LOAD] = general,   [FILLER_WAITING_LOAD] = general,
        [FILLER_WAITING_ADD] = general, [FILLER_MULTIPLY] = general,
    };
    static const unsigned counts[] = {0, 1, 2, 3, 4, 5, 7, 8, 190, 1001};
    for (enum filler kind = 0; kind < FILLER_KINDS; kind++)
        for (unsigned i = 0; i < sizeof counts / sizeof *counts; i++)
            assert_int_equal(changed_by(kind, counts[i]),
                             written[kind] != NULL ? first(written[kind], counts[i]) : 0);
}

/* Each adds RDI, RAX or XMM0 once in four. */
TEST(sums)
{
    static const unsigned to[] = {RCX, RDX, RSI, R11};
    struct all_registers before = made_up(), add = before, waiting = before, vectors = before,
                         zero = before, multiply = before;
    emit(FILLER_ADD, 10);
    call_with_all(code, &add);
    emit(FILLER_WAITING_ADD, 10);
    call_with_all(code, &waiting);
    emit(FILLER_ZERO, 4);
    call_with_all(code, &zero);
    emit(FILLER_MULTIPLY, 4);
    call_with_all(code, &multiply);
    emit(FILLER_VECTOR_ADD, 4);
    call_with_all(code, &vectors);
    for (unsigned i = 0; i < 4; i++) {
        uint64_t times = i < 2 ? 3 : 2, start = before.general[to[i]];
        assert_compare(add.general[to[i]], ==, start + times * before.general[RDI]);
        assert_compare(waiting.general[to[i]], ==, start + times * before.general[RAX]);
        assert_compare(zero.general[to[i]], ==, 0);
        assert_compare(multiply.general[to[i]], ==, start * before.general[RAX]);
        uint32_t sum = (uint32_t)before.vector[i + 1][0] + (uint32_t)before.vector[0][0];
        assert_int_equal((uint32_t)vectors.vector[i + 1][0], sum);
    }
}

/*
 * Stores one after the other, loads from the same place: what was stored last comes back. It is the
 * probe's own eight bytes, not the register that is saved behind them (R15 is as it was, see
 * above).
 */
TEST(stores_and_loads_meet)
{
    static const unsigned stored[] = {RCX, RDX, RSI, R11};
    for (unsigned count = 1; count <= 8; count++) {
        struct all_registers before = made_up(), after = before;
        struct encoder e;
        e = (struct encoder){.at = code, .room = CODE_BYTES};
        encode_enter(&e);
        encode_copy(&e, R15, RSP);
        encode_fillers(&e, FILLER_STORE, count);
        encode_fillers(&e, FILLER_LOAD, 4);
        encode_leave(&e);
        encode_return(&e);
        call_with_all(code, &after);
        for (unsigned i = 0; i < 4; i++)
            assert_compare(after.general[stored[i]], ==, before.general[stored[(count - 1) % 4]]);
        assert_compare(after.general[R15], ==, before.general[R15]);
    }
}

/* From the same place if RAX is 0, and RAX bytes behind it if not: the address needs it. R15 was
 * saved behind those eight bytes. */
TEST(waiting_loads_need_rax)
{
    static const unsigned to[] = {RCX, RDX, RSI, R11};
    struct all_registers before = made_up();
    before.general[RAX] = 8;
    for (unsigned count = 1; count <= 4; count++) {
        struct all_registers after = before;
        emit(FILLER_WAITING_LOAD, count);
        call_with_all(code, &after);
        for (unsigned i = 0; i < 4; i++)
            assert_true(after.general[to[i]] == before.general[i < count ? (unsigned)R15 : to[i]]);
    }
}

/* As long as the table says, whatever their number. */
TEST(lengths)
{
    assert_numbers((filler_table[FILLER_NOP].length, filler_table[FILLER_LONG_NOP].length), (1, 9));
    for (enum filler kind = 0; kind < FILLER_KINDS; kind++)
        for (unsigned count = 0; count < 20; count++) {
            struct encoder e;
            e = (struct encoder){.at = code, .room = CODE_BYTES};
            encode_fillers(&e, kind, count);
            assert_int_equal(e.length, count * filler_table[kind].length);
        }
}

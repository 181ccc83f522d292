/* test_floor_probe: the probes of the floor, as they are written and as they run here; and the
 * clock by itself. */
#include "../../kernel/probe/floor_probe.h"
#include "../../kernel/probe/native.h"
#include "call_and_look.h"
#include "kit.h"

#define CODE_BYTES 65536
#define GUARD 0xa5

static uint8_t code[CODE_BYTES];

static size_t emit(unsigned chains, unsigned adds, size_t room)
{
    struct floor_shape shape = {
        .chains = chains, .adds = adds, .timing = {.order = ORDER_LFENCE, .rdtscp = true}};
    memset(code, GUARD, sizeof code);
    return floor_probe_emit(code, room, &shape);
}

/* ADD r/m64, r64 of registers, in ModRM's reg the source (Intel SDM 2A, ADD). */
static bool is_add(const uint8_t *at, unsigned *to, unsigned *from)
{
    if ((at[0] & 0xfa) != 0x48 || at[1] != 0x01 || at[2] >> 6 != 3)
        return false;
    *to = (unsigned)((at[0] & 1) << 3 | (at[2] & 7));
    *from = (unsigned)((at[0] & 4) << 1 | (at[2] >> 3 & 7));
    return true;
}

/* As many additions as asked for, all of one register nobody writes, on so many others in turn. */
TEST(additions)
{
    for (unsigned chains = 1; chains <= FLOOR_CHAINS_MAX; chains++) {
        size_t with = emit(chains, 50, sizeof code), at = 0;
        unsigned seen[50], count = 0, source = 99, to, from;
        while (at < with && !is_add(code + at, &to, &from))
            at++;
        for (; is_add(code + at, &to, &from); at += 3) {
            assert_compare(count, <, 50);
            assert_true(source == 99 || from == source);
            source = from;
            seen[count++] = to;
        }
        assert_int_equal(count, 50);
        assert_int_equal(with - emit(chains, 0, sizeof code), 50 * 3);
        for (unsigned i = 0; i < 50; i++)
            for (unsigned j = 0; j < i; j++)
                assert_int_equal(seen[i] == seen[j], (i - j) % chains == 0);
        for (unsigned i = 0; i < 50; i++) { /* nor the stack, the addend or the first timestamp */
            assert_int_not_equal(seen[i], 4);
            assert_int_not_equal(seen[i], source);
            assert_int_not_equal(seen[i], 8);
            assert_int_not_equal(seen[i], 9);
        }
    }
}

/* Of NOPs that no core fuses. */
TEST(nops)
{
    static const uint8_t nop[] = {0x66, 0x0f, 0x1f, 0x84, 0, 0, 0, 0, 0};
    size_t empty = emit(0, 0, sizeof code), with = emit(0, 50, sizeof code), at = 0;
    assert_int_equal(with - empty, 50 * sizeof nop);
    while (memcmp(code + at, nop, sizeof nop) != 0)
        at++;
    for (unsigned i = 0; i < 50; i++)
        assert_memory_equal(code + at + i * sizeof nop, nop, sizeof nop);
}

/* What is stored is loaded by the same register, of the chain's own word. */
TEST(stores_and_loads)
{
    uint64_t kept[KEPT], memory[2] = {1, 2};
    uint8_t *area = code_open(CODE_BYTES);
    struct forward_shape shape = {.timing = {.order = ORDER_LFENCE, .rdtscp = true}};
    for (shape.chains = 1; shape.chains <= FORWARD_CHAINS_MAX; shape.chains++) {
        static const uint8_t pairs[][8] = {{0x48, 0x89, 0x47, 0, 0x49, 0x8b, 0x47, 0},
                                           {0x48, 0x89, 0x4f, 8, 0x49, 0x8b, 0x4f, 8}};
        size_t empty = (shape.pairs = 0, forward_probe_emit(code, CODE_BYTES, &shape)), at = 0;
        shape.pairs = 50;
        size_t length = forward_probe_emit(code, CODE_BYTES, &shape);
        assert_int_equal(length, empty + 50 * 8);
        assert_int_equal(forward_probe_emit(area, length - 1, &shape), 0);
        forward_probe_emit(area, CODE_BYTES, &shape);
        while (memcmp(code + at, pairs[0], 8) != 0)
            at++;
        for (unsigned i = 0; i < 50; i++)
            assert_memory_equal(code + at + 8 * (size_t)i, pairs[i % shape.chains], 8);
        assert_compare(call_and_look(area, memory, kept), <, 10000000);
        assert_true(is_all_kept(kept));
        assert_int_not_equal(memory[0], 1);
        assert_int_equal(memory[1] != 2, shape.chains > 1);
    }
    code_close(area, CODE_BYTES);
}

TEST(room)
{
    size_t length = emit(12, 100, sizeof code);
    for (size_t room = 0; room < length; room++) {
        assert_int_equal(emit(12, 100, room), 0);
        for (size_t i = room; i < length; i++)
            assert_int_equal(code[i], GUARD);
    }
    assert_int_equal(emit(12, 100, length), length);
    length = floor_probe_emit_timer(code, sizeof code);
    assert_compare(length, >, 0);
    assert_int_equal(floor_probe_emit_timer(code, length - 1), 0);
}

TEST(probes_run_and_keep_registers)
{
    static uint64_t seven = 7;
    uint8_t *area = code_open(CODE_BYTES);
    uint64_t least[2] = {UINT64_MAX, UINT64_MAX}, kept[KEPT], ticks;
    for (unsigned i = 0; i < 2; i++) {
        assert_true(emit(i == 0 ? 1 : 12, 1937, sizeof code) > 0);
        memcpy(area, code, CODE_BYTES);
        for (unsigned j = 0; j < 100; j++) {
            ticks = call_and_look(area, &seven, kept);
            assert_true(is_all_kept(kept));
            least[i] = ticks < least[i] ? ticks : least[i];
        }
    }
    assert_compare(least[1], >, 0);
    assert_compare(least[0], <, 1000000);
    floor_probe_emit_timer(area, CODE_BYTES);
    least[0] = UINT64_MAX;
    for (unsigned j = 0; j < 100; j++) {
        ticks = call_and_look(area, &seven, kept);
        assert_true(is_all_kept(kept));
        least[0] = (int64_t)ticks > 0 && ticks < least[0] ? ticks : least[0];
    }
    assert_compare(least[0], <, 1000000);
    code_close(area, CODE_BYTES);
}

TEST(the_clock_by_itself)
{
    uint8_t *area = code_open(CODE_BYTES);
    uint64_t kept[KEPT];
    size_t length = timing_emit_now(code, sizeof code);
    assert_compare(length, >, 0);
    assert_int_equal(timing_emit_now(code, length - 1), 0);
    timing_emit_now(area, CODE_BYTES);
    for (unsigned i = 0; i < 100; i++) {
        uint64_t before = native_ticks(), ticks = call_and_look(area, NULL, kept);
        assert_true(is_all_kept(kept));
        assert_in_range(ticks, before, native_ticks());
    }
    code_close(area, CODE_BYTES);
}

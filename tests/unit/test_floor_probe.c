/* test_floor_probe: the probes of the floor run here. */
#include <sys/mman.h>

#include "../../kernel/probe/floor_probe.h"
#include "kit.h"

#define CODE_BYTES 65536
#define GUARD 0xa5

/* --- the probes ------------------------------------------------------------------------------ */

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
            assert_true(count < 50);
            assert_true(source == 99 || from == source);
            source = from;
            seen[count++] = to;
        }
        assert_int_equal(count, 50);
        assert_int_equal(with - emit(chains, 0, sizeof code), 50 * 3);
        for (unsigned i = 0; i < 50; i++)
            for (unsigned j = 0; j < i; j++)
                assert_int_equal(seen[i] == seen[j], (i - j) % chains == 0);
        for (unsigned i = 0; i < 50; i++) /* nor the stack, the addend or the first timestamp */
            assert_true(seen[i] != 4 && seen[i] != source && seen[i] != 8 && seen[i] != 9);
    }
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
    assert_true(length > 0);
    assert_int_equal(floor_probe_emit_timer(code, length - 1), 0);
}

struct registers {
    uint64_t rbx, rbp, r12, r13, r14, r15, rsp;
};

/* Calls code with what a called function has to keep set, and notes what is left of it. */
static uint64_t call(const void *at, struct registers *kept)
{
    uint64_t result;
    struct registers r = {1, 2, 3, 4, 5, 6, 0};

    __asm__ volatile("lea -128(%%rsp), %%rsp\n\t" /* past the red zone */
                     "push %%rbp\n\t"
                     "push %%rbx\n\t"
                     "push %%rsi\n\t"
                     "mov %%rsp, 48(%%rsi)\n\t"
                     "mov (%%rsi), %%rbx\n\t"
                     "mov 8(%%rsi), %%rbp\n\t"
                     "mov 16(%%rsi), %%r12\n\t"
                     "mov 24(%%rsi), %%r13\n\t"
                     "mov 32(%%rsi), %%r14\n\t"
                     "mov 40(%%rsi), %%r15\n\t"
                     "call *%%rax\n\t"
                     "mov (%%rsp), %%rsi\n\t"
                     "mov %%rbx, (%%rsi)\n\t"
                     "mov %%rbp, 8(%%rsi)\n\t"
                     "mov %%r12, 16(%%rsi)\n\t"
                     "mov %%r13, 24(%%rsi)\n\t"
                     "mov %%r14, 32(%%rsi)\n\t"
                     "mov %%r15, 40(%%rsi)\n\t"
                     "sub %%rsp, 48(%%rsi)\n\t"
                     "pop %%rsi\n\t"
                     "pop %%rbx\n\t"
                     "pop %%rbp\n\t"
                     "lea 128(%%rsp), %%rsp"
                     : "=a"(result)
                     : "a"(at), "S"(&r), "D"((uint64_t)7)
                     : "rcx", "rdx", "r8", "r9", "r10", "r11", "r12", "r13", "r14", "r15", "memory",
                       "cc");
    *kept = r;
    return result;
}

static void assert_kept(const struct registers *r)
{
    assert_true(r->rbx == 1 && r->rbp == 2 && r->r12 == 3 && r->r13 == 4 && r->r14 == 5 &&
                r->r15 == 6 && r->rsp == 0);
}

TEST(probes_run_and_keep_registers)
{
    uint8_t *area = mmap(NULL, CODE_BYTES, PROT_READ | PROT_WRITE | PROT_EXEC,
                         MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    struct registers kept;
    uint64_t least[2] = {UINT64_MAX, UINT64_MAX}, ticks;

    assert_true(area != MAP_FAILED);
    for (unsigned i = 0; i < 2; i++) {
        assert_true(emit(i == 0 ? 1 : 12, 1937, sizeof code) > 0);
        memcpy(area, code, CODE_BYTES);
        for (unsigned j = 0; j < 100; j++) {
            ticks = call(area, &kept);
            assert_kept(&kept);
            least[i] = ticks < least[i] ? ticks : least[i];
        }
    }
    assert_true(least[1] > 0 && least[0] < 1000000);
    floor_probe_emit_timer(area, CODE_BYTES);
    least[0] = UINT64_MAX;
    for (unsigned j = 0; j < 100; j++) {
        ticks = call(area, &kept);
        assert_kept(&kept);
        least[0] = (int64_t)ticks > 0 && ticks < least[0] ? ticks : least[0];
    }
    assert_true(least[0] < 1000000);
    munmap(area, CODE_BYTES);
}

/* test_bandwidth_probe: what the loop reads and writes, wherever it starts, and what it keeps. */
#include "../../kernel/cpu/processor.h"
#include "../../kernel/probe/bandwidth_probe.h"
#include "call_and_look.h"
#include "kit.h"

#define CODE_BYTES 65536
#define BLOCKS 8
#define BYTES (BLOCKS * (size_t)BANDWIDTH_BLOCK)
#define GUARD 4096

static uint8_t *code;
static uint8_t *memory; /* with room before and behind that nobody may write */

SETUP_ALL(open)
{
    code = code_open(CODE_BYTES);
    memory = aligned_alloc(64, BYTES + 2 * GUARD);
    assert_non_null(memory);
}

TEARDOWN_ALL(close)
{
    code_close(code, CODE_BYTES);
    free(memory);
}

static uint8_t *array(void)
{
    return memory + GUARD;
}

/* Each byte tells where it is. */
static void fill(void)
{
    for (size_t i = 0; i < BYTES + 2 * GUARD; i++)
        memory[i] = (uint8_t)(i * 7 + i / 251);
}

static struct bandwidth_shape shape_of(enum generator_work work, unsigned width, uint64_t turns)
{
    return (struct bandwidth_shape){.work = work,
                                    .width = width,
                                    .base = array(),
                                    .bytes = BYTES,
                                    .turns = turns,
                                    .timing = {.order = ORDER_LFENCE, .rdtscp = true}};
}

static void run_from(const struct bandwidth_shape *shape, uint64_t offset)
{
    uint64_t kept[KEPT];
    assert_compare(bandwidth_probe_emit(code, CODE_BYTES, shape), >, 0);
    assert_compare(call_and_look(code, array() + offset, kept), <, 1ull << 40);
    assert_true(is_all_kept(kept));
}

/* How many bytes of the array, in blocks from the start, differ from what they were. */
static size_t changed(const uint8_t *before)
{
    size_t count = 0;
    for (size_t i = 0; i < BYTES + 2 * GUARD; i++) {
        bool is_ours = i >= GUARD && i < GUARD + BYTES;
        if (memory[i] != before[i] && !is_ours)
            fail_msg("byte %zu is not of the array", i);
        count += memory[i] != before[i];
    }
    return count;
}

/* The compiler's library reads the same of this processor, on its own. */
TEST(widths_that_may_be_used)
{
    unsigned widest = __builtin_cpu_supports("avx512f") ? 64
                      : __builtin_cpu_supports("avx")   ? 32
                                                        : 16;
    assert_int_equal(vector_width(), widest);
}

/* Each width that this processor may use. */
#define EACH_WIDTH(width) (unsigned width = 16; width <= vector_width(); width *= 2)

TEST(reads_change_nothing)
{
    static uint8_t before[BYTES + 2 * GUARD];
    fill();
    memcpy(before, memory, sizeof before);
    for
        EACH_WIDTH(width)
        {
            struct bandwidth_shape shape = shape_of(GENERATOR_READ, width, 3 * BLOCKS);
            run_from(&shape, 5 * BANDWIDTH_BLOCK);
            assert_int_equal(changed(before), 0);
        }
}

/* A copy of as many half blocks, from where it starts, round and round. */
TEST(copies)
{
    static uint8_t before[BYTES + 2 * GUARD];
    for
        EACH_WIDTH(width)
    for (uint64_t turns = 1; turns <= BLOCKS + 1; turns++) {
        struct bandwidth_shape shape = shape_of(GENERATOR_COPY, width, turns);
        const uint64_t step = BANDWIDTH_BLOCK / 2, span = BYTES / 2;
        fill();
        memcpy(before, memory, sizeof before);
        run_from(&shape, span - step); /* it starts over after one */
        for (uint64_t at = 0; at < span; at++) {
            bool is_last = at >= span - step;
            bool is_copied = is_last || at < (turns - 1) * step;
            uint8_t wanted = is_copied ? before[GUARD + at] : before[GUARD + span + at];
            assert_numbers((array()[span + at], array()[at]), (wanted, before[GUARD + at]));
        }
        changed(before);
    }
}

TEST(writes)
{
    static uint8_t before[BYTES + 2 * GUARD];
    for
        EACH_WIDTH(width)
    for (uint64_t turns = 1; turns <= BLOCKS + 1; turns++) {
        struct bandwidth_shape shape = shape_of(GENERATOR_WRITE, width, turns);
        memset(memory, 0xa5, sizeof before);
        memset(array(), 0x3c, 8 * (size_t)width); /* what it finds there it writes */
        memcpy(before, memory, sizeof before);
        run_from(&shape, 0);
        size_t written = (turns < BLOCKS ? turns : BLOCKS) * BANDWIDTH_BLOCK;
        assert_int_equal(changed(before), written - 8 * (size_t)width);
        for (size_t i = 0; i < written; i++)
            assert_int_equal(array()[i], 0x3c);
    }
}

TEST(room_of_bandwidth)
{
    static uint8_t small[CODE_BYTES];
    struct bandwidth_shape shape = shape_of(GENERATOR_COPY, 16, 1);
    size_t length = bandwidth_probe_emit(small, sizeof small, &shape);
    assert_in_range(length, 100, 4096);
    assert_int_equal(bandwidth_probe_emit(small, length - 1, &shape), 0);
    assert_int_equal(bandwidth_probe_emit(small, length, &shape), length);
}

/* test_chain_probe: chains are followed here, timed and counted, and the caller keeps its own. */
#include "../../kernel/probe/chain_probe.h"
#include "call_and_look.h"
#include "kit.h"

#define CODE_BYTES 262144
#define LINKS 97

static uint8_t *code;
static void *cycle[LINKS]; /* each points to the next but one */
static uint64_t result[COUNTING_MAX];

SETUP_ALL(open)
{
    code = code_open(CODE_BYTES);
    for (unsigned i = 0; i < LINKS; i++)
        cycle[i] = &cycle[(i + 2) % LINKS];
}

TEARDOWN_ALL(close)
{
    code_close(code, CODE_BYTES);
}

static size_t emit(const struct chain_shape *shape)
{
    memset(code, 0xcc, 4096);
    size_t length = chain_probe_emit(code, CODE_BYTES, shape);
    assert_compare(length, >, 0);
    return length;
}

/* Every chain is so many links further, and nobody's registers or stack are another. */
static uint64_t follow(const struct chain_shape *shape)
{
    void *chain[CHAINS_MAX + 1];
    uint64_t kept[KEPT], ticks;
    for (unsigned i = 0; i <= CHAINS_MAX; i++)
        chain[i] = &cycle[7 * i % LINKS];
    ticks = call_and_look(code, chain, kept);
    assert_true(is_all_kept(kept));
    for (unsigned i = 0; i <= CHAINS_MAX; i++) {
        unsigned steps = i < shape->chains ? shape->steps : 0;
        assert_ptr_equal(chain[i], &cycle[(7 * i + 2 * steps) % LINKS]);
    }
    return ticks;
}

TEST(timed_chains)
{
    static const unsigned steps[] = {0, 1, 2, 31, 32, 288, 1000};
    for (unsigned chains = 1; chains <= CHAINS_MAX; chains++)
        for (unsigned i = 0; i < sizeof steps / sizeof *steps; i++)
            for (unsigned way = 0; way < 3; way++) {
                struct timing timing = {.order = way == 2 ? ORDER_CPUID : ORDER_LFENCE,
                                        .rdtscp = way > 0};
                struct chain_shape shape = {chains, steps[i], timing};
                emit(&shape);
                uint64_t ticks = follow(&shape);
                assert_compare(ticks, >, 0);
                assert_compare(ticks, <, 1ull << 40);
            }
}

/* As on real hardware, but for what the counters say. */
TEST(counted_chains)
{
    struct counting counting = {.result = result};
    for (unsigned chains = 1; chains <= CHAINS_COUNTED_MAX; chains++)
        for (counting.count = 1; counting.count <= COUNTING_MAX; counting.count++) {
            struct chain_shape shape = {chains, 32, {.counting = &counting}};
            size_t length = emit(&shape);
            assert_int_equal(code_read_time_for_counters(code, length), 2 * counting.count);
            memset(result, 0xff, sizeof result);
            follow(&shape);
            for (unsigned i = 0; i < COUNTING_MAX; i++)
                if (i < counting.count)
                    assert_within((uint32_t)result[i], 1, UINT32_MAX - 1);
                else
                    assert_compare(result[i], ==, UINT64_MAX); /* nobody wrote there */
        }
}

TEST(too_little_room)
{
    struct counting counting = {.count = COUNTING_MAX, .result = result};
    for (unsigned way = 0; way < 2; way++) {
        struct chain_shape shape = {3, 5, {.counting = way ? &counting : NULL}};
        size_t length = emit(&shape);
        for (size_t room = 0; room < length; room++) {
            memset(code, 0xcc, length + 1);
            assert_int_equal(chain_probe_emit(code, room, &shape), 0);
            assert_int_equal(code[room], 0xcc);
        }
        assert_int_equal(chain_probe_emit(code, length, &shape), length);
    }
}

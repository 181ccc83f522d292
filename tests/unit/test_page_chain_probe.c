/* test_page_chain_probe: a chain is followed here, and the caller keeps its own. */
#include "../../kernel/probe/chain_probe.h"
#include "call_and_look.h"
#include "kit.h"

#define CODE_BYTES 65536
#define LINKS 97

static uint8_t *code;
static void *cycle[LINKS]; /* each points to the next but one */

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

static uint64_t follow(unsigned lead, unsigned steps, bool rdtscp)
{
    const struct page_chain_shape shape = {lead, steps, {.order = ORDER_LFENCE, .rdtscp = rdtscp}};
    void *chain[2] = {&cycle[5], &cycle[1]};
    uint64_t kept[KEPT];
    assert_true(page_chain_emit(code, CODE_BYTES, &shape) > 0);
    uint64_t ticks = call_and_look(code, chain, kept);
    assert_true(is_all_kept(kept));
    assert_ptr_equal(chain[0], &cycle[(5 + 2 * (lead + steps)) % LINKS]);
    assert_ptr_equal(chain[1], &cycle[1]);
    return ticks;
}

TEST(follows_all_and_keeps_the_callers)
{
    static const unsigned counts[] = {0, 1, 2, 48, PAGE_CHAIN_LEAD_MAX};
    for (unsigned i = 0; i < sizeof counts / sizeof *counts; i++)
        for (unsigned j = 0; j < sizeof counts / sizeof *counts; j++)
            for (unsigned rdtscp = 0; rdtscp < 2; rdtscp++)
                assert_compare(follow(counts[i], counts[j], rdtscp), <, 1ull << 40);
}

/* The fastest of many, in turn, since the core may change its pace: what comes before the first
 * timestamp takes no time. */
TEST(only_the_later_part_is_timed)
{
    static const struct {
        unsigned lead, steps;
    } shapes[] = {{0, 512}, {PAGE_CHAIN_LEAD_MAX, 512}, {0, PAGE_CHAIN_STEPS_MAX}};
    uint64_t least[] = {UINT64_MAX, UINT64_MAX, UINT64_MAX};
    for (unsigned i = 0; i < 600; i++) {
        uint64_t ticks = follow(shapes[i % 3].lead, shapes[i % 3].steps, false);
        least[i % 3] = ticks < least[i % 3] ? ticks : least[i % 3];
    }
    assert_compare(least[1], <, 2 * least[0]);
    assert_compare(least[0], <, 2 * least[1]);
    assert_compare(least[2], >, 2 * least[0]);
}

TEST(room)
{
    const struct page_chain_shape most = {
        PAGE_CHAIN_LEAD_MAX, PAGE_CHAIN_STEPS_MAX, {.order = ORDER_LFENCE}};
    size_t length = page_chain_emit(code, CODE_BYTES, &most);
    assert_compare(length, >, 3 * (PAGE_CHAIN_LEAD_MAX + PAGE_CHAIN_STEPS_MAX));
    assert_int_equal(page_chain_emit(code, length, &most), length);
    assert_int_equal(page_chain_emit(code, length - 1, &most), 0);
}

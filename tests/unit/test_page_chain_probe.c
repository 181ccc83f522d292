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

/* The fastest of many: what comes before the first timestamp takes no time. */
static uint64_t fastest(unsigned lead, unsigned steps)
{
    uint64_t least = UINT64_MAX;
    for (unsigned i = 0; i < 200; i++) {
        uint64_t ticks = follow(lead, steps, false);
        least = ticks < least ? ticks : least;
    }
    return least;
}

TEST(only_the_later_part_is_timed)
{
    uint64_t without = fastest(0, 512), with = fastest(PAGE_CHAIN_LEAD_MAX, 512);
    assert_compare(with, <, 2 * without);
    assert_compare(without, <, 2 * with);
    assert_compare(fastest(0, PAGE_CHAIN_STEPS_MAX), >, 2 * without);
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

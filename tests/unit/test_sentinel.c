/* test_sentinel: what holds of both blocks on any processor, however slow and shared. */
#include "../../kernel/probe/native.h"
#include "../../kernel/probe/sentinel.h"
#include "kit.h"

#define TIMES 5000

/* Times as many additions as the chain has, in one straight piece. */
static uint32_t straight_chain(struct platform *self)
{
    (void)self;
    uint64_t start = native_ticks();
    __asm__ volatile(".rept 1200\n\t"
                     "add %%ebx, %%eax\n\t"
                     ".endr"
                     :
                     : "b"(1)
                     : "rax", "cc");
    return (uint32_t)(native_ticks() - start);
}

/* Compares the fastest of many times; the blocks take turns, so a neighbour meets all of them. */
TEST(times)
{
    static uint32_t (*const blocks[])(struct platform *) = {straight_chain, sentinel_chain,
                                                            sentinel_side_by_side};
    double fastest[] = {UINT32_MAX, UINT32_MAX, UINT32_MAX};
    for (unsigned i = 0; i < TIMES; i++)
        for (unsigned j = 0; j < 3; j++)
            fastest[j] = fmin(fastest[j], blocks[j](NULL));
    assert_int_equal(SENTINEL_CHAIN, 1200);
    assert_within(fastest[1] / fastest[0], 0.85, 1.15);
    /* A core adds once a cycle in a chain, and up to eight times side by side; beside a busy
     * sibling thread some cores add only one and a half times. */
    assert_within(fastest[2] / fastest[0] * SENTINEL_CHAIN / SENTINEL_ADDS, 1.0 / SENTINEL_CHAINS,
                  0.75);
}

/* Returns how many instructions of a function have this text, up to the end of its loop. */
static unsigned count_in_loop(uint32_t (*block)(struct platform *self), const char *text)
{
    static const uint8_t end[] = {0xff, 0xc9, 0x75}; /* dec ecx; jne */
    const uint8_t *code = (const uint8_t *)(uintptr_t)block, *at = code;
    char line[200];
    unsigned count = 0;
    while (memcmp(at, end, sizeof end) != 0)
        at++;
    FILE *listing = disassembled(code, (size_t)(at - code));
    while (fgets(line, sizeof line, listing) != NULL)
        count += strstr(line, text) != NULL;
    fclose(listing);
    return count;
}

/* Each loop has 48 additions: one chain, or eight chains of equal length. */
TEST(additions)
{
    static const char *const to[SENTINEL_CHAINS] = {"eax,ebx", "edx,ebx", "esi,ebx",  "edi,ebx",
                                                    "r8d,ebx", "r9d,ebx", "r10d,ebx", "r11d,ebx"};
    assert_int_equal(count_in_loop(sentinel_chain, "add    eax,ebx"), 48);
    for (unsigned i = 0; i < SENTINEL_CHAINS; i++)
        assert_int_equal(count_in_loop(sentinel_side_by_side, to[i]), 48 / SENTINEL_CHAINS);
}

/* test_sentinel: what holds of both blocks on any processor, however slow and shared. */
#include "../../kernel/probe/sentinel.h"
#include "kit.h"

#define TIMES 1000

static uint32_t fastest(uint32_t (*block)(struct platform *self))
{
    uint32_t least = UINT32_MAX;
    for (unsigned i = 0; i < TIMES; i++) {
        uint32_t ticks = block(NULL);
        least = ticks < least ? ticks : least;
    }
    return least;
}

/* An addition takes a part of a cycle at least, and a tick is not many cycles. */
TEST(times)
{
    assert_in_range(fastest(sentinel_chain), SENTINEL_CHAIN / 20, UINT32_MAX - 1);
    assert_in_range(fastest(sentinel_side_by_side), SENTINEL_ADDS / 200, UINT32_MAX - 1);
}

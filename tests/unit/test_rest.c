/* test_rest: who was asleep, and when a processor may be put to sleep. */
#include "../../kernel/cpu/cpuid.h"
#include "../../kernel/cpu/rest.h"
#include "kit.h"

static struct cpuid_result one, five;

/* In place of kernel/cpu/cpuid.c. */
struct cpuid_result cpuid_read(uint32_t leaf, uint32_t subleaf)
{
    assert_int_equal(subleaf, 0);
    return leaf == 1 ? one : leaf == 5 ? five : (struct cpuid_result){0};
}

TEST(possible)
{
    static const struct {
        uint32_t ecx, largest;
        bool possible;
    } cases[] = {
        {1u << 3, 64, true},    {1u << 3, REST_LINE, true}, {1u << 3, 0, true}, /* an emulator */
        {1u << 3, 4096, false}, {~(1u << 3), 64, false},    {0, 0, false}};
    for (EACH(c, cases)) {
        one.ecx = c->ecx;
        five.ebx = c->largest;
        assert_int_equal(rest_is_possible(), c->possible);
    }
}

/* Models whose MONITOR misses stores; AMD's family 6 ends long before. */
TEST(not_where_wakeups_are_lost)
{
    static const struct {
        uint32_t signature;
        bool possible;
    } cases[] = {
        {0x506c9, false}, {0xb06d1, false}, {0xb06a2, true}, {0x506e3, true}, {0xa50fc0, true}};
    one.ecx = 1u << 3;
    five.ebx = 64;
    for (EACH(c, cases)) {
        one.eax = c->signature;
        assert_int_equal(rest_is_possible(), c->possible);
    }
    one.eax = 0;
}

TEST(share_awake)
{
    const struct awake_clock start = {true, 1000, 5000}, still = {true, 1000, 9000},
                             half = {true, 3000, 9000}, all = {true, 5000, 9000},
                             unknown = {false, 3000, 9000}, turned = {true, 500, 9000},
                             before = {true, UINT64_MAX, 5000}, same = {true, 2000, 5000};
    assert_true(rest_share_awake(&start, &still) == 0);
    assert_true(rest_share_awake(&start, &half) == 0.5);
    assert_true(rest_share_awake(&start, &all) == 1);
    assert_true(rest_share_awake(&before, &turned) == 501.0 / 4000);
    assert_true(isnan(rest_share_awake(&start, &unknown)));
    assert_true(isnan(rest_share_awake(&unknown, &all)));
    assert_true(isnan(rest_share_awake(&start, &same)));
    assert_true(isnan(rest_share_awake(&all, &start)));
}

/* A word that is already another one is not waited for. */
TEST(no_wait)
{
    volatile uint32_t word = 1;
    uint64_t asleep_ticks = 0;
    one.ecx = 0;
    rest_while(&word, 0, &asleep_ticks);
    assert_compare(asleep_ticks, ==, 0);
}

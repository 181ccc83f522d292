/* test_load_case: what cases of loads are called. */
#include "../../kernel/analysis/chain.h"
#include "../../kernel/analysis/mlp_rule.h"
#include "../../kernel/experiments/load_case.h"
#include "kit.h"

#define GUARD 0x5a

/* Every name there can be is whole: the analysis goes by how it ends. */
TEST(names)
{
    static const char *const pages[PAGE_SIZES] = {"4k", "2m", "1g"};
    static const char *const states[TLB_STATES] = {"", "-warm", "-cold", "-walkmem"};
    static const char *const suffixes[] = {"", CHAIN_SUFFIX, MLP_CPUID_SUFFIX,
                                           MLP_CPUID_SUFFIX CHAIN_SUFFIX};

    for (enum page_size page = 0; page < PAGE_SIZES; page++)
        for (enum tlb_state tlb = 0; tlb < TLB_STATES; tlb++)
            for (unsigned i = 0; i < 8; i++) {
                const char *prefetch = i / 4 ? "-nopf" : "", *suffix = suffixes[i % 4];
                char name[NAME_BYTES + 1], wanted[64];
                name[NAME_BYTES] = GUARD;
                load_case_name(name, page, tlb, prefetch, suffix);
                snprintf(wanted, sizeof wanted, "%s%s%s%s", pages[page], states[tlb], prefetch,
                         suffix);
                assert_string_equal(name, wanted);
                assert_int_equal(name[NAME_BYTES], GUARD);
            }
}

TEST(most_loads)
{
    static struct config_list loads = {4, {3, 96, 1, 40}};

    assert_int_equal(load_case_most_loads(&loads), 96);
    loads.count = 1;
    assert_int_equal(load_case_most_loads(&loads), 3);
    loads.count = 0;
    assert_int_equal(load_case_most_loads(&loads), 0);
}

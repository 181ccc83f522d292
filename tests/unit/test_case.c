/* test_case: names of cases, there and back, and which of two is the plainer. */
#include "../../kernel/data/case.h"
#include "rows.h"

#include "kit.h"

static struct variant read_name(const char *name)
{
    struct variant variant;
    memset(&variant, 0xa5, sizeof variant);
    name_copy(variant.experiment, "mlp");
    case_read(name, &variant);
    return variant;
}

#define STRIDE 29 /* divides no number of choices, so that each two of them meet */

/* Of three million cases every seventh: each has a name of its own that says all of it. */
TEST(there_and_back)
{
    static const char *const labels[] = {"", "node1x", "my-l", "cpuids", "warmer", "2m"};
    static const char *const patterns[] = {"", "linear", "a-b"};
    for (unsigned i = 0; i < 3 * 3 * 4 * 2 * 4 * 6 * 2 * 2 * 2 * 3 * 4 * 4 * 3; i += STRIDE) {
        unsigned rest = i;
        struct variant variant = {.experiment = "mlp", .has_page = true}, again;
        name_copy(variant.pattern, patterns[rest % 3]);
        variant.page = (enum page_size)(rest / 3 % 3);
        variant.tlb = (enum tlb_state)(rest / 9 % 4);
        variant.prefetch_off = rest / 36 % 2;
        rest /= 72;
        variant.memory = rest % 4 == 0 ? MEMORY_LOCAL : rest % 4 == 3 ? MEMORY_REMOTE : MEMORY_NODE;
        variant.node = rest % 4 == 1 ? 0 : rest % 4 == 2 ? 90 : 0;
        name_copy(variant.label, labels[rest / 4 % 6]);
        variant.order = rest / 24 % 2 ? ORDER_CPUID : ORDER_LFENCE;
        variant.dependent = rest / 48 % 2;
        variant.shared = rest / 96 % 2;
        variant.has_core = rest / 192 % 3 > 0;
        variant.core = rest / 192 % 3 == 2 ? 90 : 0;
        rest = rest / 192 / 3;
        variant.access = (enum access)(rest % 4);
        variant.sibling = (enum sibling_work)(rest / 4 % 4);
        variant.generators = rest / 16 == 0 ? 0 : rest / 16 == 1 ? 1 : 90;
        again = read_name(name_of(&variant));
        if (!case_same(&variant, &again))
            fail_msg("%s", name_of(&variant));
        assert_true(case_hash(&variant) == case_hash(&again));
        assert_int_equal(case_compare(&variant, &again), 0);
    }
}

#define OF_4K .has_page = true, .page = PAGE_4K
#define OF_2M .has_page = true, .page = PAGE_2M
#define OF_1G .has_page = true, .page = PAGE_1G

/* What the parts of names were compared for, field by field. */
TEST(parts_of_names)
{
    static const struct {
        const char *name;
        struct variant variant;
    } cases[] = {
        {"4k", {OF_4K}},
        {"4k-cold", {OF_4K, .tlb = TLB_COLD}},
        {"4k-cold-nopf", {OF_4K, .tlb = TLB_COLD, .prefetch_off = true}},
        {"4k-nopf-node1", {OF_4K, .prefetch_off = true, .memory = MEMORY_NODE, .node = 1}},
        {"4k-colder", {OF_4K, .label = "colder"}},
        {"4kb", {.pattern = "4kb"}},
        {"4k-", {.pattern = "4k-"}},
        {"4k-cold-nopf--shared", {.pattern = "4k-cold-nopf-", .shared = true}},
        {"", {.pattern = ""}},
        {"2m-warm", {OF_2M, .tlb = TLB_WARM}},
        {"1g-walkmem", {OF_1G, .tlb = TLB_WALKMEM}},
        {"2m-remote-base", {OF_2M, .memory = MEMORY_REMOTE, .label = "base"}},
        {"2m-base-cpuid-dependent",
         {OF_2M, .label = "base", .order = ORDER_CPUID, .dependent = true}},
        {"staged-onthefly-4k-nopf", {.pattern = "staged-onthefly", OF_4K, .prefetch_off = true}},
        {"long-nop", {.pattern = "long-nop"}},
        {"dependent", {.pattern = "dependent"}},
        {"2m-shared", {OF_2M, .shared = true}},
        {"4k-x-dependent-shared", {OF_4K, .label = "x", .dependent = true, .shared = true}},
        {"linear-4k-shared", {.pattern = "linear", OF_4K, .shared = true}},
        {"2m-shared-x", {OF_2M, .label = "shared-x"}},
        {"2m-shared-shared", {OF_2M, .label = "shared", .shared = true}},
        {"long-nop-shared", {.pattern = "long-nop", .shared = true}},
        {"a--shared", {.pattern = "a-", .shared = true}},
        {"shared", {.pattern = "shared"}},
        {"-shared", {.pattern = "-shared"}},
        {"2m-dependent-x", {OF_2M, .label = "dependent-x"}},
        {"2m-cpuid-1", {OF_2M, .label = "cpuid-1"}},
        {"2m-node01", {OF_2M, .label = "node01"}},
        {"2m-core12", {OF_2M, .has_core = true, .core = 12}},
        {"4k-node1-x-dependent-core0-shared",
         {OF_4K, .memory = MEMORY_NODE, .node = 1, .label = "x", .dependent = true,
          .has_core = true, .core = 0, .shared = true}},
        {"core-core7", {.pattern = "core", .has_core = true, .core = 7}},
        {"core7", {.pattern = "core7"}},
        {"2m-core", {OF_2M, .label = "core"}},
        {"2m-core07", {OF_2M, .label = "core07"}},
        {"2m-core1-core2", {OF_2M, .label = "core1", .has_core = true, .core = 2}},
        {"2m-nt", {OF_2M, .access = ACCESS_NT}},
        {"4k-node1-prefetch-x",
         {OF_4K, .memory = MEMORY_NODE, .node = 1, .access = ACCESS_PREFETCH, .label = "x"}},
        {"store", {.pattern = "store"}}, /* a filler */
        {"store-busy", {.pattern = "store", .sibling = SIBLING_BUSY}},
        {"2m-store-idle", {OF_2M, .access = ACCESS_STORE, .sibling = SIBLING_IDLE}},
        {"loading", {.pattern = "loading"}},
        {"read-2m-cores3", {.pattern = "read", OF_2M, .generators = 3}},
        {"2m-cores0", {OF_2M, .label = "cores0"}},
        {"2m-cores1-core1-shared",
         {OF_2M, .generators = 1, .has_core = true, .core = 1, .shared = true}},
        {"2m-core1-x", {OF_2M, .label = "core1-x"}},
    };
    for (EACH(c, cases)) {
        struct variant variant = read_name(c->name), wanted = c->variant;
        name_copy(wanted.experiment, "mlp");
        if (!case_same(&variant, &wanted))
            fail_msg("%s", c->name);
        assert_string_equal(name_of(&variant), c->name);
    }
}

/* A label that is a word of ours would be read as another case. */
TEST(reserved_words)
{
    static const char *const words[] = {"warm",  "cold",   "walkmem",  "nopf",      "remote",
                                        "cpuid", "node1",  "node0",    "dependent", "shared",
                                        "core0", "core12", "prefetch", "store",     "nt",
                                        "idle",  "busy",   "loading",  "cores2"};
    static const char *const labels[] = {
        "",      "base",   "warmer", "node",   "node01", "nodes",   "cpu-id", "core",
        "cores", "core01", "node-1", "node1x", "xnode1", "a-war-m", "war",    "-"};
    static const char *const around[][2] = {{"", ""},  {"a-", "-b"}, {"-", ""},
                                            {"", "-"}, {"a--", ""},  {"node-", ""}};
    char label[NAME_BYTES];
    size_t length;
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        for (size_t j = 0; j < sizeof around / sizeof *around; j++) {
            snprintf(label, sizeof label, "%s%s%s", around[j][0], words[i], around[j][1]);
            assert_ptr_equal(case_reserved_word(label, &length), label + strlen(around[j][0]));
            assert_int_equal(length, strlen(words[i]));
        }
    for (size_t i = 0; i < sizeof labels / sizeof *labels; i++)
        assert_null(case_reserved_word(labels[i], &length));
}

/* Rising: each differs from the one before in one thing that makes it less plain. */
TEST(plainness)
{
    static const char *const rising[] = {"2m",
                                         "2m-a",
                                         "2m-b",
                                         "1g",
                                         "4k",
                                         "2m-warm",
                                         "4k-warm",
                                         "2m-cold",
                                         "2m-nopf",
                                         "4k-cold-nopf",
                                         "2m-node1",
                                         "2m-nopf-node1",
                                         "2m-node2",
                                         "2m-remote",
                                         "2m-prefetch",
                                         "4k-prefetch",
                                         "2m-store",
                                         "2m-nt",
                                         "2m-cpuid",
                                         "2m-dependent",
                                         "2m-idle",
                                         "2m-busy",
                                         "2m-cores1",
                                         "2m-nt-cores1",
                                         "2m-cores12",
                                         "2m-busy-cores12",
                                         "2m-core0",
                                         "2m-node1-core0",
                                         "2m-core2",
                                         "2m-core12",
                                         "2m-shared",
                                         "4k-shared",
                                         "2m-core0-shared"};
    const size_t count = sizeof rising / sizeof *rising;
    for (size_t i = 0; i < count; i++)
        for (size_t j = 0; j < count; j++) {
            struct variant a = read_name(rising[i]), b = read_name(rising[j]);
            int order = case_compare(&a, &b);
            if ((order < 0) != (i < j) || (order > 0) != (i > j))
                fail_msg("%s, %s", rising[i], rising[j]);
        }
}

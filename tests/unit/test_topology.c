/* test_topology: siblings of processors drawn as CPUID tables. */
#include "../../kernel/cpu/processor.h"
#include "kit.h"

struct leaf {
    uint32_t leaf, subleaf;
    struct cpuid_result value;
};

static const struct leaf *leaves;

/* In place of kernel/cpu/cpuid.c. */
struct cpuid_result cpuid_read(uint32_t leaf, uint32_t subleaf)
{
    for (const struct leaf *l = leaves; l->leaf != 0; l++)
        if (l->leaf == leaf && l->subleaf == subleaf)
            return l->value;
    return (struct cpuid_result){0};
}

static const struct processor intel = {.vendor = VENDOR_INTEL}, amd = {.vendor = VENDOR_AMD},
                              other = {.vendor = VENDOR_OTHER};

static struct topology read_from(const struct leaf *table, const struct processor *processor)
{
    struct topology t = {.apic_id = 77, .thread_bits = 77};
    leaves = table;
    topology_read(processor, &t);
    return t;
}

/* Two threads of a performance core, and an efficient core, which has one but the same width. */
#define HYBRID(id, threads)                                                                        \
    {                                                                                              \
        {0x1f, 0, {1, threads, 0x100, id}}, {0x1f, 1, {6, 20, 0x201, id}},                         \
            {0xb, 0, {3, 8, 0x100, id}},                                                           \
        {                                                                                          \
            0                                                                                      \
        }                                                                                          \
    }

TEST(intel_hybrid)
{
    static const struct leaf first[] = HYBRID(0x10, 2), second[] = HYBRID(0x11, 2),
                             efficient[] = HYBRID(0x12, 1);
    struct topology a = read_from(first, &intel), b = read_from(second, &intel),
                    e = read_from(efficient, &intel);
    assert_string_equal(a.source, "CPUID leaf 1FH");
    assert_numbers((a.apic_id, a.thread_bits), (0x10, 1));
    assert_true(topology_same_core(&a, &b));
    assert_true(topology_same_core(&b, &a));
    assert_true(topology_same_core(&a, &a));
    assert_false(topology_same_core(&b, &e));
    assert_false(topology_same_core(&a, &e));
}

/* Leaf 0BH, x2APIC ids above 255, four threads a core as on a Xeon Phi. */
TEST(wide_ids)
{
    static const struct leaf one[] = {{0xb, 0, {2, 4, 0x100, 0x404}}, {0}},
                             two[] = {{0xb, 0, {2, 4, 0x100, 0x407}}, {0}},
                             next[] = {{0xb, 0, {2, 4, 0x100, 0x408}}, {0}};
    struct topology a = read_from(one, &intel), b = read_from(two, &intel),
                    c = read_from(next, &intel);
    assert_string_equal(a.source, "CPUID leaf 0BH");
    assert_true(topology_same_core(&a, &b));
    assert_false(topology_same_core(&b, &c));
}

/* Zen without leaf 0BH; the same with one thread a core; Bulldozer's compute units. */
TEST(amd_zen)
{
    static const struct leaf smt[] = {{1, 0, {0, 0x05100800, 0, 1u << 28}},
                                      {0x80000001, 0, {0, 0, 1u << 22, 0}},
                                      {0x8000001e, 0, {5, 0x0102, 0, 0}},
                                      {0}},
                             off[] = {{1, 0, {0, 0x05080800, 0, 1u << 28}},
                                      {0x80000001, 0, {0, 0, 1u << 22, 0}},
                                      {0x8000001e, 0, {5, 0x0005, 0, 0}},
                                      {0}},
                             with_b[] = {{0xb, 0, {1, 2, 0x100, 5}},
                                         {0x80000001, 0, {0, 0, 1u << 22, 0}},
                                         {0x8000001e, 0, {5, 0x0302, 0, 0}},
                                         {0}};
    struct topology a = read_from(smt, &amd);
    assert_string_equal(a.source, "CPUID leaf 8000001EH");
    assert_numbers((a.apic_id, a.thread_bits), (5, 1));
    assert_int_equal(read_from(off, &amd).thread_bits, 0);
    assert_string_equal(read_from(with_b, &amd).source, "CPUID leaf 0BH");
    assert_int_equal(read_from(with_b, &amd).thread_bits, 1);
}

/* Nobody's sibling: a level of one thread, no level of threads at all, or no leaf at all. */
TEST(threads_off)
{
    static const struct leaf one[] = {{0xb, 0, {0, 1, 0x100, 6}}, {0xb, 1, {4, 8, 0x201, 6}}, {0}},
                             cores_only[] = {{0xb, 0, {4, 8, 0x200, 6}},
                                             {0xb, 1, {0, 0, 1, 6}},
                                             {0}},
                             nothing[] = {{1, 0, {0, 0x06000000, 0, 0}}, {0}};
    static const struct leaf *const all[] = {one, cores_only, nothing};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        struct topology t = read_from(all[i], &intel);
        assert_numbers((t.apic_id, t.thread_bits), (6, 0));
    }
}

/* Leaves 1 and 4 together say 16 ids for 8 cores; where they contradict, there are no siblings. */
TEST(counts)
{
    static const struct {
        uint32_t threads, cores, edx, bits;
    } cases[] = {{16, 8, 1u << 28, 1},  {12, 8, 1u << 28, 1}, {2, 1, 1u << 28, 1},
                 {8, 8, 1u << 28, 0},   {4, 8, 1u << 28, 0},  {16, 8, 0, 0},
                 {255, 64, 1u << 28, 2}};
    for (EACH(c, cases)) {
        const struct leaf table[] = {
            {1, 0, {0, c->threads << 16, 0, c->edx}},
            {4, 0, {(c->cores - 1) << 26 | 0x121, 0, 0, 0}},
            {0},
        };
        struct topology t = read_from(table, &other);
        assert_string_equal(t.source, "CPUID leaves 1 and 4");
        assert_int_equal(t.thread_bits, c->bits);
    }
}

static bool has_one(const struct leaf *table, const struct processor *processor)
{
    leaves = table;
    return topology_has_one_thread(processor);
}

TEST(one_thread)
{
    static const struct leaf two[] = HYBRID(0x10, 2), one[] = HYBRID(0x12, 1);
    static const struct leaf cores_first[] = {{0xb, 0, {4, 8, 0x200, 6}}, {0}};
    static const struct leaf zen_smt[] = {{1, 0, {0, 0x05100800, 0, 1u << 28}},
                                          {0x80000001, 0, {0, 0, 1u << 22, 0}},
                                          {0x8000001e, 0, {5, 0x0102, 0, 0}},
                                          {0}};
    static const struct leaf zen_off[] = {{1, 0, {0, 0x05080800, 0, 1u << 28}},
                                          {0x80000001, 0, {0, 0, 1u << 22, 0}},
                                          {0x8000001e, 0, {5, 0x0005, 0, 0}},
                                          {0}};
    static const struct leaf counts_alone[] = {{1, 0, {0, 2 << 16, 0, 1u << 28}}, {0}};
    static const struct leaf nothing[] = {{1, 0, {0, 0x06000000, 0, 0}}, {0}};
    const struct processor virtual = {.vendor = VENDOR_INTEL, .is_virtual = true};
    assert_false(has_one(two, &intel));
    assert_true(has_one(one, &intel));
    assert_true(has_one(cores_first, &intel)); /* it has no level of threads */
    assert_false(has_one(zen_smt, &amd));
    assert_true(has_one(zen_off, &amd));
    assert_false(has_one(counts_alone, &other)); /* threads, or cores: nobody says */
    assert_true(has_one(nothing, &other));
    assert_false(has_one(one, &virtual));
    assert_false(has_one(nothing, &virtual));
}

/* test_processor: who the processor is, by CPUID leaves of our choice. */
#include "../../kernel/cpu/processor.h"
#include "kit.h"

#define LEAVES_MAX 16

static struct {
    uint32_t leaf;
    struct cpuid_result result;
} leaves[LEAVES_MAX];
static unsigned leaf_count;

static struct cpuid_result caches[8]; /* the subleaves of leaf cache_leaf */
static uint32_t cache_leaf;

/* In place of kernel/cpu/cpuid.c; every other leaf asked for here has no subleaf but 0. */
struct cpuid_result cpuid_read(uint32_t leaf, uint32_t subleaf)
{
    if (leaf == 4 || leaf == 0x8000001d)
        return leaf == cache_leaf && subleaf < 8 ? caches[subleaf] : (struct cpuid_result){0};
    assert_int_equal(subleaf, 0);
    for (unsigned i = 0; i < leaf_count; i++)
        if (leaves[i].leaf == leaf)
            return leaves[i].result;
    return (struct cpuid_result){0};
}

static void tells(uint32_t leaf, struct cpuid_result result)
{
    assert_compare(leaf_count, <, LEAVES_MAX);
    leaves[leaf_count].leaf = leaf;
    leaves[leaf_count++].result = result;
}

SETUP(forget)
{
    leaf_count = 0;
}

/* What was there before must not shine through. */
static struct processor identified(void)
{
    struct processor p;
    memset(&p, 0xa5, sizeof p);
    processor_identify(&p);
    return p;
}

static uint32_t letters(const char *four)
{
    uint32_t word;
    memcpy(&word, four, 4);
    return word;
}

/* Data and unified caches: ways, partitions and line size in EBX, sets in ECX. */
TEST(caches_by_level)
{
    static const uint32_t leaves_of_caches[] = {4, 0x8000001d};
    static const struct cpuid_result all[] = {
        {1 | 1 << 5, 11u << 22 | 63, 63, 0}, /* 48 KB of data */
        {2 | 1 << 5, 7u << 22 | 63, 127, 0}, /* 64 KB of instructions */
        {3 | 2 << 5, 15u << 22 | 63, 2047, 0},
        {3 | 3 << 5, 14u << 22 | 1 << 12 | 63, 0x3ffff, 0}, /* two partitions */
    };
    uint64_t bytes[PROCESSOR_CACHES];
    memcpy(caches, all, sizeof all);
    for (unsigned i = 0; i < 2; i++) {
        cache_leaf = leaves_of_caches[i];
        processor_caches(bytes);
        assert_numbers((bytes[0], bytes[1]), (48 << 10, 2 << 20));
        assert_numbers((bytes[2], bytes[3], bytes[4]), (2ull * 15 * 64 * 0x40000, 0, 0));
    }
    cache_leaf = 0;
    processor_caches(bytes);
    for (unsigned i = 0; i < PROCESSOR_CACHES; i++)
        assert_int_equal(bytes[i], 0);
}

TEST(vendor)
{
    static const struct {
        const char *ebx, *edx, *ecx, *name;
        enum processor_vendor vendor;
    } cases[] = {{"Genu", "ineI", "ntel", "GenuineIntel", VENDOR_INTEL},
                 {"Auth", "enti", "cAMD", "AuthenticAMD", VENDOR_AMD},
                 {"Hygo", "nGen", "uine", "HygonGenuine", VENDOR_AMD},
                 {"Cent", "aurH", "auls", "CentaurHauls", VENDOR_OTHER},
                 {"  Sh", "angh", "ai  ", "  Shanghai  ", VENDOR_OTHER},
                 {"Genu", "ineI", "ntem", "GenuineIntem", VENDOR_OTHER}};
    for (EACH(c, cases)) {
        forget();
        tells(0, (struct cpuid_result){.eax = 0x16,
                                       .ebx = letters(c->ebx),
                                       .edx = letters(c->edx),
                                       .ecx = letters(c->ecx)});
        struct processor p = identified();
        assert_string_equal(p.vendor_name, c->name);
        assert_int_equal(p.vendor, c->vendor);
    }
}

/* The extended family belongs to family 15, the extended model to 6 and 15, and to no other. */
TEST(model)
{
    static const struct {
        uint32_t signature, family, model, stepping;
    } cases[] = {
        {0x000306c3, 0x06, 0x3c, 3},  /* Haswell */
        {0x00050654, 0x06, 0x55, 4},  /* Skylake server */
        {0x000106e5, 0x06, 0x1e, 5},  /* Nehalem */
        {0x00000f29, 0x0f, 0x02, 9},  /* Pentium 4: both extensions 0 */
        {0x00870f10, 0x17, 0x71, 0},  /* Zen 2 */
        {0x00a20f12, 0x19, 0x21, 2},  /* Zen 3 */
        {0x00300f10, 0x12, 0x01, 0},  /* family 18 */
        {0x0ff006ff, 0x06, 0x0f, 15}, /* the extended family of a family 6: not added */
        {0x0fff0543, 0x05, 0x04, 3},  /* neither is of family 5 */
        {0x0fff0ff0, 0x10e, 0xff, 0}, /* all there is */
        {0xf0003000, 0x00, 0x00, 0},  /* reserved bits and the type are no part of it */
    };
    for (EACH(c, cases)) {
        forget();
        tells(1, (struct cpuid_result){.eax = c->signature});
        struct processor p = identified();
        assert_numbers((p.family, p.model), (c->family, c->model));
        assert_int_equal(p.stepping, c->stepping);
    }
}

static void tell_brand(const char brand[48])
{
    for (uint32_t i = 0; i < 3; i++) {
        struct cpuid_result r;
        memcpy(&r, brand + 16 * i, 16);
        tells(0x80000002 + i, r);
    }
}

TEST(brand)
{
    static const char full[48 + 1] = "Intel(R) Core(TM) i7-4770K CPU @ 3.50GHz, 48 let";
    static const char ends_early[48 + 1] = "AMD Ryzen 5 3600 6-Core Processor";
    assert_string_equal(identified().brand, "");
    tell_brand(full);
    assert_string_equal(identified().brand, full); /* no room for an end in the leaves */
    forget();
    tell_brand(ends_early);
    assert_string_equal(identified().brand, ends_early);
}

TEST(hypervisor)
{
    struct cpuid_result kvm = {.eax = 0x40000001,
                               .ebx = letters("KVMK"),
                               .ecx = letters("VMKV"),
                               .edx = letters("M\0\0\0")};
    tells(0x40000000, kvm);
    tells(1, (struct cpuid_result){.ecx = 0x7fffffff});
    assert_false(identified().is_virtual); /* the leaf means nothing then */
    assert_string_equal(identified().hypervisor, "");
    leaves[1].result.ecx = 1u << 31;
    assert_true(identified().is_virtual);
    assert_string_equal(identified().hypervisor, "KVMKVMKVM");
}

/* Each by its own bit, whatever the others are. */
TEST(abilities)
{
    enum { PAGES = 1 << 26, RDTSCP = 1 << 27, FLUSH = 1 << 23, INVARIANT = 1 << 8 };
    static const struct {
        uint32_t extended_edx, leaf_7_ebx, power_edx;
        bool gigabyte_pages, rdtscp, clflushopt, invariant_tsc;
    } cases[] = {{0, 0, 0, false, false, false, false},
                 {PAGES, 0, 0, true, false, false, false},
                 {RDTSCP, 0, 0, false, true, false, false},
                 {0, FLUSH, 0, false, false, true, false},
                 {0, 0, INVARIANT, false, false, false, true},
                 {~(PAGES | RDTSCP), ~FLUSH, ~INVARIANT, false, false, false, false}};
    for (EACH(c, cases)) {
        forget();
        tells(0x80000001, (struct cpuid_result){.edx = c->extended_edx});
        tells(7, (struct cpuid_result){.ebx = c->leaf_7_ebx});
        tells(0x80000007, (struct cpuid_result){.edx = c->power_edx});
        struct processor p = identified();
        assert_numbers((p.gigabyte_pages, p.rdtscp), (c->gigabyte_pages, c->rdtscp));
        assert_int_equal(p.clflushopt, c->clflushopt);
        assert_int_equal(p.invariant_tsc, c->invariant_tsc);
    }
}

/* LFENCE serializes on Intel, on AMD's families 0Fh and 11h, and where CPUID announces it. */
TEST(lfence)
{
    static const struct {
        const char *ecx; /* of the vendor's name */
        uint32_t signature, announced;
        bool orders;
    } cases[] = {{"ntel", 0x000306c3, 0, true}, {"cAMD", 0x00870f10, 0, false},
                 {"cAMD", 0x00870f10, 4, true}, {"cAMD", 0x00870f10, ~4u, false},
                 {"cAMD", 0x00000f29, 0, true}, {"cAMD", 0x00200f31, 0, true},
                 {"cAMD", 0x00100f42, 0, false}};
    for (EACH(c, cases)) {
        bool intel = strcmp(c->ecx, "ntel") == 0;
        forget();
        tells(0, (struct cpuid_result){.ebx = letters(intel ? "Genu" : "Auth"),
                                       .edx = letters(intel ? "ineI" : "enti"),
                                       .ecx = letters(c->ecx)});
        tells(1, (struct cpuid_result){.eax = c->signature});
        tells(0x80000021, (struct cpuid_result){.eax = c->announced});
        assert_int_equal(identified().lfence_orders, c->orders);
    }
}

/* QEMU's TCG runs one instruction after the other. */
TEST(lfence_of_an_emulator)
{
    tells(0, (struct cpuid_result){
                 .ebx = letters("Auth"), .edx = letters("enti"), .ecx = letters("cAMD")});
    tells(1, (struct cpuid_result){.eax = 0x00870f10, .ecx = 1u << 31});
    tells(0x40000000, (struct cpuid_result){
                          .ebx = letters("KVMK"), .ecx = letters("VMKV"), .edx = letters("M\0\0")});
    assert_false(identified().lfence_orders);
    leaves[2].result = (struct cpuid_result){
        .ebx = letters("TCGT"), .ecx = letters("CGTC"), .edx = letters("GTCG")};
    assert_true(identified().lfence_orders);
}

/* The newest topology leaf that is there; where none is, eight bits of leaf 1. */
TEST(apic_id)
{
    tells(1, (struct cpuid_result){.ebx = 0x2a100800});
    assert_int_equal(processor_apic_id(), 0x2a);
    tells(0xb, (struct cpuid_result){.ebx = 0, .edx = 7});
    assert_int_equal(processor_apic_id(), 0x2a);
    leaves[1].result.ebx = 2;
    leaves[1].result.edx = 0x12a;
    assert_int_equal(processor_apic_id(), 0x12a);
    tells(0x1f, (struct cpuid_result){.ebx = 2, .edx = 0x32a});
    assert_int_equal(processor_apic_id(), 0x32a);
}

TEST(core_type)
{
    static const struct {
        enum processor_vendor vendor;
        uint32_t model, hybrid, core;
        enum core_type expected;
    } cases[] = {{VENDOR_INTEL, 0x97, 1u << 15, 0x40000001, CORE_PERFORMANCE},
                 {VENDOR_INTEL, 0x97, 1u << 15, 0x20000001, CORE_EFFICIENT},
                 {VENDOR_INTEL, 0x97, 1u << 15, 0x10000001, CORE_ANY}, /* no kind that is known */
                 {VENDOR_INTEL, 0x97, ~(1u << 15), 0x40000001, CORE_ANY},
                 {VENDOR_AMD, 0x97, 1u << 15, 0x40000001, CORE_ANY},
                 {VENDOR_INTEL, 0xc5, 1u << 15, 0x20000002, CORE_LOW_POWER},
                 {VENDOR_INTEL, 0xc5, 1u << 15, 0x20000003, CORE_EFFICIENT},
                 {VENDOR_INTEL, 0xc6, 1u << 15, 0x20000002, CORE_EFFICIENT}};
    for (EACH(c, cases)) {
        struct processor p = {.vendor = c->vendor, .family = 6, .model = c->model};
        forget();
        tells(7, (struct cpuid_result){.edx = c->hybrid});
        tells(0x1a, (struct cpuid_result){.eax = c->core});
        assert_int_equal(processor_core_type(&p), c->expected);
    }
}

static struct processor under(const char *signature, enum processor_vendor vendor)
{
    struct processor p = {.vendor = vendor, .is_virtual = true};
    memcpy(p.hypervisor, signature, strlen(signature) + 1);
    return p;
}

TEST(hypervisors_by_name)
{
    static const char *const cases[][2] = {
        {"KVMKVMKVM", "KVM"},        {"TCGTCGTCGTCG", "QEMU TCG (emulated)"},
        {"VMwareVMware", "VMware"},  {"Microsoft Hv", "Hyper-V"},
        {"XenVMMXenVMM", "Xen"},     {"bhyve bhyve ", "bhyve"},
        {"KVMKVMKVMKVM", "unknown"}, {"", "unknown"},
    };
    for (EACH(c, cases)) {
        struct processor p = under((*c)[0], VENDOR_INTEL);
        assert_string_equal(hypervisor_name(&p), (*c)[1]);
        assert_int_equal(hypervisor_emulates(&p), strstr((*c)[1], "emulated") != NULL);
        p.is_virtual = false;
        assert_string_equal(hypervisor_name(&p), "");
        assert_false(hypervisor_emulates(&p));
    }
}

TEST(published_facts_of_a_core)
{
    static const struct {
        enum processor_vendor vendor;
        uint32_t family, model;
        struct core_facts facts;
    } cases[] = {{VENDOR_AMD, 0x15, 2, {0, 0}},      {VENDOR_AMD, 0x17, 0x01, {4, 192}},
                 {VENDOR_AMD, 0x17, 0x31, {4, 224}}, {VENDOR_AMD, 0x17, 0xa0, {4, 224}},
                 {VENDOR_AMD, 0x19, 0x21, {4, 256}}, {VENDOR_AMD, 0x19, 0x11, {4, 320}},
                 {VENDOR_AMD, 0x19, 0xa0, {4, 320}}, {VENDOR_AMD, 0x1a, 2, {6, 448}},
                 {VENDOR_INTEL, 6, 0x2d, {0, 0}},    {VENDOR_INTEL, 6, 0x3c, {4, 192}},
                 {VENDOR_INTEL, 6, 0x3e, {0, 0}},    {VENDOR_INTEL, 6, 0x55, {4, 224}},
                 {VENDOR_INTEL, 6, 0x6a, {4, 352}},  {VENDOR_INTEL, 6, 0xcf, {5, 512}},
                 {VENDOR_INTEL, 6, 0x97, {0, 0}}, /* two kinds of core */
                 {VENDOR_INTEL, 15, 0xcf, {0, 0}},   {VENDOR_OTHER, 6, 0xcf, {0, 0}}};
    for (EACH(c, cases)) {
        struct processor p = {.vendor = c->vendor, .family = c->family, .model = c->model};
        struct core_facts found = published_core(&p);
        assert_numbers((found.additions, found.rob_entries),
                       (c->facts.additions, c->facts.rob_entries));
    }
}

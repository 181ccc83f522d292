/* test_hypervisor: names by signature, and what is hidden, with CPUID leaves of our choice. */
#include "../../kernel/cpu/hypervisor.h"
#include "kit.h"

static struct {
    uint32_t leaf;
    struct cpuid_result result;
} leaves[8];
static unsigned leaf_count;

struct cpuid_result cpuid_read(uint32_t leaf, uint32_t subleaf)
{
    (void)subleaf;
    for (unsigned i = 0; i < leaf_count; i++)
        if (leaves[i].leaf == leaf)
            return leaves[i].result;
    return (struct cpuid_result){0};
}

static void tells(uint32_t leaf, struct cpuid_result result)
{
    leaves[leaf_count].leaf = leaf;
    leaves[leaf_count++].result = result;
}

static struct processor under(const char *signature, enum processor_vendor vendor)
{
    struct processor p = {.vendor = vendor, .is_virtual = true};

    leaf_count = 0;
    memcpy(p.hypervisor, signature, strlen(signature) + 1);
    return p;
}

TEST(names)
{
    static const char *const cases[][2] = {
        {"KVMKVMKVM", "KVM"},        {"TCGTCGTCGTCG", "QEMU TCG (emulated)"},
        {"VMwareVMware", "VMware"},  {"Microsoft Hv", "Hyper-V"},
        {"XenVMMXenVMM", "Xen"},     {"bhyve bhyve ", "bhyve"},
        {"KVMKVMKVMKVM", "unknown"}, {"", "unknown"},
    };

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct processor p = under(cases[i][0], VENDOR_INTEL);
        assert_string_equal(hypervisor_name(&p), cases[i][1]);
    }
}

TEST(emulators)
{
    struct processor kvm = under("KVMKVMKVM", VENDOR_AMD), tcg = under("TCGTCGTCGTCG", VENDOR_AMD);

    assert_false(hypervisor_emulates(&kvm));
    assert_true(hypervisor_emulates(&tcg));
    tcg.is_virtual = false;
    assert_false(hypervisor_emulates(&tcg));
}

TEST(none)
{
    struct processor p = under("KVMKVMKVM", VENDOR_INTEL);

    p.is_virtual = false;
    assert_string_equal(hypervisor_name(&p), "");
    struct hypervisor_hides hides = hypervisor_hides(&p);
    assert_false(hides.counters || hides.tlb_geometry || hides.tsc_rate || hides.true_frequency ||
                 hides.gigabyte_pages);
}

TEST(hides_all)
{
    for (enum processor_vendor vendor = VENDOR_INTEL; vendor <= VENDOR_AMD; vendor++) {
        struct processor p = under("KVMKVMKVM", vendor);
        struct hypervisor_hides hides = hypervisor_hides(&p);
        assert_true(hides.counters && hides.tlb_geometry && hides.true_frequency &&
                    hides.gigabyte_pages);
        assert_int_equal(hides.tsc_rate, vendor == VENDOR_INTEL);
    }
}

TEST(hides_nothing)
{
    struct processor p = under("KVMKVMKVM", VENDOR_INTEL);

    p.gigabyte_pages = true;
    tells(10, (struct cpuid_result){.eax = 2});
    tells(0x18, (struct cpuid_result){.eax = 4});
    tells(0x15, (struct cpuid_result){.ebx = 168});
    tells(6, (struct cpuid_result){.ecx = 1});
    struct hypervisor_hides hides = hypervisor_hides(&p);
    assert_false(hides.counters || hides.tlb_geometry || hides.tsc_rate || hides.true_frequency ||
                 hides.gigabyte_pages);
    p = under("KVMKVMKVM", VENDOR_AMD);
    p.gigabyte_pages = true;
    tells(0x80000001, (struct cpuid_result){.ecx = 1 << 23});
    tells(0x80000006, (struct cpuid_result){.ebx = 1});
    tells(6, (struct cpuid_result){.ecx = 1});
    hides = hypervisor_hides(&p);
    assert_false(hides.counters || hides.tlb_geometry || hides.tsc_rate || hides.true_frequency ||
                 hides.gigabyte_pages);
}

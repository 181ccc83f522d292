/* test_hypervisor: names by signature. */
#include "../../kernel/cpu/hypervisor.h"
#include "kit.h"

static struct processor under(const char *signature, enum processor_vendor vendor)
{
    struct processor p = {.vendor = vendor, .is_virtual = true};
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
}

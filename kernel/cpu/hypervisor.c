/* hypervisor: signatures by name, and the leaves that are empty under one. */
#include "hypervisor.h"

#include "../lib/string.h"

#define EMULATOR "TCGTCGTCGTCG"

/* From each one's own documentation; as systemd's detect-virt and cpuid(1) list them too. */
static const struct {
    const char *signature, *name;
} known[] = {
    {"KVMKVMKVM", "KVM"},          {EMULATOR, "QEMU TCG (emulated)"},
    {"VMwareVMware", "VMware"},    {"Microsoft Hv", "Hyper-V"},
    {"XenVMMXenVMM", "Xen"},       {"VBoxVBoxVBox", "VirtualBox"},
    {"bhyve bhyve ", "bhyve"},     {"prl hyperv  ", "Parallels"},
    {" lrpepyh  vr", "Parallels"}, {"ACRNACRNACRN", "ACRN"},
    {"QNXQVMBSQG", "QNX"},         {"SRESRESRESRE", "LMHS"},
};

const char *hypervisor_name(const struct processor *processor)
{
    if (!processor->is_virtual)
        return "";
    for (unsigned i = 0; i < sizeof known / sizeof *known; i++)
        if (strcmp(processor->hypervisor, known[i].signature) == 0)
            return known[i].name;
    return "unknown";
}

bool hypervisor_emulates(const struct processor *processor)
{
    return processor->is_virtual && strcmp(processor->hypervisor, EMULATOR) == 0;
}

static bool has_counters(const struct processor *p)
{
    if (p->vendor == VENDOR_AMD)
        return cpuid_read(0x80000001, 0).ecx >> 23 & 1; /* PerfCtrExtCore */
    return (cpuid_read(10, 0).eax & 255) != 0;
}

static bool has_tlb_geometry(const struct processor *p)
{
    if (p->vendor == VENDOR_AMD)
        return cpuid_read(0x80000006, 0).ebx != 0;
    return cpuid_read(0x18, 0).eax != 0 || cpuid_read(0x18, 1).edx != 0;
}

struct hypervisor_hides hypervisor_hides(const struct processor *p)
{
    if (!p->is_virtual)
        return (struct hypervisor_hides){false};
    return (struct hypervisor_hides){
        .counters = !has_counters(p),
        .tlb_geometry = !has_tlb_geometry(p),
        .tsc_rate = p->vendor == VENDOR_INTEL && cpuid_read(0x15, 0).ebx == 0,
        .true_frequency = !(cpuid_read(6, 0).ecx & 1),
        .gigabyte_pages = !p->gigabyte_pages,
    };
}

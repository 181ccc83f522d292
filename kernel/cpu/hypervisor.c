/* hypervisor: knows signatures by name. */
#include "hypervisor.h"

#include "../lib/string.h"

#define EMULATOR "TCGTCGTCGTCG"

/* From each vendor's documentation; systemd's detect-virt and cpuid(1) list the same. */
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

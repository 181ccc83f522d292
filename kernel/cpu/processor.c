/* processor: decodes the few fields of CPUID that the measurement needs. */
#include "processor.h"

#include "../lib/string.h"
#include "hypervisor.h"

#define HYBRID (1u << 15) /* CPUID.(7,0):EDX */
#define TYPE_ATOM 0x20
#define TYPE_CORE 0x40
#define ARROW_LAKE_H 0xc5
#define CRESTMONT 2 /* native model; the compute tile's efficient cores are 3 there */

#define CACHES_INTEL 4 /* leaves of the same form */
#define CACHES_AMD 0x8000001d
#define CACHE_INSTRUCTIONS 2
#define CACHE_SUBLEAVES 16

static void read_vendor(struct processor *p)
{
    struct cpuid_result r = cpuid_read(0, 0);
    memcpy(p->vendor_name, &r.ebx, 4);
    memcpy(p->vendor_name + 4, &r.edx, 4);
    memcpy(p->vendor_name + 8, &r.ecx, 4);
    if (strcmp(p->vendor_name, "GenuineIntel") == 0)
        p->vendor = VENDOR_INTEL;
    else if (strcmp(p->vendor_name, "AuthenticAMD") == 0 ||
             strcmp(p->vendor_name, "HygonGenuine") == 0)
        p->vendor = VENDOR_AMD;
    else
        p->vendor = VENDOR_OTHER;
}

static void read_model(struct processor *p)
{
    uint32_t signature = cpuid_read(1, 0).eax;
    uint32_t family = signature >> 8 & 15;
    p->stepping = signature & 15;
    p->model = signature >> 4 & 15;
    p->family = family;
    if (family == 15)
        p->family += signature >> 20 & 255;
    if (family == 6 || family == 15)
        p->model += (signature >> 16 & 15) << 4;
}

static void read_brand(struct processor *p)
{
    for (uint32_t i = 0; i < 3; i++) {
        struct cpuid_result r = cpuid_read(0x80000002 + i, 0);
        memcpy(p->brand + 16 * i, &r, 16);
    }
}

static void read_hypervisor(struct processor *p)
{
    p->is_virtual = cpuid_read(1, 0).ecx >> 31 & 1;
    if (!p->is_virtual)
        return;
    struct cpuid_result r = cpuid_read(0x40000000, 0);
    memcpy(p->hypervisor, &r.ebx, 4);
    memcpy(p->hypervisor + 4, &r.ecx, 4);
    memcpy(p->hypervisor + 8, &r.edx, 4);
}

/*
 * Intel: SDM 2A, LFENCE. AMD, "Software techniques for managing speculation": families 0Fh and 11h
 * always order, others by a bit of DE_CFG, unless CPUID 80000021H:EAX[2] says that they always do.
 * An emulator runs one instruction after the other.
 */
static bool has_ordering_lfence(const struct processor *p)
{
    return p->vendor != VENDOR_AMD || p->family == 0x0f || p->family == 0x11 ||
           cpuid_read(0x80000021, 0).eax >> 2 & 1 || hypervisor_emulates(p);
}

uint32_t processor_apic_id(void)
{
    static const uint32_t topology[] = {0x1f, 0xb};
    for (unsigned i = 0; i < sizeof topology / sizeof *topology; i++) {
        struct cpuid_result r = cpuid_read(topology[i], 0);
        if (r.ebx != 0) /* 0: the leaf is not there */
            return r.edx;
    }
    return cpuid_read(1, 0).ebx >> 24;
}

void processor_identify(struct processor *p)
{
    memset(p, 0, sizeof *p);
    read_vendor(p);
    read_model(p);
    read_brand(p);
    read_hypervisor(p);
    struct cpuid_result extended = cpuid_read(0x80000001, 0);
    p->gigabyte_pages = extended.edx >> 26 & 1;
    p->rdtscp = extended.edx >> 27 & 1;
    p->clflushopt = cpuid_read(7, 0).ebx >> 23 & 1;
    p->invariant_tsc = cpuid_read(0x80000007, 0).edx >> 8 & 1;
    p->lfence_orders = has_ordering_lfence(p);
}

enum core_type processor_core_type(const struct processor *processor)
{
    if (processor->vendor != VENDOR_INTEL || !(cpuid_read(7, 0).edx & HYBRID))
        return CORE_ANY;
    uint32_t eax = cpuid_read(0x1a, 0).eax;
    if (eax >> 24 == TYPE_CORE)
        return CORE_PERFORMANCE;
    if (eax >> 24 != TYPE_ATOM)
        return CORE_ANY;
    if (processor->model == ARROW_LAKE_H && (eax & 0xffffff) == CRESTMONT)
        return CORE_LOW_POWER;
    return CORE_EFFICIENT;
}

void processor_core(const struct processor *processor, struct core *core)
{
    *core = (struct core){.signature = cpuid_read(1, 0).eax,
                          .apic_id = processor_apic_id(),
                          .type = processor_core_type(processor)};
}

void processor_caches(uint64_t bytes[PROCESSOR_CACHES])
{
    uint32_t leaf = (cpuid_read(CACHES_INTEL, 0).eax & 31) != 0 ? CACHES_INTEL : CACHES_AMD;
    memset(bytes, 0, PROCESSOR_CACHES * sizeof *bytes);
    for (uint32_t i = 0; i < CACHE_SUBLEAVES; i++) {
        struct cpuid_result r = cpuid_read(leaf, i);
        uint32_t type = r.eax & 31, level = r.eax >> 5 & 7;
        uint64_t ways = (r.ebx >> 22) + 1, partitions = (r.ebx >> 12 & 1023) + 1;
        if (type == 0)
            break;
        if (type != CACHE_INSTRUCTIONS && level >= 1 && level <= PROCESSOR_CACHES)
            bytes[level - 1] = ways * partitions * ((r.ebx & 4095) + 1) * ((uint64_t)r.ecx + 1);
    }
}

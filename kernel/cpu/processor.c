/* processor: decodes the few fields of CPUID that the measurement needs. */
#include "processor.h"

#include "../lib/string.h"

#define HYBRID (1u << 15) /* CPUID.(7,0):EDX */
#define TYPE_ATOM 0x20
#define TYPE_CORE 0x40
#define ARROW_LAKE_H 0xc5
#define CRESTMONT 2 /* native model; the compute tile's efficient cores are 3 there */

#define HAS_OSXSAVE (1u << 27) /* CPUID.1:ECX */
#define HAS_AVX (1u << 28)
#define HAS_AVX512F (1u << 16) /* CPUID.7.0:EBX */
#define XCR0_AVX 0x06u         /* SSE's and AVX's registers, */
#define XCR0_AVX512 0xe6u      /* and mask registers and both parts of AVX-512's */

#define EMULATOR "TCGTCGTCGTCG"

#define CACHES_INTEL 4 /* leaves of the same form */
#define CACHES_AMD 0x8000001d
#define CACHE_INSTRUCTIONS 2
#define CACHE_SUBLEAVES 16

static void read_vendor(struct processor *p)
{
    struct cpuid_result r = cpuid_read(0, 0);
    const uint32_t name[] = {r.ebx, r.edx, r.ecx};
    memcpy(p->vendor_name, name, sizeof name);
    bool is_amd =
        strcmp(p->vendor_name, "AuthenticAMD") == 0 || strcmp(p->vendor_name, "HygonGenuine") == 0;
    bool is_intel = strcmp(p->vendor_name, "GenuineIntel") == 0;
    p->vendor = is_intel ? VENDOR_INTEL : is_amd ? VENDOR_AMD : VENDOR_OTHER;
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
    const uint32_t name[] = {r.ebx, r.ecx, r.edx};
    memcpy(p->hypervisor, name, sizeof name);
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

/* Returns the first level of leaf 1FH, or 0BH; EBX[15:0] is 0: there is neither. */
static struct cpuid_result first_level(void)
{
    struct cpuid_result r = cpuid_read(0x1f, 0);
    return (r.ebx & 0xffff) != 0 ? r : cpuid_read(0xb, 0);
}

uint32_t processor_apic_id(void)
{
    struct cpuid_result r = first_level();
    return (r.ebx & 0xffff) != 0 ? r.edx : cpuid_read(1, 0).ebx >> 24;
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

bool models_have(const struct models *models, const struct processor *p)
{
    bool is_listed = models->ranges == NULL;
    for (const uint8_t(*range)[2] = models->ranges; !is_listed && (*range)[1] > 0; range++)
        is_listed = p->model >= (*range)[0] && p->model <= (*range)[1];
    return is_listed && p->vendor == models->vendor && p->family >= models->family_first &&
           p->family <= models->family_last;
}

/* From each vendor's documentation; systemd's detect-virt and cpuid(1) list the same. */
static const struct {
    const char *signature, *name;
} hypervisors[] = {
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
    for (unsigned i = 0; i < sizeof hypervisors / sizeof *hypervisors; i++)
        if (strcmp(processor->hypervisor, hypervisors[i].signature) == 0)
            return hypervisors[i].name;
    return "unknown";
}

bool hypervisor_emulates(const struct processor *processor)
{
    return processor->is_virtual && strcmp(processor->hypervisor, EMULATOR) == 0;
}

static uint32_t xcr0(void)
{
    uint32_t low, high;
    __asm__ volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
    return low;
}

unsigned vector_width(void)
{
    const uint32_t needed = HAS_OSXSAVE | HAS_AVX;
    if ((cpuid_read(1, 0).ecx & needed) != needed || (xcr0() & XCR0_AVX) != XCR0_AVX)
        return 16;
    bool has_wider = cpuid_read(7, 0).ebx & HAS_AVX512F;
    return has_wider && (xcr0() & XCR0_AVX512) == XCR0_AVX512 ? 64 : 32;
}

static const struct {
    struct models models;
    struct core_facts facts;
} core_kinds[] = {
    {AMD_MODELS(0x17, {0x00, 0x2f}, {0x50, 0x5f}), {4, 192}}, /* Zen */
    {AMD_FAMILIES(0x17, 0x17), {4, 224}},                     /* the others are Zen 2 */
    {AMD_MODELS(0x19, {0x00, 0x0f}, {0x20, 0x5f}), {4, 256}}, /* Zen 3 */
    {AMD_FAMILIES(0x19, 0x19), {4, 320}},                     /* the others are Zen 4 */
    {AMD_FAMILIES(0x1a, 0x1a), {6, 448}},                     /* Zen 5 */
    /* Haswell and Broadwell; Skylake to Comet Lake; Ice, Tiger and Rocket Lake; Golden Cove */
    {INTEL_6({0x3c, 0x3d}, {0x3f, 0x3f}, {0x45, 0x47}, {0x4f, 0x4f}, {0x56, 0x56}), {4, 192}},
    {INTEL_6({0x4e, 0x4e}, {0x55, 0x55}, {0x5e, 0x5e}, {0x8e, 0x8e}, {0x9e, 0x9e}, {0xa5, 0xa6}),
     {4, 224}},
    {INTEL_6({0x6a, 0x6a}, {0x6c, 0x6c}, {0x7d, 0x7e}, {0x8c, 0x8d}, {0xa7, 0xa7}), {4, 352}},
    {INTEL_6({0x8f, 0x8f}, {0xad, 0xad}, {0xcf, 0xcf}), {5, 512}},
};

struct core_facts published_core(const struct processor *processor)
{
    size_t i = 0;
    while (i < sizeof core_kinds / sizeof *core_kinds &&
           !models_have(&core_kinds[i].models, processor))
        i++;
    return i < sizeof core_kinds / sizeof *core_kinds ? core_kinds[i].facts
                                                      : (struct core_facts){0};
}

/* --- threads of a core ----------------------------------------------------------------------- */

#define LEVEL_THREAD 1            /* ECX[15:8] of leaves 0BH and 1FH */
#define HAS_EXTENSIONS (1u << 22) /* CPUID.80000001H:ECX, TopologyExtensions */
#define HAS_THREADS (1u << 28)    /* CPUID.1:EDX, HTT */

/* Bits that number `count` things from 0. */
static unsigned bits_for(uint32_t count)
{
    unsigned bits = 0;
    while (bits < 31 && 1u << bits < count)
        bits++;
    return bits;
}

/* Reads the first level, which is that of threads if there is one; without it, each core is one.
 * False: the leaf is not there. */
static bool read_levels(uint32_t leaf, struct topology *topology)
{
    struct cpuid_result r = cpuid_read(leaf, 0);
    bool has_threads = (r.ecx >> 8 & 0xff) == LEVEL_THREAD;
    topology->thread_bits = has_threads ? r.eax & 31 : 0;
    return has_threads || (r.ebx & 0xffff) != 0;
}

static bool read_amd(const struct processor *processor, struct topology *topology)
{
    if (processor->vendor != VENDOR_AMD || !(cpuid_read(0x80000001, 0).ecx & HAS_EXTENSIONS))
        return false;
    topology->thread_bits = bits_for((cpuid_read(0x8000001e, 0).ebx >> 8 & 0xff) + 1);
    return true;
}

/* Ids for a package's threads in leaf 1, for its cores in leaf 4. */
static const char *read_counts(struct topology *topology)
{
    struct cpuid_result one = cpuid_read(1, 0), four = cpuid_read(4, 0);
    unsigned threads = bits_for(one.ebx >> 16 & 0xff), cores = bits_for((four.eax >> 26) + 1);
    bool told = one.edx & HAS_THREADS && (four.eax & 31) != 0;
    topology->thread_bits = told && threads > cores ? threads - cores : 0;
    return "CPUID leaves 1 and 4";
}

void topology_read(const struct processor *processor, struct topology *topology)
{
    *topology = (struct topology){.apic_id = processor_apic_id()};
    topology->source = read_levels(0x1f, topology)     ? "CPUID leaf 1FH"
                       : read_levels(0xb, topology)    ? "CPUID leaf 0BH"
                       : read_amd(processor, topology) ? "CPUID leaf 8000001EH"
                                                       : read_counts(topology);
}

bool topology_has_one_thread(const struct processor *processor)
{
    struct cpuid_result r = first_level();
    if (processor->is_virtual)
        return false;
    if ((r.ebx & 0xffff) != 0)
        return (r.ecx >> 8 & 0xff) != LEVEL_THREAD || (r.ebx & 0xffff) == 1;
    struct topology amd = {.thread_bits = 0};
    if (read_amd(processor, &amd))
        return amd.thread_bits == 0;
    return (cpuid_read(1, 0).edx & HAS_THREADS) == 0;
}

/* topology: the number of bits of an APIC id that tell a core's threads apart. */
#include "topology.h"

#define LEVEL_THREAD 1 /* ECX[15:8] of leaves 0BH and 1FH */
#define LEVELS_MAX 8
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

/* False: the leaf is not there. Without a level of threads, each core is one. */
static bool read_levels(uint32_t leaf, struct topology *topology)
{
    for (uint32_t level = 0; level < LEVELS_MAX; level++) {
        struct cpuid_result r = cpuid_read(leaf, level);
        if ((r.ebx & 0xffff) == 0 && (r.ecx >> 8 & 0xff) == 0)
            return level > 0;
        if ((r.ecx >> 8 & 0xff) == LEVEL_THREAD) {
            topology->thread_bits = r.eax & 31;
            return true;
        }
    }
    return true;
}

static bool read_amd(const struct processor *processor, struct topology *topology)
{
    if (processor->vendor != VENDOR_AMD || !(cpuid_read(0x80000001, 0).ecx & HAS_EXTENSIONS))
        return false;
    topology->thread_bits = bits_for((cpuid_read(0x8000001e, 0).ebx >> 8 & 0xff) + 1);
    return true;
}

/* Ids for a package's threads in leaf 1, for its cores in leaf 4. */
static void read_counts(struct topology *topology)
{
    struct cpuid_result one = cpuid_read(1, 0), four = cpuid_read(4, 0);
    unsigned threads = bits_for(one.ebx >> 16 & 0xff), cores = bits_for((four.eax >> 26) + 1);
    bool told = one.edx & HAS_THREADS && (four.eax & 31) != 0;
    topology->thread_bits = told && threads > cores ? threads - cores : 0;
}

void topology_read(const struct processor *processor, struct topology *topology)
{
    *topology = (struct topology){.apic_id = processor_apic_id()};
    if (read_levels(0x1f, topology))
        topology->source = "CPUID leaf 1FH";
    else if (read_levels(0xb, topology))
        topology->source = "CPUID leaf 0BH";
    else if (read_amd(processor, topology))
        topology->source = "CPUID leaf 8000001EH";
    else {
        read_counts(topology);
        topology->source = "CPUID leaves 1 and 4";
    }
}

bool topology_has_one_thread(const struct processor *processor)
{
    static const uint32_t leaves[] = {0x1f, 0xb};
    if (processor->is_virtual)
        return false;
    for (unsigned i = 0; i < sizeof leaves / sizeof *leaves; i++) {
        struct cpuid_result r = cpuid_read(leaves[i], 0);
        if ((r.ebx & 0xffff) != 0)
            return (r.ecx >> 8 & 0xff) != LEVEL_THREAD || (r.ebx & 0xffff) == 1;
    }
    struct topology amd = {.thread_bits = 0};
    if (read_amd(processor, &amd))
        return amd.thread_bits == 0;
    return (cpuid_read(1, 0).edx & HAS_THREADS) == 0;
}

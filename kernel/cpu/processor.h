/* processor: which one we run on, and which of its kinds of core, from what CPUID says. */
#ifndef MLPBOOT_CPU_PROCESSOR_H
#define MLPBOOT_CPU_PROCESSOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cpuid.h"

/* A modelled core is nobody's product. */
enum processor_vendor { VENDOR_INTEL, VENDOR_AMD, VENDOR_OTHER, VENDOR_MODEL };

/* The facts that the measurement depends on, and those that identify the machine in run.json. */
struct processor {
    char vendor_name[13];
    char brand[49];
    char hypervisor[13]; /* empty where none shows itself */
    enum processor_vendor vendor;
    uint32_t family, model, stepping; /* as displayed: extended parts added */
    bool rdtscp, clflushopt, gigabyte_pages, invariant_tsc, is_virtual;
    bool lfence_orders; /* whatever any register says; else DE_CFG decides (AMD) */
};

/* Intel SDM volume 2A, CPUID; AMD APM volume 3, appendix E. */
void processor_identify(struct processor *processor);

/*
 * The x2APIC id of the logical processor that this runs on; its APIC id where it has no such leaf
 * (Intel SDM volume 2A, CPUID leaves 1, 0BH and 1FH).
 */
uint32_t processor_apic_id(void);

/*
 * microcode.c. The revision of the microcode by MSR 8BH, which is left as it was: after a write of
 * 0, CPUID leaf 1 has an Intel processor fill it in (SDM volume 3A, 10.11.7.1); on AMD's it is
 * always there (Linux, MSR_AMD64_PATCH_LEVEL). Ring 0, with our own IDT loaded. False: not told.
 */
bool microcode_revision(const struct processor *processor, uint32_t *revision);

#define PROCESSOR_CACHES 5

/*
 * Fills in the bytes of the data or unified cache of each level, from 1, as CPUID says for the
 * logical processor that this runs on; 0: none. Intel SDM volume 2A, CPUID leaf 4; AMD APM volume
 * 3, leaf 8000001DH.
 */
void processor_caches(uint64_t bytes[PROCESSOR_CACHES]);

enum core_type { CORE_ANY, CORE_PERFORMANCE, CORE_EFFICIENT, CORE_LOW_POWER };

/*
 * Which kind of core we run on, on a processor that has several; CORE_ANY where all are alike.
 * Intel SDM 2A, CPUID leaf 1AH and (7,0):EDX[15].
 */
enum core_type processor_core_type(const struct processor *processor);

/*
 * Returns the hypervisor's name by the signature in CPUID leaf 40000000H: "KVM", "VMware" ...;
 * "unknown" if no list has the signature; "" if no hypervisor is present. Needs no privilege.
 */
const char *hypervisor_name(const struct processor *processor);

/* True if instructions are emulated, so that their times mean nothing. */
bool hypervisor_emulates(const struct processor *processor);

/* Returns how many bytes the widest loads and stores that may be used move: 64 (AVX-512), 32 (AVX)
 * or 16 (SSE2), by CPUID, CR4 and XCR0 (Intel SDM volume 1, 14.3 and 15.2). To be asked inside
 * `quietly`: firmware may have set XCR0 on the boot processor alone, and another one measure. */
unsigned vector_width(void);

/*
 * Published facts of a core, which tell one that a sibling thread shares from a whole one: how many
 * additions of a register and a constant, independent of each other, it can do in a cycle, and the
 * entries of its reorder buffer. Zeroes: not known, or several kinds of core.
 *
 * Sources: AMD, Software Optimization Guides for families 17h, 19h and 1Ah (integer units; retire
 * queue); for Intel's, Agner Fog, Instruction tables, and uops.info (ADD r32, i8), and LLVM's
 * models of scheduling (MicroOpBufferSize).
 */
struct core_facts {
    unsigned additions, rob_entries;
};

struct core_facts published_core(const struct processor *processor);

/* As the logical processor says of itself that this runs on. */
struct topology {
    uint32_t apic_id;     /* as processor_apic_id */
    unsigned thread_bits; /* so many of its lowest bits number the threads of a core */
    const char *source;   /* the leaf that says so */
};

/*
 * By leaf 1FH or 0BH; else on AMD by 8000001EH, where a compute unit counts as a core; else by
 * leaves 1 and 4 (Intel SDM volume 3A, 9.9.3; AMD APM volume 3, E.4.15).
 */
void topology_read(const struct processor *processor, struct topology *topology);

/*
 * True if the core that this runs on has one thread: the level of threads of leaf 1FH or 0BH has
 * one logical processor, on AMD 8000001EH says so, or the package has one (leaf 1, HTT). An
 * efficient core has one beside performance cores of two. Under a hypervisor no leaf proves it.
 */
bool topology_has_one_thread(const struct processor *processor);

/* True if they are threads of one core, the same one included. */
static inline bool topology_same_core(const struct topology *a, const struct topology *b)
{
    return a->thread_bits == b->thread_bits &&
           a->apic_id >> a->thread_bits == b->apic_id >> b->thread_bits;
}

/* The models of a table's row: those of one family that are listed, or all of some families. */
struct models {
    enum processor_vendor vendor;
    uint16_t family_first, family_last;
    const uint8_t (*ranges)[2]; /* first and last, both included; ends with 0, 0. NULL: all */
};

bool models_have(const struct models *models, const struct processor *processor);

/* The usual rows: Intel's family 6, or a family of AMD's, by {first, last}, ...; whole families. */
#define MODELS(vendor, family, ...)                                                                \
    {                                                                                              \
        vendor, family, family, (const uint8_t[][2])                                               \
        {                                                                                          \
            __VA_ARGS__,                                                                           \
            {                                                                                      \
                0, 0                                                                               \
            }                                                                                      \
        }                                                                                          \
    }
#define INTEL_6(...) MODELS(VENDOR_INTEL, 6, __VA_ARGS__)
#define AMD_MODELS(family, ...) MODELS(VENDOR_AMD, family, __VA_ARGS__)
#define AMD_FAMILIES(first, last)                                                                  \
    {                                                                                              \
        VENDOR_AMD, first, last, NULL                                                              \
    }

#endif

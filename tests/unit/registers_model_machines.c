/* registers_model_machines: the processors of registers_model.h, as data. */
#include "registers_model.h"

#define LOW(n) ((1ull << (n)) - 1)
#define FIXED_BITS(n) (LOW(n) << 32)

#define CPUID(machine, ...) MODEL_CPUID(machine##_cpuid, __VA_ARGS__)
#define MSRS(machine, ...) MODEL_MSRS(machine##_registers, __VA_ARGS__)

/* --- CPUID ----------------------------------------------------------------------------------- */

#define PDCM LEAF(1, 0, 0, 0, 1u << 15 | 1u << 7, 0) /* and SpeedStep */
#define LEAF_10(version, general, width, fixed, map)                                               \
    LEAF(0xa, 0, (version) | (general) << 8 | (width) << 16 | 7u << 24, 0, map,                    \
         (fixed) | ((fixed) ? (width) << 5 : 0))
#define TURBO_AND_BIAS LEAF(6, 0, 2, 0, 1 << 3 | 1, 0) /* and APERF */
#define TURBO_BIAS_HWP LEAF(6, 0, 2 | 1 << 7 | 1 << 10 | 1 << 11, 0, 1 << 3, 0)
#define TSX_FORCE_ABORT LEAF(7, 0, 0, 0, 0, 1 << 13)
#define HYBRID_P LEAF(7, 0, 1, 0, 0, 1 << 15), LEAF(0x1a, 0, 0x40000001, 0, 0, 0)
#define HYBRID_E LEAF(7, 0, 1, 0, 0, 1 << 15), LEAF(0x1a, 0, 0x20000001, 0, 0, 0)
/* So many threads of this core, whatever others have; the next level is that of cores. */
#define TOPOLOGY(leaf, threads)                                                                    \
    LEAF(leaf, 0, 1, threads, 1 << 8, 0x10), LEAF(leaf, 1, 6, 16, 2 << 8 | 1, 0x10)
#define LEAF_23(general, fixed)                                                                    \
    LEAF(7, 1, 1 << 8, 0, 0, 0), LEAF(0x23, 0, 3, 3, 0, 0), LEAF(0x23, 1, general, fixed, 0, 0)
#define AMD_EXTENDED LEAF(0x80000001, 0, 0, 0, 1 << 23, 0)
#define AMD_BOOST LEAF(0x80000007, 0, 0, 0, 0, 1 << 9 | 1 << 8 | 1 << 7), LEAF(6, 0, 0, 0, 1, 0)
#define AMD_GLOBAL(count) LEAF(0x80000022, 0, 1 | 1 << 2, count, 0, 0) /* and the freeze */
#define AMD_PREFETCH LEAF(0x80000021, 0, 1 << 13, 0, 0, 0)

static const struct model_cpuid no_cpuid[] = {END};
CPUID(nehalem, PDCM, TURBO_AND_BIAS, LEAF_10(3, 4, 48, 2, 0));
CPUID(haswell, PDCM, TURBO_AND_BIAS, LEAF_10(3, 4, 48, 3, 0));
CPUID(skylake, PDCM, TURBO_AND_BIAS, LEAF_10(4, 4, 48, 3, 0), TSX_FORCE_ABORT,
      LEAF(0x15, 0, 2, 168, 0, 0), LEAF(0x16, 0, 2100, 3700, 100, 0));
CPUID(emerald, PDCM, TURBO_BIAS_HWP, LEAF_10(5, 8, 48, 4, 0xf), LEAF(0x15, 0, 2, 168, 25000000, 0));
CPUID(alder_p, PDCM, TURBO_BIAS_HWP, HYBRID_P, LEAF_10(5, 8, 48, 4, 0xf), TOPOLOGY(0x1f, 2));
CPUID(alder_e, PDCM, TURBO_BIAS_HWP, HYBRID_E, LEAF_10(5, 6, 48, 3, 0x7), TOPOLOGY(0x1f, 1));
CPUID(lion_cove, PDCM, TURBO_BIAS_HWP, HYBRID_P, LEAF_10(6, 8, 48, 4, 0xf), LEAF_23(0x3ff, 0xf),
      TOPOLOGY(0x1f, 1));
CPUID(skymont, PDCM, TURBO_BIAS_HWP, HYBRID_E, LEAF_10(6, 8, 48, 7, 0x7f), LEAF_23(0xff, 0x77),
      TOPOLOGY(0xb, 1));
CPUID(zen2, AMD_EXTENDED, AMD_BOOST);
CPUID(threads, LEAF_10(3, 4, 48, 3, 0), TOPOLOGY(0xb, 2));
CPUID(kvm_thread, TOPOLOGY(0xb, 1));
CPUID(zen4, AMD_EXTENDED, AMD_BOOST, AMD_GLOBAL(6), AMD_PREFETCH);
CPUID(k10, LEAF(0x80000007, 0, 0, 0, 0, 0));
CPUID(kvm, PDCM, LEAF_10(2, 8, 48, 3, 0), LEAF(0x40000010, 0, 2095000, 0, 0, 0));
CPUID(wide, LEAF_10(3, 4, 70, 3, 0));

/* --- registers ------------------------------------------------------------------------------- */

/* No event, so that nothing is in use, but not 0 either. */
#define IDLE_SELECTOR 0x30000
#define SELECTOR_RESERVED 0xffffffff00280000ull
#define SELECTOR_RESERVED_V6 0xffff00ef00280000ull
#define SELECTORS(n) RANGE(0x186, n, IDLE_SELECTOR, SELECTOR_RESERVED)
#define LEGACY(n) RANGE(0xc1, n, 0x1234, 0)
#define FULL_WIDTH(n) RANGE(0x4c1, n, 0x1234, ~LOW(48))
#define FIXED(n)                                                                                   \
    RANGE(0x309, n, 0x123456789abc, ~LOW(48)), ONE(0x38d, 0x888, ~(0xbbbbbbbull & LOW(4 * (n))))
#define GLOBAL_AND(more, general, fixed)                                                           \
    ONE(0x38f, 0xf, ~(LOW(general) | FIXED_BITS(fixed))), READ_ONLY(0x38e, 2),                     \
        REGISTERS(0x390, 1, 1, 0, ~((more) | LOW(general) | FIXED_BITS(fixed)), ROLE_CLEARS)
#define GLOBAL(general, fixed) GLOBAL_AND(0, general, fixed)
#define GLOBAL_V4(general, fixed) GLOBAL_AND(COUNTERS_FROZEN, general, fixed)
#define IN_USE REGISTERS(0x392, 1, 1, 0, 0, ROLE_IN_USE)
#define DEBUGCTL ONE(0x1d9, 1, 0xffffffffffff203cull)
#define MISC_ENABLE ONE(0x1a0, 0x850089, ~(0x850089ull | 1ull << 38))
#define BIAS ONE(0x1b0, 6, ~15ull)
/* 771: highest 27, guaranteed 1a; 774: preference 80, desired 0, maximum 27, minimum 1. */
#define HWP ONE(0x770, 1, ~1ull), READ_ONLY(0x771, 0x01081a27), ONE(0x774, 0x80002701, ~LOW(43))
#define PREFETCH(bits) ONE(0x1a4, 0, ~(uint64_t)(bits))
#define CAPABILITIES(bits) READ_ONLY(0x345, bits)
#define FREEZES_AND_FULL_WIDTH 0x3000

static const struct model_registers no_registers[] = {END};
/* What every one has; counters as they were at first; and as they are since they can be written. */
#define INTEL_REST(prefetch) DEBUGCTL, MISC_ENABLE, BIAS, PREFETCH(prefetch)
#define COUNTERS_V3(general, fixed) LEGACY(general), FIXED(fixed), GLOBAL(general, fixed)
#define COUNTERS_FULL(general, fixed)                                                              \
    CAPABILITIES(FREEZES_AND_FULL_WIDTH), FULL_WIDTH(general), LEGACY(general), FIXED(fixed)

MSRS(nehalem, CAPABILITIES(0), SELECTORS(4), COUNTERS_V3(4, 3), INTEL_REST(0xf),
     READ_ONLY(0xce, 20 << 8));
MSRS(haswell, SELECTORS(4), COUNTERS_FULL(4, 3), GLOBAL(4, 3), INTEL_REST(0xf),
     READ_ONLY(0xce, 34 << 8 | 8ull << 40), ONE(0xe7, 77, 0), ONE(0xe8, 99, 0),
     READ_ONLY(0x198, 39 << 8));
#define SKYLAKE_REST                                                                               \
    LEGACY(4), FULL_WIDTH(4), FIXED(3), IN_USE, INTEL_REST(0xf), READ_ONLY(0xce, 21 << 8),         \
        ONE(0x10f, 0, ~1ull)
MSRS(skylake, CAPABILITIES(FREEZES_AND_FULL_WIDTH), SELECTORS(4), GLOBAL_V4(4, 3), SKYLAKE_REST);
#define SELECTORS_V6(n)                                                                            \
    RANGE(0x186, 8, IDLE_SELECTOR, SELECTOR_RESERVED_V6),                                          \
        REGISTERS(0x1901, n, 4, IDLE_SELECTOR, SELECTOR_RESERVED_V6, ROLE_PLAIN)
#define VALUES_V6(n) REGISTERS(0x1900, n, 4, 0x1234, ~LOW(48), ROLE_PLAIN)
#define BIG_CORE(general, bits)                                                                    \
    CAPABILITIES(FREEZES_AND_FULL_WIDTH), LEGACY(8), FULL_WIDTH(8), FIXED(4),                      \
        GLOBAL_V4(general, 4), IN_USE, HWP, INTEL_REST(bits)
MSRS(emerald, SELECTORS(8), BIG_CORE(8, 0x3f));
MSRS(alder_p, SELECTORS(8), BIG_CORE(8, 0x2f));
MSRS(lion_cove, SELECTORS_V6(10), VALUES_V6(10), BIG_CORE(10, 0xf));
#define SMALL_CORE(bits, first, second)                                                            \
    IN_USE, HWP, INTEL_REST(bits), ONE(0x1320, first, 0), ONE(0x1321, second, 0)
MSRS(alder_e, SELECTORS(6), COUNTERS_FULL(6, 3), GLOBAL_V4(6, 3), SMALL_CORE(0x1fd, 0x100, 0x200));
MSRS(skymont, CAPABILITIES(FREEZES_AND_FULL_WIDTH), SELECTORS_V6(8), VALUES_V6(8), FULL_WIDTH(8),
     FIXED(7), GLOBAL_V4(8, 7), SMALL_CORE(0x1ff, 0, 0));

#define AMD_SELECTOR_RESERVED 0xfffffcf000280000ull
#define AMD_ALIASES                                                                                \
    RANGE(0xc0010000, 4, IDLE_SELECTOR, AMD_SELECTOR_RESERVED),                                    \
        RANGE(0xc0010004, 4, 0x4321, ~LOW(48))
#define AMD_COUNTERS                                                                               \
    REGISTERS(0xc0010200, 6, 2, IDLE_SELECTOR, AMD_SELECTOR_RESERVED, ROLE_PLAIN),                 \
        REGISTERS(0xc0010201, 6, 2, 0xabcdef012345, ~LOW(48), ROLE_PLAIN)
#define HWCR ONE(0xc0010015, 1 << 24 | 0x11, ~(1ull << 24 | 1ull << 25 | 1ull << 30 | 0x11))
/* FID 0x88, DID 8: 3400 MHz. */
#define PSTATE READ_ONLY(0xc0010064, 1ull << 63 | 8 << 8 | 0x88)
#define DC_CFG ONE(0xc0011022, 0x40, ~(uint64_t)(0x40 | 1 << 13 | 1 << 15))
#define FEEDBACK RANGE(0xe7, 2, 1000, 0)
/* Bit 0 of C001_102B switches on; P-state 1 is in force. */
MSRS(zen2, AMD_COUNTERS, HWCR, PSTATE,
     ONE(0xc0011022, 0x40, ~(uint64_t)(0x40 | 1 << 13 | 1 << 15 | 1 << 16)),
     ONE(0xc001102b, 0x2000cc15, ~0x2000cc15ull), FEEDBACK, READ_ONLY(0xc0010063, 1));
/* Zen 4 has these two as well, and the architectural one, which goes first. */
#define ZEN3_PREFETCH                                                                              \
    ONE(0xc0011022, 0x40, ~(uint64_t)(0x40 | 1 << 13 | 1 << 15 | 7 << 16)),                        \
        ONE(0xc001102b, 0x2000cc15, ~0x2000cc15ull)
MSRS(zen3, AMD_COUNTERS, HWCR, PSTATE, ZEN3_PREFETCH);
MSRS(zen4, AMD_COUNTERS, HWCR, PSTATE, ZEN3_PREFETCH, ONE(0xc0000108, 0, ~0x2full),
     ONE(0xc0000301, 0x3f, ~0x3full), READ_ONLY(0xc0000300, 2),
     {0xc0000302, 1, 1, 0, ~(0x3full | COUNTERS_FROZEN), ROLE_CLEARS},
     ONE(0x1d9, 1, ~0x1800ull - 1));
MSRS(k10, AMD_ALIASES, HWCR, DC_CFG);
#define CU_CFG3 ONE(0xc001102b, 0x33400002b93, ~(0x33400002b93ull | 1 << 3 | 7 << 16))
MSRS(piledriver, AMD_COUNTERS, HWCR, DC_CFG, CU_CFG3);

MSRS(kvm, CAPABILITIES(0x2000), RANGE(0x186, 8, 0, 0xffffffff00200000ull), LEGACY(8), FULL_WIDTH(8),
     RANGE(0x309, 3, 0, ~LOW(48)), ONE(0x38d, 0, ~0xbbbull), GLOBAL(8, 3),
     ONE(0x1a0, 0x850089, ~(0x850089ull | 1ull << 38)), READ_ONLY(0xce, 1ull << 31));

/* Announced, but of the counters no register answers. */
MSRS(hollow, GLOBAL(4, 3));

/* Firmware counts cycles on general counter 0 and on fixed counter 1. */
#define HELD_CONTROL ONE(0x38d, 0x20, ~0xbbbull)
#define HELD_GLOBAL                                                                                \
    ONE(0x38f, 1 | 2ull << 32, ~(LOW(4) | FIXED_BITS(3))), READ_ONLY(0x38e, 2),                    \
        REGISTERS(0x390, 1, 1, 0, ~(LOW(4) | FIXED_BITS(3)), ROLE_CLEARS)
#define HELD_SELECTORS                                                                             \
    ONE(0x186, 0x43003c, SELECTOR_RESERVED), RANGE(0x187, 3, IDLE_SELECTOR, SELECTOR_RESERVED)
MSRS(held_v4, HELD_CONTROL, HELD_GLOBAL, HELD_SELECTORS, CAPABILITIES(FREEZES_AND_FULL_WIDTH),
     SKYLAKE_REST);
MSRS(held_v3, HELD_CONTROL, HELD_GLOBAL, HELD_SELECTORS, LEGACY(4), FULL_WIDTH(4),
     RANGE(0x309, 3, 0x123456789abc, ~LOW(48)));

/* A legacy counter with a value that 32 bits cannot bring back, beside three that can. */
MSRS(stale, ONE(0xc1, 0x123456789abc, 0), RANGE(0xc2, 3, 0xffff80000000, 0), SELECTORS(4), FIXED(3),
     GLOBAL(4, 3), CAPABILITIES(0));
/* TSX_FORCE_ABORT announced but swallowing writes; prefetch control likewise. */
MSRS(locked, {0x10f, 1, 1, 0, 0, ROLE_UNSTICKY}, {0x1a4, 1, 1, 0, 0, ROLE_UNSTICKY},
     {0x1b0, 1, 1, 6, 0, ROLE_LOCKED}, CAPABILITIES(FREEZES_AND_FULL_WIDTH), SELECTORS(4),
     GLOBAL_V4(4, 3), SKYLAKE_REST);

/* --- processors ------------------------------------------------------------------------------ */

#define INTEL(number) .processor = {.vendor = VENDOR_INTEL, .family = 6, .model = number}
#define VIRTUAL(number)                                                                            \
    .processor = {.vendor = VENDOR_INTEL, .family = 6, .model = number, .is_virtual = true}
#define AMD(f, m) .processor = {.vendor = VENDOR_AMD, .family = f, .model = m}
#define HAS(n) HAS_OF(n, n)
#define HAS_OF(c, r) .cpuid = c##_cpuid, .registers = r##_registers
#define COUNTERS(g, f) .general = g, .fixed = f, .width = 48
#define ALL_USABLE(g, f) COUNTERS(g, f), .usable = LOW(g) | FIXED_BITS(f)

const struct model_machine model_machines[] = {
    {"nehalem", INTEL(0x1a), HAS(nehalem), ALL_USABLE(4, 3)},
    {"haswell", INTEL(0x3c), HAS(haswell), ALL_USABLE(4, 3)},
    {"skylake_sp", INTEL(0x55), HAS(skylake), ALL_USABLE(4, 3)},
    {"emerald_rapids", INTEL(0xcf), HAS(emerald), ALL_USABLE(8, 4)},
    {"alder_lake_p", INTEL(0x97), HAS(alder_p), ALL_USABLE(8, 4)},
    {"alder_lake_e", INTEL(0x97), HAS(alder_e), ALL_USABLE(6, 3)},
    {"lion_cove", INTEL(0xc6), HAS(lion_cove), ALL_USABLE(10, 4)},
    {"skymont", INTEL(0xc6), HAS(skymont), COUNTERS(8, 7), .usable = LOW(8) | 0x77ull << 32},
    {"zen2", AMD(0x17, 0x71), HAS(zen2), COUNTERS(6, 0), .usable = LOW(6)},
    {"zen3", AMD(0x19, 0x21), HAS_OF(zen2, zen3), COUNTERS(6, 0), .usable = LOW(6)},
    {"zen4", AMD(0x19, 0x61), HAS(zen4), COUNTERS(6, 0), .usable = LOW(6)},
    {"piledriver", AMD(0x15, 2), HAS_OF(zen2, piledriver), COUNTERS(6, 0), .usable = LOW(6)},
    {"k10", AMD(0x10, 4), HAS(k10), COUNTERS(4, 0), .usable = LOW(4)},
    {"kvm", VIRTUAL(0x55), HAS(kvm), COUNTERS(8, 3), .turbo_is_only_kept = true,
     .usable = LOW(8) | FIXED_BITS(3)},
    {"none", INTEL(0x3c), HAS(no), COUNTERS(0, 0)},
    {"none_virtual", VIRTUAL(0x55), HAS(no), COUNTERS(0, 0)},
    {"none_forgiving", AMD(6, 6), HAS(no), COUNTERS(0, 0), .forgiving = true},
    {"none_one_thread", VIRTUAL(0x97), HAS_OF(kvm_thread, no), COUNTERS(0, 0)},
    {"unknown_threads", .processor = {.vendor = VENDOR_OTHER, .family = 7},
     HAS_OF(threads, haswell), COUNTERS(4, 3)},
    {"other_vendor", .processor = {.vendor = VENDOR_OTHER, .family = 7}, HAS_OF(haswell, haswell),
     COUNTERS(4, 3)},
    {"impossible_width", INTEL(0x3c), HAS_OF(wide, haswell), COUNTERS(4, 3)},
    {"counters_fault", INTEL(0x3c), HAS_OF(haswell, hollow), COUNTERS(0, 0)},
    {"never_counts", INTEL(0x3c), HAS(haswell), COUNTERS(4, 3), .still = true},
    {"rdpmc_zero", INTEL(0x3c), HAS(haswell), COUNTERS(4, 3), .rdpmc_reads_zero = true},
    {"miscounts", INTEL(0x3c), HAS(haswell), COUNTERS(4, 3), .wrong = 1 << 2,
     .usable = (LOW(4) & ~4ull) | FIXED_BITS(3)},
    {"counts_twice", INTEL(0x3c), HAS(haswell), COUNTERS(4, 3), .twice = 1 << 1,
     .usable = (LOW(4) & ~2ull) | FIXED_BITS(3)},
    {"unsteady", INTEL(0x3c), HAS(haswell), COUNTERS(4, 3), .unsteady = 1ull << 32,
     .usable = LOW(4) | 6ull << 32},
    {"held_v4", INTEL(0x55), HAS_OF(skylake, held_v4), COUNTERS(4, 3), .owned = 1 | 2ull << 32,
     .usable = 0xe | 5ull << 32},
    {"held_v3", INTEL(0x3c), HAS_OF(haswell, held_v3), COUNTERS(4, 3), .owned = 1 | 2ull << 32,
     .usable = 0xe | 5ull << 32},
    {"ghost", AMD(0x19, 0x21), HAS_OF(zen2, zen3), COUNTERS(6, 0), .ghosts = 4, .owned = 4,
     .usable = LOW(6) & ~4ull},
    {"stale_value", INTEL(0x2a), HAS_OF(nehalem, stale), COUNTERS(4, 3),
     .usable = 0xe | FIXED_BITS(3)},
    {"locked", INTEL(0x55), HAS_OF(skylake, locked), COUNTERS(4, 3), .usable = 0x7 | FIXED_BITS(3)},
};
const unsigned model_machine_count = sizeof model_machines / sizeof *model_machines;

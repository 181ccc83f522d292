/* test_memory_type: only memory that is write-back by every register that decides is accepted. */
#include "../../kernel/cpu/memory_type.h"
#include "../../kernel/cpu/pagetable.h"
#include "kit.h"
#include "registers_model.h"

#define GIGABYTE (1ull << 30)
#define PAT_DEFAULT 0x0007040600070406
#define VALID 0x800u
#define CR0_USUAL 0x80010033ul
#define CR0_CACHES_OFF (CR0_USUAL | 1ul << 30)

static char words[96];
static struct memory_types types;

/* A machine of 48 address bits: a range that starts at `base` and is as large as a power of two. */
static void put_range(unsigned i, uint64_t base, uint64_t bytes, enum memory_type type)
{
    types.base[i] = base | type;
    types.mask[i] = (~(bytes - 1) & 0xfffffffff000) | VALID;
}

static const char *refuse(uint64_t address, uint64_t bytes)
{
    return memory_types_refuse(&types, address, bytes, PTE_PRESENT | PTE_WRITE, PAGE_4K, words,
                               sizeof words);
}

/* As edk2 leaves QEMU: write-back by default, the hole below 4 GB uncacheable, ROM read-only. */
SETUP(start)
{
    types = (struct memory_types){.ranges_on = true,
                                  .fixed_on = true,
                                  .variable = 8,
                                  .otherwise = TYPE_WRITE_BACK,
                                  .pat = PAT_DEFAULT};
    for (unsigned i = 0; i < MTRR_FIXED; i++)
        types.fixed[i] = 0x0606060606060606;
    types.fixed[2] = 0;                  /* 0xa0000 to 0xbffff */
    types.fixed[9] = 0x0505050505050606; /* from 0xf2000 on */
    put_range(0, 2 * GIGABYTE, 2 * GIGABYTE, TYPE_UNCACHEABLE);
}

TEST(usual_memory_is_accepted)
{
    assert_null(refuse(0x100000, 2 * GIGABYTE - 0x100000));
    assert_null(refuse(4 * GIGABYTE, 64 * GIGABYTE));
    assert_null(refuse(0, 0xa0000));
}

TEST(a_refusal_names_the_part_that_is_not_write_back)
{
    assert_string_equal(refuse(GIGABYTE, 2 * GIGABYTE),
                        "memory at 0x80000000 to 0xbfffffff is uncacheable by the MTRRs");
    assert_string_equal(refuse(3 * GIGABYTE, 4 * GIGABYTE),
                        "memory at 0xc0000000 to 0xffffffff is uncacheable by the MTRRs");
    put_range(1, 0x40000000, 0x1000, TYPE_WRITE_COMBINING);
    assert_string_equal(refuse(0x3ff00000, 0x200000),
                        "memory at 0x40000000 to 0x40000fff is write-combining by the MTRRs");
    assert_null(refuse(0x3ff00000, 0x100000));
    assert_null(refuse(0x40001000, 0x1000));
}

TEST(below_one_megabyte_the_fixed_ranges_decide)
{
    put_range(1, 0, GIGABYTE, TYPE_UNCACHEABLE);
    assert_null(refuse(0, 0xa0000));
    assert_string_equal(refuse(0x90000, 0x20000),
                        "memory at 0xa0000 to 0xaffff is uncacheable by the MTRRs");
    assert_string_equal(refuse(0xf0000, 0x10000),
                        "memory at 0xf2000 to 0xf7fff is write-protected by the MTRRs");
    types.fixed_on = false;
    assert_non_null(refuse(0, 0x1000));
}

/* Every byte of the registers decides about one part of the first megabyte, and the parts are in
 * order. */
TEST(the_fixed_ranges_cover_the_first_megabyte)
{
    uint64_t end = 0;
    for (unsigned byte = 0; byte < 8 * MTRR_FIXED; byte++) {
        memset(types.fixed, TYPE_WRITE_BACK, sizeof types.fixed);
        ((uint8_t *)types.fixed)[byte] = TYPE_UNCACHEABLE;
        uint64_t start = end;
        while (end < 0x100000 && memory_type_of_range(&types, end) == TYPE_UNCACHEABLE &&
               memory_type_of_range(&types, end + 0xfff) == TYPE_UNCACHEABLE)
            end += 0x1000;
        assert_compare(end, >, start);
    }
    assert_int_equal(end, 0x100000);
}

TEST(ranges_that_overlap_follow_the_precedences)
{
    static const struct {
        enum memory_type a, b, both;
    } cases[] = {{TYPE_WRITE_BACK, TYPE_WRITE_BACK, TYPE_WRITE_BACK},
                 {TYPE_WRITE_BACK, TYPE_UNCACHEABLE, TYPE_UNCACHEABLE},
                 {TYPE_WRITE_COMBINING, TYPE_UNCACHEABLE, TYPE_UNCACHEABLE},
                 {TYPE_WRITE_BACK, TYPE_WRITE_THROUGH, TYPE_WRITE_THROUGH},
                 {TYPE_WRITE_BACK, TYPE_WRITE_COMBINING, TYPE_UNDEFINED},
                 {TYPE_WRITE_PROTECTED, TYPE_WRITE_BACK, TYPE_UNDEFINED}};
    for (EACH(c, cases)) {
        put_range(2, 8 * GIGABYTE, GIGABYTE, c->a);
        put_range(5, 8 * GIGABYTE, 4 * GIGABYTE, c->b);
        assert_int_equal(memory_type_of_range(&types, 8 * GIGABYTE), c->both);
        put_range(2, 8 * GIGABYTE, GIGABYTE, c->b);
        put_range(5, 8 * GIGABYTE, 4 * GIGABYTE, c->a);
        assert_int_equal(memory_type_of_range(&types, 8 * GIGABYTE), c->both);
    }
    put_range(7, 0, 4096 * GIGABYTE, TYPE_UNCACHEABLE);
    types.mask[7] &= ~(uint64_t)VALID;
    assert_null(refuse(GIGABYTE, GIGABYTE));
    types.variable = 5; /* that one and two others do not exist */
    assert_null(refuse(8 * GIGABYTE + 4 * GIGABYTE, GIGABYTE));
}

TEST(a_mask_with_holes_is_followed)
{
    put_range(1, 0x100000000, 0x1000, TYPE_UNCACHEABLE);
    types.mask[1] &= ~0x10000ull; /* every other 64 KB up to 128 KB */
    assert_int_equal(memory_type_of_range(&types, 0x100010000), TYPE_UNCACHEABLE);
    assert_string_equal(refuse(0x100001000, 0x20000),
                        "memory at 0x100010000 to 0x100010fff is uncacheable by the MTRRs");
}

TEST(ranges_that_are_off_name_nothing)
{
    types.ranges_on = false;
    assert_null(refuse(0, 4 * GIGABYTE));
    types.otherwise = TYPE_UNCACHEABLE;
    assert_string_equal(refuse(GIGABYTE, GIGABYTE),
                        "memory at 0x40000000 to 0x7fffffff is uncacheable by the MTRRs");
}

/* AMD's firmware leaves the default uncacheable and has memory above 4 GB write-back by TOM2. */
TEST(amd_memory_above_4_gigabytes_is_write_back_up_to_its_top)
{
    types.otherwise = TYPE_UNCACHEABLE;
    put_range(0, 0, 2 * GIGABYTE, TYPE_WRITE_BACK);
    assert_non_null(refuse(4 * GIGABYTE, GIGABYTE));
    types.write_back_from_4g = 16 * GIGABYTE + 0x1800000;
    assert_null(refuse(4 * GIGABYTE, 12 * GIGABYTE + 0x1800000));
    assert_null(refuse(0x100000, GIGABYTE));
    assert_string_equal(refuse(2 * GIGABYTE, GIGABYTE),
                        "memory at 0x80000000 to 0xbfffffff is uncacheable by the MTRRs");
    assert_string_equal(refuse(16 * GIGABYTE, GIGABYTE),
                        "memory at 0x401800000 to 0x43fffffff is uncacheable by the MTRRs");
    put_range(1, 5 * GIGABYTE, GIGABYTE, TYPE_UNCACHEABLE);
    assert_string_equal(refuse(4 * GIGABYTE, 12 * GIGABYTE),
                        "memory at 0x140000000 to 0x17fffffff is uncacheable by the MTRRs");
}

TEST(the_pages_attribute_counts_as_well)
{
    const uint64_t pwt = 1 << 3, pcd = 1 << 4, pat_4k = 1 << 7, pat_large = 1 << 12;
    types.pat = 0x0706050401000706; /* 0: write-back, 1: UC-, 2: UC, 3: WC, 4: WT, 5: WP, 6: WB */
    assert_int_equal(memory_type_of_entry(&types, 0, PAGE_4K), TYPE_WRITE_BACK);
    assert_int_equal(memory_type_of_entry(&types, pwt, PAGE_4K), TYPE_UNCACHED);
    assert_int_equal(memory_type_of_entry(&types, pcd, PAGE_2M), TYPE_UNCACHEABLE);
    assert_int_equal(memory_type_of_entry(&types, pwt | pcd, PAGE_1G), TYPE_WRITE_COMBINING);
    assert_int_equal(memory_type_of_entry(&types, pat_4k, PAGE_4K), TYPE_WRITE_THROUGH);
    assert_int_equal(memory_type_of_entry(&types, PTE_LARGE, PAGE_2M), TYPE_WRITE_BACK);
    assert_int_equal(memory_type_of_entry(&types, PTE_LARGE | pat_large | pwt, PAGE_2M),
                     TYPE_WRITE_PROTECTED);
    assert_int_equal(memory_type_of_entry(&types, pat_large, PAGE_4K), TYPE_WRITE_BACK);
    types.pat = 0x0007040600070401;
    assert_string_equal(refuse(GIGABYTE, 0x1000),
                        "memory at 0x40000000 to 0x40000fff is write-combining by the PAT");
    types.pat = 0x0007040600070402;
    assert_string_equal(refuse(GIGABYTE, 0x1000),
                        "memory at 0x40000000 to 0x40000fff is of a reserved type by the PAT");
}

TEST(caches_that_are_off_leave_nothing)
{
    types.caches_off = true;
    assert_string_equal(refuse(GIGABYTE, 0x1000), "memory is uncacheable: caches are off (CR0.CD)");
}

/* --- reading the registers -------------------------------------------------------------------- */

MODEL_CPUID(with_mtrr, {1, 0, {0, 0, 0, 1 << 12}});
MODEL_CPUID(without_mtrr, {1, 0, {0, 0, 0, 0}});

#define ABLE(value) READ_ONLY(0xfe, value) /* what the MTRRs are able to */
#define DEFAULT(value) ONE(0x2ff, value, 0)
#define FIXED                                                                                      \
    ONE(0x250, 0x0606060606060606, 0), RANGE(0x258, 2, 6, 0), RANGE(0x268, 8, 0x0505050505050505, 0)
#define PAT ONE(0x277, PAT_DEFAULT, 0)

MODEL_MSRS(usual, ABLE(0x50a), DEFAULT(0xc06), RANGE(0x200, 20, 0, 0), FIXED, PAT);
MODEL_MSRS(off, ABLE(0x002), DEFAULT(0), RANGE(0x200, 4, 0, 0), PAT);
MODEL_MSRS(amd, ABLE(0x002), DEFAULT(0xc00), RANGE(0x200, 4, 0, 0), ONE(0xc0010010, 0x600000, 0),
           ONE(0xc001001d, 0x200000000, 0), PAT);
MODEL_MSRS(too_many, ABLE(0x521), DEFAULT(0xc06), FIXED, PAT);
/* The last mask is missing. */
MODEL_MSRS(incomplete, ABLE(0x50a), DEFAULT(0xc06), RANGE(0x200, 19, 0, 0), FIXED, PAT);
/* The fixed registers of the last 64 KB are missing. */
MODEL_MSRS(no_rom, ABLE(0x50a), DEFAULT(0xc06), RANGE(0x200, 20, 0, 0), ONE(0x250, 0, 0),
           RANGE(0x258, 2, 0, 0), RANGE(0x268, 6, 0, 0), PAT);
MODEL_MSRS(no_pat, ONE(0x1b, 0, 0));

static struct model_machine machine;

static const char *read_of(const struct model_registers *registers, const struct model_cpuid *cpuid,
                           enum processor_vendor vendor, bool is_virtual)
{
    machine = (struct model_machine){.name = "made up", .cpuid = cpuid, .registers = registers};
    machine.processor.vendor = vendor;
    machine.processor.is_virtual = is_virtual;
    model_start(&machine);
    const char *reason = memory_types_read(&types, &machine.processor, CR0_USUAL);
    assert_int_equal(model.writes, 0);
    return reason;
}

TEST(all_registers_are_read_and_none_is_written)
{
    assert_null(read_of(usual, with_mtrr, VENDOR_INTEL, false));
    assert_string_equal(types.otherwise_by, "the MTRRs' default");
    assert_false(types.caches_off);
    assert_null(refuse(0, 0x80000));
    assert_int_equal(memory_type_of_range(&types, 0xc0000), TYPE_WRITE_PROTECTED);
    assert_int_equal(memory_type_of_range(&types, 0xa4000), TYPE_UNCACHEABLE);
    assert_null(memory_types_read(&types, &machine.processor, CR0_CACHES_OFF));
    assert_true(types.caches_off);
}

TEST(without_mtrrs_the_pat_decides)
{
    assert_null(read_of(off, without_mtrr, VENDOR_OTHER, false));
    assert_string_equal(types.otherwise_by, "the processor has no MTRRs");
    assert_null(refuse(0, 0x80000));
}

/* As U-Boot leaves QEMU's: only its ROM has a range. */
MODEL_MSRS(u_boot, ABLE(0x508), DEFAULT(0xc00), ONE(0x250, 0, 0), RANGE(0x258, 2, 0, 0),
           RANGE(0x268, 8, 0, 0), ONE(0x200, 0xfff00006, 0), ONE(0x201, 0xffff00800, 0),
           ONE(0x202, 0x40000000, 0), ONE(0x203, 0xfc0000800, 0), RANGE(0x204, 12, 0, 0), PAT);

TEST(what_firmware_left_unset_counts_on_a_machine_and_not_in_a_virtual_one)
{
    static const struct model_registers *const unset[] = {off, u_boot};
    for (unsigned i = 0; i < 2; i++) {
        assert_null(read_of(unset[i], with_mtrr, VENDOR_INTEL, false));
        assert_int_equal(types.otherwise, TYPE_UNCACHEABLE);
        assert_non_null(refuse(2 * GIGABYTE, GIGABYTE));
        assert_null(read_of(unset[i], with_mtrr, VENDOR_INTEL, true));
        assert_string_equal(types.otherwise_by,
                            "a virtual machine's, whose firmware set no default");
        assert_null(refuse(2 * GIGABYTE, GIGABYTE));
    }
    /* But what a range says, counts there too. */
    assert_string_equal(refuse(0x100000, 3 * GIGABYTE),
                        "memory at 0x40000000 to 0x7fffffff is uncacheable by the MTRRs");
}

TEST(amd_tom2_is_read_where_it_is_in_force)
{
    assert_null(read_of(amd, with_mtrr, VENDOR_AMD, false));
    assert_null(refuse(4 * GIGABYTE, 4 * GIGABYTE));
    assert_non_null(refuse(GIGABYTE, GIGABYTE));
    assert_null(read_of(amd, with_mtrr, VENDOR_INTEL, false));
    assert_non_null(refuse(4 * GIGABYTE, 4 * GIGABYTE));
    assert_null(read_of(off, with_mtrr, VENDOR_AMD, true)); /* neither register is there */
    assert_int_equal(types.write_back_from_4g, 0);
}

TEST(what_cannot_be_known_is_said)
{
    assert_string_equal(read_of(too_many, with_mtrr, VENDOR_INTEL, false),
                        "memory types are not known: there are more MTRRs than 32");
    assert_string_equal(read_of(incomplete, with_mtrr, VENDOR_INTEL, false),
                        "memory types are not known: an MTRR cannot be read");
    assert_string_equal(read_of(no_rom, with_mtrr, VENDOR_INTEL, false),
                        "memory types are not known: an MTRR cannot be read");
    assert_string_equal(read_of(no_pat, without_mtrr, VENDOR_INTEL, false),
                        "memory types are not known: the PAT cannot be read");
    assert_string_equal(read_of(no_pat, with_mtrr, VENDOR_INTEL, true),
                        "memory types are not known: an MTRR cannot be read");
}

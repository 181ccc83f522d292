/* memory_type: the rules by which the range registers and the page's attribute make a type. */
#include "memory_type.h"

#include "../lib/text.h"
#include "cpuid.h"
#include "msr.h"
#include "pagetable.h"

#define HAS_MTRR (1u << 12) /* CPUID.1:EDX */
#define CR0_CD (1ul << 30)

#define MSR_MTRR_CAPABILITY 0xfe
#define MSR_MTRR_BASE 0x200 /* and its mask behind it */
#define MSR_MTRR_DEFAULT 0x2ff
#define CAPABILITY_COUNT 0xffu
#define CAPABILITY_FIXED (1u << 8)
#define DEFAULT_FIXED_ON (1u << 10)
#define DEFAULT_ON (1u << 11)
#define MASK_VALID (1u << 11)
#define TYPE_NONE (TYPE_UNDEFINED + 1)
#define TYPE_BITS 7u /* AMD's fixed ranges have two bits more in each byte, of another meaning */

#define MSR_AMD_SYSCFG 0xc0010010
#define MSR_AMD_TOM2 0xc001001d
#define SYSCFG_TOM2_ON (1u << 21)
#define SYSCFG_TOM2_WRITE_BACK (1u << 22)

#define MEGABYTE (1ull << 20)
#define ENTRY_PWT_PCD_SHIFT 3
#define ENTRY_PAT_4K_SHIFT 7
#define ENTRY_PAT_LARGE_SHIFT 12

/* Eight parts of one size for each register, one behind the other from 0 to 1 MB. */
static const struct {
    uint32_t msr, start, part;
} fixed_ranges[MTRR_FIXED] = {
    {0x250, 0x00000, 0x10000}, {0x258, 0x80000, 0x4000}, {0x259, 0xa0000, 0x4000},
    {0x268, 0xc0000, 0x1000},  {0x269, 0xc8000, 0x1000}, {0x26a, 0xd0000, 0x1000},
    {0x26b, 0xd8000, 0x1000},  {0x26c, 0xe0000, 0x1000}, {0x26d, 0xe8000, 0x1000},
    {0x26e, 0xf0000, 0x1000},  {0x26f, 0xf8000, 0x1000},
};

static const char *const unreadable = "memory types are not known: an MTRR cannot be read";

static const char *read_ranges(struct memory_types *types, const struct processor *processor)
{
    uint64_t capability, control;
    if (!msr_read(MSR_MTRR_CAPABILITY, &capability) || !msr_read(MSR_MTRR_DEFAULT, &control))
        return unreadable;
    types->ranges_on = control & DEFAULT_ON;
    types->fixed_on = capability & CAPABILITY_FIXED && control & DEFAULT_FIXED_ON;
    types->variable = capability & CAPABILITY_COUNT;
    types->otherwise = types->ranges_on ? control & TYPE_BITS : TYPE_UNCACHEABLE;
    types->otherwise_by = types->ranges_on ? "the MTRRs' default" : "the MTRRs are off";
    if (processor->is_virtual && types->otherwise == TYPE_UNCACHEABLE) {
        types->otherwise = TYPE_WRITE_BACK;
        types->otherwise_by = "a virtual machine's, whose firmware set no default";
    }
    if (types->variable > MTRR_VARIABLE_MAX)
        return "memory types are not known: there are more MTRRs than 32";
    bool are_read = true;
    for (unsigned i = 0; types->fixed_on && i < MTRR_FIXED; i++)
        are_read &= msr_read(fixed_ranges[i].msr, &types->fixed[i]);
    for (unsigned i = 0; i < types->variable; i++)
        are_read &= msr_read(MSR_MTRR_BASE + 2 * i, &types->base[i]) &&
                    msr_read(MSR_MTRR_BASE + 2 * i + 1, &types->mask[i]);
    return are_read ? NULL : unreadable;
}

/* A register that is not there, as in a virtual machine, makes nothing write-back. */
static void read_amd(struct memory_types *types)
{
    const uint64_t both = SYSCFG_TOM2_ON | SYSCFG_TOM2_WRITE_BACK;
    uint64_t syscfg, top;
    if (msr_read(MSR_AMD_SYSCFG, &syscfg) && (syscfg & both) == both &&
        msr_read(MSR_AMD_TOM2, &top))
        types->write_back_from_4g = top & PTE_FRAME;
}

const char *memory_types_read(struct memory_types *types, const struct processor *processor,
                              uint64_t cr0)
{
    *types = (struct memory_types){.caches_off = cr0 & CR0_CD,
                                   .otherwise = TYPE_WRITE_BACK,
                                   .otherwise_by = "the processor has no MTRRs"};
    const char *reason = NULL;
    if (cpuid_read(1, 0).edx & HAS_MTRR)
        reason = read_ranges(types, processor);
    if (processor->vendor == VENDOR_AMD)
        read_amd(types);
    if (reason == NULL && !msr_read(MSR_PAT, &types->pat))
        reason = "memory types are not known: the PAT cannot be read";
    return reason;
}

static enum memory_type fixed_type(const struct memory_types *types, uint64_t address)
{
    unsigned i = MTRR_FIXED - 1;
    while (address < fixed_ranges[i].start)
        i--;
    uint64_t part = (address - fixed_ranges[i].start) / fixed_ranges[i].part;
    return types->fixed[i] >> 8 * part & TYPE_BITS;
}

static enum memory_type overlap(enum memory_type a, enum memory_type b)
{
    if (a == b)
        return a;
    if (a == TYPE_UNCACHEABLE || b == TYPE_UNCACHEABLE)
        return TYPE_UNCACHEABLE;
    bool through = (a == TYPE_WRITE_THROUGH && b == TYPE_WRITE_BACK) ||
                   (a == TYPE_WRITE_BACK && b == TYPE_WRITE_THROUGH);
    return through ? TYPE_WRITE_THROUGH : TYPE_UNDEFINED;
}

/* TYPE_NONE where no range names it. */
static enum memory_type variable_type(const struct memory_types *types, uint64_t address)
{
    enum memory_type type = TYPE_NONE;
    for (unsigned i = 0; i < types->variable; i++) {
        if (!(types->mask[i] & MASK_VALID) ||
            (address ^ types->base[i]) & types->mask[i] & PTE_FRAME)
            continue;
        enum memory_type of_this = types->base[i] & TYPE_BITS;
        type = type == TYPE_NONE ? of_this : overlap(type, of_this);
    }
    return type;
}

enum memory_type memory_type_of_range(const struct memory_types *types, uint64_t address)
{
    if (types->ranges_on && types->fixed_on && address < MEGABYTE)
        return fixed_type(types, address);
    enum memory_type type = types->ranges_on ? variable_type(types, address) : TYPE_NONE;
    if (type != TYPE_NONE)
        return type;
    if (address >= 4096 * MEGABYTE && address < types->write_back_from_4g)
        return TYPE_WRITE_BACK;
    return types->otherwise;
}

enum memory_type memory_type_of_entry(const struct memory_types *types, uint64_t entry,
                                      enum page_size page)
{
    unsigned attribute = page == PAGE_4K ? ENTRY_PAT_4K_SHIFT : ENTRY_PAT_LARGE_SHIFT;
    unsigned index = (entry >> ENTRY_PWT_PCD_SHIFT & 3) | (entry >> attribute & 1) << 2;
    return types->pat >> 8 * index & TYPE_BITS;
}

/* No type changes between two multiples of this: the finest part that a register in force has. */
static uint64_t finest_part(const struct memory_types *types, uint64_t address)
{
    uint64_t finest = 4096 * MEGABYTE;
    for (unsigned i = 0; i < types->variable; i++) {
        uint64_t mask = types->mask[i] & PTE_FRAME;
        uint64_t part = mask & -mask;
        if (types->mask[i] & MASK_VALID && mask != 0 && part < finest)
            finest = part;
    }
    if (address < types->write_back_from_4g && types->write_back_from_4g % finest != 0)
        finest = 8 * MEGABYTE; /* as fine as TOM2 is */
    return address < MEGABYTE ? page_bytes(PAGE_4K) : finest;
}

static uint64_t end_of_type(const struct memory_types *types, uint64_t at, uint64_t end,
                            enum memory_type type)
{
    while (at < end && memory_type_of_range(types, at) == type)
        at = (at | (finest_part(types, at) - 1)) + 1;
    return at < end ? at : end;
}

const char *memory_type_name(enum memory_type type)
{
    static const char *const names[] = {
        [TYPE_UNCACHEABLE] = "uncacheable",
        [TYPE_WRITE_COMBINING] = "write-combining",
        [TYPE_WRITE_THROUGH] = "write-through",
        [TYPE_WRITE_PROTECTED] = "write-protected",
        [TYPE_WRITE_BACK] = "write-back",
        [TYPE_UNCACHED] = "uncached",
        [TYPE_UNDEFINED] = "of several types at once",
    };
    return type < TYPE_NONE && names[type] != NULL ? names[type] : "of a reserved type";
}

const char *memory_types_refuse(const struct memory_types *types, uint64_t address, uint64_t bytes,
                                uint64_t entry, enum page_size page, char *buffer, size_t size)
{
    enum memory_type of_page = memory_type_of_entry(types, entry, page);
    uint64_t end = address + bytes;
    if (types->caches_off)
        return "memory is uncacheable: caches are off (CR0.CD)";
    if (of_page != TYPE_WRITE_BACK)
        return text_write(buffer, size, "memory at 0x%lx to 0x%lx is %s by the PAT", address,
                          end - 1, memory_type_name(of_page));
    uint64_t first = end_of_type(types, address, end, TYPE_WRITE_BACK);
    if (first == end)
        return NULL;
    enum memory_type type = memory_type_of_range(types, first);
    return text_write(buffer, size, "memory at 0x%lx to 0x%lx is %s by the MTRRs", first,
                      end_of_type(types, first, end, type) - 1, memory_type_name(type));
}

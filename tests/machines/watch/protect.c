/* protect: a copy of the firmware's tables, in which pages are split where a rule begins or ends.
 */
#include "protect.h"

#include "../../../kernel/cpu/pagetable.h"
#include "../../../kernel/cpu/registers.h"
#include "firmware.h"

#define PAGE 4096ull
#define ENTRIES 512
#define SPARE_TABLES 512 /* for splitting */
#define MAP_BYTES 65536
#define REAL_MODE_END 0x100000 /* where other processors start */

/* Of a PE file in memory. */
#define PE_HEADER_AT 0x3c
#define PE_SECTIONS 6
#define PE_OPTIONAL_BYTES 20
#define PE_OPTIONAL 24
#define PE_SECTION_BYTES 40
#define PE_SECTION_SIZE 8
#define PE_SECTION_ADDRESS 12
#define PE_SECTION_FLAGS 36
#define PE_EXECUTE 0x20000000u
#define PE_WRITE 0x80000000u

static uint64_t *root, *next_table;
static unsigned levels;
static uint64_t by_rule; /* pages that cannot be run */

static unsigned shift_of(unsigned level)
{
    return 12 + 9 * (level - 1);
}

static bool is_leaf(uint64_t entry, unsigned level)
{
    return level == 1 || !(entry & PTE_PRESENT) || entry & PTE_LARGE;
}

static uint64_t *table_of(uint64_t entry)
{
    return (uint64_t *)(entry & PTE_FRAME);
}

static uint64_t count_tables(const uint64_t *table, unsigned level)
{
    uint64_t count = 1;
    for (unsigned i = 0; i < ENTRIES; i++)
        if (!is_leaf(table[i], level))
            count += count_tables(table_of(table[i]), level - 1);
    return count;
}

static uint64_t *new_table(void)
{
    uint64_t *table = next_table;
    next_table += ENTRIES;
    return table;
}

static uint64_t *copy(const uint64_t *table, unsigned level)
{
    uint64_t *to = new_table();
    for (unsigned i = 0; i < ENTRIES; i++)
        to[i] = is_leaf(table[i], level) ? table[i]
                                         : (uint64_t)copy(table_of(table[i]), level - 1) |
                                               (table[i] & ~PTE_FRAME) | PTE_WRITE;
    return to;
}

/* The entry that maps an address, or would. */
static uint64_t *find(uint64_t address, unsigned *level)
{
    uint64_t *table = root;
    for (*level = levels;; --*level) {
        uint64_t *entry = &table[address >> shift_of(*level) & (ENTRIES - 1)];
        if (is_leaf(*entry, *level))
            return entry;
        table = table_of(*entry);
    }
}

/* Bit 12 of a large page is not an address but its memory type's (PAT), which is bit 7 of a small
 * one. */
static void split(uint64_t *entry, unsigned level)
{
    uint64_t *table = new_table(), step = 1ull << shift_of(level - 1);
    uint64_t first = *entry & PTE_FRAME & ~PAGE;
    uint64_t flags = *entry & ~PTE_FRAME & ~(level == 2 ? PTE_LARGE : 0);
    for (unsigned i = 0; i < ENTRIES; i++)
        table[i] = (first + i * step) | flags;
    *entry = (uint64_t)table | PTE_PRESENT | PTE_WRITE | PTE_ACCESSED;
}

/* Also pages that were mapped once, whose entries keep their frames. */
static void change(uint64_t from, uint64_t end, uint64_t set, uint64_t clear)
{
    for (uint64_t at = from, size; at < end; at = (at | (size - 1)) + 1) {
        unsigned level;
        uint64_t *entry = find(at, &level);
        size = 1ull << shift_of(level);
        while (*entry != 0 && (at % size != 0 || end - at < size)) {
            split(entry, level);
            entry = find(at, &level);
            size = 1ull << shift_of(level);
        }
        if (*entry != 0)
            *entry = (*entry | set) & ~clear;
    }
    cr3_write(cr3_read());
}

/* The copy is loaded from now on. */
static void load_copy(void)
{
    EFI_PHYSICAL_ADDRESS memory;
    const uint64_t *before = table_of(cr3_read());
    levels = cr4_read() & CR4_LA57 ? 5 : 4;
    EFI_STATUS status = firmware_system->BootServices->AllocatePages(
        AllocateAnyPages, EfiBootServicesData, count_tables(before, levels) + SPARE_TABLES,
        &memory);
    if (EFI_ERROR(status))
        firmware_give_up("there is no memory for page tables", status);
    next_table = (uint64_t *)memory;
    root = copy(before, levels);
    cr3_write((uint64_t)root);
}

void levels_load(uint64_t table); /* levels.S */

void protect_five_levels(uint64_t unused)
{
    EFI_PHYSICAL_ADDRESS table = UINT32_MAX;
    (void)unused;
    EFI_STATUS status = firmware_system->BootServices->AllocatePages(
        AllocateMaxAddress, EfiBootServicesData, 1, &table);
    if (EFI_ERROR(status))
        firmware_give_up("there is no memory for the fifth level", status);
    for (unsigned i = 0; i < ENTRIES; i++)
        ((uint64_t *)table)[i] = i == 0 ? cr3_read() | PTE_PRESENT | PTE_WRITE : 0;
    levels_load(table);
}

void protect_map(uint64_t address, uint64_t pages, bool is_mapped)
{
    change(address, address + pages * PAGE, is_mapped ? PTE_PRESENT : 0,
           is_mapped ? 0 : PTE_PRESENT);
}

void protect_write(uint64_t address, uint64_t pages, bool is_allowed)
{
    change(address, address + pages * PAGE, is_allowed ? PTE_WRITE : 0, is_allowed ? 0 : PTE_WRITE);
}

/* --- the rules ------------------------------------------------------------------------------- */

static uint32_t word(const uint8_t *at, unsigned bytes)
{
    uint32_t value = 0;
    while (bytes-- > 0)
        value = value << 8 | at[bytes];
    return value;
}

static void protect_image(EFI_HANDLE handle)
{
    EFI_LOADED_IMAGE *image;
    EFI_GUID guid = EFI_LOADED_IMAGE_PROTOCOL_GUID;
    firmware_system->BootServices->HandleProtocol(handle, &guid, (void **)&image);
    const uint8_t *base = image->ImageBase, *header = base + word(base + PE_HEADER_AT, 4);
    const uint8_t *section = header + PE_OPTIONAL + word(header + PE_OPTIONAL_BYTES, 2);
    unsigned count = word(header + PE_SECTIONS, 2);
    uint64_t end = (uint64_t)base + image->ImageSize;
    change((uint64_t)base, (end + PAGE - 1) & ~(PAGE - 1), PTE_NX, PTE_WRITE);
    for (; count > 0; count--, section += PE_SECTION_BYTES) {
        uint64_t start = (uint64_t)base + word(section + PE_SECTION_ADDRESS, 4);
        uint64_t size = (word(section + PE_SECTION_SIZE, 4) + PAGE - 1) & ~(PAGE - 1);
        uint32_t flags = word(section + PE_SECTION_FLAGS, 4);
        change(start, start + size, flags & PE_WRITE ? PTE_WRITE : 0,
               flags & PE_EXECUTE ? PTE_NX : 0);
    }
}

static bool is_data(uint32_t type)
{
    return type == EfiLoaderData || type == EfiBootServicesData || type == EfiRuntimeServicesData ||
           type == EfiConventionalMemory;
}

static void protect_data(void)
{
    static uint8_t map[MAP_BYTES];
    UINTN bytes = sizeof map, key, stride;
    UINT32 version;
    EFI_STATUS status = firmware_system->BootServices->GetMemoryMap(
        &bytes, (EFI_MEMORY_DESCRIPTOR *)map, &key, &stride, &version);
    if (EFI_ERROR(status))
        firmware_give_up("there is no map of the memory", status);
    for (UINTN i = 0; i < bytes; i += stride) {
        const EFI_MEMORY_DESCRIPTOR *d = (const EFI_MEMORY_DESCRIPTOR *)(map + i);
        if (!is_data(d->Type) || d->PhysicalStart < REAL_MODE_END)
            continue;
        change(d->PhysicalStart, d->PhysicalStart + d->NumberOfPages * PAGE, PTE_NX, 0);
        by_rule += d->NumberOfPages;
    }
}

void protect(EFI_HANDLE image, enum protection protection)
{
    if (root == NULL)
        load_copy();
    if (protection == PROTECT_NOTHING)
        return;
    protect_image(image);
    if (protection == PROTECT_ALL)
        protect_data();
}

void protect_tell(const char *moment, struct text *text)
{
    if (root == NULL)
        return;
    text_printf(text, "%s pages-not-run %lx\n", moment, by_rule);
}

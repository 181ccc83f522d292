/* test_efi_memory: the firmware's memory map, however it grows; and memory that it does not map. */
#include "../../efi/memory.c"
#include "kit.h"

#define STRIDE 48 /* more than a descriptor has today, as the specification allows */

static struct {
    unsigned descriptors;
    unsigned first;   /* the megabyte where they begin */
    unsigned growing; /* allocations that each add 200 descriptors, more than is left over for */
    unsigned allocated, freed, asked;
    bool nothing_left, broken, no_stride;
    uint64_t at[32], pages[32]; /* what was allocated, */
    uint64_t left[32];          /* and is not freed yet */
    uint64_t taken;             /* an address that nobody gets, */
    uint64_t unread;            /* and one that is not mapped */
    UINT32 type;                /* of all that the map has */
    unsigned unmapped;          /* so many pieces from now on are not in the firmware's tables */
} firmware;

bool firmware_maps(uint64_t address, uint64_t bytes, bool is_written)
{
    if (!is_written) /* what is only read */
        return address != firmware.unread;
    assert_int_equal(address, firmware.at[firmware.allocated - 1]);
    assert_int_equal(bytes, firmware.pages[firmware.allocated - 1] * MEMORY_PAGE);
    if (firmware.unmapped == 0)
        return true;
    firmware.unmapped--;
    return false;
}

/* Whatever is not freed again is the leak checker's. */
static EFI_STATUS EFIAPI allocate(EFI_ALLOCATE_TYPE how, EFI_MEMORY_TYPE type, UINTN pages,
                                  EFI_PHYSICAL_ADDRESS *at)
{
    assert_true(how == AllocateMaxAddress || how == AllocateAddress);
    assert_int_equal(type, EfiLoaderData);
    if (firmware.nothing_left || (how == AllocateAddress && *at == firmware.taken))
        return EFI_OUT_OF_RESOURCES;
    assert_compare(firmware.allocated, <, 32);
    if (how == AllocateMaxAddress)
        *at = (uint64_t)aligned_alloc(MEMORY_PAGE, pages * MEMORY_PAGE);
    firmware.at[firmware.allocated] = *at;
    firmware.left[firmware.allocated] = pages;
    firmware.pages[firmware.allocated++] = pages;
    if (firmware.growing > 0) {
        firmware.growing--;
        firmware.descriptors += 200;
    }
    return EFI_SUCCESS;
}

static EFI_STATUS EFIAPI release(EFI_PHYSICAL_ADDRESS at, UINTN pages)
{
    unsigned i = 0;
    while (i < firmware.allocated && (firmware.left[i] == 0 || at < firmware.at[i] ||
                                      at >= firmware.at[i] + firmware.pages[i] * MEMORY_PAGE))
        i++;
    assert_compare(i, <, firmware.allocated);
    assert_in_range(pages, 1, firmware.left[i]);
    assert_compare(at + pages * MEMORY_PAGE, <=, firmware.at[i] + firmware.pages[i] * MEMORY_PAGE);
    firmware.left[i] -= pages;
    if (firmware.left[i] > 0)
        return EFI_SUCCESS;
    firmware.freed++;
    free((void *)firmware.at[i]);
    return EFI_SUCCESS;
}

/* A megabyte of free memory for each descriptor. */
static EFI_STATUS EFIAPI get_map(UINTN *bytes, EFI_MEMORY_DESCRIPTOR *map, UINTN *key,
                                 UINTN *stride, UINT32 *version)
{
    UINTN room = *bytes;
    firmware.asked++;
    *bytes = (UINTN)firmware.descriptors * STRIDE;
    *stride = firmware.no_stride ? 0 : STRIDE;
    *key = 1;
    *version = 1;
    if (firmware.broken)
        return EFI_OUT_OF_RESOURCES;
    if (room < *bytes)
        return EFI_BUFFER_TOO_SMALL;
    for (unsigned i = 0; i < firmware.descriptors; i++)
        *(EFI_MEMORY_DESCRIPTOR *)((uint8_t *)map + i * STRIDE) =
            (EFI_MEMORY_DESCRIPTOR){.Type = firmware.type,
                                    .PhysicalStart = (uint64_t)(firmware.first + i) << 20,
                                    .NumberOfPages = 256,
                                    .Attribute = EFI_MEMORY_WB};
    return EFI_SUCCESS;
}

static uint64_t megabytes_seen(void)
{
    return memory_free_within(&memory_everywhere, 1) >> 20;
}

static EFI_BOOT_SERVICES services = {
    .AllocatePages = allocate, .FreePages = release, .GetMemoryMap = get_map};
EFI_BOOT_SERVICES *firmware_boot = &services;

/* The memory that a map was read into stays for the next one, from test to test. */
SETUP(start)
{
    firmware.asked = firmware.growing = firmware.unmapped = 0;
    firmware.nothing_left = firmware.broken = firmware.no_stride = false;
    firmware.taken = firmware.first = 0;
    firmware.type = EfiConventionalMemory;
}

TEST(without_memory_for_it_there_is_no_map)
{
    firmware.descriptors = 10;
    firmware.nothing_left = true;
    assert_int_equal(megabytes_seen(), 0);
    assert_false(memory_is_plain(0, 1 << 20));
    assert_int_equal(firmware.freed, 0);
}

TEST(a_short_map_is_read_and_its_memory_kept)
{
    firmware.descriptors = 10;
    assert_int_equal(megabytes_seen(), 10);
    assert_int_equal(firmware.asked, 2);
    assert_int_equal(megabytes_seen(), 10);
    assert_int_equal(firmware.asked, 3);
    assert_int_equal(firmware.allocated, 1);
}

TEST(a_map_longer_than_ever_is_read_whole)
{
    unsigned before = firmware.allocated;
    firmware.descriptors = 20000;
    assert_int_equal(megabytes_seen(), 20000);
    assert_true(memory_is_plain(19999ull << 20, 1 << 20));
    assert_false(memory_is_plain(19999ull << 20, 2 << 20));
    assert_int_equal(firmware.allocated, before + 1);
    assert_int_equal(firmware.freed, firmware.allocated - 1);
}

TEST(a_map_that_grows_while_memory_is_got_for_it_is_read)
{
    firmware.descriptors = 30000;
    firmware.growing = 2;
    assert_int_equal(megabytes_seen(), 30400);
    assert_int_equal(firmware.freed, firmware.allocated - 1);
}

TEST(a_map_that_grows_for_ever_is_given_up)
{
    firmware.descriptors = 40000;
    firmware.growing = 1000;
    assert_int_equal(megabytes_seen(), 0);
    assert_compare(firmware.asked, <=, MAP_TRIES);
}

TEST(a_map_of_entries_without_bytes_is_no_map)
{
    firmware.descriptors = 10;
    firmware.no_stride = true;
    assert_int_equal(megabytes_seen(), 0);
}

TEST(another_error_is_not_tried_again)
{
    firmware.descriptors = 10;
    firmware.broken = true;
    assert_int_equal(megabytes_seen(), 0);
    assert_int_equal(firmware.asked, 1);
}

TEST(memory_that_the_firmware_does_not_map_is_given_back_and_the_next_is_tried)
{
    unsigned freed = firmware.freed;
    assert_false(memory_was_unmapped());
    firmware.unmapped = 2;
    uint64_t memory = memory_allocate(2 * MEMORY_PAGE + 1);
    assert_int_equal(memory, firmware.at[firmware.allocated - 1]);
    assert_int_equal(firmware.freed - freed, 2);
    assert_true(memory_was_unmapped());
    memory_free(memory, 2 * MEMORY_PAGE + 1);
}

/* As few pages are taken as alignment may need; those before and behind it are given back. */
TEST(aligned_memory_is_cut_out_of_more)
{
    const uint64_t pages = 3, align = 64;
    uint64_t at = memory_allocate_aligned(pages * MEMORY_PAGE - 1, align * MEMORY_PAGE);
    unsigned last = firmware.allocated - 1;
    assert_compare(at, !=, 0);
    assert_int_equal(at % (align * MEMORY_PAGE), 0);
    assert_in_range(at, firmware.at[last], firmware.at[last] + (align - 1) * MEMORY_PAGE);
    assert_int_equal(firmware.pages[last], pages + align - 1);
    assert_int_equal(firmware.left[last], pages);
    memory_free(at, pages * MEMORY_PAGE);
    assert_int_equal(firmware.left[last], 0);
    assert_int_equal(memory_allocate_aligned(UINT64_MAX - MEMORY_PAGE, align * MEMORY_PAGE), 0);
    firmware.nothing_left = true;
    assert_int_equal(memory_allocate_aligned(MEMORY_PAGE, align * MEMORY_PAGE), 0);
}

/* Free memory begins at each megabyte, and the address 0 is none. */
static uint64_t allocate_from(uint64_t start, uint64_t bytes, uint64_t align, bool in_gigabytes)
{
    const struct memory_range range = {start, UINT64_MAX};
    unsigned before = firmware.allocated;
    uint64_t at = memory_allocate_within(bytes, align, in_gigabytes, &range, 1);
    if (at == 0)
        return 0;
    assert_int_equal(at, firmware.at[firmware.allocated - 1]);
    assert_int_equal(firmware.pages[firmware.allocated - 1], (bytes + 4095) / 4096);
    assert_compare(firmware.allocated, >, before);
    firmware.left[firmware.allocated - 1] = 0; /* there is nothing to free */
    return at;
}

TEST(memory_is_taken_where_a_range_has_it)
{
    firmware.descriptors = 10;
    assert_int_equal(allocate_from(0, 5000, 4096, false), 1 << 20);
    assert_int_equal(allocate_from((2 << 20) + 1, 5000, 4096, false), (2 << 20) + 4096);
    assert_int_equal(allocate_from(3 << 20, 1 << 20, 2 << 20, false), 4 << 20);
    assert_int_equal(allocate_from((9 << 20) + 4096, 1 << 20, 4096, false), 0);
    firmware.taken = 1 << 20;
    assert_int_equal(allocate_from(0, 5000, 4096, false), 2 << 20);
}

/* Each gigabyte around the memory has to be memory from end to end. */
TEST(memory_in_whole_gigabytes)
{
    firmware.descriptors = 1500;
    assert_int_equal(allocate_from(0, 4096, 4096, true), 1 << 20);
    assert_int_equal(allocate_from(1 << 30, 4096, 4096, true), 0);
    firmware.descriptors = 2048;
    assert_int_equal(allocate_from(1 << 30, 4096, 4096, true), 1 << 30);
    firmware.first = 2; /* a hole at the start, in the first gigabyte */
    assert_int_equal(allocate_from(0, 4096, 4096, true), 0);
    assert_int_equal(allocate_from(1 << 30, 4096, 4096, true), 1 << 30);
}

/* Reserved memory may be read, as tables are there; only known kinds of memory are plain. */
TEST(what_is_no_memory_is_not_plain)
{
    firmware.descriptors = 4;
    for (firmware.type = 0; firmware.type <= EfiMaxMemoryType; firmware.type++) {
        bool is_reserved = firmware.type == EfiReservedMemoryType;
        bool is_none = firmware.type == EfiUnusableMemory || firmware.type == EfiMemoryMappedIO ||
                       firmware.type == EfiMemoryMappedIOPortSpace || firmware.type == EfiPalCode ||
                       firmware.type >= EfiPalCode + 1;
        assert_int_equal(memory_is_plain(1 << 20, 1 << 20), !is_reserved && !is_none);
        assert_int_equal(memory_is_mapped(1 << 20, 1 << 20), !is_none);
        assert_int_equal(memory_free_within(&memory_everywhere, 1),
                         firmware.type == EfiConventionalMemory ? 4 << 20 : 0);
    }
}

/* A processor that did not come back may write to it. */
TEST(kept_memory_is_not_given_back)
{
    unsigned freed = firmware.freed;
    uint64_t memory = memory_allocate(MEMORY_PAGE);
    assert_false(memory_is_kept());
    memory_keep();
    memory_free(memory, MEMORY_PAGE);
    assert_true(memory_is_kept());
    assert_int_equal(firmware.freed, freed);
    is_kept = false;
    memory_free(memory, MEMORY_PAGE);
    assert_int_equal(firmware.freed, freed + 1);
}

/* Tables may be in a PC's ROM, which no map has. */
TEST(the_rom_may_be_read)
{
    firmware.broken = true;
    assert_true(memory_is_mapped(ROM_START, ROM_END - ROM_START));
    assert_true(memory_is_mapped(ROM_END - 1, 1));
    firmware.unread = ROM_START; /* unless the page tables lack it */
    assert_false(memory_is_mapped(ROM_START, 1));
    firmware.unread = 0;
    assert_false(memory_is_mapped(ROM_START, ROM_END - ROM_START + 1));
    assert_false(memory_is_mapped(ROM_START, UINT64_MAX));
    assert_false(memory_is_mapped(ROM_START - 1, 2));
    assert_false(memory_is_mapped(ROM_END, 1));
}

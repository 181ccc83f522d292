/* test_efi_memory: the firmware's memory map, however it grows; and who may run generated code. */
#include "../../efi/memory.c"
#include "kit.h"

#define STRIDE 48 /* more than a descriptor has today, as the specification allows */

static struct {
    unsigned descriptors;
    unsigned growing; /* allocations that each add 200 descriptors, more than is left over for */
    unsigned allocated, freed, asked;
    bool nothing_left, broken;
    uint64_t at[16], pages[16];           /* what was allocated */
    struct memory_attributes *attributes; /* NULL: it has no such protocol */
    uint64_t data_is, kept, kept_bytes;   /* the last two: what is kept from running */
    bool refuses;
} firmware;

static EFI_STATUS EFIAPI locate(EFI_GUID *guid, void *registration, void **protocol)
{
    assert_null(registration);
    assert_int_equal(guid->Data1, 0xf4560cf6);
    *protocol = firmware.attributes;
    return firmware.attributes != NULL ? EFI_SUCCESS : EFI_NOT_FOUND;
}

static EFI_STATUS EFIAPI get_attributes(struct memory_attributes *self, EFI_PHYSICAL_ADDRESS at,
                                        UINT64 bytes, UINT64 *attributes)
{
    assert_ptr_equal(self, firmware.attributes);
    assert_int_equal((at | bytes) % MEMORY_PAGE, 0);
    *attributes = firmware.data_is;
    return EFI_SUCCESS;
}

static EFI_STATUS EFIAPI set_attributes(struct memory_attributes *self, EFI_PHYSICAL_ADDRESS at,
                                        UINT64 bytes, UINT64 attributes)
{
    assert_ptr_equal(self, firmware.attributes);
    assert_int_equal(attributes, EFI_MEMORY_XP);
    if (firmware.refuses)
        return EFI_UNSUPPORTED;
    firmware.kept = at;
    firmware.kept_bytes = bytes;
    return EFI_SUCCESS;
}

static EFI_STATUS EFIAPI clear_attributes(struct memory_attributes *self, EFI_PHYSICAL_ADDRESS at,
                                          UINT64 bytes, UINT64 attributes)
{
    assert_ptr_equal(self, firmware.attributes);
    assert_int_equal(attributes, EFI_MEMORY_XP);
    assert_int_equal(at, firmware.kept);
    assert_int_equal(bytes, firmware.kept_bytes);
    firmware.kept = 0;
    return EFI_SUCCESS;
}

/* Whatever is not freed again is the leak checker's. */
static EFI_STATUS EFIAPI allocate(EFI_ALLOCATE_TYPE how, EFI_MEMORY_TYPE type, UINTN pages,
                                  EFI_PHYSICAL_ADDRESS *at)
{
    assert_int_equal(how, AllocateMaxAddress);
    assert_int_equal(type, EfiLoaderData);
    if (firmware.nothing_left)
        return EFI_OUT_OF_RESOURCES;
    assert_true(firmware.allocated < 16);
    *at = (uint64_t)aligned_alloc(MEMORY_PAGE, pages * MEMORY_PAGE);
    firmware.at[firmware.allocated] = *at;
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
    while (i < firmware.allocated && firmware.at[i] != at)
        i++;
    assert_true(i < firmware.allocated);
    assert_int_equal(firmware.pages[i], pages);
    assert_int_not_equal(at, firmware.kept); /* given back as it was */
    firmware.at[i] = 0;
    firmware.freed++;
    free((void *)at);
    return EFI_SUCCESS;
}

/* A megabyte of free memory for each descriptor. */
static EFI_STATUS EFIAPI get_map(UINTN *bytes, EFI_MEMORY_DESCRIPTOR *map, UINTN *key,
                                 UINTN *stride, UINT32 *version)
{
    UINTN room = *bytes;
    firmware.asked++;
    *bytes = (UINTN)firmware.descriptors * STRIDE;
    *stride = STRIDE;
    *key = 1;
    *version = 1;
    if (firmware.broken)
        return EFI_OUT_OF_RESOURCES;
    if (room < *bytes)
        return EFI_BUFFER_TOO_SMALL;
    for (unsigned i = 0; i < firmware.descriptors; i++)
        *(EFI_MEMORY_DESCRIPTOR *)((uint8_t *)map + i * STRIDE) =
            (EFI_MEMORY_DESCRIPTOR){.Type = EfiConventionalMemory,
                                    .PhysicalStart = (uint64_t)i << 20,
                                    .NumberOfPages = 256,
                                    .Attribute = EFI_MEMORY_WB};
    return EFI_SUCCESS;
}

static uint64_t megabytes_seen(void)
{
    return memory_free_within(&memory_everywhere, 1) >> 20;
}

static EFI_BOOT_SERVICES services = {.AllocatePages = allocate,
                                     .FreePages = release,
                                     .GetMemoryMap = get_map,
                                     .LocateProtocol = locate};
EFI_BOOT_SERVICES *firmware_boot = &services;

/* The memory that a map was read into stays for the next one, from test to test. */
SETUP(start)
{
    firmware.attributes = NULL;
    firmware.data_is = 0;
    firmware.asked = firmware.growing = 0;
    firmware.refuses = firmware.nothing_left = firmware.broken = false;
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
    assert_true(firmware.asked <= MAP_TRIES);
}

TEST(another_error_is_not_tried_again)
{
    firmware.descriptors = 10;
    firmware.broken = true;
    assert_int_equal(megabytes_seen(), 0);
    assert_int_equal(firmware.asked, 1);
}

static struct memory_attributes attributes = {get_attributes, set_attributes, clear_attributes};

TEST(generated_code_does_not_run_where_the_firmware_has_it_until_it_is_given_back)
{
    firmware.attributes = &attributes;
    uint64_t data = memory_allocate(1, MEMORY_DATA);
    assert_int_equal(firmware.kept, 0);
    uint64_t code = memory_allocate(2 * MEMORY_PAGE + 1, MEMORY_CODE);
    assert_int_equal(firmware.kept, code);
    assert_int_equal(firmware.kept_bytes, 3 * MEMORY_PAGE);
    memory_free(data, 1);
    assert_int_equal(firmware.kept, code);
    memory_free(code, 2 * MEMORY_PAGE + 1);
    assert_int_equal(firmware.kept, 0);
}

TEST(where_data_never_runs_nothing_is_asked_for)
{
    firmware.attributes = &attributes;
    firmware.data_is = EFI_MEMORY_XP;
    uint64_t code = memory_allocate(1, MEMORY_CODE);
    assert_int_equal(firmware.kept, 0);
    firmware.kept = 1; /* what is not ours stays */
    memory_free(code, 1);
    assert_int_equal(firmware.kept, 1);
    firmware.kept = 0;
}

TEST(a_firmware_that_refuses_or_has_no_such_protocol_gives_the_memory_all_the_same)
{
    for (unsigned i = 0; i < 2; i++) {
        firmware.attributes = i == 0 ? &attributes : NULL;
        firmware.refuses = true;
        uint64_t code = memory_allocate(1, MEMORY_CODE);
        assert_int_not_equal(code, 0);
        memory_free(code, 1);
    }
}

/* Tables may be in a PC's ROM, which no map has. */
TEST(the_rom_may_be_read)
{
    firmware.broken = true;
    assert_true(memory_is_mapped(ROM_START, ROM_END - ROM_START));
    assert_true(memory_is_mapped(ROM_END - 1, 1));
    assert_false(memory_is_mapped(ROM_START, ROM_END - ROM_START + 1));
    assert_false(memory_is_mapped(ROM_START, UINT64_MAX));
    assert_false(memory_is_mapped(ROM_START - 1, 2));
    assert_false(memory_is_mapped(ROM_END, 1));
}

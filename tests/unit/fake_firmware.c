/* fake_firmware: the services behind fake_firmware.h. */
#include "fake_firmware.h"

#include "../../kernel/probe/native.h"
#include "kit.h"

/* Declared here: including its header of efi/ would have its source compiled for the library. */
extern EFI_BOOT_SERVICES *firmware_boot;
void watchdog_feed(void);
void watchdog_feed_for(uint64_t seconds);
void console_printf(const char *format, ...) __attribute__((format(printf, 1, 2)));

struct fake_firmware fake;

/* --- in place of other files ----------------------------------------------------------------- */

uint64_t native_ticks(void)
{
    return 1000 * ++fake.microseconds;
}

void watchdog_feed(void)
{
    fake.fed++;
}

void watchdog_feed_for(uint64_t seconds)
{
    fake.fed++;
    fake.fed_for = seconds;
}

void console_printf(const char *format, ...)
{
    size_t length = strlen(fake.printed);
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(fake.printed + length, sizeof fake.printed - length, format, arguments);
    va_end(arguments);
}

/* --- services -------------------------------------------------------------------------------- */

static EFI_STATUS EFIAPI stall(UINTN microseconds)
{
    assert_compare(microseconds, >, 0);
    fake.stalls++;
    fake.microseconds += microseconds * (fake.slow_stalls > 0 ? 20 : 1);
    fake.slow_stalls -= fake.slow_stalls > 0;
    return EFI_SUCCESS;
}

static EFI_STATUS EFIAPI create_event(UINT32 type, EFI_TPL level, EFI_EVENT_NOTIFY notify,
                                      void *context, EFI_EVENT *event)
{
    assert_numbers((type, level), (fake.event_type, fake.event_level));
    assert_ptr_equal(notify, fake.event_notify);
    assert_int_equal(context != NULL, notify != NULL);
    if (fake.no_event)
        return EFI_OUT_OF_RESOURCES;
    fake.open_events++;
    *event = FAKE_EVENT;
    return EFI_SUCCESS;
}

static EFI_STATUS EFIAPI close_event(EFI_EVENT event)
{
    assert_ptr_equal(event, FAKE_EVENT);
    assert_compare(fake.open_events, >, 0);
    fake.open_events--;
    return EFI_SUCCESS;
}

static EFI_STATUS EFIAPI free_pool(void *memory)
{
    assert_non_null(memory);
    free(memory);
    return EFI_SUCCESS;
}

static EFI_STATUS EFIAPI locate_protocol(EFI_GUID *guid, void *key, void **protocol)
{
    assert_null(key);
    for (unsigned i = 0; i < fake.protocols; i++)
        if (memcmp(guid, &fake.protocol[i].guid, sizeof *guid) == 0) {
            *protocol = fake.protocol[i].protocol;
            return EFI_SUCCESS;
        }
    return EFI_NOT_FOUND;
}

static EFI_STATUS EFIAPI handle_protocol(EFI_HANDLE handle, EFI_GUID *guid, void **protocol)
{
    assert_ptr_equal(handle, fake.owner);
    return locate_protocol(guid, NULL, protocol);
}

static EFI_STATUS EFIAPI locate_handles(EFI_LOCATE_SEARCH_TYPE type, EFI_GUID *guid, void *key,
                                        UINTN *count, EFI_HANDLE **handles)
{
    assert_int_equal(type, ByProtocol);
    assert_null(key);
    assert_int_equal(guid->Data1, fake.handles_guid);
    if (fake.handles == 0)
        return EFI_NOT_FOUND;
    *handles = malloc(sizeof fake.handle);
    memcpy(*handles, fake.handle, sizeof fake.handle);
    *count = fake.handles;
    return EFI_SUCCESS;
}

static EFI_STATUS EFIAPI read_blocks(EFI_BLOCK_IO *self, UINT32 medium, EFI_LBA lba, UINTN bytes,
                                     void *to)
{
    assert_ptr_equal(self, &fake.blocks);
    assert_compare(lba * FAKE_SECTOR + bytes, <=, sizeof fake.disk);
    if (medium != fake.media.MediaId)
        return EFI_MEDIA_CHANGED;
    memcpy(to, fake.disk + lba * FAKE_SECTOR, bytes);
    return fake.disk_status;
}

void fake_firmware_offer(EFI_GUID guid, void *protocol)
{
    fake.protocol[fake.protocols].guid = guid;
    fake.protocol[fake.protocols++].protocol = protocol;
}

void fake_firmware_start(void)
{
    fake = (struct fake_firmware){.microseconds = fake.microseconds};
    fake.boot.Stall = stall;
    fake.boot.CreateEvent = create_event;
    fake.boot.CloseEvent = close_event;
    fake.boot.FreePool = free_pool;
    fake.boot.LocateProtocol = locate_protocol;
    fake.boot.HandleProtocol = handle_protocol;
    fake.boot.LocateHandleBuffer = locate_handles;
    fake.media.MediaId = 7;
    fake.media.MediaPresent = TRUE;
    fake.media.BlockSize = FAKE_SECTOR;
    fake.media.LastBlock = sizeof fake.disk / FAKE_SECTOR - 1;
    fake.blocks.Media = &fake.media;
    fake.blocks.ReadBlocks = read_blocks;
    firmware_boot = &fake.boot;
}

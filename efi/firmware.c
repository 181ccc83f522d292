/* firmware: the tables handed to efi_main, and its status codes in words. */
#include "firmware.h"

#include "../kernel/cpu/pagetable.h"
#include "../kernel/cpu/registers.h"
#include "../kernel/lib/string.h"
#include "../kernel/probe/native.h"
#include "watchdog.h"

#define CALIBRATIONS 3
#define CALIBRATION_MILLISECONDS 5
#define PCI_CLASS_AT 0x0b /* PCI 3.0, 6.1 */
#define TICK 100000       /* of 100 ns: 10 ms */

EFI_HANDLE firmware_image;
EFI_SYSTEM_TABLE *firmware_system;
EFI_BOOT_SERVICES *firmware_boot;

const char *firmware_status(EFI_STATUS status)
{
    static const struct {
        EFI_STATUS status;
        const char *words;
    } known[] = {
        {EFI_WRITE_PROTECTED, "the volume is write protected"},
        {EFI_VOLUME_FULL, "the volume is full"},
        {EFI_VOLUME_CORRUPTED, "the volume is corrupted"},
        {EFI_ACCESS_DENIED, "the firmware denies access"},
        {EFI_NOT_FOUND, "not found"},
        {EFI_NO_MEDIA, "there is no medium"},
        {EFI_MEDIA_CHANGED, "the medium was changed"},
        {EFI_DEVICE_ERROR, "the device reported an error"},
        {EFI_TIMEOUT, "the device did not answer in time"},
        {EFI_ABORTED, "the firmware broke it off"},
        {EFI_OUT_OF_RESOURCES, "the firmware is out of memory"},
        {EFI_UNSUPPORTED, "the firmware does not support it"},
        {EFI_INVALID_PARAMETER, "the firmware refused a parameter"},
    };
    for (unsigned i = 0; i < sizeof known / sizeof *known; i++)
        if (known[i].status == status)
            return known[i].words;
    return "the firmware reported an unknown error";
}

void *firmware_protocol(EFI_HANDLE handle, const EFI_GUID *guid)
{
    void *protocol;
    if (handle == NULL ||
        EFI_ERROR(firmware_boot->HandleProtocol(handle, (EFI_GUID *)guid, &protocol)))
        return NULL;
    return protocol;
}

const EFI_DEVICE_PATH *firmware_next_node(const EFI_DEVICE_PATH *node)
{
    size_t length = DevicePathNodeLength(node);
    if (node->Type == END_DEVICE_PATH_TYPE || length < sizeof *node)
        return NULL;
    return (const EFI_DEVICE_PATH *)((const uint8_t *)node + length);
}

void firmware_connect(unsigned pci_class)
{
    EFI_GUID guid = EFI_PCI_IO_PROTOCOL_GUID;
    EFI_HANDLE *handle;
    UINTN handles;
    if (EFI_ERROR(firmware_boot->LocateHandleBuffer(ByProtocol, &guid, NULL, &handles, &handle)))
        return;
    for (UINTN i = 0; i < handles; i++) {
        EFI_PCI_IO_PROTOCOL *pci = firmware_protocol(handle[i], &guid);
        uint8_t class;
        if (pci == NULL ||
            EFI_ERROR(pci->Pci.Read(pci, EfiPciIoWidthUint8, PCI_CLASS_AT, 1, &class)) ||
            class != pci_class)
            continue;
        watchdog_feed();
        firmware_boot->ConnectController(handle[i], NULL, NULL, TRUE);
    }
    firmware_boot->FreePool(handle);
}

EFI_LOADED_IMAGE *firmware_loaded_image(void)
{
    return firmware_protocol(firmware_image, &(EFI_GUID)EFI_LOADED_IMAGE_PROTOCOL_GUID);
}

bool firmware_is_shell(void)
{
    static const EFI_GUID guid = {
        0x752f3136, 0x4e16, 0x4fdc, {0xa2, 0x2a, 0xe5, 0xf4, 0x68, 0x12, 0xf4, 0xca}};
    return firmware_protocol(firmware_image, &guid) != NULL;
}

const void *firmware_configuration_table(const EFI_GUID *guid)
{
    for (UINTN i = 0; i < firmware_system->NumberOfTableEntries; i++) {
        const EFI_CONFIGURATION_TABLE *table = &firmware_system->ConfigurationTable[i];
        if (memcmp(&table->VendorGuid, guid, sizeof *guid) == 0)
            return table->VendorTable;
    }
    return NULL;
}

bool firmware_maps(uint64_t address, uint64_t bytes, bool is_written)
{
    uint64_t frame = pagetable_frame();
    uint64_t rights = is_written && cr0_read() & CR0_WP ? PTE_WRITE : 0; /* else none counts */
    return pagetable_maps((const uint64_t *)(cr3_read() & frame), cr4_read() & CR4_LA57 ? 5 : 4,
                          frame, address, bytes, rights);
}

static struct {
    uint64_t start, ticks_per_millisecond; /* 0: not known yet */
} passing;

/* Returns the shortest of three waits: an interrupt only lengthens its own. */
static uint64_t ticks_per_millisecond(void)
{
    uint64_t least = UINT64_MAX;
    for (unsigned i = 0; i < CALIBRATIONS; i++) {
        uint64_t start = native_ticks();
        firmware_pause(CALIBRATION_MILLISECONDS);
        uint64_t ticks = native_ticks() - start;
        least = ticks < least ? ticks : least;
    }
    return least / CALIBRATION_MILLISECONDS;
}

void firmware_know_rate(uint64_t ticks_per_second)
{
    passing.ticks_per_millisecond = ticks_per_second / 1000;
}

uint64_t firmware_milliseconds(void)
{
    if (passing.start == 0)
        passing.start = native_ticks();
    if (passing.ticks_per_millisecond == 0)
        passing.ticks_per_millisecond = ticks_per_millisecond();
    return passing.ticks_per_millisecond > 0
               ? (native_ticks() - passing.start) / passing.ticks_per_millisecond
               : 0;
}

void firmware_pause(unsigned milliseconds)
{
    firmware_boot->Stall(milliseconds * 1000ul);
}

void firmware_sleep(unsigned milliseconds)
{
    uint64_t end = firmware_milliseconds() + milliseconds;
    bool is_ticking = false;
    EFI_EVENT tick = NULL;
    UINTN which;
    if (!EFI_ERROR(firmware_boot->CreateEvent(EVT_TIMER, 0, NULL, NULL, &tick)))
        firmware_boot->SetTimer(tick, TimerPeriodic, TICK);
    else
        tick = NULL;
    while (firmware_milliseconds() < end) {
        if (is_ticking && !EFI_ERROR(firmware_boot->WaitForEvent(1, &tick, &which)))
            continue;
        is_ticking = tick != NULL && firmware_boot->CheckEvent(tick) == EFI_SUCCESS;
        if (!is_ticking)
            firmware_pause(1);
    }
    if (tick != NULL)
        firmware_boot->CloseEvent(tick);
}

/* calls: hooks of the tables' and protocols' functions, which look at who calls. */
#include "calls.h"

#include "../../../kernel/lib/string.h"
#include "firmware.h"
#include "hang.h"
#include "vices.h"

#define PLACES_MAX 512
#define GIVEN_MAX 2
#define HOOKS_MAX 256 /* as many stubs as calls_stubs.S has, */
#define STUB_BYTES 16 /* of so many bytes */
#define WILD 0xaf     /* what edk2 fills memory with that nobody may use */
#define ARGUMENTS 8

/* Describes an argument by which a call gives something back: its bytes, or a buffer, whose size
 * another argument points to, or is. */
struct given {
    uint8_t argument; /* from 1; 0: there is nothing */
    uint8_t bytes;    /* 0: as many as */
    uint8_t size_at;  /* this argument points to, */
    uint8_t size;     /* or is */
};

#define POINTER(argument)                                                                          \
    {                                                                                              \
        argument, sizeof(void *), 0, 0                                                             \
    }
#define NUMBER(argument)                                                                           \
    {                                                                                              \
        argument, sizeof(UINTN), 0, 0                                                              \
    }
#define BUFFER(argument, size_at)                                                                  \
    {                                                                                              \
        argument, 0, size_at, 0                                                                    \
    }
#define BLOCKS(argument, size)                                                                     \
    {                                                                                              \
        argument, 0, 0, size                                                                       \
    }

enum table { BOOT, RUNTIME, OUTPUT, INPUT, FILES, FILE_HANDLE, DISK, PCI, PROCESSORS, TABLES };

static const EFI_GUID guids[TABLES] = {
    [OUTPUT] = EFI_SIMPLE_TEXT_OUTPUT_PROTOCOL_GUID,
    [INPUT] = EFI_SIMPLE_TEXT_INPUT_PROTOCOL_GUID,
    [FILES] = EFI_SIMPLE_FILE_SYSTEM_PROTOCOL_GUID,
    [DISK] = EFI_BLOCK_IO_PROTOCOL_GUID,
    [PCI] = EFI_PCI_IO_PROTOCOL_GUID,
    [PROCESSORS] = {0x3fdda605, 0xa76e, 0x4f46, {0xad, 0x29, 0x12, 0xf4, 0x53, 0x1b, 0x3d, 0x08}},
};

/* Errors are those that UEFI 2.10 and PI 1.8 name for the service; 0: they name none. */
static const struct service {
    enum table table;
    const char *name;
    uint16_t at;
    EFI_STATUS error;
    struct given given[GIVEN_MAX];
} services[] = {
#define SERVICE(table, type, name, ...)                                                            \
    {                                                                                              \
        table, #name, offsetof(type, name), __VA_ARGS__                                            \
    }
#define BOOT_SERVICE(...) SERVICE(BOOT, EFI_BOOT_SERVICES, __VA_ARGS__)
#define FILE_SERVICE(...) SERVICE(FILE_HANDLE, EFI_FILE, __VA_ARGS__)
    BOOT_SERVICE(RaiseTPL, 0, {}),
    BOOT_SERVICE(RestoreTPL, 0, {}),
    BOOT_SERVICE(AllocatePages, EFI_OUT_OF_RESOURCES, {POINTER(4)}),
    BOOT_SERVICE(FreePages, EFI_NOT_FOUND, {}),
    BOOT_SERVICE(GetMemoryMap, EFI_INVALID_PARAMETER, {NUMBER(1), NUMBER(4)}),
    BOOT_SERVICE(AllocatePool, EFI_OUT_OF_RESOURCES, {POINTER(3)}),
    BOOT_SERVICE(FreePool, EFI_INVALID_PARAMETER, {}),
    BOOT_SERVICE(CreateEvent, EFI_OUT_OF_RESOURCES, {POINTER(5)}),
    BOOT_SERVICE(SetTimer, EFI_INVALID_PARAMETER, {}),
    BOOT_SERVICE(WaitForEvent, EFI_UNSUPPORTED, {NUMBER(3)}),
    BOOT_SERVICE(SignalEvent, 0, {}),
    BOOT_SERVICE(CloseEvent, 0, {}),
    BOOT_SERVICE(CheckEvent, EFI_INVALID_PARAMETER, {}),
    BOOT_SERVICE(HandleProtocol, EFI_UNSUPPORTED, {POINTER(3)}),
    BOOT_SERVICE(LocateDevicePath, EFI_NOT_FOUND, {POINTER(3)}),
    BOOT_SERVICE(Stall, 0, {}),
    BOOT_SERVICE(SetWatchdogTimer, EFI_UNSUPPORTED, {}),
    BOOT_SERVICE(ConnectController, EFI_NOT_FOUND, {}),
    BOOT_SERVICE(DisconnectController, EFI_DEVICE_ERROR, {}),
    BOOT_SERVICE(OpenProtocol, EFI_UNSUPPORTED, {POINTER(3)}),
    BOOT_SERVICE(CloseProtocol, EFI_NOT_FOUND, {}),
    BOOT_SERVICE(OpenProtocolInformation, EFI_NOT_FOUND, {POINTER(3), NUMBER(4)}),
    BOOT_SERVICE(LocateHandleBuffer, EFI_NOT_FOUND, {NUMBER(4), POINTER(5)}),
    BOOT_SERVICE(LocateProtocol, EFI_NOT_FOUND, {POINTER(3)}),
    SERVICE(RUNTIME, EFI_RUNTIME_SERVICES, GetTime, EFI_DEVICE_ERROR,
            {{1, sizeof(EFI_TIME), 0, 0}}),
    SERVICE(RUNTIME, EFI_RUNTIME_SERVICES, GetVariable, EFI_NOT_FOUND, {NUMBER(4), BUFFER(5, 4)}),
    SERVICE(RUNTIME, EFI_RUNTIME_SERVICES, SetVariable, EFI_OUT_OF_RESOURCES, {}),
    SERVICE(RUNTIME, EFI_RUNTIME_SERVICES, ResetSystem, EFI_UNSUPPORTED, {}),
    SERVICE(OUTPUT, SIMPLE_TEXT_OUTPUT_INTERFACE, OutputString, EFI_DEVICE_ERROR, {}),
    SERVICE(OUTPUT, SIMPLE_TEXT_OUTPUT_INTERFACE, ClearScreen, EFI_DEVICE_ERROR, {}),
    SERVICE(INPUT, SIMPLE_INPUT_INTERFACE, ReadKeyStroke, EFI_DEVICE_ERROR,
            {{2, sizeof(EFI_INPUT_KEY), 0, 0}}),
    SERVICE(FILES, EFI_FILE_IO_INTERFACE, OpenVolume, EFI_VOLUME_CORRUPTED, {POINTER(2)}),
    FILE_SERVICE(Open, EFI_DEVICE_ERROR, {POINTER(2)}),
    FILE_SERVICE(Close, 0, {}),
    FILE_SERVICE(Delete, EFI_WARN_DELETE_FAILURE, {}),
    FILE_SERVICE(Read, EFI_DEVICE_ERROR, {NUMBER(2), BUFFER(3, 2)}),
    FILE_SERVICE(Write, EFI_VOLUME_FULL, {NUMBER(2)}),
    FILE_SERVICE(GetPosition, EFI_DEVICE_ERROR, {NUMBER(2)}),
    FILE_SERVICE(SetPosition, EFI_DEVICE_ERROR, {}),
    FILE_SERVICE(GetInfo, EFI_DEVICE_ERROR, {NUMBER(3), BUFFER(4, 3)}),
    FILE_SERVICE(SetInfo, EFI_DEVICE_ERROR, {}),
    FILE_SERVICE(Flush, EFI_DEVICE_ERROR, {}),
    SERVICE(DISK, EFI_BLOCK_IO, ReadBlocks, EFI_DEVICE_ERROR, {BLOCKS(5, 4)}),
    SERVICE(DISK, EFI_BLOCK_IO, WriteBlocks, EFI_DEVICE_ERROR, {}),
    SERVICE(DISK, EFI_BLOCK_IO, FlushBlocks, EFI_DEVICE_ERROR, {}),
    {PCI, "PciRead", offsetof(EFI_PCI_IO_PROTOCOL, Pci.Read), EFI_UNSUPPORTED, {{5, 1, 0, 0}}},
    {PROCESSORS, "GetNumberOfProcessors", 0, EFI_DEVICE_ERROR, {NUMBER(2), NUMBER(3)}},
    {PROCESSORS, "GetProcessorInfo", 8, EFI_NOT_FOUND, {{3, 24, 0, 0}}},
    {PROCESSORS, "StartupThisAP", 24, EFI_TIMEOUT, {{7, 1, 0, 0}}},
};

enum { SERVICES = sizeof services / sizeof *services };

/* A function that was hooked; the same of several files is one. */
static struct hook {
    const struct service *service;
    uint64_t function;
} hooks[HOOKS_MAX];

static struct place {
    const struct service *service;
    uint32_t at;
    uint32_t count;
} places[PLACES_MAX];

static uint64_t base, end;
static unsigned hook_count, place_count;
static enum { FAILS, HANGS, GIVES } ending;
static uint64_t ending_call; /* as the vices get it; 0: all calls end as they do */
static uint8_t filler;

/* The one call that is looked at when it returns. */
static struct {
    const struct service *service;
    uint64_t argument[ARGUMENTS];
    bool is_spoilt;
} seen;

/* These are in calls_stubs.S: stub i enters calls_enter with i; a call goes on at the others. */
extern const uint8_t calls_stubs[], calls_after[], calls_refused[];
uint64_t calls_return, calls_status;
EFIAPI uint64_t calls_enter(uint64_t index, uint64_t *arguments);
EFIAPI EFI_STATUS calls_leave(EFI_STATUS status);

static void hook(const struct service *service, void *table)
{
    uint64_t *slot = (uint64_t *)((uint8_t *)table + service->at);
    uint64_t stubs = (uint64_t)calls_stubs;
    unsigned i = 0;
    if (*slot >= stubs && *slot < stubs + HOOKS_MAX * STUB_BYTES)
        return;
    while (i < hook_count && (hooks[i].service != service || hooks[i].function != *slot))
        i++;
    if (i == HOOKS_MAX)
        firmware_give_up("there are too many functions", i);
    hook_count += i == hook_count;
    hooks[i] = (struct hook){service, *slot};
    *slot = stubs + i * STUB_BYTES;
}

static void hook_table(enum table table, void *at)
{
    for (unsigned i = 0; i < SERVICES; i++)
        if (services[i].table == table)
            hook(&services[i], at);
}

static void hook_protocols(enum table table)
{
    EFI_BOOT_SERVICES *boot = firmware_system->BootServices;
    EFI_HANDLE *handle;
    EFI_GUID guid = guids[table];
    UINTN handles;
    void *protocol;
    if (EFI_ERROR(boot->LocateHandleBuffer(ByProtocol, &guid, NULL, &handles, &handle)))
        return;
    for (UINTN i = 0; i < handles; i++)
        if (!EFI_ERROR(boot->HandleProtocol(handle[i], &guid, &protocol)))
            hook_table(table, protocol);
}

static struct place *place_of(const struct service *service, uint64_t caller)
{
    struct place *place = places;
    uint32_t at = (uint32_t)(caller - base);
    while (place < places + place_count && (place->at != at || place->service != service))
        place++;
    if (place < places + place_count)
        return place;
    if (place_count++ == PLACES_MAX)
        firmware_give_up("there are too many places", PLACES_MAX);
    *place = (struct place){service, at, 0};
    return place;
}

/* True if the service opens a file, whose functions are to be hooked. */
static bool opens(const struct service *service)
{
    return service->table == FILES ||
           (service->table == FILE_HANDLE && service->at == offsetof(EFI_FILE, Open));
}

bool calls_are_from(uint64_t caller)
{
    return caller >= base && caller < end;
}

/* Returns where the stub goes on; arguments[-1] is where the call returns to. */
EFIAPI uint64_t calls_enter(uint64_t index, uint64_t *arguments)
{
    const struct service *service = hooks[index].service;
    uint64_t caller = arguments[-1];
    if (!vices_are_on() || !calls_are_from(caller))
        return hooks[index].function;
    struct place *place = place_of(service, caller);
    bool is_meant = ((uint64_t)place->at << 32 | ++place->count) == ending_call;
    if (is_meant && ending == HANGS)
        hang_now();
    if (is_meant && ending == FAILS) {
        calls_status = service->error;
        return (uint64_t)calls_refused;
    }
    if (!is_meant && !opens(service))
        return hooks[index].function;
    seen.service = service;
    seen.is_spoilt = is_meant;
    memcpy(seen.argument, arguments, sizeof seen.argument);
    calls_return = caller;
    arguments[-1] = (uint64_t)calls_after;
    return hooks[index].function;
}

static void spoil(const struct given *given)
{
    const uint64_t *argument = seen.argument - 1;
    uint64_t bytes = given->bytes;
    if (given->argument == 0 || argument[given->argument] == 0)
        return;
    if (given->size != 0)
        bytes = argument[given->size];
    if (given->size_at != 0)
        bytes = *(uint64_t *)argument[given->size_at];
    memset((void *)argument[given->argument], filler, bytes);
}

EFIAPI EFI_STATUS calls_leave(EFI_STATUS status)
{
    if (!EFI_ERROR(status) && opens(seen.service))
        hook_table(FILE_HANDLE, *(void **)seen.argument[1]);
    if (!seen.is_spoilt)
        return status;
    for (unsigned i = GIVEN_MAX; i > 0; i--) /* sizes come before their buffers */
        spoil(&seen.service->given[i - 1]);
    return EFI_SUCCESS;
}

void calls_of(EFI_HANDLE image)
{
    EFI_LOADED_IMAGE *loaded;
    EFI_GUID guid = EFI_LOADED_IMAGE_PROTOCOL_GUID;
    EFI_STATUS status =
        firmware_system->BootServices->HandleProtocol(image, &guid, (void **)&loaded);
    if (EFI_ERROR(status))
        firmware_give_up("the image is not there", status);
    base = (uint64_t)loaded->ImageBase;
    end = base + loaded->ImageSize;
}

void calls_are_counted(uint64_t unused)
{
    (void)unused;
    for (enum table table = OUTPUT; table < TABLES; table++)
        if (table != FILE_HANDLE)
            hook_protocols(table);
    hook_table(OUTPUT, firmware_system->ConOut);
    hook_table(INPUT, firmware_system->ConIn);
    hook_table(RUNTIME, firmware_system->RuntimeServices);
    hook_table(BOOT, firmware_system->BootServices);
}

void calls_fail(uint64_t which)
{
    ending = FAILS;
    ending_call = which;
}

void calls_hang(uint64_t which)
{
    ending = HANGS;
    ending_call = which;
}

void calls_give_zero(uint64_t which)
{
    ending = GIVES;
    filler = 0;
    ending_call = which;
}

void calls_give_wild(uint64_t which)
{
    ending = GIVES;
    filler = WILD;
    ending_call = which;
}

void calls_tell(const char *moment, struct text *text)
{
    for (const struct place *p = places; p < places + place_count; p++)
        text_printf(text, "%s call-%s-%s%sh-%x %x\n", moment, p->service->name,
                    p->service->error != 0 ? "e" : "",
                    p->service->given[0].argument != 0 ? "g" : "", p->at, p->count);
}

/* test_firmware: sleeping, with the timers that a firmware may have, and walking a device path. */
#include "../../efi/firmware.c"
#include "kit.h"

/* Time goes by where it is waited for. */
static uint64_t microseconds_now;

uint64_t native_ticks(void)
{
    return 1000 * ++microseconds_now;
}

#define MILLISECONDS 30 /* three ticks */
#define TICK_MICROSECONDS 10000

static bool no_event, no_timer, no_wait;
static unsigned ticks_until; /* looks at the event until its first tick */
static unsigned looks, waits, stalls, open_events;
static uint64_t next_tick;

static EFI_STATUS EFIAPI stall(UINTN microseconds)
{
    stalls++;
    microseconds_now += microseconds;
    return EFI_SUCCESS;
}

static unsigned fed;

void watchdog_feed(void)
{
    fed++;
}

static EFI_STATUS EFIAPI create_event(UINT32 type, EFI_TPL level, EFI_EVENT_NOTIFY notify,
                                      VOID *context, EFI_EVENT *event)
{
    assert_int_equal(type, EVT_TIMER);
    assert_true(level == 0 && notify == NULL && context == NULL);
    if (no_event)
        return EFI_OUT_OF_RESOURCES;
    open_events++;
    *event = &open_events;
    return EFI_SUCCESS;
}

static EFI_STATUS EFIAPI set_timer(EFI_EVENT event, EFI_TIMER_DELAY kind, UINT64 period)
{
    assert_ptr_equal(event, &open_events);
    assert_int_equal(kind, TimerPeriodic);
    assert_int_equal(period, 100000);
    return no_timer ? EFI_UNSUPPORTED : EFI_SUCCESS;
}

static EFI_STATUS EFIAPI check_event(EFI_EVENT event)
{
    assert_ptr_equal(event, &open_events);
    looks++;
    if (no_timer || looks <= ticks_until || microseconds_now < next_tick)
        return EFI_NOT_READY;
    next_tick = microseconds_now + TICK_MICROSECONDS;
    return EFI_SUCCESS;
}

static EFI_STATUS EFIAPI wait_for_event(UINTN count, EFI_EVENT *event, UINTN *which)
{
    assert_int_equal(count, 1);
    assert_ptr_equal(*event, &open_events);
    assert_true(looks > ticks_until); /* a timer that never ticks would be waited for without end */
    waits++;
    if (no_wait)
        return EFI_UNSUPPORTED;
    microseconds_now += TICK_MICROSECONDS;
    *which = 0;
    return EFI_SUCCESS;
}

static EFI_STATUS EFIAPI close_event(EFI_EVENT event)
{
    assert_ptr_equal(event, &open_events);
    open_events--;
    return EFI_SUCCESS;
}

static EFI_BOOT_SERVICES services = {.Stall = stall,
                                     .CreateEvent = create_event,
                                     .SetTimer = set_timer,
                                     .CheckEvent = check_event,
                                     .WaitForEvent = wait_for_event,
                                     .CloseEvent = close_event};

SETUP(start)
{
    firmware_boot = &services;
    no_event = no_timer = no_wait = false;
    ticks_until = looks = 0;
    firmware_milliseconds(); /* calibrated */
    waits = stalls = 0;
    next_tick = 0;
}

/* As long as it was told, by a clock of milliseconds and ticks; what was opened is closed. */
static void sleep_and_check(void)
{
    uint64_t before = microseconds_now;
    firmware_sleep(MILLISECONDS);
    assert_in_range(microseconds_now - before, (MILLISECONDS - 1) * 1000,
                    (MILLISECONDS + 11) * 1000);
    assert_int_equal(open_events, 0);
}

TEST(the_processor_sleeps_once_the_timer_ticks)
{
    ticks_until = 2;
    sleep_and_check();
    assert_int_equal(stalls, 2);
    assert_int_equal(waits, 3);
}

TEST(a_timer_that_is_dead_or_missing_is_not_waited_for)
{
    no_timer = true;
    sleep_and_check();
    assert_int_equal(waits, 0);
    assert_in_range(stalls, 1, MILLISECONDS);
    no_timer = false;
    no_event = true;
    looks = stalls = 0;
    sleep_and_check();
    assert_int_equal(looks, 0);
    assert_int_equal(waits, 0);
    assert_in_range(stalls, 1, MILLISECONDS);
}

TEST(where_waiting_is_refused_it_pauses)
{
    no_wait = true;
    sleep_and_check();
    assert_true(waits > 0 && stalls > 0);
}

TEST(no_time_is_no_sleep)
{
    firmware_sleep(0);
    assert_int_equal(waits + stalls, 0);
    assert_int_equal(open_events, 0);
}

TEST(a_device_path_is_walked_to_its_end)
{
    static const uint8_t path[] = {2, 12, 6, 0, 0, 0, 1, 1, 4, 0, 0x7f, 0xff, 4, 0};
    static const uint8_t broken[] = {2, 12, 3, 0, 0x7f, 0xff, 4, 0};
    const EFI_DEVICE_PATH *node = firmware_next_node((const EFI_DEVICE_PATH *)path);
    assert_ptr_equal(node, path + 6);
    node = firmware_next_node(node);
    assert_ptr_equal(node, path + 10);
    assert_null(firmware_next_node(node));
    assert_null(firmware_next_node((const EFI_DEVICE_PATH *)broken)); /* shorter than its header */
}

/* --- what is connected ------------------------------------------------------------------------ */

/* Devices of which only the class is known; the handle is the device. */
static struct device {
    EFI_PCI_IO_PROTOCOL pci;
    uint8_t class;
    bool is_dead;
    unsigned connected;
} devices[] = {{.class = 1}, {.class = 2}, {.class = 1, .is_dead = true}, {.class = 1}};

static EFI_STATUS EFIAPI read_class(EFI_PCI_IO_PROTOCOL *pci, EFI_PCI_IO_PROTOCOL_WIDTH width,
                                    UINT32 at, UINTN count, void *to)
{
    const struct device *device = (const struct device *)pci;
    assert_true(width == EfiPciIoWidthUint8 && at == 0x0b && count == 1);
    *(uint8_t *)to = device->class;
    return device->is_dead ? EFI_DEVICE_ERROR : EFI_SUCCESS;
}

static EFI_STATUS EFIAPI locate(EFI_LOCATE_SEARCH_TYPE type, EFI_GUID *guid, void *key,
                                UINTN *count, EFI_HANDLE **handles)
{
    static EFI_HANDLE found[sizeof devices / sizeof *devices];
    assert_true(type == ByProtocol && guid != NULL && key == NULL);
    for (unsigned i = 0; i < sizeof devices / sizeof *devices; i++)
        found[i] = &devices[i];
    *count = sizeof devices / sizeof *devices;
    *handles = found;
    return EFI_SUCCESS;
}

static EFI_STATUS EFIAPI device_protocol(EFI_HANDLE handle, EFI_GUID *guid, void **protocol)
{
    struct device *device = handle;
    assert_non_null(guid);
    device->pci.Pci.Read = read_class;
    *protocol = device;
    return EFI_SUCCESS;
}

static EFI_STATUS EFIAPI connect(EFI_HANDLE handle, EFI_HANDLE *drivers, EFI_DEVICE_PATH *remaining,
                                 BOOLEAN is_recursive)
{
    assert_true(drivers == NULL && remaining == NULL && is_recursive);
    ((struct device *)handle)->connected++;
    return EFI_NOT_FOUND; /* no driver was for it: most have theirs */
}

static EFI_STATUS EFIAPI free_pool(void *memory)
{
    assert_non_null(memory);
    return EFI_SUCCESS;
}

static EFI_HANDLE asked;

static EFI_STATUS EFIAPI loaded_image(EFI_HANDLE handle, EFI_GUID *guid, void **protocol)
{
    static const EFI_GUID loaded_image_guid = EFI_LOADED_IMAGE_PROTOCOL_GUID;
    asked = handle;
    *protocol = devices;
    return memcmp(guid, &loaded_image_guid, sizeof *guid) == 0 ? EFI_SUCCESS : EFI_UNSUPPORTED;
}

TEST(our_own_image_is_asked_for)
{
    EFI_BOOT_SERVICES asking = {.HandleProtocol = loaded_image};
    firmware_boot = &asking;
    firmware_image = &asking;
    assert_ptr_equal(firmware_loaded_image(), devices);
    assert_ptr_equal(asked, firmware_image);
    assert_false(firmware_is_shell());
    firmware_image = NULL; /* without a handle there is nothing to ask */
    assert_null(firmware_loaded_image());
    firmware_boot = &services;
}

TEST(devices_of_one_class_are_connected)
{
    EFI_BOOT_SERVICES connecting = {.LocateHandleBuffer = locate,
                                    .HandleProtocol = device_protocol,
                                    .ConnectController = connect,
                                    .FreePool = free_pool};
    EFI_BOOT_SERVICES *before = firmware_boot;
    firmware_boot = &connecting;
    fed = 0;
    firmware_connect(PCI_CLASS_STORAGE);
    firmware_boot = before;
    assert_int_equal(devices[0].connected, 1);
    assert_int_equal(devices[1].connected, 0);
    assert_int_equal(devices[2].connected, 0);
    assert_int_equal(devices[3].connected, 1);
    assert_int_equal(fed, 2); /* each takes as long as it likes */
}

/* test_firmware: sleeping, with the timers that a firmware may have, and walking a device path. */
#include "../../efi/firmware.c"
#include "fake_firmware.h"
#include "kit.h"

#define MILLISECONDS 30 /* three ticks */
#define TICK_MICROSECONDS 10000

static bool no_timer, no_wait;
static unsigned ticks_until; /* looks at the event until its first tick */
static unsigned looks, waits;
static uint64_t next_tick;

static EFI_STATUS EFIAPI set_timer(EFI_EVENT event, EFI_TIMER_DELAY kind, UINT64 period)
{
    assert_ptr_equal(event, FAKE_EVENT);
    assert_numbers((kind, period), (TimerPeriodic, 100000));
    return no_timer ? EFI_UNSUPPORTED : EFI_SUCCESS;
}

static EFI_STATUS EFIAPI check_event(EFI_EVENT event)
{
    assert_ptr_equal(event, FAKE_EVENT);
    looks++;
    if (no_timer || looks <= ticks_until || fake.microseconds < next_tick)
        return EFI_NOT_READY;
    next_tick = fake.microseconds + TICK_MICROSECONDS;
    return EFI_SUCCESS;
}

static EFI_STATUS EFIAPI wait_for_event(UINTN count, EFI_EVENT *event, UINTN *which)
{
    assert_int_equal(count, 1);
    assert_ptr_equal(*event, FAKE_EVENT);
    assert_compare(looks, >, ticks_until); /* a dead timer would be waited for without end */
    waits++;
    if (no_wait)
        return EFI_UNSUPPORTED;
    fake.microseconds += TICK_MICROSECONDS;
    *which = 0;
    return EFI_SUCCESS;
}

SETUP(start)
{
    fake_firmware_start();
    fake.boot.SetTimer = set_timer;
    fake.boot.CheckEvent = check_event;
    fake.boot.WaitForEvent = wait_for_event;
    fake.event_type = EVT_TIMER;
    no_timer = no_wait = false;
    ticks_until = looks = 0;
    firmware_milliseconds(); /* calibrated */
    waits = fake.stalls = 0;
    next_tick = 0;
}

/* As long as it was told, by a clock of milliseconds and ticks; what was opened is closed. */
static void sleep_and_check(void)
{
    uint64_t before = fake.microseconds;
    firmware_sleep(MILLISECONDS);
    assert_in_range(fake.microseconds - before, (MILLISECONDS - 1) * 1000,
                    (MILLISECONDS + 11) * 1000);
    assert_int_equal(fake.open_events, 0);
}

TEST(the_processor_sleeps_once_the_timer_ticks)
{
    ticks_until = 2;
    sleep_and_check();
    assert_numbers((fake.stalls, waits), (2, 3));
}

TEST(a_timer_that_is_dead_or_missing_is_not_waited_for)
{
    no_timer = true;
    sleep_and_check();
    assert_int_equal(waits, 0);
    assert_in_range(fake.stalls, 1, MILLISECONDS);
    no_timer = false;
    fake.no_event = true;
    looks = fake.stalls = 0;
    sleep_and_check();
    assert_numbers((looks, waits), (0, 0));
    assert_in_range(fake.stalls, 1, MILLISECONDS);
}

TEST(where_waiting_is_refused_it_pauses)
{
    no_wait = true;
    sleep_and_check();
    assert_compare(waits, >, 0);
    assert_compare(fake.stalls, >, 0);
}

/* A key press or a timer of the firmware made a wait of 5 ms last 100. */
TEST(patience_does_not_rest_on_one_wait)
{
    for (unsigned slow = 0; slow < 3; slow++) {
        passing.start = passing.ticks_per_millisecond = 0;
        fake.slow_stalls = slow;
        firmware_milliseconds();
        fake.slow_stalls = 0;
        sleep_and_check();
    }
}

/* The rate that was measured, or read, is better than both. */
TEST(a_known_rate_replaces_the_waits)
{
    fake.slow_stalls = UINT32_MAX;
    passing.start = passing.ticks_per_millisecond = 0;
    firmware_milliseconds();
    fake.slow_stalls = 0;
    firmware_know_rate(1000000000);
    sleep_and_check();
}

TEST(no_time_is_no_sleep)
{
    firmware_sleep(0);
    assert_numbers((waits + fake.stalls, fake.open_events), (0, 0));
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

TEST(our_own_image_is_asked_for)
{
    fake_firmware_offer((EFI_GUID)EFI_LOADED_IMAGE_PROTOCOL_GUID, devices);
    fake.owner = firmware_image = &fake;
    assert_ptr_equal(firmware_loaded_image(), devices);
    assert_false(firmware_is_shell());
    firmware_image = NULL; /* without a handle there is nothing to ask */
    assert_null(firmware_loaded_image());
}

TEST(devices_of_one_class_are_connected)
{
    static const unsigned connected[] = {1, 0, 0, 1};
    fake.boot.HandleProtocol = device_protocol;
    fake.boot.ConnectController = connect;
    fake.handles_guid = ((EFI_GUID)EFI_PCI_IO_PROTOCOL_GUID).Data1;
    fake.handles = 4;
    for (unsigned i = 0; i < 4; i++)
        fake.handle[i] = &devices[i];
    firmware_connect(PCI_CLASS_STORAGE);
    for (unsigned i = 0; i < 4; i++)
        assert_int_equal(devices[i].connected, connected[i]);
    assert_int_equal(fake.fed, 2); /* each takes as long as it likes */
}

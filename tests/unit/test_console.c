/* test_console: what is printed where, by consoles that a firmware may have; keys, and the
 * watchdog. */
#include "../../efi/console.c"
#include "../../efi/firmware.c"
#include "../../efi/watchdog.c"
#include "fake_firmware.h"
#include "kit.h"

#define DEVICES 3

static EFI_GUID path_guid = EFI_DEVICE_PATH_PROTOCOL_GUID;

/* A console's device; the handle is the device. The last node of a serial one's path is its UART,
 * followed by the terminal's kind (UEFI 2.10, 10.3.4.15 and 10.3.4.16). */
static struct device {
    SIMPLE_TEXT_OUTPUT_INTERFACE out; /* first: one pointer is both */
    const uint8_t *path;
    char said[4096];
    unsigned calls;
    bool is_mute; /* each call fails */
} devices[DEVICES], all;

static const uint8_t screen_path[] = {2, 3, 8, 0, 0, 0, 0, 0, 0x7f, 0xff, 4, 0};
static const uint8_t serial_path[] = {2, 1, 4, 0, 3, 14, 4, 0, 3, 10, 4, 0, 0x7f, 0xff, 4, 0};

static unsigned armed; /* since the last chunk of text */
static UINT64 last_armed;
static bool no_watchdog;

static EFI_STATUS EFIAPI put_text(SIMPLE_TEXT_OUTPUT_INTERFACE *self, CHAR16 *text)
{
    struct device *device = (struct device *)self;
    size_t length = strlen(device->said);
    for (; *text != 0; text++)
        if (*text != '\r')
            device->said[length++] = (char)*text;
    device->said[length] = '\0';
    device->calls++;
    assert_compare(armed, >, 0);
    armed = 0;
    return device->is_mute ? EFI_DEVICE_ERROR : EFI_SUCCESS;
}

static EFI_STATUS EFIAPI set_watchdog(UINTN seconds, UINT64 code, UINTN bytes, CHAR16 *data)
{
    assert_int_equal(code, 0x10000);
    assert_true(bytes == 0 && data == NULL);
    armed++;
    last_armed = seconds;
    return no_watchdog ? EFI_UNSUPPORTED : EFI_SUCCESS;
}

static EFI_STATUS EFIAPI handle_protocol(EFI_HANDLE handle, EFI_GUID *guid, void **protocol)
{
    struct device *device = handle;
    *protocol = memcmp(guid, &path_guid, sizeof path_guid) == 0 ? (void *)device->path : device;
    return EFI_SUCCESS;
}

/* --- keys --- */

static unsigned key_after; /* so many looks */
static unsigned key_looks;
static EFI_INPUT_KEY typed;

static EFI_STATUS EFIAPI read_key(SIMPLE_INPUT_INTERFACE *self, EFI_INPUT_KEY *key)
{
    assert_true(self != NULL && key != NULL);
    *key = typed;
    fake.microseconds += 100;
    return key_looks++ < key_after ? EFI_NOT_READY : EFI_SUCCESS;
}

/* --- the console control protocol --- */

static UINT32 mode_now;

static EFI_STATUS EFIAPI get_mode(struct console_control *self, UINT32 *mode, BOOLEAN *has_graphics,
                                  BOOLEAN *is_locked)
{
    assert_true(self != NULL && has_graphics == NULL && is_locked == NULL);
    *mode = mode_now;
    return EFI_SUCCESS;
}

static EFI_STATUS EFIAPI set_mode(struct console_control *self, UINT32 mode)
{
    assert_non_null(self);
    mode_now = mode;
    return EFI_SUCCESS;
}

static SIMPLE_INPUT_INTERFACE keyboard = {.ReadKeyStroke = read_key};
static EFI_SYSTEM_TABLE system_table = {.ConOut = &all.out};

SETUP(make_consoles)
{
    fake_firmware_start();
    fake.boot.SetWatchdogTimer = set_watchdog;
    fake.boot.HandleProtocol = handle_protocol;
    fake.event_type = EVT_TIMER;
    fake.no_event = true; /* so that time is waited for by stall alone */
    fake.handles = DEVICES;
    fake.handles_guid = 0xd3b36f2c;
    for (unsigned i = 0; i < DEVICES; i++) {
        devices[i] = (struct device){.out = {.OutputString = put_text}, .path = screen_path};
        fake.handle[i] = &devices[i];
    }
    all = (struct device){.out = {.OutputString = put_text}};
    firmware_system = &system_table;
    no_watchdog = false;
    system_table.ConIn = &keyboard;
    key_looks = key_after = 0;
    typed = (EFI_INPUT_KEY){0, 'x'};
    watchdog_set(60);
}

/* Compares what the console as a whole and its devices were sent since they were made. */
static void assert_said(const char *by_all, const char *by_0, const char *by_1, const char *by_2)
{
    assert_string_equal(all.said, by_all);
    assert_string_equal(devices[0].said, by_0);
    assert_string_equal(devices[1].said, by_1);
    assert_string_equal(devices[2].said, by_2);
}

TEST(what_is_recorded_goes_to_serial_ports_alone)
{
    devices[1].path = serial_path;
    console_open();
    assert_true(console_is_recorded());
    console_print("a page\n");
    console_record("a block\n");
    assert_said("a page\n", "", "a block\n", "");
    devices[0].path = devices[2].path = serial_path;
    console_open();
    console_record("another\n");
    assert_said("a page\n", "another\n", "a block\nanother\n", "another\n");
}

TEST(nobody_records_a_screen)
{
    console_open();
    assert_false(console_is_recorded());
    console_record("a block\n");
    assert_said("", "", "", "");
    assert_int_equal(all.calls + devices[0].calls + devices[1].calls + devices[2].calls, 0);
}

TEST(where_the_firmware_does_not_tell_all_of_it_may_be_recorded)
{
    fake.handles = 0;
    console_open();
    assert_true(console_is_recorded());
    console_record("a block\n");
    assert_said("a block\n", "", "", "");
}

/* A port whose other end never asks for more waits for a timeout in each call: after the third one
 * neither it, nor the console that includes it, is printed to, but the other devices are. */
TEST(a_mute_serial_port_is_given_up)
{
    devices[1].path = devices[2].path = serial_path;
    devices[1].is_mute = all.is_mute = true;
    console_open();
    for (unsigned i = 0; i < 4; i++)
        console_record(i % 2 == 0 ? "a" : "b");
    assert_int_equal(devices[1].calls, FAILURES_MAX);
    console_print("a page\n");
    assert_said("", "a page\n", "aba", "ababa page\n");
    assert_true(console_is_recorded());
    devices[2].is_mute = true;
    for (unsigned i = 0; i < 4; i++)
        console_print("b");
    assert_false(console_is_recorded());
    assert_said("", "a page\nbbbb", "aba", "ababa page\nbbb");
}

/* Failures that are not in a row are no mute port. */
TEST(a_serial_port_that_fails_now_and_then_is_kept)
{
    devices[1].path = serial_path;
    console_open();
    for (unsigned i = 0; i < 12; i++) {
        devices[1].is_mute = i % 3 != 0;
        console_record("a");
    }
    assert_int_equal(devices[1].calls, 12);
    assert_true(console_is_recorded());
}

/* The whole console may be a screen, too: it only records no more. */
TEST(a_console_without_a_list_of_devices_stays)
{
    fake.handles = 0;
    all.is_mute = true;
    console_open();
    for (unsigned i = 0; i < 4; i++)
        console_record("a");
    assert_false(console_is_recorded());
    for (unsigned i = 0; i < 4; i++)
        console_print("b");
    assert_said("aaabbbb", "", "", "");
}

TEST(however_slow_a_console_is_no_text_outlasts_the_watchdog)
{
    char text[1001];
    memset(text, 'x', 1000);
    text[1000] = '\0';
    console_open();
    console_print(text);
    assert_compare(all.calls, >=, 1000 / CHUNK);
    assert_string_equal(all.said, text);
    assert_int_equal(last_armed, 60);
}

/* Waits a second for a key; returns the microseconds that went by. */
static uint64_t wait_for_key(bool is_typed)
{
    uint64_t before = fake.microseconds;
    assert_int_equal(console_wait_key(1000, false), is_typed);
    return fake.microseconds - before;
}

TEST(a_key_is_waited_for_as_long_as_is_said)
{
    firmware_milliseconds(); /* calibrated */
    key_after = 3;
    assert_compare(wait_for_key(true), <, 500000);
    key_after = UINT32_MAX;
    assert_within(wait_for_key(false), 990000, 1100000);
    system_table.ConIn = NULL; /* without a keyboard all the time goes by */
    assert_within(wait_for_key(false), 990000, 1100000);
}

/* Bytes of ones come from no person; where a person has to be near, only Enter counts. */
TEST(noise_is_no_key)
{
    static const struct {
        EFI_INPUT_KEY key;
        bool is_key, is_enter;
    } cases[] = {{{0, 'x'}, true, false},    {{0, '\r'}, true, true},   {{SCAN_F1, 0}, true, false},
                 {{0, 0x0436}, true, false}, {{0, 0xff}, false, false}, {{0, 0}, false, false}};
    for (EACH(c, cases)) {
        typed = c->key;
        assert_int_equal(console_wait_key(1000, false), c->is_key);
        assert_int_equal(console_wait_key(1000, true), c->is_enter);
    }
}

TEST(a_watchdog_that_cannot_be_set_is_told_of_and_not_fed)
{
    no_watchdog = true;
    assert_string_equal(watchdog_set(60), "the firmware does not support it");
    armed = 0;
    watchdog_feed();
    watchdog_rest();
    assert_int_equal(armed, 0);
    no_watchdog = false;
    assert_null(watchdog_set(60));
    watchdog_rest();
    assert_int_equal(last_armed, 0);
    watchdog_feed();
    assert_int_equal(last_armed, 60);
    watchdog_feed_for(180); /* a call that may take longer */
    assert_int_equal(last_armed, 180);
    watchdog_feed_for(20);
    assert_int_equal(last_armed, 60);
}

TEST(a_console_in_graphics_mode_shows_text_and_is_left_as_it_was)
{
    static struct console_control control = {get_mode, set_mode};
    EFI_GUID guid = {0xf42f7782, 0x012e, 0x4c12, {0x99, 0x56, 0x49, 0xf9, 0x43, 0x04, 0xf7, 0x21}};
    fake_firmware_offer(guid, &control);
    mode_now = MODE_GRAPHICS;
    console_open();
    assert_int_equal(mode_now, MODE_TEXT);
    console_close();
    assert_int_equal(mode_now, MODE_GRAPHICS);
    mode_now = MODE_TEXT;
    console_open();
    console_close();
    assert_int_equal(mode_now, MODE_TEXT);
}

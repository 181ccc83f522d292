/* console: simple text output and input of the firmware. */
#include "console.h"

#include "../kernel/lib/text.h"
#include "firmware.h"
#include "watchdog.h"

#define CHUNK 128
#define POLL_MILLISECONDS 50
#define KEYS_DROPPED 256
#define NOISE 0xff

#define OUTPUTS_MAX 16
#define FAILURES_MAX 3 /* in a row: a serial port that nobody reads takes a timeout for each */

/* Marks the devices that the firmware's console is made of; edk2, MdeModulePkg, ConsoleOutDevice.h.
 */
static EFI_GUID out_device_guid = {
    0xd3b36f2c, 0xd551, 0x11d4, {0x9a, 0x46, 0x00, 0x90, 0x27, 0x3f, 0xc1, 0x4d}};

/* Firmware up to 2018, such as Apple's and Insyde's; edk2 until 2019, IntelFrameworkPkg,
 * ConsoleControl.h. */
static EFI_GUID control_guid = {
    0xf42f7782, 0x012e, 0x4c12, {0x99, 0x56, 0x49, 0xf9, 0x43, 0x04, 0xf7, 0x21}};

enum { MODE_TEXT, MODE_GRAPHICS };

static struct console_control {
    EFI_STATUS(EFIAPI *get_mode)
    (struct console_control *self, UINT32 *mode, BOOLEAN *has_graphics, BOOLEAN *is_locked);
    EFI_STATUS(EFIAPI *set_mode)(struct console_control *self, UINT32 mode);
} * changed; /* NULL: nothing was changed */

/* The devices of the console; without a list of them the console itself, which may be recorded. */
static struct output {
    SIMPLE_TEXT_OUTPUT_INTERFACE *out;
    bool is_recorded, is_all;
    unsigned failures; /* in a row; FAILURES_MAX: given up */
} output[OUTPUTS_MAX];
static unsigned outputs;
static bool is_one_given_up; /* then the others are printed to one by one */

static bool has_uart(EFI_HANDLE handle)
{
    const EFI_DEVICE_PATH *node =
        firmware_protocol(handle, &(EFI_GUID)EFI_DEVICE_PATH_PROTOCOL_GUID);
    for (; node != NULL; node = firmware_next_node(node))
        if (node->Type == MESSAGING_DEVICE_PATH && node->SubType == MSG_UART_DP)
            return true;
    return false;
}

static void find_outputs(void)
{
    EFI_GUID guid = EFI_SIMPLE_TEXT_OUTPUT_PROTOCOL_GUID;
    EFI_HANDLE *handle;
    UINTN handles;
    outputs = 0;
    is_one_given_up = false;
    if (EFI_ERROR(firmware_boot->LocateHandleBuffer(ByProtocol, &out_device_guid, NULL, &handles,
                                                    &handle))) {
        output[outputs++] = (struct output){firmware_system->ConOut, true, true, 0};
        return;
    }
    for (UINTN i = 0; i < handles && outputs < OUTPUTS_MAX; i++) {
        output[outputs] =
            (struct output){firmware_protocol(handle[i], &guid), has_uart(handle[i]), false, 0};
        outputs += output[outputs].out != NULL;
    }
    firmware_boot->FreePool(handle);
}

void console_open(void)
{
    struct console_control *control = NULL;
    UINT32 mode;
    find_outputs();
    changed = NULL;
    if (!EFI_ERROR(firmware_boot->LocateProtocol(&control_guid, NULL, (void **)&control)) &&
        control != NULL && !EFI_ERROR(control->get_mode(control, &mode, NULL, NULL)) &&
        mode == MODE_GRAPHICS && !EFI_ERROR(control->set_mode(control, MODE_TEXT)))
        changed = control;
}

void console_close(void)
{
    if (changed != NULL)
        changed->set_mode(changed, MODE_GRAPHICS);
    changed = NULL;
}

void console_clear(void)
{
    SIMPLE_TEXT_OUTPUT_INTERFACE *out = firmware_system->ConOut;
    if (out != NULL)
        out->ClearScreen(out);
}

/* Gives an output up that fails too often in a row, unless `failures` is NULL. */
static void print_to(SIMPLE_TEXT_OUTPUT_INTERFACE *out, const char *text, unsigned *failures)
{
    CHAR16 chunk[CHUNK + 1];
    while (out != NULL && *text != '\0' && (failures == NULL || *failures < FAILURES_MAX)) {
        unsigned length = 0;
        for (; *text != '\0' && length + 2 <= CHUNK; text++) {
            if (*text == '\n')
                chunk[length++] = '\r';
            chunk[length++] = (unsigned char)*text < 0x80 ? *text : '?';
        }
        chunk[length] = 0;
        watchdog_feed();
        bool is_failure = EFI_ERROR(out->OutputString(out, chunk));
        if (failures != NULL)
            *failures = is_failure ? *failures + 1 : 0;
    }
}

static void print_to_outputs(const char *text, bool all)
{
    for (struct output *o = output; o < output + outputs; o++) {
        if (o->failures == FAILURES_MAX || !(all || o->is_recorded))
            continue;
        print_to(o->out, text, &o->failures);
        is_one_given_up |= o->failures == FAILURES_MAX && !o->is_all;
    }
}

void console_print(const char *text)
{
    if (is_one_given_up)
        print_to_outputs(text, true);
    else
        print_to(firmware_system->ConOut, text, NULL);
}

bool console_is_recorded(void)
{
    bool is_recorded = false;
    for (const struct output *o = output; o < output + outputs; o++)
        is_recorded |= o->is_recorded && o->failures < FAILURES_MAX;
    return is_recorded;
}

void console_record(const char *text)
{
    print_to_outputs(text, false);
}

void console_printf(const char *format, ...)
{
    struct text text = TEXT_OF(1024);
    va_list arguments;
    va_start(arguments, format);
    text_vprintf(&text, format, arguments);
    va_end(arguments);
    console_print(text.at);
}

void console_forget_keys(void)
{
    SIMPLE_INPUT_INTERFACE *in = firmware_system->ConIn;
    EFI_INPUT_KEY key;
    for (unsigned i = 0; in != NULL && i < KEYS_DROPPED; i++)
        if (EFI_ERROR(in->ReadKeyStroke(in, &key)))
            return;
}

/* A byte of ones is what noise on a serial line looks like. */
static bool is_person(const EFI_INPUT_KEY *key, bool is_enter_asked)
{
    if (is_enter_asked)
        return key->UnicodeChar == CHAR_CARRIAGE_RETURN;
    return key->UnicodeChar != NOISE && (key->UnicodeChar != 0 || key->ScanCode != 0);
}

bool console_wait_key(unsigned milliseconds, bool is_enter_asked)
{
    SIMPLE_INPUT_INTERFACE *in = firmware_system->ConIn;
    EFI_INPUT_KEY key;
    uint64_t end = firmware_milliseconds() + milliseconds;
    while (firmware_milliseconds() < end) {
        if (in == NULL || EFI_ERROR(in->ReadKeyStroke(in, &key)))
            firmware_sleep(POLL_MILLISECONDS);
        else if (is_person(&key, is_enter_asked))
            return true;
    }
    return false;
}

/* console: simple text output and input of the firmware. */
#include "console.h"

#include "../kernel/lib/text.h"
#include "firmware.h"
#include "watchdog.h"

#define CHUNK 128
#define POLL_MILLISECONDS 50
#define KEYS_DROPPED 256

#define RECORDERS_MAX 8

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

static SIMPLE_TEXT_OUTPUT_INTERFACE *recorder[RECORDERS_MAX];
static unsigned recorders;

static bool has_uart(EFI_HANDLE handle)
{
    const EFI_DEVICE_PATH *node =
        firmware_protocol(handle, &(EFI_GUID)EFI_DEVICE_PATH_PROTOCOL_GUID);
    for (; node != NULL; node = firmware_next_node(node))
        if (node->Type == MESSAGING_DEVICE_PATH && node->SubType == MSG_UART_DP)
            return true;
    return false;
}

static void find_recorders(void)
{
    EFI_GUID guid = EFI_SIMPLE_TEXT_OUTPUT_PROTOCOL_GUID;
    EFI_HANDLE *handle;
    UINTN handles;
    recorders = 0;
    if (EFI_ERROR(firmware_boot->LocateHandleBuffer(ByProtocol, &out_device_guid, NULL, &handles,
                                                    &handle))) {
        recorder[recorders++] = firmware_system->ConOut;
        return;
    }
    for (UINTN i = 0; i < handles && recorders < RECORDERS_MAX; i++)
        if (has_uart(handle[i]) &&
            (recorder[recorders] = firmware_protocol(handle[i], &guid)) != NULL)
            recorders++;
    firmware_boot->FreePool(handle);
}

void console_open(void)
{
    struct console_control *control = NULL;
    UINT32 mode;
    find_recorders();
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

static void print_to(SIMPLE_TEXT_OUTPUT_INTERFACE *out, const char *text)
{
    CHAR16 chunk[CHUNK + 1];
    while (out != NULL && *text != '\0') {
        unsigned length = 0;
        for (; *text != '\0' && length + 2 <= CHUNK; text++) {
            if (*text == '\n')
                chunk[length++] = '\r';
            chunk[length++] = (unsigned char)*text < 0x80 ? *text : '?';
        }
        chunk[length] = 0;
        watchdog_feed();
        out->OutputString(out, chunk);
    }
}

void console_print(const char *text)
{
    print_to(firmware_system->ConOut, text);
}

bool console_is_recorded(void)
{
    return recorders > 0;
}

void console_record(const char *text)
{
    for (unsigned i = 0; i < recorders; i++)
        print_to(recorder[i], text);
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

bool console_wait_key(unsigned milliseconds)
{
    SIMPLE_INPUT_INTERFACE *in = firmware_system->ConIn;
    EFI_INPUT_KEY key;
    uint64_t end = firmware_milliseconds() + milliseconds;
    while (firmware_milliseconds() < end) {
        if (in != NULL && !EFI_ERROR(in->ReadKeyStroke(in, &key)))
            return true;
        firmware_sleep(POLL_MILLISECONDS);
    }
    return false;
}

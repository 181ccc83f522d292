/* console: simple text output and input of the firmware. */
#include "console.h"

#include "../kernel/lib/text.h"
#include "firmware.h"

#define CHUNK 128
#define POLL_MILLISECONDS 50
#define KEYS_DROPPED 256

void console_clear(void)
{
    SIMPLE_TEXT_OUTPUT_INTERFACE *out = firmware_system->ConOut;
    if (out != NULL)
        out->ClearScreen(out);
}

void console_print(const char *text)
{
    SIMPLE_TEXT_OUTPUT_INTERFACE *out = firmware_system->ConOut;
    CHAR16 chunk[CHUNK + 1];
    if (out == NULL)
        return;
    while (*text != '\0') {
        unsigned length = 0;
        for (; *text != '\0' && length + 2 <= CHUNK; text++) {
            if (*text == '\n')
                chunk[length++] = '\r';
            chunk[length++] = (unsigned char)*text < 0x80 ? *text : '?';
        }
        chunk[length] = 0;
        out->OutputString(out, chunk);
    }
}

void console_printf(const char *format, ...)
{
    char memory[1024];
    struct text text;
    va_list arguments;
    text_init(&text, memory, sizeof memory);
    va_start(arguments, format);
    text_vprintf(&text, format, arguments);
    va_end(arguments);
    console_print(memory);
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

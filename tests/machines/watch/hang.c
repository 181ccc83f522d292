/* hang: hooks of the console's output and of the volume's block device. */
#include "hang.h"

#include <stdbool.h>

#include "firmware.h"

static const char *awaited;
static volatile bool is_stuck;
static void (*instead)(void);
static EFI_TEXT_OUTPUT_STRING output;
static EFI_BLOCK_WRITE write_blocks;

static bool starts_with(const CHAR16 *text, const char *word)
{
    while (*word != '\0' && *text == (unsigned char)*word) {
        text++;
        word++;
    }
    return *word == '\0';
}

static EFI_STATUS EFIAPI listen(SIMPLE_TEXT_OUTPUT_INTERFACE *self, CHAR16 *text)
{
    bool is_said = false;
    for (const CHAR16 *at = text; *at != 0; at++)
        is_said |= starts_with(at, awaited);
    void (*what)(void) = is_said ? instead : NULL;
    is_stuck |= is_said && what == NULL;
    if (what != NULL) {
        instead = NULL;
        what();
    }
    return output(self, text);
}

void hang_now(void)
{
    is_stuck = true;
    for (;;) /* the firmware's timer goes on, and an emulator's host has nothing to do */
        __asm__ volatile("hlt");
}

static EFI_STATUS EFIAPI write_or_hang(EFI_BLOCK_IO *self, UINT32 medium, EFI_LBA at, UINTN bytes,
                                       VOID *data)
{
    if (is_stuck)
        hang_now();
    return write_blocks(self, medium, at, bytes, data);
}

void hang_after(const char *text)
{
    if (*text == '\0')
        return;
    awaited = text;
    EFI_BLOCK_IO *disk = firmware_device(&(EFI_GUID)EFI_BLOCK_IO_PROTOCOL_GUID);
    write_blocks = disk->WriteBlocks;
    disk->WriteBlocks = write_or_hang;
    output = firmware_system->ConOut->OutputString;
    firmware_system->ConOut->OutputString = listen;
}

void hang_instead(void (*what)(void))
{
    instead = what;
}

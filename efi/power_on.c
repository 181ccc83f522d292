/* power_on: asks the firmware's variables. */
#include "power_on.h"

#include "../kernel/lib/string.h"
#include "../kernel/lib/text.h"
#include "firmware.h"

#define MEASURED "Measured" /* and the hash: one configuration does not make another forgotten */
#define NAME_MAX 32         /* characters of a variable's name, the NUL included */
/* An entry is tried by itself if it is active and of category 0; UEFI 2.10, 3.1.3. */
#define OPTION_ACTIVE 1u
#define OPTION_CATEGORY 0x1f00u
#define DESCRIPTION_AT 6 /* bytes: behind its attributes, and the length of its path */

static EFI_GUID ours = {
    0x5ee5d5b4, 0x6b0c, 0x4c1f, {0x9f, 0x3e, 0x5d, 0x1c, 0x72, 0xa4, 0x0b, 0x96}};

/* Makes a variable's name of a word, and a number in so many hexadecimal digits. */
static CHAR16 *make_name(CHAR16 name[NAME_MAX], const char *word, uint64_t number, unsigned digits)
{
    size_t length = 0;
    for (; word[length] != '\0'; length++)
        name[length] = (unsigned char)word[length];
    while (digits-- > 0)
        name[length++] = (unsigned char)"0123456789ABCDEF"[number >> 4 * digits & 15];
    name[length] = 0;
    return name;
}

/* Returns how many bytes were read; 0: the variable is not there, or does not fit. */
static UINTN read_variable(CHAR16 *name, EFI_GUID *vendor, void *data, UINTN room)
{
    UINTN bytes = room;
    EFI_STATUS status =
        firmware_system->RuntimeServices->GetVariable(name, vendor, NULL, &bytes, data);
    return EFI_ERROR(status) || bytes > room ? 0 : bytes;
}

bool power_on_measured(uint64_t text)
{
    CHAR16 name[NAME_MAX];
    uint8_t note;
    return read_variable(make_name(name, MEASURED, text, 16), &ours, &note, sizeof note) > 0;
}

void power_on_note(uint64_t text)
{
    CHAR16 name[NAME_MAX];
    uint8_t note = 1;
    firmware_system->RuntimeServices->SetVariable(make_name(name, MEASURED, text, 16), &ours,
                                                  EFI_VARIABLE_BOOTSERVICE_ACCESS, sizeof note,
                                                  &note);
}

const char *power_on_rival(void)
{
    static EFI_GUID global = EFI_GLOBAL_VARIABLE;
    static uint16_t current, order[256], option[1024]; /* more of an option does not count */
    static char words[160];
    CHAR16 name[NAME_MAX];
    struct text text;
    make_name(name, "BootCurrent", 0, 0);
    if (read_variable(name, &global, &current, sizeof current) < sizeof current)
        return NULL;
    UINTN bytes = read_variable(make_name(name, "BootOrder", 0, 0), &global, order, sizeof order);
    for (UINTN i = 0; i < bytes / sizeof *order && order[i] != current; i++) {
        memset(option, 0, sizeof option);
        make_name(name, "Boot", order[i], 4);
        read_variable(name, &global, option, sizeof option - sizeof *option);
        if ((option[0] & (OPTION_ACTIVE | OPTION_CATEGORY)) != OPTION_ACTIVE)
            continue;
        text_init(&text, words, sizeof words);
        for (const uint16_t *c = option + DESCRIPTION_AT / sizeof *option; *c != 0; c++)
            text_char(&text, *c >= ' ' && *c <= '~' ? (char)*c : '?');
        return words;
    }
    return NULL;
}

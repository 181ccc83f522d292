/* main: looks at the processor, starts the image, and looks again when the image has ended. */
#include "../../../kernel/lib/text.h"
#include "calls.h"
#include "files.h"
#include "firmware.h"
#include "hang.h"
#include "processors.h"
#include "protect.h"
#include "state.h"
#include "vices.h"

#define LIST_FILE u"watch.txt"
#define REPORT_FILE u"watched.txt"
#define IMAGE_FILE u"\\EFI\\BOOT\\MLPBOOT.EFI"
#define LIST_BYTES_MAX 8192
#define REPORT_BYTES_MAX 65536

static struct list list;
static struct text report;
static EFI_RESET_SYSTEM reset;

/* How the image ended, the second look, and both on the volume. */
static void tell_end(const char *how, EFI_STATUS status)
{
    vices_end();
    state_tell(&list, "after", "", &report);
    processors_tell(&list, "after", &report);
    protect_tell("after", &report);
    files_tell("after", &report);
    calls_tell("after", &report);
    text_printf(&report, "ended %s %lx\n", how, status);
    if (report.truncated)
        firmware_give_up("the report is too long", 0);
    firmware_write(REPORT_FILE, report.at, report.length);
    firmware_print("watch: the second look is on the volume\n");
}

/* True if no driver is at work, whose files nobody may touch: all of edk2's raise the level. */
static bool is_idle(void)
{
    EFI_BOOT_SERVICES *boot = firmware_system->BootServices;
    EFI_TPL level = boot->RaiseTPL(TPL_HIGH_LEVEL);
    boot->RestoreTPL(level);
    return level == TPL_APPLICATION;
}

/* The firmware's watchdog resets, too, and there is nothing to look at. */
static EFI_STATUS EFIAPI end_by_reset(EFI_RESET_TYPE type, EFI_STATUS status, UINTN bytes,
                                      CHAR16 *data)
{
    firmware_hook_reset(reset);
    if (calls_are_from((uint64_t)__builtin_return_address(0)) && is_idle())
        tell_end("reset", type);
    return reset(type, status, bytes, data);
}

static void read_list(void)
{
    static char data[LIST_BYTES_MAX];
    firmware_read(LIST_FILE, data, sizeof data);
    unsigned wrong = list_parse(&list, data);
    if (wrong != 0)
        firmware_give_up("a wrong line in the list", wrong);
}

static void add_vices(void)
{
    for (unsigned i = 0; i < list.vices; i++)
        if (!vices_add(list.vice[i].name, list.vice[i].number))
            firmware_give_up("there is no such vice", i);
}

EFI_STATUS efi_main(EFI_HANDLE image, EFI_SYSTEM_TABLE *system); /* called by entry.S */

EFI_STATUS efi_main(EFI_HANDLE image, EFI_SYSTEM_TABLE *system)
{
    static char memory[REPORT_BYTES_MAX];
    firmware_image = image;
    firmware_system = system;
    text_init(&report, memory, sizeof memory);
    read_list();
    EFI_HANDLE watched = firmware_load(IMAGE_FILE);
    reset = firmware_hook_reset(end_by_reset);
    state_set(&list);
    calls_of(watched);
    add_vices();
    if (list.protects != PROTECT_NOTHING)
        protect(watched, list.protects);
    state_tell(&list, "before", "", &report);
    processors_tell(&list, "before", &report);
    protect_tell("before", &report);
    firmware_print("watch: starting the image\n");
    vices_begin();
    hang_after(list.hang);
    EFI_STATUS status = system->BootServices->StartImage(watched, NULL, NULL);
    firmware_hook_reset(reset);
    tell_end("return", status);
    return status;
}

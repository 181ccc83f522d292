/* files: hooks of OpenVolume, and of every file opened from there (UEFI specification 2.10, 13). */
#include "files.h"

#include <stdbool.h>

#include "../../../kernel/lib/string.h"
#include "firmware.h"
#include "hang.h"
#include "vices.h"

static EFI_GUID file_system = EFI_SIMPLE_FILE_SYSTEM_PROTOCOL_GUID;
static EFI_HANDLE_PROTOCOL handle_protocol;
static EFI_VOLUME_OPEN open_volume; /* all volumes and files are of one driver, edk2's FAT */
static EFI_FILE file;
static EFI_STATUS flush_answer;
static bool is_watching, hangs, leaves_flush_to_close;
static unsigned opened, others_opened;

static EFI_STATUS EFIAPI open_and_adopt(EFI_FILE_HANDLE self, EFI_FILE_HANDLE *to, CHAR16 *name,
                                        UINT64 mode, UINT64 attributes);

static EFI_STATUS EFIAPI flush_later(EFI_FILE_HANDLE self)
{
    return vices_are_on() ? flush_answer : file.Flush(self);
}

static EFI_STATUS EFIAPI flush_and_close(EFI_FILE_HANDLE self)
{
    file.Flush(self);
    return file.Close(self);
}

/* edk2 has the functions in each open file. */
static void adopt(EFI_FILE_HANDLE opened_file)
{
    if (!leaves_flush_to_close || opened_file->Open == open_and_adopt)
        return;
    file = *opened_file;
    opened_file->Open = open_and_adopt;
    opened_file->Flush = flush_later;
    opened_file->Close = flush_and_close;
}

static EFI_STATUS EFIAPI open_and_adopt(EFI_FILE_HANDLE self, EFI_FILE_HANDLE *to, CHAR16 *name,
                                        UINT64 mode, UINT64 attributes)
{
    EFI_STATUS status = file.Open(self, to, name, mode, attributes);
    if (!EFI_ERROR(status))
        adopt(*to);
    return status;
}

static EFI_STATUS EFIAPI open_counted(EFI_FILE_IO_INTERFACE *self, EFI_FILE_HANDLE *root)
{
    bool is_own = self == firmware_device(&file_system);
    if (vices_are_on())
        ++*(is_own ? &opened : &others_opened);
    if (vices_are_on() && hangs && !is_own)
        hang_now();
    EFI_STATUS status = open_volume(self, root);
    if (!EFI_ERROR(status))
        adopt(*root);
    return status;
}

/* Volumes may appear at any time: they are hooked when somebody asks for them. */
static EFI_STATUS EFIAPI find_and_hook(EFI_HANDLE handle, EFI_GUID *guid, VOID **protocol)
{
    EFI_STATUS status = handle_protocol(handle, guid, protocol);
    if (EFI_ERROR(status) || memcmp(guid, &file_system, sizeof file_system) != 0)
        return status;
    EFI_FILE_IO_INTERFACE *volume = *protocol;
    if (volume->OpenVolume != open_counted)
        open_volume = volume->OpenVolume;
    volume->OpenVolume = open_counted;
    return status;
}

void files_count_opens(uint64_t unused)
{
    (void)unused;
    if (is_watching)
        return;
    is_watching = true;
    handle_protocol = firmware_system->BootServices->HandleProtocol;
    firmware_system->BootServices->HandleProtocol = find_and_hook;
}

void files_open_hangs(uint64_t unused)
{
    files_count_opens(unused);
    hangs = true;
}

static void flush_answers(EFI_STATUS answer)
{
    files_count_opens(0);
    leaves_flush_to_close = true;
    flush_answer = answer;
}

void files_flush_is_nothing(uint64_t unused)
{
    (void)unused;
    flush_answers(EFI_SUCCESS);
}

void files_flush_is_unsupported(uint64_t unused)
{
    (void)unused;
    flush_answers(EFI_UNSUPPORTED);
}

/* The PCI device that a handle's path goes through; NULL: there is none. */
static EFI_HANDLE controller_of(EFI_HANDLE handle)
{
    EFI_GUID path_guid = EFI_DEVICE_PATH_PROTOCOL_GUID, pci_guid = EFI_PCI_IO_PROTOCOL_GUID;
    EFI_DEVICE_PATH *path;
    EFI_HANDLE controller;
    EFI_BOOT_SERVICES *boot = firmware_system->BootServices;
    if (EFI_ERROR(boot->HandleProtocol(handle, &path_guid, (void **)&path)) ||
        EFI_ERROR(boot->LocateDevicePath(&pci_guid, &path, &controller)))
        return NULL;
    return controller;
}

void files_are_late(uint64_t unused)
{
    EFI_BOOT_SERVICES *boot = firmware_system->BootServices;
    EFI_HANDLE *handle, own = controller_of(firmware_device_handle());
    UINTN handles;
    files_count_opens(unused);
    EFI_STATUS status = boot->LocateHandleBuffer(ByProtocol, &file_system, NULL, &handles, &handle);
    if (EFI_ERROR(status))
        firmware_give_up("there are no file systems", status);
    for (UINTN i = 0; i < handles; i++) {
        EFI_HANDLE controller = controller_of(handle[i]);
        if (controller != NULL && controller != own)
            boot->DisconnectController(controller, NULL, NULL);
    }
    boot->FreePool(handle);
}

void files_tell(const char *moment, struct text *text)
{
    if (!is_watching)
        return;
    text_printf(text, "%s volume-opened %x\n", moment, opened);
    text_printf(text, "%s other-volumes-opened %x\n", moment, others_opened);
}

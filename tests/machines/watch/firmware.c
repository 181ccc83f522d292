/* firmware: console, files, loading and the reset hook (UEFI specification 2.10, 7, 8, 10, 13). */
#include "firmware.h"

#include <stdint.h>

#include "../../../kernel/lib/string.h"
#include "../../../kernel/lib/text.h"

#define LINE_MAX 256
#define PATH_BYTES_MAX 1024 /* of a device path */

EFI_HANDLE firmware_image;
EFI_SYSTEM_TABLE *firmware_system;

static EFI_BOOT_SERVICES *boot(void)
{
    return firmware_system->BootServices;
}

void firmware_print(const char *text)
{
    for (; *text != '\0'; text++) {
        CHAR16 wide[3] = {(unsigned char)*text, 0, 0};
        if (*text == '\n') {
            wide[0] = '\r';
            wide[1] = '\n';
        }
        firmware_system->ConOut->OutputString(firmware_system->ConOut, wide);
    }
}

void firmware_give_up(const char *why, EFI_STATUS status)
{
    char memory[LINE_MAX];
    struct text text;
    text_init(&text, memory, sizeof memory);
    text_printf(&text, "watch: %s, status 0x%lx\n", why, status);
    firmware_print(memory);
    for (;;)
        boot()->Stall(1000000);
}

static void *protocol_of(EFI_HANDLE handle, EFI_GUID guid)
{
    void *protocol = NULL;
    EFI_STATUS status = boot()->HandleProtocol(handle, &guid, &protocol);
    if (EFI_ERROR(status))
        firmware_give_up("a protocol is missing", status);
    return protocol;
}

EFI_HANDLE firmware_device_handle(void)
{
    EFI_LOADED_IMAGE *image = protocol_of(firmware_image, (EFI_GUID)EFI_LOADED_IMAGE_PROTOCOL_GUID);
    return image->DeviceHandle;
}

void *firmware_device(const EFI_GUID *protocol)
{
    return protocol_of(firmware_device_handle(), *protocol);
}

static EFI_FILE_HANDLE open_file(CHAR16 *name, UINT64 mode)
{
    EFI_FILE_HANDLE root, file;
    EFI_FILE_IO_INTERFACE *volume =
        protocol_of(firmware_device_handle(), (EFI_GUID)EFI_SIMPLE_FILE_SYSTEM_PROTOCOL_GUID);
    EFI_STATUS status = volume->OpenVolume(volume, &root);
    if (!EFI_ERROR(status))
        status = root->Open(root, &file, name, mode, 0);
    if (EFI_ERROR(status))
        firmware_give_up("a file cannot be opened", status);
    root->Close(root);
    return file;
}

void firmware_read(CHAR16 *name, char *to, size_t size)
{
    EFI_FILE_HANDLE file = open_file(name, EFI_FILE_MODE_READ);
    UINTN length = size;
    EFI_STATUS status = file->Read(file, &length, to);
    if (EFI_ERROR(status) || length == size)
        firmware_give_up("a file cannot be read or is too long", status);
    to[length] = '\0';
    file->Close(file);
}

void firmware_write(CHAR16 *name, const char *data, size_t length)
{
    EFI_FILE_HANDLE file =
        open_file(name, EFI_FILE_MODE_READ | EFI_FILE_MODE_WRITE | EFI_FILE_MODE_CREATE);
    UINTN written = length;
    EFI_STATUS status = file->Write(file, &written, (void *)data);
    if (!EFI_ERROR(status))
        status = file->Flush(file);
    if (EFI_ERROR(status) || written != length)
        firmware_give_up("a file cannot be written", status);
    file->Close(file);
}

static size_t node_bytes(const EFI_DEVICE_PATH *node)
{
    return node->Length[0] | (size_t)node->Length[1] << 8;
}

static EFI_DEVICE_PATH *put_node(uint8_t *at, uint8_t type, uint8_t subtype, size_t bytes)
{
    EFI_DEVICE_PATH *node = (EFI_DEVICE_PATH *)at;
    node->Type = type;
    node->SubType = subtype;
    node->Length[0] = (uint8_t)bytes;
    node->Length[1] = (uint8_t)(bytes >> 8);
    return node;
}

/* The device's path without its end, a node that names the file, and the end. */
static EFI_DEVICE_PATH *path_of_file(const CHAR16 *path)
{
    static uint8_t buffer[PATH_BYTES_MAX];
    const EFI_DEVICE_PATH *from =
        protocol_of(firmware_device_handle(), (EFI_GUID)EFI_DEVICE_PATH_PROTOCOL_GUID);
    size_t used = 0, characters = 0, head = sizeof(EFI_DEVICE_PATH);
    while (path[characters++] != 0)
        ;
    size_t name_bytes = characters * sizeof *path;
    for (; from->Type != END_DEVICE_PATH_TYPE; from = (const void *)((const char *)from + head)) {
        head = node_bytes(from);
        if (used + head + name_bytes + 2 * sizeof *from > sizeof buffer)
            firmware_give_up("the device path is too long", 0);
        memcpy(buffer + used, from, head);
        used += head;
    }
    put_node(buffer + used, MEDIA_DEVICE_PATH, MEDIA_FILEPATH_DP, sizeof *from + name_bytes);
    memcpy(buffer + used + sizeof *from, path, name_bytes);
    used += sizeof *from + name_bytes;
    put_node(buffer + used, END_DEVICE_PATH_TYPE, END_ENTIRE_DEVICE_PATH_SUBTYPE, sizeof *from);
    return (EFI_DEVICE_PATH *)buffer;
}

EFI_HANDLE firmware_load(const CHAR16 *path)
{
    EFI_HANDLE image = NULL;
    EFI_STATUS status =
        boot()->LoadImage(FALSE, firmware_image, path_of_file(path), NULL, 0, &image);
    if (EFI_ERROR(status))
        firmware_give_up("the application cannot be loaded", status);
    return image;
}

EFI_RESET_SYSTEM firmware_hook_reset(EFI_RESET_SYSTEM hook)
{
    EFI_RUNTIME_SERVICES *services = firmware_system->RuntimeServices;
    EFI_RESET_SYSTEM before = services->ResetSystem;
    services->ResetSystem = hook;
    /* The table's checksum counts its own field as zero. */
    services->Hdr.CRC32 = 0;
    boot()->CalculateCrc32(services, services->Hdr.HeaderSize, &services->Hdr.CRC32);
    return before;
}

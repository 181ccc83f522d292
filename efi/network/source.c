/* source: reads the loaded image's device path, and PXE's state on its device. */
#include "source.h"

#include "../../kernel/lib/string.h"
#include "../firmware.h"
#include "ipxe.h"

static struct source source;

/* Returns the last URI of a device path (UEFI 2.10, 10.3.4.22), empty if the path has no URI.
 * `is_disk`: it is that of a disk image that the firmware keeps in memory. */
static struct piece uri_of(const EFI_DEVICE_PATH *path, bool *is_disk)
{
    struct piece uri = {"", 0};
    *is_disk = false;
    for (; path != NULL; path = firmware_next_node(path)) {
        size_t length = DevicePathNodeLength(path);
        if (path->Type == MESSAGING_DEVICE_PATH && path->SubType == MSG_URI_DP &&
            length > sizeof *path)
            uri = (struct piece){(const char *)(path + 1), length - sizeof *path};
        if (path->Type == MEDIA_DEVICE_PATH && path->SubType != MEDIA_FILEPATH_DP)
            *is_disk = true;
    }
    while (uri.length > 0 && uri.at[uri.length - 1] == '\0') /* iPXE's URI ends with a NUL */
        uri.length--;
    return uri;
}

static void find_pxe(void)
{
    EFI_GUID guid = EFI_PXE_BASE_CODE_PROTOCOL_GUID;
    EFI_PXE_BASE_CODE *pxe = firmware_protocol(source.loader, &guid);
    if (pxe == NULL || pxe->Mode == NULL || !pxe->Mode->Started || pxe->Mode->UsingIpv6)
        return;
    source.pxe = pxe;
    source.lease[0] = pxe->Mode->StationIp.v4;
    source.lease[1] = pxe->Mode->SubnetMask.v4;
}

/* Reads the folder from the latest packet that names a boot file: firmware followed that one. */
static void find_packet(const EFI_PXE_BASE_CODE_MODE *mode)
{
    const struct {
        bool is_there;
        const EFI_PXE_BASE_CODE_PACKET *packet;
    } packets[] = {
        {mode->PxeReplyReceived, &mode->PxeReply},
        {mode->ProxyOfferReceived, &mode->ProxyOffer},
        {mode->DhcpAckReceived, &mode->DhcpAck},
    };
    char url[LOCATION_MAX];
    for (unsigned i = 0; i < sizeof packets / sizeof *packets && source.folder[0] == '\0'; i++)
        if (packets[i].is_there &&
            location_of_packet(packets[i].packet->Raw, sizeof packets[i].packet->Raw, url))
            location_folder(piece_of(url), source.folder);
}

static void find_loader(void)
{
    EFI_GUID path_guid = DEVICE_PATH_PROTOCOL;
    EFI_GUID image_path = EFI_LOADED_IMAGE_DEVICE_PATH_PROTOCOL_GUID;
    const EFI_LOADED_IMAGE *image = firmware_loaded_image();
    if (image == NULL)
        return;
    source.loader = image->DeviceHandle;
    source.is_ipxe = ipxe_is(source.loader);
    find_pxe();
    bool is_disk;
    struct piece uri = uri_of(firmware_protocol(firmware_image, &image_path), &is_disk);
    if (uri.length == 0)
        uri = uri_of(firmware_protocol(source.loader, &path_guid), &is_disk);
    if (uri.length > 0)
        location_folder(uri, source.folder);
    else if (source.pxe != NULL)
        find_packet(source.pxe->Mode);
    source.is_network = (uri.length > 0 && !is_disk) || source.pxe != NULL || source.is_ipxe;
}

const struct source *source_find(void)
{
    static bool is_found;
    if (!is_found)
        find_loader();
    is_found = true;
    return &source;
}

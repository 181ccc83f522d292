/* tftp: transfers each file in one call of the firmware. */
#include "tftp.h"

#include "../../kernel/lib/string.h"
#include "../../kernel/lib/text.h"
#include "../../kernel/lib/url.h"
#include "../firmware.h"
#include "../watchdog.h"
#include "interface.h"
#include "locations.h"
#include "replies.h"

#define BLOCK_BYTES 1408 /* fits into an Ethernet frame with headers of tunnels (RFC 2348) */

/* RFC 1350, 5 */
#define ERROR_MISSING 1
#define ERROR_ACCESS 2

#define NO_TFTP "the firmware has no TFTP for this network card"

/* Layout of an error packet: opcode and code, two bytes each, big-endian; text (RFC 1350, 5). */
#define OPCODE_ERROR 5
#define ERROR_TEXT_AT 4

static EFI_PXE_BASE_CODE *base, *started; /* in use; started here */
static EFI_HANDLE base_handle;

/* The running call, and its error packet. */
static struct {
    uint64_t started, moved; /* milliseconds; bytes of packets */
    bool is_late;
} running;

static struct {
    bool is_there;
    uint16_t code;
    char words[REPLY_WORDS_MAX];
} error;

void tftp_use(EFI_HANDLE handle, EFI_PXE_BASE_CODE *pxe)
{
    base_handle = handle;
    base = pxe;
}

/* True if the handle's device path begins with the card's. */
static bool is_below(EFI_HANDLE card, EFI_HANDLE handle)
{
    EFI_GUID guid = DEVICE_PATH_PROTOCOL;
    const EFI_DEVICE_PATH *from = firmware_protocol(card, &guid);
    const EFI_DEVICE_PATH *path = firmware_protocol(handle, &guid);
    while (from != NULL && path != NULL && from->Type != END_DEVICE_PATH_TYPE) {
        if (memcmp(from, path, sizeof *from) != 0 || /* the header has the node's length */
            memcmp(from, path, DevicePathNodeLength(from)) != 0)
            return false;
        from = firmware_next_node(from);
        path = firmware_next_node(path);
    }
    return from != NULL && path != NULL;
}

static bool start_transfer(EFI_PXE_BASE_CODE *pxe)
{
    EFI_IP_ADDRESS address = {.v4 = interface_opened()->address};
    EFI_IP_ADDRESS subnet = {.v4 = interface_opened()->subnet};
    if (pxe->Mode->Started || EFI_ERROR(pxe->Start(pxe, FALSE)))
        return false;
    if (!EFI_ERROR(pxe->SetStationIp(pxe, &address, &subnet)))
        return true;
    pxe->Stop(pxe);
    return false;
}

const char *tftp_open(void)
{
    EFI_GUID guid = EFI_PXE_BASE_CODE_PROTOCOL_GUID;
    EFI_HANDLE *handles;
    UINTN count;
    if (started != NULL)
        return NULL;
    if (EFI_ERROR(firmware_boot->LocateHandleBuffer(ByProtocol, &guid, NULL, &count, &handles)))
        return NO_TFTP;
    for (UINTN i = 0; i < count && started == NULL; i++) {
        EFI_PXE_BASE_CODE *pxe = firmware_protocol(handles[i], &guid);
        if (pxe != NULL && is_below(interface_opened()->card, handles[i]) && start_transfer(pxe)) {
            started = pxe;
            tftp_use(handles[i], pxe);
        }
    }
    firmware_boot->FreePool(handles);
    return started != NULL ? NULL : NO_TFTP;
}

void tftp_close(void)
{
    if (started != NULL)
        started->Stop(started);
    base = started = NULL;
}

/* Splits the URL. Returns NULL, or why TFTP cannot ask for it. */
static const char *take_apart(const char *url, EFI_IP_ADDRESS *server, const char **file)
{
    struct url parts;
    const char *reason = url_read(piece_of(url), &parts);
    if (base == NULL)
        return NO_TFTP;
    if (reason != NULL)
        return reason;
    memset(server, 0, sizeof *server);
    *file = parts.path.at + (parts.path.length > 0);
    if (!location_ipv4(parts.host, server->v4.Addr))
        return "TFTP needs the server's IPv4 address, not its name";
    return parts.port == 69 ? NULL : "TFTP is spoken on port 69 alone";
}

/*
 * Watches each packet. edk2 shows an error packet only here: it leaves the mode data unset, or
 * stores a code of 0 (PxeBcMtftp.c).
 */
static EFI_PXE_BASE_CODE_CALLBACK_STATUS EFIAPI see(EFI_PXE_BASE_CODE_CALLBACK *self,
                                                    EFI_PXE_BASE_CODE_FUNCTION function,
                                                    BOOLEAN is_received, UINT32 length,
                                                    EFI_PXE_BASE_CODE_PACKET *packet)
{
    (void)self;
    (void)function; /* edk2 invents values; the callback is set for TFTP alone */
    watchdog_feed();
    running.moved += length;
    running.is_late = transport_is_late(running.started, running.moved);
    if (running.is_late)
        return EFI_PXE_BASE_CODE_CALLBACK_STATUS_ABORT;
    if (!is_received || packet == NULL || length < ERROR_TEXT_AT || packet->Raw[0] != 0 ||
        packet->Raw[1] != OPCODE_ERROR)
        return EFI_PXE_BASE_CODE_CALLBACK_STATUS_CONTINUE;
    error.is_there = true;
    error.code = (uint16_t)(packet->Raw[2] << 8 | packet->Raw[3]);
    reply_tftp_words(error.code, (const char *)packet->Raw + ERROR_TEXT_AT, length - ERROR_TEXT_AT,
                     error.words);
    return EFI_PXE_BASE_CODE_CALLBACK_STATUS_CONTINUE;
}

static EFI_PXE_BASE_CODE_CALLBACK seer = {EFI_PXE_BASE_CODE_CALLBACK_PROTOCOL_REVISION, see};

static void call_back(BOOLEAN whether)
{
    base->SetParameters(base, NULL, NULL, NULL, NULL, &whether);
}

static EFI_STATUS call(EFI_PXE_BASE_CODE_TFTP_OPCODE operation, const char *data, UINT64 *length,
                       EFI_IP_ADDRESS *server, const char *file)
{
    EFI_GUID guid = EFI_PXE_BASE_CODE_CALLBACK_PROTOCOL_GUID;
    UINTN block = BLOCK_BYTES;
    BOOLEAN before = base->Mode->MakeCallbacks;
    error.is_there = running.is_late = false;
    running.started = firmware_milliseconds();
    running.moved = 0;
    bool sees = !EFI_ERROR(
        firmware_boot->InstallProtocolInterface(&base_handle, &guid, EFI_NATIVE_INTERFACE, &seer));
    if (sees)
        call_back(TRUE);
    watchdog_feed();
    EFI_STATUS status = base->Mtftp(base, operation, (void *)data, TRUE, length, &block, server,
                                    (UINT8 *)file, NULL, FALSE);
    watchdog_feed();
    if (!sees)
        return status;
    call_back(before);
    firmware_boot->UninstallProtocolInterface(base_handle, &guid, &seer);
    return status;
}

static const char *say_tftp(EFI_STATUS status, enum refusal *refusal)
{
    if (error.is_there) {
        *refusal = error.code == ERROR_MISSING  ? REFUSAL_MISSING
                   : error.code == ERROR_ACCESS ? REFUSAL_DENIED
                                                : REFUSAL_NONE;
        return error.words;
    }
    if (running.is_late)
        return TRANSPORT_TOO_SLOW;
    if (status == EFI_TIMEOUT || status == EFI_NO_RESPONSE)
        return "the server does not answer";
    return status == EFI_TFTP_ERROR ? "the server refuses it; the firmware does not tell why"
                                    : firmware_status(status);
}

static const char *tftp_get(const char *url, char *buffer, size_t room, size_t *length,
                            enum refusal *refusal)
{
    EFI_IP_ADDRESS server;
    const char *file;
    *length = 0;
    *refusal = REFUSAL_NONE;
    const char *reason = take_apart(url, &server, &file);
    if (reason != NULL)
        return reason;
    UINT64 bytes = room;
    EFI_STATUS status = call(EFI_PXE_BASE_CODE_TFTP_READ_FILE, buffer, &bytes, &server, file);
    if (status == EFI_BUFFER_TOO_SMALL) {
        *length = bytes > room ? bytes : room + 1;
        return NULL;
    }
    if (EFI_ERROR(status))
        return say_tftp(status, refusal);
    *length = bytes;
    return NULL;
}

static const char *tftp_put(const char *url, const char *data, size_t length)
{
    EFI_IP_ADDRESS server;
    const char *file;
    enum refusal refusal;
    const char *reason = take_apart(url, &server, &file);
    if (reason != NULL)
        return reason;
    UINT64 bytes = length;
    EFI_STATUS status =
        call(EFI_PXE_BASE_CODE_TFTP_WRITE_FILE, length > 0 ? data : "", &bytes, &server, file);
    return EFI_ERROR(status) ? say_tftp(status, &refusal) : NULL;
}

const struct transport tftp = {tftp_get, tftp_put};

/* tftp: each file in one call of the firmware's. */
#include "tftp.h"

#include "../../kernel/lib/string.h"
#include "../../kernel/lib/text.h"
#include "../../kernel/lib/url.h"
#include "../firmware.h"
#include "../watchdog.h"
#include "locations.h"
#include "replies.h"
#include "station.h"

#define BLOCK_BYTES 1408 /* fits into a frame of Ethernet, with tunnels' headers (RFC 2348) */

/* RFC 1350, 5 */
#define ERROR_MISSING 1
#define ERROR_ACCESS 2

#define NO_TFTP "the firmware has no TFTP for this network card"

static EFI_PXE_BASE_CODE *base, *started; /* the one in use; the one that was started here */
static bool takes_urls;
static char words[REPLY_WORDS_MAX];

void tftp_use(EFI_PXE_BASE_CODE *pxe, bool any_url)
{
    base = pxe;
    takes_urls = any_url;
}

/* Whether the second device path begins with all of the first. */
static bool is_below(EFI_HANDLE card, EFI_HANDLE handle)
{
    EFI_GUID guid = DEVICE_PATH_PROTOCOL;
    void *from, *path;
    if (EFI_ERROR(firmware_boot->HandleProtocol(card, &guid, &from)) ||
        EFI_ERROR(firmware_boot->HandleProtocol(handle, &guid, &path)))
        return false;
    size_t length = 0;
    for (const EFI_DEVICE_PATH *at = from; at->Type != END_DEVICE_PATH_TYPE;) {
        size_t bytes = at->Length[0] | (size_t)at->Length[1] << 8;
        if (bytes < sizeof *at)
            return false;
        length += bytes;
        at = (const EFI_DEVICE_PATH *)((const uint8_t *)from + length);
    }
    return memcmp(from, path, length) == 0;
}

static bool start(EFI_PXE_BASE_CODE *pxe)
{
    EFI_IP_ADDRESS address = {.v4 = station_opened()->address};
    EFI_IP_ADDRESS subnet = {.v4 = station_opened()->subnet};
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
    void *pxe;
    if (started != NULL)
        return NULL;
    if (EFI_ERROR(firmware_boot->LocateHandleBuffer(ByProtocol, &guid, NULL, &count, &handles)))
        return NO_TFTP;
    for (UINTN i = 0; i < count && started == NULL; i++)
        if (is_below(station_opened()->card, handles[i]) &&
            !EFI_ERROR(firmware_boot->HandleProtocol(handles[i], &guid, &pxe)) && start(pxe))
            started = pxe;
    firmware_boot->FreePool(handles);
    tftp_use(started, false);
    return started != NULL ? NULL : NO_TFTP;
}

void tftp_close(void)
{
    if (started != NULL)
        started->Stop(started);
    base = started = NULL;
}

/* NULL, or why the URL cannot be asked for. */
static const char *take_apart(const char *url, EFI_IP_ADDRESS *server, const char **file)
{
    struct url parts;
    const char *reason = url_read(piece_of(url), &parts);
    if (base == NULL)
        return NO_TFTP;
    if (reason != NULL)
        return reason;
    memset(server, 0, sizeof *server);
    *file = takes_urls ? url : parts.path.at + (parts.path.length > 0);
    if (takes_urls && parts.scheme != URL_TFTP)
        return NULL; /* the server is in the URL */
    if (!location_ipv4(parts.host, server->v4.Addr))
        return "TFTP needs the server's IPv4 address, not its name";
    return parts.scheme == URL_TFTP && parts.port == 69 ? NULL : "TFTP is spoken on port 69 alone";
}

static const char *say(EFI_STATUS status, enum refusal *refusal)
{
    const EFI_PXE_BASE_CODE_TFTP_ERROR *error = &base->Mode->TftpError;
    if (status == EFI_NOT_FOUND)
        *refusal = REFUSAL_MISSING; /* iPXE keeps the packet to itself */
    if (base->Mode->TftpErrorReceived) {
        *refusal = error->ErrorCode == ERROR_MISSING  ? REFUSAL_MISSING
                   : error->ErrorCode == ERROR_ACCESS ? REFUSAL_DENIED
                                                      : REFUSAL_NONE;
        return reply_tftp_words(error->ErrorCode, (const char *)error->ErrorString,
                                sizeof error->ErrorString, words);
    }
    if (status == EFI_TIMEOUT || status == EFI_NO_RESPONSE)
        return "the server does not answer";
    return status == EFI_TFTP_ERROR ? "the server answered with an error" : firmware_status(status);
}

static EFI_STATUS call(EFI_PXE_BASE_CODE_TFTP_OPCODE operation, const char *data, UINT64 *length,
                       EFI_IP_ADDRESS *server, const char *file)
{
    UINTN block = BLOCK_BYTES;
    base->Mode->TftpErrorReceived = FALSE;
    watchdog_feed();
    EFI_STATUS status = base->Mtftp(base, operation, (void *)data, TRUE, length, &block, server,
                                    (UINT8 *)file, NULL, FALSE);
    watchdog_feed();
    return status;
}

static const char *get(const char *url, char *buffer, size_t room, size_t *length,
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
        return say(status, refusal);
    *length = bytes;
    return NULL;
}

static const char *put(const char *url, const char *data, size_t length)
{
    EFI_IP_ADDRESS server;
    const char *file;
    enum refusal refusal;
    const char *reason = take_apart(url, &server, &file);
    if (reason != NULL)
        return reason;
    UINT64 bytes = length;
    EFI_STATUS status = call(EFI_PXE_BASE_CODE_TFTP_WRITE_FILE, data, &bytes, &server, file);
    return EFI_ERROR(status) ? say(status, &refusal) : NULL;
}

const struct transport tftp = {get, put};

/* ipxe: uses iPXE's download protocol (iPXE, src/include/ipxe/efi/efi_download.h); its PXE base
 * code would not tell a file's length. */
#include "ipxe.h"

#include "../../kernel/lib/string.h"
#include "../firmware.h"
#include "../watchdog.h"

#define QUIET_SECONDS 20 /* longer than iPXE itself retries a connection */
#define POLL_MICROSECONDS 100
#define POLLS_PER_SECOND (1000000 / POLL_MICROSECONDS)

struct downloads {
    EFI_STATUS(EFIAPI *start)
    (struct downloads *self, CHAR8 *url,
     EFI_STATUS(EFIAPI *data)(void *context, void *data, UINTN length, UINTN offset),
     void(EFIAPI *finish)(void *context, EFI_STATUS status), void *context, void **file);
    EFI_STATUS(EFIAPI *abort)(struct downloads *self, void *file, EFI_STATUS status);
    EFI_STATUS(EFIAPI *poll)(struct downloads *self);
};

struct download {
    char *buffer;
    size_t room, length;
    uint64_t started;
    unsigned polls; /* since the last data */
    bool is_done;
    EFI_STATUS status;
};

static struct downloads *downloads;

bool ipxe_is(EFI_HANDLE loader)
{
    EFI_GUID guid = {0x3eaeaebd, 0xdecf, 0x493b, {0x9b, 0xd1, 0xcd, 0xb2, 0xde, 0xca, 0xe7, 0x19}};
    downloads = firmware_protocol(loader, &guid);
    return downloads != NULL;
}

/* Takes a piece of data, in any order. Without data, the offset is a guess at the file's size. */
static EFI_STATUS EFIAPI take_data(void *context, void *data, UINTN length, UINTN offset)
{
    struct download *d = context;
    d->polls = 0;
    if (length == 0)
        return EFI_SUCCESS;
    if (offset < d->room)
        memcpy(d->buffer + offset, data, length < d->room - offset ? length : d->room - offset);
    if (offset + length > d->length)
        d->length = offset + length;
    return EFI_SUCCESS;
}

static void EFIAPI finish(void *context, EFI_STATUS status)
{
    struct download *d = context;
    d->is_done = true;
    d->status = status;
}

static EFI_TPL priority(void)
{
    EFI_TPL now = firmware_boot->RaiseTPL(TPL_HIGH_LEVEL);
    firmware_boot->RestoreTPL(now);
    return now;
}

static const char *ipxe_get(const char *url, char *buffer, size_t room, size_t *length,
                            enum refusal *refusal)
{
    static struct download d;
    void *file;
    EFI_TPL before = priority();
    d = (struct download){.buffer = buffer, .room = room, .started = firmware_milliseconds()};
    *length = 0;
    *refusal = REFUSAL_NONE;
    EFI_STATUS status = downloads->start(downloads, (CHAR8 *)url, take_data, finish, &d, &file);
    for (; !EFI_ERROR(status) && !d.is_done; d.polls++) {
        if (d.polls % POLLS_PER_SECOND == 0)
            watchdog_feed();
        if (d.polls == QUIET_SECONDS * POLLS_PER_SECOND || transport_is_late(d.started, d.length)) {
            status = EFI_TIMEOUT;
            downloads->abort(downloads, file, status);
            break;
        }
        downloads->poll(downloads);
        if (!d.is_done)
            firmware_boot->Stall(POLL_MICROSECONDS);
    }
    /* iPXE keeps the TPL raised while it has the card, which starves the firmware's own drivers */
    if (priority() > before)
        firmware_boot->RestoreTPL(before);
    if (!EFI_ERROR(status))
        status = d.status;
    *length = d.length;
    if (status == EFI_NOT_FOUND)
        *refusal = REFUSAL_MISSING;
    if (status == EFI_ACCESS_DENIED)
        *refusal = REFUSAL_DENIED;
    if (status == EFI_TIMEOUT)
        return "the server does not answer";
    return EFI_ERROR(status) ? firmware_status(status) : NULL;
}

const struct transport ipxe = {ipxe_get, NULL};

/* processors: asks the firmware's MP services how many there are; none is ever started here. */
#include "processors.h"

#include "../kernel/lib/text.h"
#include "firmware.h"

/* EFI_MP_SERVICES_PROTOCOL, as far as it is used (PI specification 1.8, volume 2, 13.4). */
struct mp_services {
    EFI_STATUS(EFIAPI *count)(struct mp_services *self, UINTN *processors, UINTN *enabled);
};

static const EFI_GUID mp_services_guid = {
    0x3fdda605, 0xa76e, 0x4f46, {0xad, 0x29, 0x12, 0xf4, 0x53, 0x1b, 0x3d, 0x08}};

void processors_describe(char *buffer, size_t size)
{
    EFI_GUID guid = mp_services_guid;
    UINTN processors = 0, enabled = 0;
    void *protocol;
    if (EFI_ERROR(firmware_boot->LocateProtocol(&guid, NULL, &protocol)) ||
        EFI_ERROR(((struct mp_services *)protocol)
                      ->count((struct mp_services *)protocol, &processors, &enabled)))
        text_write(buffer, size,
                   "left as the firmware parked them; it does not say how many there are");
    else
        text_write(buffer, size,
                   "%lu of %lu by the firmware's MP services; left as it parked them, and not "
                   "looked at",
                   (unsigned long)(processors - 1), (unsigned long)processors);
}

/* fake_firmware: boot services and a disk in memory, for tests of what calls a firmware; and in
 * place of other files of efi/ and kernel/ a clock, the watchdog and the console. */
#ifndef MLPBOOT_TESTS_FAKE_FIRMWARE_H
#define MLPBOOT_TESTS_FAKE_FIRMWARE_H

#include <efi.h>
#include <stdbool.h>

#define FAKE_SECTOR 512
#define FAKE_PROTOCOLS_MAX 4
#define FAKE_HANDLES_MAX 4

struct fake_firmware {
    EFI_BOOT_SERVICES boot; /* a test adds the services that are not here */

    uint64_t microseconds;        /* the time: Stall and each look at the clock let it go by */
    unsigned stalls, slow_stalls; /* so many of the next ones take 20 times as long as asked */
    unsigned fed;                 /* calls of watchdog_feed and watchdog_feed_for, */
    uint64_t fed_for;             /* and the seconds of the latter's last */
    char printed[4096];           /* by console_printf */

    /* Each event is to be created like this, and is refused if there is none. */
    UINT32 event_type;
    EFI_TPL event_level;
    EFI_EVENT_NOTIFY event_notify;
    bool no_event;
    unsigned open_events;

    /* The protocols of the only handle that is asked for any; LocateProtocol finds them, too. */
    EFI_HANDLE owner;
    struct {
        EFI_GUID guid;
        void *protocol;
    } protocol[FAKE_PROTOCOLS_MAX];
    unsigned protocols;

    /* LocateHandleBuffer finds these, by a GUID with this first word. */
    EFI_HANDLE handle[FAKE_HANDLES_MAX];
    unsigned handles;
    UINT32 handles_guid;

    /* The firmware reads the disk with this status. */
    uint8_t disk[128 * FAKE_SECTOR];
    EFI_STATUS disk_status;
    EFI_BLOCK_IO_MEDIA media;
    EFI_BLOCK_IO blocks;
};

extern struct fake_firmware fake;

/* Makes all of it anew, except that time goes on; firmware_boot then points to its services. */
void fake_firmware_start(void);

/* Adds a protocol. */
void fake_firmware_offer(EFI_GUID guid, void *protocol);

/* The handle of every event. */
#define FAKE_EVENT ((EFI_EVENT)&fake.open_events)

#endif

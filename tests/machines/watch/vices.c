/* vices: the table, and the vices of boot services and console, which take a line or two each. */
#include "vices.h"

#include "../../../kernel/lib/string.h"
#include "calls.h"
#include "faults.h"
#include "files.h"
#include "firmware.h"
#include "processors.h"
#include "protect.h"

static bool are_on;
static EFI_BOOT_SERVICES sound; /* as the firmware has them */
static UINTN least_withheld;
static void (*give)(uint64_t address, uint64_t pages, bool is_given);

static EFI_BOOT_SERVICES *boot(void)
{
    return firmware_system->BootServices;
}

bool vices_are_on(void)
{
    return are_on;
}

static EFI_STATUS EFIAPI stall_half(UINTN microseconds)
{
    return sound.Stall(are_on ? microseconds / 2 : microseconds);
}

static EFI_STATUS EFIAPI refuse_watchdog(UINTN seconds, UINT64 code, UINTN bytes, CHAR16 *data)
{
    return are_on ? EFI_UNSUPPORTED : sound.SetWatchdogTimer(seconds, code, bytes, data);
}

static EFI_STATUS EFIAPI allocate_withheld(EFI_ALLOCATE_TYPE how, EFI_MEMORY_TYPE type, UINTN pages,
                                           EFI_PHYSICAL_ADDRESS *address)
{
    EFI_STATUS status = sound.AllocatePages(how, type, pages, address);
    if (are_on && !EFI_ERROR(status) && pages >= least_withheld)
        give(*address, pages, false);
    return status;
}

static EFI_STATUS EFIAPI free_withheld(EFI_PHYSICAL_ADDRESS address, UINTN pages)
{
    give(address, pages, true); /* the firmware may fill it */
    return sound.FreePages(address, pages);
}

static void short_stall(uint64_t unused)
{
    (void)unused;
    boot()->Stall = stall_half;
}

static void no_watchdog(uint64_t unused)
{
    (void)unused;
    boot()->SetWatchdogTimer = refuse_watchdog;
}

static void withhold(uint64_t pages, void (*what)(uint64_t address, uint64_t pages, bool is_given))
{
    least_withheld = pages;
    give = what;
    protect(NULL, PROTECT_NOTHING);
    boot()->AllocatePages = allocate_withheld;
    boot()->FreePages = free_withheld;
}

static void unmapped_memory(uint64_t pages)
{
    withhold(pages, protect_map);
}

static void read_only_memory(uint64_t pages)
{
    withhold(pages, protect_write);
}

static const struct {
    const char *name;
    void (*start)(uint64_t number);
} vices[] = {
    /* Starts of each processor from that number on: */
    {"start-hangs", processors_start_hangs},         /* the call never returns */
    {"start-times-out", processors_start_times_out}, /* it returns, and nobody was started */
    {"start-waits", processors_start_waits}, /* it is refused unless the caller waits (PI allows) */
    {"is-uncached",
     processors_are_uncached}, /* entry 0 of its PAT is, while it works; one at a time */
    {"information-fails", processors_information_fails}, /* of those from that number on */
    /* Files; all of them count how many volumes are opened: */
    {"opens-are-counted", files_count_opens},
    {"open-hangs", files_open_hangs},                     /* of volumes but that booted from */
    {"flush-does-nothing", files_flush_is_nothing},       /* Close does it */
    {"flush-is-unsupported", files_flush_is_unsupported}, /* Close does it */
    {"file-systems-are-late", files_are_late}, /* no others than that booted from, until somebody
                                                  connects their controllers */
    /* Exceptions in place of "hang": */
    {"service-faults", faults_service},   /* in OutputString: no such instruction */
    {"timer-faults", faults_timer},       /* in a callback: no such page */
    {"fault-is-handled", faults_handled}, /* in OutputString: no such page, which the firmware's own
                                             handler then maps */
    {"stall-is-short", short_stall},      /* half of what is asked for */
    {"watchdog-is-refused", no_watchdog},
    {"memory-is-unmapped", unmapped_memory},   /* pieces of so many pages and more */
    {"memory-is-read-only", read_only_memory}, /* likewise */
    /* Calls of the image; the last four are added after the first: */
    {"calls-are-counted", calls_are_counted},
    {"call-fails", calls_fail},
    {"call-hangs", calls_hang},
    {"call-gives-zero", calls_give_zero},
    {"call-gives-wild", calls_give_wild},
    {"five-levels", protect_five_levels}, /* of page tables: no vice, but edk2 starts with four */
};

bool vices_add(const char *name, uint64_t number)
{
    if (sound.Stall == NULL)
        sound = *boot();
    for (unsigned i = 0; i < sizeof vices / sizeof *vices; i++)
        if (strcmp(vices[i].name, name) == 0) {
            vices[i].start(number);
            return true;
        }
    return false;
}

void vices_begin(void)
{
    are_on = true;
}

void vices_end(void)
{
    are_on = false;
}

/* pm_timer: reads both counters at two moments and compares the differences. */
#include "pm_timer.h"

#include "../kernel/cpu/registers.h"
#include "../kernel/probe/native.h"
#include "acpi.h"
#include "firmware.h"
#include "memory.h"

#define MILLISECONDS 60 /* reading a moment takes 1 or 2 us: some 20 ppm of this */
#define TRIES 16

struct pm_moment {
    uint64_t ticks;
    uint32_t count;
};

/* Returns the quickest of several tries: an SMI spoils only its own. */
static struct pm_moment read_pm_moment(uint16_t port)
{
    struct pm_moment best = {0, 0};
    uint64_t least = UINT64_MAX;
    for (unsigned i = 0; i < TRIES; i++) {
        uint64_t before = native_ticks();
        uint32_t count = port_read_32(port);
        uint64_t width = native_ticks() - before;
        if (width < least) {
            least = width;
            best = (struct pm_moment){before + width / 2, count};
        }
    }
    return best;
}

static const char *measure_rate(const struct acpi_pm_timer *timer, uint64_t ticks, double *rate)
{
    EFI_TPL level = firmware_boot->RaiseTPL(TPL_HIGH_LEVEL);
    struct pm_moment start = read_pm_moment(timer->port);
    while (native_ticks() - start.ticks < ticks)
        ;
    struct pm_moment end = read_pm_moment(timer->port);
    firmware_boot->RestoreTPL(level);
    uint32_t counts = acpi_pm_elapsed(timer, start.count, end.count);
    if (counts == 0)
        return "the ACPI PM timer does not move";
    *rate = (double)(end.ticks - start.ticks) * ACPI_PM_TIMER_HZ / counts;
    return NULL;
}

void pm_timer_check(uint64_t ticks_per_second, struct clock_check *check)
{
    static const EFI_GUID acpi_20 = ACPI_20_TABLE_GUID;
    struct acpi_pm_timer timer;
    const void *rsdp = firmware_configuration_table(&acpi_20);
    const struct acpi_header *fadt =
        acpi_find(rsdp, memory_is_mapped, "FACP", &check->reason); /* the FADT's signature */
    check->clock = "ACPI PM timer";
    check->ticks_per_second = 0;
    if (fadt != NULL)
        check->reason = acpi_pm_timer(fadt, &timer);
    if (check->reason == NULL)
        check->reason =
            measure_rate(&timer, ticks_per_second / 1000 * MILLISECONDS, &check->ticks_per_second);
}

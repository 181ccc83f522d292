/* pm_timer: reads both counters at two moments and compares the differences. */
#include "pm_timer.h"

#include "../kernel/cpu/registers.h"
#include "../kernel/probe/native.h"
#include "acpi.h"
#include "firmware.h"
#include "memory.h"

#define MILLISECONDS 50 /* reading a moment takes 1 or 2 us: some 20 ppm of this */
#define TRIES 16

/* Returns the quickest of several tries: an SMI or an interrupt spoils only its own. */
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

void pm_timer_start(struct pm_timer_span *span)
{
    static const EFI_GUID acpi_20 = ACPI_20_TABLE_GUID;
    const void *rsdp = firmware_configuration_table(&acpi_20);
    const struct acpi_header *fadt =
        acpi_find(rsdp, memory_is_mapped, "FACP", &span->reason); /* the FADT's signature */
    if (fadt != NULL)
        span->reason = acpi_pm_timer(fadt, &span->timer);
    if (span->reason == NULL)
        span->start = read_pm_moment(span->timer.port);
}

void pm_timer_end(const struct pm_timer_span *span, uint64_t ticks_per_second,
                  struct clock_check *check)
{
    *check = (struct clock_check){.clock = "ACPI PM timer", .reason = span->reason};
    if (span->reason != NULL)
        return;
    while (native_ticks() - span->start.ticks < ticks_per_second / 1000 * MILLISECONDS)
        ;
    struct pm_moment end = read_pm_moment(span->timer.port);
    uint32_t counts = acpi_pm_elapsed(&span->timer, span->start.count, end.count);
    if (counts == 0)
        check->reason = "the ACPI PM timer does not move";
    else
        check->ticks_per_second =
            (double)(end.ticks - span->start.ticks) * ACPI_PM_TIMER_HZ / counts;
}

/* acpi: finds the firmware's ACPI tables; trusts none that is not well formed. No firmware header,
 * so that tests can hand it tables of their own. */
#ifndef MLPBOOT_EFI_ACPI_H
#define MLPBOOT_EFI_ACPI_H

#include <stdbool.h>
#include <stdint.h>

/* The header of every table (ACPI 6.5, 5.2.6). `length` counts the header too. */
struct acpi_header {
    char signature[4];
    uint32_t length;
    uint8_t revision, checksum;
    char oem[6], oem_table[8];
    uint32_t oem_revision, creator, creator_revision;
} __attribute__((packed));

_Static_assert(sizeof(struct acpi_header) == 36, "as in ACPI 6.5, table 5.4");

#define ACPI_TABLE_BYTES_MAX (16u << 20) /* a longer one is a mistake */

/* True if that many bytes at an address may be read. */
typedef bool acpi_readable(uint64_t address, uint64_t bytes);

/*
 * The first table of that signature, by RSDP and XSDT (ACPI 6.5, 5.2.5 and 5.2.8), its length and
 * checksum checked as well as those of what leads there. NULL: `reason` says why. `rsdp` may be
 * NULL; every address is asked about before it is read.
 */
const struct acpi_header *acpi_find(const void *rsdp, acpi_readable *readable,
                                    const char signature[4], const char **reason);

/*
 * How many tables of that signature there are, whatever their state; 0 also where acpi_find cannot
 * get as far.
 */
unsigned acpi_count(const void *rsdp, acpi_readable *readable, const char signature[4]);

/* The ACPI power-management timer: counts at 3.579545 MHz, read as 32 bits at an I/O port. */
#define ACPI_PM_TIMER_HZ 3579545.0
struct acpi_pm_timer {
    uint16_t port;
    unsigned bits; /* 24 or 32, of those 32 */
};

/*
 * The timer's port by a FADT that acpi_find returned (ACPI 6.5, 5.2.9 and 4.8.3.3). NULL, or the
 * reason why no timer can be used.
 */
const char *acpi_pm_timer(const struct acpi_header *fadt, struct acpi_pm_timer *timer);

/* Counts from one reading to a later one, less than one turn of the counter apart. */
uint32_t acpi_pm_elapsed(const struct acpi_pm_timer *timer, uint32_t from, uint32_t to);

#endif

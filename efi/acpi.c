/* acpi: RSDP, XSDT, table; each checked before its contents are believed. */
#include "acpi.h"

#include <stddef.h>

#include "../kernel/lib/string.h"
#include "table_bytes.h"

#define RSDP_BYTES_OF_REVISION_0 20 /* what the first checksum covers */
#define RSDP_BYTES_MAX 4096

struct rsdp {
    char signature[8];
    uint8_t checksum;
    char oem[6];
    uint8_t revision;
    uint32_t rsdt, length;
    uint64_t xsdt;
    uint8_t extended_checksum, reserved[3];
} __attribute__((packed));

_Static_assert(sizeof(struct rsdp) == 36, "as in ACPI 6.5, table 5.3");

/* The fields used here, by their offsets in ACPI 6.5, table 5.9. */
enum {
    FADT_PM_TIMER = 76,        /* 4 bytes: I/O port */
    FADT_PM_TIMER_LENGTH = 91, /* 1 byte: 4, or 0 where there is no timer */
    FADT_FLAGS = 112,          /* 4 bytes */
    FADT_X_PM_TIMER = 208,     /* 12 bytes: generic address */
    FADT_BYTES_LEAST = 116,
    FADT_BYTES_EXTENDED = 220,
    FADT_FLAG_32_BITS = 1u << 8,
    FADT_FLAG_HARDWARE_REDUCED = 1u << 20,
    SPACE_IO = 1, /* of a generic address: its first byte; the address is its last 8 */
    SPACE_ADDRESS = 4,
};

static const char *check_rsdp(const struct rsdp *rsdp, acpi_readable *readable)
{
    uint64_t address = (uintptr_t)rsdp;
    if (rsdp == NULL)
        return "the firmware names no ACPI 2.0 table";
    if (!readable(address, sizeof *rsdp))
        return "the RSDP is at no address of memory";
    if (memcmp(rsdp->signature, "RSD PTR ", sizeof rsdp->signature) != 0)
        return "the RSDP has no signature";
    if (rsdp->revision < 2)
        return "the RSDP is of ACPI 1.0";
    if (rsdp->length < sizeof *rsdp || rsdp->length > RSDP_BYTES_MAX ||
        !readable(address, rsdp->length))
        return "the RSDP's length is wrong";
    if (!table_adds_up(rsdp, RSDP_BYTES_OF_REVISION_0) || !table_adds_up(rsdp, rsdp->length))
        return "the RSDP's checksum is wrong";
    return NULL;
}

/* Returns NULL, or what is wrong with a table, whose header must be readable. */
static const char *check_table(const struct acpi_header *table, acpi_readable *readable)
{
    if (table->length < sizeof *table || table->length > ACPI_TABLE_BYTES_MAX ||
        !readable((uintptr_t)table, table->length))
        return "an ACPI table's length is wrong";
    return table_adds_up(table, table->length) ? NULL : "an ACPI table's checksum is wrong";
}

/* Returns the table at an address; NULL: its header cannot be read. */
static const struct acpi_header *table_at(uint64_t address, acpi_readable *readable)
{
    if (address == 0 || !readable(address, sizeof(struct acpi_header)))
        return NULL;
    return (const struct acpi_header *)(uintptr_t)address;
}

static const struct acpi_header *open_xsdt(const struct rsdp *rsdp, acpi_readable *readable,
                                           const char **reason)
{
    *reason = check_rsdp(rsdp, readable);
    if (*reason != NULL)
        return NULL;
    const struct acpi_header *xsdt = table_at(rsdp->xsdt, readable);
    if (xsdt == NULL)
        *reason = "the XSDT is at no address of memory";
    else if (memcmp(xsdt->signature, "XSDT", sizeof xsdt->signature) != 0)
        *reason = "the XSDT has no signature";
    else
        *reason = check_table(xsdt, readable);
    return *reason == NULL ? xsdt : NULL;
}

/* Returns the first table of that signature from *entry on; moves *entry behind it. NULL: none. */
static const struct acpi_header *next_of(const struct acpi_header *xsdt, const uint8_t **entry,
                                         acpi_readable *readable, const char signature[4])
{
    const uint8_t *end = (const uint8_t *)xsdt + xsdt->length;
    while (end - *entry >= 8) {
        uint64_t address; /* entries start at 36, so that they are not aligned */
        memcpy(&address, *entry, sizeof address);
        *entry += sizeof address;
        const struct acpi_header *table = table_at(address, readable);
        if (table != NULL && memcmp(table->signature, signature, sizeof table->signature) == 0)
            return table;
    }
    return NULL;
}

const struct acpi_header *acpi_find(const void *rsdp, acpi_readable *readable,
                                    const char signature[4], const char **reason)
{
    const struct acpi_header *xsdt = open_xsdt(rsdp, readable, reason);
    if (xsdt == NULL)
        return NULL;
    const uint8_t *entry = (const uint8_t *)(xsdt + 1);
    const struct acpi_header *table = next_of(xsdt, &entry, readable, signature);
    *reason = table != NULL ? check_table(table, readable) : "there is no such ACPI table";
    return *reason == NULL ? table : NULL;
}

unsigned acpi_count(const void *rsdp, acpi_readable *readable, const char signature[4])
{
    const char *reason;
    const struct acpi_header *xsdt = open_xsdt(rsdp, readable, &reason);
    unsigned count = 0;
    if (xsdt == NULL)
        return 0;
    const uint8_t *entry = (const uint8_t *)(xsdt + 1);
    while (next_of(xsdt, &entry, readable, signature) != NULL)
        count++;
    return count;
}

const char *acpi_pm_timer(const struct acpi_header *fadt, struct acpi_pm_timer *timer)
{
    if (fadt->length < FADT_BYTES_LEAST)
        return "the FADT is too short";
    uint64_t flags = table_field(fadt, FADT_FLAGS, 4),
             address = table_field(fadt, FADT_PM_TIMER, 4);
    if (flags & FADT_FLAG_HARDWARE_REDUCED)
        return "there is no ACPI PM timer: the hardware is ACPI-reduced";
    if (table_field(fadt, FADT_PM_TIMER_LENGTH, 1) != 4)
        return "there is no ACPI PM timer";
    if (fadt->length >= FADT_BYTES_EXTENDED &&
        table_field(fadt, FADT_X_PM_TIMER + SPACE_ADDRESS, 8) != 0) {
        if (table_field(fadt, FADT_X_PM_TIMER, 1) != SPACE_IO)
            return "the ACPI PM timer is at no I/O port";
        address = table_field(fadt, FADT_X_PM_TIMER + SPACE_ADDRESS, 8);
    }
    if (address == 0 || address > UINT16_MAX - 3)
        return "the ACPI PM timer's port is none";
    *timer = (struct acpi_pm_timer){(uint16_t)address, flags & FADT_FLAG_32_BITS ? 32 : 24};
    return NULL;
}

uint32_t acpi_pm_elapsed(const struct acpi_pm_timer *timer, uint32_t from, uint32_t to)
{
    return (to - from) & (uint32_t)((1ull << timer->bits) - 1);
}

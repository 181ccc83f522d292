/* table_bytes: what readers of the tables of ACPI, SMBIOS and FAT do with plain bytes. */
#ifndef MLPBOOT_EFI_TABLE_BYTES_H
#define MLPBOOT_EFI_TABLE_BYTES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "../kernel/lib/string.h"

/* A number of up to 8 bytes, the low one first, at an offset of a table, or of an entry of one;
 * aligned or not. */
static inline uint64_t table_field(const void *table, uint64_t offset, unsigned bytes)
{
    uint64_t value = 0;
    memcpy(&value, (const uint8_t *)table + offset, bytes);
    return value;
}

/* True if all bytes, a checksum among them, add up to 0. */
static inline bool table_adds_up(const void *table, size_t bytes)
{
    uint8_t sum = 0;
    for (size_t i = 0; i < bytes; i++)
        sum = (uint8_t)(sum + ((const uint8_t *)table)[i]);
    return sum == 0;
}

#endif

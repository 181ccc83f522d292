/* smbios: reads the firmware's SMBIOS table; trusts none that is not well formed. No firmware
 * header, so that tests, and the Linux process, can hand it tables of their own. */
#ifndef MLPBOOT_EFI_SMBIOS_H
#define MLPBOOT_EFI_SMBIOS_H

#include <stddef.h>
#include <stdint.h>

#include "../kernel/data/machine.h"

#define SMBIOS_ENTRY_BYTES_MAX 32          /* no entry point is longer */
#define SMBIOS_ENTRY_BYTES_MIN 24          /* nor shorter */
#define SMBIOS_TABLE_BYTES_MAX (16u << 20) /* a longer one is a mistake */

/* The entry point's description of the table of structures. */
struct smbios_table {
    uint64_t address;
    uint32_t bytes;      /* at most */
    uint32_t structures; /* 0: not told; then one of type 127 is the last */
    uint8_t major, minor;
};

/*
 * An entry point of version 2 or 3, by its anchor (DMTF DSP0134 3.7, 5.2.1 and 5.2.2), its length,
 * checksums and intermediate anchor checked. So many bytes of it may be read; more than
 * SMBIOS_ENTRY_BYTES_MAX are not. NULL, or the reason why it is not believed.
 */
const char *smbios_entry(const uint8_t *entry, size_t readable, struct smbios_table *table);

/*
 * Reads all structures out of where->bytes bytes at `table` into `machine`, of which all is
 * replaced. If a table is not well formed to its end, nothing of it is kept: `reason` says so.
 */
void smbios_read(const struct smbios_table *where, const uint8_t *table, struct machine *machine);

/* A text of anybody's, of at most `length` bytes and ending with a NUL before, as a machine_text:
 * what is not printable ASCII becomes '?', blanks at its ends and what is too long are left out. */
void smbios_clean(machine_text to, const char *from, size_t length);

#endif

/* efi_machine: maps the SMBIOS table, and converts EFI_TIME. */
#include "efi_machine.h"

#include "../kernel/lib/string.h"
#include "../kernel/lib/text.h"
#include "firmware.h"
#include "memory.h"
#include "smbios.h"

/* Returns NULL, or why there is no table. */
static const char *find_smbios(const uint8_t *entry, struct smbios_table *table)
{
    size_t readable = SMBIOS_ENTRY_BYTES_MAX;
    while (readable > 0 && !memory_is_mapped((uintptr_t)entry, readable))
        readable--;
    const char *reason = smbios_entry(entry, readable, table);
    if (reason == NULL && !memory_is_mapped(table->address, table->bytes))
        reason = "the SMBIOS table is at no address of memory";
    return reason;
}

/* Uses the entry point of version 2 if that of version 3 is wrong, which `reason` keeps. */
void machine_find(struct machine *machine)
{
    static const EFI_GUID guids[] = {SMBIOS3_TABLE_GUID, SMBIOS_TABLE_GUID};
    const char *wrong = NULL;
    bool found = false;
    memset(machine, 0, sizeof *machine);
    for (unsigned i = 0; i < sizeof guids / sizeof *guids && !found; i++) {
        const uint8_t *entry = firmware_configuration_table(&guids[i]);
        struct smbios_table table;
        const char *reason = entry != NULL ? find_smbios(entry, &table) : NULL;
        found = entry != NULL && reason == NULL;
        if (found)
            smbios_read(&table, (const uint8_t *)table.address, machine);
        else if (wrong == NULL)
            wrong = reason;
    }
    if (!found && wrong == NULL)
        wrong = "the firmware names no SMBIOS table";
    if (wrong != NULL && machine->reason[0] == '\0')
        text_write(machine->reason, sizeof machine->reason, "%s", wrong);
    /* No two boots read the same tick here. */
    text_write(machine->boot, sizeof machine->boot, "%016lx", (uint64_t)__builtin_ia32_rdtsc());
}

const char *machine_now(struct platform *self, struct utc *utc)
{
    static char reason[UTC_REASON_MAX];
    EFI_TIME time;
    EFI_STATUS status = firmware_system->RuntimeServices->GetTime(&time, NULL);
    if (EFI_ERROR(status))
        return text_write(reason, sizeof reason, "GetTime: %s", firmware_status(status));
    bool is_zoned = time.TimeZone != EFI_UNSPECIFIED_TIMEZONE;
    self->clock = is_zoned ? "EFI GetTime" : "EFI GetTime, which names no time zone: taken as UTC";
    struct utc shown = {time.Year, time.Month, time.Day, time.Hour, time.Minute, time.Second};
    /* UEFI 2.10, 8.3: local time = UTC - TimeZone; daylight saving time is already in both. */
    return utc_from_clock(&shown, is_zoned ? time.TimeZone : 0, utc, reason);
}

/* linux_machine: SMBIOS by the image's own reader, or by the files that Linux made of it. */
#include "linux_machine.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "../../efi/smbios.h"
#include "../../kernel/lib/text.h"
#include "read_file.h"

/* --- the table itself ------------------------------------------------------------------------ */

static bool read_at(const char *sys, const char *name, size_t most, char **data, size_t *length)
{
    char path[PATH_MAX];

    snprintf(path, sizeof(path), "%s/firmware/dmi/tables/%s", sys, name);
    return read_file(path, most, data, length) == NULL;
}

/* Reads the table. A file shorter than announced cuts it, which smbios_read then reports. */
static void read_dmi_table(const char *entry, size_t entry_bytes, const char *data, size_t length,
                           struct machine *machine)
{
    struct smbios_table table;
    const char *reason = smbios_entry((const uint8_t *)entry, entry_bytes, &table);

    memset(machine, 0, sizeof(*machine));
    if (reason != NULL) {
        snprintf(machine->reason, sizeof(machine->reason), "%s", reason);
        return;
    }
    if (length < table.bytes)
        table.bytes = (uint32_t)length;
    smbios_read(&table, (const uint8_t *)data, machine);
}

/* Reads the DMI tables. False: the process may not, or this Linux has no such tables. */
static bool find_dmi(const char *sys, struct machine *machine)
{
    char *entry = NULL, *data = NULL;
    size_t entry_bytes, length;
    bool is_found =
        read_at(sys, "smbios_entry_point", SMBIOS_ENTRY_BYTES_MAX, &entry, &entry_bytes) &&
        read_at(sys, "DMI", SMBIOS_TABLE_BYTES_MAX, &data, &length);

    if (is_found)
        read_dmi_table(entry, entry_bytes, data, length, machine);
    free(entry);
    free(data);
    return is_found;
}

/* --- files of class/dmi/id ------------------------------------------------------------------- */

#define AT(member) offsetof(struct machine, member)

static const struct {
    const char *file;
    size_t at;
} files[] = {
    {"sys_vendor", AT(system.manufacturer)},
    {"product_name", AT(system.product)},
    {"product_version", AT(system.version)},
    {"product_serial", AT(system.serial)},
    {"product_uuid", AT(system.uuid)},
    {"product_sku", AT(system.sku)},
    {"product_family", AT(system.family)},
    {"board_vendor", AT(board.manufacturer)},
    {"board_name", AT(board.product)},
    {"board_version", AT(board.version)},
    {"board_serial", AT(board.serial)},
    {"board_asset_tag", AT(board.asset_tag)},
    {"bios_vendor", AT(bios.vendor)},
    {"bios_version", AT(bios.version)},
    {"bios_date", AT(bios.date)},
};

static void find_files(const char *sys, struct machine *machine)
{
    char path[PATH_MAX], value[256];
    unsigned found = 0, denied = 0;
    struct text reason;

    memset(machine, 0, sizeof(*machine));
    strcpy(machine->source, "/sys/class/dmi/id");
    text_init(&reason, machine->reason, sizeof(machine->reason));
    for (size_t i = 0; i < sizeof(files) / sizeof(*files); i++) {
        snprintf(path, sizeof(path), "%s/class/dmi/id/%s", sys, files[i].file);
        errno = 0;
        if (read_small_file(path, value, sizeof(value))) {
            smbios_clean((char *)machine + files[i].at, value, sizeof(value));
            found++;
        } else if (errno == EACCES || errno == EPERM) {
            text_printf(&reason, denied++ == 0 ? "memory and processors, and %s" : ", %s",
                        files[i].file);
        }
    }
    if (denied > 0)
        text_printf(&reason, ": for root only");
    else if (found == 0)
        text_printf(&reason, "this Linux shows no SMBIOS");
    else
        text_printf(&reason, "memory and processors: this Linux shows no SMBIOS table");
}

/* Linux wrote UUIDs in capital letters, too; and no machine has one of all the same digits. */
static void settle_uuid(machine_text uuid)
{
    for (char *c = uuid; *c != '\0'; c++)
        if (*c >= 'A' && *c <= 'F')
            *c = (char)(*c - 'A' + 'a');
    if (strspn(uuid, "0-") == strlen(uuid) || strspn(uuid, "f-") == strlen(uuid))
        uuid[0] = '\0';
}

void linux_machine_find(const char *sys, struct machine *machine)
{
    if (find_dmi(sys, machine))
        return;
    find_files(sys, machine);
    settle_uuid(machine->system.uuid);
}

/* --- boot, microcode and time
 * ---------------------------------------------------------------------- */

void linux_boot(const char *boot_id, machine_text boot)
{
    char value[256];

    boot[0] = '\0';
    if (read_small_file(boot_id, value, sizeof(value)))
        smbios_clean(boot, value, sizeof(value));
}

bool linux_microcode(const char *cpuinfo, int cpu, uint32_t *revision)
{
    FILE *from = fopen(cpuinfo, "r");
    char line[4096];
    int seen = -1;
    bool is_found = false;

    while (from != NULL && !is_found && fgets(line, sizeof(line), from) != NULL) {
        sscanf(line, "processor : %d", &seen);
        is_found = seen == cpu && sscanf(line, "microcode : %x", revision) == 1;
    }
    if (from != NULL)
        fclose(from);
    return is_found;
}

const char *linux_now(struct platform *self, struct utc *utc)
{
    static char reason[UTC_REASON_MAX];
    time_t now = time(NULL);
    struct tm tm;

    (void)self;
    if (gmtime_r(&now, &tm) == NULL)
        return "Linux tells no date";
    struct utc shown = {(unsigned)(tm.tm_year + 1900), (unsigned)(tm.tm_mon + 1),
                        (unsigned)tm.tm_mday,          (unsigned)tm.tm_hour,
                        (unsigned)tm.tm_min,           (unsigned)(tm.tm_sec < 60 ? tm.tm_sec : 59)};
    return utc_from_clock(&shown, 0, utc, reason);
}

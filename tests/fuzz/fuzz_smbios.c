/* fuzz_smbios: any bytes as an entry point, and behind it as a table of structures. */
#include "fuzz.h"

#include "../../efi/smbios.h"

static void check_text(const char *text)
{
    fuzz_check_text(text, MACHINE_TEXT_MAX);
    MUST(text[0] != ' ' && (text[0] == '\0' || text[strlen(text) - 1] != ' '));
}

static void check_texts(const void *part, size_t bytes)
{
    for (size_t at = 0; at + MACHINE_TEXT_MAX <= bytes; at += MACHINE_TEXT_MAX)
        check_text((const char *)part + at);
}

static void check_machine(const struct machine *machine)
{
    fuzz_check_text(machine->source, sizeof machine->source);
    fuzz_check_text(machine->reason, sizeof machine->reason);
    check_texts(&machine->system, sizeof machine->system);
    check_texts(&machine->board, sizeof machine->board);
    check_texts(&machine->bios, sizeof machine->bios);
    for (uint32_t i = 0; i < MACHINE_SOCKETS_MAX; i++)
        check_texts(&machine->socket[i], offsetof(struct machine_socket, mhz_max));
    for (uint32_t i = 0; i < MACHINE_MODULES_MAX; i++) {
        const struct machine_module *module = &machine->module[i];
        check_texts(module, 6 * MACHINE_TEXT_MAX);
        MUST((module->type != NULL) == (i < machine->modules));
        if (module->type != NULL)
            fuzz_check_text(module->type, strlen(module->type) + 1);
        MUST(module->ranks < 16);
    }
    MUST(machine->modules <= machine->slots);
}

/* What is in no structure does not change what is read of those that are. */
static void check_table(struct smbios_table where, const uint8_t *data, size_t size)
{
    static struct machine machine, again;
    uint8_t *table = fuzz_copy(data, size);
    where.bytes = (uint32_t)size;
    memset(&machine, 0xa5, sizeof machine);
    smbios_read(&where, table, &machine);
    check_machine(&machine);
    memset(&again, 0x5a, sizeof again);
    smbios_read(&where, table, &again);
    MUST(memcmp(&machine, &again, sizeof machine) == 0);
    free(table);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct smbios_table where = {.structures = 0, .major = 3, .minor = 2};
    size_t entry_bytes = size < SMBIOS_ENTRY_BYTES_MAX ? size : SMBIOS_ENTRY_BYTES_MAX;
    uint8_t *entry = fuzz_copy(data, entry_bytes);
    const char *reason = smbios_entry(entry, entry_bytes, &where);
    if (reason != NULL) {
        fuzz_check_reason(reason);
        where = (struct smbios_table){.major = 2, .minor = 7, .structures = size > 0 ? data[0] : 0};
    } else {
        MUST(where.bytes > 0 && where.bytes <= SMBIOS_TABLE_BYTES_MAX && where.address != 0);
    }
    check_table(where, data + entry_bytes, size - entry_bytes);
    free(entry);
    return 0;
}

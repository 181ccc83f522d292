/* smbios: reads entry point, structures, fields and strings, by the offsets of DMTF DSP0134. */
#include "smbios.h"

#include <stdbool.h>

#include "../kernel/lib/string.h"
#include "../kernel/lib/text.h"
#include "table_bytes.h"

/* --- the entry point ------------------------------------------------------------------------- */

/* Accepts a length of 1Eh: version 2.1 of the specification gave it by mistake (DSP0134). */
static const char *read_entry_2(const uint8_t *entry, size_t readable, struct smbios_table *table)
{
    uint8_t length = entry[0x05];
    if (readable < 0x1f || length < 0x1e || length > readable)
        return "the SMBIOS entry point's length is wrong";
    if (!table_adds_up(entry, length))
        return "the SMBIOS entry point's checksum is wrong";
    if (memcmp(entry + 0x10, "_DMI_", 5) != 0)
        return "the SMBIOS entry point has no intermediate anchor";
    if (!table_adds_up(entry + 0x10, 0x0f))
        return "the SMBIOS entry point's intermediate checksum is wrong";
    *table = (struct smbios_table){.address = table_field(entry, 0x18, 4),
                                   .bytes = (uint32_t)table_field(entry, 0x16, 2),
                                   .structures = (uint32_t)table_field(entry, 0x1c, 2),
                                   .major = entry[0x06],
                                   .minor = entry[0x07]};
    return table->structures != 0 ? NULL : "the SMBIOS entry point counts no structures";
}

static const char *read_entry_3(const uint8_t *entry, size_t readable, struct smbios_table *table)
{
    uint8_t length = entry[0x06];
    if (length < 0x18 || length > readable)
        return "the SMBIOS entry point's length is wrong";
    if (!table_adds_up(entry, length))
        return "the SMBIOS entry point's checksum is wrong";
    *table = (struct smbios_table){.address = table_field(entry, 0x10, 8),
                                   .bytes = (uint32_t)table_field(entry, 0x0c, 4),
                                   .major = entry[0x07],
                                   .minor = entry[0x08]};
    return NULL;
}

const char *smbios_entry(const uint8_t *entry, size_t readable, struct smbios_table *table)
{
    const char *reason = "the SMBIOS entry point has no anchor";
    if (readable > SMBIOS_ENTRY_BYTES_MAX)
        readable = SMBIOS_ENTRY_BYTES_MAX;
    if (readable < SMBIOS_ENTRY_BYTES_MIN)
        return "the SMBIOS entry point is cut short, or at no address of memory";
    if (memcmp(entry, "_SM3_", 5) == 0)
        reason = read_entry_3(entry, readable, table);
    else if (memcmp(entry, "_SM_", 4) == 0)
        reason = read_entry_2(entry, readable, table);
    if (reason != NULL)
        return reason;
    if (table->bytes == 0 || table->bytes > SMBIOS_TABLE_BYTES_MAX)
        return "the SMBIOS table's length is wrong";
    return table->address != 0 ? NULL : "the SMBIOS table is at address 0";
}

/* --- structures ------------------------------------------------------------------------------ */

enum {
    TYPE_BIOS = 0,
    TYPE_SYSTEM = 1,
    TYPE_BOARD = 2,
    TYPE_ENCLOSURE = 3,
    TYPE_SOCKET = 4,
    TYPE_MODULE = 17,
    TYPE_IPMI = 38, /* a management controller: somebody far away looks after the machine */
    TYPE_END = 127,
    HEADER = 4, /* type, length, handle */
    ENCLOSURE_KIND = 5,
    KIND_SERVER = 0x11, /* DSP0134, 7.4.1: Main Server Chassis, Rack Mount Chassis, Blade, */
    KIND_RACK = 0x17,   /* Blade Enclosure */
    KIND_BLADE = 0x1c,
    KIND_BLADES = 0x1d,
};

struct smbios_structure {
    const uint8_t *at;
    uint8_t type, length; /* of the part before the strings */
    const char *strings, *strings_end;
};

/* Reads the structure at *at, and moves *at on. Returns NULL, or what is wrong with the table. */
static const char *next_structure(const uint8_t **at, const uint8_t *end,
                                  struct smbios_structure *s)
{
    const uint8_t *start = *at;
    size_t left = (size_t)(end - start);
    if (left < HEADER)
        return "has no end";
    *s = (struct smbios_structure){.at = start, .type = start[0], .length = start[1]};
    if (s->length < HEADER)
        return "holds a structure shorter than its header";
    if (s->length > left)
        return "ends within a structure";
    size_t i = s->length;
    while (i + 1 < left && (start[i] != 0 || start[i + 1] != 0))
        i++;
    if (i + 1 >= left)
        return "holds strings without an end";
    s->strings = (const char *)start + s->length;
    s->strings_end = (const char *)start + i + 1;
    *at = start + i + 2;
    return NULL;
}

/* Returns the string of that number, from 1; NULL: no such string. Each ends with a NUL. */
static const char *string_of(const struct smbios_structure *s, unsigned number)
{
    const char *at = s->strings;
    while (at < s->strings_end && *at != '\0') {
        if (--number == 0)
            return at;
        at += strlen(at) + 1;
    }
    return NULL;
}

void smbios_clean(machine_text to, const char *from, size_t length)
{
    size_t kept = 0;
    while (length > 0 && *from == ' ')
        from++, length--;
    for (; kept < length && kept < MACHINE_TEXT_MAX - 1 && from[kept] != '\0'; kept++)
        to[kept] = from[kept] >= ' ' && from[kept] <= '~' ? from[kept] : '?';
    while (kept > 0 && to[kept - 1] == ' ')
        kept--;
    to[kept] = '\0';
}

/* --- fields ---------------------------------------------------------------------------------- */

#define IN(part, member) offsetof(struct machine_##part, member)

/* Pairs the byte that holds a string's number with the member of struct machine for its text. */
static const struct {
    uint8_t type, at;
    uint16_t to;
} texts[] = {
    {TYPE_BIOS, 0x04, IN(bios, vendor)},
    {TYPE_BIOS, 0x05, IN(bios, version)},
    {TYPE_BIOS, 0x08, IN(bios, date)},
    {TYPE_SYSTEM, 0x04, IN(system, manufacturer)},
    {TYPE_SYSTEM, 0x05, IN(system, product)},
    {TYPE_SYSTEM, 0x06, IN(system, version)},
    {TYPE_SYSTEM, 0x07, IN(system, serial)},
    {TYPE_SYSTEM, 0x19, IN(system, sku)},
    {TYPE_SYSTEM, 0x1a, IN(system, family)},
    {TYPE_BOARD, 0x04, IN(board, manufacturer)},
    {TYPE_BOARD, 0x05, IN(board, product)},
    {TYPE_BOARD, 0x06, IN(board, version)},
    {TYPE_BOARD, 0x07, IN(board, serial)},
    {TYPE_BOARD, 0x08, IN(board, asset_tag)},
    {TYPE_SOCKET, 0x04, IN(socket, socket)},
    {TYPE_SOCKET, 0x07, IN(socket, manufacturer)},
    {TYPE_SOCKET, 0x10, IN(socket, version)},
    {TYPE_SOCKET, 0x20, IN(socket, serial)},
    {TYPE_SOCKET, 0x21, IN(socket, asset_tag)},
    {TYPE_SOCKET, 0x22, IN(socket, part)},
    {TYPE_MODULE, 0x10, IN(module, slot)},
    {TYPE_MODULE, 0x11, IN(module, bank)},
    {TYPE_MODULE, 0x17, IN(module, manufacturer)},
    {TYPE_MODULE, 0x18, IN(module, serial)},
    {TYPE_MODULE, 0x19, IN(module, asset_tag)},
    {TYPE_MODULE, 0x1a, IN(module, part)},
};

/* Pairs a number with its member; if all its bits are ones, the wider field holds the value. */
static const struct {
    uint8_t type, at, bytes, wide_at, wide_bytes;
    uint16_t to;
} numbers[] = {
    {TYPE_SOCKET, 0x14, 2, 0, 0, IN(socket, mhz_max)},
    {TYPE_SOCKET, 0x16, 2, 0, 0, IN(socket, mhz)},
    {TYPE_SOCKET, 0x23, 1, 0x2a, 2, IN(socket, cores)},
    {TYPE_SOCKET, 0x24, 1, 0x2c, 2, IN(socket, cores_enabled)},
    {TYPE_SOCKET, 0x25, 1, 0x2e, 2, IN(socket, threads)},
    {TYPE_MODULE, 0x15, 2, 0x54, 4, IN(module, mts_max)},
    {TYPE_MODULE, 0x20, 2, 0x58, 4, IN(module, mts)},
};

/* Names the memory types (7.18.2) that a 64-bit machine may have. */
static const char *const memory_types[] = {
    [0x07] = "RAM",    [0x12] = "DDR",    [0x13] = "DDR2",  [0x14] = "DDR2 FB-DIMM",
    [0x18] = "DDR3",   [0x1a] = "DDR4",   [0x1b] = "LPDDR", [0x1c] = "LPDDR2",
    [0x1d] = "LPDDR3", [0x1e] = "LPDDR4", [0x20] = "HBM",   [0x21] = "HBM2",
    [0x22] = "DDR5",   [0x23] = "LPDDR5", [0x24] = "HBM3",
};

/* Returns 0 if the structure is too short for the field, as those of older versions are. */
static uint32_t number_of(const struct smbios_structure *s, unsigned at, unsigned bytes)
{
    return at + bytes <= s->length ? (uint32_t)table_field(s->at, at, bytes) : 0;
}

/* Keeps only the first complaint, since others may follow from it. */
static void take_texts(const struct smbios_structure *s, uint8_t *part, struct machine *machine)
{
    for (unsigned i = 0; i < sizeof texts / sizeof *texts; i++) {
        uint32_t number = s->type == texts[i].type ? number_of(s, texts[i].at, 1) : 0;
        const char *string = number > 0 ? string_of(s, number) : NULL;
        if (string != NULL)
            smbios_clean((char *)part + texts[i].to, string, strlen(string));
        else if (number > 0 && machine->reason[0] == '\0')
            text_write(machine->reason, sizeof machine->reason,
                       "a structure of type %u names its string %u, which is not there", s->type,
                       number);
    }
}

static void take_numbers(const struct smbios_structure *s, uint8_t *part)
{
    for (unsigned i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        if (s->type != numbers[i].type)
            continue;
        uint32_t value = number_of(s, numbers[i].at, numbers[i].bytes);
        if (value == (1u << 8 * numbers[i].bytes) - 1)
            value = number_of(s, numbers[i].wide_at, numbers[i].wide_bytes);
        memcpy(part + numbers[i].to, &value, sizeof value);
    }
}

/*
 * Reads the UUID, whose first three fields are little-endian from version 2.6 on (7.2.1). All
 * zeroes or all ones mean none.
 */
static void take_uuid(const struct smbios_structure *s, bool little_endian, machine_text to)
{
    static const uint8_t swapped[16] = {3, 2, 1, 0, 5, 4, 7, 6, 8, 9, 10, 11, 12, 13, 14, 15};
    unsigned zeroes = 0, ones = 0;
    struct text text;
    if (s->length < 0x18)
        return;
    text_init(&text, to, MACHINE_TEXT_MAX);
    for (unsigned i = 0; i < 16; i++) {
        uint8_t byte = s->at[0x08 + (little_endian ? swapped[i] : i)];
        text_printf(&text, i == 4 || i == 6 || i == 8 || i == 10 ? "-%02x" : "%02x", byte);
        zeroes += byte == 0;
        ones += byte == 0xff;
    }
    if (zeroes == 16 || ones == 16)
        text_clear(&text);
}

/* Returns bytes, by 7.18.4 and 7.18.5; 0: not known. */
static uint64_t size_of(const struct smbios_structure *s)
{
    uint32_t size = number_of(s, 0x0c, 2);
    if (size == 0xffff)
        return 0;
    if (size == 0x7fff)
        return (uint64_t)(number_of(s, 0x1c, 4) & 0x7fffffff) << 20;
    return size & 0x8000 ? (uint64_t)(size & 0x7fff) << 10 : (uint64_t)size << 20;
}

static void take_memory(const struct smbios_structure *s, struct machine_module *module)
{
    uint32_t type = number_of(s, 0x12, 1);
    const char *name =
        type < sizeof memory_types / sizeof *memory_types ? memory_types[type] : NULL;
    module->type = name != NULL ? name : "";
    module->bytes = size_of(s);
    module->ranks = number_of(s, 0x1b, 1) & 15;
}

/* Returns the structure's part of struct machine; NULL if it has none or there is no room. */
static void *part_for(const struct smbios_structure *s, struct machine *machine)
{
    bool is_socket = s->type == TYPE_SOCKET && number_of(s, 0x18, 1) & 1u << 6; /* populated */
    bool is_module = s->type == TYPE_MODULE && number_of(s, 0x0c, 2) != 0;
    machine->slots += s->type == TYPE_MODULE;
    if (is_socket && machine->sockets++ < MACHINE_SOCKETS_MAX)
        return &machine->socket[machine->sockets - 1];
    if (is_module && machine->modules++ < MACHINE_MODULES_MAX)
        return &machine->module[machine->modules - 1];
    return s->type == TYPE_BIOS     ? (void *)&machine->bios
           : s->type == TYPE_SYSTEM ? (void *)&machine->system
           : s->type == TYPE_BOARD  ? (void *)&machine->board
                                    : NULL;
}

/* Notes a rack by the enclosure's type, whose highest bit says that there is a lock. */
static void take_enclosure(const struct smbios_structure *s, struct machine *machine)
{
    uint8_t kind = s->length > ENCLOSURE_KIND ? s->at[ENCLOSURE_KIND] & 0x7f : 0;
    machine->is_in_rack |=
        kind == KIND_SERVER || kind == KIND_RACK || kind == KIND_BLADE || kind == KIND_BLADES;
}

static void take_structure(const struct smbios_structure *s, struct machine *machine,
                           bool little_endian)
{
    if (s->type == TYPE_ENCLOSURE)
        take_enclosure(s, machine);
    machine->is_in_rack |= s->type == TYPE_IPMI;
    void *part = part_for(s, machine);
    if (part == NULL)
        return;
    take_texts(s, part, machine);
    take_numbers(s, part);
    if (s->type == TYPE_SYSTEM)
        take_uuid(s, little_endian, machine->system.uuid);
    if (s->type == TYPE_MODULE)
        take_memory(s, part);
}

/* Reads every structure. The first board counts as the machine's; sockets and modules beyond the
 * arrays are only counted. */
static const char *take_all(const struct smbios_table *where, const uint8_t *table,
                            struct machine *machine)
{
    bool little_endian = where->major > 2 || (where->major == 2 && where->minor >= 6);
    const uint8_t *end = table + where->bytes;
    uint32_t seen = 0;
    for (uint32_t i = 0; where->structures == 0 || i < where->structures; i++) {
        struct smbios_structure s;
        const char *reason = next_structure(&table, end, &s);
        if (reason != NULL)
            return reason;
        if (s.type == TYPE_END)
            return NULL;
        bool is_second = s.type <= TYPE_BOARD && seen & 1u << s.type;
        if (!is_second)
            take_structure(&s, machine, little_endian);
        if (s.type <= TYPE_BOARD)
            seen |= 1u << s.type;
    }
    return NULL;
}

void smbios_read(const struct smbios_table *where, const uint8_t *table, struct machine *machine)
{
    memset(machine, 0, sizeof *machine);
    const char *wrong = take_all(where, table, machine);
    if (wrong != NULL) {
        memset(machine, 0, sizeof *machine);
        text_write(machine->reason, sizeof machine->reason,
                   "the SMBIOS table is not believed: it %s", wrong);
    }
    text_write(machine->source, sizeof machine->source, "SMBIOS %u.%u", where->major, where->minor);
}

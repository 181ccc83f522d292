/* test_smbios: a well-formed table is read whole; no damaged one is believed, nor read beyond its
 * end.
 */
#include "../../efi/smbios.h"
#include "kit.h"
#include "made_tables.h"

/* --- a table ---------------------------------------------------------------------------------- */

#define ROOM 8192
#define PLACE 0xf0000 /* where the entry point says that the table is */

static uint8_t entry[SMBIOS_ENTRY_BYTES_MAX], table[ROOM];
static size_t entry_bytes, table_bytes;
static unsigned structures;
static size_t at_of[256]; /* the last structure of each type */
static struct machine machine;

/* A structure of `length` bytes, zeroes but for its header, with these strings; NULL ends them. */
static uint8_t *add(uint8_t type, uint8_t length, const char *const *strings)
{
    uint8_t *start = table + table_bytes;

    at_of[type] = table_bytes;
    start[0] = type;
    start[1] = length;
    put(start + 2, structures++, 2);
    table_bytes += length;
    for (; strings != NULL && *strings != NULL; strings++) {
        strcpy((char *)table + table_bytes, *strings);
        table_bytes += strlen(*strings) + 1;
    }
    table_bytes += table_bytes == at_of[type] + length ? 2 : 1; /* none end with two NULs */
    return start;
}

#define STRINGS(...) ((const char *const[]){__VA_ARGS__, NULL})

/* Gives consecutive bytes the numbers of strings. */
static void number(uint8_t *start, unsigned at, unsigned count, unsigned first)
{
    for (unsigned i = 0; i < count; i++)
        start[at + i] = (uint8_t)(first + i);
}

static const uint8_t uuid[16] = {0x33, 0x22, 0x11, 0x00, 0x55, 0x44, 0x77, 0x66,
                                 0x88, 0x99, 0xaa, 0xbb, 0xcc, 0xdd, 0xee, 0xff};

static void add_system(void)
{
    uint8_t *s = add(1, 0x1b, STRINGS("Maker", "Rack 7", "v1", "S-1", "SKU 9", "Racks"));

    number(s, 0x04, 4, 1);
    memcpy(s + 0x08, uuid, sizeof uuid);
    number(s, 0x19, 2, 5);
}

static void add_socket(uint8_t status)
{
    uint8_t *s = add(4, 0x30, STRINGS("CPU 0", "Cores Inc.", "Core 1", "C-2", "TAG-2", "P-2"));

    s[0x04] = 1;
    s[0x07] = 2;
    s[0x10] = 3;
    s[0x18] = status;
    number(s, 0x20, 3, 4);
    put(s + 0x14, 4200, 2);
    put(s + 0x16, 2100, 2);
    s[0x23] = s[0x24] = s[0x25] = 0xff;
    put(s + 0x2a, 300, 2);
    put(s + 0x2c, 256, 2);
    put(s + 0x2e, 512, 2);
}

static uint8_t *add_module(unsigned size)
{
    uint8_t *s = add(17, 0x5c, STRINGS("DIMM 1", "BANK 0", "Chips", "M-3", "TAG-3", "P-3"));

    put(s + 0x0c, size, 2);
    number(s, 0x10, 2, 1);
    s[0x12] = 0x22; /* DDR5 */
    put(s + 0x15, 4800, 2);
    number(s, 0x17, 4, 3);
    s[0x1b] = 2;
    put(s + 0x20, 4400, 2);
    return s;
}

static void seal(void)
{
    if (entry[3] == '_') {
        make_sum_right(entry + 0x10, 0x0f, 5);
        make_sum_right(entry, entry[0x05] > entry_bytes ? entry_bytes : entry[0x05], 0x04);
    } else {
        make_sum_right(entry, entry[0x06] > entry_bytes ? entry_bytes : entry[0x06], 0x05);
    }
}

static void enter_3(void)
{
    memset(entry, 0, sizeof entry);
    memcpy(entry, "_SM3_", 5);
    entry[0x06] = 0x18;
    entry[0x07] = 3;
    entry[0x08] = 5;
    entry[0x0a] = 1;
    put(entry + 0x0c, table_bytes, 4);
    put(entry + 0x10, PLACE, 8);
    entry_bytes = 0x18;
    seal();
}

static void enter_2(void)
{
    memset(entry, 0, sizeof entry);
    memcpy(entry, "_SM_", 4);
    entry[0x05] = 0x1f;
    entry[0x06] = 2;
    entry[0x07] = 8;
    memcpy(entry + 0x10, "_DMI_", 5);
    put(entry + 0x16, table_bytes, 2);
    put(entry + 0x18, PLACE, 4);
    put(entry + 0x1c, structures, 2);
    entry_bytes = 0x1f;
    seal();
}

SETUP(start)
{
    memset(table, 0, sizeof table);
    table_bytes = structures = 0;
    number(add(0, 0x18, STRINGS("Firm", "F.42", "02/29/2024")), 0x04, 2, 1);
    table[0x08] = 3;
    add_system();
    number(add(2, 0x0f, STRINGS("Boards", "Board 3", "r2", "B-4", "TAG-1")), 0x04, 5, 1);
    add_socket(0x41);
    add(16, 0x17, NULL);
    add_module(0x7fff);
    put(table + at_of[17] + 0x1c, 65536, 4);
    add(127, 4, NULL);
    enter_3();
}

/* Exactly as many bytes as may be read, so that a sanitizer sees a step beyond them. */
static uint8_t *copy_of(const uint8_t *from, size_t bytes)
{
    uint8_t *to = malloc(bytes > 0 ? bytes : 1);

    assert_non_null(to);
    memcpy(to, from, bytes);
    return to;
}

static const char *enter(struct smbios_table *where)
{
    uint8_t *copy = copy_of(entry, entry_bytes);
    const char *reason = smbios_entry(copy, entry_bytes, where);

    free(copy);
    return reason;
}

static void read(void)
{
    struct smbios_table where;
    const char *reason = enter(&where);

    if (reason != NULL)
        fail_msg("%s", reason);
    assert_int_equal(where.address, PLACE);
    assert_true(where.bytes <= ROOM);
    uint8_t *copy = copy_of(table, where.bytes);
    memset(&machine, 0xa5, sizeof machine);
    smbios_read(&where, copy, &machine);
    free(copy);
}

/* --- what is well formed -----------------------------------------------------------------------
 */

static void assert_whole(void)
{
    const struct machine_socket *socket = &machine.socket[0];
    const struct machine_module *module = &machine.module[0];

    assert_string_equal(machine.reason, "");
    assert_string_equal(machine.bios.vendor, "Firm");
    assert_string_equal(machine.bios.version, "F.42");
    assert_string_equal(machine.bios.date, "02/29/2024");
    assert_string_equal(machine.system.manufacturer, "Maker");
    assert_string_equal(machine.system.product, "Rack 7");
    assert_string_equal(machine.system.version, "v1");
    assert_string_equal(machine.system.serial, "S-1");
    assert_string_equal(machine.system.sku, "SKU 9");
    assert_string_equal(machine.system.family, "Racks");
    assert_string_equal(machine.system.uuid, "00112233-4455-6677-8899-aabbccddeeff");
    assert_string_equal(machine.board.manufacturer, "Boards");
    assert_string_equal(machine.board.product, "Board 3");
    assert_string_equal(machine.board.version, "r2");
    assert_string_equal(machine.board.serial, "B-4");
    assert_string_equal(machine.board.asset_tag, "TAG-1");
    assert_int_equal(machine.sockets, 1);
    assert_string_equal(socket->socket, "CPU 0");
    assert_string_equal(socket->manufacturer, "Cores Inc.");
    assert_string_equal(socket->version, "Core 1");
    assert_string_equal(socket->serial, "C-2");
    assert_string_equal(socket->asset_tag, "TAG-2");
    assert_string_equal(socket->part, "P-2");
    assert_int_equal(socket->mhz_max, 4200);
    assert_int_equal(socket->mhz, 2100);
    assert_int_equal(socket->cores, 300);
    assert_int_equal(socket->cores_enabled, 256);
    assert_int_equal(socket->threads, 512);
    assert_int_equal(machine.slots, 1);
    assert_int_equal(machine.modules, 1);
    assert_string_equal(module->slot, "DIMM 1");
    assert_string_equal(module->bank, "BANK 0");
    assert_string_equal(module->manufacturer, "Chips");
    assert_string_equal(module->serial, "M-3");
    assert_string_equal(module->asset_tag, "TAG-3");
    assert_string_equal(module->part, "P-3");
    assert_string_equal(module->type, "DDR5");
    assert_int_equal(module->bytes, UINT64_C(64) << 30);
    assert_int_equal(module->mts_max, 4800);
    assert_int_equal(module->mts, 4400);
    assert_int_equal(module->ranks, 2);
}

TEST(both_entry_points)
{
    read();
    assert_whole();
    assert_string_equal(machine.source, "SMBIOS 3.5");
    enter_2();
    read();
    assert_whole();
    assert_string_equal(machine.source, "SMBIOS 2.8");
}

/* A version 2 table may end with its last structure; version 3 gives only the most it can have. */
TEST(ends_of_tables)
{
    enter_2();
    put(entry + 0x1c, structures - 1, 2);
    put(entry + 0x16, at_of[127], 2);
    seal();
    read();
    assert_whole();
    start();
    table_bytes += 512;
    enter_3();
    read();
    assert_whole();
}

/* As version 2.1 of the specification had it by mistake; and longer than is known here. */
TEST(entry_points_of_other_lengths)
{
    enter_2();
    entry[0x05] = 0x1e;
    seal();
    read();
    assert_whole();
    enter_2();
    entry[0x05] = entry_bytes = 0x20;
    seal();
    read();
    assert_whole();
    enter_3();
    entry[0x06] = entry_bytes = 0x20;
    seal();
    read();
    assert_whole();
}

TEST(uuid_by_version)
{
    enter_2();
    entry[0x07] = 5; /* big-endian until 2.5 */
    seal();
    read();
    assert_string_equal(machine.system.uuid, "33221100-5544-7766-8899-aabbccddeeff");
    start();
    memset(table + at_of[1] + 0x08, 0, 16);
    read();
    assert_string_equal(machine.system.uuid, "");
    memset(table + at_of[1] + 0x08, 0xff, 16);
    read();
    assert_string_equal(machine.system.uuid, "");
    table[at_of[1] + 0x08 + 15] = 0xfe;
    read();
    assert_string_equal(machine.system.uuid, "ffffffff-ffff-ffff-ffff-fffffffffffe");
}

TEST(sizes_and_speeds)
{
    static const struct {
        unsigned size;
        uint32_t extended;
        uint64_t bytes;
        unsigned modules;
    } cases[] = {
        {0, 0, 0, 0},
        {1, 9, UINT64_C(1) << 20, 1},
        {0x8001, 9, 1024, 1},
        {0xffff, 9, 0, 1},
        {0x7ffe, 9, UINT64_C(0x7ffe) << 20, 1},
        {0x7fff, 0x80000001, UINT64_C(1) << 20, 1},
    };
    uint8_t *module = table + at_of[17];

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        put(module + 0x0c, cases[i].size, 2);
        put(module + 0x1c, cases[i].extended, 4);
        read();
        assert_int_equal(machine.slots, 1);
        assert_int_equal(machine.modules, cases[i].modules);
        if (cases[i].modules > 0)
            assert_int_equal(machine.module[0].bytes, cases[i].bytes);
    }
    put(module + 0x15, 0xffff, 2);
    put(module + 0x54, 70000, 4);
    module[0x12] = 0xee; /* a type of the future */
    module[0x1b] = 0xf0;
    read();
    assert_int_equal(machine.module[0].mts_max, 70000);
    assert_string_equal(machine.module[0].type, "");
    assert_int_equal(machine.module[0].ranks, 0);
}

/* The tables of version 2.0 and 2.3 end before what came later. */
TEST(short_structures_of_old_versions)
{
    table_bytes = structures = 0;
    memset(table, 0, sizeof table);
    number(add(1, 0x08, STRINGS("Maker", "Old", "v0", "S-0")), 0x04, 4, 1);
    uint8_t *module = add(17, 0x1b, STRINGS("DIMM A"));
    put(module + 0x0c, 512, 2);
    module[0x10] = 1;
    add(127, 4, NULL);
    enter_3();
    read();
    assert_string_equal(machine.reason, "");
    assert_string_equal(machine.system.serial, "S-0");
    assert_string_equal(machine.system.uuid, "");
    assert_string_equal(machine.system.sku, "");
    assert_int_equal(machine.module[0].bytes, UINT64_C(512) << 20);
    assert_int_equal(machine.module[0].ranks, 0);
}

TEST(strings_are_cleaned)
{
    char longest[301];

    memset(longest, 'x', 300);
    longest[300] = '\0';
    table_bytes = structures = 0;
    memset(table, 0, sizeof table);
    number(add(1, 0x08, STRINGS("  a\tb\x1b[31m \x7f ", "   ", longest, "\xc3\xa9\xff")), 4, 4, 1);
    add(127, 4, NULL);
    enter_3();
    read();
    assert_string_equal(machine.reason, "");
    assert_string_equal(machine.system.manufacturer, "a?b?[31m ?");
    assert_string_equal(machine.system.product, "");
    assert_int_equal(strlen(machine.system.version), MACHINE_TEXT_MAX - 1);
    assert_string_equal(machine.system.serial, "???");
}

/* More than are kept are counted; a second system or board is not the machine. */
TEST(many_of_each)
{
    table_bytes = at_of[127];
    memset(table + table_bytes, 0, sizeof table - table_bytes);
    number(add(2, 0x09, STRINGS("Other")), 0x04, 1, 1);
    number(add(1, 0x08, STRINGS("Other")), 0x04, 1, 1);
    add_socket(0x00); /* empty */
    for (unsigned i = 0; i < MACHINE_SOCKETS_MAX; i++)
        add_socket(0x41);
    for (unsigned i = 0; i < 20; i++)
        add_module(i % 2);
    add(127, 4, NULL);
    enter_3();
    read();
    assert_string_equal(machine.system.manufacturer, "Maker");
    assert_string_equal(machine.board.manufacturer, "Boards");
    assert_int_equal(machine.sockets, 1 + MACHINE_SOCKETS_MAX);
    assert_int_equal(machine.slots, 21);
    assert_int_equal(machine.modules, 11);
    assert_int_equal(machine.module[10].bytes, 1 << 20);
    table_bytes = structures = 0;
    memset(table, 0, sizeof table);
    for (unsigned i = 0; i < MACHINE_MODULES_MAX + 2; i++) {
        uint8_t *s = add(17, 0x0e, NULL);
        put(s + 0x0c, 1, 2);
    }
    add(127, 4, NULL);
    enter_3();
    read();
    assert_int_equal(machine.modules, MACHINE_MODULES_MAX + 2);
}

/* --- what is not --------------------------------------------------------------------------------
 */

/* A byte of the entry point, or several, other than it should be; the sums then made right or not.
 */
static const struct {
    unsigned version, at;
    uint64_t value;
    unsigned bytes;
    bool sealed;
    const char *why;
} wrong_entries[] = {
    {3, 0x00, 0, 1, true, "has no anchor"},
    {3, 0x03, '_', 1, false, "length is wrong"}, /* then it is one of version 2, cut short */
    {3, 0x04, 0, 1, false, "has no anchor"},
    {3, 0x05, 0x77, 1, false, "checksum is wrong"},
    {3, 0x06, 0, 1, true, "length is wrong"},
    {3, 0x06, 0x17, 1, true, "length is wrong"},
    {3, 0x06, 0x19, 1, true, "length is wrong"}, /* one more than may be read */
    {3, 0x06, 0xff, 1, true, "length is wrong"},
    {3, 0x0c, 0, 4, true, "table's length is wrong"},
    {3, 0x0c, SMBIOS_TABLE_BYTES_MAX + 1, 4, true, "table's length is wrong"},
    {3, 0x0c, UINT32_MAX, 4, true, "table's length is wrong"},
    {3, 0x10, PLACE + 1, 8, false, "checksum is wrong"},
    {3, 0x10, 0, 8, true, "address 0"},
    {2, 0x00, 'x', 1, true, "has no anchor"},
    {2, 0x04, 0x77, 1, false, "checksum is wrong"},
    {2, 0x05, 0, 1, true, "length is wrong"},
    {2, 0x05, 0x1d, 1, true, "length is wrong"},
    {2, 0x05, 0x20, 1, true, "length is wrong"},
    {2, 0x10, 'x', 1, true, "no intermediate anchor"},
    {2, 0x16, 0, 2, true, "table's length is wrong"},
    {2, 0x18, 0, 4, true, "address 0"},
    {2, 0x1c, 0, 2, true, "counts no structures"},
};

TEST(damaged_entry_points)
{
    struct smbios_table where;

    for (size_t i = 0; i < sizeof wrong_entries / sizeof *wrong_entries; i++) {
        wrong_entries[i].version == 2 ? enter_2() : enter_3();
        put(entry + wrong_entries[i].at, wrong_entries[i].value, wrong_entries[i].bytes);
        if (wrong_entries[i].sealed)
            seal();
        const char *reason = enter(&where);
        if (reason == NULL || strstr(reason, wrong_entries[i].why) == NULL)
            fail_msg("%zu: \"%s\" does not say \"%s\"", i, reason != NULL ? reason : "",
                     wrong_entries[i].why);
    }
}

/* The whole sum is right, that of the second half is not. */
TEST(intermediate_checksum)
{
    struct smbios_table where;

    enter_2();
    entry[0x15]++;
    make_sum_right(entry, 0x1f, 0x04);
    assert_string_equal(enter(&where), "the SMBIOS entry point's intermediate checksum is wrong");
}

TEST(entry_points_cut_short)
{
    struct smbios_table where;

    for (unsigned version = 2; version <= 3; version++) {
        version == 2 ? enter_2() : enter_3();
        for (size_t whole = entry_bytes--; entry_bytes < whole; entry_bytes--) {
            assert_non_null(enter(&where));
            if (entry_bytes == 0)
                break;
        }
    }
}

static void cut_to(size_t bytes)
{
    table_bytes = bytes;
    enter_3();
}

/* Each changes the good table, and the entry point where it has to. */
static void length_0(void)
{
    table[at_of[1] + 1] = 0;
}

static void length_3(void)
{
    table[at_of[17] + 1] = 3;
}

static void length_beyond_the_end(void)
{
    table[at_of[127] + 1] = 0xff;
}

static void no_end_marker(void)
{
    cut_to(at_of[127]);
}

static void end_marker_without_strings(void)
{
    cut_to(at_of[127] + 4);
}

static void end_marker_with_one_nul(void)
{
    cut_to(at_of[127] + 5);
}

static void one_byte(void)
{
    cut_to(1);
}

static void header_alone(void)
{
    cut_to(4);
}

static void strings_cut(void)
{
    cut_to(at_of[2] - 3);
}

static void final_nul_missing(void)
{
    cut_to(at_of[1] - 1); /* the strings of the first */
}

static void formatted_part_cut(void)
{
    cut_to(at_of[17] + 0x20);
}

static void end_marker_overwritten(void)
{
    table[at_of[127]] = 126;
}

static void zeroes_after_all(void)
{
    memset(table + at_of[2], 0, table_bytes - at_of[2]);
}

static void strings_never_end(void)
{
    memset(table + at_of[2] + 0x0f, 'x', ROOM - at_of[2] - 0x0f);
    cut_to(ROOM);
}

static void structures_never_end(void)
{
    memset(table, 0, ROOM);
    table_bytes = 0;
    while (table_bytes + 6 <= ROOM - 6)
        add(11, 4, NULL);
    enter_3();
}

static void one_more_counted(void)
{
    enter_2();
    table[at_of[127]] = 126; /* as if it were not the end */
    put(entry + 0x1c, structures + 1, 2);
    seal();
}

static void shorter_than_counted(void)
{
    enter_2();
    put(entry + 0x16, at_of[4], 2);
    seal();
}

static void all_ones(void)
{
    memset(table, 0xff, table_bytes);
}

static void all_zeroes(void)
{
    memset(table, 0, table_bytes);
}

static const struct {
    void (*damage)(void);
    const char *why;
} wrong_tables[] = {
    {length_0, "shorter than its header"},
    {length_3, "shorter than its header"},
    {length_beyond_the_end, "ends within a structure"},
    {no_end_marker, "has no end"},
    {end_marker_without_strings, "strings without an end"},
    {end_marker_with_one_nul, "strings without an end"},
    {one_byte, "has no end"},
    {header_alone, "ends within a structure"},
    {strings_cut, "strings without an end"},
    {final_nul_missing, "strings without an end"},
    {formatted_part_cut, "ends within a structure"},
    {end_marker_overwritten, "has no end"},
    {zeroes_after_all, "shorter than its header"},
    {strings_never_end, "strings without an end"},
    {structures_never_end, "has no end"},
    {one_more_counted, "has no end"},
    {shorter_than_counted, "has no end"},
    {all_ones, "strings without an end"},
    {all_zeroes, "shorter than its header"},
};

/* Nothing of what was read before the damage is kept. */
static void assert_not_believed(size_t which, const char *why)
{
    struct machine nothing = machine;

    if (strstr(machine.reason, "is not believed: it ") == NULL ||
        strstr(machine.reason, why) == NULL)
        fail_msg("%zu: \"%s\" does not say \"%s\"", which, machine.reason, why);
    memset(nothing.reason, 0, sizeof nothing.reason);
    memset(nothing.source, 0, sizeof nothing.source);
    for (size_t i = 0; i < sizeof nothing; i++)
        assert_int_equal(((const uint8_t *)&nothing)[i], 0);
}

TEST(damaged_tables)
{
    for (size_t i = 0; i < sizeof wrong_tables / sizeof *wrong_tables; i++) {
        start();
        wrong_tables[i].damage();
        read();
        assert_not_believed(i, wrong_tables[i].why);
    }
}

/* Wherever it is cut. */
TEST(tables_of_every_length)
{
    size_t whole = table_bytes;

    for (size_t bytes = 1; bytes < whole; bytes++) {
        start();
        cut_to(bytes);
        read();
        assert_not_believed(bytes, "");
    }
}

/* A string that is not there is said; the others are kept. */
TEST(string_numbers_out_of_range)
{
    static const uint8_t numbers[] = {7, 8, 100, 255};

    for (size_t i = 0; i < sizeof numbers; i++) {
        start();
        table[at_of[1] + 0x07] = numbers[i];
        table[at_of[2] + 0x07] = 9; /* only the first is said */
        read();
        char wanted[128];
        snprintf(wanted, sizeof wanted,
                 "a structure of type 1 names its string %u, which is not there", numbers[i]);
        assert_string_equal(machine.reason, wanted);
        assert_string_equal(machine.system.serial, "");
        assert_string_equal(machine.board.serial, "");
        assert_string_equal(machine.system.product, "Rack 7");
        assert_string_equal(machine.module[0].serial, "M-3");
    }
    start();
    table[at_of[1] + 0x07] = 0; /* means that there is none */
    read();
    assert_string_equal(machine.reason, "");
    assert_string_equal(machine.system.serial, "");
}

/* Bytes of anything, many times over: whatever is read ends, within the table. */
TEST(random_damage)
{
    unsigned believed = 0;

    for (unsigned i = 0; i < 20000; i++) {
        start();
        for (unsigned n = below(6) + 1; n > 0; n--)
            table[below((uint32_t)table_bytes)] = (uint8_t)below(256);
        if (i % 2 == 0)
            enter_2();
        read();
        believed += machine.source[0] != '\0' && strstr(machine.reason, "not believed") == NULL;
        for (const uint8_t *c = (const uint8_t *)&machine.system;
             c < (const uint8_t *)(&machine.bios + 1); c++)
            assert_true(*c == 0 || (*c >= ' ' && *c <= '~'));
    }
    assert_in_range(believed, 100, 19900); /* both were tried */
}

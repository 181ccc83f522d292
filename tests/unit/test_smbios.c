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

/* Adds a structure of `length` bytes, zeroes but for its header, with strings up to NULL. */
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

static void begin_table(void)
{
    memset(table, 0, sizeof table);
    table_bytes = structures = 0;
}

static void end_table(void)
{
    add(127, 4, NULL);
    enter_3();
}

SETUP(start)
{
    begin_table();
    number(add(0, 0x18, STRINGS("Firm", "F.42", "02/29/2024")), 0x04, 2, 1);
    table[0x08] = 3;
    add_system();
    number(add(2, 0x0f, STRINGS("Boards", "Board 3", "r2", "B-4", "TAG-1")), 0x04, 5, 1);
    add_socket(0x41);
    add(16, 0x17, NULL);
    add_module(0x7fff);
    put(table + at_of[17] + 0x1c, 65536, 4);
    end_table();
}

static const char *enter(struct smbios_table *where)
{
    uint8_t *copy = exact_copy(entry, entry_bytes);
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
    assert_compare(where.bytes, <=, ROOM);
    uint8_t *copy = exact_copy(table, where.bytes);
    memset(&machine, 0xa5, sizeof machine);
    smbios_read(&where, copy, &machine);
    free(copy);
}

/* --- what is well formed ---------------------------------------------------------------------- */

static const struct machine expected = {
    .system = {"Maker", "Rack 7", "v1", "S-1", "00112233-4455-6677-8899-aabbccddeeff", "SKU 9",
               "Racks"},
    .board = {"Boards", "Board 3", "r2", "B-4", "TAG-1"},
    .bios = {"Firm", "F.42", "02/29/2024"},
    .sockets = 1,
    .socket = {{"CPU 0", "Cores Inc.", "Core 1", "C-2", "TAG-2", "P-2", 4200, 2100, 300, 256, 512}},
    .slots = 1,
    .modules = 1,
    .module = {{"DIMM 1", "BANK 0", "Chips", "P-3", "M-3", "TAG-3", NULL, UINT64_C(64) << 30, 4800,
                4400, 2}},
};

static void read_whole(const char *source)
{
    seal();
    read();
    assert_string_equal(machine.source, source);
    assert_string_equal(machine.reason, "");
    assert_string_equal(machine.module[0].type, "DDR5");
    memset(machine.source, 0, sizeof machine.source);
    machine.module[0].type = NULL;
    assert_memory_equal(&machine, &expected, sizeof machine);
}

TEST(both_entry_points)
{
    read_whole("SMBIOS 3.5");
    enter_2();
    read_whole("SMBIOS 2.8");
}

/* A version 2 table may end with its last structure; version 3 gives only the most it can have. */
TEST(ends_of_tables)
{
    enter_2();
    put(entry + 0x1c, structures - 1, 2);
    put(entry + 0x16, at_of[127], 2);
    read_whole("SMBIOS 2.8");
    start();
    table_bytes += 512;
    enter_3();
    read_whole("SMBIOS 3.5");
}

/* Version 2.1 of the specification gave one length too short; later versions may be longer. */
TEST(entry_points_of_other_lengths)
{
    enter_2();
    entry[0x05] = 0x1e;
    read_whole("SMBIOS 2.8");
    entry[0x05] = entry_bytes = 0x20;
    read_whole("SMBIOS 2.8");
    enter_3();
    entry[0x06] = entry_bytes = 0x20;
    read_whole("SMBIOS 3.5");
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
    } cases[] = {{0, 0, 0, 0},
                 {1, 9, UINT64_C(1) << 20, 1},
                 {0x8001, 9, 1024, 1},
                 {0xffff, 9, 0, 1},
                 {0x7ffe, 9, UINT64_C(0x7ffe) << 20, 1},
                 {0x7fff, 0x80000001, UINT64_C(1) << 20, 1}};
    uint8_t *module = table + at_of[17];
    for (EACH(c, cases)) {
        put(module + 0x0c, c->size, 2);
        put(module + 0x1c, c->extended, 4);
        read();
        assert_numbers((machine.slots, machine.modules), (1, c->modules));
        if (c->modules > 0)
            assert_int_equal(machine.module[0].bytes, c->bytes);
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

TEST(a_rack_is_known_by_its_enclosure)
{
    static const struct {
        uint8_t length, kind;
        bool is_in_rack;
    } enclosures[] = {{9, 0x17, true},  {9, 0x1c, true},  {9, 0x1d, true},  {9, 0x11, true},
                      {9, 0x12, false}, {9, 0x02, false}, {9, 0x97, true},  {9, 0x03, false},
                      {9, 0x16, false}, {9, 0x18, false}, {9, 0x1e, false}, {5, 0x17, false}};
    for (EACH(c, enclosures)) {
        begin_table();
        uint8_t *enclosure = add(3, c->length, STRINGS("Maker"));
        if (c->length > 5)
            enclosure[5] = c->kind;
        end_table();
        read();
        assert_string_equal(machine.reason, "");
        assert_int_equal(machine.is_in_rack, c->is_in_rack);
    }
}

/* Whatever its enclosure is said to be, somebody looks after it from far away. */
TEST(a_machine_with_a_management_controller_is_like_one_in_a_rack)
{
    begin_table();
    add(3, 9, STRINGS("Maker"))[5] = 2;
    add(38, 16, STRINGS(""));
    end_table();
    read();
    assert_string_equal(machine.reason, "");
    assert_true(machine.is_in_rack);
}

/* The tables of version 2.0 and 2.3 end before what came later. */
TEST(short_structures_of_old_versions)
{
    begin_table();
    number(add(1, 0x08, STRINGS("Maker", "Old", "v0", "S-0")), 0x04, 4, 1);
    uint8_t *module = add(17, 0x1b, STRINGS("DIMM A"));
    put(module + 0x0c, 512, 2);
    module[0x10] = 1;
    end_table();
    read();
    assert_string_equal(machine.reason, "");
    assert_string_equal(machine.system.serial, "S-0");
    assert_string_equal(machine.system.uuid, "");
    assert_string_equal(machine.system.sku, "");
    assert_numbers((machine.module[0].bytes, machine.module[0].ranks), (UINT64_C(512) << 20, 0));
}

TEST(strings_are_cleaned)
{
    char longest[301];
    memset(longest, 'x', 300);
    longest[300] = '\0';
    begin_table();
    number(add(1, 0x08, STRINGS("  a\tb\x1b[31m \x7f ", "   ", longest, "\xc3\xa9\xff")), 4, 4, 1);
    end_table();
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
    end_table();
    read();
    assert_string_equal(machine.system.manufacturer, "Maker");
    assert_string_equal(machine.board.manufacturer, "Boards");
    assert_numbers((machine.sockets, machine.slots), (1 + MACHINE_SOCKETS_MAX, 21));
    assert_numbers((machine.modules, machine.module[10].bytes), (11, 1 << 20));
    begin_table();
    for (unsigned i = 0; i < MACHINE_MODULES_MAX + 2; i++) {
        uint8_t *s = add(17, 0x0e, NULL);
        put(s + 0x0c, 1, 2);
    }
    end_table();
    read();
    assert_int_equal(machine.modules, MACHINE_MODULES_MAX + 2);
}

/* --- what is not ------------------------------------------------------------------------------ */

/* Wrong bytes of an entry point; `sealed`: the sums are made right again. */
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

enum damage { SET, CUT, FILL }; /* a byte; the table; all bytes from there on */

/* Damage to the good table at an offset from its structure of one type. */
static const struct {
    enum damage damage;
    uint8_t type;
    int at;
    uint8_t value;
    const char *why;
} wrong_tables[] = {{SET, 1, 1, 0, "shorter than its header"},
                    {SET, 17, 1, 3, "shorter than its header"},
                    {SET, 127, 1, 0xff, "ends within a structure"},
                    {SET, 127, 0, 126, "has no end"},
                    {CUT, 127, 0, 0, "has no end"},
                    {CUT, 127, 4, 0, "strings without an end"}, /* its strings are missing */
                    {CUT, 127, 5, 0, "strings without an end"}, /* and one NUL of two */
                    {CUT, 0, 1, 0, "has no end"},
                    {CUT, 0, 4, 0, "ends within a structure"},
                    {CUT, 2, -3, 0, "strings without an end"},
                    {CUT, 1, -1, 0, "strings without an end"}, /* the final NUL is missing */
                    {CUT, 17, 0x20, 0, "ends within a structure"},
                    {FILL, 2, 0, 0, "shorter than its header"},
                    {FILL, 0, 0, 0xff, "strings without an end"},
                    {FILL, 0, 0, 0, "shorter than its header"}};

/* Reads the table, of which nothing may be kept. */
static void assert_not_believed(const char *why)
{
    read();
    if (strstr(machine.reason, "is not believed: it ") == NULL ||
        strstr(machine.reason, why) == NULL)
        fail_msg("\"%s\" of %zu bytes does not say \"%s\"", machine.reason, table_bytes, why);
    memset(machine.reason, 0, sizeof machine.reason);
    memset(machine.source, 0, sizeof machine.source);
    assert_memory_equal(&machine, &(struct machine){.sockets = 0}, sizeof machine);
}

TEST(damaged_tables)
{
    for (EACH(c, wrong_tables)) {
        start();
        size_t at = at_of[c->type] + (size_t)c->at;
        if (c->damage == CUT)
            cut_to(at);
        else
            memset(table + at, c->value, c->damage == FILL ? table_bytes - at : 1);
        assert_not_believed(c->why);
    }
}

TEST(tables_that_never_end)
{
    memset(table + at_of[2] + 0x0f, 'x', ROOM - at_of[2] - 0x0f);
    cut_to(ROOM);
    assert_not_believed("strings without an end");
    begin_table();
    while (table_bytes + 6 <= ROOM - 6)
        add(11, 4, NULL);
    enter_3();
    assert_not_believed("has no end");
}

TEST(tables_with_fewer_structures_than_counted)
{
    enter_2();
    table[at_of[127]] = 126; /* as if it were not the end */
    put(entry + 0x1c, structures + 256, 2);
    seal();
    assert_not_believed("has no end");
    start();
    enter_2();
    put(entry + 0x16, at_of[4], 2);
    seal();
    assert_not_believed("has no end");
}

TEST(tables_of_every_length)
{
    size_t whole = table_bytes;
    for (size_t bytes = 1; bytes < whole; bytes++) {
        start();
        cut_to(bytes);
        assert_not_believed("");
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

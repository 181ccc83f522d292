/* test_linux_machine: the machine out of a folder like /sys, as far as it may be read. */
#include <sys/stat.h>
#include <unistd.h>

#include "../hosted/linux_machine.h"
#include "kit.h"
#include "made_tables.h"
#include "own_folder.h"

#define NOBODY 65534

static struct machine machine;

static void write_id(const char *name, const char *text)
{
    write_text(own_path("class/dmi/id/%s", name), text);
}

SETUP(start)
{
    make_own_folder();
}

TEARDOWN(end)
{
    remove_own_folder();
}

static void write_ids(void)
{
    write_id("sys_vendor", "Maker\n");
    write_id("product_name", " Rack 7 \n");
    write_id("product_serial", "S-1\n");
    write_id("product_uuid", "00112233-4455-6677-8899-AABBCCDDEEFF\n");
    write_id("board_serial", "B-1\n");
    write_id("board_asset_tag", "\n");
    write_id("bios_date", "02/29/2024\n");
}

TEST(files_that_linux_made)
{
    write_ids();
    linux_machine_find(own_folder, &machine);
    assert_string_equal(machine.source, "/sys/class/dmi/id");
    assert_string_equal(machine.reason, "memory and processors: this Linux shows no SMBIOS table");
    assert_string_equal(machine.system.manufacturer, "Maker");
    assert_string_equal(machine.system.product, "Rack 7");
    assert_string_equal(machine.system.version, "");
    assert_string_equal(machine.system.serial, "S-1");
    assert_string_equal(machine.system.uuid, "00112233-4455-6677-8899-aabbccddeeff");
    assert_string_equal(machine.board.serial, "B-1");
    assert_string_equal(machine.board.asset_tag, "");
    assert_string_equal(machine.bios.date, "02/29/2024");
}

TEST(uuids_that_are_none)
{
    write_id("product_uuid", "FFFFFFFF-FFFF-FFFF-FFFF-FFFFFFFFFFFF\n");
    linux_machine_find(own_folder, &machine);
    assert_string_equal(machine.system.uuid, "");
    write_id("product_uuid", "00000000-0000-0000-0000-000000000000\n");
    linux_machine_find(own_folder, &machine);
    assert_string_equal(machine.system.uuid, "");
}

TEST(what_only_root_may_read_is_said)
{
    static const char *const denied[] = {"product_serial", "product_uuid", "board_serial"};
    bool is_root = geteuid() == 0;
    write_ids();
    for (size_t i = 0; i < sizeof(denied) / sizeof(*denied); i++)
        assert_int_equal(chmod(own_path("class/dmi/id/%s", denied[i]), 0), 0);
    if (is_root)
        assert_int_equal(seteuid(NOBODY), 0);
    linux_machine_find(own_folder, &machine);
    if (is_root)
        assert_int_equal(seteuid(0), 0);
    assert_string_equal(machine.reason,
                        "memory and processors, and product_serial, product_uuid, board_serial: "
                        "for root only");
    assert_string_equal(machine.system.manufacturer, "Maker");
    assert_string_equal(machine.system.serial, "");
    assert_string_equal(machine.system.uuid, "");
}

TEST(no_smbios)
{
    linux_machine_find(own_folder, &machine);
    assert_string_equal(machine.reason, "this Linux shows no SMBIOS");
    linux_machine_find("/nowhere", &machine);
    assert_string_equal(machine.reason, "this Linux shows no SMBIOS");
}

/* --- the table ------------------------------------------------------------------------------- */

static const uint8_t table[] = {1, 8, 0,  0, 1, 2, 0, 3, 'M', 0, 'R', '7', 0, 'S', '1',
                                0, 0, 17, 4, 1, 0, 0, 0, 127, 4, 2,   0,   0, 0};
static const uint8_t entry[0x18] = {'_', 'S', 'M', '3',          '_', 0, 0x18, 3, 2,
                                    0,   1,   0,   sizeof table, 0,   0, 0,    1};

static void write_table(size_t entry_bytes, size_t table_bytes)
{
    uint8_t right[sizeof(entry)];
    memcpy(right, entry, sizeof(entry));
    make_sum_right(right, sizeof(right), 5);
    write_bytes(own_path("firmware/dmi/tables/smbios_entry_point"), right, entry_bytes);
    write_bytes(own_path("firmware/dmi/tables/DMI"), table, table_bytes);
}

TEST(the_table_goes_first)
{
    write_ids();
    write_table(sizeof(entry), sizeof(table));
    linux_machine_find(own_folder, &machine);
    assert_string_equal(machine.reason, "");
    assert_string_equal(machine.source, "SMBIOS 3.2");
    assert_string_equal(machine.system.manufacturer, "M");
    assert_string_equal(machine.system.product, "R7");
    assert_string_equal(machine.system.serial, "S1");
    assert_int_equal(machine.slots, 1);
}

TEST(a_damaged_table_is_said)
{
    write_ids();
    write_table(sizeof(entry), sizeof(table) - 3); /* the file is shorter than announced */
    linux_machine_find(own_folder, &machine);
    assert_string_equal(machine.reason, "the SMBIOS table is not believed: it has no end");
    assert_string_equal(machine.system.manufacturer, "");
    write_table(10, sizeof(table));
    linux_machine_find(own_folder, &machine);
    assert_non_null(strstr(machine.reason, "cut short"));
    assert_string_equal(machine.system.manufacturer, "");
}

/* --- microcode and time ---------------------------------------------------------------------- */

TEST(the_name_of_a_boot)
{
    machine_text boot = "before";
    write_text(own_path("boot_id"), "bd2b4ed5-7d55-4f0a-8b14-6b3e0d6c6a17\n");
    linux_boot(own_path("boot_id"), boot);
    assert_string_equal(boot, "bd2b4ed5-7d55-4f0a-8b14-6b3e0d6c6a17");
    linux_boot("/nowhere", boot);
    assert_string_equal(boot, "");
}

TEST(microcode_of_a_cpu)
{
    static const char text[] = "processor\t: 0\nvendor_id\t: GenuineIntel\nmicrocode\t: 0x12b\n"
                               "flags\t: fpu\n\nprocessor\t: 7\nmicrocode\t: 0xa101144\n\n"
                               "processor\t: 8\nflags\t: fpu\n";
    const char *path = own_path("cpuinfo");
    uint32_t revision = 5;
    write_text(path, text);
    assert_true(linux_microcode(path, 0, &revision));
    assert_int_equal(revision, 0x12b);
    assert_true(linux_microcode(path, 7, &revision));
    assert_int_equal(revision, 0xa101144);
    assert_false(linux_microcode(path, 8, &revision));
    assert_false(linux_microcode(path, 1, &revision));
    assert_false(linux_microcode("/nowhere", 0, &revision));
}

TEST(the_time)
{
    struct utc utc;
    char text[UTC_TEXT_MAX];
    assert_null(linux_now(NULL, &utc));
    assert_int_equal(strlen(utc_text(text, &utc)), strlen("2026-11-22T05:34:52Z"));
}

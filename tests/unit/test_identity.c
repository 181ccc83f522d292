/* test_identity: what run.json says of a machine, with and without what names it, and its id. */
#include "../../kernel/report/conditions.h"
#include "kit.h"

#define JSON_BYTES 65536

static struct processor processor;
static struct machine machine;
static struct identity identity;
static char memory[JSON_BYTES];

SETUP(start)
{
    processor = (struct processor){.vendor_name = "GenuineIntel", .brand = "Core 1"};
    machine = (struct machine){
        .boot = "B-7",
        .source = "SMBIOS 3.5",
        .system = {"Maker", "Rack 7", "v1", "S-SECRET", "U-SECRET", "SKU", "Racks"},
        .board = {"Boards", "Board 3", "r2", "B-SECRET", "T-SECRET"},
        .bios = {"Firm", "F.42", "02/29/2024"},
        .sockets = 1,
        .socket = {{.socket = "CPU 0", .serial = "C-SECRET", .asset_tag = "CT-SECRET", .mhz = 99}},
        .slots = 4,
        .modules = 1,
        .module = {{.slot = "DIMM 1",
                    .serial = "M-SECRET",
                    .asset_tag = "MT-SECRET",
                    .type = "DDR5",
                    .bytes = UINT64_C(1) << 34}},
    };
    identity = (struct identity){.processor = &processor,
                                 .machine = &machine,
                                 .cores = 1,
                                 .core = {{0xb06a2, 24, CORE_EFFICIENT, 0x12b}},
                                 .utc_start = "2026-11-22T05:34:52Z",
                                 .clock = "a clock",
                                 .no_utc = "it stopped"};
}

static const char *json(void)
{
    struct text text;
    struct json to;
    text_init(&text, memory, sizeof memory);
    json_begin(&to, &text);
    conditions_machine(&to, &identity);
    json_text(&to, "behind", "");
    json_end(&to);
    assert_false(text.truncated);
    return memory;
}

static void assert_says(const char *what)
{
    if (strstr(json(), what) == NULL)
        fail_msg("%s\nis not in %s", what, memory);
}

static char first[IDENTITY_ID_MAX], now[IDENTITY_ID_MAX];

static const char *id(void)
{
    identity_id(&identity, now);
    return now;
}

static unsigned secrets(void)
{
    unsigned count = 0;
    for (const char *at = json(); (at = strstr(at, "SECRET")) != NULL; at++)
        count++;
    return count;
}

TEST(says_all_of_it)
{
    static const char *const lines[] = {
        "\"boot\": \"B-7\"",
        "\"utc_start\": \"2026-11-22T05:34:52Z\"",
        "\"utc_end\": \"\"",
        "\"clock\": \"a clock\"",
        "\"no_utc\": \"it stopped\"",
        "\"core_24\": {",
        "\"signature\": \"0xb06a2\"",
        "\"apic_id\": 24",
        "\"type\": \"E\"",
        "\"microcode\": \"0x12b\"",
        "\"id_shared\": \"\"",
        "\"source\": \"SMBIOS 3.5\"",
        "\"product\": \"Rack 7\"",
        "\"uuid\": \"U-SECRET\"",
        "\"product\": \"Board 3\"",
        "\"date\": \"02/29/2024\"",
        "\"socket_0\": {",
        "\"mhz\": 99",
        "\"mhz_max\": null",
        "\"slots\": 4",
        "\"module_0\": {",
        "\"slot\": \"DIMM 1\"",
        "\"type\": \"DDR5\"",
        "\"bytes\": 17179869184",
        "\"ranks\": null",
        "\n    \"processors\": {", /* side by side, whatever each holds */
        "\n    \"memory\": {",
        "\n  \"behind\": \"\"",
    };
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++)
        assert_says(lines[i]);
    assert_int_equal(secrets(), 8);
    machine.modules = MACHINE_MODULES_MAX + 5; /* more than are kept */
    for (unsigned i = 1; i < MACHINE_MODULES_MAX; i++)
        machine.module[i].type = "";
    assert_says("\"filled\": 69");
    assert_says("\"module_63\": {");
    assert_null(strstr(memory, "\"module_64\""));
}

TEST(anonymous_has_no_names_and_the_same_id)
{
    identity_id(&identity, first);
    identity.is_anonymous = true;
    assert_int_equal(secrets(), 0);
    assert_null(strstr(memory, "serial\""));
    assert_null(strstr(memory, "asset_tag"));
    assert_null(strstr(memory, "uuid"));
    assert_says("\"product\": \"Board 3\"");
    assert_says("\"date\": \"02/29/2024\"");
    assert_says(first);
    assert_string_equal(id(), first);
}

/* As the manual says, so that anybody can compute it: the first 64 bits of a SHA-256. */
TEST(id_by_another_program)
{
    static const char hashed[] = "system.manufacturer=Maker\nsystem.product=Rack 7\n"
                                 "system.serial=S-SECRET\nsystem.uuid=U-SECRET\n"
                                 "board.manufacturer=Boards\nboard.product=Board 3\n"
                                 "board.serial=B-SECRET\nprocessor=Core 1\n";
    char said[128];
    FILE *from = output_of("sha256sum", hashed, strlen(hashed));
    assert_non_null(fgets(said, sizeof said, from));
    fclose(from);
    said[16] = '\0';
    assert_string_equal(id(), said);
}

TEST(id_of_what_stays)
{
    char *const lasting[] = {
        machine.system.manufacturer, machine.system.product,
        machine.system.serial,       machine.system.uuid,
        machine.board.manufacturer,  machine.board.product,
        machine.board.serial,        processor.brand,
    };
    char *const passing[] = {
        machine.source,           machine.system.version,   machine.board.version,
        machine.board.asset_tag,  machine.bios.version,     machine.bios.date,
        machine.socket[0].serial, machine.module[0].serial, identity.utc_start,
    };
    identity_id(&identity, first);

    for (size_t i = 0; i < sizeof lasting / sizeof *lasting; i++) {
        lasting[i][0] ^= 1;
        assert_string_not_equal(id(), first);
        lasting[i][0] ^= 1;
    }
    for (size_t i = 0; i < sizeof passing / sizeof *passing; i++) {
        passing[i][0] ^= 1;
        assert_string_equal(id(), first);
        passing[i][0] ^= 1;
    }
    identity.core[0] = (struct identity_core){1, 2, CORE_PERFORMANCE, 9};
    assert_string_equal(id(), first);
}

/* The longest texts there can be. */
TEST(id_of_long_texts)
{
    char *const texts[] = {
        machine.system.manufacturer, machine.system.product,     machine.system.serial,
        machine.system.uuid,         machine.board.manufacturer, machine.board.product,
        machine.board.serial,
    };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        memset(texts[i], 'x', MACHINE_TEXT_MAX - 1);
    memset(processor.brand, 'y', sizeof processor.brand - 1);
    identity_id(&identity, first);
    processor.brand[sizeof processor.brand - 2] = 'z'; /* the last byte that is hashed */
    assert_string_not_equal(id(), first);
}

TEST(machines_of_one_kind)
{
    machine.system.serial[0] = machine.system.uuid[0] = machine.board.serial[0] = '\0';
    assert_says("\"id_shared\": \"no serial number and no UUID is known");
    strcpy(machine.board.serial, "B");
    assert_says("\"id_shared\": \"\"");
}

TEST(cores)
{
    identity.core[1] = (struct identity_core){.signature = 0xb06a2, .type = CORE_PERFORMANCE};
    identity.cores = 2;
    assert_says("\"measured\": 2");
    assert_says("\"core_24\": {");
    assert_says("\"core_0\": {");
    assert_says("\"type\": \"P\"");
    assert_says("\"microcode\": \"\"");
    identity.cores = 0; /* not looked at yet */
    assert_says("\"measured\": 0\n");
    assert_null(strstr(memory, "core_24"));
    identity.cores = IDENTITY_CORES_MAX + 9; /* more than are kept */
    assert_says("\"measured\": 265");
}

TEST(no_machine)
{
    identity.machine = NULL;
    assert_string_equal(id(), "");
    assert_says("\"id\": \"\"");
    assert_null(strstr(memory, "system"));
}

/* test_locations: URLs of folders, names in them, and the boot file that a DHCP packet names. */
#include "../../efi/network/locations.h"
#include "kit.h"

static void folder_is(const char *url, const char *folder)
{
    char written[LOCATION_MAX];
    assert_null(location_folder(piece_of(url), written));
    assert_string_equal(written, folder);
}

TEST(a_folder_ends_with_its_slash)
{
    folder_is("http://10.0.0.1/boot/x.efi", "http://10.0.0.1/boot/");
    folder_is("http://10.0.0.1:8000/boot/", "http://10.0.0.1:8000/boot/");
    folder_is("https://server/x.efi", "https://server/");
    folder_is("http://server", "http://server/");
    folder_is("http://[fe80::1]:80", "http://[fe80::1]:80/");
    folder_is("tftp://10.0.0.1/boot\\x64\\x.efi", "tftp://10.0.0.1/boot\\x64\\");
    folder_is("tftp://10.0.0.1//x.efi", "tftp://10.0.0.1//");
}

TEST(what_is_no_url_has_no_folder)
{
    static char endless[LOCATION_MAX + 8] = "http://a/";
    char folder[LOCATION_MAX];
    memset(endless + 9, 'x', sizeof endless - 10);
    assert_string_equal(location_folder(piece_of(endless), folder), "is too long");
    assert_non_null(location_folder(piece_of("ftp://a/b"), folder));
    assert_non_null(location_folder(piece_of(""), folder));
}

TEST(a_name_is_joined_with_one_slash)
{
    char url[LOCATION_MAX];
    assert_true(location_join("http://a/", "mlpboot.cfg", url));
    assert_string_equal(url, "http://a/mlpboot.cfg");
    assert_true(location_join("http://a/b", "\\report\\page.html", url));
    assert_string_equal(url, "http://a/b/report/page.html");
    assert_true(location_join("tftp://10.0.0.1/boot\\x64\\", "mlpboot.cfg", url));
    assert_string_equal(url, "tftp://10.0.0.1/boot\\x64\\mlpboot.cfg");
    static char endless[LOCATION_MAX];
    memset(endless, 'x', sizeof endless - 2);
    assert_false(location_join(endless, "ab", url));
}

/* Two boots with a dead clock, or two machines that share their id, leave two folders. */
TEST(a_run_is_named_by_machine_time_and_ticks)
{
    static const struct utc dead = {2026, 1, 2, 3, 4, 5};
    char name[LOCATION_RUN_MAX];
    location_of_run("2ff509772d630025", &dead, 0x1c3f9a2b7, name);
    assert_string_equal(name, "2ff509772d630025-20260102T030405Z-00000001c3f9a2b7");
    location_of_run("2ff509772d630025", &dead, UINT64_MAX, name);
    assert_string_equal(name, "2ff509772d630025-20260102T030405Z-ffffffffffffffff");
    location_of_run("2ff509772d630025", NULL, 7, name);
    assert_string_equal(name, "2ff509772d630025-0000000000000007");
}

TEST(addresses_have_four_parts)
{
    static const char *const wrong[] = {"",           "1.2.3",  "1.2.3.4.5", "256.1.1.1",
                                        "a.b.c.d",    "1..2.3", "1.2.3.4.",  ".1.2.3.4",
                                        "1.2.3.0004", "server", "1.2.3.-4"};
    uint8_t address[4];
    assert_true(location_ipv4(piece_of("192.168.77.255"), address));
    assert_memory_equal(address, ((uint8_t[]){192, 168, 77, 255}), 4);
    for (unsigned i = 0; i < sizeof wrong / sizeof *wrong; i++)
        assert_false(location_ipv4(piece_of(wrong[i]), address));
}

/* --- packets --- */

static struct {
    uint8_t at[576];
    size_t length;
} packet;

SETUP(begin)
{
    memset(&packet, 0, sizeof packet);
    memcpy(packet.at + 236, ((uint8_t[]){99, 130, 83, 99}), 4);
    packet.length = 240;
}

static void add(uint8_t option, const char *data, size_t length)
{
    packet.at[packet.length++] = option;
    packet.at[packet.length++] = (uint8_t)length;
    memcpy(packet.at + packet.length, data, length);
    packet.length += length;
}

static void says(const char *expected)
{
    char url[LOCATION_MAX];
    assert_true(location_of_packet(packet.at, packet.length, url));
    assert_string_equal(url, expected);
}

TEST(the_header_names_server_and_file)
{
    memcpy(packet.at + 20, ((uint8_t[]){10, 0, 0, 1}), 4);
    strcpy((char *)packet.at + 108, "boot/x.efi");
    says("tftp://10.0.0.1/boot/x.efi");
    add(0, "", 0); /* padding of one byte: what follows its length of 0 is another */
    add(67, "other.efi", 10);
    says("tftp://10.0.0.1/other.efi");
    add(66, "10.0.0.2", 8);
    says("tftp://10.0.0.2/other.efi");
}

TEST(a_server_by_name_is_left_to_the_header)
{
    add(66, "server", 6);
    add(54, "\x0a\x00\x00\x03", 4);
    add(67, "x.efi", 5);
    says("tftp://10.0.0.3/x.efi");
    packet.at[20] = 9;
    says("tftp://9.0.0.0/x.efi");
}

TEST(a_files_name_ends_with_its_option_or_a_nul)
{
    add(67, "x.efi", 5);
    add(54, "\x0a\x01\x01\x03", 4);
    says("tftp://10.1.1.3/x.efi");
    begin();
    add(67, "http://a/x\0yz", 13);
    add(54, "\x0a\x01\x01\x03", 4);
    says("http://a/x");
}

TEST(a_file_may_be_a_url)
{
    add(54, "\x0a\x00\x00\x03", 4);
    add(67, "http://a/boot.ipxe", 18);
    says("http://a/boot.ipxe");
}

TEST(an_overloaded_header_holds_no_file)
{
    packet.at[20] = 10;
    packet.at[108] = 'x';
    add(52, "\x01", 1);
    says("tftp://10.0.0.0/");
}

TEST(broken_packets_say_nothing)
{
    char url[LOCATION_MAX];
    assert_false(location_of_packet(packet.at, packet.length, url)); /* no server */
    add(54, "\x0a\x00\x00\x03", 4);
    for (size_t length = 0; length < packet.length; length++)
        assert_false(location_of_packet(packet.at, length, url));
    assert_true(location_of_packet(packet.at, packet.length, url));
    packet.at[241] = 3;
    assert_false(location_of_packet(packet.at, packet.length, url));
    packet.at[241] = 4;
    packet.at[236] = 0; /* not DHCP: no options */
    assert_false(location_of_packet(packet.at, packet.length, url));
}

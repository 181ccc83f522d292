/* test_acpi: well-formed tables are found; no malformed one is believed, or read beyond its end. */
#include "../../efi/acpi.h"
#include "kit.h"
#include "made_tables.h"

/* What the tables of a small machine look like. */
static struct {
    uint8_t rsdp[36];
    uint8_t xsdt[36 + 3 * 8];
    uint8_t other[40];
    uint8_t fadt[276];
} memory;

static bool all_is_readable(uint64_t address, uint64_t bytes)
{
    uint64_t start = (uintptr_t)&memory, end = start + sizeof memory;
    return address >= start && address <= end && bytes <= end - address;
}

static void seal_rsdp(void)
{
    make_sum_right(memory.rsdp, 20, 8);
    make_sum_right(memory.rsdp, sizeof memory.rsdp, 32);
}

static void seal(uint8_t *table, size_t bytes)
{
    make_sum_right(table, bytes, 9);
}

static void make_table(uint8_t *table, const char *signature, size_t bytes)
{
    memcpy(table, signature, 4);
    put(table + 4, bytes, 4);
    seal(table, bytes);
}

static void link_to(unsigned entry, const void *table)
{
    put(memory.xsdt + 36 + 8 * entry, (uintptr_t)table, 8);
    seal(memory.xsdt, sizeof memory.xsdt);
}

SETUP(start)
{
    memset(&memory, 0, sizeof memory);
    memcpy(memory.rsdp, "RSD PTR ", 8);
    memory.rsdp[15] = 2;
    put(memory.rsdp + 20, sizeof memory.rsdp, 4);
    put(memory.rsdp + 24, (uintptr_t)memory.xsdt, 8);
    seal_rsdp();
    make_table(memory.xsdt, "XSDT", sizeof memory.xsdt);
    make_table(memory.other, "SSDT", sizeof memory.other);
    put(memory.fadt + 76, 0xb008, 4);
    memory.fadt[91] = 4;
    put(memory.fadt + 112, 1u << 8, 4);
    make_table(memory.fadt, "FACP", sizeof memory.fadt);
    link_to(0, NULL); /* as some firmware has it */
    link_to(1, memory.other);
    link_to(2, memory.fadt);
}

static const struct acpi_header *find_in(const void *rsdp, const char *signature,
                                         const char **reason)
{
    const struct acpi_header *table = acpi_find(rsdp, all_is_readable, signature, reason);
    assert_true((table == NULL) == (*reason != NULL));
    return table;
}

static void assert_refused(const char *why)
{
    const char *reason;
    assert_null(find_in(memory.rsdp, "FACP", &reason));
    assert_contains(reason, why);
}

TEST(finds_tables)
{
    const char *reason;
    assert_ptr_equal(find_in(memory.rsdp, "FACP", &reason), memory.fadt);
    assert_ptr_equal(find_in(memory.rsdp, "SSDT", &reason), memory.other);
    assert_null(find_in(memory.rsdp, "SRAT", &reason));
    assert_string_equal(reason, "there is no such ACPI table");
}

TEST(without_rsdp)
{
    const char *reason;
    assert_null(find_in(NULL, "FACP", &reason));
    assert_null(find_in((const void *)(uintptr_t)64, "FACP", &reason));
    assert_string_equal(reason, "the RSDP is at no address of memory");
}

#define TOP UINT64_MAX

/* Wrong values in one of the tables, whose sums are then made right or not. */
static const struct {
    uint8_t *table;
    unsigned at, bytes;
    bool sealed;
    const char *why;
    unsigned count;
    uint64_t values[7];
} wrong[] = {
    {memory.rsdp, 0, 1, true, "signature", 1, {'r'}},
    /* of zeros that only a checksum covers: a checksum set to a number may be right, as addresses
       are drawn */
    {memory.rsdp, 33, 1, false, "checksum", 1, {1}},
    {memory.rsdp, 15, 1, true, "ACPI 1.0", 1, {0}},
    {memory.rsdp, 20, 4, true, "length", 7, {0, 1, 20, 35, 4097, 1u << 20, UINT32_MAX}},
    {memory.rsdp, 24, 8, true, "XSDT is at no address", 5, {0, 1, TOP, TOP - 35, 1ull << 63}},
    {memory.xsdt, 0, 1, true, "signature", 1, {'R'}},
    {memory.xsdt, 10, 1, false, "checksum", 1, {1}},
    {memory.xsdt, 4, 4, false, "length", 4, {0, 35, 1u << 20, UINT32_MAX}},
    {memory.fadt, 200, 1, false, "checksum", 1, {1}},
    {memory.fadt, 4, 4, false, "length", 6, {0, 4, 35, 277, (16u << 20) + 1, UINT32_MAX}},
};

static void assert_all_refused(size_t row)
{
    for (unsigned i = 0; i < wrong[row].count; i++) {
        start();
        put(wrong[row].table + wrong[row].at, wrong[row].values[i], wrong[row].bytes);
        if (wrong[row].sealed) {
            seal_rsdp();
            seal(memory.xsdt, sizeof memory.xsdt);
        }
        assert_refused(wrong[row].why);
    }
}

TEST(malformed_tables)
{
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        assert_all_refused(i);
}

TEST(first_checksum_under_a_second_one_that_is_right)
{
    memory.rsdp[8]++;
    make_sum_right(memory.rsdp, sizeof memory.rsdp, 32);
    assert_refused("checksum");
}

TEST(xsdt_whose_header_is_cut_off)
{
    put(memory.rsdp + 24, (uintptr_t)&memory + sizeof memory - 35, 8);
    seal_rsdp();
    assert_refused("XSDT is at no address");
}

TEST(xsdt_without_entries)
{
    make_table(memory.xsdt, "XSDT", 36);
    assert_refused("no such");
    make_table(memory.xsdt, "XSDT", 36 + 7); /* less than one */
    assert_refused("no such");
    make_table(memory.xsdt, "XSDT", 36 + 2 * 8 + 7); /* the last one, of the FADT, is cut off */
    assert_refused("no such");
}

TEST(entries_elsewhere_are_passed_over)
{
    const char *reason;
    link_to(0, (const void *)(uintptr_t)(UINT64_MAX - 3));
    link_to(1, (const void *)((uintptr_t)&memory + sizeof memory - 35));
    assert_ptr_equal(find_in(memory.rsdp, "FACP", &reason), memory.fadt);
}

static unsigned count_of(const char *signature)
{
    return acpi_count(memory.rsdp, all_is_readable, signature);
}

TEST(counts_tables)
{
    assert_numbers((count_of("SSDT"), count_of("SRAT")), (1, 0));
    link_to(0, memory.fadt);
    assert_int_equal(count_of("FACP"), 2);
    memory.fadt[200]++; /* malformed ones too */
    assert_int_equal(count_of("FACP"), 2);
    make_table(memory.xsdt, "XSDT", 36 + 7);
    assert_int_equal(count_of("FACP"), 0);
    memory.rsdp[15] = 0;
    seal_rsdp();
    assert_int_equal(count_of("SSDT"), 0);
}

/* --- the PM timer ---------------------------------------------------------------------------- */

static struct acpi_pm_timer timer;

static const char *read_timer(void)
{
    timer = (struct acpi_pm_timer){0, 0};
    return acpi_pm_timer((const struct acpi_header *)memory.fadt, &timer);
}

static void set_extended(unsigned space, uint64_t address)
{
    memory.fadt[208] = (uint8_t)space;
    put(memory.fadt + 212, address, 8);
}

TEST(pm_timer)
{
    assert_null(read_timer());
    assert_numbers((timer.port, timer.bits), (0xb008, 32));
    put(memory.fadt + 112, 0, 4);
    assert_null(read_timer());
    assert_int_equal(timer.bits, 24);
    set_extended(1, 0x608);
    assert_null(read_timer());
    assert_int_equal(timer.port, 0x608);
    put(memory.fadt + 4, 116, 4); /* of ACPI 1.0: what lies behind is no field */
    assert_null(read_timer());
    assert_int_equal(timer.port, 0xb008);
}

TEST(no_pm_timer)
{
    static const struct {
        unsigned at, bytes;
        uint64_t value;
        const char *why;
    } cases[] = {
        {112, 4, 1u << 20, "ACPI-reduced"}, {91, 1, 0, "there is no ACPI PM timer"},
        {76, 4, 0, "port is none"},         {76, 4, 0xfffd, "port is none"},
        {4, 4, 115, "too short"},
    };
    for (EACH(c, cases)) {
        start();
        put(memory.fadt + c->at, c->value, c->bytes);
        assert_contains(read_timer(), c->why);
    }
    start();
    set_extended(0, 0xfed80800); /* in memory */
    assert_contains(read_timer(), "at no I/O port");
    set_extended(1, 0x10000);
    assert_contains(read_timer(), "port is none");
}

TEST(elapsed)
{
    static const struct acpi_pm_timer narrow = {1, 24}, wide = {1, 32};
    assert_int_equal(acpi_pm_elapsed(&wide, 10, 35), 25);
    assert_int_equal(acpi_pm_elapsed(&wide, 0xfffffff0, 0x10), 0x20);
    assert_int_equal(acpi_pm_elapsed(&narrow, 0xfffff0, 0x10), 0x20);
    /* The upper eight bits of a narrow one are not defined. */
    assert_int_equal(acpi_pm_elapsed(&narrow, 0xab000010, 0xcd000030), 0x20);
}

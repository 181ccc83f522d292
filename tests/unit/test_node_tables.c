/* test_node_tables: SRAT and SLIT are read as they are meant, and refused where they are not
 * well formed; nothing is read beyond a table's end. */
#include "../../efi/distances.h"
#include "../../efi/srat.h"
#include "kit.h"
#include "made_tables.h"

#define TABLE_MAX 65536
#define MEGABYTE (1ull << 20)
#define GIGABYTE (1ull << 30)
#define APIC 7 /* of the processor we run on */

enum { ENABLED = 1, PLUGGABLE = 2, PERSISTENT = 4 };

static uint8_t table[TABLE_MAX];
static size_t length;
static struct srat srat;
static struct memory_nodes nodes;

static void begin(unsigned revision, size_t bytes)
{
    memset(table, 0, sizeof table);
    table[8] = (uint8_t)revision;
    length = bytes;
}

/* --- SRAT ------------------------------------------------------------------------------------ */

static size_t add_entry(unsigned type, unsigned bytes)
{
    size_t at = length;
    table[at] = (uint8_t)type;
    table[at + 1] = (uint8_t)bytes;
    length += bytes;
    return at;
}

static void add_apic(uint8_t id, uint32_t domain, uint32_t flags)
{
    size_t at = add_entry(0, 16);
    put(table + at + 2, domain & 0xff, 1);
    put(table + at + 3, id, 1);
    put(table + at + 4, flags, 4);
    put(table + at + 9, domain >> 8, 3);
}

static void add_x2apic(uint32_t id, uint32_t domain, uint32_t flags)
{
    size_t at = add_entry(2, 24);
    put(table + at + 4, domain, 4);
    put(table + at + 8, id, 4);
    put(table + at + 12, flags, 4);
}

static size_t add_memory(uint32_t domain, uint64_t start, uint64_t bytes, uint32_t flags)
{
    size_t at = add_entry(1, 40);
    put(table + at + 2, domain, 4);
    put(table + at + 8, start, 8);
    put(table + at + 16, bytes, 8);
    put(table + at + 28, flags, 4);
    return at;
}

static const char *read_srat(uint32_t apic_id)
{
    put(table + 4, length, 4);
    struct acpi_header *own = exact_copy(table, length);
    const char *reason = srat_read(own, apic_id, &srat);
    memset(&nodes, 0, sizeof nodes);
    if (reason == NULL)
        reason = srat_list_nodes(&srat, &nodes);
    free(own);
    return reason;
}

/* Two nodes as a machine with two sockets has them. */
SETUP(start_srat)
{
    begin(3, 48);
    add_apic(0, 0, ENABLED);
    add_memory(0, 0, 640 << 10, ENABLED);
    add_memory(0, MEGABYTE, 2047 * MEGABYTE, ENABLED);
    add_entry(3, 18); /* of another architecture */
    add_apic(APIC, 1, ENABLED);
    add_memory(1, 4 * GIGABYTE, 3 * GIGABYTE, ENABLED);
    add_memory(0, 7 * GIGABYTE, GIGABYTE, ENABLED | PLUGGABLE);
}

TEST(nodes_and_own)
{
    struct memory_range range[SRAT_RANGES_MAX];
    assert_same_text(read_srat(APIC), NULL);
    assert_numbers((nodes.count, nodes.node[0].number), (2, 0));
    assert_numbers((nodes.node[0].bytes, nodes.node[1].number), ((640 << 10) + 2047 * MEGABYTE, 1));
    assert_int_equal(nodes.node[1].bytes, 3 * GIGABYTE);
    assert_true(srat.own_known);
    assert_numbers((srat.own_domain, srat_ranges_of(&srat, 0, range)), (1, 3));
    assert_numbers((range[2].start, range[2].end), (7 * GIGABYTE, 8 * GIGABYTE));
    assert_int_equal(srat_ranges_of(&srat, 2, range), 0);
}

TEST(processors)
{
    assert_same_text(read_srat(0), NULL);
    assert_int_equal(srat.own_domain, 0);
    assert_same_text(read_srat(8), NULL);
    assert_false(srat.own_known);
    add_x2apic(0x10007, 5, ENABLED); /* its low bits are another processor's APIC id */
    assert_same_text(read_srat(0x10007), NULL);
    assert_int_equal(srat.own_domain, 5);
    assert_same_text(read_srat(APIC), NULL);
    assert_int_equal(srat.own_domain, 1);
    add_x2apic(APIC, 0, 0);
    add_apic(APIC, 0, 0); /* both are not enabled */
    assert_same_text(read_srat(APIC), NULL);
    assert_int_equal(srat.own_domain, 1);
    add_x2apic(APIC, 1, ENABLED); /* says the same */
    assert_same_text(read_srat(APIC), NULL);
    add_x2apic(APIC, 0, ENABLED);
    assert_same_text(read_srat(APIC), "SRAT: this processor is in two nodes");
    start_srat();
    add_apic(APIC, 0, ENABLED);
    assert_same_text(read_srat(APIC), "SRAT: this processor is in two nodes");
}

TEST(domains_have_32_bits_from_revision_2)
{
    for (unsigned revision = 1; revision <= 3; revision++) {
        begin(revision, 48);
        add_apic(APIC, 0x12345678, ENABLED);
        add_memory(0x12345678, 0, GIGABYTE, ENABLED);
        assert_same_text(read_srat(APIC), NULL);
        uint32_t wanted = revision == 1 ? 0x78 : 0x12345678;
        assert_numbers((srat.own_domain, nodes.node[0].number), (wanted, wanted));
    }
}

TEST(memory_that_is_none)
{
    add_memory(2, 100 * GIGABYTE, GIGABYTE, 0);
    add_memory(3, 100 * GIGABYTE, GIGABYTE, ENABLED | PERSISTENT);
    add_memory(4, UINT64_MAX, 0, ENABLED);
    assert_same_text(read_srat(APIC), NULL);
    assert_int_equal(nodes.count, 2);
    begin(3, 48);
    add_apic(APIC, 0, ENABLED);
    assert_same_text(read_srat(APIC), "SRAT: no memory belongs to any node");
    begin(3, 48);
    assert_same_text(read_srat(APIC), "SRAT: no memory belongs to any node");
}

TEST(malformed_entries)
{
    static const struct {
        unsigned type, bytes;
    } kinds[] = {{0, 16}, {1, 40}, {2, 24}};
    for (EACH(c, kinds))
        for (unsigned bytes = 0; bytes < c->bytes; bytes++) {
            start_srat();
            size_t at = add_entry(c->type, c->bytes);
            table[at + 1] = (uint8_t)bytes;
            assert_same_text(read_srat(APIC), bytes < 2 ? "SRAT: an entry has no length"
                                                        : "SRAT: an entry is too short");
        }
    start_srat();
    size_t at = add_entry(9, 8);
    table[at + 1] = 9;
    assert_same_text(read_srat(APIC), "SRAT: an entry is cut off");
    table[at + 1] = 255;
    assert_same_text(read_srat(APIC), "SRAT: an entry is cut off");
    table[at + 1] = 0;
    assert_same_text(read_srat(APIC), "SRAT: an entry has no length");
    table[at + 1] = 8;
    assert_same_text(read_srat(APIC), NULL);
}

/* Only a table that ends where an entry does can be believed. */
TEST(cut_off_anywhere)
{
    size_t whole = length, next = 48;
    for (size_t bytes = 36; bytes < whole; bytes++) {
        length = bytes;
        const char *reason = read_srat(APIC);
        if (bytes > 48 && bytes == next + table[next + 1])
            next = bytes;
        if (bytes != next || bytes == 48 || bytes == 48 + 16)
            assert_non_null(reason);
        else
            assert_null(reason);
    }
}

#define OVERLAP "SRAT: two ranges of memory overlap"

/* The same of either node. */
TEST(ranges_that_cannot_be)
{
    static const struct {
        uint64_t start, bytes;
        const char *reason;
    } ranges[] = {
        {0, 1, OVERLAP},
        {4 * GIGABYTE - 1, 2, OVERLAP},
        {7 * GIGABYTE - 1, 1, OVERLAP},
        {5 * GIGABYTE, 1, OVERLAP},
        {0, UINT64_MAX, OVERLAP},
        {3 * GIGABYTE, 64 * GIGABYTE, OVERLAP},
        {8 * GIGABYTE, UINT64_MAX - 8 * GIGABYTE + 1, "SRAT: a range of memory has no end"},
        {8 * GIGABYTE, UINT64_MAX - 8 * GIGABYTE, NULL}, /* just behind the last */
        {2 * GIGABYTE, 2 * GIGABYTE, NULL},              /* just between two */
    };
    for (EACH(c, ranges))
        for (uint32_t domain = 0; domain < 2; domain++) {
            start_srat();
            add_memory(domain, c->start, c->bytes, ENABLED);
            assert_same_text(read_srat(APIC), c->reason);
        }
}

TEST(absurd_counts)
{
    begin(3, 48);
    for (unsigned i = 0; i < NODES_MAX; i++)
        add_memory(i, i * GIGABYTE, GIGABYTE, ENABLED);
    assert_same_text(read_srat(APIC), NULL);
    assert_int_equal(nodes.count, NODES_MAX);
    add_memory(NODES_MAX, 500 * GIGABYTE, GIGABYTE, ENABLED);
    assert_same_text(read_srat(APIC), "SRAT: there are more nodes than any machine has");
    assert_int_equal(nodes.count, 0);
    begin(3, 48);
    for (unsigned i = 0; i < SRAT_RANGES_MAX; i++)
        add_memory(0, i * GIGABYTE, GIGABYTE, ENABLED);
    assert_same_text(read_srat(APIC), NULL);
    add_memory(0, 5000 * GIGABYTE, GIGABYTE, ENABLED);
    assert_same_text(read_srat(APIC), "SRAT: there are more ranges of memory than any machine has");
}

TEST(holds)
{
    add_memory(1, 8 * GIGABYTE, GIGABYTE, ENABLED);
    add_memory(1, 9 * GIGABYTE, GIGABYTE, ENABLED);
    assert_same_text(read_srat(APIC), NULL);
    assert_true(srat_holds(&srat, 1, 4 * GIGABYTE, 3 * GIGABYTE));
    assert_false(srat_holds(&srat, 1, 4 * GIGABYTE, 3 * GIGABYTE + 1)); /* the next is node 0's */
    assert_false(srat_holds(&srat, 1, 4 * GIGABYTE - 1, 4096));
    assert_false(srat_holds(&srat, 0, 4 * GIGABYTE, 4096));
    assert_true(srat_holds(&srat, 0, 7 * GIGABYTE, 4096)); /* pluggable, but there */
    assert_true(srat_holds(&srat, 1, 9 * GIGABYTE - 4096, 8192));
    assert_false(srat_holds(&srat, 0, 636 << 10, 512 << 10)); /* over the hole below 1 MB */
    assert_false(srat_holds(&srat, 0, 0, 0));
    assert_false(srat_holds(&srat, 0, UINT64_MAX - 4, 4096));
    assert_false(srat_holds(&srat, 7, 0, 4096));
}

/* --- SLIT ------------------------------------------------------------------------------------ */

static const uint8_t matrix[] = {10, 21, 31, 41, 22, 10, 32, 42, 23, 33, 10, 43, 24, 34, 44, 10};

/* Nodes 2 and 0 of four, and one that the matrix does not know. */
SETUP(start_slit)
{
    begin(1, 44 + sizeof matrix);
    put(table + 36, 4, 8);
    memcpy(table + 44, matrix, sizeof matrix);
    memset(&nodes, 0, sizeof nodes);
    nodes.count = 3;
    nodes.node[0].number = 2;
    nodes.node[1].number = 0;
    nodes.node[2].number = 4;
}

static const char *read_slit(void)
{
    put(table + 4, length, 4);
    struct acpi_header *own = exact_copy(table, length);
    memset(nodes.distance, 99, sizeof nodes.distance);
    const char *reason = slit_read(own, &nodes);
    free(own);
    if (reason != NULL)
        for (unsigned i = 0; i < NODES_MAX * NODES_MAX; i++)
            assert_int_equal(nodes.distance[i / NODES_MAX][i % NODES_MAX], 0);
    return reason;
}

TEST(distances)
{
    static const uint8_t wanted[3][3] = {{10, 23, 0}, {31, 10, 0}, {0, 0, 0}};
    assert_same_text(read_slit(), NULL);
    for (unsigned i = 0; i < 9; i++)
        assert_int_equal(nodes.distance[i / 3][i % 3], wanted[i / 3][i % 3]);
}

TEST(malformed_slit)
{
    static const uint64_t counts[] = {0, 4097, 1ull << 32, UINT64_MAX, (1ull << 32) + 4};
    for (length = 36; length < 44; length++)
        assert_same_text(read_slit(), "SLIT: the table is cut off");
    for (; length < 44 + sizeof matrix; length++)
        assert_same_text(read_slit(), "SLIT: the table is smaller than its matrix");
    for (unsigned i = 0; i < sizeof counts / sizeof *counts; i++) {
        start_slit();
        put(table + 36, counts[i], 8);
        assert_same_text(read_slit(), "SLIT: there are more nodes than any machine has, or none");
    }
    start_slit();
    put(table + 36, 5, 8);
    assert_same_text(read_slit(), "SLIT: the table is smaller than its matrix");
    put(table + 36, 4096, 8);
    assert_same_text(read_slit(), "SLIT: the table is smaller than its matrix");
}

TEST(distances_that_cannot_be)
{
    static const char refusal[] =
        "SLIT: a node's distance to itself is not 10, or one to another not more";
    for (unsigned i = 0; i < sizeof matrix; i++) {
        bool own = i % 5 == 0;
        start_slit();
        table[44 + i] = own ? 11 : 10;
        assert_same_text(read_slit(), refusal);
        table[44 + i] = own ? 9 : 0;
        assert_same_text(read_slit(), refusal);
        table[44 + i] = own ? 10 : 255;
        assert_same_text(read_slit(), NULL);
    }
}

/* test_fat_bounds: volumes made by hand, at the edge of what each number may be: the last that is
 * taken, and the first that is refused.
 */
#include "../../efi/storage/fat.h"
#include "kit.h"

#define SECTOR 512
#define ROOM (1u << 20) /* what is beyond is 0 */
#define TABLE_AT 512    /* of the small volume, and its */
#define ROOT_AT 1536
#define DATA_AT 2048
#define CLUSTERS 96
#define ENDS 0xfff
#define FOLDER 0x10

static uint8_t bytes[ROOM];
static uint64_t length; /* of the disk */
static struct fat fat;
static struct fat_file file;
static struct fat_extent extent, pieces[2];
static unsigned entries; /* in the root folder */

static const char *read_disk(void *context, uint64_t at, void *to, size_t wanted)
{
    assert_null(context);
    assert_compare(at + wanted, <=, length);
    memset(to, 0, wanted);
    if (at < ROOM)
        memcpy(to, bytes + at, at + wanted <= ROOM ? wanted : ROOM - at);
    return NULL;
}

static const char *open_volume(void)
{
    struct fat_disk disk = {read_disk, NULL, length};
    return fat_open(&fat, &disk);
}

static void put(uint64_t at, uint32_t value, unsigned size)
{
    for (unsigned i = 0; i < size; i++)
        bytes[at + i] = (uint8_t)(value >> 8 * i);
}

static void set12(uint32_t cluster, uint32_t value)
{
    for (unsigned copy = 0; copy < 2; copy++) {
        uint64_t at = TABLE_AT + copy * SECTOR + cluster * 3 / 2;
        uint32_t both = bytes[at] | (uint32_t)bytes[at + 1] << 8;
        put(at, cluster % 2 == 0 ? (both & 0xf000) | value : (both & 0xf) | value << 4, 2);
    }
}

/* FAT12 with 96 clusters of a sector each, two tables of a sector, 16 entries in the root. */
SETUP(make_small)
{
    memset(bytes, 0, sizeof bytes);
    entries = 0;
    put(11, SECTOR, 2);
    put(13, 1, 1);
    put(14, 1, 2);
    put(16, 2, 1);
    put(17, 16, 2);
    put(19, DATA_AT / SECTOR + CLUSTERS, 2);
    put(21, 0xf8, 1);
    put(22, 1, 2);
    put(510, 0xaa55, 2);
    length = DATA_AT + CLUSTERS * SECTOR;
    set12(0, 0xff8);
    set12(1, ENDS);
}

/* FAT32 with 64 clusters of a sector each, two tables of a sector behind 32 fields. */
static void make_big(void)
{
    make_small();
    put(14, 32, 2);
    put(17, 0, 2);
    put(19, 34 + 64, 2);
    put(22, 0, 2);
    put(36, 1, 4);
    put(44, 2, 4);
    put(48, 1, 2);
    for (unsigned copy = 0; copy < 2; copy++) {
        put((32 + copy) * SECTOR, 0x0ffffff8, 4);
        put((32 + copy) * SECTOR + 4, 0x0fffffff, 4);
        put((32 + copy) * SECTOR + 8, 0x0fffffff, 4);
    }
    memcpy(bytes + SECTOR, "RRaA", 4);
    memcpy(bytes + SECTOR + 484, "rrAa", 4);
    put(SECTOR + 488, 63, 4);
    length = 98 * SECTOR;
}

static void add_in(uint64_t folder, unsigned index, const char *name, unsigned attributes,
                   uint32_t start, uint32_t size)
{
    uint64_t at = folder + index * 32;
    memcpy(bytes + at, name, 11);
    put(at + 11, attributes, 1);
    put(at + 26, start, 2);
    put(at + 28, size, 4);
}

static void add(const char *name, unsigned attributes, uint32_t start, uint32_t size)
{
    add_in(ROOT_AT, entries++, name, attributes, start, size);
}

static uint64_t cluster_at(uint32_t cluster)
{
    return DATA_AT + (uint64_t)(cluster - 2) * SECTOR;
}

/* A folder with its dots in a cluster. */
static void make_folder(uint32_t cluster, uint32_t parent)
{
    set12(cluster, ENDS);
    add_in(cluster_at(cluster), 0, ".          ", FOLDER, cluster, 0);
    add_in(cluster_at(cluster), 1, "..         ", FOLDER, parent, 0);
}

/* For the volume of a table's row; reason: why it is refused, NULL: it is taken. */
static void assert_opens(unsigned row, const char *reason)
{
    const char *seen = open_volume();
    if ((seen == NULL) != (reason == NULL) || (seen != NULL && strcmp(seen, reason) != 0))
        fail_msg("row %u: %s", row, seen != NULL ? seen : "is taken");
}

/* Of the volume that is open; what is there of it in `extent`, one at most. */
static const char *find(const char *path)
{
    file = (struct fat_file){.extent = &extent, .extents_max = 1};
    return fat_find(&fat, path, &file);
}

/* --- boot sectors --------------------------------------------------------------------------- */

#define FIELDS "it is not FAT: the boot sector's fields are none of its"
#define KIND "the boot sector tells a number of clusters that its kind of FAT cannot have"
#define SMALL_TABLE "the boot sector's table is too small for its clusters"
#define MIXED "the boot sector mixes FAT16 and FAT32"
#define NO_ROOT "the boot sector's root folder is in no cluster"
#define LATER "it is of a later FAT32 than 0.0, the only one there was"
#define NO_COPY "the boot sector uses a copy of the table that is not there"
#define LARGE_TABLE "the boot sector's table is larger than the volume"
#define MORE "the boot sector tells more sectors than there are"

struct field {
    unsigned at, size;
    uint32_t value;
    const char *reason; /* NULL: it is taken */
};

static const struct field small_fields[] = {
    {510, 2, 0xaa54, "it has no boot sector"},
    {510, 2, 0x5555, "it has no boot sector"},
    {11, 2, 0, FIELDS},
    {11, 2, 256, FIELDS},
    {11, 2, 1536, FIELDS},
    {11, 2, 8192, FIELDS},
    {13, 1, 0, FIELDS},
    {13, 1, 3, FIELDS},
    {13, 1, 128, KIND}, /* less than one */
    {13, 1, 64, NULL},
    {14, 2, 0, FIELDS},
    {16, 1, 0, FIELDS},
    {16, 1, 1, NULL},
    {21, 1, 0xef, FIELDS},
    {21, 1, 0xf0, NULL},
    {21, 1, 0xf1, FIELDS},
    {21, 1, 0xf7, FIELDS},
    {21, 1, 0xff, NULL},
    {17, 2, 15, "the boot sector's root folder ends within a sector"},
    {17, 2, 0, MIXED},
    {19, 2, 101, MORE},
    {19, 2, 99, NULL},
    {19, 2, 3, LARGE_TABLE},
    {19, 2, 4, KIND}, /* no cluster at all */
    {19, 2, 5, NULL},
    {22, 2, 49, KIND},
    {22, 2, 50, LARGE_TABLE},
    {22, 2, 48, NULL},
};

static const struct field big_fields[] = {
    {17, 2, 16, MIXED},  {42, 2, 1, LATER},      {42, 2, 0x100, LATER},     {44, 4, 1, NO_ROOT},
    {44, 4, 65, NULL},   {44, 4, 66, NO_ROOT},   {44, 4, 0x10002, NO_ROOT}, {40, 2, 0x80, NULL},
    {40, 2, 0x81, NULL}, {40, 2, 0x82, NO_COPY}, {40, 2, 0x8f, NO_COPY},    {40, 2, 0x0f, NULL},
};

static void check_fields(void (*make)(void), const struct field *fields, unsigned count)
{
    for (unsigned i = 0; i < count; i++) {
        make();
        put(fields[i].at, fields[i].value, fields[i].size);
        assert_opens(i, fields[i].reason);
    }
}

TEST(fields_of_a_boot_sector_that_cannot_be)
{
    check_fields(make_small, small_fields, sizeof small_fields / sizeof *small_fields);
    check_fields(make_big, big_fields, sizeof big_fields / sizeof *big_fields);
}

/* The number of clusters says which kind it is; one taken for another is read as garbage. */
static const struct {
    unsigned table; /* sectors */
    uint32_t clusters, bits;
    const char *reason;
} counts[] = {{1, 339, 12, NULL},          {1, 340, 12, SMALL_TABLE},   {12, 4084, 12, NULL},
              {16, 4085, 16, NULL},        {15, 4085, 16, SMALL_TABLE}, {16, 4094, 16, NULL},
              {16, 4095, 16, SMALL_TABLE}, {256, 65524, 16, NULL},      {256, 65525, 16, KIND}};

TEST(the_kind_of_fat_by_its_clusters)
{
    for (unsigned i = 0; i < sizeof counts / sizeof *counts; i++) {
        uint32_t sectors = 1 + 2 * counts[i].table + 1 + counts[i].clusters;
        make_small();
        put(19, 0, 2);
        put(22, counts[i].table, 2);
        put(32, sectors, 4);
        length = (uint64_t)sectors * SECTOR;
        assert_opens(i, counts[i].reason);
        assert_numbers((fat.clusters, fat.bits), (counts[i].clusters, counts[i].bits));
        assert_int_equal(fat.data_at, (2 + 2 * counts[i].table) * SECTOR);
    }
}

TEST(as_many_clusters_as_fat32_can_have)
{
    for (uint32_t more = 0; more < 2; more++) {
        uint32_t table = 0x200000, clusters = 0x0fffffed + more;
        uint64_t sectors = 32 + 2 * (uint64_t)table + clusters;
        make_big();
        put(19, 0, 2);
        put(32, (uint32_t)sectors, 4);
        put(36, table, 4);
        length = sectors * SECTOR;
        assert_opens(more, more == 0 ? NULL : KIND);
        assert_int_equal(fat.clusters, clusters);
    }
}

TEST(a_disk_smaller_than_a_sector)
{
    length = 511;
    assert_string_equal(open_volume(), "it is smaller than a sector");
    length = 512;
    assert_string_equal(open_volume(), MORE);
}

TEST(one_copy_of_the_table_may_be_in_use)
{
    make_big();
    add_in(34 * SECTOR, 0, "A       TXT", 0x20, 3, 513);
    put(33 * SECTOR + 4 * 3, 4, 4); /* in the second alone */
    assert_null(open_volume());
    assert_non_null(find("a.txt"));
    put(40, 0x81, 2);
    assert_null(open_volume());
    assert_null(find("a.txt"));
    assert_numbers((fat.table_at, fat.copies), (33 * SECTOR, 1));
}

/* --- whether it was unmounted --------------------------------------------------------------- */

static void assert_dirty(bool is_dirty)
{
    assert_null(open_volume());
    assert_int_equal(fat.is_dirty, is_dirty);
}

TEST(the_state_byte_where_the_boot_sector_has_one)
{
    static const uint8_t extended[] = {0x27, 0x28, 0x29, 0x2a};
    for (unsigned is_big = 0; is_big < 2; is_big++)
        for (unsigned i = 0; i < sizeof extended; i++) {
            bool has_one = extended[i] == 0x28 || extended[i] == 0x29;
            unsigned at = is_big ? 65 : 37;
            is_big ? make_big() : make_small();
            put(at + 1, extended[i], 1);
            put(at, 2, 1); /* another bit */
            assert_dirty(false);
            put(at, 3, 1);
            assert_dirty(has_one);
        }
}

TEST(the_state_that_the_table_has)
{
    set12(1, 0); /* which has no room for it */
    assert_dirty(false);
    for (unsigned bit = 26; bit <= 27; bit++) {
        make_big();
        put(32 * SECTOR + 4, 0x0fffffff & ~(1u << bit), 4);
        assert_dirty(bit == 27);
    }
    for (unsigned bit = 14; bit <= 15; bit++) {
        make_small();
        put(19, 0, 2);
        put(22, 16, 2);
        put(32, 34 + 4085, 4);
        length = (34 + 4085) * SECTOR;
        put(SECTOR, 0xfff8, 2);
        put(SECTOR + 2, 0xffffu & ~(1u << bit), 2);
        assert_dirty(bit == 15);
    }
}

/* --- files ---------------------------------------------------------------------------------- */

#define SHORT "its clusters end before it does"

TEST(a_files_size_and_its_clusters)
{
    static const struct {
        uint32_t size, clusters;
        const char *reason;
    } files[] = {
        {0, 0, NULL},    {0, 1, NULL},   {1, 0, SHORT},   {1, 1, NULL},     {512, 1, NULL},
        {513, 1, SHORT}, {513, 2, NULL}, {1024, 2, NULL}, {1025, 2, SHORT}, {1025, 3, NULL},
    };
    for (EACH(c, files)) {
        make_small();
        for (uint32_t j = 0; j < c->clusters; j++)
            set12(2 + j, j + 1 < c->clusters ? 3 + j : 0xff8);
        add("A       TXT", 0x20, c->clusters > 0 ? 2 : 0, c->size);
        assert_null(open_volume());
        assert_same_text(find("a.txt"), c->reason);
    }
}

#define NO_END "the clusters of a folder do not end"
#define ASTRAY "the clusters of a folder lead to one that is free or bad"

/* The same chain as a file's of two clusters, and as a folder's. */
TEST(where_a_chain_may_lead)
{
    static const struct {
        uint32_t next;
        const char *of_file, *of_folder;
    } chains[] = {{0, SHORT, ASTRAY},
                  {1, SHORT, ASTRAY},
                  {2, NULL, NO_END},
                  {CLUSTERS + 1, NULL, NULL},
                  {CLUSTERS + 2, SHORT, ASTRAY},
                  {0xff0, SHORT, ASTRAY},
                  {0xff7, SHORT, ASTRAY},
                  {0xff8, SHORT, NULL}};
    for (unsigned i = 0; i < sizeof chains / sizeof *chains; i++) {
        make_small();
        set12(2, chains[i].next);
        if (chains[i].next == CLUSTERS + 1)
            set12(CLUSTERS + 1, ENDS);
        add("A       TXT", 0x20, 2, 1000);
        add("B          ", FOLDER, 2, 0);
        assert_null(open_volume());
        file = (struct fat_file){.extent = pieces, .extents_max = 2};
        assert_same_text(fat_find(&fat, "a.txt", &file), chains[i].of_file);
        assert_same_text(fat_folder_ends(&fat, "\\b"), chains[i].of_folder);
        assert_null(fat_folder_ends(&fat, "\\"));
        assert_null(fat_folder_ends(&fat, "\\a.txt"));
        assert_null(fat_folder_ends(&fat, "\\c"));
    }
}

TEST(a_root_folder_without_an_end)
{
    make_big();
    assert_null(open_volume());
    assert_null(fat_folder_ends(&fat, "\\"));
    put(32 * SECTOR + 8, 2, 4);
    for (unsigned i = 0; i < 16; i++) /* full: whoever reads it comes to its start again */
        add_in(34 * SECTOR, i, "A       TXT", 0x20, 0, 0);
    assert_null(open_volume());
    assert_string_equal(fat_folder_ends(&fat, "\\"), NO_END);
    assert_null(find("b.txt"));
    assert_true(file.is_missing);
}

/* As long as a folder may be: 65536 entries take 4096 clusters of a sector. */
TEST(a_folder_as_long_as_can_be)
{
    make_big();
    put(19, 0, 2);
    put(32, 32 + 2 * 64 + 8000, 4);
    put(36, 64, 4);
    length = (32 + 2 * 64 + 8000) * SECTOR;
    for (uint32_t cluster = 2; cluster < 4200; cluster++)
        put(32 * SECTOR + cluster * 4, cluster + 1, 4);
    put(32 * SECTOR + 4097 * 4, 0x0fffffff, 4);
    assert_null(open_volume());
    assert_null(fat_folder_ends(&fat, "\\"));
    put(32 * SECTOR + 4097 * 4, 4098, 4);
    put(32 * SECTOR + 4098 * 4, 4099, 4);
    assert_null(open_volume());
    assert_string_equal(fat_folder_ends(&fat, "\\"), NO_END);
}

TEST(entries_that_are_no_files)
{
    add("A LABEL    ", 0x08, 77, 5);
    add("\xe5ONE    TXT", 0x20, 78, 5);
    add("long name  ", 0x0f, 79, 5);
    assert_null(open_volume());
    assert_null(find("a label"));
    assert_true(file.is_missing);
    entries++; /* behind the last */
    add("A       TXT", 0x20, 0, 0);
    assert_null(find("a.txt"));
    assert_true(file.is_missing);
}

/* --- folders -------------------------------------------------------------------------------- */

/* A folder goes on in the next cluster of its chain, and the last entry of it may be taken. */
TEST(a_folder_of_two_clusters)
{
    make_folder(2, 0);
    add("A          ", FOLDER, 2, 0);
    set12(2, 9);
    set12(9, ENDS);
    for (unsigned i = 2; i < 16; i++)
        add_in(cluster_at(2), i, "\xe5          ", 0x20, 0, 0);
    for (unsigned i = 0; i < 15; i++)
        add_in(cluster_at(9), i, "\xe5          ", 0x20, 0, 0);
    add_in(cluster_at(9), 15, "LAST    TXT", 0x20, CLUSTERS + 1, 512);
    set12(CLUSTERS + 1, ENDS);
    assert_null(open_volume());
    assert_null(find("\\a\\last.txt"));
    assert_false(file.is_missing);
    assert_int_equal(file.extents, 1);
    assert_int_equal(extent.at, cluster_at(CLUSTERS + 1));
    assert_int_equal(extent.length, 512);
    assert_null(find("\\a\\least.txt"));
    assert_true(file.is_missing);
}

/* The root folder of FAT12 may be full. */
TEST(a_full_root_folder)
{
    for (unsigned i = 0; i < 15; i++)
        add("\xe5          ", 0x20, 0, 0);
    add("LAST    TXT", 0x20, 2, 1);
    set12(2, ENDS);
    assert_null(open_volume());
    assert_null(find("last.txt"));
    assert_false(file.is_missing);
    assert_null(find("next.txt"));
    assert_true(file.is_missing);
}

TEST(a_file_and_a_folder_that_lead_nowhere)
{
    add("A       TXT", 0x20, CLUSTERS + 2, 1);
    add("B          ", FOLDER, CLUSTERS + 2, 0);
    add("C       TXT", 0x20, 2, 513);
    set12(2, ENDS);
    assert_null(open_volume());
    assert_string_equal(find("a.txt"), SHORT);
    assert_string_equal(find("b"), "its folder is in no cluster");
    assert_string_equal(find("c.txt"), SHORT);
}

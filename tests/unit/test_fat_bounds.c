/* test_fat_bounds: volumes made by hand, at the edge of what each number may be: the last that is
 * taken, and the first that is refused, or told as damage.
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
static struct fat_damage damage;
static struct fat_file file;
static struct fat_extent extent;
static uint8_t map[4096];
static unsigned entries; /* in the root folder */

static const char *read_disk(void *context, uint64_t at, void *to, size_t wanted)
{
    assert_null(context);
    assert_true(at + wanted <= length);
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

static void assert_checked(const char *words)
{
    assert_null(open_volume());
    assert_null(fat_check(&fat, map, &damage));
    assert_string_equal(damage.words, words);
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

#define SECTOR_SIZE "it is not FAT: the boot sector's size of a sector is none"
#define CLUSTER_SIZE "it is not FAT: the boot sector's size of a cluster is none"
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
    {11, 2, 0, SECTOR_SIZE},
    {11, 2, 256, SECTOR_SIZE},
    {11, 2, 1536, SECTOR_SIZE},
    {11, 2, 8192, SECTOR_SIZE},
    {13, 1, 0, CLUSTER_SIZE},
    {13, 1, 3, CLUSTER_SIZE},
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

/* The number of clusters says which kind it is; one that is taken for another is read as garbage.
 */
static const struct {
    unsigned table; /* sectors */
    uint32_t clusters, bits;
    const char *reason;
} counts[] = {
    {1, 339, 12, NULL},          {1, 340, 12, SMALL_TABLE},   {12, 4084, 12, NULL},
    {16, 4085, 16, NULL},        {15, 4085, 16, SMALL_TABLE}, {16, 4094, 16, NULL},
    {16, 4095, 16, SMALL_TABLE}, {256, 65524, 16, NULL},      {256, 65525, 16, KIND},
};

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
        assert_int_equal(fat.clusters, counts[i].clusters);
        assert_int_equal(fat.bits, counts[i].bits);
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
    put(33 * SECTOR + 4 * 7, 0x0fffffff, 4); /* in the second alone */
    assert_checked("the copies of its table differ");
    put(40, 0x80, 2);
    assert_checked("");
    put(40, 0x81, 2);
    assert_checked("clusters in use belong to no file; its count of free clusters is wrong");
    assert_int_equal(fat.table_at, 33 * SECTOR);
    assert_int_equal(fat.copies, 1);
}

TEST(a_count_of_free_clusters_that_is_none)
{
    static const struct field fields[] = {
        {48, 2, 0, NULL}, {48, 2, 32, NULL}, {SECTOR, 1, 'r', NULL}, {SECTOR + 484, 1, 'R', NULL}};
    make_big();
    assert_checked("");
    assert_int_equal(fat.free_told, 63);
    for (unsigned i = 0; i < sizeof fields / sizeof *fields; i++) {
        make_big();
        put(fields[i].at, fields[i].value, fields[i].size);
        assert_checked("");
        assert_true(fat.free_told == UINT32_MAX);
    }
    make_big(); /* the last sector before the table may have it */
    memcpy(bytes + 31 * SECTOR, bytes + SECTOR, SECTOR);
    put(48, 31, 2);
    assert_checked("");
    assert_int_equal(fat.free_told, 63);
}

/* --- whether it was unmounted --------------------------------------------------------------- */

#define NOT_UNMOUNTED "its dirty bit is set: it was not unmounted"
#define ERRORS "somebody met errors of the disk before"

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
            assert_checked("");
            assert_int_equal(fat.state_at, has_one ? at : 0);
            put(at, 3, 1);
            assert_checked(has_one ? NOT_UNMOUNTED : "");
            assert_int_equal(fat_is_dirty(&fat), has_one);
            assert_int_equal(fat.state, has_one ? 3 : 0);
        }
}

TEST(the_state_that_the_table_has)
{
    set12(1, 0); /* which has no room for it */
    assert_checked("");
    for (unsigned bit = 26; bit <= 27; bit++) {
        make_big();
        for (unsigned copy = 0; copy < 2; copy++)
            put((32 + copy) * SECTOR + 4, 0x0fffffff & ~(1u << bit), 4);
        assert_checked(bit == 27 ? NOT_UNMOUNTED : ERRORS);
        assert_int_equal(fat_is_dirty(&fat), bit == 27);
        assert_false(damage.is_dangerous);
    }
    for (unsigned bit = 14; bit <= 15; bit++) {
        make_small();
        put(19, 0, 2);
        put(22, 16, 2);
        put(32, 34 + 4085, 4);
        length = (34 + 4085) * SECTOR;
        memset(bytes + SECTOR, 0, 2 * SECTOR);
        for (unsigned copy = 0; copy < 2; copy++) {
            put((1 + 16 * copy) * SECTOR, 0xfff8, 2);
            put((1 + 16 * copy) * SECTOR + 2, 0xffffu & ~(1u << bit), 2);
        }
        assert_checked(bit == 15 ? NOT_UNMOUNTED : ERRORS);
    }
}

/* --- files ---------------------------------------------------------------------------------- */

#define LONGER "clusters are behind the end of a file (1, the first: A.TXT)"
#define SHORTER "the clusters of a file end before it does (1, the first: A.TXT)"
#define ASTRAY "a file leads to clusters that are free, bad or not there (1, the first: A.TXT)"

TEST(a_files_size_and_its_clusters)
{
    static const struct {
        uint32_t size, clusters;
        const char *words;
    } files[] = {
        {0, 0, ""},    {0, 1, LONGER},     {1, 0, SHORTER}, {1, 1, ""},
        {512, 1, ""},  {513, 1, SHORTER},  {513, 2, ""},    {512, 2, LONGER},
        {1024, 2, ""}, {1025, 2, SHORTER}, {1025, 3, ""},
    };
    for (unsigned i = 0; i < sizeof files / sizeof *files; i++) {
        make_small();
        for (uint32_t j = 0; j < files[i].clusters; j++)
            set12(2 + j, j + 1 < files[i].clusters ? 3 + j : 0xff8);
        add("A       TXT", 0x20, files[i].clusters > 0 ? 2 : 0, files[i].size);
        assert_checked(files[i].words);
    }
}

TEST(where_a_chain_may_lead)
{
    static const struct {
        uint32_t next;
        const char *words;
    } chains[] = {
        {1, ASTRAY},     {CLUSTERS + 1, ""}, {CLUSTERS + 2, ASTRAY},
        {0xff0, ASTRAY}, {0xff7, ASTRAY},    {0xff8, SHORTER},
    };
    for (unsigned i = 0; i < sizeof chains / sizeof *chains; i++) {
        make_small();
        set12(2, chains[i].next);
        if (chains[i].next == CLUSTERS + 1)
            set12(CLUSTERS + 1, ENDS);
        add("A       TXT", 0x20, 2, 1000);
        assert_checked(chains[i].words);
        assert_int_equal(damage.is_dangerous, chains[i].words[0] != '\0');
    }
}

TEST(clusters_in_no_file)
{
    set12(50, 0xff7); /* bad */
    assert_checked("");
    set12(CLUSTERS + 1, 0xff6);
    assert_checked("clusters in use belong to no file");
    set12(2, ENDS);
    assert_checked("clusters in use belong to no file (2)");
    assert_false(damage.is_dangerous);
}

TEST(how_many_are_wrong_and_the_first_of_them)
{
    add("A       TXT", 0x20, 0, 1);
    add("B       TXT", 0x20, 0, 1);
    add("\x05 \x81     ~\x80}", 0x20, 60, 1);
    assert_checked(
        "the clusters of a file end before it does (2, the first: A.TXT); "
        "a file leads to clusters that are free, bad or not there (1, the first: ??.~?})");
}

TEST(entries_that_are_no_files)
{
    add("A LABEL    ", 0x08, 77, 5);
    add("\xe5ONE    TXT", 0x20, 78, 5);
    add("long name  ", 0x0f, 79, 5);
    assert_checked("");
    entries++; /* behind the last */
    add("A       TXT", 0x20, 80, 5);
    assert_checked("");
}

TEST(names_that_cannot_be)
{
    static const struct {
        const char *name;
        bool can_be;
    } names[] = {
        {"A\x7f      TXT", false}, {"A\x1f      TXT", false}, {"A\x05      TXT", false},
        {" A      TXT", false},    {".A      TXT", false},    {"A \x7e     TXT", true},
        {"\x05       TXT", true},  {"\x1f       TXT", false}, {"A       TX\x01", false},
    };
    for (unsigned i = 0; i < sizeof names / sizeof *names; i++) {
        make_small();
        add(names[i].name, 0x20, 0, 0);
        assert_null(open_volume());
        assert_null(fat_check(&fat, map, &damage));
        assert_int_equal(damage.found[FAT_FOLDER], !names[i].can_be);
    }
}

/* --- folders -------------------------------------------------------------------------------- */

TEST(a_folders_dots)
{
    static const struct {
        unsigned at;
        uint8_t value;
        const char *words;
    } wrong[] = {
        {26, 3, "a folder is damaged (1, the first: .)"},       /* its own start */
        {11, 0x20, "a folder is damaged (1, the first: .)"},    /* no folder */
        {32 + 1, ' ', "a folder is damaged (1, the first: .)"}, /* the second is a dot, too */
        {32, 0, "a folder is damaged"},                         /* there is none */
        {0, 0, "a folder is damaged"},
    };
    make_folder(2, 0);
    add("A          ", FOLDER, 2, 0);
    assert_checked("");
    for (unsigned i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        uint8_t before = bytes[cluster_at(2) + wrong[i].at];
        bytes[cluster_at(2) + wrong[i].at] = wrong[i].value;
        assert_checked(wrong[i].words);
        assert_true(damage.is_dangerous);
        bytes[cluster_at(2) + wrong[i].at] = before;
    }
}

/* As deep as there is room for, with the root folder; and one more. */
TEST(folders_in_each_other)
{
    put(19, DATA_AT / SECTOR + 300, 2);
    length = DATA_AT + 300 * SECTOR;
    for (unsigned depth = 1; depth <= FAT_DEPTH_MAX; depth++) {
        if (depth == FAT_DEPTH_MAX)
            assert_checked("");
        make_folder(depth + 1, depth > 1 ? depth : 0);
        if (depth > 1)
            add_in(cluster_at(depth), 2, "A          ", FOLDER, depth + 1, 0);
        else
            add("A          ", FOLDER, 2, 0);
    }
    assert_null(open_volume());
    assert_string_equal(fat_check(&fat, map, &damage), "its folders are too deep in each other");
    assert_null(open_volume());
    bytes[cluster_at(FAT_DEPTH_MAX) + 64] = 0xe5;
    set12(FAT_DEPTH_MAX + 1, 0);
    add("TWICE      ", FOLDER, 40, 0);
    assert_checked("clusters belong to two files (1, the first: TWICE)");
}

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
    assert_checked("");
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
    assert_checked("");
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
    assert_string_equal(find("a.txt"), "its clusters end before it does");
    assert_string_equal(find("b"), "its folder is in no cluster");
    assert_string_equal(find("c.txt"), "its clusters end before it does");
}

/* --- copies of the table -------------------------------------------------------------------- */

/* 98 entries of 12 bits take 147 bytes; what is behind them is nobody's. */
TEST(copies_differ_in_what_is_used)
{
    bytes[TABLE_AT + SECTOR + 147] = 1;
    assert_checked("");
    bytes[TABLE_AT + SECTOR + 146] = 0x10;
    assert_checked("the copies of its table differ");
}

TEST(sectors_in_which_a_third_copy_differs)
{
    put(16, 3, 1);
    put(19, 1 + 3 * 2 + 1 + 500, 2);
    put(22, 2, 2);
    length = 508 * SECTOR;
    memset(bytes + SECTOR, 0, 4 * SECTOR);
    assert_checked("");
    bytes[6 * SECTOR - SECTOR + 100] = 1;
    assert_checked("the copies of its table differ");
    bytes[6 * SECTOR + 100] = 1;
    assert_checked("the copies of its table differ (2)");
}

/* test_fat: volumes that mkfs.fat and mtools have made are read. */
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../../efi/storage/fat.h"
#include "kit.h"
#include "made_tables.h"

#define PIECES 64

static char folder[] = "/tmp/test_fat.XXXXXX";
static char image[64]; /* the file of the volume */
static uint8_t *volume;
static size_t volume_bytes;
static unsigned reads_left;
static struct fat fat;
static struct fat_extent extent[PIECES];
static struct fat_file file;

/* --- volumes -------------------------------------------------------------------------------- */

/* What a command of the shell returns; `%s` is the image. */
static int shell(const char *format, ...)
{
    char command[1024] = "export PATH=$PATH:/usr/sbin LC_ALL=C MTOOLSRC=/dev/null; ";
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(command + strlen(command), sizeof command - strlen(command), format, arguments);
    va_end(arguments);
    int status = system(command);
    assert_true(WIFEXITED(status));
    return WEXITSTATUS(status);
}

static void let_go(void)
{
    if (volume != NULL)
        munmap(volume, volume_bytes);
    volume = NULL;
}

/* What is written there is written to the file. */
static void take(void)
{
    let_go();
    int file_number = open(image, O_RDWR);
    struct stat stat;
    assert_true(file_number >= 0 && fstat(file_number, &stat) == 0);
    volume_bytes = (size_t)stat.st_size;
    volume = mmap(NULL, volume_bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file_number, 0);
    close(file_number);
    assert_true(volume != MAP_FAILED);
}

static const char *read_volume(void *context, uint64_t at, void *to, size_t length)
{
    assert_ptr_equal(context, &volume);
    assert_numbers((at % FAT_WINDOW, (uintptr_t)to % 4096), (0, 0));
    assert_within(length, 1, FAT_WINDOW);
    assert_compare(at + length, <=, volume_bytes);
    if (reads_left == 0)
        return "the disk is gone";
    reads_left--;
    memcpy(to, volume + at, length);
    return NULL;
}

static const char *open_volume(void)
{
    struct fat_disk disk = {read_volume, &volume, volume_bytes};
    reads_left = 100000;
    return fat_open(&fat, &disk);
}

/* In all copies. */
static void set_entry(uint32_t cluster, uint32_t value)
{
    for (unsigned copy = 0; copy < fat.copies; copy++) {
        uint8_t *at =
            volume + fat.table_at + copy * fat.table_bytes + (uint64_t)cluster * fat.bits / 8;
        if (fat.bits != 12)
            put(at, value, fat.bits / 8);
        else if (cluster % 2 == 0)
            put(at, (at[1] & 0xf0u) << 8 | (value & 0xfff), 2);
        else
            put(at, (at[0] & 0x0fu) | value << 4, 2);
    }
}

static const char *look_for(const char *path)
{
    file.extent = extent;
    file.extents_max = PIECES;
    return fat_find(&fat, path, &file);
}

static uint32_t first_cluster(const char *path)
{
    assert_null(look_for(path));
    assert_compare(file.extents, >, 0);
    return (uint32_t)((extent[0].at - fat.data_at) / fat.cluster_bytes) + 2;
}

static uint32_t free_cluster(void)
{
    return fat.clusters; /* the last but one: nobody has come so far */
}

/* mtools fill the gaps of a small volume, but not those of FAT32: moves a file's second cluster. */
static void break_up(const char *path)
{
    uint32_t first = first_cluster(path), to = free_cluster() - 1;
    if (file.extents > 1)
        return;
    assert_compare(file.bytes, >, 3 * fat.cluster_bytes);
    memcpy(volume + fat.data_at + (uint64_t)(to - 2) * fat.cluster_bytes,
           volume + extent[0].at + fat.cluster_bytes, fat.cluster_bytes);
    set_entry(first, to);
    set_entry(to, first + 2);
    set_entry(first + 1, 0);
    assert_null(open_volume());
}

/* A volume of so many KB with a few files, some of them in pieces. */
static void make(unsigned kilobytes, const char *options)
{
    let_go();
    assert_int_equal(
        shell("rm -f %s; mkfs.fat -C %s %s %u >/dev/null 2>&1", image, options, image, kilobytes),
        0);
    assert_int_equal(
        shell("cd %s && for i in 1 2 3 4 5 6 7 8; do head -c 9000 /dev/zero | tr '\\0' $i >gap$i; "
              "done && head -c 100000 /dev/urandom >big && printf five >tiny && : >empty && "
              "mcopy -i %s gap? :: && mdel -i %s ::gap1 ::gap3 ::gap5 && "
              "mmd -i %s ::/results ::/results/0001 ::/results/0001/deep ::/many && "
              "mcopy -i %s big ::/results/0001/run.json && "
              "mcopy -i %s big '::/results/0001/deep/A rather long name, of three pieces.text' && "
              "mcopy -i %s tiny ::/results/0001/exactly.13.ch && mcopy -i %s empty :: && "
              "mcopy -i %s tiny ::/TINY",
              folder, image, image, image, image, image, image, image, image),
        0);
    for (unsigned i = 0; i < 2; i++)
        assert_int_equal(
            shell("cd %s && mkdir -p n && for i in $(seq 50); do cp tiny n/name-%u-$i.longer; "
                  "done && mcopy -i %s n/* ::/many && rm -r n",
                  folder, i, image),
            0);
    take();
    assert_null(open_volume());
    break_up("\\results\\0001\\run.json");
}

/* Whether the volume's file is that of the folder. */
static void assert_holds(const char *path, const char *name)
{
    char full[96];
    snprintf(full, sizeof full, "%s/%s", folder, name);
    FILE *original = fopen(full, "rb");
    assert_non_null(original);
    assert_null(look_for(path));
    assert_false(file.is_missing || file.is_directory);
    uint64_t total = 0;
    for (unsigned i = 0; i < file.extents; i++) {
        char piece[131072];
        assert_compare(extent[i].at + extent[i].length, <=, volume_bytes);
        assert_int_equal(fread(piece, 1, extent[i].length, original), extent[i].length);
        assert_memory_equal(piece, volume + extent[i].at, extent[i].length);
        total += extent[i].length;
    }
    assert_int_equal(total, file.bytes);
    assert_int_equal(fgetc(original), EOF);
    fclose(original);
}

SETUP_ALL(start)
{
    assert_non_null(mkdtemp(folder));
    snprintf(image, sizeof image, "%s/volume", folder);
}

TEARDOWN_ALL(end)
{
    let_go();
    shell("rm -r %s", folder);
}

/* --- sound volumes -------------------------------------------------------------------------- */

static void check_found(unsigned bits)
{
    assert_int_equal(fat.bits, bits);
    assert_holds("\\results\\0001\\run.json", "big");
    assert_compare(file.extents, >, 1); /* in the gaps */
    assert_holds("RESULTS\\0001\\Run.Json", "big");
    assert_holds("\\results\\0001\\deep\\a RATHER long name, of three pieces.text", "big");
    assert_holds("\\results\\0001\\exactly.13.ch", "tiny");
    assert_holds("\\results\\0001\\deep\\..\\..\\..\\tiny", "tiny");
    assert_holds("\\many\\name-0-1.longer", "tiny");
    assert_holds("\\many\\name-1-50.longer", "tiny");
    assert_holds("\\empty", "empty");
    assert_int_equal(file.extents, 0);
    assert_null(look_for("\\results\\0001\\"));
    assert_true(file.is_directory);
    assert_null(look_for("\\"));
    assert_true(file.is_directory);
}

static void check_missing(void)
{
    static const char *const missing[] = {
        "\\result",     "\\results1", "\\many\\name-0-51.longer", "\\gap1",
        "\\tiny\\tiny", "\\tin",      "\\results\\0001\\run.jso", "\\results\\0001\\run.jsonl",
        "\\empty.",
    };
    for (unsigned i = 0; i < sizeof missing / sizeof *missing; i++) {
        assert_null(look_for(missing[i]));
        assert_true(file.is_missing);
        assert_int_equal(file.bytes + file.extents, 0);
    }
}

static void check_folders(void)
{
    static const char *const folders[] = {"\\", "\\results", "\\results\\0001", "\\many", "\\none"};
    for (unsigned i = 0; i < sizeof folders / sizeof *folders; i++)
        assert_null(fat_folder_ends(&fat, folders[i]));
}

struct kind {
    unsigned kilobytes, bits;
    const char *options;
};

static const struct kind kinds[] = {{1440, 12, "-F 12"},
                                    {2000, 12, "-F 12 -S 4096 -s 1"},
                                    {16000, 12, "-F 12 -s 8 -f 1"},
                                    {8000, 16, "-F 16 -s 2"},
                                    {40000, 16, "-F 16 -S 4096 -s 2"},
                                    {200000, 16, "-F 16 -s 64"},
                                    {34000, 32, "-F 32 -s 1"},
                                    {264 * 1024, 32, "-F 32 -S 4096 -s 1"},
                                    {3 * 1024 * 1024, 32, "-F 32 -s 64"}};

TEST(what_mkfs_and_mtools_have_made_is_found)
{
    for (EACH(c, kinds)) {
        make(c->kilobytes, c->options);
        check_found(c->bits);
        check_missing();
        check_folders();
        assert_false(fat.is_dirty);
    }
}

TEST(a_file_in_more_pieces_than_there_is_room_for_is_refused)
{
    make(1440, "-F 12");
    file.extent = extent;
    file.extents_max = 1;
    assert_string_equal(fat_find(&fat, "\\results\\0001\\run.json", &file),
                        "it is in too many pieces");
}

TEST(a_disk_that_ceases_to_answer_is_told_each_time)
{
    make(1440, "-F 12");
    for (unsigned reads = 0; reads == 0 || reads_left == 0; reads++) {
        struct fat_disk disk = {read_volume, &volume, volume_bytes};
        reads_left = reads;
        const char *reason = fat_open(&fat, &disk);
        if (reason == NULL)
            reason = look_for("\\results\\0001\\run.json");
        if (reason == NULL)
            reason = fat_folder_ends(&fat, "\\many");
        if (reason != NULL)
            assert_string_equal(reason, "the disk is gone");
        assert_true(reason == NULL || reads_left == 0);
        assert_compare(reads, <, 1000);
    }
}

/* test_volume: sectors, and what a volume is, as a made-up firmware shows them. */
#include "../../efi/firmware.c"
#include "../../efi/storage/stored.c"
#include "../../efi/storage/volume.c"
#include "fake_firmware.h"
#include "kit.h"
#include "made_tables.h"

#define SECTOR FAKE_SECTOR
#define STATE 37 /* of the boot sector */
#define MARKER_SHORT "MLPBOO~1RES"

static uint8_t *const disk = fake.disk;
static unsigned opened; /* by the firmware */
static uint8_t path[64];
static struct volume volume;

/* --- a firmware ------------------------------------------------------------------------------ */

/* The path of the only file or folder besides the root. */
static const char *there;
static bool is_folder;
static const char content[] = "a = 1\n"; /* of the file */
static uint64_t content_bytes;
static EFI_STATUS cut_status; /* of a change of the file's size, which is then made, or is not */
static bool is_cut;

static const CHAR16 *label;

/* Tells of the whole volume its label alone. */
static EFI_STATUS EFIAPI tell_label(EFI_FILE_HANDLE file, EFI_GUID *what, UINTN *bytes, void *to)
{
    EFI_FILE_SYSTEM_INFO *info = to;
    assert_true(file != NULL && what != NULL && *bytes >= sizeof *info + 12 * sizeof(CHAR16));
    memset(to, 0, *bytes);
    for (unsigned i = 0; label[i] != 0; i++)
        info->VolumeLabel[i] = label[i];
    return EFI_SUCCESS;
}

static EFI_STATUS EFIAPI tell_kind(EFI_FILE_HANDLE file, EFI_GUID *what, UINTN *bytes, void *to)
{
    EFI_FILE_INFO *info = to;
    assert_true(file != NULL && what != NULL && *bytes >= sizeof *info);
    *info =
        (EFI_FILE_INFO){.Attribute = is_folder ? EFI_FILE_DIRECTORY : 0, .FileSize = content_bytes};
    return EFI_SUCCESS;
}

static EFI_STATUS EFIAPI change_size(EFI_FILE_HANDLE file, EFI_GUID *what, UINTN bytes, void *from)
{
    const EFI_FILE_INFO *info = from;
    assert_true(file != NULL && what != NULL && bytes == info->Size);
    if (is_cut)
        content_bytes = info->FileSize;
    return cut_status;
}

static unsigned closed;

/* Kinds of garbage that the firmware gives back with success, against its specification. */
static enum { NO_GARBAGE, NO_HANDLE, NOTHING_READ, TOO_MUCH_READ, NO_END } garbage;

static EFI_STATUS EFIAPI close_file(EFI_FILE_HANDLE file)
{
    assert_non_null(file);
    closed++;
    return EFI_SUCCESS;
}

static EFI_STATUS EFIAPI read_there(EFI_FILE_HANDLE file, UINTN *bytes, void *to)
{
    assert_non_null(file);
    if (garbage != NO_GARBAGE) {
        memset(to, 0xaf, *bytes);
        *bytes = garbage == NOTHING_READ ? 1 : garbage == TOO_MUCH_READ ? UINT64_MAX : *bytes;
        return EFI_SUCCESS;
    }
    *bytes = *bytes < sizeof content - 1 ? *bytes : sizeof content - 1;
    memcpy(to, content, *bytes);
    return EFI_SUCCESS;
}

static EFI_FILE only = {
    .GetInfo = tell_kind, .SetInfo = change_size, .Read = read_there, .Close = close_file};

static EFI_STATUS EFIAPI open_there(EFI_FILE_HANDLE self, EFI_FILE_HANDLE *file, CHAR16 *name,
                                    UINT64 mode, UINT64 attributes)
{
    size_t i = 0;
    assert_true(self != NULL && mode == EFI_FILE_MODE_READ && attributes == 0);
    while (there != NULL && there[i] != '\0' && name[i] == (CHAR16)there[i])
        i++;
    if (there == NULL || there[i] != '\0' || name[i] != 0)
        return EFI_NOT_FOUND;
    *file = garbage == NO_HANDLE ? NULL : &only;
    return EFI_SUCCESS;
}

static EFI_FILE root = {.GetInfo = tell_label, .Open = open_there, .Close = close_file};

static EFI_STATUS EFIAPI open_root_folder(EFI_FILE_IO_INTERFACE *self, EFI_FILE_HANDLE *file)
{
    assert_non_null(self);
    opened++;
    *file = garbage == NO_HANDLE ? NULL : &root;
    return EFI_SUCCESS;
}

static EFI_FILE_IO_INTERFACE files = {.OpenVolume = open_root_folder};

/* --- a volume -------------------------------------------------------------------------------- */

/* FAT12 of 125 clusters, all free, on a card without partitions. */
SETUP(make_volume)
{
    static const uint8_t fields[] = {0x00, 0x02, 1, 1, 0, 1, 16, 0, 128, 0, 0xf8, 1};
    static const uint8_t end[] = {0x7f, 0xff, 4, 0};
    fake_firmware_start();
    fake.owner = disk;
    fake_firmware_offer((EFI_GUID)EFI_BLOCK_IO_PROTOCOL_GUID, &fake.blocks);
    fake_firmware_offer((EFI_GUID)EFI_SIMPLE_FILE_SYSTEM_PROTOCOL_GUID, &files);
    fake_firmware_offer((EFI_GUID)EFI_DEVICE_PATH_PROTOCOL_GUID, path);
    memcpy(disk + 11, fields, sizeof fields);
    disk[38] = 0x29;
    disk[510] = 0x55;
    disk[511] = 0xaa;
    memcpy(disk + SECTOR, "\xf8\xff\xff", 3);
    memcpy(path, end, sizeof end);
    content_bytes = sizeof content - 1;
    cut_status = EFI_SUCCESS;
    is_cut = true;
    there = NULL;
    label = u"L\x1b"
            u"B";
    garbage = NO_GARBAGE;
    assert_null(volume_open_own(&volume, disk));
    opened = 0;
}

TEARDOWN(nothing_is_printed)
{
    assert_string_equal(fake.printed, "");
}

/* Adds an entry to the root folder: a name of 11 characters, its attributes, its first cluster. */
static void add(unsigned index, const char *name, uint8_t attributes, uint8_t cluster)
{
    uint8_t *entry = disk + 2 * SECTOR + 32 * index;
    memcpy(entry, name, 11);
    entry[11] = attributes;
    entry[26] = cluster;
}

/* A piece of a long name: 13 characters in UCS-2, at three places of the entry. */
static void add_piece(unsigned index, uint8_t order, const char *text)
{
    uint8_t *entry = disk + 2 * SECTOR + 32 * index, sum = 0;
    for (unsigned i = 0; i < 11; i++)
        sum = (uint8_t)((sum >> 1 | sum << 7) + (uint8_t)MARKER_SHORT[i]);
    memset(entry, 0, 32);
    entry[0] = order;
    entry[11] = 0x0f;
    entry[13] = sum;
    for (unsigned i = 0; i < 13 && text[i] != '\0'; i++)
        entry[i < 5 ? 1 + 2 * i : i < 11 ? 14 + 2 * (i - 5) : 28 + 2 * (i - 11)] = (uint8_t)text[i];
}

static void add_marker(unsigned index, uint8_t attributes, uint8_t cluster)
{
    add_piece(index, 0x42, "ts");
    add_piece(index + 1, 1, "mlpboot.resul");
    add(index + 2, MARKER_SHORT, attributes, cluster);
}

/* FAT12: cluster 2's entry are the lower bits of bytes 3 and 4 of the table. */
static void make_ring(uint8_t cluster)
{
    disk[SECTOR + 3] = cluster;
}

TEST(a_volume_without_its_folder_takes_no_results)
{
    assert_null(volume_open_own(&volume, disk));
    assert_string_equal(volume.unfit, "it has no folder \\results");
    there = "\\results";
    is_folder = true;
    assert_null(volume_open_own(&volume, disk));
    assert_null(volume.unfit);
    is_folder = false;
    assert_null(volume_open_own(&volume, disk));
    assert_non_null(volume.unfit);
    there = "\\mlpboot.results";
    assert_null(volume_open_own(&volume, disk));
    assert_null(volume.unfit);
}

/* The firmware alone knows a volume whose sectors are hidden, or are none of FAT's. */
TEST(what_is_no_fat_is_opened_where_it_was_booted_from_and_nowhere_else)
{
    disk[510] = 0;
    add_marker(0, 0x20, 0);
    assert_null(volume_open_own(&volume, disk));
    assert_non_null(volume_open_marked(&volume, disk));
    fake.media.MediaPresent = FALSE;
    assert_null(volume_open_own(&volume, disk));
    assert_non_null(volume_open_marked(&volume, disk));
    assert_false(volume.is_marked);
    assert_int_equal(opened, 2);
}

TEST(the_firmware_opens_no_volume_but_a_marked_one)
{
    assert_string_equal(volume_open_marked(&volume, disk), "it is not marked");
    assert_false(volume.is_marked);
    assert_int_equal(opened, 0);
    add_marker(0, 0x20, 0);
    assert_null(volume_open_marked(&volume, disk));
    assert_true(volume.is_marked);
    assert_string_equal(volume.name, "the marked volume L?B");
    assert_int_equal(opened, 1);
}

TEST(a_marked_volume_that_cannot_be_written_is_not_opened)
{
    add_marker(0, 0x10, 2);
    assert_string_equal(volume_open_marked(&volume, disk),
                        "\\mlpboot.results is a directory, and has to be a file");
    add_marker(0, 0x20, 0);
    fake.media.ReadOnly = TRUE;
    assert_string_equal(volume_open_marked(&volume, disk), "the volume is write protected");
    fake.media.ReadOnly = FALSE;
    add(3, "RESULTS    ", 0x10, 2);
    make_ring(2);
    assert_string_equal(volume_open_marked(&volume, disk), "the clusters of a folder do not end");
    assert_true(volume.is_marked);
    assert_int_equal(opened, 0);
}

/* It is read all the same. */
TEST(results_without_an_end_on_the_volume_booted_from)
{
    there = "\\results";
    is_folder = true;
    make_ring(2);
    add(0, "RESULTS    ", 0x10, 2);
    assert_null(volume_open_own(&volume, disk));
    assert_string_equal(volume.unfit, "the clusters of a folder do not end");
}

TEST(one_that_was_dirty_before_is_known)
{
    assert_null(volume_open_own(&volume, disk));
    assert_false(volume.is_dirty);
    disk[STATE] = 1;
    assert_null(volume_open_own(&volume, disk));
    assert_true(volume.is_dirty);
}

/* QEMU makes it of a folder, and the guest sees nothing of what gets lost. */
TEST(a_folder_that_qemu_shows_as_a_disk_takes_no_results)
{
    there = VOLUME_RESULTS;
    is_folder = true;
    label = u"QEMU VVFAT ";
    add_marker(0, 0x20, 0);
    assert_null(volume_open_own(&volume, disk));
    assert_non_null(strstr(volume.unfit, "QEMU makes it of a folder"));
    assert_null(volume_open_marked(&volume, disk));
    assert_non_null(volume.unfit);
    label = u"QEMU";
    assert_null(volume_open_own(&volume, disk));
    assert_null(volume.unfit);
}

/* Windows hides the end of a name. */
TEST(a_marker_whose_name_was_altered_is_named)
{
    add_piece(0, 0x42, "ts.txt");
    add_piece(1, 1, "mlpboot.resul");
    add(2, MARKER_SHORT, 0x20, 0);
    assert_string_equal(volume_open_marked(&volume, disk),
                        "\\mlpboot.results.txt is no mark; it has to be named \\mlpboot.results");
    assert_string_equal(volume.name, "another volume");
    assert_true(volume.is_marked); /* so that it is told */
    assert_non_null(volume.unfit);
    assert_int_equal(opened, 0);
}

/* Its files are not ours, and neither is its boot sector. */
TEST(a_card_that_was_changed_is_left_alone)
{
    bool same;
    fake.media.MediaId++;
    assert_string_equal(volume_compare(&volume, 0, "x", 1, &same), "the medium was changed");
}

TEST(sectors_are_compared_across_windows)
{
    static uint8_t copy[2 * FAT_WINDOW];
    bool same;
    for (size_t i = 3 * SECTOR; i < sizeof fake.disk; i++)
        disk[i] = (uint8_t)(i * 89 >> 3);
    memcpy(copy, disk + 5000, sizeof copy);
    assert_null(volume_compare(&volume, 5000, (char *)copy, sizeof copy, &same));
    assert_true(same);
    copy[sizeof copy - 1] ^= 1;
    assert_null(volume_compare(&volume, 5000, (char *)copy, sizeof copy, &same));
    assert_false(same);
}

/* --- files ----------------------------------------------------------------------------------- */

static bool is_missing;
static size_t length; /* of it */

/* Reads the only file there is, if it is there; so many bytes fit. */
static const char *read_it(size_t room)
{
    static char buffer[16];
    length = SIZE_MAX;
    const char *reason = volume_read(&volume, "\\a.cfg", buffer, room, &length, &is_missing);
    assert_memory_equal(buffer, content, length < room ? length : room);
    return reason;
}

TEST(a_file_is_read_or_is_missing_or_is_none)
{
    is_folder = false;
    assert_null(read_it(0));
    assert_true(is_missing);
    assert_int_equal(length, 0);
    there = "\\a.cfg";
    closed = 0;
    assert_null(read_it(16));
    assert_false(is_missing);
    assert_int_equal(length, sizeof content - 1);
    assert_null(read_it(2)); /* and the length says that it is longer */
    assert_int_equal(length, sizeof content - 1);
    is_folder = true;
    assert_string_equal(read_it(0), "it is a directory");
    assert_false(is_missing);
    assert_numbers((length, closed), (0, 3));
}

static void see_entry(void *context, const EFI_FILE_INFO *entry)
{
    (void)context;
    (void)entry;
    fail();
}

TEST(garbage_with_success_is_an_error)
{
    is_folder = false;
    there = "\\a.cfg";
    for (garbage = NO_HANDLE; garbage <= TOO_MUCH_READ; garbage++)
        assert_non_null(read_it(16));
    garbage = NO_END;
    assert_non_null(volume_look_through(&only, see_entry, NULL));
    garbage = NO_HANDLE;
    assert_non_null(volume_open_own(&volume, disk));
    garbage = NO_GARBAGE;
}

TEST(a_volume_is_closed_once)
{
    closed = 0;
    volume_close(&volume);
    volume_close(&volume);
    assert_int_equal(closed, 1);
    assert_string_equal(read_it(0), "the volume was closed");
}

/* The FAT, if there is one, tells the extents, and has to agree on the size. */
TEST(a_file_is_located_in_its_sectors)
{
    struct stored stored = {.volume = &volume, .path = "\\A", .bytes = 700};
    add(0, "A          ", 0x20, 2);
    put(disk + 2 * SECTOR + 28, 700, 2);
    memcpy(disk + SECTOR + 3, "\x03\xf0\xff", 3); /* two clusters */
    assert_null(stored_locate(&stored));
    assert_null(stored.unlocated);
    assert_numbers((stored.extents, stored.extent[0].at), (1, 3 * SECTOR));
    assert_in_range(stored.extent[0].length, 700, 2 * SECTOR);
    stored.bytes = 701;
    assert_string_equal(locate_now(&stored), LOST);
    disk[510] = 0; /* no FAT */
    assert_null(stored_locate(&stored));
    assert_non_null(stored.unlocated);
}

TEST(a_file_that_is_not_cut_keeps_its_length)
{
    struct stored stored = {.volume = &volume, .path = "\\A", .file = &only, .bytes = 6};
    cut_status = EFI_WRITE_PROTECTED;
    is_cut = false;
    assert_string_equal(stored_cut(&stored, 4), "the volume is write protected");
    cut_status = EFI_SUCCESS;
    assert_string_equal(stored_cut(&stored, 4), "the firmware does not make it shorter");
    assert_int_equal(stored.bytes, 6);
    assert_null(stored.unlocated);
    is_cut = true;
    assert_null(stored_cut(&stored, 4));
    assert_int_equal(stored.bytes, 4);
    assert_string_equal(stored.unlocated, "it was cut");
}

/* A stick may be pulled at any time. */
TEST(sectors_that_went_away_are_not_taken_for_read)
{
    struct fat *found;
    struct fat_file file;
    unsigned before = fake.fed;
    assert_null(volume_fat(&volume, &found));
    assert_compare(fake.fed, >, before); /* a disk may take long */
    fake.media.MediaPresent = FALSE;
    assert_string_equal(fat_find(found, "\\A", &file), NO_SECTORS);
    assert_string_equal(volume_fat(&volume, &found), NO_SECTORS);
}

/* --- device paths ---------------------------------------------------------------------------- */

/* Nodes as pairs of type and length, each of subtype 9; then the volume is opened. */
static void open_by_path(const uint8_t *nodes, size_t count)
{
    memset(path, 0, sizeof path);
    for (size_t i = 0, at = 0; i < count; at += nodes[2 * i + 1], i++) {
        path[at] = nodes[2 * i];
        path[at + 1] = 9;
        path[at + 2] = nodes[2 * i + 1];
    }
    there = "\\results";
    is_folder = true;
    assert_null(volume_open_own(&volume, disk));
}

TEST(a_ram_disk_is_known_by_its_path)
{
    static const uint8_t nodes[] = {2, 12, 4, 38, 0x7f, 4};
    open_by_path(nodes, 3);
    assert_string_equal(volume.unfit, IN_MEMORY);
}

TEST(a_path_ends_where_it_says)
{
    static const uint8_t ended[] = {2, 12, 0x7f, 4, 4, 38}, broken[] = {2, 12, 2, 3};
    open_by_path(ended, 3);
    assert_null(volume.unfit);
    open_by_path(broken, 2); /* a node has four bytes at least */
    assert_null(volume.unfit);
}

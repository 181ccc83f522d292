/* test_volume: sectors, and what a volume is, as a made-up firmware shows them. */
#include "../../efi/firmware.c"
#include "../../efi/storage/volume.c"
#include "kit.h"

#define SECTOR 512
#define SECTORS 128
#define STATE 37 /* of the boot sector */

static uint8_t disk[SECTORS * SECTOR];
static unsigned writes;
static bool no_memory;
static uint8_t path[64];
static char told[1024];
static struct volume volume;

/* --- a firmware ------------------------------------------------------------------------------ */

static EFI_BLOCK_IO_MEDIA media;

static EFI_STATUS reach(const EFI_BLOCK_IO *self, UINT32 medium, EFI_LBA lba, UINTN bytes)
{
    assert_ptr_equal(self->Media, &media);
    assert_true(lba * SECTOR + bytes <= sizeof disk);
    return medium == media.MediaId ? EFI_SUCCESS : EFI_MEDIA_CHANGED;
}

static EFI_STATUS EFIAPI read_blocks(EFI_BLOCK_IO *self, UINT32 medium, EFI_LBA lba, UINTN bytes,
                                     void *to)
{
    EFI_STATUS status = reach(self, medium, lba, bytes);
    if (status == EFI_SUCCESS)
        memcpy(to, disk + lba * SECTOR, bytes);
    return status;
}

static EFI_STATUS EFIAPI write_blocks(EFI_BLOCK_IO *self, UINT32 medium, EFI_LBA lba, UINTN bytes,
                                      void *from)
{
    EFI_STATUS status = reach(self, medium, lba, bytes);
    if (status == EFI_SUCCESS) {
        memcpy(disk + lba * SECTOR, from, bytes);
        writes++;
    }
    return status;
}

static EFI_STATUS EFIAPI flush_blocks(EFI_BLOCK_IO *self)
{
    assert_ptr_equal(self->Media, &media);
    return EFI_SUCCESS;
}

static EFI_STATUS EFIAPI tell_nothing(EFI_FILE_HANDLE file, EFI_GUID *what, UINTN *bytes, void *to)
{
    assert_true(file != NULL && what != NULL && bytes != NULL && to != NULL);
    return EFI_UNSUPPORTED;
}

static EFI_FILE root = {.GetInfo = tell_nothing};

static EFI_STATUS EFIAPI open_root(EFI_FILE_IO_INTERFACE *self, EFI_FILE_HANDLE *file)
{
    assert_non_null(self);
    *file = &root;
    return EFI_SUCCESS;
}

static EFI_BLOCK_IO blocks = {.Media = &media,
                              .ReadBlocks = read_blocks,
                              .WriteBlocks = write_blocks,
                              .FlushBlocks = flush_blocks};
static EFI_FILE_IO_INTERFACE files = {.OpenVolume = open_root};

static EFI_STATUS EFIAPI handle_protocol(EFI_HANDLE handle, EFI_GUID *guid, void **protocol)
{
    static const struct {
        EFI_GUID guid;
        void *protocol;
    } all[] = {
        {EFI_BLOCK_IO_PROTOCOL_GUID, &blocks},
        {EFI_SIMPLE_FILE_SYSTEM_PROTOCOL_GUID, &files},
        {EFI_DEVICE_PATH_PROTOCOL_GUID, path},
    };
    assert_ptr_equal(handle, disk);
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        if (memcmp(guid, &all[i].guid, sizeof *guid) == 0) {
            *protocol = all[i].protocol;
            return EFI_SUCCESS;
        }
    return EFI_UNSUPPORTED;
}

static EFI_STATUS EFIAPI stall(UINTN microseconds)
{
    assert_true(microseconds > 0);
    return EFI_SUCCESS;
}

static EFI_BOOT_SERVICES services = {.HandleProtocol = handle_protocol, .Stall = stall};

uint64_t memory_allocate(uint64_t bytes, enum memory_use use)
{
    (void)use;
    return no_memory ? 0 : (uint64_t)malloc(bytes);
}

void memory_free(uint64_t address, uint64_t bytes)
{
    (void)bytes;
    free((void *)address);
}

void watchdog_feed(void)
{
}

/* --- a volume -------------------------------------------------------------------------------- */

/* FAT12 of 125 clusters, all free, on a card without partitions. */
SETUP(make_volume)
{
    static const uint8_t fields[] = {0x00, 0x02, 1, 1, 0, 1, 16, 0, SECTORS, 0, 0xf8, 1};
    static const uint8_t end[] = {0x7f, 0xff, 4, 0};
    memset(disk, 0, sizeof disk);
    memcpy(disk + 11, fields, sizeof fields);
    disk[38] = 0x29;
    disk[510] = 0x55;
    disk[511] = 0xaa;
    memcpy(disk + SECTOR, "\xf8\xff\xff", 3);
    memcpy(path, end, sizeof end);
    media = (EFI_BLOCK_IO_MEDIA){
        .MediaId = 7, .MediaPresent = TRUE, .BlockSize = SECTOR, .LastBlock = SECTORS - 1};
    firmware_boot = &services;
    writes = 0;
    no_memory = false;
    told[0] = '\0';
    assert_null(volume_open(&volume, disk, false));
}

static void tell(const char *words)
{
    strcat(strcat(told, words), "\n");
}

TEST(a_sound_volume_is_checked_and_nothing_told)
{
    volume_check(&volume, tell);
    assert_string_equal(told, "");
    assert_null(volume.unfit);
}

TEST(what_is_no_fat_is_told)
{
    disk[510] = 0;
    volume_check(&volume, tell);
    assert_string_equal(told, "the volume booted from: its file system was not checked: "
                              "it has no boot sector\n");
    assert_null(volume.unfit);
}

TEST(without_sectors_or_memory_a_volume_is_not_checked)
{
    media.MediaPresent = FALSE;
    volume_check(&volume, tell);
    assert_non_null(strstr(told, "was not checked: the firmware shows no sectors of it\n"));
    media.MediaPresent = TRUE;
    no_memory = true;
    volume_check(&volume, tell);
    assert_non_null(strstr(told, "was not checked: there is not enough memory\n"));
}

/* A folder that leads nowhere: what is written now might go there. */
TEST(a_damaged_volume_takes_no_results)
{
    memcpy(disk + 2 * SECTOR, "RESULTS    \x10", 12);
    disk[2 * SECTOR + 26] = 5; /* its first cluster, which is free */
    volume_check(&volume, tell);
    assert_non_null(strstr(told, "have it checked by an operating system: "));
    assert_non_null(volume.unfit);
}

TEST(a_volume_is_marked_while_it_is_written)
{
    static uint8_t before[sizeof disk];
    memcpy(before, disk, sizeof disk);
    volume_mark(&volume, true);
    assert_int_equal(disk[STATE], FAT_STATE_DIRTY);
    volume_mark(&volume, true);
    assert_int_equal(writes, 1);
    volume_mark(&volume, false);
    assert_memory_equal(disk, before, sizeof disk);
    assert_int_equal(writes, 2);
}

TEST(one_that_was_dirty_before_stays_so)
{
    disk[STATE] = FAT_STATE_DIRTY;
    volume_check(&volume, tell);
    assert_non_null(strstr(told, "its dirty bit is set"));
    volume_mark(&volume, false);
    assert_int_equal(disk[STATE], FAT_STATE_DIRTY);
    assert_int_equal(writes, 0);
}

/* Its files are not ours, and neither is its boot sector. */
TEST(a_card_that_was_changed_is_left_alone)
{
    bool same;
    media.MediaId++;
    volume_mark(&volume, true);
    assert_int_equal(writes, 0);
    assert_string_equal(volume_compare(&volume, 0, "x", 1, &same), "the medium was changed");
}

TEST(sectors_are_compared_across_windows)
{
    static uint8_t copy[2 * FAT_WINDOW];
    bool same;
    for (size_t i = 3 * SECTOR; i < sizeof disk; i++)
        disk[i] = (uint8_t)(i * 89 >> 3);
    memcpy(copy, disk + 5000, sizeof copy);
    assert_null(volume_compare(&volume, 5000, (char *)copy, sizeof copy, &same));
    assert_true(same);
    copy[sizeof copy - 1] ^= 1;
    assert_null(volume_compare(&volume, 5000, (char *)copy, sizeof copy, &same));
    assert_false(same);
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
    assert_null(volume_open(&volume, disk, false));
}

TEST(a_ram_disk_is_known_by_its_path)
{
    static const uint8_t nodes[] = {2, 12, 4, 38, 0x7f, 4};
    open_by_path(nodes, 3);
    assert_string_equal(volume.unfit, IN_MEMORY);
}

TEST(a_path_ends_where_it_says)
{
    static const uint8_t ended[] = {2, 12, 0x7f, 4, 4, 38}, broken[] = {2, 12, 2, 3, 4, 38};
    open_by_path(ended, 3);
    assert_null(volume.unfit);
    open_by_path(broken, 3); /* a node has four bytes at least */
    assert_null(volume.unfit);
}

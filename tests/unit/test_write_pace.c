/* test_write_pace: a medium is filled with progress, or is given up, by a clock of our own; and
 * what it lost is noticed. */
#define firmware_milliseconds milliseconds_of_firmware
#include "../../efi/firmware.c"
#undef firmware_milliseconds
uint64_t firmware_milliseconds(void);
#include "../../efi/storage/stored.c"
#include "../../efi/storage/volume.c"
#include "fake_firmware.h"
#include "kit.h"

#define KB 1024

static uint64_t now, milliseconds_a_kb, flushes;
static struct volume volume;

/* --- what the firmware gives --------------------------------------------------------------- */

#define EXTENT 8192
#define LONG 40000

/* What is wrong with a small medium. */
static uint64_t next_byte; /* in the file */
static bool is_scattered;  /* in extents */
static int64_t loses;      /* a byte of each piece, counted from its end; -1: none */
static bool keeps_closed;  /* closing the file brings it there */
static uint8_t *lost;
static UINTN ends_early; /* reading, by so many bytes */

static const struct fat_extent extents[] = {{16384, EXTENT}, {4096, EXTENT}};

static uint8_t *place_of(uint64_t position)
{
    if (!is_scattered)
        return fake.disk + position % sizeof fake.disk;
    return fake.disk + extents[position / EXTENT % 2].at + position % EXTENT;
}

static EFI_STATUS EFIAPI set_position(EFI_FILE_HANDLE file, UINT64 position)
{
    assert_non_null(file);
    assert_compare(position, <, UINT64_C(1) << 32);
    next_byte = position;
    return EFI_SUCCESS;
}

static uint64_t unflushed;

static EFI_STATUS EFIAPI write_bytes(EFI_FILE_HANDLE file, UINTN *bytes, void *from)
{
    assert_true(file != NULL && from != NULL);
    unflushed += *bytes;
    for (UINTN i = 0; i < *bytes; i++)
        *place_of(next_byte + i) = ((uint8_t *)from)[i];
    if (loses >= 0) {
        lost = place_of(next_byte + *bytes - 1 - (UINTN)loses);
        *lost ^= 1;
    }
    return EFI_SUCCESS;
}

static EFI_STATUS EFIAPI read_bytes(EFI_FILE_HANDLE file, UINTN *bytes, void *to)
{
    assert_true(file != NULL && *bytes > ends_early);
    *bytes -= ends_early;
    for (UINTN i = 0; i < *bytes; i++)
        ((uint8_t *)to)[i] = *place_of(next_byte + i);
    return fake.disk_status;
}

static EFI_STATUS EFIAPI flush(EFI_FILE_HANDLE file)
{
    assert_non_null(file);
    now += milliseconds_a_kb * unflushed / KB;
    unflushed = 0;
    flushes++;
    return EFI_SUCCESS;
}

static EFI_STATUS EFIAPI close_file(EFI_FILE_HANDLE file)
{
    assert_non_null(file);
    if (keeps_closed)
        *lost ^= 1;
    keeps_closed = false;
    return EFI_SUCCESS;
}

static EFI_FILE file = {.SetPosition = set_position,
                        .Write = write_bytes,
                        .Read = read_bytes,
                        .Flush = flush,
                        .Close = close_file};

static EFI_STATUS EFIAPI open_again(EFI_FILE_HANDLE self, EFI_FILE_HANDLE *opened, CHAR16 *name,
                                    UINT64 mode, UINT64 attributes)
{
    assert_true(self != NULL && name != NULL && attributes == 0);
    assert_int_equal(mode, EFI_FILE_MODE_READ | EFI_FILE_MODE_WRITE);
    *opened = &file;
    return EFI_SUCCESS;
}

static EFI_FILE root = {.Open = open_again};
uint64_t firmware_milliseconds(void)
{
    return now;
}

/* --- tests --------------------------------------------------------------------------------- */

SETUP(start)
{
    volume = (struct volume){.piece = 0};
    now = 1000;
    flushes = unflushed = 0;
    fake_firmware_start();
    fake.owner = &fake;
    fake_firmware_offer((EFI_GUID)EFI_BLOCK_IO_PROTOCOL_GUID, &fake.blocks);
    milliseconds_a_kb = 0;
    loses = -1;
    keeps_closed = is_scattered = false;
    ends_early = 0;
}

/* Fills files one after the other, as a run's folder does. */
static const char *fill(unsigned files, uint64_t kb)
{
    const char *reason = NULL;
    for (unsigned i = 0; i < files && reason == NULL; i++) {
        struct stored stored = {.volume = &volume, .file = &file};
        reason = stored_grow(&stored, kb * KB);
        assert_true(reason != NULL || stored.bytes == kb * KB);
    }
    return reason;
}

TEST(a_quick_medium_shows_nothing_and_is_flushed_seldom)
{
    milliseconds_a_kb = 0;
    assert_null(fill(1, 8192));
    assert_string_equal(fake.printed, "");
    assert_in_range(flushes, 8, 16); /* 64 KB at first, a megabyte in the end */
}

/* 0.2 MB a second, as virtual media may take: 10 MB need 51 seconds. */
TEST(a_slow_medium_shows_how_far_it_is)
{
    milliseconds_a_kb = 5;
    assert_null(fill(1, 10240));
    assert_int_equal(now, 1000 + 5 * 10240);
    unsigned lines = 0;
    unsigned long last = 0;
    for (const char *at = fake.printed; (at = strchr(at, ' ')) != NULL; at++) {
        unsigned long kb;
        if (sscanf(at, " %lu KB ...", &kb) != 1)
            continue;
        assert_in_range(kb, last + 1000, last + 2048); /* each 5 seconds, after a piece */
        last = kb;
        lines++;
    }
    assert_in_range(lines, 7, 10);
}

/* 10 seconds, and one more for each 20 KB. */
TEST(a_medium_below_20_kb_a_second_is_given_up)
{
    milliseconds_a_kb = 60;
    assert_string_equal(fill(1, 10240), "the medium is too slow: 1152 KB took 69 seconds");
    volume = (struct volume){.piece = 0};
    milliseconds_a_kb = 50;
    assert_null(fill(1, 10240));
}

/* --- reading back -------------------------------------------------------------------------- */

/* Writes into the file, whose sectors are known or not. */
static const char *write_at(uint64_t position, size_t length)
{
    static char data[LONG];
    struct stored stored = {.volume = &volume, .file = &file, .path = "\\a", .extents = 2};
    memcpy(stored.extent, extents, sizeof extents);
    stored.unlocated = is_scattered ? NULL : "no FAT";
    volume = (struct volume){.handle = &fake, .medium = fake.media.MediaId, .root = &root};
    for (size_t i = 0; i < length; i++)
        data[i] = (char)(i % 251);
    memset(fake.disk, 0, sizeof fake.disk);
    return stored_write(&stored, position, data, length);
}

/* The file is read back through the firmware, or from its sectors. */
TEST(what_a_medium_lost_is_noticed)
{
    for (unsigned i = 0; i < 2; i++) {
        uint64_t position = i == 0 ? 100 : 1000;
        size_t length = i == 0 ? LONG : 2 * EXTENT - 1000;
        start();
        is_scattered = i == 1;
        assert_null(write_at(position, length));
        assert_false(volume.closes_to_flush);
        for (loses = 0; loses < (int64_t)length; loses += 5000) {
            assert_string_equal(write_at(position, length), LOST);
            keeps_closed = true;
            assert_null(write_at(position, length));
            assert_true(volume.closes_to_flush);
        }
        loses = -1;
        fake.disk_status = EFI_DEVICE_ERROR;
        assert_string_equal(write_at(position, length), firmware_status(EFI_DEVICE_ERROR));
    }
}

TEST(a_file_that_ends_early_has_lost_its_end)
{
    ends_early = 1;
    assert_string_equal(write_at(0, LONG), LOST);
    ends_early = 0;
    is_scattered = true;
    assert_null(write_at(EXTENT, EXTENT));
    assert_string_equal(write_at(2 * EXTENT - 100, 101), LOST); /* no extent has the last byte */
}

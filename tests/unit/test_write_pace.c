/* test_write_pace: a medium is filled with progress, or is given up, by a clock of our own. */
#define firmware_milliseconds milliseconds_of_firmware
#include "../../efi/firmware.c"
#undef firmware_milliseconds
uint64_t firmware_milliseconds(void);
#include "../../efi/storage/stored.c"
#include "../../efi/storage/volume.c"
#include "kit.h"

#define KB 1024

static uint64_t now, milliseconds_a_kb, flushes;
static struct volume volume;
static char shown_memory[4096];
static struct text shown;

/* --- what the firmware gives --------------------------------------------------------------- */

static EFI_STATUS EFIAPI set_position(EFI_FILE_HANDLE file, UINT64 position)
{
    assert_non_null(file);
    assert_true(position < UINT64_C(1) << 32);
    return EFI_SUCCESS;
}

static uint64_t unflushed;

static EFI_STATUS EFIAPI write_bytes(EFI_FILE_HANDLE file, UINTN *bytes, void *from)
{
    assert_true(file != NULL && from != NULL);
    unflushed += *bytes;
    return EFI_SUCCESS;
}

static EFI_STATUS EFIAPI flush(EFI_FILE_HANDLE file)
{
    assert_non_null(file);
    now += milliseconds_a_kb * unflushed / KB;
    unflushed = 0;
    flushes++;
    return EFI_SUCCESS;
}

static EFI_FILE file = {.SetPosition = set_position, .Write = write_bytes, .Flush = flush};

uint64_t firmware_milliseconds(void)
{
    return now;
}

void watchdog_feed(void)
{
}

void console_printf(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    text_vprintf(&shown, format, arguments);
    va_end(arguments);
}

/* --- tests --------------------------------------------------------------------------------- */

SETUP(start)
{
    volume = (struct volume){.piece = 0};
    now = 1000;
    flushes = unflushed = 0;
    text_init(&shown, shown_memory, sizeof shown_memory);
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
    assert_string_equal(shown_memory, "");
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
    for (const char *at = shown_memory; (at = strchr(at, ' ')) != NULL; at++) {
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

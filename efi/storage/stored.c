/* stored: writes in pieces, flushes after each, and watches the clock. */
#include "stored.h"

#include "../../kernel/lib/string.h"
#include "../../kernel/lib/text.h"
#include "../console.h"
#include "../firmware.h"
#include "../watchdog.h"

#define PIECE_LEAST (64u << 10) /* first piece between flushes; doubled while flushes are quick */
#define PIECE_MOST (1u << 20)
#define CHUNK 16384
#define ROOM_FOR_RESULTS                                                                           \
    (256u << 10) /* a volume with less free space keeps nothing for the next boot */
#define QUICK_MILLISECONDS 1000
#define PATIENCE_MILLISECONDS 10000 /* a stick may be busy with itself for seconds */
#define SHOWN_MILLISECONDS 5000
#define SLOWEST 20 /* bytes a millisecond */
#define LOST "it does not read back as written: the medium lost what was written"

/* When a write started, and how many bytes it has written. */
struct write_pace {
    uint64_t started, bytes;
};

/* Returns how many bytes are written before the next look at the clock. */
static size_t piece_now(const struct volume *volume)
{
    return volume->piece > PIECE_LEAST ? volume->piece : PIECE_LEAST;
}

/* Checks the pace after a flush. Returns NULL, or gives the volume up if it would take too long. */
static const char *look_at_clock(struct volume *volume, const struct write_pace *pace)
{
    uint64_t taken = firmware_milliseconds() - pace->started;
    if (piece_now(volume) < PIECE_MOST && taken < QUICK_MILLISECONDS)
        volume->piece = 2 * piece_now(volume);
    if (taken <= PATIENCE_MILLISECONDS + pace->bytes / SLOWEST)
        return NULL;
    volume_give_up(volume,
                   text_write(volume->words, sizeof volume->words,
                              "the medium is too slow: %lu KB took %lu seconds",
                              (unsigned long)(pace->bytes >> 10), (unsigned long)(taken / 1000)));
    return volume->words;
}

/* A medium may take minutes, during which nothing else is shown. */
static void show_progress(struct volume *volume, const struct write_pace *pace)
{
    uint64_t now = firmware_milliseconds();
    uint64_t since = volume->shown_at > pace->started ? volume->shown_at : pace->started;
    if (now - since < SHOWN_MILLISECONDS)
        return;
    console_printf(" %lu KB ...", (unsigned long)(volume->filled >> 10));
    volume->shown_at = now;
}

static EFI_STATUS open_file(struct stored *stored, UINT64 mode)
{
    EFI_STATUS status = volume_find(stored->volume, &stored->file, stored->path,
                                    EFI_FILE_MODE_READ | EFI_FILE_MODE_WRITE | mode, 0);
    if (EFI_ERROR(status))
        stored->file = NULL;
    return status;
}

const char *stored_open(struct stored *stored, struct volume *volume, const char *path)
{
    *stored = (struct stored){.volume = volume, .unlocated = "nobody has looked yet"};
    text_write(stored->path, sizeof stored->path, "%s", path);
    EFI_STATUS status = open_file(stored, EFI_FILE_MODE_CREATE);
    if (EFI_ERROR(status))
        return firmware_status(status);
    const EFI_FILE_INFO *info = volume_info(stored->file);
    if (info == NULL)
        return "the firmware does not tell how long it is";
    stored->bytes = info->FileSize;
    return NULL;
}

static EFI_STATUS write_piece(EFI_FILE_HANDLE file, uint64_t position, const char *data,
                              size_t length)
{
    UINTN bytes = length;
    watchdog_feed();
    EFI_STATUS status = file->SetPosition(file, position);
    if (!EFI_ERROR(status))
        status = file->Write(file, &bytes, (void *)data);
    return !EFI_ERROR(status) && bytes != length ? EFI_VOLUME_FULL : status;
}

/* Compares by reading through the file system, and whatever it caches. */
static const char *compare_file(const struct stored *stored, uint64_t position, const char *data,
                                size_t length)
{
    static char chunk[CHUNK];
    EFI_FILE_HANDLE file = stored->file;
    for (size_t done = 0; done < length; done += sizeof chunk) {
        UINTN wanted = length - done < sizeof chunk ? length - done : sizeof chunk, bytes = wanted;
        EFI_STATUS status = file->SetPosition(file, position + done);
        if (!EFI_ERROR(status))
            status = file->Read(file, &bytes, chunk);
        if (EFI_ERROR(status))
            return firmware_status(status);
        if (bytes != wanted || memcmp(chunk, data + done, wanted) != 0)
            return LOST;
    }
    return NULL;
}

static const char *compare_stored(const struct stored *stored, uint64_t position, const char *data,
                                  size_t length)
{
    uint64_t start = 0; /* the extent's first byte in the file */
    if (stored->unlocated != NULL)
        return compare_file(stored, position, data, length);
    for (unsigned i = 0; i < stored->extents && length > 0; i++) {
        const struct fat_extent *extent = &stored->extent[i];
        if (position < start + extent->length) {
            uint64_t left = start + extent->length - position;
            size_t count = length < left ? length : (size_t)left;
            bool same;
            const char *reason =
                volume_compare(stored->volume, extent->at + (position - start), data, count, &same);
            if (reason != NULL)
                return reason;
            if (!same)
                return LOST;
            position += count;
            data += count;
            length -= count;
        }
        start += extent->length;
    }
    return length == 0 ? NULL : LOST;
}

const char *stored_flush(struct stored *stored)
{
    struct volume *volume = stored->volume;
    EFI_STATUS status = EFI_SUCCESS;
    watchdog_feed();
    if (!volume->closes_to_flush)
        status = stored->file->Flush(stored->file);
    volume->closes_to_flush |= status == EFI_UNSUPPORTED;
    if (volume->closes_to_flush) {
        stored->file->Close(stored->file);
        status = open_file(stored, 0);
    }
    return EFI_ERROR(status) ? firmware_status(status) : NULL;
}

/* True if a file is to be looked at once more: it was closed and opened again, since some firmware
 * writes its entry in the folder when it is closed. From then on each flush on that volume closes.
 */
static bool looks_again(struct stored *stored, const char *reason)
{
    if (reason == NULL || strcmp(reason, LOST) != 0)
        return false;
    stored->volume->closes_to_flush = true;
    return stored_flush(stored) == NULL;
}

const char *stored_write(struct stored *stored, uint64_t position, const char *data, size_t length)
{
    struct write_pace pace = {.started = firmware_milliseconds()};
    const char *reason = NULL;
    while (pace.bytes < length && reason == NULL) {
        size_t left = length - pace.bytes, piece = piece_now(stored->volume);
        size_t count = left < piece ? left : piece;
        const char *from = data + pace.bytes;
        EFI_STATUS status = write_piece(stored->file, position + pace.bytes, from, count);
        reason = EFI_ERROR(status) ? firmware_status(status) : stored_flush(stored);
        if (reason == NULL)
            reason = compare_stored(stored, position + pace.bytes, from, count);
        if (looks_again(stored, reason))
            reason = compare_stored(stored, position + pace.bytes, from, count);
        pace.bytes += count;
        if (reason == NULL)
            reason = look_at_clock(stored->volume, &pace);
    }
    return reason;
}

const char *stored_fill(struct stored *stored, uint64_t position, uint64_t length)
{
    static char lines[PIECE_LEAST];
    struct write_pace pace = {.started = firmware_milliseconds()};
    const char *reason = NULL;
    memset(lines, '\n', sizeof lines);
    for (uint64_t flushed = 0; pace.bytes < length && reason == NULL;) {
        uint64_t left = length - pace.bytes;
        size_t count = left < sizeof lines ? (size_t)left : sizeof lines;
        EFI_STATUS status = write_piece(stored->file, position + pace.bytes, lines, count);
        pace.bytes += count;
        if (EFI_ERROR(status))
            return firmware_status(status);
        if (pace.bytes - flushed < piece_now(stored->volume) && pace.bytes < length)
            continue;
        stored->volume->filled += pace.bytes - flushed;
        flushed = pace.bytes;
        reason = stored_flush(stored);
        show_progress(stored->volume, &pace);
        if (reason == NULL)
            reason = look_at_clock(stored->volume, &pace);
    }
    return reason;
}

const char *stored_grow(struct stored *stored, uint64_t bytes)
{
    uint64_t from = stored->bytes;
    stored->unlocated = "it has grown";
    const char *reason = stored_fill(stored, from, bytes - from);
    if (reason == NULL)
        stored->bytes = bytes;
    return reason;
}

static const char *locate_now(struct stored *stored)
{
    struct fat *fat;
    struct fat_file file = {.extent = stored->extent, .extents_max = STORED_EXTENTS_MAX};
    const char *reason = stored->unlocated = volume_fat(stored->volume, &fat);
    if (reason != NULL)
        return NULL; /* without FAT or access to the sectors, only the firmware can read back */
    reason = fat_find(fat, stored->path, &file);
    stored->extents = file.extents;
    if (reason == NULL && (file.is_missing || file.bytes != stored->bytes))
        return LOST;
    stored->unlocated = reason;
    return NULL;
}

const char *stored_locate(struct stored *stored)
{
    const char *reason = locate_now(stored);
    return looks_again(stored, reason) ? locate_now(stored) : reason;
}

const char *stored_cut(struct stored *stored, uint64_t bytes)
{
    EFI_GUID guid = EFI_FILE_INFO_ID;
    EFI_FILE_INFO *info = volume_info(stored->file);
    if (info == NULL)
        return "the firmware does not tell how long it is";
    watchdog_feed();
    info->FileSize = bytes;
    EFI_STATUS status = stored->file->SetInfo(stored->file, &guid, info->Size, info);
    if (EFI_ERROR(status))
        return firmware_status(status);
    info = volume_info(stored->file);
    if (info == NULL || info->FileSize != bytes)
        return "the firmware does not make it shorter";
    stored->bytes = bytes;
    stored->unlocated = "it was cut";
    return NULL;
}

void stored_remove(struct stored *stored)
{
    watchdog_feed();
    if (stored->file != NULL || open_file(stored, 0) == EFI_SUCCESS)
        stored->file->Delete(stored->file);
    stored->file = NULL;
}

void stored_close(struct stored *stored)
{
    if (stored->file != NULL)
        stored->file->Close(stored->file);
    stored->file = NULL;
}

static const char *make_file_longer(struct stored *stored, size_t length)
{
    if (stored->bytes >= length)
        return NULL;
    if (volume_free(stored->volume) < ROOM_FOR_RESULTS)
        return firmware_status(EFI_VOLUME_FULL);
    return stored_grow(stored, length);
}

const char *stored_keep(struct volume *volume, const char *path, char *data, size_t length)
{
    static struct stored stored;
    size_t bytes = (length + STORED_UNIT - 1) / STORED_UNIT * STORED_UNIT;
    if (volume_obstacle(volume) != NULL)
        return volume_obstacle(volume);
    memset(data + length, ' ', bytes - length);
    if (bytes > length)
        data[bytes - 1] = '\n';
    const char *reason = stored_open(&stored, volume, path);
    if (reason == NULL)
        reason = make_file_longer(&stored, bytes);
    if (reason == NULL)
        reason = stored_locate(&stored);
    if (reason == NULL)
        reason = stored_write(&stored, 0, data, bytes);
    if (reason == NULL && stored.bytes > bytes)
        reason = stored_fill(&stored, bytes, stored.bytes - bytes);
    stored_close(&stored);
    return reason;
}

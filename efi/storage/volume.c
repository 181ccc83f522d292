/* volume: simple file system protocol, with every save read back. */
#include "volume.h"

#include <stdint.h>

#include "../../kernel/lib/string.h"
#include "../../kernel/lib/text.h"
#include "../../kernel/platform.h"
#include "../firmware.h"

#define NAME_MAX 128 /* of a path */
#define CREATE (EFI_FILE_MODE_READ | EFI_FILE_MODE_WRITE | EFI_FILE_MODE_CREATE)
#define INFO_BYTES 1024 /* of EFI_FILE_INFO with the longest FAT name */
#define RESULTS_LAST 9999
#define ENTRIES_MAX 65536 /* a FAT directory has no more: one whose chain is a ring never ends */
#define ROOM_NEEDED 65536 /* for two directories, in the largest clusters there are */
/*
 * A replaced file is padded with blanks to a multiple of this and rewritten in place: no cluster is
 * allocated, so that a power cut finds a clean file system, and mostly the old text or the new one.
 */
#define REPLACE_UNIT 8192
#define REPLACE_MAX (16 * REPLACE_UNIT) /* 64 memory modules alone may take half of it */

/* What the firmware fills in of a file, or of the whole volume. */
union info {
    EFI_FILE_INFO file;
    EFI_FILE_SYSTEM_INFO volume;
    uint8_t bytes[INFO_BYTES];
};

static EFI_FILE_HANDLE root, results;
#define NO_RESULTS "no results directory was made"

static const char *failure = "the volume was not opened";
static const char *results_failure = NO_RESULTS;
static char results_path[NAME_MAX];
static unsigned results_number;
static bool all_saved;

static void widen(CHAR16 *to, const char *from)
{
    size_t i = 0;
    for (; from[i] != '\0' && i < NAME_MAX - 1; i++)
        to[i] = (unsigned char)from[i];
    to[i] = 0;
}

static EFI_STATUS open_file(EFI_FILE_HANDLE directory, EFI_FILE_HANDLE *file, const char *name,
                            UINT64 mode, UINT64 attributes)
{
    CHAR16 wide[NAME_MAX];
    widen(wide, name);
    return directory->Open(directory, file, wide, mode, attributes);
}

const char *volume_open(void)
{
    EFI_GUID guid = EFI_SIMPLE_FILE_SYSTEM_PROTOCOL_GUID;
    EFI_LOADED_IMAGE *image = firmware_loaded_image();
    void *protocol = NULL;
    EFI_STATUS status = EFI_NOT_FOUND;
    if (image != NULL && image->DeviceHandle != NULL)
        status = firmware_boot->HandleProtocol(image->DeviceHandle, &guid, &protocol);
    if (!EFI_ERROR(status)) {
        EFI_FILE_IO_INTERFACE *volume = protocol;
        status = volume->OpenVolume(volume, &root);
    }
    failure = EFI_ERROR(status) ? firmware_status(status) : NULL;
    return failure;
}

bool volume_is_open(void)
{
    return failure == NULL;
}

static const EFI_FILE_INFO *info_of(EFI_FILE_HANDLE file)
{
    static union info buffer;
    EFI_GUID guid = EFI_FILE_INFO_ID;
    UINTN bytes = sizeof buffer;
    if (EFI_ERROR(file->GetInfo(file, &guid, &bytes, &buffer)))
        return NULL;
    return &buffer.file;
}

static bool is_directory(EFI_FILE_HANDLE file)
{
    const EFI_FILE_INFO *info = info_of(file);
    return info != NULL && info->Attribute & EFI_FILE_DIRECTORY;
}

/* UINT64_MAX when the firmware does not tell. */
static uint64_t size_of(EFI_FILE_HANDLE file)
{
    const EFI_FILE_INFO *info = info_of(file);
    return info != NULL ? info->FileSize : UINT64_MAX;
}

static void cut_to(EFI_FILE_HANDLE file, uint64_t size)
{
    EFI_GUID guid = EFI_FILE_INFO_ID;
    EFI_FILE_INFO *info = (EFI_FILE_INFO *)info_of(file);
    if (info == NULL)
        return;
    info->FileSize = size;
    file->SetInfo(file, &guid, info->Size, info);
}

const char *volume_read(const char *name, char *buffer, size_t room, size_t *length, bool *missing)
{
    EFI_FILE_HANDLE file;
    *length = 0;
    *missing = false;
    if (failure != NULL)
        return failure;
    EFI_STATUS status = open_file(root, &file, name, EFI_FILE_MODE_READ, 0);
    if (status == EFI_NOT_FOUND) {
        *missing = true;
        return NULL;
    }
    if (EFI_ERROR(status))
        return firmware_status(status);
    bool is_none = is_directory(file);
    uint64_t told = size_of(file), size = told != UINT64_MAX ? told : 0;
    UINTN bytes = room;
    status = is_none ? EFI_SUCCESS : file->Read(file, &bytes, buffer);
    file->Close(file);
    if (is_none)
        return "it is a directory";
    *length = size > bytes ? size : bytes;
    return EFI_ERROR(status) ? firmware_status(status) : NULL;
}

typedef void seen(void *context, const EFI_FILE_INFO *entry);

/* Shows all entries of a directory. NULL, or why not all were seen. */
static const char *look_through(EFI_FILE_HANDLE directory, seen *see, void *context)
{
    static union info entry;
    for (unsigned i = 0; i < ENTRIES_MAX; i++) {
        UINTN bytes = sizeof entry;
        EFI_STATUS status = directory->Read(directory, &bytes, &entry);
        if (EFI_ERROR(status))
            return firmware_status(status);
        if (bytes == 0)
            return NULL;
        see(context, &entry.file);
    }
    return "the directory does not end; have the volume checked";
}

/* A directory's listing, for whoever wants the names. */
struct lister {
    volume_file *file;
    void *context;
};

static void show_file(void *context, const EFI_FILE_INFO *entry)
{
    const struct lister *lister = context;
    if (!(entry->Attribute & EFI_FILE_DIRECTORY))
        lister->file(lister->context, entry->FileName);
}

const char *volume_list(const char *directory, volume_file *file, void *context)
{
    struct lister lister = {file, context};
    EFI_FILE_HANDLE handle;
    if (failure != NULL)
        return failure;
    EFI_STATUS status = open_file(root, &handle, directory, EFI_FILE_MODE_READ, 0);
    if (status == EFI_NOT_FOUND)
        return NULL;
    if (EFI_ERROR(status))
        return firmware_status(status);
    const char *reason =
        is_directory(handle) ? look_through(handle, show_file, &lister) : "it is no directory";
    handle->Close(handle);
    return reason;
}

/* 1 to 9999 for a name of four digits, else 0. */
static unsigned number_of(const CHAR16 *name)
{
    unsigned number = 0, digits = 0;
    for (; name[digits] >= '0' && name[digits] <= '9' && digits < 4; digits++)
        number = number * 10 + (name[digits] - '0');
    return digits == 4 && name[digits] == 0 ? number : 0;
}

static void take_highest(void *highest, const EFI_FILE_INFO *entry)
{
    unsigned number = number_of(entry->FileName);
    if (number > *(unsigned *)highest)
        *(unsigned *)highest = number;
}

/* edk2's driver, when no cluster is left for a new directory, leaves a broken entry for it. */
static bool has_room(uint64_t needed)
{
    static union info buffer;
    EFI_GUID guid = EFI_FILE_SYSTEM_INFO_ID;
    UINTN bytes = sizeof buffer;
    return EFI_ERROR(root->GetInfo(root, &guid, &bytes, &buffer)) ||
           buffer.volume.FreeSpace >= needed;
}

static EFI_STATUS open_all_results(EFI_FILE_HANDLE *all)
{
    EFI_STATUS status = open_file(root, all, "results", EFI_FILE_MODE_READ, 0);
    if (status != EFI_NOT_FOUND)
        return status;
    return open_file(root, all, "results", CREATE, EFI_FILE_DIRECTORY);
}

/* The first free number behind the highest. NULL, or the reason why there is none. */
static const char *find_number(unsigned *number)
{
    EFI_FILE_HANDLE all;
    EFI_STATUS status = open_all_results(&all);
    if (EFI_ERROR(status))
        return firmware_status(status);
    *number = 0;
    const char *reason = is_directory(all) ? look_through(all, take_highest, number)
                                           : "\\results is there, and no directory";
    all->Close(all);
    (*number)++;
    return reason;
}

static const char *make_results(void)
{
    unsigned number;
    if (!has_room(ROOM_NEEDED))
        return firmware_status(EFI_VOLUME_FULL);
    const char *reason = find_number(&number);
    if (reason != NULL)
        return reason;
    /* To open with "create" what exists would succeed: make sure, the listing may have lied. */
    for (; number <= RESULTS_LAST; number++) {
        text_write(results_path, sizeof results_path, "\\results\\%04u", number);
        results_number = number;
        EFI_STATUS status = open_file(root, &results, results_path, EFI_FILE_MODE_READ, 0);
        if (status == EFI_NOT_FOUND)
            status = open_file(root, &results, results_path, CREATE, EFI_FILE_DIRECTORY);
        else if (!EFI_ERROR(status)) {
            results->Close(results);
            continue;
        }
        return EFI_ERROR(status) ? firmware_status(status) : NULL;
    }
    return "\\results\\9999 is there, the last number there is; take old results off the volume";
}

const char *volume_start_results(void)
{
    results_failure = failure != NULL ? failure : make_results();
    all_saved = results_failure == NULL;
    if (results_failure == NULL) {
        results->Flush(results);
        return NULL;
    }
    results_path[0] = '\0';
    results_number = 0;
    return results_failure;
}

void volume_end_results(void)
{
    if (results_failure == NULL)
        results->Close(results);
    results_failure = NO_RESULTS;
    results_path[0] = '\0';
    results_number = 0;
}

unsigned volume_results_number(void)
{
    return results_number;
}

const char *volume_results_name(void)
{
    return results_path;
}

void volume_give_up(const char *reason)
{
    failure = results_failure = reason;
}

/* Whether the file holds `data` from `position` on. */
static bool reads_back(EFI_FILE_HANDLE directory, const char *name, uint64_t position,
                       const char *data, size_t length)
{
    EFI_FILE_HANDLE file;
    static char chunk[16384];
    if (EFI_ERROR(open_file(directory, &file, name, EFI_FILE_MODE_READ, 0)))
        return false;
    bool same = !EFI_ERROR(file->SetPosition(file, position));
    for (size_t done = 0; same && done < length;) {
        UINTN bytes = length - done < sizeof chunk ? length - done : sizeof chunk;
        UINTN wanted = bytes;
        same = !EFI_ERROR(file->Read(file, &bytes, chunk)) && bytes == wanted &&
               memcmp(chunk, data + done, bytes) == 0;
        done += wanted;
    }
    file->Close(file);
    return same;
}

static EFI_STATUS write_all(EFI_FILE_HANDLE file, uint64_t position, const char *data,
                            size_t length)
{
    UINTN bytes = length;
    EFI_STATUS status = file->SetPosition(file, position);
    if (!EFI_ERROR(status))
        status = file->Write(file, &bytes, (void *)data);
    if (!EFI_ERROR(status) && bytes != length)
        status = EFI_VOLUME_FULL;
    if (!EFI_ERROR(status))
        status = file->Flush(file);
    return status;
}

/* Writes at the end of the file, or at its start. */
static const char *save(EFI_FILE_HANDLE directory, const char *name, const char *data,
                        size_t length, bool at_end)
{
    EFI_FILE_HANDLE file;
    EFI_STATUS status = open_file(directory, &file, name, CREATE, 0);
    if (EFI_ERROR(status))
        return firmware_status(status);
    uint64_t size = size_of(file);
    if (size == UINT64_MAX)
        status = EFI_DEVICE_ERROR;
    uint64_t position = at_end ? size : 0;
    if (!EFI_ERROR(status))
        status = write_all(file, position, data, length);
    if (EFI_ERROR(status) && size != UINT64_MAX && size_of(file) > size)
        cut_to(file, size);
    file->Close(file);
    if (EFI_ERROR(status))
        return firmware_status(status);
    return reads_back(directory, name, position, data, length) ? NULL
                                                               : "it does not read back as written";
}

/* Whether all could be saved is known at the end. */
static const char *noted(const char *reason)
{
    all_saved &= reason == NULL;
    return reason;
}

const char *volume_append(const char *name, const char *data, size_t length)
{
    return noted(results_failure != NULL ? results_failure
                                         : save(results, name, data, length, true));
}

const char *volume_append_copy(const char *name, const char *data, size_t length)
{
    if (results_failure != NULL)
        return results_failure;
    return has_room(length + PLATFORM_ROOM_KEPT) ? save(results, name, data, length, true)
                                                 : PLATFORM_NO_ROOM;
}

/* 0 where the file does not exist. */
static uint64_t size_by_name(EFI_FILE_HANDLE directory, const char *name)
{
    EFI_FILE_HANDLE file;
    if (EFI_ERROR(open_file(directory, &file, name, EFI_FILE_MODE_READ, 0)))
        return 0;
    uint64_t size = size_of(file);
    file->Close(file);
    return size;
}

/* Writes it whole, in place where it exists. */
static const char *rewrite(EFI_FILE_HANDLE directory, const char *name, const char *data,
                           size_t length)
{
    static char padded[REPLACE_MAX];
    size_t total = (length + REPLACE_UNIT - 1) / REPLACE_UNIT * REPLACE_UNIT;
    uint64_t size = size_by_name(directory, name);
    if (total < size)
        total = size; /* what the longer text before left is overwritten, too */
    if (total > sizeof padded)
        return "it is larger than was planned for";
    memcpy(padded, data, length);
    memset(padded + length, ' ', total - length);
    if (total > length)
        padded[total - 1] = '\n';
    return save(directory, name, padded, total, false);
}

const char *volume_replace(const char *name, const char *data, size_t length)
{
    return noted(results_failure != NULL ? results_failure : rewrite(results, name, data, length));
}

const char *volume_keep(const char *name, const char *data, size_t length)
{
    if (failure != NULL)
        return failure;
    /* What room there is left is for results. */
    if (size_by_name(root, name) == 0 && !has_room(ROOM_NEEDED + REPLACE_MAX))
        return firmware_status(EFI_VOLUME_FULL);
    return rewrite(root, name, data, length);
}

bool volume_has_results(void)
{
    return results_failure == NULL && all_saved;
}

void volume_close(void)
{
    volume_end_results();
    if (failure == NULL)
        root->Close(root);
    failure = "the volume was closed";
}

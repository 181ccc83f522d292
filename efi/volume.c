/* volume: simple file system protocol, with every save read back. */
#include "volume.h"

#include <stdint.h>

#include "../kernel/lib/string.h"
#include "../kernel/lib/text.h"
#include "firmware.h"

#define NAME_MAX 64
#define INFO_BYTES 1024 /* of EFI_FILE_INFO with the longest FAT name */
#define RESULTS_LAST 9999
#define ROOM_NEEDED 65536 /* for two directories, in the largest clusters there are */
/*
 * A replaced file is padded with blanks to a multiple of this and rewritten in place: no cluster is
 * allocated, so that a power cut finds a clean file system, and mostly the old text or the new one.
 */
#define REPLACE_UNIT 8192
#define REPLACE_MAX (8 * REPLACE_UNIT)

/* What the firmware fills in of a file, or of the whole volume. */
union info {
    EFI_FILE_INFO file;
    EFI_FILE_SYSTEM_INFO volume;
    uint8_t bytes[INFO_BYTES];
};

static EFI_FILE_HANDLE root, results;
static const char *failure = "the volume was not opened";
static const char *results_failure = "no results directory was made";
static char results_path[NAME_MAX];

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

static const EFI_FILE_INFO *info_of(EFI_FILE_HANDLE file)
{
    static union info buffer;
    EFI_GUID guid = EFI_FILE_INFO_ID;
    UINTN bytes = sizeof buffer;
    if (EFI_ERROR(file->GetInfo(file, &guid, &bytes, &buffer)))
        return NULL;
    return &buffer.file;
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
    const EFI_FILE_INFO *info = info_of(file);
    bool is_directory = info != NULL && info->Attribute & EFI_FILE_DIRECTORY;
    uint64_t size = info != NULL ? info->FileSize : 0;
    UINTN bytes = room;
    status = is_directory ? EFI_SUCCESS : file->Read(file, &bytes, buffer);
    file->Close(file);
    if (is_directory)
        return "it is a directory";
    *length = size > bytes ? size : bytes;
    return EFI_ERROR(status) ? firmware_status(status) : NULL;
}

/* 1 to 9999 for a name of four digits, else 0. */
static unsigned number_of(const CHAR16 *name)
{
    unsigned number = 0, digits = 0;
    for (; name[digits] >= '0' && name[digits] <= '9' && digits < 4; digits++)
        number = number * 10 + (name[digits] - '0');
    return digits == 4 && name[digits] == 0 ? number : 0;
}

static unsigned highest_number(EFI_FILE_HANDLE directory)
{
    static union info entry;
    unsigned highest = 0;
    for (;;) {
        UINTN bytes = sizeof entry;
        if (EFI_ERROR(directory->Read(directory, &bytes, &entry)) || bytes == 0)
            return highest;
        unsigned number = number_of(entry.file.FileName);
        if (number > highest)
            highest = number;
    }
}

/* edk2's driver, when no cluster is left for a new directory, leaves a broken entry for it. */
static bool has_room(void)
{
    static union info buffer;
    EFI_GUID guid = EFI_FILE_SYSTEM_INFO_ID;
    UINTN bytes = sizeof buffer;
    return EFI_ERROR(root->GetInfo(root, &guid, &bytes, &buffer)) ||
           buffer.volume.FreeSpace >= ROOM_NEEDED;
}

static EFI_STATUS make_results(void)
{
    EFI_FILE_HANDLE all;
    UINT64 create = EFI_FILE_MODE_READ | EFI_FILE_MODE_WRITE | EFI_FILE_MODE_CREATE;
    if (!has_room())
        return EFI_VOLUME_FULL;
    EFI_STATUS status = open_file(root, &all, "results", EFI_FILE_MODE_READ, 0);
    if (status == EFI_NOT_FOUND)
        status = open_file(root, &all, "results", create, EFI_FILE_DIRECTORY);
    if (EFI_ERROR(status))
        return status;
    unsigned number = highest_number(all) + 1;
    all->Close(all);
    /* To open with "create" what exists would succeed: make sure, the listing may have failed. */
    for (; number <= RESULTS_LAST; number++) {
        text_write(results_path, sizeof results_path, "\\results\\%04u", number);
        status = open_file(root, &results, results_path, EFI_FILE_MODE_READ, 0);
        if (status == EFI_NOT_FOUND)
            return open_file(root, &results, results_path, create, EFI_FILE_DIRECTORY);
        if (EFI_ERROR(status))
            return status;
        results->Close(results);
    }
    return EFI_VOLUME_FULL;
}

const char *volume_start_results(void)
{
    results_failure = failure;
    if (failure != NULL)
        return failure;
    EFI_STATUS status = make_results();
    if (EFI_ERROR(status)) {
        results_path[0] = '\0';
        results_failure = firmware_status(status);
        return results_failure;
    }
    results->Flush(results);
    return NULL;
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
static bool reads_back(const char *name, uint64_t position, const char *data, size_t length)
{
    EFI_FILE_HANDLE file;
    char chunk[512];
    if (EFI_ERROR(open_file(results, &file, name, EFI_FILE_MODE_READ, 0)))
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
static const char *save(const char *name, const char *data, size_t length, bool at_end)
{
    EFI_FILE_HANDLE file;
    EFI_STATUS status = open_file(
        results, &file, name, EFI_FILE_MODE_READ | EFI_FILE_MODE_WRITE | EFI_FILE_MODE_CREATE, 0);
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
    return reads_back(name, position, data, length) ? NULL : "it does not read back as written";
}

const char *volume_append(const char *name, const char *data, size_t length)
{
    return results_failure != NULL ? results_failure : save(name, data, length, true);
}

/* 0 where the file does not exist. */
static uint64_t size_by_name(const char *name)
{
    EFI_FILE_HANDLE file;
    if (EFI_ERROR(open_file(results, &file, name, EFI_FILE_MODE_READ, 0)))
        return 0;
    uint64_t size = size_of(file);
    file->Close(file);
    return size;
}

const char *volume_replace(const char *name, const char *data, size_t length)
{
    static char padded[REPLACE_MAX];
    if (results_failure != NULL)
        return results_failure;
    size_t total = (length + REPLACE_UNIT - 1) / REPLACE_UNIT * REPLACE_UNIT;
    uint64_t size = size_by_name(name);
    if (total < size)
        total = size; /* what the longer text before left is overwritten, too */
    if (total > sizeof padded)
        return "it is larger than was planned for";
    memcpy(padded, data, length);
    memset(padded + length, ' ', total - length);
    if (total > length)
        padded[total - 1] = '\n';
    return save(name, padded, total, false);
}

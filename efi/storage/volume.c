/* volume: simple file system protocol, and Block I/O of the same handle. */
#include "volume.h"

#include "../../kernel/lib/string.h"
#include "../../kernel/lib/text.h"
#include "../firmware.h"
#include "../watchdog.h"

#define INFO_BYTES 1024   /* of EFI_FILE_INFO with the longest FAT name */
#define ENTRIES_MAX 65536 /* a FAT folder has no more: one whose chain is a ring never ends */
#define BLOCK_BYTES_MAX 4096
#define NO_SECTORS "the firmware shows no sectors of it"

/* Room for the firmware's description of a file, or of the whole volume. */
union info {
    EFI_FILE_INFO file;
    EFI_FILE_SYSTEM_INFO volume;
    uint8_t bytes[INFO_BYTES];
};

static const char *all_given_up;
static struct fat fat;
static uint8_t sectors[FAT_WINDOW] __attribute__((aligned(4096)));

static void widen(CHAR16 *to, const char *from)
{
    size_t i = 0;
    for (; from[i] != '\0' && i < VOLUME_PATH_MAX - 1; i++)
        to[i] = from[i] == '/' ? '\\' : (unsigned char)from[i];
    to[i] = 0;
}

const char *volume_obstacle(const struct volume *volume)
{
    return all_given_up != NULL ? all_given_up : volume->closed;
}

void volume_give_up(struct volume *volume, const char *reason)
{
    volume->closed = reason;
}

void volume_give_up_all(const char *reason)
{
    all_given_up = reason;
}

/* Returns the way to sectors, asked for each time: a pulled stick takes it away. NULL: no way. */
static EFI_BLOCK_IO *blocks_of(const struct volume *volume)
{
    EFI_BLOCK_IO *blocks = firmware_protocol(volume->handle, &(EFI_GUID)EFI_BLOCK_IO_PROTOCOL_GUID);
    bool is_usable = blocks != NULL && blocks->Media->MediaPresent &&
                     blocks->Media->BlockSize >= 512 &&
                     blocks->Media->BlockSize <= BLOCK_BYTES_MAX &&
                     (blocks->Media->BlockSize & (blocks->Media->BlockSize - 1)) == 0;
    return is_usable ? blocks : NULL;
}

static uint64_t bytes_of(const EFI_BLOCK_IO *blocks)
{
    return (blocks->Media->LastBlock + 1) * blocks->Media->BlockSize;
}

#define IN_MEMORY "it is a RAM disk: what it holds is gone when power is"

/*
 * Kinds of devices that are no place for results, by the type and subtype of a node of the device
 * path; UEFI 2.10, 10.3.5.9, 10.3.2.3 and 10.3.5.2. A USB drive's disc, such as a BMC's virtual
 * media, does not report its write protection: trying to write takes a minute and fails.
 */
static const struct {
    uint16_t kind;
    const char *reason;
} unfit_kinds[] = {
    {0x0409, IN_MEMORY}, /* a RAM disk */
    {0x0103, IN_MEMORY}, /* hardware that is mapped into memory */
    {0x0402, "it is a disc, which cannot be written to"},
};

/* Returns why a device is unfit by its path; NULL: its path shows no unfit kind. */
static const char *unfit_by_path(EFI_HANDLE handle)
{
    const EFI_DEVICE_PATH *node =
        firmware_protocol(handle, &(EFI_GUID)EFI_DEVICE_PATH_PROTOCOL_GUID);
    for (; node != NULL; node = firmware_next_node(node)) {
        unsigned kind = (unsigned)node->Type << 8 | node->SubType;
        for (unsigned i = 0; i < sizeof unfit_kinds / sizeof *unfit_kinds; i++)
            if (kind == unfit_kinds[i].kind)
                return unfit_kinds[i].reason;
    }
    return NULL;
}

/* True if a name in what the firmware gave has an end there. */
static bool ends_within(const CHAR16 *name, const union info *info)
{
    const CHAR16 *end = (const CHAR16 *)(info + 1);
    while (name < end && *name != 0)
        name++;
    return name < end;
}

static const EFI_FILE_SYSTEM_INFO *system_info(const struct volume *volume)
{
    static union info buffer;
    EFI_GUID guid = EFI_FILE_SYSTEM_INFO_ID;
    UINTN bytes = sizeof buffer;
    if (EFI_ERROR(volume->root->GetInfo(volume->root, &guid, &bytes, &buffer)) ||
        !ends_within(buffer.volume.VolumeLabel, &buffer))
        return NULL;
    return &buffer.volume;
}

/* Names a marked volume by its label. */
static void name_it(struct volume *volume)
{
    const EFI_FILE_SYSTEM_INFO *info = system_info(volume);
    struct text name;
    text_init(&name, volume->name, sizeof volume->name);
    text_printf(&name, "the marked volume ");
    for (unsigned i = 0; info != NULL && info->VolumeLabel[i] != 0; i++)
        text_char(&name, info->VolumeLabel[i] >= ' ' && info->VolumeLabel[i] < 0x7f
                             ? (char)info->VolumeLabel[i]
                             : '?');
}

/* True if QEMU makes the volume of a folder (block/vvfat.c): it shows what it was given, and keeps
 * something else. */
static bool is_made_of_folder(const EFI_FILE_SYSTEM_INFO *info)
{
    static const CHAR16 label[] = {'Q', 'E', 'M', 'U', ' ', 'V', 'V', 'F', 'A', 'T'};
    return memcmp(info->VolumeLabel, label, sizeof label) == 0;
}

/* Finds why nothing that is written there would stay; NULL if it would. */
static const char *find_unfit(const struct volume *volume)
{
    const EFI_BLOCK_IO *blocks = blocks_of(volume);
    const char *reason = unfit_by_path(volume->handle);
    return reason == NULL && blocks != NULL && blocks->Media->ReadOnly
               ? firmware_status(EFI_WRITE_PROTECTED)
               : reason;
}

static const char *open_root(struct volume *volume)
{
    EFI_STATUS status = EFI_NOT_FOUND;
    EFI_FILE_IO_INTERFACE *system =
        firmware_protocol(volume->handle, &(EFI_GUID)EFI_SIMPLE_FILE_SYSTEM_PROTOCOL_GUID);
    watchdog_feed();
    if (system != NULL)
        status = system->OpenVolume(system, &volume->root);
    if (EFI_ERROR(status) || volume->root == NULL) {
        volume->root = NULL;
        return firmware_status(status);
    }
    const EFI_FILE_SYSTEM_INFO *info = system_info(volume);
    if (volume->unfit == NULL && info != NULL && info->ReadOnly)
        volume->unfit = firmware_status(EFI_WRITE_PROTECTED);
    if (volume->unfit == NULL && info != NULL && is_made_of_folder(info))
        volume->unfit = "QEMU makes it of a folder, and loses what is written: use an image";
    return NULL;
}

/* Walks the folders that the firmware is to read and to write, before it does. */
static const char *walk_folders(struct volume *volume, struct fat *found)
{
    volume->is_dirty = found->is_dirty;
    if (volume->unfit == NULL)
        volume->unfit = fat_folder_ends(found, VOLUME_RESULTS);
    return fat_folder_ends(found, "\\");
}

static void begin_volume(struct volume *volume, EFI_HANDLE handle, const char *name)
{
    *volume = (struct volume){.handle = handle};
    const EFI_BLOCK_IO *blocks = blocks_of(volume);
    volume->medium = blocks != NULL ? blocks->Media->MediaId : 0;
    volume->unfit = find_unfit(volume);
    text_write(volume->name, sizeof volume->name, "%s", name);
}

static const char *end_open(struct volume *volume, const char *reason)
{
    if (reason != NULL)
        volume->closed = volume->unfit = reason;
    return reason;
}

/* True if the volume has that folder or file. */
static bool has(const struct volume *volume, const char *path, bool is_folder)
{
    EFI_FILE_HANDLE file;
    if (EFI_ERROR(volume_find(volume, &file, path, EFI_FILE_MODE_READ, 0)))
        return false;
    bool is_found = volume_is_folder(file) == is_folder;
    file->Close(file);
    return is_found;
}

const char *volume_open_own(struct volume *volume, EFI_HANDLE handle)
{
    struct fat *found;
    const char *reason = NULL;
    begin_volume(volume, handle, "the volume booted from");
    if (volume_fat(volume, &found) == NULL)
        reason = walk_folders(volume, found);
    if (reason == NULL)
        reason = open_root(volume);
    if (reason == NULL && volume->unfit == NULL && !has(volume, VOLUME_RESULTS, true) &&
        !has(volume, VOLUME_MARKER, false))
        volume->unfit = "it has no folder " VOLUME_RESULTS;
    return end_open(volume, reason);
}

/* Looks for names that editors and desktops make of the marker's. NULL: the volume has none. */
static const char *find_misnamed(struct volume *volume, struct fat *found)
{
    static const char *const endings[] = {".txt", ".rtf", ".md"};
    for (unsigned i = 0; i < sizeof endings / sizeof *endings; i++) {
        struct fat_file file = {.extents_max = 0};
        char path[VOLUME_PATH_MAX];
        text_write(path, sizeof path, VOLUME_MARKER "%s", endings[i]);
        if (fat_find(found, path, &file) == NULL && !file.is_missing)
            return text_write(volume->words, sizeof volume->words,
                              "%s is no mark; it has to be named " VOLUME_MARKER, path);
    }
    return NULL;
}

const char *volume_open_marked(struct volume *volume, EFI_HANDLE handle)
{
    struct fat_file marker = {.extents_max = 0};
    struct fat *found;
    begin_volume(volume, handle, "a marked volume");
    const char *reason = volume_fat(volume, &found);
    if (reason == NULL)
        fat_find(found, VOLUME_MARKER, &marker);
    const char *misnamed =
        reason == NULL && marker.is_missing ? find_misnamed(volume, found) : NULL;
    volume->is_marked = misnamed != NULL || (reason == NULL && !marker.is_missing);
    if (misnamed != NULL)
        text_write(volume->name, sizeof volume->name, "another volume");
    if (!volume->is_marked || misnamed != NULL)
        return end_open(volume, misnamed ?: "it is not marked");
    if (marker.is_directory)
        volume->unfit = VOLUME_MARKER " is a directory, and has to be a file";
    reason = walk_folders(volume, found);
    if (reason == NULL)
        reason = volume->unfit != NULL ? volume->unfit : open_root(volume);
    if (reason == NULL)
        name_it(volume);
    return end_open(volume, reason);
}

void volume_close(struct volume *volume)
{
    if (volume->root != NULL)
        volume->root->Close(volume->root);
    volume->root = NULL;
    volume->closed = volume->unfit = "the volume was closed";
}

EFI_STATUS volume_find(const struct volume *volume, EFI_FILE_HANDLE *file, const char *path,
                       UINT64 mode, UINT64 attributes)
{
    CHAR16 wide[VOLUME_PATH_MAX];
    widen(wide, path);
    *file = NULL;
    EFI_STATUS status = volume->root->Open(volume->root, file, wide, mode, attributes);
    return !EFI_ERROR(status) && *file == NULL ? EFI_DEVICE_ERROR : status;
}

EFI_FILE_INFO *volume_info(EFI_FILE_HANDLE file)
{
    static union info buffer;
    EFI_GUID guid = EFI_FILE_INFO_ID;
    UINTN bytes = sizeof buffer;
    if (EFI_ERROR(file->GetInfo(file, &guid, &bytes, &buffer)))
        return NULL;
    return &buffer.file;
}

bool volume_is_folder(EFI_FILE_HANDLE file)
{
    const EFI_FILE_INFO *info = volume_info(file);
    return info != NULL && info->Attribute & EFI_FILE_DIRECTORY;
}

const char *volume_read(const struct volume *volume, const char *path, char *buffer, size_t room,
                        size_t *length, bool *missing)
{
    EFI_FILE_HANDLE file;
    *length = 0;
    *missing = false;
    if (volume_obstacle(volume) != NULL)
        return volume_obstacle(volume);
    EFI_STATUS status = volume_find(volume, &file, path, EFI_FILE_MODE_READ, 0);
    if (status == EFI_NOT_FOUND) {
        *missing = true;
        return NULL;
    }
    if (EFI_ERROR(status))
        return firmware_status(status);
    bool is_none = volume_is_folder(file);
    const EFI_FILE_INFO *info = volume_info(file);
    uint64_t size = info != NULL ? info->FileSize : 0;
    UINTN bytes = room;
    status = is_none ? EFI_SUCCESS : file->Read(file, &bytes, buffer);
    file->Close(file);
    if (is_none)
        return "it is a directory";
    if (!EFI_ERROR(status) && (bytes > room || (bytes < room && bytes < size)))
        return "the firmware read another number of bytes than the file has";
    *length = size > bytes ? size : bytes;
    return EFI_ERROR(status) ? firmware_status(status) : NULL;
}

const char *volume_look_through(EFI_FILE_HANDLE folder, volume_entry *see, void *context)
{
    static union info entry;
    for (unsigned i = 0; i < ENTRIES_MAX; i++) {
        UINTN bytes = sizeof entry;
        EFI_STATUS status = folder->Read(folder, &bytes, &entry);
        if (EFI_ERROR(status))
            return firmware_status(status);
        if (bytes == 0)
            return NULL;
        if (!ends_within(entry.file.FileName, &entry))
            return "the firmware gives an entry that does not end";
        see(context, &entry.file);
    }
    return "the directory does not end; have the volume checked";
}

/* A folder's listing, for whoever wants the names. */
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

const char *volume_list(const struct volume *volume, const char *path, volume_file *file,
                        void *context)
{
    struct lister lister = {file, context};
    EFI_FILE_HANDLE folder;
    if (volume_obstacle(volume) != NULL)
        return volume_obstacle(volume);
    EFI_STATUS status = volume_find(volume, &folder, path, EFI_FILE_MODE_READ, 0);
    if (status == EFI_NOT_FOUND)
        return NULL;
    if (EFI_ERROR(status))
        return firmware_status(status);
    const char *reason = volume_is_folder(folder) ? volume_look_through(folder, show_file, &lister)
                                                  : "it is no directory";
    folder->Close(folder);
    return reason;
}

uint64_t volume_free(const struct volume *volume)
{
    const EFI_FILE_SYSTEM_INFO *info = system_info(volume);
    return info != NULL ? info->FreeSpace : UINT64_MAX;
}

/* --- sectors --- */

static const char *read_sectors(void *context, uint64_t at, void *to, size_t length)
{
    const struct volume *volume = context;
    EFI_BLOCK_IO *blocks = blocks_of(volume);
    if (blocks == NULL)
        return NO_SECTORS;
    watchdog_feed();
    EFI_STATUS status =
        blocks->ReadBlocks(blocks, volume->medium, at / blocks->Media->BlockSize, length, to);
    return EFI_ERROR(status) ? firmware_status(status) : NULL;
}

const char *volume_fat(const struct volume *volume, struct fat **opened)
{
    EFI_BLOCK_IO *blocks = blocks_of(volume);
    if (blocks == NULL)
        return NO_SECTORS;
    *opened = &fat;
    return fat_open(&fat, &(struct fat_disk){
                              .read = read_sectors,
                              .context = (void *)volume,
                              .bytes = bytes_of(blocks),
                          });
}

const char *volume_compare(const struct volume *volume, uint64_t at, const char *data,
                           size_t length, bool *same)
{
    *same = true;
    for (size_t done = 0; done < length && *same;) {
        uint64_t from = (at + done) & ~(uint64_t)(BLOCK_BYTES_MAX - 1);
        size_t before = (size_t)(at + done - from), count = sizeof sectors - before;
        EFI_BLOCK_IO *blocks = blocks_of(volume);
        if (blocks == NULL)
            return "there is no medium";
        if (count > length - done)
            count = length - done;
        size_t wanted = (before + count + BLOCK_BYTES_MAX - 1) & ~(size_t)(BLOCK_BYTES_MAX - 1);
        if (from + wanted > bytes_of(blocks))
            wanted = (size_t)(bytes_of(blocks) - from);
        const char *reason = read_sectors((void *)volume, from, sectors, wanted);
        if (reason != NULL)
            return reason;
        *same = memcmp(sectors + before, data + done, count) == 0;
        done += count;
    }
    return NULL;
}

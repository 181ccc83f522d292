/* folder: makes numbered folders, and files whose clusters are allocated beforehand. */
#include "folder.h"

#include "../../kernel/lib/string.h"
#include "../../kernel/lib/text.h"
#include "../../kernel/platform.h"
#include "../console.h"
#include "../firmware.h"

#define SLACK (64u << 10)
#define RESULTS_LAST 9999
#define NO_NUMBER                                                                                  \
    VOLUME_RESULTS "\\9999 is there, the last number there is; take old results off the volume"
#define SPARE "run.bak"
#define ROOM_FOR_FOLDERS 65536 /* two folders, in the largest clusters */
#define CREATE (EFI_FILE_MODE_READ | EFI_FILE_MODE_WRITE | EFI_FILE_MODE_CREATE)

/* --- its number --- */

/* Returns 1 to 9999 for a name of four digits, else 0. */
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

/* Finds the first free number after the highest. Returns NULL, or why no number is free. */
static const char *find_number(struct folder *f)
{
    EFI_FILE_HANDLE all;
    EFI_STATUS status = volume_find(f->volume, &all, VOLUME_RESULTS, EFI_FILE_MODE_READ, 0);
    const char *reason = NULL;
    f->number = 0;
    if (!EFI_ERROR(status)) {
        reason = volume_is_folder(all) ? volume_look_through(all, take_highest, &f->number)
                                       : VOLUME_RESULTS " is there, and no directory";
        all->Close(all);
    } else if (status != EFI_NOT_FOUND) {
        reason = firmware_status(status);
    }
    if (reason == NULL && ++f->number > RESULTS_LAST)
        reason = NO_NUMBER;
    return reason;
}

static const char *make(struct folder *f)
{
    EFI_FILE_HANDLE handle;
    EFI_STATUS status = volume_find(f->volume, &handle, VOLUME_RESULTS, EFI_FILE_MODE_READ, 0);
    if (status == EFI_NOT_FOUND)
        status = volume_find(f->volume, &handle, VOLUME_RESULTS, CREATE, EFI_FILE_DIRECTORY);
    if (EFI_ERROR(status))
        return firmware_status(status);
    handle->Close(handle);
    /* Makes sure that the name is free: the listing may be wrong, and opening with "create"
     * succeeds for existing files. */
    for (; f->number <= RESULTS_LAST; f->number++) {
        text_write(f->path, sizeof f->path, VOLUME_RESULTS "\\%04u", f->number);
        status = volume_find(f->volume, &handle, f->path, EFI_FILE_MODE_READ, 0);
        f->is_ours = status == EFI_NOT_FOUND;
        if (f->is_ours)
            status = volume_find(f->volume, &handle, f->path, CREATE, EFI_FILE_DIRECTORY);
        if (EFI_ERROR(status))
            return firmware_status(status);
        handle->Close(handle);
        if (f->is_ours)
            return NULL;
    }
    return NO_NUMBER;
}

/* --- its files --- */

/* Tries it with a file of one byte. */
static bool can_cut(struct stored *file)
{
    return stored_grow(file, 1) == NULL && stored_cut(file, 0) == NULL;
}

static const char *allocate_file(struct folder *f, const struct place_file *place_file)
{
    struct folder_file *file = &f->file[f->files++];
    char path[VOLUME_PATH_MAX];
    *file = (struct folder_file){.file = place_file};
    text_write(path, sizeof path, "%s\\%s", f->path, place_file->name);
    const char *reason = stored_open(&file->stored, f->volume, path);
    if (reason == NULL && f->files == 1)
        f->cannot_cut = !can_cut(&file->stored);
    return reason != NULL || f->cannot_cut
               ? reason
               : stored_grow(&file->stored, place_file->planned + SLACK);
}

static uint64_t needed(const struct place_file *file, unsigned files, bool no_copies)
{
    uint64_t bytes = ROOM_FOR_FOLDERS;
    for (unsigned i = 0; i < files; i++)
        if (!(file[i].is_copy && no_copies))
            bytes += (file[i].planned + SLACK) * (file[i].is_rewritten ? 2 : 1);
    return bytes;
}

/* Leaves out copies of other files if they do not fit. */
static const char *look_for_room(struct folder *f, const struct place_file *file, unsigned files)
{
    uint64_t there = volume_free(f->volume);
    f->place.no_copies = there < needed(file, files, false) + PLATFORM_ROOM_KEPT;
    uint64_t bytes = needed(file, files, f->place.no_copies);
    if (there >= bytes) {
        console_printf(" reserving %lu KB ...", (unsigned long)(bytes >> 10));
        f->volume->filled = 0;
        return NULL;
    }
    return text_write(f->words, sizeof f->words,
                      "the volume is full: %lu KB are free, and this run may need %lu KB",
                      (unsigned long)(there >> 10), (unsigned long)(bytes >> 10));
}

static const char *make_files(struct folder *f, const struct place_file *file, unsigned files)
{
    const char *reason = make(f);
    for (unsigned i = 0; i < files && reason == NULL; i++) {
        if (!(file[i].is_copy && f->place.no_copies))
            reason = allocate_file(f, &file[i]);
        if (reason == NULL && file[i].is_rewritten) {
            f->spare = (struct place_file){.name = SPARE, .planned = file[i].planned};
            reason = allocate_file(f, &f->spare);
        }
    }
    return reason;
}

/* Locates the files on the medium, which also shows that their folder entries are written. */
static const char *locate(struct folder *f)
{
    const char *reason = NULL, *unlocated = NULL;
    for (unsigned i = 0; i < f->files && reason == NULL; i++) {
        reason = stored_locate(&f->file[i].stored);
        if (unlocated == NULL)
            unlocated = f->file[i].stored.unlocated;
    }
    if (reason == NULL && unlocated != NULL)
        f->tell(text_write(f->words, sizeof f->words,
                           "%s: what is read back may come from the firmware's cache: %s", f->path,
                           unlocated));
    return reason;
}

static const char *start_folder(struct place *place, const struct place_file *file, unsigned files)
{
    struct folder *f = (struct folder *)place;
    const char *reason = volume_obstacle(f->volume);
    if (reason == NULL)
        reason = f->volume->unfit;
    if (reason == NULL)
        reason = look_for_room(f, file, files);
    if (reason == NULL)
        reason = find_number(f);
    if (reason != NULL)
        return reason;
    reason = make_files(f, file, files);
    if (reason == firmware_status(EFI_VOLUME_FULL)) /* edk2 returns this for a failed write, too */
        reason = "the firmware finds no room, though there is: the medium may have failed";
    if (reason == NULL)
        reason = locate(f);
    if (reason != NULL)
        return reason;
    bool is_marked = f->volume->is_marked;
    text_write(place->name, sizeof place->name, "%s%s%s", f->path, is_marked ? " on " : "",
               is_marked ? f->volume->name : "");
    text_write(place->folder, sizeof place->folder, "%04u", f->number);
    return NULL;
}

/* Grows a file beyond its plan by half, so that it seldom happens. */
static const char *grow(struct folder *f, struct folder_file *file)
{
    struct stored *stored = &file->stored;
    uint64_t wanted = file->file->length;
    if (!f->cannot_cut)
        wanted += wanted / 2 + SLACK;
    if (file->file->is_copy &&
        volume_free(f->volume) < wanted - stored->bytes + PLATFORM_ROOM_KEPT) {
        f->place.no_copies = true;
        return PLATFORM_NO_ROOM;
    }
    const char *reason = stored_grow(stored, wanted);
    if (reason == NULL)
        reason = stored_locate(stored);
    if (reason != NULL)
        return reason;
    if (!f->cannot_cut)
        f->tell(text_write(f->words, sizeof f->words,
                           "%s\\%s grew: %lu KB were planned, and it has %lu", f->path,
                           file->file->name, (unsigned long)(file->file->planned >> 10),
                           (unsigned long)(file->file->length >> 10)));
    return NULL;
}

static struct folder_file *find_folder_file(struct folder *f, const struct place_file *place_file)
{
    for (unsigned i = 0; i < f->files; i++)
        if (f->file[i].file == place_file)
            return &f->file[i];
    return NULL;
}

/* Writes the text, and line ends over an older, longer one: a power cut leaves no mixture. */
static const char *write_over(struct folder_file *file, size_t from)
{
    const struct place_file *place_file = file->file;
    uint64_t length = place_file->length > file->most ? place_file->length : file->most;
    const char *reason = stored_write(&file->stored, from, place_file->data + from, length - from);
    if (reason != NULL)
        return reason;
    file->saved = place_file->length;
    file->most = length;
    return NULL;
}

/* Saves the text in the spare file first: a power cut may tear what overwrites an older one. */
static const char *write_spare(struct folder *f, const struct place_file *place_file)
{
    struct folder_file *file = find_folder_file(f, &f->spare);
    f->spare.data = place_file->data;
    f->spare.length = place_file->length;
    const char *reason = place_file->length > file->stored.bytes ? grow(f, file) : NULL;
    if (reason == NULL)
        reason = write_over(file, 0);
    file->saved = 0; /* the spare file is deleted in the end */
    return reason;
}

static const char *save_to_folder(struct place *place, const struct place_file *place_file,
                                  size_t from)
{
    struct folder *f = (struct folder *)place;
    struct folder_file *file = find_folder_file(f, place_file);
    const char *reason = volume_obstacle(f->volume);
    if (reason != NULL || file == NULL)
        return reason != NULL ? reason : PLATFORM_NO_ROOM;
    if (place_file->length > file->stored.bytes)
        reason = grow(f, file);
    if (reason == NULL && place_file->is_rewritten && file->saved > 0)
        reason = write_spare(f, place_file);
    if (reason == NULL)
        reason = write_over(file, from);
    bool is_full = reason == firmware_status(EFI_VOLUME_FULL);
    if (reason != NULL && !is_full && !(place_file->is_copy && place->no_copies))
        volume_give_up(f->volume, reason);
    return reason;
}

/* Deletes our folder, from which all files were taken; the firmware refuses where one is left. */
static void take_away(struct folder *f)
{
    EFI_FILE_HANDLE handle;
    if (!EFI_ERROR(
            volume_find(f->volume, &handle, f->path, EFI_FILE_MODE_READ | EFI_FILE_MODE_WRITE, 0)))
        handle->Delete(handle);
}

/* Cuts all files to their length; the first flush writes what all of them changed. */
static const char *cut_file(struct folder *f)
{
    const char *reason = NULL;
    bool is_empty = true;
    for (unsigned i = 0; i < f->files && reason == NULL; i++) {
        struct folder_file *file = &f->file[i];
        is_empty &= file->saved == 0;
        if (file->saved == 0)
            stored_remove(&file->stored);
        else if (!f->cannot_cut)
            reason = stored_cut(&file->stored, file->saved);
    }
    for (unsigned i = 0; i < f->files && reason == NULL; i++)
        if (f->file[i].saved > 0) {
            reason = stored_flush(&f->file[i].stored);
            if (reason == NULL)
                reason = stored_locate(&f->file[i].stored);
        }
    if (is_empty)
        take_away(f);
    return reason;
}

static const char *end_folder(struct place *place)
{
    struct folder *f = (struct folder *)place;
    const char *reason = volume_obstacle(f->volume);
    if (reason == NULL && f->is_ours)
        reason = cut_file(f);
    for (unsigned i = 0; i < f->files; i++)
        stored_close(&f->file[i].stored);
    f->files = 0;
    f->is_ours = false;
    return reason;
}

void folder_init(struct folder *folder, struct volume *volume, void (*tell)(const char *words))
{
    *folder =
        (struct folder){.place = {.start = start_folder, .save = save_to_folder, .end = end_folder},
                        .volume = volume,
                        .tell = tell};
    text_write(folder->place.name, sizeof folder->place.name, "%s", volume->name);
}

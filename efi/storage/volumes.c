/* volumes: which there are, and which of them takes results. */
#include "volumes.h"

#include "../../kernel/lib/text.h"
#include "../firmware.h"
#include "../network/network.h"
#include "folder.h"

#define VOLUMES_MAX 4 /* of these, the first is the one booted from */

static void (*tell)(const char *words);
static struct volume volume[VOLUMES_MAX];
static unsigned volumes;
static struct folder folder[VOLUMES_MAX];

static void say(const struct volume *about, const char *what, const char *reason)
{
    char words[256];
    tell(text_write(words, sizeof words, "%s %s: %s", about->name, what, reason));
}

/* Carries the marker, is open from now on, and can be written to. */
static bool is_marked(struct volume *candidate, EFI_HANDLE handle)
{
    EFI_FILE_HANDLE marker;
    if (volume_open(candidate, handle, true) != NULL)
        return false;
    if (!EFI_ERROR(volume_find(candidate, &marker, VOLUMES_MARKER, EFI_FILE_MODE_READ, 0))) {
        if (volume_is_folder(marker))
            candidate->unfit = VOLUMES_MARKER " is a directory, and has to be a file";
        marker->Close(marker);
        if (candidate->unfit == NULL)
            return true;
        say(candidate, "takes no results", candidate->unfit);
    }
    volume_close(candidate);
    return false;
}

static void find_marked(void)
{
    EFI_GUID guid = EFI_SIMPLE_FILE_SYSTEM_PROTOCOL_GUID;
    EFI_HANDLE *handle;
    UINTN handles;
    if (EFI_ERROR(firmware_boot->LocateHandleBuffer(ByProtocol, &guid, NULL, &handles, &handle)))
        return;
    for (UINTN i = 0; i < handles && volumes < VOLUMES_MAX; i++)
        if (handle[i] != volume[0].handle && is_marked(&volume[volumes], handle[i]))
            volumes++;
    firmware_boot->FreePool(handle);
}

const char *volumes_open(void (*teller)(const char *words))
{
    const EFI_LOADED_IMAGE *image = firmware_loaded_image();
    tell = teller;
    volumes = 1;
    const char *reason = volume_open(&volume[0], image != NULL ? image->DeviceHandle : NULL, false);
    return network_is_source() ? NULL : reason;
}

void volumes_choose(void)
{
    if (volume[0].closed == NULL && volume[0].unfit != NULL)
        say(&volume[0], "takes no results", volume[0].unfit);
    find_marked();
    for (unsigned i = 0; i < volumes; i++) {
        if (volume[i].unfit != NULL)
            continue;
        volume_check(&volume[i], tell);
        if (volume[i].unfit != NULL)
            say(&volume[i], "takes no results", volume[i].unfit);
    }
}

void volumes_close(void)
{
    for (unsigned i = 0; i < volumes; i++)
        volume_close(&volume[i]);
    volumes = 0;
}

const char *volumes_read(const char *path, char *buffer, size_t room, size_t *length, bool *missing)
{
    if (!network_is_source())
        return volume_read(&volume[0], path, buffer, room, length, missing);
    /* iPXE shows what it has fetched besides the image as a volume. */
    if (volume[0].closed == NULL &&
        volume_read(&volume[0], path, buffer, room, length, missing) == NULL && !*missing)
        return NULL;
    return network_read(path, buffer, room, length, missing);
}

const char *volumes_list(const char *path, volume_file *file, void *context)
{
    return network_is_source() ? NULL : volume_list(&volume[0], path, file, context);
}

struct volume *volumes_first(void)
{
    for (unsigned i = 0; i < volumes; i++)
        if (volume[i].unfit == NULL)
            return &volume[i];
    return NULL;
}

void volumes_add_places(struct places *places)
{
    for (unsigned i = 0; i < volumes; i++) {
        if (volume[i].unfit != NULL)
            continue;
        folder_init(&folder[i], &volume[i], tell);
        places_add(places, &folder[i].place);
    }
}

unsigned volumes_number(const struct place *place)
{
    for (unsigned i = 0; i < volumes; i++)
        if (place == &folder[i].place)
            return folder[i].number;
    return 0;
}

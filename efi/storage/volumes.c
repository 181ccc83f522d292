/* volumes: which there are, and which of them takes results. */
#include "volumes.h"

#include "../../kernel/lib/text.h"
#include "../firmware.h"
#include "../network/network.h"
#include "folder.h"

#define VOLUMES_MAX 4 /* of these, the first is the one booted from */
#define HANDLES_MAX 256

static void (*tell)(const char *words);
static struct volume volume[VOLUMES_MAX];
static unsigned volumes;
static struct folder folder[VOLUMES_MAX];
static EFI_HANDLE known[HANDLES_MAX]; /* file systems that were looked at */
static unsigned knowns;

static void say(const struct volume *about, const char *what, const char *reason)
{
    char words[256];
    tell(text_write(words, sizeof words, "%s %s: %s", about->name, what, reason));
}

static void tell_state(const struct volume *about)
{
    if (about->unfit != NULL)
        say(about, "takes no results", about->unfit);
    else if (about->is_dirty)
        say(about, "is dirty", "have an operating system check it");
}

static bool is_new(EFI_HANDLE handle)
{
    for (unsigned i = 0; i < knowns; i++)
        if (known[i] == handle)
            return false;
    if (knowns == HANDLES_MAX)
        return false;
    known[knowns++] = handle;
    return true;
}

/* Adds the marked volumes of those that were not looked at before. */
static void add_marked(void)
{
    EFI_GUID guid = EFI_SIMPLE_FILE_SYSTEM_PROTOCOL_GUID;
    EFI_HANDLE *handle;
    UINTN handles;
    if (EFI_ERROR(firmware_boot->LocateHandleBuffer(ByProtocol, &guid, NULL, &handles, &handle)))
        return;
    for (UINTN i = 0; i < handles && volumes < VOLUMES_MAX; i++) {
        struct volume *candidate = &volume[volumes];
        if (!is_new(handle[i]))
            continue;
        volumes += volume_open_marked(candidate, handle[i]) == NULL;
        if (candidate->is_marked)
            tell_state(candidate);
    }
    firmware_boot->FreePool(handle);
}

const char *volumes_open(void (*teller)(const char *words))
{
    const EFI_LOADED_IMAGE *image = firmware_loaded_image();
    tell = teller;
    volumes = 1;
    const char *reason = volume_open_own(&volume[0], image != NULL ? image->DeviceHandle : NULL);
    is_new(volume[0].handle);
    if (reason == NULL)
        tell_state(&volume[0]);
    return network_is_source() ? NULL : reason;
}

void volumes_find_marked(void)
{
    static bool is_done;
    if (is_done)
        return;
    is_done = true;
    add_marked();
    if (volumes > 1)
        return;
    firmware_connect(PCI_CLASS_STORAGE);
    firmware_connect(PCI_CLASS_SERIAL_BUS);
    add_marked();
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

static void add_folder(struct places *places, unsigned i)
{
    if (volume[i].unfit != NULL)
        return;
    folder_init(&folder[i], &volume[i], tell);
    places_add(places, &folder[i].place);
}

void volumes_add_own(struct places *places)
{
    add_folder(places, 0);
}

void volumes_add_marked(struct places *places)
{
    for (unsigned i = 1; i < volumes; i++)
        add_folder(places, i);
}

unsigned volumes_number(const struct place *place)
{
    for (unsigned i = 0; i < volumes; i++)
        if (place == &folder[i].place)
            return folder[i].number;
    return 0;
}

/* network: chooses the transport of a URL, and is a place for results. */
#include "network.h"

#include "../../kernel/lib/string.h"
#include "../../kernel/lib/text.h"
#include "../../kernel/lib/url.h"
#include "../../kernel/probe/native.h"
#include "../console.h"
#include "../firmware.h"
#include "../watchdog.h"
#include "http.h"
#include "interface.h"
#include "ipxe.h"
#include "locations.h"
#include "source.h"
#include "tftp.h"

#define RESULTS "results" /* the folder beside the application, as on a volume */
#define TRIES 3
#define TRIES_SECONDS 60 /* no try begins later: each takes long if nobody answers */
#define REASON_MAX (LOCATION_MAX + 256)

static const struct transport *transport_of(const char *url)
{
    struct url parts;
    bool is_tftp = url_read(piece_of(url), &parts) == NULL && parts.scheme == URL_TFTP;
    return is_tftp ? &tftp : &http;
}

/* Opens the card that the application came by, else any. */
static const char *open_interface(void)
{
    const struct source *source = source_find();
    return interface_open(source->folder[0] != '\0' || source->is_network ? source->loader : NULL,
                          source->pxe != NULL ? source->lease : NULL);
}

/* Makes a transport ready. Returns NULL, or why not. */
static const char *ready(const struct transport *transport)
{
    const struct source *source = source_find();
    if (transport == &ipxe)
        return NULL;
    if (transport == &http)
        return open_interface();
    if (source->pxe != NULL) {
        tftp_use(source->loader, source->pxe);
        return NULL;
    }
    const char *reason = open_interface();
    return reason != NULL ? reason : tftp_open();
}

static const char *fetch(const struct transport *transport, const char *url, char *buffer,
                         size_t room, size_t *length, enum refusal *refusal)
{
    *length = 0;
    *refusal = REFUSAL_NONE;
    const char *reason = ready(transport);
    return reason != NULL ? reason : transport->get(url, buffer, room, length, refusal);
}

/* Limits how often something is tried. */
struct patience {
    uint64_t started; /* milliseconds */
    unsigned tries, tried;
};

static struct patience begin(unsigned tries)
{
    return (struct patience){.started = firmware_milliseconds(), .tries = tries};
}

/* Waits 1 s before the second try, 4 s before the third. True if another try may begin. */
static bool tries_again(struct patience *patience, const char *what, const char *reason)
{
    patience->tried++;
    if (patience->tried >= patience->tries ||
        firmware_milliseconds() - patience->started > TRIES_SECONDS * 1000)
        return false;
    unsigned seconds = patience->tried * patience->tried;
    console_printf("%s: %s; once more in %u s\n", what, reason, seconds);
    for (unsigned i = 0; i < seconds; i++) {
        watchdog_feed();
        firmware_sleep(1000);
    }
    return true;
}

bool network_is_source(void)
{
    return source_find()->is_network;
}

bool network_has_server(void)
{
    return source_find()->folder[0] != '\0';
}

const char *network_read(const char *name, char *buffer, size_t room, size_t *length, bool *missing)
{
    const struct source *source = source_find();
    const struct transport *transport = source->is_ipxe ? &ipxe : transport_of(source->folder);
    char url[LOCATION_MAX];
    enum refusal refusal;
    *length = 0;
    *missing = false;
    if (source->folder[0] == '\0')
        return "the server that this came from is not known";
    if (!location_join(source->folder, name, url))
        return "its URL is too long";
    struct patience patience = begin(TRIES);
    const char *reason;
    do {
        reason = fetch(transport, url, buffer, room, length, &refusal);
    } while (reason != NULL && refusal == REFUSAL_NONE && tries_again(&patience, url, reason));
    *missing = refusal == REFUSAL_MISSING;
    return *missing ? NULL : reason;
}

/* --- a place for results --- */

static struct {
    struct place place;
    char url[LOCATION_MAX]; /* as configured */
    char run[LOCATION_RUN_MAX];
    char base[LOCATION_MAX]; /* before a file's name; ends with '/', or with '-' by TFTP */
    const struct transport *transport;
    bool is_unreadable; /* already reported */
} results;

static char reasons[REASON_MAX];

/* Reads the file back. Returns NULL, or why the server does not have it as sent. */
static const char *compare_uploaded(const char *url, const struct place_file *file)
{
    enum refusal refusal;
    size_t length;
    void *copy;
    if (EFI_ERROR(firmware_boot->AllocatePool(EfiLoaderData, file->length + 1, &copy)))
        return "there is not enough memory to read it back";
    const char *reason = fetch(results.transport, url, copy, file->length + 1, &length, &refusal);
    if (reason == NULL && (length != file->length || memcmp(copy, file->data, file->length) != 0))
        reason = "it does not read back as written";
    firmware_boot->FreePool(copy);
    if (refusal != REFUSAL_DENIED)
        return reason;
    if (!results.is_unreadable)
        console_printf("%s: not read back: %s\n", url, reason);
    results.is_unreadable = true;
    return NULL;
}

static const char *send(const char *url, const struct place_file *file)
{
    const char *reason = ready(results.transport);
    if (reason == NULL)
        reason = results.transport->put(url, file->data, file->length);
    return reason != NULL ? reason : compare_uploaded(url, file);
}

static const char *bring_up(const struct place_file *file, unsigned tries)
{
    char url[LOCATION_MAX];
    struct text text;
    text_init(&text, url, sizeof url);
    text_printf(&text, "%s%s", results.base, file->name);
    if (text.truncated)
        return "the URL is too long";
    struct patience patience = begin(tries);
    const char *reason;
    do {
        reason = send(url, file);
    } while (reason != NULL && tries_again(&patience, url, reason));
    return reason;
}

static const char *save(struct place *place, const struct place_file *file, size_t from)
{
    (void)place;
    (void)from; /* neither protocol appends to a file */
    return bring_up(file, TRIES);
}

/* Chooses a folder, and tries whether it takes the first file. Returns NULL, or why not. */
static const char *try_folder(const char *folder, const struct place_file *file, unsigned tries)
{
    results.transport = transport_of(folder);
    if (!location_join(folder, results.run, results.base) ||
        strlen(results.base) + 2 > sizeof results.base)
        return "the URL is too long";
    size_t length = strlen(results.base);
    results.base[length] = results.transport == &tftp ? '-' : '/'; /* TFTP cannot make folders */
    results.base[length + 1] = '\0';
    text_write(results.place.name, sizeof results.place.name, "%s", results.base);
    const char *reason = bring_up(file, tries);
    return reason == NULL ? NULL : text_write(reasons, sizeof reasons, "%s: %s", folder, reason);
}

/* Makes the HTTP URL of a TFTP server, which may take files only so. False: no TFTP server. */
static bool http_beside(const char *folder, char url[LOCATION_MAX])
{
    struct url parts;
    if (url_read(piece_of(folder), &parts) != NULL || parts.scheme != URL_TFTP)
        return false;
    text_write(url, LOCATION_MAX, "http://%.*s/" RESULTS, (int)parts.host.length, parts.host.at);
    return true;
}

static const char *try_source(const struct place_file *file)
{
    const char *folder = source_find()->folder;
    char other[LOCATION_MAX];
    if (folder[0] == '\0')
        return "no server is known; name one with results.to";
    if (!http_beside(folder, other))
        return location_join(folder, RESULTS, other) ? try_folder(other, file, TRIES)
                                                     : "the URL is too long";
    const char *reason = try_folder(folder, file, 1);
    if (reason == NULL)
        return NULL;
    console_printf("%s; trying %s\n", reason, other);
    return try_folder(other, file, TRIES);
}

static const char *start(struct place *place, const struct place_file *file, unsigned files)
{
    static const struct place_file nothing = {.name = "log.txt", .data = ""};
    const struct place_file *first = files > 0 ? file : &nothing;
    text_write(place->folder, sizeof place->folder, "%s", results.run);
    return results.url[0] != '\0' ? try_folder(results.url, first, TRIES) : try_source(first);
}

static const char *end(struct place *place)
{
    (void)place;
    return NULL; /* each file was complete on the server when it was saved */
}

struct place *network_place(const char *url, const char *machine, const struct utc *utc)
{
    results.place = (struct place){.start = start, .save = save, .end = end, .name = "the network"};
    text_write(results.url, sizeof results.url, "%s", url);
    location_of_run(machine, utc, native_ticks(), results.run);
    results.is_unreadable = false;
    return &results.place;
}

void network_close(void)
{
    tftp_close();
    interface_close();
}

/* fuzz_locations: any bytes as a packet of DHCP, a URL, an address, and a server's answer. */
#include "fuzz.h"

#include "../../efi/network/locations.h"
#include "../../efi/network/replies.h"
#include "../../kernel/lib/url.h"

/* A folder is a URL that ends with a slash, and is its own folder. */
static void check_folder(struct piece url)
{
    char folder[LOCATION_MAX], again[LOCATION_MAX], file[LOCATION_MAX];
    struct url parts;
    const char *reason = location_folder(url, folder);
    if (reason != NULL) {
        fuzz_check_reason(reason);
        return;
    }
    fuzz_check_text(folder, sizeof folder);
    MUST(folder[strlen(folder) - 1] == '/' || folder[strlen(folder) - 1] == '\\');
    MUST(url_read(piece_of(folder), &parts) == NULL);
    MUST(location_folder(piece_of(folder), again) == NULL && strcmp(folder, again) == 0);
    if (!location_join(folder, "\\a\\b.cfg", file))
        return;
    size_t length = strlen(file);
    MUST(length > 8 && strcmp(file + length - 7, "a/b.cfg") == 0);
    MUST(file[length - 8] == '/' || file[length - 8] == '\\');
}

static void check_address(struct piece text)
{
    uint8_t address[4];
    char again[16];
    if (!location_ipv4(text, address))
        return;
    snprintf(again, sizeof again, "%u.%u.%u.%u", address[0], address[1], address[2], address[3]);
    MUST(location_ipv4(piece_of(again), address));
    MUST(strlen(again) <= text.length);
}

static void check_packet(const uint8_t *packet, size_t length)
{
    char url[LOCATION_MAX];
    struct url parts;
    memset(url, 0xa5, sizeof url);
    if (!location_of_packet(packet, length, url))
        return;
    MUST(memchr(url, '\0', sizeof url) != NULL);
    if (url_read(piece_of(url), &parts) == NULL)
        check_folder(piece_of(url));
}

static void check_reply(const char *text, size_t length)
{
    char words[REPLY_WORDS_MAX];
    uint16_t code = length > 0 ? (uint8_t)text[0] : 0;
    fuzz_check_reason(reply_tftp_words(code, text, length, words));
    fuzz_check_reason(reply_http_words(reply_http_status(code), words));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    uint8_t *copy = fuzz_copy(data, size);
    struct piece text = {(const char *)copy, size};
    check_packet(copy, size);
    check_folder(text);
    check_address(text);
    check_reply(text.at, size);
    free(copy);
    return 0;
}

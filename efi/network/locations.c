/* locations: reads URLs and DHCP packets. */
#include "locations.h"

#include "../../kernel/lib/string.h"
#include "../../kernel/lib/url.h"

/* Offsets in a DHCP packet (RFC 2131, 2). */
#define SERVER_AT 20
#define FILE_AT 108
#define FILE_BYTES 128
#define MAGIC_AT 236
#define OPTIONS_AT 240

enum dhcp_option {
    OPTION_PAD = 0,
    OPTION_OVERLOAD = 52,
    OPTION_SERVER_ID = 54,
    OPTION_SERVER_NAME = 66,
    OPTION_FILE = 67,
    OPTION_END = 255,
};

/* True if it separates folders; a TFTP server under Windows uses the backslash. */
static bool is_slash(char c)
{
    return c == '/' || c == '\\';
}

const char *location_folder(struct piece url, char folder[LOCATION_MAX])
{
    struct url parts;
    const char *reason = url_read(url, &parts);
    if (reason != NULL)
        return reason;
    if (url.length + 2 > LOCATION_MAX)
        return "is too long";
    size_t length = parts.path.length;
    while (length > 0 && !is_slash(parts.path.at[length - 1]))
        length--;
    text_write(folder, LOCATION_MAX, "%.*s%s", (int)(url.length - parts.path.length + length),
               url.at, length == 0 ? "/" : "");
    return NULL;
}

bool location_join(const char *folder, const char *name, char url[LOCATION_MAX])
{
    struct text to;
    size_t length = strlen(folder);
    text_init(&to, url, LOCATION_MAX);
    text_printf(&to, "%s%s", folder, length > 0 && is_slash(folder[length - 1]) ? "" : "/");
    for (name += *name == '\\'; *name != '\0'; name++)
        text_char(&to, *name == '\\' ? '/' : *name);
    return !to.truncated;
}

void location_of_run(const char *machine, const struct utc *utc, uint64_t ticks,
                     char name[LOCATION_RUN_MAX])
{
    struct text to;
    text_init(&to, name, LOCATION_RUN_MAX);
    text_printf(&to, "%s-", machine);
    if (utc != NULL)
        text_printf(&to, "%04u%02u%02uT%02u%02u%02uZ-", utc->year, utc->month, utc->day, utc->hour,
                    utc->minute, utc->second);
    text_printf(&to, "%016lx", (unsigned long)ticks);
}

bool location_ipv4(struct piece text, uint8_t address[4])
{
    unsigned part = 0, digits = 0, value = 0;
    for (size_t i = 0; i <= text.length; i++) {
        char c = i < text.length ? text.at[i] : '.';
        if (c >= '0' && c <= '9' && digits < 3) {
            value = value * 10 + (unsigned)(c - '0');
            digits++;
            continue;
        }
        if (c != '.' || digits == 0 || value > UINT8_MAX || part == 4)
            return false;
        address[part++] = (uint8_t)value;
        value = digits = 0;
    }
    return part == 4;
}

/* Returns an option's bytes, none if the packet does not have it. A packet may end anywhere. */
static struct piece find_option(const uint8_t *packet, size_t length, enum dhcp_option option)
{
    static const uint8_t magic[] = {99, 130, 83, 99};
    struct piece none = {"", 0};
    if (length < OPTIONS_AT || memcmp(packet + MAGIC_AT, magic, sizeof magic) != 0)
        return none;
    for (size_t at = OPTIONS_AT; at < length && packet[at] != OPTION_END;) {
        if (packet[at] == OPTION_PAD) {
            at++;
            continue;
        }
        if (at + 1 >= length || at + 2 + packet[at + 1] > length)
            return none;
        if (packet[at] == option)
            return (struct piece){(const char *)packet + at + 2, packet[at + 1]};
        at += 2u + packet[at + 1];
    }
    return none;
}

/* Returns the bytes up to a NUL, if there is one. */
static struct piece until_nul(const char *at, size_t length)
{
    struct piece piece = {at, 0};
    while (piece.length < length && at[piece.length] != '\0')
        piece.length++;
    return piece;
}

static bool is_zero(const uint8_t address[4])
{
    return (address[0] | address[1] | address[2] | address[3]) == 0;
}

static bool find_server(const uint8_t *packet, size_t length, uint8_t server[4])
{
    struct piece name = find_option(packet, length, OPTION_SERVER_NAME);
    if (location_ipv4(until_nul(name.at, name.length), server) && !is_zero(server))
        return true;
    memcpy(server, packet + SERVER_AT, 4);
    if (!is_zero(server))
        return true;
    struct piece id = find_option(packet, length, OPTION_SERVER_ID);
    if (id.length != 4)
        return false;
    memcpy(server, id.at, 4);
    return !is_zero(server);
}

bool location_of_packet(const uint8_t *packet, size_t length, char url[LOCATION_MAX])
{
    uint8_t server[4];
    if (length < OPTIONS_AT || !find_server(packet, length, server))
        return false;
    struct piece overload = find_option(packet, length, OPTION_OVERLOAD);
    struct piece file = find_option(packet, length, OPTION_FILE);
    /* Bit 0 of the overload: the header's field holds options (RFC 2132, 9.3). */
    if (file.length == 0 && (overload.length != 1 || !(overload.at[0] & 1)))
        file = (struct piece){(const char *)packet + FILE_AT, FILE_BYTES};
    file = until_nul(file.at, file.length);
    if (url_read(file, &(struct url){0}) == NULL) {
        text_write(url, LOCATION_MAX, "%.*s", (int)file.length, file.at);
        return true;
    }
    text_write(url, LOCATION_MAX, "tftp://%u.%u.%u.%u/%.*s", server[0], server[1], server[2],
               server[3], (int)file.length, file.at);
    return true;
}

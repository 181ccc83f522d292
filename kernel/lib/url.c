/* url: reads scheme, host, port and path. */
#include "url.h"

#define PORT_MAX 65535

static const struct {
    const char *prefix;
    uint16_t port;
} schemes[] = {
    [URL_HTTP] = {"http://", 80},
    [URL_HTTPS] = {"https://", 443},
    [URL_TFTP] = {"tftp://", 69},
};

/* Takes a host: in brackets, or up to the port or path. */
static struct piece take_host(struct piece *text)
{
    if (text->length == 0 || text->at[0] != '[')
        return piece_until(text, ":/");
    struct piece inside = piece_until(text, "]/");
    if (!piece_take(text, "]"))
        return (struct piece){text->at, 0};
    return (struct piece){inside.at, inside.length + 1};
}

const char *url_read(struct piece text, struct url *url)
{
    unsigned scheme = 0, count = sizeof schemes / sizeof *schemes;
    while (scheme < count && !piece_take(&text, schemes[scheme].prefix))
        scheme++;
    if (scheme == count)
        return "does not begin with http://, https:// or tftp://";
    url->scheme = (enum url_scheme)scheme;
    url->port = schemes[scheme].port;
    struct piece rest = text;
    piece_until(&rest, "?#@");
    bool is_plain = rest.length == 0;
    for (size_t i = 0; i < text.length; i++)
        is_plain &= text.at[i] > ' ' && text.at[i] <= '~';
    if (!is_plain)
        return "has blanks, '?', '#', '@' or other characters than ASCII";
    url->host = take_host(&text);
    if (url->host.length == 0)
        return "names no server";
    uint32_t port = url->port;
    if (piece_take(&text, ":") && !piece_number(piece_until(&text, "/"), &port))
        port = 0;
    if (port == 0 || port > PORT_MAX)
        return "has a port that is no number from 1 to 65535";
    url->port = (uint16_t)port;
    if (text.length > 0 && text.at[0] != '/')
        return "has no '/' behind the server";
    url->path = text;
    return NULL;
}

/* fuzz_url: any text as a URL; its parts, put together again, are the text. */
#include "fuzz.h"

#include "../../kernel/lib/url.h"

static bool lies_in(struct piece part, struct piece text)
{
    return part.at >= text.at && part.at + part.length <= text.at + text.length;
}

static void check(struct piece text, const struct url *url)
{
    static const char *const schemes[] = {"http://", "https://", "tftp://"};
    char again[8 + 5 + 2];
    MUST(url->scheme <= URL_TFTP);
    size_t scheme = strlen(schemes[url->scheme]);
    MUST(text.length > scheme && memcmp(text.at, schemes[url->scheme], scheme) == 0);
    MUST(lies_in(url->host, text) && lies_in(url->path, text));
    MUST(url->host.length > 0 && url->host.at == text.at + scheme);
    MUST(url->path.length == 0 || url->path.at[0] == '/');
    MUST(url->path.at + url->path.length == text.at + text.length);
    for (size_t i = 0; i < text.length; i++)
        MUST(text.at[i] > ' ' && text.at[i] <= '~');
    MUST(memchr(url->host.at, '/', url->host.length) == NULL);
    MUST(url->port != 0);
    /* Between host and path there is the port, or nothing. */
    const char *between = url->host.at + url->host.length;
    size_t length = (size_t)(url->path.at - between);
    if (length == 0)
        MUST(url->port == (url->scheme == URL_HTTP ? 80 : url->scheme == URL_HTTPS ? 443 : 69));
    else {
        MUST(between[0] == ':');
        while (length > 2 && between[1] == '0')
            between++, length--;
        MUST((size_t)snprintf(again, sizeof again, "%u", url->port) == length - 1);
        MUST(memcmp(again, between + 1, length - 1) == 0);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *copy = fuzz_copy(data, size);
    struct piece text = {copy, size};
    struct url url;
    const char *wrong = url_read(text, &url);
    if (wrong != NULL)
        fuzz_check_reason(wrong);
    else
        check(text, &url);
    free(copy);
    return 0;
}

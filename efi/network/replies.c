/* replies: tables of status codes. */
#include "replies.h"

#include <stdbool.h>

#include "../../kernel/lib/text.h"

/* In the order in which UEFI counts them. */
static const uint16_t statuses[] = {
    0,   100, 101, 200, 201, 202, 203, 204, 205, 206, 300, 301, 302, 303,
    304, 305, 307, 400, 401, 402, 403, 404, 405, 406, 407, 408, 409, 410,
    411, 412, 413, 414, 415, 416, 417, 500, 501, 502, 503, 504, 505, 308,
};

#define MOVED "it names another address, which is not followed"

static const struct {
    uint16_t status;
    const char *words;
} meanings[] = {
    {301, MOVED},
    {302, MOVED},
    {307, MOVED},
    {308, MOVED},
    {401, "it asks for a password"},
    {403, "forbidden"},
    {404, "not found"},
    {405, "it does not take this method"},
    {409, "conflict: a folder is missing, or there is one of that name"},
    {411, "it asks for a length"},
    {413, "too large for it"},
    {500, "an error of its own"},
    {501, "not implemented"},
    {503, "not available now"},
};

/* RFC 1350, 5, for servers that send no text; the last: RFC 2347. */
static const char *const tftp_errors[] = {
    "an error that it does not name",
    "file not found",
    "access violation",
    "disk full",
    "illegal operation",
    "unknown transfer",
    "file already exists",
    "no such user",
    "it refuses an option",
};

unsigned reply_http_status(uint32_t counted)
{
    return counted < sizeof statuses / sizeof *statuses ? statuses[counted] : 0;
}

size_t reply_length(const char *digits)
{
    size_t value = 0;
    const char *at = digits;
    for (; *at >= '0' && *at <= '9' && value < REPLY_LENGTH_UNKNOWN / 100; at++)
        value = value * 10 + (size_t)(*at - '0');
    bool has_digits = at > digits;
    while (*at == ' ' || *at == '\t') /* the header's, not the number's */
        at++;
    return has_digits && *at == '\0' ? value : REPLY_LENGTH_UNKNOWN;
}

const char *reply_http_words(unsigned status, char words[REPLY_WORDS_MAX])
{
    if (status == 0)
        return text_write(words, REPLY_WORDS_MAX,
                          "the server answered with a status that the firmware does not know");
    for (unsigned i = 0; i < sizeof meanings / sizeof *meanings; i++)
        if (meanings[i].status == status)
            return text_write(words, REPLY_WORDS_MAX, "the server answered %u (%s)", status,
                              meanings[i].words);
    return text_write(words, REPLY_WORDS_MAX, "the server answered %u", status);
}

const char *reply_tftp_words(uint16_t code, const char *text, size_t length,
                             char words[REPLY_WORDS_MAX])
{
    struct text to;
    text_init(&to, words, REPLY_WORDS_MAX);
    text_printf(&to, "the server answered error %u: ", code);
    size_t before = to.length;
    for (size_t i = 0; i < length && text[i] != '\0'; i++)
        text_char(&to, text[i] >= ' ' && text[i] <= '~' ? text[i] : '?');
    if (to.length == before)
        text_printf(&to, "%s",
                    code < sizeof tftp_errors / sizeof *tftp_errors ? tftp_errors[code]
                                                                    : tftp_errors[0]);
    return words;
}

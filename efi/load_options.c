/* load_options: from UTF-16 or plain text to UTF-8, from that to words. */
#include "load_options.h"

#include <stdint.h>

#include "../kernel/config/config.h"
#include "../kernel/config/value.h"
#include "../kernel/lib/string.h"

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

/* True if '=' is there as a character of UTF-16: plain text has no NUL behind it. */
static bool has_wide_equals(const uint8_t *data, size_t bytes)
{
    for (size_t at = 0; at + 1 < bytes; at += 2)
        if (data[at] == '=' && data[at + 1] == 0)
            return true;
    return false;
}

/* Appends a character of 16 bits as UTF-8 (RFC 3629); half of a pair becomes what is none. */
static void add_wide(struct text *to, unsigned c)
{
    if (c < 0x80)
        text_char(to, (char)c);
    else if (c < 0x800)
        text_printf(to, "%c%c", 0xc0 | c >> 6, 0x80 | (c & 0x3f));
    else
        text_printf(to, "%c%c%c", 0xe0 | c >> 12, 0x80 | (c >> 6 & 0x3f), 0x80 | (c & 0x3f));
}

/* Converts UTF-16 or plain text, up to two NULs in a row, to UTF-8; a single NUL becomes a blank.
 * False: control characters are there. */
static bool convert_options(const uint8_t *data, size_t bytes, bool from_shell, struct text *to)
{
    bool is_big = bytes > 1 && data[0] == 0xfe && data[1] == 0xff, is_text = true;
    bool is_wide = from_shell || is_big || has_wide_equals(data, bytes);
    unsigned c = 1, before;
    for (size_t at = 0; at < bytes; at += 1 + is_wide) {
        before = c;
        c = data[at];
        if (is_wide) /* a half is no character */
            c = at + 1 < bytes ? data[at + is_big] | (unsigned)data[at + !is_big] << 8 : 0xdfff;
        if (c == 0 && (before == 0 || at + 1 + is_wide >= bytes))
            break;
        is_text &= c >= ' ' || c == 0 || is_blank((char)c);
        if (is_wide)
            add_wide(to, c != 0 ? c : '\n');
        else
            text_char(to, c != 0 ? (char)c : '\n');
    }
    return is_text;
}

/* Returns the next word, in its place but without its quotes and with a NUL behind it, and moves
 * `rest` behind that; NULL: no word is left. */
static char *take_word(char **rest, bool *is_closed)
{
    char *from = *rest, *to;
    bool quoted = false;
    while (is_blank(*from))
        from++;
    if (*from == '\0')
        return NULL;
    char *word = to = from;
    for (; *from != '\0' && (quoted || !is_blank(*from)); from++) {
        if (*from == '"')
            quoted = !quoted;
        else
            *to++ = *from;
    }
    *rest = from + (*from != '\0');
    *to = '\0';
    *is_closed = !quoted;
    return word;
}

/* True if the word is key=value. A key holds no part of a path. */
static bool is_setting(const char *word)
{
    for (; *word != '\0' && *word != '='; word++)
        if (*word == '\\' || *word == '/' || *word == ':')
            return false;
    return *word == '=';
}

/* True if the word is the program's own name, which a shell puts before the options. */
static bool is_program(const char *word)
{
    static const char end[] = ".efi";
    size_t length = strlen(word), skipped = sizeof end - 1;
    if (length < skipped)
        return false;
    for (size_t i = 0; i < skipped; i++)
        if ((word[length - skipped + i] | 0x20) != (end[i] | 0x20))
            return false;
    return true;
}

static void tell_word(struct text *to, const char *word, const char *what)
{
    text_printf(to, "load options: \"");
    piece_show(to, piece_of(word));
    text_printf(to, "\" %s\n", what);
}

void load_options_read(struct load_options *options, const void *data, size_t bytes,
                       bool from_shell, struct text *remarks)
{
    struct text text, error;
    size_t length = remarks->length;
    bool is_closed;
    char *rest = options->memory, *word;
    text_init(&text, options->memory, sizeof options->memory);
    text_init(&error, options->error, sizeof options->error);
    options->count = 0;
    if (data == NULL || bytes == 0)
        return;
    bool is_text = convert_options(data, bytes, from_shell, &text);
    if (memcmp(rest, "\xef\xbb\xbf", 3) == 0) /* a byte order mark, whichever it was */
        rest += 3;
    for (unsigned number = 0; error.length == 0 && (word = take_word(&rest, &is_closed)) != NULL;
         number++) {
        if (!is_closed)
            tell_word(&error, word, "has a quote that is not closed");
        else if (!is_setting(word) && (number > 0 || !is_program(word)))
            tell_word(remarks, word, "is no key=value; ignored");
        else if (is_setting(word) && !from_shell && !config_knows(word))
            tell_word(remarks, word, "is of no key there is; ignored");
        else if (is_setting(word) && options->count == LOAD_OPTIONS_SETTINGS_MAX)
            tell_word(&error, word, "is one too many");
        else if (is_setting(word))
            options->setting[options->count++] = word;
    }
    if (text.truncated && error.length == 0)
        text_printf(&error, "load options: more than %u characters\n", LOAD_OPTIONS_CHARACTERS_MAX);
    if (from_shell || is_text || options->count > 0)
        return;
    text_clear(&error);
    remarks->at[remarks->length = length] = '\0';
    text_printf(remarks, "load options: %zu bytes that are no text; ignored\n", bytes);
}

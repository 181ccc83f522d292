/* load_options: from UTF-16 to plain text, from that to words. */
#include "load_options.h"

#include <stdint.h>

#include "../kernel/config/config.h"
#include "../kernel/lib/string.h"

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

/* Converts text up to a NUL. False: it is not printable ASCII, or too long. */
static bool narrow_option(const uint8_t *data, size_t bytes,
                          char to[LOAD_OPTIONS_CHARACTERS_MAX + 1])
{
    size_t length = 0;
    for (size_t at = 0; at + 1 < bytes; at += 2) {
        unsigned c = data[at] | (unsigned)data[at + 1] << 8;
        if (c == 0)
            break;
        if (length == LOAD_OPTIONS_CHARACTERS_MAX || c > '~' || (c < ' ' && !is_blank((char)c)))
            return false;
        to[length++] = (char)c;
    }
    to[length] = '\0';
    return bytes % 2 == 0;
}

/* Returns the next word, in its place but without its quotes and with a NUL behind it, and moves
 * `rest` behind that; NULL: no word is left. The text ends with two NULs or with a word. */
static char *take_word(char **rest)
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

void load_options_read(struct load_options *options, const void *data, size_t bytes,
                       bool from_shell, struct text *remarks)
{
    char *rest = options->memory, *word;
    options->count = 0;
    if (data == NULL || bytes == 0)
        return;
    if (!narrow_option(data, bytes, options->memory)) {
        text_printf(remarks, "load options: %zu bytes that are no text; ignored\n", bytes);
        return;
    }
    for (unsigned number = 0; (word = take_word(&rest)) != NULL; number++) {
        if (!is_setting(word)) {
            if (number > 0 || !is_program(word))
                text_printf(remarks, "load options: \"%s\" is no key=value; ignored\n", word);
        } else if (!from_shell && !config_knows(word)) {
            text_printf(remarks, "load options: \"%s\" is of no key there is; ignored\n", word);
        } else if (options->count < LOAD_OPTIONS_SETTINGS_MAX) {
            options->setting[options->count++] = word;
        } else {
            text_printf(remarks, "load options: %s is one too many; ignored\n", word);
        }
    }
}

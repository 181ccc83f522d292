/* elements: JSON inside of HTML, as much as fits. */
#include "elements.h"

#include "../lib/utf8.h"

#define END "\"}</script>"
#define ESCAPE_MAX 6 /* characters that stand for a byte: \u003c */

static void put_byte(struct text *text, unsigned char byte)
{
    if (byte == '\n') {
        text_printf(text, "\\n");
    } else if (byte < 0x20 || byte == '<') {
        text_printf(text, "\\u%04x", byte);
    } else {
        if (byte == '"' || byte == '\\')
            text_char(text, '\\');
        text_char(text, (char)byte);
    }
}

static void put_text(struct text *text, const char *value)
{
    for (; *value != '\0'; value++)
        put_byte(text, (unsigned char)*value);
}

size_t element_make(struct text *text, const struct element *part, const char *data, size_t length)
{
    size_t taken = 0;
    text_clear(text);
    text_printf(text, "\n<script type=\"application/json\" class=\"file\">{\"run\":\"");
    put_text(text, part->run);
    text_printf(text, "\",\"file\":\"");
    put_text(text, part->file);
    text_printf(text, "\",\"how\":\"%s\",\"text\":\"", part->starts_anew ? "replace" : "append");
    while (taken < length && text->length + ESCAPE_MAX + sizeof END <= text->size)
        put_byte(text, (unsigned char)data[taken++]);
    if (taken < length) {
        size_t whole = utf8_whole(data, taken);
        text->length -= taken - whole; /* bytes from 0x80, one character each */
        taken = whole;
    }
    text_printf(text, END);
    return taken;
}

/* print_plain: text for a terminal that holds names of files, or other words of unknown origin. */
#define _GNU_SOURCE 1 /* vasprintf */
#include "print_plain.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stdlib.h>

static bool is_control(unsigned char c)
{
    return (c < 0x20 && c != '\n') || c == 0x7f;
}

/* True for U+0080 to U+009F in UTF-8. */
static bool is_second_control(const char *at)
{
    return (unsigned char)at[0] == 0xc2 && (unsigned char)at[1] >= 0x80 &&
           (unsigned char)at[1] < 0xa0;
}

void print_plain(FILE *to, const char *format, ...)
{
    char *text = NULL;
    va_list arguments;

    va_start(arguments, format);
    int length = vasprintf(&text, format, arguments);
    va_end(arguments);
    if (length < 0)
        return;
    for (char *at = text; *at != '\0'; at++)
        if (is_control((unsigned char)*at))
            *at = '?';
        else if (is_second_control(at))
            at[0] = at[1] = '?';
    fputs(text, to);
    free(text);
}

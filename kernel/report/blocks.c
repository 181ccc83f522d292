/* blocks: a piece of a file as lines of the console, between its title and its checksum. */
#include "blocks.h"

#include "../lib/string.h"
#include "../lib/text.h"

struct block_line {
    struct platform *platform;
    struct text text;
    char memory[BLOCK_COLUMNS + 2]; /* with the line's end */
};

/* Ends a line, with a backslash where it goes on, and begins the next. */
static void end_line(struct block_line *line, const char *end)
{
    text_printf(&line->text, "%s", end);
    line->platform->record(line->platform, line->text.at);
    text_clear(&line->text);
    text_char(&line->text, '|');
}

/* A character as it is printed; a blank is plain but at a line's end, where loggers drop it. */
static void put_character(struct block_line *line, char c, bool is_last)
{
    char memory[5];
    bool is_plain = c >= ' ' && c <= '~' && !(is_last && c == ' ');
    const char *form = c == '\\' ? "\\\\" : is_plain ? "%c" : "\\x%02x";
    text_write(memory, sizeof memory, form, (unsigned char)c);
    if (line->text.length + strlen(memory) >=
        BLOCK_COLUMNS) /* the last column is the backslash's */
        end_line(line, "\\\n");
    text_printf(&line->text, "%s", memory);
}

static void print_lines(struct platform *platform, const char *data, size_t length)
{
    struct block_line line = {.platform = platform};
    text_init(&line.text, line.memory, sizeof line.memory);
    text_char(&line.text, '|');
    for (size_t i = 0; i < length; i++) {
        if (data[i] == '\n')
            end_line(&line, "\n");
        else
            put_character(&line, data[i], i + 1 == length || data[i + 1] == '\n');
    }
    if (data[length - 1] != '\n')
        end_line(&line, "\\\n");
}

static char *put_digits(char *text, const struct sha256 *content, unsigned digits)
{
    uint8_t digest[SHA256_BYTES];
    sha256_end(content, digest);
    for (unsigned i = 0; i < digits / 2; i++)
        text_write(text + 2 * i, 3, "%02x", digest[i]);
    return text + digits;
}

__attribute__((format(printf, 5, 6))) static void print_block(struct platform *platform,
                                                              const struct block_file *file,
                                                              const char *data, size_t length,
                                                              const char *format, ...)
{
    char line[BLOCK_COLUMNS + 2], checksum[BLOCK_CHECKSUM + 1];
    struct text title = TEXT_OF(BLOCK_TITLE_MAX);
    struct sha256 sum;
    va_list arguments;
    if (platform->record == NULL)
        return;
    text_printf(&title, "%s %s version %u ", file->run, file->name, file->version);
    va_start(arguments, format);
    text_vprintf(&title, format, arguments);
    va_end(arguments);
    sha256_start(&sum);
    sha256_add(&sum, data, length);
    sha256_add(&sum, title.at, title.length);
    put_digits(checksum, &sum, BLOCK_CHECKSUM);
    platform->record(platform, text_write(line, sizeof line, "=== mlpboot %s ===\n", title.at));
    print_lines(platform, data, length);
    platform->record(platform,
                     text_write(line, sizeof line, "=== mlpboot end sha256 %s ===\n", checksum));
}

/* Bytes of the next block: up to the end of a line where one ends in time. */
static size_t cut_line(const char *data, size_t length)
{
    if (length <= BLOCK_BYTES)
        return length;
    for (size_t end = BLOCK_BYTES; end > 0; end--)
        if (data[end - 1] == '\n')
            return end;
    return BLOCK_BYTES;
}

void blocks_print(struct platform *platform, const struct block_file *file, uint64_t at,
                  const char *data, size_t length)
{
    for (size_t bytes; length > 0; at += bytes, data += bytes, length -= bytes) {
        bytes = cut_line(data, length);
        print_block(platform, file, data, bytes, "at %lu bytes %zu", (unsigned long)at, bytes);
    }
}

void blocks_print_whole(struct platform *platform, const struct block_file *file,
                        const struct sha256 *content)
{
    char text[2 * SHA256_BYTES + 2];
    text_write(put_digits(text, content, 2 * SHA256_BYTES), 2, "\n");
    print_block(platform, file, text, sizeof text - 1, "whole %lu", (unsigned long)content->length);
}

void blocks_print_file(struct platform *platform, const struct block_file *file, const char *data,
                       size_t length)
{
    struct sha256 content;
    sha256_start(&content);
    sha256_add(&content, data, length);
    blocks_print(platform, file, 0, data, length);
    blocks_print_whole(platform, file, &content);
}

/* text: builds text in a caller's buffer, printf style, without libc. */
#ifndef MLPBOOT_LIB_TEXT_H
#define MLPBOOT_LIB_TEXT_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A buffer that is always NUL-terminated. Dropping text that does not fit sets `truncated`. */
struct text {
    char *at;
    size_t size;   /* the buffer's, with the final NUL */
    size_t length; /* characters without the NUL */
    bool truncated;
};

/* A part of another text: any bytes, not NUL-terminated. */
struct piece {
    const char *at;
    size_t length;
};

/* Returns a whole text as a piece. */
struct piece piece_of(const char *text);

bool piece_is(struct piece piece, const char *word);

/* Returns the piece's place among words, of which NULL is the last; NULL's if it is none of them.
 */
unsigned piece_place(struct piece piece, const char *const *words);

/* Reads digits, nine at most. False: the piece is no such number, and *number stays as it is. */
bool piece_number(struct piece piece, uint32_t *number);

/* True if the piece is that word and such a number without leading zeros, which is then read. */
bool piece_is_numbered(struct piece piece, const char *word, uint32_t *number);

/* Takes so many characters off the front; they must be there. */
void piece_drop(struct piece *rest, size_t length);

/* Takes everything before the first of these characters off the front; all if it has none. */
struct piece piece_until(struct piece *rest, const char *ends);

/* Takes that word off the front. False: the piece begins otherwise. */
bool piece_take(struct piece *rest, const char *word);

/* Starts an empty text in `buffer`; `size` must be at least 1. */
void text_init(struct text *text, char *buffer, size_t size);

/* The initializer of an empty text in so many bytes of the block that it is in. */
#define TEXT_OF(bytes)                                                                             \
    {                                                                                              \
        .at = (char[bytes]){0}, .size = (bytes)                                                    \
    }

/* Empties the text; the buffer stays. */
void text_clear(struct text *text);

/*
 * Appends. Understood: %% %c %s %d %u %x %f, with flags `0` and `-`, a width, a precision
 * (`.n` or `.*`, for %s and %f), and the lengths l, ll, z. %f rounds half away from zero, takes at
 * most 9 decimals and magnitudes below 2^63; others print as "inf", "-inf" or "nan".
 */
void text_printf(struct text *text, const char *format, ...) __attribute__((format(printf, 2, 3)));
void text_vprintf(struct text *text, const char *format, va_list arguments)
    __attribute__((format(printf, 2, 0)));

/* Writes a new text into `buffer`, cut if it does not fit; returns `buffer`. */
char *text_write(char *buffer, size_t size, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

#define SIZE_TEXT_MAX 24 /* enough for any size, with the final NUL */

/* Writes bytes as a configuration does, without a fraction, in the largest unit for it: 48k, 1280k,
 * 1g. Returns `buffer`. */
const char *size_text(char buffer[SIZE_TEXT_MAX], uint64_t bytes);

/* Appends one character. */
void text_char(struct text *text, char c);

/* Appends `value` with at most `decimals` decimals (0 to 9) and no trailing zeros: 412.5, 496. */
void text_number(struct text *text, double value, unsigned decimals);

#endif

/* utf8: where characters of UTF-8 begin and end. */
#ifndef MLPBOOT_LIB_UTF8_H
#define MLPBOOT_LIB_UTF8_H

#include <stddef.h>

/*
 * Bytes of the character at the start of a text of `length` bytes, 1 to 4. 0: absent, or no
 * whole one, or one that is no character (RFC 3629: surrogates, longer forms than need be, what is
 * beyond 0x10ffff), or a control character, which a terminal may obey: below 0x20, 0x7f to 0x9f.
 */
size_t utf8_printable(const char *at, size_t length);

/*
 * So many of the first `length` bytes of a longer text that no character is broken there: up to
 * three fewer. All of them where what stands at their end is no UTF-8.
 */
size_t utf8_whole(const char *at, size_t length);

#endif

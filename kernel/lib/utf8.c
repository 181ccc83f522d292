/* utf8: lengths of characters, by their first bytes. */
#include "utf8.h"

#include <stdbool.h>
#include <stdint.h>

#define LENGTH_MAX 4

/* Returns the length that a character's first byte promises; 0: no character begins with it. */
static size_t promised(unsigned char first)
{
    if (first < 0x80)
        return 1;
    if (first < 0xc0)
        return 0;
    return first < 0xe0 ? 2 : first < 0xf0 ? 3 : first < 0xf8 ? 4 : 0;
}

size_t utf8_printable(const char *at, size_t length)
{
    static const uint32_t least[LENGTH_MAX + 1] = {0, 0x20, 0xa0, 0x800, 0x10000};
    const unsigned char *byte = (const unsigned char *)at;
    size_t count = length > 0 ? promised(byte[0]) : 0;
    if (count == 0 || count > length)
        return 0;
    uint32_t code = count == 1 ? byte[0] : byte[0] & (0x7fu >> count);
    for (size_t i = 1; i < count; i++) {
        if ((byte[i] & 0xc0) != 0x80)
            return 0;
        code = code << 6 | (byte[i] & 0x3f);
    }
    bool is_none =
        code < least[count] || code == 0x7f || code > 0x10ffff || (code >= 0xd800 && code < 0xe000);
    return is_none ? 0 : count;
}

size_t utf8_whole(const char *at, size_t length)
{
    for (size_t back = 1; back < LENGTH_MAX && back <= length; back++) {
        unsigned char byte = (unsigned char)at[length - back];
        if ((byte & 0xc0) != 0x80)
            return promised(byte) > back ? length - back : length;
    }
    return length;
}

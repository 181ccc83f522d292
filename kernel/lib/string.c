/* string: memory and string functions for the image, which has no libc. */
#include "string.h"

#include <stdint.h>

/*
 * A compiler may recognise a loop as one of these very functions and replace it by a call of
 * itself. An instruction it cannot see through, empty as it is, keeps the loop a loop.
 */
#define KEEP_LOOP() __asm__ volatile("" ::: "memory")

/* By words first: processors move either as fast, emulators take their time for each turn. */
void *memcpy(void *restrict to, const void *restrict from, size_t length)
{
    void *end = to;
    size_t words = length / sizeof(uint64_t), rest = length % sizeof(uint64_t);

    __asm__ volatile("rep movsq" : "+D"(end), "+S"(from), "+c"(words)::"memory");
    __asm__ volatile("rep movsb" : "+D"(end), "+S"(from), "+c"(rest)::"memory");
    return to;
}

void *memmove(void *to, const void *from, size_t length)
{
    unsigned char *t = to;
    const unsigned char *f = from;

    /* Forwards is right unless the destination starts inside the source. */
    if ((size_t)(t - f) >= length)
        return memcpy(to, from, length);
    while (length >= sizeof(uint64_t)) { /* sorted samples are moved this way, sample by sample */
        uint64_t word;
        length -= sizeof word;
        __builtin_memcpy(&word, f + length, sizeof word);
        __builtin_memcpy(t + length, &word, sizeof word);
        KEEP_LOOP();
    }
    while (length > 0) {
        length--;
        t[length] = f[length];
        KEEP_LOOP();
    }
    return to;
}

void *memset(void *at, int value, size_t length)
{
    void *end = at;
    size_t words = length / sizeof(uint64_t), rest = length % sizeof(uint64_t);
    uint64_t word = UINT64_C(0x0101010101010101) * (unsigned char)value;

    __asm__ volatile("rep stosq" : "+D"(end), "+c"(words) : "a"(word) : "memory");
    __asm__ volatile("rep stosb" : "+D"(end), "+c"(rest) : "a"(word) : "memory");
    return at;
}

int memcmp(const void *a, const void *b, size_t length)
{
    const unsigned char *left = a, *right = b;

    for (size_t i = 0; i < length; i++) {
        if (left[i] != right[i])
            return left[i] < right[i] ? -1 : 1;
        KEEP_LOOP();
    }
    return 0;
}

size_t strlen(const char *text)
{
    size_t length = 0;

    while (text[length] != '\0') {
        length++;
        KEEP_LOOP();
    }
    return length;
}

int strcmp(const char *a, const char *b)
{
    while (*a != '\0' && *a == *b) {
        a++;
        b++;
        KEEP_LOOP();
    }
    return (unsigned char)*a - (unsigned char)*b;
}

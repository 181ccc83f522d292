/* string: memory and string functions for the image, which has no libc. */
#include "string.h"

#include <stdint.h>

/*
 * A compiler may recognise a loop as one of these very functions and replace it by a call of
 * itself. An instruction it cannot see through, empty as it is, keeps the loop a loop.
 */
#define KEEP_LOOP() __asm__ volatile("" ::: "memory")

/*
 * Words wherever they lie, eight in a turn. String instructions take twice as long for the 15 bytes
 * of an instruction and half as long for a megabyte (Zen 4: 23 ms for a gigabyte of zeros in place
 * of 46); an emulator takes their words one by one, and four times as long.
 */
typedef uint64_t word __attribute__((may_alias, aligned(1)));
#define TURN (8 * sizeof(word))

/* Without `restrict`: each word is written before the next is read, as memmove needs it. */
static void copy_forwards(unsigned char *t, const unsigned char *f, size_t length)
{
    for (; length >= TURN; length -= TURN, t += TURN, f += TURN) {
        word *target = (word *)t;
        const word *source = (const word *)f;
        target[0] = source[0];
        target[1] = source[1];
        target[2] = source[2];
        target[3] = source[3];
        target[4] = source[4];
        target[5] = source[5];
        target[6] = source[6];
        target[7] = source[7];
        KEEP_LOOP();
    }
    for (; length >= sizeof(word); length -= sizeof(word), t += sizeof(word), f += sizeof(word)) {
        *(word *)t = *(const word *)f;
        KEEP_LOOP();
    }
    for (; length > 0; length--) {
        *t++ = *f++;
        KEEP_LOOP();
    }
}

void *memcpy(void *restrict to, const void *restrict from, size_t length)
{
    copy_forwards(to, from, length);
    return to;
}

void *memmove(void *to, const void *from, size_t length)
{
    unsigned char *t = to;
    const unsigned char *f = from;
    /* Forwards is right unless the destination starts inside the source. */
    if ((size_t)(t - f) >= length) {
        copy_forwards(t, f, length);
        return to;
    }
    while (length >= sizeof(word)) { /* sorted samples are moved this way, sample by sample */
        length -= sizeof(word);
        *(word *)(t + length) = *(const word *)(f + length);
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
    unsigned char *t = at;
    uint64_t filled = UINT64_C(0x0101010101010101) * (unsigned char)value;
    for (; length >= TURN; length -= TURN, t += TURN) {
        word *target = (word *)t;
        target[0] = target[1] = target[2] = target[3] = filled;
        target[4] = target[5] = target[6] = target[7] = filled;
        KEEP_LOOP();
    }
    for (; length > 0; length--) {
        *t++ = (unsigned char)value;
        KEEP_LOOP();
    }
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

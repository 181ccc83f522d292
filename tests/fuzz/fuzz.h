/* fuzz: what every fuzzer needs: the entry that libFuzzer calls, and properties that must hold. */
#ifndef MLPBOOT_TESTS_FUZZ_H
#define MLPBOOT_TESTS_FUZZ_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define MUST(condition)                                                                            \
    do {                                                                                           \
        if (!(condition)) {                                                                        \
            fprintf(stderr, "%s, line %d: not so: %s\n", __FILE__, __LINE__, #condition);          \
            abort();                                                                               \
        }                                                                                          \
    } while (0)

/* Bytes on the heap, exactly as many, so that the sanitizer sees whoever reads past them. */
static inline void *fuzz_copy(const void *data, size_t size)
{
    void *copy = malloc(size > 0 ? size : 1);

    MUST(copy != NULL);
    if (size > 0)
        memcpy(copy, data, size);
    return copy;
}

/* Printable ASCII, and a NUL before the end of its room. */
static inline void fuzz_check_text(const char *text, size_t room)
{
    MUST(memchr(text, '\0', room) != NULL);
    for (; *text != '\0'; text++)
        MUST(*text >= ' ' && *text <= '~');
}

/* Lines that are whole and printable ASCII. */
static inline void fuzz_check_lines(const char *text, size_t room)
{
    MUST(memchr(text, '\0', room) != NULL);
    for (; *text != '\0'; text++)
        MUST((*text >= ' ' && *text <= '~') || *text == '\n');
    MUST(text[0] == '\0');
}

/* A reason in words, which an empty one is not. */
static inline void fuzz_check_reason(const char *reason)
{
    MUST(reason != NULL && reason[0] != '\0');
    fuzz_check_text(reason, strlen(reason) + 1);
}

#endif

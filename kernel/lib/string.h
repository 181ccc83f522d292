/* string: the few functions of <string.h> that freestanding code and the compiler itself call. */
#ifndef MLPBOOT_LIB_STRING_H
#define MLPBOOT_LIB_STRING_H

#include <stdbool.h>
#include <stddef.h>

/* As in the C standard. */
void *memcpy(void *restrict to, const void *restrict from, size_t length);
void *memmove(void *to, const void *from, size_t length);
void *memset(void *at, int value, size_t length);
int memcmp(const void *a, const void *b, size_t length);
size_t strlen(const char *text);
int strcmp(const char *a, const char *b);

#endif

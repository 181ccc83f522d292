/* print_plain: text for a terminal that holds names of files, or other words of unknown origin. */
#ifndef MLPBOOT_HOSTED_PRINT_PLAIN_H
#define MLPBOOT_HOSTED_PRINT_PLAIN_H

#include <stdio.h>

/*
 * Prints as fprintf does. A question mark replaces each control character but a line's end, U+0080
 * to U+009F in UTF-8 among them: a terminal would obey them.
 */
__attribute__((format(printf, 2, 3))) void print_plain(FILE *to, const char *format, ...);

#endif

/* describe: the table of keys as text for people, where there are any: not part of the image. */
#ifndef MLPBOOT_HOSTED_DESCRIBE_H
#define MLPBOOT_HOSTED_DESCRIBE_H

#include "../../kernel/lib/text.h"

#define DESCRIBE_BYTES_MAX 32768 /* of any text made here, its final NUL included */

/* The mlpboot.cfg that is shipped: every key with its default, as comments. */
void describe_file(struct text *text);

/* The keys for --help, and how their values are written. */
void describe_help(struct text *text);

/* The text between the two marker lines of the manual: a table in Markdown, blank lines around. */
void describe_table(struct text *text);

#endif

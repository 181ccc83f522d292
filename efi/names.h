/* names: the files of a directory that are configurations, in the order in which they are run. No
 * firmware header, so that tests can hand it names of their own. */
#ifndef MLPBOOT_EFI_NAMES_H
#define MLPBOOT_EFI_NAMES_H

#include <stdint.h>

#include "../kernel/lib/text.h"
#include "boots.h"

#define NAMES_MAX 64

struct names {
    unsigned count;
    char at[NAMES_MAX][BOOTS_NAME_MAX]; /* in their order, as plain ASCII */
};

/*
 * Adds a name in UTF-16 if it ends with ".cfg", in either case, and does not begin with a dot, as
 * those do that other systems keep beside a file. Names are ordered letter by letter, capitals as
 * small ones: FAT keeps both. One that is too long or no plain ASCII is left out, and so is the
 * last one where there are too many: with a line in `remarks`.
 */
void names_add(struct names *names, const uint16_t *name, struct text *remarks);

#endif

/* protect: a firmware that lets no page be both written and run, by page tables of our own
 * (UEFI 2.10, 2.3.4). */
#ifndef MLPBOOT_WATCH_PROTECT_H
#define MLPBOOT_WATCH_PROTECT_H

#include <efi.h>

#include "../../../kernel/lib/text.h"
#include "list.h"

/*
 * From now on what breaks the rules faults: the loaded image's sections are as their headers say,
 * not writable or not executable. With PROTECT_ALL nothing runs either in memory that is data or
 * free; allocating it does not change that.
 * With PROTECT_NOTHING the tables are but loaded.
 */
void protect(EFI_HANDLE image, enum protection protection);

/*
 * From now on these pages are not mapped, or are as they were before. They are only for who was
 * given them. Needs protect first.
 */
void protect_map(uint64_t address, uint64_t pages, bool is_mapped);

/* As protect_map, of pages that can be read and not be written. */
void protect_write(uint64_t address, uint64_t pages, bool is_allowed);

/* From now on there is a fifth level of tables, of one entry. Only for one processor that has it.
 */
void protect_five_levels(uint64_t unused);

/* Appends how many pages cannot be run. */
void protect_tell(const char *moment, struct text *text);

#endif

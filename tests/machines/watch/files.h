/* files: vices of file systems, and how many volumes are opened. */
#ifndef MLPBOOT_WATCH_FILES_H
#define MLPBOOT_WATCH_FILES_H

#include <stdint.h>

#include "../../../kernel/lib/text.h"

/* As the table of vices says; the numbers mean nothing. */
void files_count_opens(uint64_t unused);
void files_open_hangs(uint64_t unused);
void files_flush_is_nothing(uint64_t unused);
void files_flush_is_unsupported(uint64_t unused);
void files_are_late(uint64_t unused);

/*
 * Appends "volume-opened" and "other-volumes-opened", how often OpenVolume of the volume booted
 * from and of others was called, where any vice of files was started.
 */
void files_tell(const char *moment, struct text *text);

#endif

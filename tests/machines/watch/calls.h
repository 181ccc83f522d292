/* calls: every firmware call of the image, counted by its place; one of them ends badly. */
#ifndef MLPBOOT_WATCH_CALLS_H
#define MLPBOOT_WATCH_CALLS_H

#include <efi.h>
#include <stdbool.h>
#include <stdint.h>

#include "../../../kernel/lib/text.h"

/* The image whose calls are meant; set before any of the vices below is added. */
void calls_of(EFI_HANDLE image);

/* True if that address is in the image. */
bool calls_are_from(uint64_t caller);

/*
 * Vices. A place is the address behind the call instruction, from the image's base on. `which` is
 * the place, shifted by 32 bits, plus the number of the call there, from 1. The calls of each place
 * are counted with all of them.
 */
void calls_are_counted(uint64_t unused);
void calls_fail(uint64_t which);      /* an error that the service's specification names */
void calls_hang(uint64_t which);      /* the call never returns */
void calls_give_zero(uint64_t which); /* success, and zeros in all that it gives back */
void calls_give_wild(uint64_t which); /* success, and AFH in all that it gives back */

/* Adds "MOMENT call-SERVICE-ENDINGS-PLACE COUNT" for each place. ENDINGS: `e` if the service may
 * return an error, `g` if it gives something back; `h` always. */
void calls_tell(const char *moment, struct text *text);

#endif

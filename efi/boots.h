/* boots: what earlier boots did, as the volume keeps it: which configuration was run how often, and
 * where a run was cut short. No firmware header, so that tests can hand it files of their own. */
#ifndef MLPBOOT_EFI_BOOTS_H
#define MLPBOOT_EFI_BOOTS_H

#include <stdbool.h>
#include <stdint.h>

#include "../kernel/config/config.h"
#include "../kernel/lib/text.h"
#include "../kernel/run.h"

#define BOOTS_FILE "mlpboot.state" /* at the root of the volume */
#define BOOTS_BYTES_MAX 131072
#define BOOTS_ENTRIES_MAX 256
#define BOOTS_NAME_MAX 64 /* of a configuration's file, its final NUL included */
#define BOOTS_STEP_MAX 24 /* of a step's name; it holds no blank and no comma */
#define BOOTS_AVOID_MAX 192

/* So many runs in a row are cut short in the same step; the next one does not try it again. One is
 * enough where a run loses little without it. */
#define BOOTS_CUT_MAX 2
#define BOOTS_LEFT_AT_ONCE STEP_PROCESSORS

/* One configuration on one machine. */
struct boots_entry {
    uint64_t machine, text; /* which machine; and a hash of what the configuration says */
    char name[BOOTS_NAME_MAX];
    uint32_t done;                 /* boots in which it was run to its end */
    uint32_t folder;               /* NNNN of the last run; 0: none was made */
    char step[BOOTS_STEP_MAX];     /* what its run is at, or was cut short in; "": no run is open */
    uint32_t cut;                  /* runs in a row that were cut short in the same step, */
    char cut_step[BOOTS_STEP_MAX]; /* this one; "": none was */
    char avoid[BOOTS_AVOID_MAX];   /* steps that are not tried again, commas between */
};

struct boots {
    uint32_t count;
    struct boots_entry entry[BOOTS_ENTRIES_MAX]; /* the oldest first */
};

/* Adds bytes to a hash of them (FNV-1a, 64 bits); it starts as BOOTS_HASH. */
#define BOOTS_HASH 0xcbf29ce484222325ull
uint64_t boots_hash(uint64_t hash, const void *data, size_t length);

/* Reads a file's text; any bytes are safe. Returns how many lines were no entry, and are forgotten.
 */
unsigned boots_read(struct boots *boots, const char *data, size_t length);

/* Appends the file's text: what boots_read gives back. */
void boots_write(const struct boots *boots, struct text *text);

/*
 * The entry of a configuration on a machine; a new one if it is missing, or if the configuration
 * said something else. If no room is left, the oldest one goes. Valid until the next call.
 */
struct boots_entry *boots_find(struct boots *boots, uint64_t machine, const char *name,
                               uint64_t text);

/*
 * True if boots are counted, and a configuration that was run in all of them is left alone from
 * then on: where the next boot comes by itself, or where somebody says how many.
 */
bool boots_are_counted(const struct config *config);

/* True if the configuration is still to be run. */
bool boots_is_open(const struct boots_entry *entry, const struct config *config);

/*
 * Takes the mark of a run that was cut short, if there is one, into account: where it `resumes`, a
 * step that was cut too often is left out from now on. Appends lines that say so, in words; nothing
 * where there is nothing to say.
 */
void boots_resume(struct boots_entry *entry, bool resumes, struct text *says);

/* True if that step is not tried again. */
bool boots_avoids(const struct boots_entry *entry, const char *step);

/* A run is at that step from now on, to be saved before the step begins. */
void boots_begin(struct boots_entry *entry, const char *step, uint32_t folder);

/* A run came to its end, whichever. */
void boots_end(struct boots_entry *entry);

#endif

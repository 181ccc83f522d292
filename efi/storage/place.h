/* place: where the files of a run may go: a folder on a volume, or a server. */
#ifndef MLPBOOT_EFI_STORAGE_PLACE_H
#define MLPBOOT_EFI_STORAGE_PLACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define PLACE_NAME_MAX 256
#define PLACE_FILES_MAX 8 /* of a run */

/* A file of the run, all of which is in memory: any place can be given it at any time. */
struct place_file {
    const char *name; /* "results.csv" */
    const char *data; /* all that it holds by now; behind that line ends, as far as it ever was */
    size_t length;
    size_t planned;    /* bytes that it will have at most, as the configuration lets one expect */
    bool is_rewritten; /* from its start, each time: no more than one file is */
    bool is_copy; /* of what the other files hold: the first that is left out for lack of room */
    bool is_cut;  /* there was no memory for its end, which nobody has */
};

/* Functions return NULL, or the reason in words. */
struct place {
    char name[PLACE_NAME_MAX]; /* where the files are, in words for people: set by `start` */
    char folder[64];           /* the name alone of the folder that they are in, likewise */
    bool no_copies; /* there is no room for copies: to save one fails, and nothing else by it */
    /* Makes room for files of a run, before anything is measured. */
    const char *(*start)(struct place *place, const struct place_file *file, unsigned files);
    /* Brings one to the place, whole and compared where that can be; `from`: what stands before it
     * was brought there already and has not changed. A place that fails is not asked again. */
    const char *(*save)(struct place *place, const struct place_file *file, size_t from);
    /* All files have what they will ever have. Also after a failure. */
    const char *(*end)(struct place *place);
};

#endif

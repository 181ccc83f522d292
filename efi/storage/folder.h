/* folder: \results\NNNN of a volume as a place for a run's files. */
#ifndef MLPBOOT_EFI_STORAGE_FOLDER_H
#define MLPBOOT_EFI_STORAGE_FOLDER_H

#include "place.h"
#include "stored.h"

#define FOLDER_FILES_MAX (PLACE_FILES_MAX + 1) /* with the spare one */

/* A file of the run. */
struct folder_file {
    const struct place_file *file;
    uint64_t saved, most; /* bytes that were saved last, and at any time */
    struct stored stored;
};

struct folder {
    struct place place; /* first: one pointer is both */
    struct volume *volume;
    void (*tell)(const char *words); /* what the user is to know, and nothing fails by */
    char path[32];
    unsigned number;         /* NNNN */
    bool is_ours;            /* it was not there; it may be, also where making it failed */
    struct place_file spare; /* for a file that is rewritten */
    unsigned files;
    struct folder_file file[FOLDER_FILES_MAX];
    bool cannot_cut; /* the firmware: files then grow as they are saved */
    char words[200];
};

/*
 * Its place's `start` makes \results\NNNN with the next free number, and in it all files, each with
 * the clusters that it is planned to need and 64 KB more: what is saved later changes nothing but
 * data, and no 64 KB page of a firmware's cache holds data of two of them. A text that replaces an
 * older one is written to run.bak first, so that one of both is whole whenever power goes. `end`
 * cuts files to what they hold, and takes away run.bak, files that hold nothing, and the folder
 * where all of them do. Power that goes while clusters change hands may leave clusters that belong
 * to nobody, which fsck.fat gives back, and results that are all there. A volume that failed is
 * given up. The volume has to stay.
 */
void folder_init(struct folder *folder, struct volume *volume, void (*tell)(const char *words));

#endif

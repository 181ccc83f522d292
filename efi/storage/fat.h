/* fat: a FAT12, FAT16 or FAT32 volume as it is on the disk, read around whoever else has it
 * mounted. It only reads; it knows no firmware. */
#ifndef MLPBOOT_EFI_STORAGE_FAT_H
#define MLPBOOT_EFI_STORAGE_FAT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Formulas and offsets: "Microsoft Extensible Firmware Initiative FAT32 File System Specification",
 * version 1.03 (fatgen103); long names: its section "FAT Long Directory Entries". What is checked
 * is what fsck.fat of dosfstools 4.2 checks, but for long names that are left over, sizes that
 * folders have, and where ".." leads. Functions return NULL, or the reason in words.
 */

#define FAT_WINDOW 16384 /* bytes that are read at once */

/* Where the volume is. */
struct fat_disk {
    /*
     * Reads `length` bytes from byte `at` of the volume: `at` is a multiple of FAT_WINDOW, `length`
     * that size or what the volume has left; `to` is aligned to 4096. What it refuses with ends
     * what was asked for: it may also say that it has taken long enough.
     */
    const char *(*read)(void *context, uint64_t at, void *to, size_t length);
    void *context;
    uint64_t bytes; /* of the volume, a multiple of the disk's sectors */
};

/* A piece of the volume that was read. */
struct fat_window {
    uint8_t bytes[FAT_WINDOW] __attribute__((aligned(4096)));
    uint64_t at;
    size_t length; /* 0: none was read */
};

#define FAT_STATE_DIRTY 1 /* bit of the state byte: somebody writes, or did not end */

/* An open volume. What was read is kept: who has written since opens it again. */
struct fat {
    struct fat_disk disk;
    unsigned bits;                  /* of an entry of the table: 12, 16 or 32 */
    unsigned sector, cluster_bytes; /* bytes */
    uint32_t clusters;              /* numbered from 2 */
    uint64_t table_at, table_bytes; /* the first copy, or the only one in use */
    unsigned copies;
    uint64_t root_at; /* FAT12 and FAT16: the root folder, */
    uint32_t root_entries;
    uint32_t root_cluster; /* FAT32: its first cluster; else 0 */
    uint64_t data_at;      /* of cluster 2 */
    uint32_t free_told;    /* free clusters, as FSInfo says; UINT32_MAX: not told */
    /* The boot sector's byte with FAT_STATE_DIRTY, from the volume's start: to be written back with
     * that bit set or cleared, the rest of its sector as it is. 0: this boot sector has none. */
    unsigned state_at;
    uint8_t state;
    bool table_dirty;  /* entry 1 of the table says that the volume was not unmounted, */
    bool table_errors; /* or that a driver met errors of the disk */
    const char *failure;
    struct fat_window table, data;
};

/*
 * Opens a volume. Every field of its boot sector is checked against the others and the volume's
 * size; nothing that is read later can lead beyond it. A struct fat is large: have it static.
 */
const char *fat_open(struct fat *fat, const struct fat_disk *disk);

/* Whether the boot sector or the table says that the volume was left while it was written. */
bool fat_is_dirty(const struct fat *fat);

/* A piece of a file, from the volume's start. The last one ends with the file. */
struct fat_extent {
    uint64_t at, length;
};

struct fat_file {
    bool is_directory, is_missing; /* missing: the others are 0 */
    uint32_t bytes;
    struct fat_extent *extent; /* the caller's, of room for `extents_max` */
    unsigned extents_max, extents;
};

/*
 * Finds a file or folder by its path from the root, "\results\0007\run.json": ASCII, in capitals or
 * not, short names or long ones. That there is none is no failure. A file of more pieces than there
 * is room for is one; so is a file whose clusters end before it does. Folders have no extents.
 */
const char *fat_find(struct fat *fat, const char *path, struct fat_file *file);

/* What may be wrong with a volume. */
enum fat_finding {
    /* Harmless: nothing that is written now destroys what is there. */
    FAT_NOT_UNMOUNTED, /* the boot sector's bit, or the table's */
    FAT_DISK_ERRORS,   /* of the past */
    FAT_LOST,          /* clusters that are in use and belong to no file */
    FAT_FREE_COUNT,
    FAT_LONGER, /* files with clusters behind their end */
    FAT_COPIES, /* sectors in which the table's copies differ */
    FAT_HARMLESS_LAST = FAT_COPIES,
    /* Where somebody writes now, data may be lost. */
    FAT_SHARED,  /* clusters that two files have, or one twice */
    FAT_SHORTER, /* files whose clusters end before they do */
    FAT_ASTRAY,  /* chains that come to a cluster that is free, bad or not there */
    FAT_FOLDER,  /* folders that are none, or entries that cannot be */
    FAT_FINDINGS,
};

#define FAT_WORDS_MAX 512

struct fat_damage {
    uint32_t found[FAT_FINDINGS]; /* how many */
    bool is_dangerous;            /* any of those that are not harmless */
    char words[FAT_WORDS_MAX];    /* "": nothing is wrong */
};

#define FAT_DEPTH_MAX 128 /* folders in each other; a path of 260 characters has fewer */

/* Bytes of the map that fat_check wants: a bit for each cluster. 32 GB in clusters of 32 KB: 128
 * KB. */
size_t fat_map_bytes(const struct fat *fat);

/*
 * Checks the whole volume: each chain against its file's size, all tables against each other, and
 * whether all clusters in use belong to something. `map` is of that size and need not be cleared.
 * It takes a walk through all folders and all tables, each cluster once: 4 MB of each copy are read
 * for a million clusters. Returns why it could not be done; then *damage says what was found until
 * then.
 */
const char *fat_check(struct fat *fat, uint8_t *map, struct fat_damage *damage);

#endif

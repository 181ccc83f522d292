/* fat: a FAT12, FAT16 or FAT32 volume as it is on the disk, read around whoever else has it
 * mounted. It only reads; it knows no firmware. */
#ifndef MLPBOOT_EFI_STORAGE_FAT_H
#define MLPBOOT_EFI_STORAGE_FAT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Formulas and offsets: "Microsoft Extensible Firmware Initiative FAT32 File System Specification",
 * version 1.03 (fatgen103); long names: its section "FAT Long Directory Entries". Functions return
 * NULL, or the reason in words.
 */

#define FAT_WINDOW 16384 /* bytes that are read at once */

/* The source of the volume's sectors. */
struct fat_disk {
    /*
     * Reads `length` bytes from byte `at` of the volume: `at` is a multiple of FAT_WINDOW, `length`
     * that size or what the volume has left; `to` is aligned to 4096. Its refusal ends the call: it
     * may also say that it has taken long enough.
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

/* An open volume. Sectors that were read are kept: who has written since opens it again. */
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
    bool is_dirty; /* the boot sector or the table says that the volume was left while it was
                      written */
    const char *failure;
    struct fat_window table, data;
};

/*
 * Opens a volume. Every field of its boot sector is checked against the others and the volume's
 * size; nothing that is read later can lead beyond it. A struct fat is large: have it static.
 */
const char *fat_open(struct fat *fat, const struct fat_disk *disk);

/* A piece of a file, from the volume's start. The last one ends with the file. */
struct fat_extent {
    uint64_t at, length;
};

struct fat_file {
    bool is_directory, is_missing; /* missing: the others are 0 */
    uint32_t bytes;
    uint32_t start; /* the first cluster; 0: none, or the root folder of FAT12 and FAT16 */
    struct fat_extent *extent; /* the caller's, of room for `extents_max` */
    unsigned extents_max, extents;
};

/*
 * Finds a file or folder by its path from the root, "\results\0007\run.json": ASCII, in capitals or
 * not, short names or long ones. A missing one is no failure. A file of more pieces than there
 * is room for is one; so is a file whose clusters end before it does. Folders have no extents.
 */
const char *fat_find(struct fat *fat, const char *path, struct fat_file *file);

/*
 * Walks the clusters of a folder by its path: whoever reads it comes to its end, and within the
 * entries that a folder may have. That there is no such folder is no failure, nor that a file has
 * its name. Returns NULL, or what is wrong.
 */
const char *fat_folder_ends(struct fat *fat, const char *path);

#endif

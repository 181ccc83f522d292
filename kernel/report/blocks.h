/* blocks: files on the console in pieces that a serial log gives back exactly, or not at all. */
#ifndef MLPBOOT_REPORT_BLOCKS_H
#define MLPBOOT_REPORT_BLOCKS_H

#include "../lib/sha256.h"
#include "../platform.h"

/*
 * A block is a piece of a file, of BLOCK_BYTES at most, which ends with a line where it can:
 *
 *     === mlpboot 0007-3f2a91c4 results.csv version 1 at 2040 bytes 1999 ===
 *     |mlp,2m,3,64,...
 *     === mlpboot end sha256 0123456789abcdef ===
 *
 * Its first line, without the marks at both ends, is its title: the run, the file, which writing
 * of the file this is, where in the file the piece has its place, and how many bytes it has. Each
 * line of the text begins with a bar, so that no other output is taken for one. No line has more
 * than BLOCK_COLUMNS characters and is broken by a console. One that ends in a backslash goes on in
 * the next without a line's end. Before that a backslash is "\\", any byte that is no printable
 * ASCII, and a blank at a line's end, "\x" and two digits. The checksum is of the piece followed by
 * the title: the first BLOCK_CHECKSUM digits.
 *
 * After the last piece of a file there is a block whose text is the checksum of the whole file, all
 * of its digits, and whose title tells the file's length:
 *
 *     === mlpboot 0007-3f2a91c4 results.csv version 1 whole 4039 ===
 *     |ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad
 *     === mlpboot end sha256 fedcba9876543210 ===
 */
#define BLOCK_BYTES 2048
#define BLOCK_COLUMNS 79
#define BLOCK_RUN_MAX 18 /* characters of a run's name, the final NUL included */
#define BLOCK_TITLE_MAX 72
#define BLOCK_CHECKSUM 16 /* of the 64 digits: what a noisy line does to a block does not pass */

struct block_file {
    const char *run;  /* letters, digits, dots, hyphens and underscores, as in `name` */
    const char *name; /* "results.csv" */
    unsigned version; /* from 1 */
};

/* Prints the part of a file that begins `at` bytes from its start; nothing for no bytes. */
void blocks_print(struct platform *platform, const struct block_file *file, uint64_t at,
                  const char *data, size_t length);

/* Prints where the file ends; `content` has been given all of it. */
void blocks_print_whole(struct platform *platform, const struct block_file *file,
                        const struct sha256 *content);

/* Both of a file that is all there. */
void blocks_print_file(struct platform *platform, const struct block_file *file, const char *data,
                       size_t length);

#endif

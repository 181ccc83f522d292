/* serial_log: the files of runs that a serial port's log holds. It reads memory and nothing else.
 */
#ifndef MLPBOOT_HOSTED_SERIAL_LOG_H
#define MLPBOOT_HOSTED_SERIAL_LOG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "../../kernel/report/blocks.h"

#define SERIAL_RUN_MAX 32     /* characters of a run's name, the final NUL included */
#define SERIAL_REASON_MAX 512 /* of why a file is not whole */

/* A piece of a file. */
struct serial_part {
    uint64_t at;
    size_t length;
    const char *data; /* NULL: there was such a block, and it came damaged */
};

/* One writing of a file. */
struct serial_file {
    char name[BLOCK_FILE_MAX];
    unsigned version;          /* as blocks tell it; 0: lines without blocks or checksum */
    struct serial_part *parts; /* as they came */
    size_t count;
    size_t bytes;              /* of all parts of lines without blocks */
    bool has_end;              /* where the file ends is known, */
    uint64_t end;              /* and so are, of blocks, its length */
    char sum[BLOCK_WHOLE_MAX]; /* and its checksum */
    bool is_noisy;             /* lines without blocks that hold what no console prints */
    bool is_doubted;           /* blocks contradict each other */
};

struct serial_run {
    char name[SERIAL_RUN_MAX]; /* as its blocks have it; run-1, run-2 where it has none */
    struct serial_file *files; /* in the order in which they were begun */
    size_t count;
};

struct serial_log {
    struct serial_run *runs; /* in the log's order */
    size_t count;
    size_t lost;  /* damaged blocks that belong to none of them, as far as one can tell */
    char *memory; /* what parts point into */
};

/*
 * Reads a log as it was recorded: with a terminal's control sequences, carriage returns, other
 * output between the lines, a time before each, noise; blocks in any order, twice, cut off, or
 * damaged; several runs. What a run's name or a file's name is made of is as blocks.h says, so that
 * it can be a file's name anywhere. False: there is not enough memory. Free it in any case.
 */
bool serial_log_read(struct serial_log *log, const char *data, size_t length);
void serial_log_free(struct serial_log *log);

/* A file put together of its parts, in order, without those that are missing. */
struct serial_whole {
    char *data; /* to be freed; NULL: not enough memory */
    size_t length;
    bool is_whole;
    char reason[SERIAL_REASON_MAX]; /* why it is not, in words */
};

void serial_file_join(const struct serial_file *file, struct serial_whole *whole);

#endif

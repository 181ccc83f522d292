/* record: a run's files as it writes them; what cannot be saved goes to the console instead. */
#ifndef MLPBOOT_REPORT_RECORD_H
#define MLPBOOT_REPORT_RECORD_H

#include "../lib/text.h"
#include "../platform.h"
#include "blocks.h"

#define RECORD_LOG_BYTES 16384 /* of events between two saves; more than twenty messages */
#define RECORD_REPORT_BYTES (256u << 10) /* into report.html at once: to open it takes long */

#define RECORD_FILES_MAX 4 /* of a run: results.csv, verdicts.csv, run.json, log.txt */

/* A file, and what of it is on the console as blocks. */
struct record_file {
    const char *name;      /* NULL: not written to yet */
    struct sha256 content; /* of what was appended, saved or not */
    uint64_t printed;      /* bytes from its start that need no printing any more */
    unsigned version;      /* the last one begun on the console; 0: none */
    bool is_open;          /* begun there, and its end is still to be printed */
    bool in_report;        /* a version of it is in report.html */
    char reason[160];      /* why some of it could not be saved last; empty: all was */
};

struct record {
    struct platform *platform;
    char run[BLOCK_RUN_MAX]; /* as blocks call it: the folder, where it has a short name, and a
                                number that no other run in a log has */
    struct record_file files[RECORD_FILES_MAX];
    bool failed;     /* something could not be saved; said on the console */
    bool has_report; /* there is something in report.html, */
    bool no_report;  /* but nothing more will be; said on the console */
    bool is_printed; /* the log's first marker is on the console */
    struct text log;
    char log_memory[RECORD_LOG_BYTES];
};

/* `started`: ticks when the run was started, which tell runs apart. The platform gets the run's
 * name, which is valid as long as the record. */
void record_init(struct record *record, struct platform *platform, uint64_t started);

/*
 * Adds one line to the log, key=value as in the contract; "event=..." comes first, and a value that
 * holds blanks comes last and goes on to the end of the line. It stays in memory until
 * record_save_log: firmware writes slowly, and sticks wear.
 */
void record_event(struct record *record, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
void record_save_log(struct record *record);

/* The same for each line of a text, as its `message`. */
void record_lines(struct record *record, const char *event, const char *lines);

/* The platform's news, as event=place. */
void record_news(struct record *record);

/*
 * If the platform prints files (platform.h), each line of the log goes to the console when it is
 * saved, and the last one with it is followed by a marker, as the first one is led by one:
 *
 *     === mlpboot log.txt begin ===
 *     === mlpboot log.txt end ===
 *
 * Other lines may stand between them; those of the log start with "event=". A line longer than
 * RECORD_COLUMNS goes on in the next line, after a backslash in the column behind: no console
 * breaks it elsewhere. Call this once, in place of record_save_log, after the last event.
 */
#define RECORD_COLUMNS 78
void record_end_log(struct record *record);

/*
 * Adds to, or writes, a file; one file is always either added to or written.
 *
 * Text that cannot be saved is printed as blocks (blocks.h). With the first of a file goes all that
 * was added before, as far as the platform holds it, and whatever is added afterwards, saved or
 * not: a log of the console has it whole. record_end_log prints its end. If a file will be written
 * again, not `final`, only the first text is printed. The reason is printed once for each file, and
 * again if it changes.
 *
 * Saved text goes into report.html too (elements.h), the log's as well, if the platform writes
 * one; of a file that is written again the first version and the `final` one. If that fails, the
 * reason is reported once, on the console and in the log, and the report ends there: the run goes
 * on, and has failed in nothing.
 */
void record_append(struct record *record, const char *file, const struct text *text);
void record_replace(struct record *record, const char *file, const struct text *text, bool final);

/* Adds which files could not be saved, and why; nothing if all were. */
void record_tell_missing(const struct record *record, struct text *text);

#endif

/* collect_writer: what collecting asks of a database. */
#ifndef MLPBOOT_HOSTED_COLLECT_WRITER_H
#define MLPBOOT_HOSTED_COLLECT_WRITER_H

#include "collect_tables.h"

/*
 * Functions that return a text return NULL, or the reason in words; it stays until the next call.
 * A run is one transaction: all of it is there, or nothing.
 */
struct collect_writer {
    bool is_broken; /* after a failure: no other run would fare better */

    /*
     * Starts a run. `machine` NULL: nobody knows which it was. Where the run is there already,
     * whoever wrote it, `is_there` is set and nothing was started. Waits for those who write the
     * same run or machine.
     */
    const char *(*begin_run)(struct collect_writer *self, const struct collect_cell *machine,
                             const struct collect_cell *run, bool *is_there);
    /* Rows of one table after the other. */
    const char *(*add_row)(struct collect_writer *self, enum collect_table_name table,
                           const struct collect_cell *cells);
    const char *(*end_run)(struct collect_writer *self);
    /* Undoes a run that was started, also after a failure of the functions above. */
    void (*abandon_run)(struct collect_writer *self);
    void (*close)(struct collect_writer *self);
};

/*
 * Open the database and make the tables where it is empty. A database that holds anything else,
 * or tables of another version, is left as it is. One of each at a time.
 */
const char *collect_sqlite_open(const char *path, struct collect_writer **writer);
const char *collect_postgresql_open(const char *uri, struct collect_writer **writer);

#endif

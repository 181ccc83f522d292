/* collect_sqlite: runs into a file of SQLite. */
#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>

#include "../../kernel/lib/text.h"
#include "collect_writer.h"
#include "shared_library.h"

#define BUSY_MILLISECONDS 60000   /* that others may write meanwhile */
#define APPLICATION_ID 0x6d6c7062 /* "mlpb", in the file's header; `file` shows it */

#define FUNCTIONS(F)                                                                               \
    F(sqlite3_open_v2)                                                                             \
    F(sqlite3_close_v2)                                                                            \
    F(sqlite3_errmsg)                                                                              \
    F(sqlite3_errcode)                                                                             \
    F(sqlite3_system_errno)                                                                        \
    F(sqlite3_busy_timeout)                                                                        \
    F(sqlite3_exec)                                                                                \
    F(sqlite3_prepare_v2)                                                                          \
    F(sqlite3_step)                                                                                \
    F(sqlite3_reset)                                                                               \
    F(sqlite3_finalize)                                                                            \
    F(sqlite3_changes)                                                                             \
    F(sqlite3_column_int64)                                                                        \
    F(sqlite3_bind_null)                                                                           \
    F(sqlite3_bind_text)                                                                           \
    F(sqlite3_bind_int64)                                                                          \
    F(sqlite3_bind_double)

static struct {
    FUNCTIONS(SHARED_POINTER)
} lib;

static const char *const names[] = {FUNCTIONS(SHARED_NAME) NULL};
static const struct shared_library library = {"libsqlite3.so.0", "libsqlite3-0", names, &lib};

static const struct collect_dialect dialect = {
    .type = {[COLLECT_TEXT] = "text",
             [COLLECT_WHOLE] = "integer",
             [COLLECT_NUMBER] = "real",
             [COLLECT_JSON] = "text"},
    .clustered = " WITHOUT ROWID", /* the rows are in the key's order: a run's id is there once */
    .parameter = '?',
};

struct sqlite_writer {
    struct collect_writer base;
    sqlite3 *database;
    sqlite3_stmt *insert[TABLES];
    char reason[512];
};

/* --- statements ------------------------------------------------------------------------------ */

static struct sqlite_writer *own(struct collect_writer *self)
{
    return (struct sqlite_writer *)self;
}

/* In SQLite's words. Only what is wrong with the row itself leaves hope for the next run. */
static const char *fail(struct sqlite_writer *w)
{
    int code = lib.sqlite3_errcode(w->database) & 0xff;

    w->base.is_broken = code != SQLITE_CONSTRAINT && code != SQLITE_TOOBIG;
    return text_write(w->reason, sizeof(w->reason), "%s", lib.sqlite3_errmsg(w->database));
}

static const char *execute(struct sqlite_writer *w, const char *statement)
{
    return lib.sqlite3_exec(w->database, statement, NULL, NULL, NULL) == SQLITE_OK ? NULL : fail(w);
}

/* The number that a query of one number says. */
static const char *query(struct sqlite_writer *w, const char *statement, int64_t *number)
{
    sqlite3_stmt *prepared = NULL;
    bool is_right =
        lib.sqlite3_prepare_v2(w->database, statement, -1, &prepared, NULL) == SQLITE_OK &&
        lib.sqlite3_step(prepared) == SQLITE_ROW;
    const char *reason = is_right ? NULL : fail(w);

    *number = is_right ? lib.sqlite3_column_int64(prepared, 0) : 0;
    lib.sqlite3_finalize(prepared);
    return reason;
}

static void bind(sqlite3_stmt *statement, int at, const struct collect_cell *cell)
{
    if (cell->is_null)
        lib.sqlite3_bind_null(statement, at);
    else if (cell->kind == COLLECT_WHOLE)
        lib.sqlite3_bind_int64(statement, at, cell->whole);
    else if (cell->kind == COLLECT_NUMBER)
        lib.sqlite3_bind_double(statement, at, cell->number);
    else
        lib.sqlite3_bind_text(statement, at, cell->text, (int)cell->length, SQLITE_STATIC);
}

static const char *add_row(struct collect_writer *self, enum collect_table_name table,
                           const struct collect_cell *cells)
{
    struct sqlite_writer *w = own(self);
    sqlite3_stmt *statement = w->insert[table];

    for (size_t i = 0; i < collect_tables[table].count; i++)
        bind(statement, (int)i + 1, &cells[i]);
    const char *reason = lib.sqlite3_step(statement) == SQLITE_DONE ? NULL : fail(w);
    lib.sqlite3_reset(statement);
    return reason;
}

/* --- runs ------------------------------------------------------------------------------------ */

static void abandon_run(struct collect_writer *self)
{
    lib.sqlite3_exec(own(self)->database, "ROLLBACK", NULL, NULL, NULL);
}

static const char *begin_run(struct collect_writer *self, const struct collect_cell *machine,
                             const struct collect_cell *run, bool *is_there)
{
    struct sqlite_writer *w = own(self);
    const char *reason = execute(w, "BEGIN IMMEDIATE");

    if (reason != NULL)
        return reason;
    if (machine != NULL)
        reason = add_row(self, TABLE_MACHINES, machine);
    if (reason == NULL)
        reason = add_row(self, TABLE_RUNS, run);
    *is_there = reason == NULL && lib.sqlite3_changes(w->database) == 0;
    if (reason != NULL || *is_there)
        abandon_run(self);
    return reason;
}

static const char *end_run(struct collect_writer *self)
{
    return execute(own(self), "COMMIT");
}

/* --- opening --------------------------------------------------------------------------------- */

/* A statement made by collect_create or collect_insert, for sqlite3_prepare_v2 or sqlite3_exec. */
static char *compose(void make(FILE *to, const struct collect_dialect *dialect,
                               enum collect_table_name table),
                     enum collect_table_name table, const char *behind)
{
    char *text = NULL;
    size_t size = 0;
    FILE *to = open_memstream(&text, &size);

    if (to == NULL)
        return NULL;
    make(to, &dialect, table);
    fputs(behind, to);
    if (fclose(to) == 0)
        return text;
    free(text);
    return NULL;
}

static const char *create(struct sqlite_writer *w)
{
    char marks[128];
    const char *reason = NULL;

    for (unsigned i = 0; i < TABLES && reason == NULL; i++) {
        char *statement = compose(collect_create, (enum collect_table_name)i, "");
        reason = statement != NULL ? execute(w, statement) : "not enough memory";
        free(statement);
    }
    snprintf(marks, sizeof(marks), "PRAGMA application_id = %d; PRAGMA user_version = %d",
             APPLICATION_ID, COLLECT_VERSION);
    return reason != NULL ? reason : execute(w, marks);
}

/* Makes the tables in an empty file; leaves every file alone that is neither empty nor ours. */
static const char *check(struct sqlite_writer *w)
{
    int64_t application, version, objects;
    const char *reason = query(w, "PRAGMA application_id", &application);

    if (reason == NULL)
        reason = query(w, "PRAGMA user_version", &version);
    if (reason == NULL)
        reason = query(w, "SELECT count(*) FROM sqlite_master", &objects);
    if (reason != NULL)
        return reason;
    if (application == 0 && version == 0 && objects == 0)
        return create(w);
    if (application != APPLICATION_ID)
        return "this database holds something else; expected one that `collect` made, an empty "
               "file or none";
    if (version != COLLECT_VERSION)
        return text_write(w->reason, sizeof(w->reason),
                          "its tables are of version %ld; this command writes version %d",
                          (long)version, COLLECT_VERSION);
    return NULL;
}

/* Two who come to an empty file at once: the second one finds the tables. */
static const char *make_tables(struct sqlite_writer *w)
{
    const char *reason = execute(w, "BEGIN IMMEDIATE");

    if (reason != NULL)
        return reason;
    reason = check(w);
    if (reason == NULL)
        return execute(w, "COMMIT");
    lib.sqlite3_exec(w->database, "ROLLBACK", NULL, NULL, NULL);
    return reason;
}

static const char *prepare(struct sqlite_writer *w)
{
    const char *reason = NULL;

    for (unsigned i = 0; i < TABLES && reason == NULL; i++) {
        bool may_be_there = i == TABLE_MACHINES || i == TABLE_RUNS;
        char *statement = compose(collect_insert, (enum collect_table_name)i,
                                  may_be_there ? " ON CONFLICT DO NOTHING" : "");
        if (statement == NULL)
            reason = "not enough memory";
        else if (lib.sqlite3_prepare_v2(w->database, statement, -1, &w->insert[i], NULL) !=
                 SQLITE_OK)
            reason = fail(w);
        free(statement);
    }
    return reason;
}

static const char *set_up(struct sqlite_writer *w)
{
    lib.sqlite3_busy_timeout(w->database, BUSY_MILLISECONDS);
    const char *reason = execute(w, "PRAGMA foreign_keys = ON");
    if (reason == NULL)
        reason = make_tables(w);
    return reason != NULL ? reason : prepare(w);
}

static void close_database(struct collect_writer *self)
{
    struct sqlite_writer *w = own(self);

    for (unsigned i = 0; i < TABLES; i++)
        lib.sqlite3_finalize(w->insert[i]);
    lib.sqlite3_close_v2(w->database);
}

/* With the system's word, where it has one. */
static const char *say_unopened(struct sqlite_writer *w)
{
    int error = lib.sqlite3_system_errno(w->database);
    return text_write(w->reason, sizeof(w->reason),
                      "%s%s%s; accepted: a database of collect's, or a new file in a folder that "
                      "is there",
                      lib.sqlite3_errmsg(w->database), error != 0 ? ": " : "",
                      error != 0 ? strerror(error) : "");
}

const char *collect_sqlite_open(const char *path, struct collect_writer **writer)
{
    static struct sqlite_writer w;
    const char *reason = shared_library_open(&library);

    if (reason != NULL)
        return reason;
    w = (struct sqlite_writer){.base = {.begin_run = begin_run,
                                        .add_row = add_row,
                                        .end_run = end_run,
                                        .abandon_run = abandon_run,
                                        .close = close_database}};
    int flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE;
    if (lib.sqlite3_open_v2(path, &w.database, flags, NULL) != SQLITE_OK)
        reason = say_unopened(&w);
    if (reason == NULL)
        reason = set_up(&w);
    *writer = &w.base;
    if (reason != NULL)
        close_database(&w.base);
    return reason;
}

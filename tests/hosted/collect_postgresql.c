/* collect_postgresql: runs into a PostgreSQL server, by COPY. */
#include <inttypes.h>
#include <postgresql/libpq-fe.h>
#include <stdlib.h>
#include <string.h>

#include "../../kernel/lib/text.h"
#include "collect_writer.h"
#include "shared_library.h"

#define NUMBER_MAX 32   /* characters of a number */
#define PIECE_MAX 65536 /* bytes that are sent at once */
#define CELL_MAX 512    /* of one cell of verdicts or points, each byte escaped */
#define LOCK "7813016"  /* any number that no other program has locked: who makes the tables */

#define FUNCTIONS(F)                                                                               \
    F(PQconnectdb)                                                                                 \
    F(PQfinish)                                                                                    \
    F(PQstatus)                                                                                    \
    F(PQsetClientEncoding)                                                                         \
    F(PQerrorMessage)                                                                              \
    F(PQexec)                                                                                      \
    F(PQprepare)                                                                                   \
    F(PQexecPrepared)                                                                              \
    F(PQresultStatus)                                                                              \
    F(PQresultErrorField)                                                                          \
    F(PQgetResult)                                                                                 \
    F(PQgetvalue)                                                                                  \
    F(PQcmdTuples)                                                                                 \
    F(PQclear)                                                                                     \
    F(PQputCopyData)                                                                               \
    F(PQputCopyEnd)

static struct {
    FUNCTIONS(SHARED_POINTER)
} lib;

static const char *const names[] = {FUNCTIONS(SHARED_NAME) NULL};
static const struct shared_library library = {"libpq.so.5", "libpq5", names, &lib};

static const struct collect_dialect dialect = {
    .type = {[COLLECT_TEXT] = "text",
             [COLLECT_WHOLE] = "bigint",
             [COLLECT_NUMBER] = "double precision",
             [COLLECT_JSON] = "jsonb"},
    .clustered = "",
    .parameter = '$',
};

struct postgresql_writer {
    struct collect_writer base;
    PGconn *server;
    bool is_copying;
    enum collect_table_name copied; /* the table */
    char piece[PIECE_MAX];
    size_t length;
    char reason[512];
};

/* --- statements ------------------------------------------------------------------------------ */

static struct postgresql_writer *own(struct collect_writer *self)
{
    return (struct postgresql_writer *)self;
}

/* In the server's words, or the connection's: the first line of them. */
static const char *fail(struct postgresql_writer *w, const PGresult *result)
{
    const char *words =
        result != NULL ? lib.PQresultErrorField(result, PG_DIAG_MESSAGE_PRIMARY) : NULL;

    if (words == NULL)
        words = lib.PQerrorMessage(w->server);
    w->base.is_broken = lib.PQstatus(w->server) != CONNECTION_OK;
    return text_write(w->reason, sizeof(w->reason), "%.*s", (int)strcspn(words, "\n"), words);
}

/* Takes the result over. NULL: it is as expected; `number`, if wanted, is its first value. */
static const char *expect(struct postgresql_writer *w, PGresult *result, ExecStatusType status,
                          int64_t *number)
{
    const char *reason = lib.PQresultStatus(result) == status ? NULL : fail(w, result);

    if (reason == NULL && number != NULL)
        *number = atoll(status == PGRES_TUPLES_OK ? lib.PQgetvalue(result, 0, 0)
                                                  : lib.PQcmdTuples(result));
    lib.PQclear(result);
    return reason;
}

static const char *execute(struct postgresql_writer *w, const char *statement)
{
    return expect(w, lib.PQexec(w->server, statement), PGRES_COMMAND_OK, NULL);
}

/* The number that a query of one number says. */
static const char *query(struct postgresql_writer *w, const char *statement, int64_t *number)
{
    return expect(w, lib.PQexec(w->server, statement), PGRES_TUPLES_OK, number);
}

/* A number as text that means the same number. */
static const char *number_text(const struct collect_cell *cell, char text[NUMBER_MAX])
{
    if (cell->kind == COLLECT_WHOLE)
        snprintf(text, NUMBER_MAX, "%" PRId64, cell->whole);
    else
        snprintf(text, NUMBER_MAX, "%.17g", cell->number);
    return text;
}

static bool is_number(const struct collect_cell *cell)
{
    return cell->kind == COLLECT_WHOLE || cell->kind == COLLECT_NUMBER;
}

/* By the statement that is called like the table; `added`: 0 where it was there. */
static const char *insert(struct postgresql_writer *w, enum collect_table_name table,
                          const struct collect_cell *cells, int64_t *added)
{
    const struct collect_table *schema = &collect_tables[table];
    const char *value[COLLECT_COLUMNS_MAX];
    char number[COLLECT_COLUMNS_MAX][NUMBER_MAX];

    for (size_t i = 0; i < schema->count; i++)
        value[i] = cells[i].is_null       ? NULL
                   : is_number(&cells[i]) ? number_text(&cells[i], number[i])
                                          : cells[i].text;
    return expect(
        w, lib.PQexecPrepared(w->server, schema->name, (int)schema->count, value, NULL, NULL, 0),
        PGRES_COMMAND_OK, added);
}

/* --- COPY ------------------------------------------------------------------------------------ */

static const char *send_piece(struct postgresql_writer *w)
{
    bool is_sent = w->length == 0 || lib.PQputCopyData(w->server, w->piece, (int)w->length) == 1;

    w->length = 0;
    return is_sent ? NULL : fail(w, NULL);
}

static const char *start_copy(struct postgresql_writer *w, enum collect_table_name table)
{
    char statement[1024];
    FILE *to = fmemopen(statement, sizeof(statement), "w");

    if (to == NULL)
        return "not enough memory";
    fprintf(to, "COPY \"%s\" (", collect_tables[table].name);
    collect_names(to, table);
    fputs(") FROM STDIN", to);
    fclose(to);
    const char *reason = expect(w, lib.PQexec(w->server, statement), PGRES_COPY_IN, NULL);
    w->is_copying = reason == NULL;
    w->copied = table;
    w->length = 0;
    return reason;
}

/* What the server has to say at the end; `error` NULL: all was sent. */
static const char *finish_copy(struct postgresql_writer *w, const char *error)
{
    const char *reason = NULL;
    PGresult *result;

    w->is_copying = false;
    if (lib.PQputCopyEnd(w->server, error) != 1)
        return fail(w, NULL);
    while ((result = lib.PQgetResult(w->server)) != NULL) {
        const char *why = expect(w, result, PGRES_COMMAND_OK, NULL);
        reason = reason != NULL ? reason : why;
    }
    return reason;
}

static const char *end_copy(struct postgresql_writer *w)
{
    const char *reason = w->is_copying ? send_piece(w) : NULL;

    return reason == NULL && w->is_copying ? finish_copy(w, NULL) : reason;
}

static void put(struct postgresql_writer *w, char c)
{
    w->piece[w->length++] = c;
}

/* A backslash, and what ends cells and lines, come with a backslash before their names. */
static void put_text(struct postgresql_writer *w, const char *text, size_t length)
{
    static const char special[] = "\\\t\n\r", called[] = "\\tnr";

    for (size_t i = 0; i < length; i++) {
        const char *found = text[i] != '\0' ? strchr(special, text[i]) : NULL;
        if (found != NULL)
            put(w, '\\');
        put(w, found != NULL ? called[found - special] : text[i]);
    }
}

static void put_cell(struct postgresql_writer *w, const struct collect_cell *cell)
{
    char number[NUMBER_MAX];

    if (cell->is_null) {
        put(w, '\\');
        put(w, 'N');
    } else if (is_number(cell)) {
        number_text(cell, number);
        put_text(w, number, strlen(number));
    } else {
        put_text(w, cell->text, cell->length);
    }
}

static const char *add_row(struct collect_writer *self, enum collect_table_name table,
                           const struct collect_cell *cells)
{
    struct postgresql_writer *w = own(self);
    const struct collect_table *schema = &collect_tables[table];
    const char *reason = NULL;

    if (w->is_copying && w->copied != table)
        reason = end_copy(w);
    if (reason == NULL && !w->is_copying)
        reason = start_copy(w, table);
    if (reason != NULL)
        return reason;
    for (size_t i = 0; i < schema->count; i++) {
        put_cell(w, &cells[i]);
        put(w, i + 1 < schema->count ? '\t' : '\n');
    }
    return w->length > PIECE_MAX - COLLECT_COLUMNS_MAX * CELL_MAX ? send_piece(w) : NULL;
}

/* --- runs ------------------------------------------------------------------------------------ */

static void abandon_run(struct collect_writer *self)
{
    struct postgresql_writer *w = own(self);

    if (w->is_copying)
        finish_copy(w, "abandoned");
    lib.PQclear(lib.PQexec(w->server, "ROLLBACK"));
}

/* The insert of a run that someone else is writing waits until that one is there, or is not. */
static const char *begin_run(struct collect_writer *self, const struct collect_cell *machine,
                             const struct collect_cell *run, bool *is_there)
{
    struct postgresql_writer *w = own(self);
    int64_t added = 0;
    const char *reason = execute(w, "BEGIN");

    if (reason == NULL && machine != NULL)
        reason = insert(w, TABLE_MACHINES, machine, NULL);
    if (reason == NULL)
        reason = insert(w, TABLE_RUNS, run, &added);
    *is_there = reason == NULL && added == 0;
    if (reason != NULL || *is_there)
        abandon_run(self);
    return reason;
}

static const char *end_run(struct collect_writer *self)
{
    struct postgresql_writer *w = own(self);
    const char *reason = end_copy(w);

    return reason != NULL ? reason : execute(w, "COMMIT");
}

/* --- opening --------------------------------------------------------------------------------- */

static const char *create(struct postgresql_writer *w)
{
    char statement[4096];
    const char *reason = NULL;

    for (unsigned i = 0; i < TABLES && reason == NULL; i++) {
        FILE *to = fmemopen(statement, sizeof(statement), "w");
        if (to == NULL)
            return "not enough memory";
        collect_create(to, &dialect, (enum collect_table_name)i);
        fclose(to);
        reason = execute(w, statement);
    }
    if (reason == NULL)
        reason = execute(w, "CREATE TABLE mlpboot (version bigint NOT NULL)");
    snprintf(statement, sizeof(statement), "INSERT INTO mlpboot VALUES (%d)", COLLECT_VERSION);
    return reason != NULL ? reason : execute(w, statement);
}

/* How many tables of that name, in quotes, there are where ours would be. */
#define COUNT_TABLES                                                                               \
    "SELECT count(*) FROM pg_class WHERE relnamespace = current_schema()::regnamespace AND "       \
    "relname IN "

/* Makes the tables where there are none; leaves those alone that are not ours. */
static const char *check(struct postgresql_writer *w)
{
    int64_t marks = 0, others = 0, version = 0;
    const char *reason = query(w, COUNT_TABLES "('mlpboot')", &marks);

    if (reason == NULL)
        reason = query(w, COUNT_TABLES "('machines', 'runs', 'verdicts', 'points')", &others);
    if (reason != NULL)
        return reason;
    if (marks == 0 && others == 0)
        return create(w);
    if (marks == 0)
        return "tables called machines, runs, verdicts or points are there, and `collect` made "
               "none of them; expected a database or schema without";
    reason = query(w, "SELECT max(version) FROM mlpboot", &version);
    if (reason == NULL && version != COLLECT_VERSION)
        return text_write(w->reason, sizeof(w->reason),
                          "its tables are of version %" PRId64 "; this command writes version %d",
                          version, COLLECT_VERSION);
    return reason;
}

/* Two who come to an empty database at once: the second one waits, and finds the tables. */
static const char *make_tables(struct postgresql_writer *w)
{
    int64_t nothing;
    const char *reason = execute(w, "BEGIN");

    if (reason == NULL)
        reason = query(w, "SELECT 1 FROM pg_advisory_xact_lock(" LOCK ")", &nothing);
    if (reason == NULL)
        reason = check(w);
    if (reason == NULL)
        return execute(w, "COMMIT");
    lib.PQclear(lib.PQexec(w->server, "ROLLBACK"));
    return reason;
}

static const char *prepare(struct postgresql_writer *w)
{
    static const enum collect_table_name prepared[] = {TABLE_MACHINES, TABLE_RUNS};
    char statement[4096];
    const char *reason = NULL;

    for (unsigned i = 0; i < 2 && reason == NULL; i++) {
        FILE *to = fmemopen(statement, sizeof(statement), "w");
        if (to == NULL)
            return "not enough memory";
        collect_insert(to, &dialect, prepared[i]);
        fputs(" ON CONFLICT DO NOTHING", to);
        fclose(to);
        reason = expect(
            w, lib.PQprepare(w->server, collect_tables[prepared[i]].name, statement, 0, NULL),
            PGRES_COMMAND_OK, NULL);
    }
    return reason;
}

static const char *set_up(struct postgresql_writer *w)
{
    if (lib.PQstatus(w->server) != CONNECTION_OK || lib.PQsetClientEncoding(w->server, "UTF8") != 0)
        return fail(w, NULL);
    const char *reason = make_tables(w);
    return reason != NULL ? reason : prepare(w);
}

static void close_server(struct collect_writer *self)
{
    lib.PQfinish(own(self)->server);
}

const char *collect_postgresql_open(const char *uri, struct collect_writer **writer)
{
    static struct postgresql_writer w;
    const char *reason = shared_library_open(&library);

    if (reason != NULL)
        return reason;
    w = (struct postgresql_writer){.base = {.begin_run = begin_run,
                                            .add_row = add_row,
                                            .end_run = end_run,
                                            .abandon_run = abandon_run,
                                            .close = close_server}};
    w.server = lib.PQconnectdb(uri);
    *writer = &w.base;
    reason = set_up(&w);
    if (reason != NULL)
        close_server(&w.base);
    return reason;
}

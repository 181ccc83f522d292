/* collect_tables: the tables that runs are collected in, the same in every database. */
#ifndef MLPBOOT_HOSTED_COLLECT_TABLES_H
#define MLPBOOT_HOSTED_COLLECT_TABLES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "../../kernel/data/row.h"
#include "read_verdicts.h"

#define COLLECT_VERSION 1      /* of these tables; another one where any of them changes */
#define COLLECT_COLUMNS_MAX 40 /* of one table */
#define COLLECT_ID_BYTES 65    /* of a run's id: SHA-256 in hexadecimal, and a NUL */

enum collect_table_name { TABLE_MACHINES, TABLE_RUNS, TABLE_VERDICTS, TABLE_POINTS, TABLES };

enum collect_kind { COLLECT_TEXT, COLLECT_WHOLE, COLLECT_NUMBER, COLLECT_JSON, COLLECT_KINDS };

struct collect_column {
    const char *name;
    enum collect_kind kind;
    bool is_key;      /* one of its table's primary key, and never NULL */
    const char *of;   /* the table whose `id` it is; NULL: none */
    const char *path; /* where run.json has it; NULL: it comes from elsewhere */
    size_t offset;    /* where struct collected_verdict or collected_point has it */
};

struct collect_table {
    const char *name;
    const struct collect_column *columns;
    size_t count;
};

extern const struct collect_table collect_tables[TABLES]; /* a table comes before what names it */

/* A value. A text that is empty is NULL in the database, but for one of a key. */
struct collect_cell {
    enum collect_kind kind;
    bool is_null;
    const char *text; /* of COLLECT_TEXT and COLLECT_JSON */
    size_t length;
    int64_t whole;
    double number;
};

/* What a line of verdicts and of points is made from. */
struct collected_verdict {
    char run[COLLECT_ID_BYTES], status[8];
    struct stored_verdict is;
};

struct collected_point {
    char run[COLLECT_ID_BYTES], variant[NAME_BYTES];
    int64_t line; /* of results.csv as a run leaves it; the header is line 1 */
    struct row is;
};

/* The cells of such a line; texts stay where they are. */
void collect_cells(enum collect_table_name table, const void *from,
                   struct collect_cell cells[COLLECT_COLUMNS_MAX]);

struct collect_cell collect_text(const struct collect_column *column, const char *text,
                                 size_t length);
struct collect_cell collect_number(const struct collect_column *column, double number);

/* What databases say differently. */
struct collect_dialect {
    const char *type[COLLECT_KINDS];
    const char *clustered; /* behind the definition of a table whose key has several columns */
    char parameter;        /* '?' or '$', before its number */
};

/* Write one statement each, without a semicolon. */
void collect_create(FILE *to, const struct collect_dialect *dialect, enum collect_table_name table);
void collect_insert(FILE *to, const struct collect_dialect *dialect, enum collect_table_name table);

/* "a", "b", "c". */
void collect_names(FILE *to, enum collect_table_name table);

#endif

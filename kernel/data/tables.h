/* tables: rows in any order brought together case by case, in time about linear in their number. */
#ifndef MLPBOOT_DATA_TABLES_H
#define MLPBOOT_DATA_TABLES_H

#include "../lib/text.h"
#include "row.h"

struct tables {
    struct table *at; /* all, or a part of them to which a copy was narrowed */
    size_t count;
    struct table *all; /* that were grouped together */
    uint32_t *slot;    /* of a hash table: 0, or a case's place in `all` plus 1 */
    size_t slots;
};

/* Memory that tables_group needs for so many rows, in bytes. */
uint64_t tables_bytes(size_t rows);

/*
 * Sorts rows in place: experiments and their cases in the order of their first rows, an
 * experiment's skipped cases behind its others, each case's rows by row_compare. Rows of
 * experiments that are not known come last, in no table. `memory`: tables_bytes(count), 8-byte
 * aligned, kept as long as the tables are.
 */
void tables_group(struct row *rows, size_t count, void *memory, struct tables *tables);

/* The case among `tables`; NULL: it is not there. */
const struct table *tables_find(const struct tables *tables, const struct variant *variant);

/* For a loop over a table's rows: for (TABLE_ROWS(row, table)). */
#define TABLE_ROWS(row, table)                                                                     \
    const struct row *row = (table)->rows;                                                         \
    row < (table)->rows + (table)->count;                                                          \
    row++

#define ROW_ANY INT64_MIN /* in place of a coordinate: whatever it is */

/* Returns the first row of that metric with samples, or NULL. */
const struct row *table_find(const struct table *table, const char *metric);

/* Returns the first of those with these coordinates, each a value, ROW_NONE or ROW_ANY. */
const struct row *table_find_at(const struct table *table, const char *metric, int64_t n, int64_t k,
                                int64_t bytes, int64_t stage);

/* Returns the first of those of one attempt, whatever their stage. */
const struct row *table_find_attempt(const struct table *table, const char *metric, int64_t n,
                                     int64_t k, int64_t bytes, uint64_t attempt);

/* True if the case could not be measured; its first row's unit then says why. */
bool table_is_skipped(const struct table *table);

#endif

/* shuffle_table: a row for each size, a column for each stage. */
#include "shuffle_table.h"

#include <stdbool.h>

#include "../analysis/shuffle_rule.h"
#include "../lib/size.h"
#include "../lib/string.h"

#define COLUMNS_MAX 9 /* results.csv has them all */

static bool is_time(const struct row *row)
{
    return strcmp(row->metric, "ns") == 0 && row->samples > 0;
}

/* The next longer stage of any size; 0: there is none. */
static int64_t stage_above(const struct row *rows, size_t count, int64_t above)
{
    int64_t found = 0;
    for (size_t i = 0; i < count; i++)
        if (is_time(&rows[i]) && rows[i].stage > above && (found == 0 || rows[i].stage < found))
            found = rows[i].stage;
    return found;
}

static void add_throughput(const struct row *rows, size_t count, int64_t bytes,
                           int64_t stage, struct text *text)
{
    for (size_t i = 0; i < count; i++)
        if (is_time(&rows[i]) && rows[i].bytes == bytes && rows[i].stage == stage &&
            rows[i].median > 0) {
            text_printf(text, " %7.2f", (double)rows[i].k * 1000 / rows[i].median);
            return;
        }
    text_printf(text, "       -");
}

/* Sizes from the smallest up; the rule finds them downwards. */
static int64_t size_above(const struct row *rows, size_t count, int64_t above)
{
    int64_t found = 0, size = INT64_MAX;
    while ((size = shuffle_size_below(rows, count, size)) > above)
        found = size;
    return found;
}

void shuffle_show(const struct row *rows, size_t count, struct text *text)
{
    char size[SIZE_TEXT_MAX];
    int64_t stage[COLUMNS_MAX];
    unsigned columns = 0;
    for (int64_t next = 0; columns < COLUMNS_MAX && (next = stage_above(rows, count, next)) > 0;)
        stage[columns++] = next;
    if (columns == 0)
        return;
    text_printf(text, "\n%s, case %s: swaps per microsecond, stages across\nbytes  ",
                rows->experiment, rows->variant);
    for (unsigned i = 0; i < columns; i++)
        text_printf(text, " %7ld", (long)stage[i]);
    text_char(text, '\n');
    for (int64_t bytes = 0; (bytes = size_above(rows, count, bytes)) > 0;) {
        text_printf(text, "%7s", size_text(size, (uint64_t)bytes));
        for (unsigned i = 0; i < columns; i++)
            add_throughput(rows, count, bytes, stage[i], text);
        text_char(text, '\n');
    }
}

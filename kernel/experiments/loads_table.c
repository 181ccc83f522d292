/* loads_table: medians by N and K, and the N = 2 curve. */
#include "loads_table.h"

#include "../analysis/curve.h"
#include "../lib/plot.h"
#include "../lib/string.h"

#define COLUMNS_MAX 10 /* of 7 characters; with the row's name they fill 76 */

static struct curve curve; /* too large for a firmware's stack */

static const struct row *end_of(const struct table *table)
{
    return table->rows + table->count;
}

/* Behind the rows of the same N as the first. */
static const struct row *end_of_line(const struct row *first, const struct row *end)
{
    const struct row *row = first;
    while (row < end && row->n == first->n)
        row++;
    return row;
}

/* The values of K at an N, those of points without samples too, into the curve's x; how many. */
static size_t list_k(const struct table *table, int64_t n)
{
    size_t count = 0;
    for (const struct row *row = table->rows; row < end_of(table) && count < CURVE_MAX; row++)
        if (row->n == n && strcmp(row->metric, "tsc") == 0 &&
            (count == 0 || curve.x[count - 1] != (double)row->k))
            curve.x[count++] = (double)row->k;
    return count;
}

/* The values of K to show: all of the smallest N, or evenly spread ones with both ends. */
static unsigned pick_columns(const struct table *table, const struct row *first, int64_t *column)
{
    size_t count = list_k(table, first->n);
    unsigned shown = count < COLUMNS_MAX ? (unsigned)count : COLUMNS_MAX;
    for (unsigned i = 0; i < shown; i++)
        column[i] = (int64_t)curve.x[shown > 1 ? i * (count - 1) / (shown - 1) : 0];
    return shown;
}

/* Six characters: in thousands or millions where it takes more. */
static void show_time(double ticks, struct text *text)
{
    if (ticks < 1e6)
        text_printf(text, " %6.0f", ticks);
    else if (ticks < 1e8)
        text_printf(text, " %5.0fk", ticks / 1e3);
    else
        text_printf(text, " %5.0fM", ticks / 1e6);
}

/* Rows and columns both by rising K. */
static void show_line(const struct row *row, const struct row *end, const int64_t *column,
                      unsigned columns, struct text *text)
{
    text_printf(text, "%5ld", (long)row->n);
    for (unsigned i = 0; i < columns; i++) {
        while (row < end && (row->k < column[i] || !curve_has(row)))
            row++;
        if (row < end && row->k == column[i])
            show_time(row->median, text);
        else
            text_printf(text, "      -");
    }
    text_char(text, '\n');
}

static void show_two(const struct table *table, struct text *text)
{
    curve_over_k(table, 2, CURVE_MEDIAN, &curve);
    if (curve.count < 2)
        return;
    text_printf(text, "\nN = 2: median ticks over K\n");
    plot_curve(curve.x, curve.y, curve.count, text);
}

static void show_title(const struct table *table, struct text *text)
{
    char name[NAME_BYTES];
    text_printf(text, "\n%s, case %s", table->of->experiment, case_name(table->of, name));
}

void loads_show_curve(const struct table *table, struct text *text)
{
    show_title(table, text);
    show_two(table, text);
}

void loads_show(const struct table *table, struct text *text)
{
    int64_t column[COLUMNS_MAX];
    const struct row *row = table->rows, *end = end_of(table);
    while (row < end && !curve_has(row))
        row++;
    unsigned columns = row < end ? pick_columns(table, row, column) : 0;
    show_title(table, text);
    text_printf(text, ": median ticks, N loads down, K fillers across\n  N\\K");
    for (unsigned i = 0; i < columns; i++)
        text_printf(text, " %6ld", (long)column[i]);
    text_char(text, '\n');
    for (const struct row *next; row < end; row = next) {
        next = end_of_line(row, end);
        show_line(row, next, column, columns, text);
    }
    show_two(table, text);
}

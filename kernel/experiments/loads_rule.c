/* loads_rule: the curve of N = 2; medians by N and K. */
#include "loads_rule.h"

#include "../lib/plot.h"
#include "../lib/string.h"

#define COLUMNS_MAX 10 /* of 7 characters; with the row's name they fill 76 */

/* Too large for a firmware's stack. */
static struct curve curve;
static double drawn[CURVE_MAX];

static const char *const doubts[] = {
    [CLIFF_NONE] = "no jump: time does not rise by a twentieth at any K",
    [CLIFF_UNCLEAR] = "no clear jump: the points scatter too much around any two straight pieces",
};

void loads_cliff(const struct table *table, struct cliff *cliff)
{
    curve_over_k(table, 2, CURVE_MEDIAN, &curve);
    cliff_find(&curve, drawn, cliff);
}

void loads_locate(const struct table *table, struct cliff *cliff)
{
    curve_over_k(table, 2, CURVE_MEDIAN, &curve);
    cliff_locate(&curve, cliff);
}

const char *loads_nops_doubt(const struct table *table, const struct cliff *cliff)
{
    double middle = (cliff->before + cliff->beyond.value) / 2;
    unsigned before = 0, beyond = 0;
    bool is_old = true;
    for (const struct row *row = table->rows; row < table->rows + table->count; row++) {
        is_old = is_old && row->visits == 0;
        if (!row_is(row, LOADS_LONG_NOPS))
            continue;
        if ((row->k >= cliff->first_high) != (row->median > middle))
            return "NOPs of eight bytes jump elsewhere: some share an entry";
        *(row->k >= cliff->first_high ? &beyond : &before) += 1;
    }
    return is_old || (before > 0 && beyond > 0) ? NULL : "NOPs of eight bytes were not compared";
}

bool loads_have_cliff(const struct cliff *cliff, struct verdict *v)
{
    if (cliff->answer == CLIFF_TOO_FEW)
        verdict_conclude(v, VERDICT_SKIP, "needs N = 2 at six values of K or more");
    else if (cliff->answer != CLIFF_FOUND)
        verdict_conclude(v, VERDICT_DOUBT, "%s", doubts[cliff->answer]);
    return cliff->answer == CLIFF_FOUND;
}

/* Of the classic table, though all its samples were discarded. */
static bool is_cell(const struct row *row)
{
    return strcmp(row->metric, "tsc") == 0 && row->n > 0 && row->k >= 0;
}

static const struct row *next_cell(const struct row *row, const struct row *end)
{
    while (row < end && !is_cell(row))
        row++;
    return row;
}

/* Behind the rows of the same N as the first. */
static const struct row *end_of_line(const struct row *first, const struct row *end)
{
    const struct row *row = first;
    while (row < end && row->n == first->n)
        row++;
    return row;
}

/* The values of K to show: all of the smallest N, or evenly spread ones with both ends. */
static unsigned pick_columns(const struct row *first, const struct row *end, int64_t *column)
{
    size_t values = 0, value = 0;
    unsigned picked = 0;
    for (const struct row *row = first; row < end; row++)
        values += is_cell(row);
    unsigned shown = values < COLUMNS_MAX ? (unsigned)values : COLUMNS_MAX;
    for (const struct row *row = first; row < end; row++)
        if (is_cell(row) && value++ == (shown > 1 ? picked * (values - 1) / (shown - 1) : 0))
            column[picked++] = row->k;
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
        while (row < end && (row->k < column[i] || !is_cell(row)))
            row++;
        if (row < end && row->k == column[i] && row->samples > 0)
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

void loads_show_curve(const struct table *table, struct text *text)
{
    table_title(table, text);
    show_two(table, text);
}

void loads_show(const struct table *table, struct text *text)
{
    int64_t column[COLUMNS_MAX];
    const struct row *end = table->rows + table->count, *row = next_cell(table->rows, end);
    unsigned columns = pick_columns(row, end_of_line(row, end), column);
    table_title(table, text);
    text_printf(text, ": median ticks, N loads down, K fillers across\n  N\\K");
    for (unsigned i = 0; i < columns; i++)
        text_printf(text, " %6ld", (long)column[i]);
    text_char(text, '\n');
    for (; row < end; row = next_cell(end_of_line(row, end), end))
        show_line(row, end_of_line(row, end), column, columns, text);
    show_two(table, text);
}

/* table: medians by N and K, the N = 2 curve, and verdicts. */
#include "table.h"

#include "../lib/string.h"
#include "csv.h"
#include "plot.h"
#include "summary.h"

#define COLUMNS_MAX 10 /* of 7 characters; with the row's name they fill 76 */
#define CURVE_MAX 2048
#define SMALL 10 /* below that one decimal says too little */

static const struct row *find(const struct row *rows, size_t count, int64_t n,
                                     int64_t k)
{
    for (size_t i = 0; i < count; i++)
        if (rows[i].n == n && rows[i].k == k)
            return &rows[i];
    return NULL;
}

/* The values of K to show: all, or evenly spread ones with both ends among them. */
static unsigned pick_columns(const struct row *rows, size_t count, int64_t *column)
{
    size_t values = 0;
    while (values < count && rows[values].n == rows[0].n)
        values++;
    unsigned shown = values < COLUMNS_MAX ? (unsigned)values : COLUMNS_MAX;
    for (unsigned i = 0; i < shown; i++)
        column[i] = rows[shown > 1 ? i * (values - 1) / (shown - 1) : 0].k;
    return shown;
}

/* Six characters: in thousands or millions where it takes more. */
static void add_time(double ticks, struct text *text)
{
    if (ticks < 1e6)
        text_printf(text, " %6.0f", ticks);
    else if (ticks < 1e8)
        text_printf(text, " %5.0fk", ticks / 1e3);
    else
        text_printf(text, " %5.0fM", ticks / 1e6);
}

static void table_row(const struct row *rows, size_t count, int64_t n, const int64_t *column,
                      unsigned columns, struct text *text)
{
    text_printf(text, "%5ld", (long)n);
    for (unsigned i = 0; i < columns; i++) {
        const struct row *row = find(rows, count, n, column[i]);
        if (row != NULL && row->samples > 0)
            add_time(row->median, text);
        else
            text_printf(text, "      -");
    }
    text_char(text, '\n');
}

static void curve_of_two(const struct row *rows, size_t count, struct text *text)
{
    static double x[CURVE_MAX], y[CURVE_MAX]; /* too large for a firmware's stack */
    size_t points = 0;
    for (size_t i = 0; i < count && points < CURVE_MAX; i++) {
        if (rows[i].n != 2 || rows[i].samples == 0)
            continue;
        x[points] = (double)rows[i].k;
        y[points++] = rows[i].median;
    }
    if (points < 2)
        return;
    text_printf(text, "\nN = 2: median ticks over K\n");
    plot_curve(x, y, points, text);
}

void table_curve(const struct row *rows, size_t count, struct text *text)
{
    if (count > 0)
        text_printf(text, "\n%s, case %s", rows->experiment, rows->variant);
    curve_of_two(rows, count, text);
}

void table_mlp(const struct row *rows, size_t count, struct text *text)
{
    int64_t column[COLUMNS_MAX];
    if (count == 0)
        return;
    unsigned columns = pick_columns(rows, count, column);
    text_printf(text, "\n%s, case %s: median ticks, N loads down, K fillers across\n",
                rows->experiment, rows->variant);
    text_printf(text, "  N\\K");
    for (unsigned i = 0; i < columns; i++)
        text_printf(text, " %6ld", (long)column[i]);
    text_char(text, '\n');
    for (size_t i = 0; i < count; i++)
        if (i == 0 || rows[i].n != rows[i - 1].n)
            table_row(rows, count, rows[i].n, column, columns, text);
    curve_of_two(rows, count, text);
}

/* Small ones, as a linear walk's nanoseconds, need more decimals. */
static void add_value(double value, struct text *text)
{
    char memory[32];
    struct text number;
    text_init(&number, memory, sizeof memory);
    if (value == value)
        text_number(&number, value, value > -SMALL && value < SMALL ? 3 : 1);
    else
        text_char(&number, '-');
    text_printf(text, " %s", memory);
}

static void add_cell(double value, struct text *text)
{
    char memory[32];
    struct text number;
    text_init(&number, memory, sizeof memory);
    if (value == value)
        text_number(&number, value, 1);
    else
        text_char(&number, '-');
    text_printf(text, " %10s", memory);
}

static void add_summary_title(const char *experiment, struct text *text)
{
    text_printf(text, "\n%-23s %10s %10s %10s %10s %10s\n",
                strcmp(experiment, "mlp") == 0 ? "Summary (ticks)" : experiment, "MLP", "one load",
                "at MLP + 1", "overhead %", "walk cost");
}

void table_summary(const struct verdict_index *verdicts, struct text *text)
{
    const char *experiment = NULL;
    char name[NAME_BYTES];
    struct summary_case c;
    for (size_t at = 0; summary_next(verdicts, &at, &c);) {
        if (experiment == NULL || strcmp(experiment, c.of->experiment) != 0)
            add_summary_title(c.of->experiment, text);
        experiment = c.of->experiment;
        text_printf(text, "%-23s", case_name(c.of, name));
        add_cell(c.mlp, text);
        add_cell(c.one_load, text);
        add_cell(c.time_at_mlp_plus_1, text);
        add_cell(c.overhead, text);
        add_cell(c.walk_cost, text);
        text_char(text, '\n');
    }
}

void table_above_floor(const struct verdict *verdicts, size_t count, struct text *text)
{
    char name[NAME_BYTES];
    for (const struct verdict *v = verdicts; v < verdicts + count; v++)
        if (strcmp(v->name, "above_floor") == 0)
            text_printf(text, "%s, case %s: its smallest time is%s %.2f times an empty sample's\n",
                        v->of.experiment, case_name(&v->of, name),
                        v->status == VERDICT_OK ? "" : " only", v->value);
}

static void add_interval(const struct verdict *v, struct text *text)
{
    if (v->low != v->low && v->high != v->high) /* both NAN */
        return;
    text_printf(text, " [");
    add_value(v->low, text);
    text_printf(text, " ..");
    add_value(v->high, text);
    text_printf(text, " ]");
}

void table_verdicts(const struct verdict *verdicts, size_t count, struct text *text)
{
    char name[NAME_BYTES];
    for (const struct verdict *v = verdicts; v < verdicts + count; v++) {
        text_printf(text, "%-5s %s %s %s:", verdict_status_name(v->status), v->of.experiment,
                    case_name(&v->of, name), v->name);
        add_value(v->value, text);
        add_interval(v, text);
        text_printf(text, " %s\n      %s\n", v->unit, v->method);
    }
}

/* array_table: a row for each size, a column for each N. */
#include "array_table.h"

#include "../analysis/latency.h"
#include "../lib/logarithm.h"
#include "../lib/size.h"
#include "../probe/chain_probe.h"
#include "../report/plot.h"

#define ROWS_MAX 120 /* a longer table is shown in part; results.csv has it whole */

static void add_latency(double ticks, struct text *text)
{
    if (ticks != ticks) /* NAN */
        text_printf(text, "     -");
    else
        text_printf(text, ticks < 999 ? " %5.1f" : " %5.0f", ticks);
}

static void add_row(const struct row *rows, size_t count, double bytes, const int64_t *n,
                    unsigned columns, struct text *text)
{
    char size[SIZE_TEXT_MAX];
    text_printf(text, "%7s", size_text(size, (uint64_t)bytes));
    for (unsigned i = 0; i < columns; i++)
        add_latency(latency_at(rows, count, n[i], (int64_t)bytes), text);
    text_char(text, '\n');
}

/* Every N that was measured, in rising order; returns how many there are. */
static unsigned find_columns(const struct row *rows, size_t count, int64_t *n)
{
    unsigned columns = 0;
    for (int64_t i = 1; i <= CHAINS_MAX; i++) {
        size_t row = 0;
        while (row < count && (rows[row].n != i || rows[row].samples == 0))
            row++;
        if (row < count)
            n[columns++] = i;
    }
    return columns;
}

static void add_plot(struct curve *curve, struct text *text)
{
    for (size_t i = 0; i < curve->count; i++)
        curve->x[i] = log2_of(curve->x[i]);
    text_printf(text, "\nN = 1: ticks per load over log2 of the array's bytes\n");
    plot_curve(curve->x, curve->y, curve->count, text);
}

void array_show(const struct row *rows, size_t count, struct text *text)
{
    static struct curve curve; /* too large for a firmware's stack */
    int64_t n[CHAINS_MAX];
    unsigned columns = find_columns(rows, count, n);
    if (columns == 0)
        return;
    text_printf(text, "\n%s, case %s: ticks per load, array sizes down, N chains across\n",
                rows->experiment, rows->variant);
    text_printf(text, "bytes\\N");
    for (unsigned i = 0; i < columns; i++)
        text_printf(text, " %5ld", (long)n[i]);
    text_char(text, '\n');
    latency_curve(rows, count, n[0], &curve);
    size_t every = (curve.count + ROWS_MAX - 1) / ROWS_MAX;
    for (size_t i = 0; i < curve.count; i += every)
        add_row(rows, count, curve.x[i], n, columns, text);
    if (n[0] == 1 && curve.count >= 2)
        add_plot(&curve, text);
}

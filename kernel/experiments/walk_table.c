/* walk_table: a line for each metric, divided by the accesses. */
#include "walk_table.h"

#include "../analysis/walk_rule.h"
#include "../lib/size.h"
#include "../lib/string.h"

static void add_line(const struct row *row, const struct row *whole,
                     struct text *text)
{
    double accesses = (double)row->k;
    text_printf(text, "%-36s %9.3f %9.3f %9.3f", row->metric, row->p10 / accesses,
                row->median / accesses, row->p90 / accesses);
    if (whole != NULL)
        text_printf(text, " %11.3f", whole->median / (double)whole->k);
    text_char(text, '\n');
}

void walk_show(const struct row *rows, size_t count, struct text *text)
{
    char size[SIZE_TEXT_MAX];
    const struct row *first = walk_row(rows, count, "tsc", false);
    if (first == NULL)
        return;
    text_printf(text, "\n%s, case %s: array of %s, %lu samples of %ld accesses\n", rows->experiment,
                rows->variant, size_text(size, (uint64_t)first->bytes),
                (unsigned long)first->samples, (long)first->k);
    text_printf(text, "%-36s %9s %9s %9s %11s\n", "per access", "p10", "median", "p90",
                "whole walks");
    for (const struct row *row = rows; row < rows + count; row++)
        if (walk_row(row, 1, row->metric, false) != NULL)
            add_line(row, walk_row(rows, count, row->metric, true), text);
}

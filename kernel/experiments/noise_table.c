/* noise_table: a row for each decade of gaps. */
#include "noise_table.h"

#include "../analysis/noise_rule.h"
#include "../lib/string.h"

static const struct {
    const char *name;
    double ns;
} units[] = {{"s", 1e9}, {"ms", 1e6}, {"us", 1e3}, {"ns", 1}};

/* Ten characters: a blank, three digits or more, the unit that suits them. */
static void add_time(double ns, struct text *text)
{
    unsigned i = 0;
    while (units[i].ns > 1 && ns < units[i].ns)
        i++;
    text_printf(text, " %6.2f %-2s", ns / units[i].ns, units[i].name);
}

static double power_of_ten(int64_t exponent)
{
    double value = 1;
    for (; exponent > 0; exponent--)
        value *= 10;
    return value;
}

static void add_decade(const struct row *row, double seconds, struct text *text)
{
    add_time(power_of_ten(row->n), text);
    text_printf(text, " %10lu", (unsigned long)row->samples);
    if (row->samples == 0) {
        text_char(text, '\n');
        return;
    }
    text_printf(text, " %11.2f", seconds > 0 ? (double)row->samples / seconds : 0);
    add_time(row->median, text);
    add_time(row->max, text);
    add_time(row->mean * (double)row->samples, text);
    text_char(text, '\n');
}

void noise_show(const struct row *rows, size_t count, struct text *text)
{
    struct noise_summary summary = {.seconds = 0};
    noise_summary_add(&summary, rows, count);
    text_printf(text, "\n%s, case %s: gaps longer than %.0f ns in %.1f s\n", rows->experiment,
                rows->variant, summary.threshold, summary.seconds);
    text_printf(text, "%10s %10s %11s %9s %9s %9s\n", "from", "gaps", "per second", "median",
                "longest", "together");
    for (size_t i = 0; i < count; i++)
        if (strcmp(rows[i].metric, NOISE_GAP) == 0)
            add_decade(&rows[i], summary.seconds, text);
}

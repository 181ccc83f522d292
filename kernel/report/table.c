/* table: medians by N and K, the N = 2 curve, and verdicts. */
#include "table.h"

#include "../lib/string.h"
#include "csv.h"
#include "summary.h"

#define SMALL 10 /* below that one decimal says too little */

/* Small ones, as a linear walk's nanoseconds, need more decimals. */
static void add_value(double value, struct text *text)
{
    text_cell(text, 0, value, value > -SMALL && value < SMALL ? 3 : 1);
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
        const double cells[] = {c.mlp, c.one_load, c.time_at_mlp_plus_1, c.overhead, c.walk_cost};
        for (unsigned i = 0; i < sizeof cells / sizeof *cells; i++)
            text_cell(text, 10, cells[i], 1);
        text_char(text, '\n');
    }
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
        text_printf(text, " %s%s%s\n", v->unit, v->status == VERDICT_DOUBT ? "; " : "",
                    v->status == VERDICT_DOUBT ? v->method : "");
    }
}

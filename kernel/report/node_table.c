/* node_table: a line for each case that has node_ verdicts. */
#include "node_table.h"

#include "../lib/string.h"

#define CELL_MAX 32

static const struct {
    const char *title, *verdict;
} columns[] = {
    {"one load", "one_load"},
    {"extra", "node_one_load_extra"},
    {"of two", "node_two_loads_extra"},
    {"of ten", "node_ten_loads_extra"},
    {"sequential", "node_two_sequential_extra"},
    {"MLP", "mlp"},
};

#define COLUMNS (sizeof columns / sizeof *columns)

static double value_of(const struct verdict *verdicts, size_t count, const struct verdict *like,
                       const char *name)
{
    for (const struct verdict *v = verdicts; v < verdicts + count; v++)
        if (strcmp(v->experiment, like->experiment) == 0 &&
            strcmp(v->variant, like->variant) == 0 && strcmp(v->name, name) == 0)
            return v->value;
    return __builtin_nan("");
}

static void add_line(const struct verdict *verdicts, size_t count, const struct verdict *of,
                     struct text *text)
{
    text_printf(text, "%-18s", of->variant);
    for (unsigned i = 0; i < COLUMNS; i++) {
        char memory[CELL_MAX];
        struct text cell;
        double value = value_of(verdicts, count, of, columns[i].verdict);
        text_init(&cell, memory, sizeof memory);
        if (value == value)
            text_number(&cell, value, 1);
        else
            text_char(&cell, '-');
        text_printf(text, " %9s", memory);
    }
    text_char(text, '\n');
}

void node_table(const struct verdict *verdicts, size_t count, struct text *text)
{
    bool started = false;
    for (const struct verdict *v = verdicts; v < verdicts + count; v++) {
        if (strcmp(v->name, "node_one_load_extra") != 0 || v->status == VERDICT_SKIP)
            continue;
        if (!started) {
            text_printf(text, "\nRemote less local  ");
            for (unsigned i = 0; i < COLUMNS; i++)
                text_printf(text, i > 0 ? " %9s" : "%9s", columns[i].title);
            text_char(text, '\n');
        }
        started = true;
        add_line(verdicts, count, v, text);
    }
}

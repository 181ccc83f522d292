/* node_table: a line for each case of an experiment that has node_ verdicts. */
#include "node_table.h"

#include "../lib/string.h"

#define CELL_MAX 32

static const struct {
    const char *title, *verdict;
} columns[] = {
    {"one", "one_load"},
    {"in turn", "two_sequential"},
    {"MLP", "mlp"},
    {"+ one", "node_one_load_extra"},
    {"+ two", "node_two_loads_extra"},
    {"+ ten", "node_ten_loads_extra"},
    {"+ turn", "node_two_sequential_extra"},
};

#define COLUMNS (sizeof columns / sizeof *columns)

/* NULL: there is none of that name. */
static const struct verdict *find(const struct verdict *verdicts, size_t count,
                                  const char *experiment, const char *variant, const char *name)
{
    for (const struct verdict *v = verdicts; v < verdicts + count; v++)
        if (strcmp(v->experiment, experiment) == 0 && strcmp(v->name, name) == 0 &&
            (variant == NULL || strcmp(v->variant, variant) == 0))
            return v;
    return NULL;
}

static void add_line(const struct verdict *verdicts, size_t count, const struct verdict *of,
                     struct text *text)
{
    text_printf(text, "%-18s", of->variant);
    for (unsigned i = 0; i < COLUMNS; i++) {
        char memory[CELL_MAX];
        struct text cell;
        const struct verdict *v =
            find(verdicts, count, of->experiment, of->variant, columns[i].verdict);
        text_init(&cell, memory, sizeof memory);
        if (v != NULL && v->value == v->value) /* not NAN */
            text_number(&cell, v->value, 1);
        else
            text_char(&cell, '-');
        text_printf(text, " %7s", memory);
    }
    text_char(text, '\n');
}

static void add_title(const char *experiment, struct text *text)
{
    text_printf(text,
                "\nNodes, %s: loads of one, two in turn; + against the own node (ticks)\n%18s",
                experiment, "");
    for (unsigned i = 0; i < COLUMNS; i++)
        text_printf(text, " %7s", columns[i].title);
    text_char(text, '\n');
}

void node_table(const struct verdict *verdicts, size_t count, struct text *text)
{
    const char *experiment = "";
    for (const struct verdict *v = verdicts; v < verdicts + count; v++) {
        if (strcmp(v->name, "one_load") != 0 || v->status == VERDICT_SKIP ||
            find(verdicts, count, v->experiment, NULL, "node_one_load_extra") == NULL)
            continue;
        if (strcmp(v->experiment, experiment) != 0)
            add_title(v->experiment, text);
        experiment = v->experiment;
        add_line(verdicts, count, v, text);
    }
}

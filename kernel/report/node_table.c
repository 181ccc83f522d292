/* node_table: a line for each case of an experiment that has node_ verdicts. */
#include "node_table.h"

#include "../lib/string.h"

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
#define FIRST_EXTRA 3 /* of another node alone */

static void add_line(const struct verdict_index *verdicts, const struct variant *of,
                     struct text *text)
{
    char name[NAME_BYTES];
    text_printf(text, "%-18s", case_name(of, name));
    for (unsigned i = 0; i < COLUMNS; i++) {
        const struct verdict *v = verdict_index_find(verdicts, of, columns[i].verdict);
        text_cell(text, 7, v != NULL ? v->value : __builtin_nan(""), 1);
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

static bool is_of(const struct verdict *verdict, const char *experiment)
{
    return strcmp(verdict->of.experiment, experiment) == 0;
}

/* Whether a case among the verdicts from `v` on, as far as they are one experiment's, is compared
 * with the own node's. */
static bool has_nodes(const struct verdict *v, const struct verdict *end)
{
    const char *experiment = v->of.experiment;
    while (v < end && is_of(v, experiment) && strcmp(v->name, columns[FIRST_EXTRA].verdict) != 0)
        v++;
    return v < end && is_of(v, experiment);
}

void node_table(const struct verdict_index *verdicts, struct text *text)
{
    const struct verdict *v = verdicts->list->at, *end = v + verdicts->list->count;
    const char *experiment = NULL;
    bool is_shown = false, has_title = false;
    for (; v < end; v++) {
        if (experiment == NULL || !is_of(v, experiment)) {
            is_shown = has_nodes(v, end);
            has_title = false;
        }
        experiment = v->of.experiment;
        if (!is_shown || strcmp(v->name, "one_load") != 0 || v->status == VERDICT_SKIP)
            continue;
        if (!has_title)
            add_title(experiment, text);
        has_title = true;
        add_line(verdicts, &v->of, text);
    }
}

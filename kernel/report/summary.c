/* summary: one case's numbers out of all verdicts. */
#include "summary.h"

#include "../lib/string.h"

static double value_of(const struct verdict *verdict)
{
    return verdict != NULL ? verdict->value : __builtin_nan("");
}

static double walk_cost_of(const struct verdict_list *verdicts, const struct variant *variant)
{
    struct variant same = *variant;
    for (const struct verdict *v = verdicts->at; v < verdicts->at + verdicts->count; v++) {
        memcpy(same.experiment, v->variant.experiment, sizeof same.experiment);
        if (strcmp(v->question->name, "walk_cost") == 0 && case_same(&v->variant, &same))
            return v->value;
    }
    return __builtin_nan("");
}

static struct summary_case summarize(const struct verdict_list *verdicts, const struct verdict *mlp)
{
    const struct variant *variant = &mlp->variant;
    return (struct summary_case){
        .variant = variant,
        .status = mlp->status,
        .mlp = mlp->value,
        .one_load = value_of(verdict_find(verdicts, variant, "one_load")),
        .time_at_mlp_plus_1 = value_of(verdict_find(verdicts, variant, "time_at_mlp_plus_1")),
        .overhead = value_of(verdict_find(verdicts, variant, "overhead")),
        .walk_cost = walk_cost_of(verdicts, variant),
    };
}

bool summary_next(const struct verdict_list *verdicts, size_t *at, struct summary_case *found)
{
    while (*at < verdicts->count) {
        const struct verdict *v = &verdicts->at[(*at)++];
        bool is_own = v->variant.sibling == SIBLING_UNNAMED; /* smt compares the others itself */
        if (strcmp(v->question->name, "mlp") != 0 || v->status == VERDICT_SKIP || !is_own)
            continue;
        *found = summarize(verdicts, v);
        return true;
    }
    return false;
}

static void add_title(const char *experiment, struct text *text)
{
    text_printf(text, "\n%-23s %10s %10s %10s %10s %10s\n",
                strcmp(experiment, "mlp") == 0 ? "Summary: ticks, ? doubt" : experiment, "MLP",
                "one load", "at MLP + 1", "overhead %", "walk cost");
}

static void add_cell(double value, const char *mark, struct text *text)
{
    char memory[64];
    struct text number;
    text_init(&number, memory, sizeof memory);
    if (value == value) /* not NAN */
        text_number(&number, value, 1);
    else
        text_char(&number, '-');
    text_printf(&number, "%s", mark);
    text_printf(text, " %10s", memory);
}

void summary_show(const struct verdict_list *verdicts, struct text *text)
{
    const char *experiment = NULL;
    char name[NAME_BYTES];
    struct summary_case c;
    for (size_t at = 0; summary_next(verdicts, &at, &c);) {
        if (experiment == NULL || strcmp(experiment, c.variant->experiment) != 0)
            add_title(c.variant->experiment, text);
        experiment = c.variant->experiment;
        text_printf(text, "%-23s", case_name(c.variant, name));
        add_cell(c.mlp, c.status == VERDICT_DOUBT ? "?" : "", text);
        add_cell(c.one_load, "", text);
        add_cell(c.time_at_mlp_plus_1, "", text);
        add_cell(c.overhead, "", text);
        add_cell(c.walk_cost, "", text);
        text_char(text, '\n');
    }
}

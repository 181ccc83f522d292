/* show_compared: prints two compared runs for people, and as JSON. */
#include "show_compared.h"

#include <math.h>
#include <string.h>

#include "../../kernel/lib/json.h"

#define CELL_MAX (COMPARED_REASON_MAX + 1)
#define OBJECT_MAX (1 << 16) /* for both runs, or a verdict: a byte of a path may take six */

static const char *const names[RUNS] = {"A", "B"};

/* --- for people --- */

/* Prints a path, which may hold any bytes, to a terminal. */
static void print_path(const char *path, FILE *to)
{
    for (; *path != '\0'; path++)
        fputc((unsigned char)*path < 0x20 || *path == 0x7f ? '?' : *path, to);
}

static void print_run(const struct compared_runs *runs, unsigned i, FILE *to)
{
    static const char *const told[] = {"label", "machine.utc_start", "version", "processor.brand",
                                       "status"};
    const struct run_members *members = &runs->run[i].members;

    fprintf(to, "%s  ", names[i]);
    print_path(runs->run[i].path, to);
    for (size_t j = 0; j < sizeof(told) / sizeof(*told); j++)
        if (*run_member(members, told[j]) != '\0')
            fprintf(to, ", %s", run_member(members, told[j]));
    fputc('\n', to);
}

static void print_machines(const struct compared_runs *runs, FILE *to)
{
    const char *a = run_member(&runs->run[RUN_A].members, "machine.id");
    const char *b = run_member(&runs->run[RUN_B].members, "machine.id");

    if (*a == '\0' || *b == '\0')
        fprintf(to, "Whether it was one machine is not known: %s not say which it was.\n",
                *a != '\0'   ? "B does"
                : *b != '\0' ? "A does"
                             : "they do");
    else
        fputs(strcmp(a, b) == 0 ? "It was one machine.\n" : "These are two machines.\n", to);
    if (runs->in_nanoseconds)
        fputs("Their ticks are not as long: times in ticks are compared as ns.\n", to);
}

static void print_conditions(const struct compared_runs *runs, FILE *to)
{
    int width = 0, width_a = 1;

    if (runs->condition_count == 0)
        return;
    for (size_t i = 0; i < runs->condition_count; i++) {
        int path = (int)strlen(runs->conditions[i].path);
        int text = (int)strlen(runs->conditions[i].text[RUN_A]);
        width = path > width ? path : width;
        width_a = text > width_a ? text : width_a;
    }
    fprintf(to, "\nDone otherwise, by run.json:\n  %-*s  %-*s  B\n", width, "", width_a, "A");
    for (size_t i = 0; i < runs->condition_count; i++) {
        const struct compared_condition *c = &runs->conditions[i];
        fprintf(to, "  %-*s  %-*s  %s\n", width, c->path, width_a, c->text[RUN_A], c->text[RUN_B]);
    }
}

/* Writes the case's name, or both names. */
static void case_cell(struct text *cell, const struct compared_verdict *v)
{
    const struct stored_verdict *a = v->of[RUN_A], *b = v->of[RUN_B];

    text_printf(cell, "%s", (a != NULL ? a : b)->variant);
    if (a != NULL && b != NULL && strcmp(a->variant, b->variant) != 0)
        text_printf(cell, " / %s", b->variant);
}

static void value_cell(struct text *cell, const struct compared_verdict *v, unsigned run)
{
    double value = v->value[run].value;

    if (isnan(value))
        text_char(cell, '-');
    else
        text_number(cell, value, fabs(value) < 100 ? 3 : 1);
}

static void signed_number(struct text *cell, double value, unsigned decimals)
{
    if (value >= 0)
        text_char(cell, '+');
    text_number(cell, value, decimals);
}

static void range_cell(struct text *cell, double value, double low, double high, unsigned decimals)
{
    if (isnan(value)) {
        text_char(cell, '-');
        return;
    }
    signed_number(cell, value, decimals);
    text_printf(cell, " (");
    signed_number(cell, low, decimals);
    text_printf(cell, " to ");
    signed_number(cell, high, decimals);
    text_char(cell, ')');
}

/* Returns the decimals for the largest of the three numbers. */
static unsigned decimals_for(const struct compared_verdict *v)
{
    double widest = fmax(fabs(v->low), fabs(v->high));

    return widest >= 1000 ? 0 : widest >= 10 ? 1 : 3;
}

enum compared_column {
    COLUMN_EXPERIMENT,
    COLUMN_CASE,
    COLUMN_NAME,
    COLUMN_A,
    COLUMN_B,
    COLUMN_UNIT,
    COLUMN_DIFFERENCE,
    COLUMN_PERCENT,
    COLUMN_WHY,
    COLUMNS
};

static const char *const titles[COLUMNS] = {"experiment", "case",     "verdict",    "A",  "B",
                                            "unit",       "B less A", "in percent", "why"};

static void format_cell(const struct compared_verdict *v, enum compared_column column,
                        char memory[CELL_MAX])
{
    const struct stored_verdict *verdict = v->of[v->of[RUN_A] != NULL ? RUN_A : RUN_B];
    const char *const texts[COLUMNS] = {[COLUMN_EXPERIMENT] = verdict->experiment,
                                        [COLUMN_NAME] = verdict->name,
                                        [COLUMN_UNIT] = v->unit,
                                        [COLUMN_WHY] = v->reason};
    struct text cell;

    text_init(&cell, memory, CELL_MAX);
    if (texts[column] != NULL)
        text_printf(&cell, "%s", texts[column]);
    else if (column == COLUMN_CASE)
        case_cell(&cell, v);
    else if (column == COLUMN_A || column == COLUMN_B)
        value_cell(&cell, v, column == COLUMN_A ? RUN_A : RUN_B);
    else if (column == COLUMN_DIFFERENCE)
        range_cell(&cell, v->difference, v->low, v->high, decimals_for(v));
    else
        range_cell(&cell, compared_percent(v, v->difference), compared_percent(v, v->low),
                   compared_percent(v, v->high), 1);
}

/* A table of some verdicts. */
struct part {
    const char *title;
    unsigned outcome;
    bool is_compared; /* by the rule; others have a reason instead of an interval */
    bool needs_ok;    /* leaves out what neither run has as `ok` */
    unsigned columns; /* a bit each */
};

#define BIT(column) (1u << (column))
#define NAMED (BIT(COLUMN_EXPERIMENT) | BIT(COLUMN_CASE) | BIT(COLUMN_NAME))
#define VALUES (NAMED | BIT(COLUMN_A) | BIT(COLUMN_B) | BIT(COLUMN_UNIT))
#define RANGES (VALUES | BIT(COLUMN_DIFFERENCE) | BIT(COLUMN_PERCENT))

static const struct part parts[] = {
    {"Different", COMPARISON_DIFFERENT, true, false, RANGES},
    {"Cannot be told apart, though both are ok", COMPARISON_OPEN, true, false, RANGES},
    {"Cannot be told apart, since one is not ok or has no interval", COMPARISON_OPEN, false, true,
     VALUES | BIT(COLUMN_WHY)},
    {"Only in A", OUTCOME_ONLY_A, false, false, NAMED},
    {"Only in B", OUTCOME_ONLY_B, false, false, NAMED},
};

static bool is_in(const struct compared_verdict *v, const struct part *part)
{
    bool has_ok = false;

    for (unsigned i = 0; i < RUNS; i++)
        has_ok |= v->of[i] != NULL && v->of[i]->status == VERDICT_OK;
    return v->outcome == part->outcome && v->is_compared == part->is_compared &&
           (has_ok || !part->needs_ok);
}

static size_t count_of(const struct compared_runs *runs, const struct part *part)
{
    size_t count = 0;

    for (size_t i = 0; i < runs->count; i++)
        count += is_in(&runs->at[i], part);
    return count;
}

static int width_of(const struct compared_runs *runs, const struct part *part,
                    enum compared_column column)
{
    char cell[CELL_MAX];
    size_t width = strlen(titles[column]);

    for (size_t i = 0; i < runs->count; i++) {
        if (!is_in(&runs->at[i], part))
            continue;
        format_cell(&runs->at[i], column, cell);
        width = strlen(cell) > width ? strlen(cell) : width;
    }
    return (int)width;
}

/* Prints numbers to the right, texts to the left, and no blanks at a line's end. */
static void print_cell(FILE *to, const struct part *part, enum compared_column column,
                       const char *cell, int width)
{
    bool is_last = part->columns >> column == 1;
    bool is_number = column == COLUMN_A || column == COLUMN_B;

    fprintf(to, is_number ? "  %*s" : "  %-*s", is_last ? 0 : width, cell);
    if (is_last)
        fputc('\n', to);
}

static void print_table(const struct compared_runs *runs, const struct part *part, FILE *to)
{
    int width[COLUMNS];
    char cell[CELL_MAX];

    for (enum compared_column j = 0; j < COLUMNS; j++)
        if (part->columns & BIT(j)) {
            width[j] = width_of(runs, part, j);
            print_cell(to, part, j, titles[j], width[j]);
        }
    for (size_t i = 0; i < runs->count; i++)
        for (enum compared_column j = 0; j < COLUMNS; j++)
            if (part->columns & BIT(j) && is_in(&runs->at[i], part)) {
                format_cell(&runs->at[i], j, cell);
                print_cell(to, part, j, cell, width[j]);
            }
}

/* Prints the names alone, for verdicts of one run, those of a case in a line. */
static void print_names(const struct compared_runs *runs, const struct part *part, FILE *to)
{
    const int experiment = width_of(runs, part, COLUMN_EXPERIMENT);
    const int variant = width_of(runs, part, COLUMN_CASE);
    const struct stored_verdict *last = NULL;

    for (size_t i = 0; i < runs->count; i++) {
        const struct compared_verdict *v = &runs->at[i];
        const struct stored_verdict *verdict = v->of[v->of[RUN_A] != NULL ? RUN_A : RUN_B];
        if (!is_in(v, part))
            continue;
        if (last == NULL || strcmp(last->variant, verdict->variant) != 0 ||
            strcmp(last->experiment, verdict->experiment) != 0)
            fprintf(to, "%s  %-*s  %-*s ", last != NULL ? "\n" : "", experiment,
                    verdict->experiment, variant, verdict->variant);
        fprintf(to, " %s", verdict->name);
        last = verdict;
    }
    fputc('\n', to);
}

static void print_part(const struct compared_runs *runs, const struct part *part, FILE *to)
{
    fprintf(to, "\n%s: %zu\n", part->title, count_of(runs, part));
    if (count_of(runs, part) == 0)
        return;
    if (part->columns == NAMED)
        print_names(runs, part, to);
    else
        print_table(runs, part, to);
}

void show_compared(const struct compared_runs *runs, FILE *to)
{
    size_t shown = 0;

    for (unsigned i = 0; i < RUNS; i++)
        print_run(runs, i, to);
    print_machines(runs, to);
    print_conditions(runs, to);
    for (size_t i = 0; i < sizeof(parts) / sizeof(*parts); i++) {
        print_part(runs, &parts[i], to);
        shown += count_of(runs, &parts[i]);
    }
    fprintf(to, "\nSame, within 5 %%: %zu\nOk in neither: %zu\n", runs->outcomes[COMPARISON_SAME],
            runs->count - shown - runs->outcomes[COMPARISON_SAME]);
    fprintf(to, "Of %zu that could be compared %zu %s different.\n", runs->comparisons,
            runs->outcomes[COMPARISON_DIFFERENT],
            runs->outcomes[COMPARISON_DIFFERENT] == 1 ? "is" : "are");
}

/* --- as JSON --- */

static void write_run(const struct compared_runs *runs, unsigned i, struct json *json)
{
    static const char *const told[][2] = {
        {"label", "label"},        {"utc_start", "machine.utc_start"},
        {"version", "version"},    {"processor", "processor.brand"},
        {"machine", "machine.id"}, {"status", "status"}};

    json_open(json, i == RUN_A ? "a" : "b");
    json_text(json, "path", runs->run[i].path);
    for (size_t j = 0; j < sizeof(told) / sizeof(*told); j++)
        json_text(json, told[j][0], run_member(&runs->run[i].members, told[j][1]));
    json_close(json);
}

static void write_value(const struct compared_verdict *v, unsigned i, struct json *json)
{
    if (v->of[i] == NULL)
        return;
    json_open(json, i == RUN_A ? "a" : "b");
    json_text(json, "case", v->of[i]->variant);
    json_number(json, "value", v->value[i].value, 3);
    json_number(json, "low", v->value[i].low, 3);
    json_number(json, "high", v->value[i].high, 3);
    json_text(json, "status", verdict_status_name(v->of[i]->status));
    json_close(json);
}

static void write_verdict(const struct compared_verdict *v, struct json *json)
{
    const struct stored_verdict *verdict = v->of[v->of[RUN_A] != NULL ? RUN_A : RUN_B];

    json_text(json, "experiment", verdict->experiment);
    json_text(json, "case", verdict->variant);
    json_text(json, "name", verdict->name);
    json_text(json, "unit", v->unit);
    json_text(json, "outcome", compared_outcome_name(v->outcome));
    json_text(json, "reason", v->reason);
    for (unsigned i = 0; i < RUNS; i++)
        write_value(v, i, json);
    json_number(json, "difference", v->difference, 3);
    json_number(json, "low", v->low, 3);
    json_number(json, "high", v->high, 3);
    json_number(json, "percent", compared_percent(v, v->difference), 3);
    json_number(json, "percent_low", compared_percent(v, v->low), 3);
    json_number(json, "percent_high", compared_percent(v, v->high), 3);
}

/* Begins an element as text: struct json has no lists, so elements are put into one. */
static void begin(struct json *json, struct text *text)
{
    text_clear(text);
    json_begin(json, text);
}

static void put_element(struct json *json, bool is_last, FILE *to)
{
    json_end(json);
    json->text->at[json->text->length - 1] = '\0'; /* the newline */
    fprintf(to, "%s%s\n", json->text->at, is_last ? "" : ",");
}

static void write_head(const struct compared_runs *runs, struct json *json)
{
    write_run(runs, RUN_A, json);
    write_run(runs, RUN_B, json);
    json_bool(json, "in_nanoseconds", runs->in_nanoseconds);
    json_number(json, "compared", (double)runs->comparisons, 0);
    for (unsigned i = 0; i < OUTCOMES; i++)
        json_number(json, compared_outcome_name(i), (double)runs->outcomes[i], 0);
}

static void write_condition(const struct compared_condition *c, struct json *json)
{
    json_text(json, "member", c->path);
    json_text(json, "a", c->text[RUN_A]);
    json_text(json, "b", c->text[RUN_B]);
}

void show_compared_json(const struct compared_runs *runs, FILE *to)
{
    char memory[OBJECT_MAX];
    struct text text;
    struct json json;

    text_init(&text, memory, sizeof(memory));
    begin(&json, &text);
    write_head(runs, &json);
    fprintf(to, "%s,\n  \"conditions\": [\n", memory);
    for (size_t i = 0; i < runs->condition_count; i++) {
        begin(&json, &text);
        write_condition(&runs->conditions[i], &json);
        put_element(&json, i + 1 == runs->condition_count, to);
    }
    fputs("  ],\n  \"verdicts\": [\n", to);
    for (size_t i = 0; i < runs->count; i++) {
        begin(&json, &text);
        write_verdict(&runs->at[i], &json);
        put_element(&json, i + 1 == runs->count, to);
    }
    fputs("  ]\n}\n", to);
}

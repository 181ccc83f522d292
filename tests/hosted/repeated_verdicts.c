/* repeated_verdicts: sums up the verdicts of many runs, and whose intervals hold the medians. */
#include "repeated_verdicts.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../../kernel/report/csv.h"
#include "grow.h"
#include "read_verdicts.h"

#define CELL_MAX (2 * NAME_BYTES)
#define LINE_BYTES_MAX 2048

struct repeated_value {
    double value, low, high; /* NAN: no interval */
    bool is_ok;
};

const char repeated_verdicts_header[] =
    "experiment,case,name,unit,runs,ok,doubt,skip,error,median,ok_min,ok_max,held,intervals\n";

/* --- reading --- */

static bool is_of(const struct repeated_verdict *verdict, const struct stored_verdict *stored)
{
    return strcmp(verdict->name, stored->name) == 0 &&
           strcmp(verdict->variant, stored->variant) == 0 &&
           strcmp(verdict->experiment, stored->experiment) == 0;
}

/* Adds a verdict. NULL: not enough memory. */
static struct repeated_verdict *add_verdict(struct repeated_verdicts *all,
                                            const struct stored_verdict *stored)
{
    struct repeated_verdict *list = grow(all->at, all->count, sizeof(*list));

    if (list == NULL)
        return NULL;
    all->at = list;
    struct repeated_verdict *verdict = &list[all->count++];
    *verdict = (struct repeated_verdict){.median = NAN};
    strcpy(verdict->experiment, stored->experiment);
    strcpy(verdict->variant, stored->variant);
    strcpy(verdict->name, stored->name);
    strcpy(verdict->unit, stored->unit);
    return verdict;
}

/* Returns the verdict of that name, a new one if need be; NULL: not enough memory. */
static struct repeated_verdict *find_repeated(struct repeated_verdicts *all,
                                              const struct stored_verdict *stored)
{
    for (size_t i = 0; i < all->count; i++) {
        size_t at = (all->next + i) % all->count;
        if (is_of(&all->at[at], stored)) {
            all->next = at + 1;
            return &all->at[at];
        }
    }
    return add_verdict(all, stored);
}

static bool add_value(struct repeated_verdict *verdict, const struct repeated_value *value)
{
    struct repeated_value *values = grow(verdict->values, verdict->count, sizeof(*values));

    if (values == NULL)
        return false;
    verdict->values = values;
    values[verdict->count++] = *value;
    return true;
}

static bool add_one(struct repeated_verdicts *all, const struct stored_verdict *stored)
{
    struct repeated_value value = {stored->value, stored->low, stored->high,
                                   stored->status == VERDICT_OK};
    struct repeated_verdict *verdict = find_repeated(all, stored);

    if (verdict == NULL)
        return false;
    verdict->runs++;
    verdict->seen[stored->status]++;
    return isnan(value.value) || add_value(verdict, &value);
}

bool repeated_verdicts_add(struct repeated_verdicts *all, const char *path, char *error,
                           size_t error_size)
{
    struct verdicts_table table;
    bool is_added = true;

    if (!read_verdicts(path, &table, error, error_size))
        return false;
    all->next = 0;
    for (size_t i = 0; i < table.count && is_added; i++)
        is_added = add_one(all, &table.at[i]);
    if (!is_added)
        snprintf(error, error_size, "%s: not enough memory for its verdicts", path);
    verdicts_table_free(&table);
    return is_added;
}

/* --- arithmetic --- */

static int by_value(const void *left, const void *right)
{
    double a = ((const struct repeated_value *)left)->value;
    double b = ((const struct repeated_value *)right)->value;

    return (a > b) - (a < b);
}

/* Returns the lower median of all sorted values, or of the ok ones. NAN: there are none. */
static double median(const struct repeated_verdict *verdict, bool only_ok)
{
    size_t count = 0, seen = 0;

    for (size_t i = 0; i < verdict->count; i++)
        count += !only_ok || verdict->values[i].is_ok;
    for (size_t i = 0; i < verdict->count; i++) {
        seen += !only_ok || verdict->values[i].is_ok;
        if (count > 0 && 2 * seen >= count)
            return verdict->values[i].value;
    }
    return NAN;
}

static void look_at_ok(struct repeated_verdict *verdict, const struct repeated_value *value)
{
    bool has_interval = !isnan(value->low) && !isnan(value->high);

    /* with NAN, which both are at first, the comparison is false */
    if (!(value->value >= verdict->ok_least))
        verdict->ok_least = value->value;
    if (!(value->value <= verdict->ok_most))
        verdict->ok_most = value->value;
    verdict->intervals += has_interval;
    verdict->held +=
        has_interval && value->low <= verdict->median && verdict->median <= value->high;
}

static void conclude(struct repeated_verdict *verdict)
{
    if (verdict->count > 0)
        qsort(verdict->values, verdict->count, sizeof(*verdict->values), by_value);
    verdict->median = median(verdict, false);
    verdict->ok_median = median(verdict, true);
    verdict->ok_least = verdict->ok_most = NAN;
    verdict->intervals = verdict->held = 0;
    for (size_t i = 0; i < verdict->count; i++)
        if (verdict->values[i].is_ok)
            look_at_ok(verdict, &verdict->values[i]);
}

void repeated_verdicts_conclude(struct repeated_verdicts *all)
{
    for (size_t i = 0; i < all->count; i++)
        conclude(&all->at[i]);
}

void repeated_verdicts_free(struct repeated_verdicts *all)
{
    for (size_t i = 0; i < all->count; i++)
        free(all->at[i].values);
    free(all->at);
    *all = (struct repeated_verdicts){.at = NULL};
}

/* --- writing --- */

static void format_line(const struct repeated_verdict *verdict, struct text *text)
{
    text_clear(text);
    csv_field(text, verdict->experiment);
    csv_field(text, verdict->variant);
    csv_field(text, verdict->name);
    csv_field(text, verdict->unit);
    csv_number(text, (double)verdict->runs);
    for (unsigned i = 0; i < REPEATED_STATUSES; i++)
        csv_number(text, (double)verdict->seen[i]);
    csv_number(text, verdict->median);
    csv_number(text, verdict->ok_least);
    csv_number(text, verdict->ok_most);
    csv_number(text, (double)verdict->held);
    csv_number(text, (double)verdict->intervals);
    csv_end_line(text);
}

char *repeated_verdicts_csv(const struct repeated_verdicts *all)
{
    char *memory = NULL, line[LINE_BYTES_MAX];
    size_t size = 0;
    struct text text;
    FILE *to = open_memstream(&memory, &size);

    if (to == NULL)
        return NULL;
    text_init(&text, line, sizeof(line));
    fputs(repeated_verdicts_header, to);
    for (size_t i = 0; i < all->count; i++) {
        format_line(&all->at[i], &text);
        fputs(line, to);
    }
    if (fclose(to) == 0)
        return memory;
    free(memory);
    return NULL;
}

static void number_cell(struct text *cell, double number)
{
    if (isnan(number))
        text_char(cell, '-');
    else
        text_number(cell, number, 3);
}

static void range_cell(struct text *cell, const struct repeated_verdict *verdict)
{
    number_cell(cell, verdict->ok_least);
    if (isnan(verdict->ok_least))
        return;
    text_printf(cell, "..");
    number_cell(cell, verdict->ok_most);
}

static void held_cell(struct text *cell, const struct repeated_verdict *verdict)
{
    if (verdict->intervals == 0)
        text_char(cell, '-');
    else
        text_printf(cell, "%zu of %zu", verdict->held, verdict->intervals);
}

enum repeated_column_kind {
    COLUMN_TEXT,   /* char[NAME_BYTES] */
    COLUMN_COUNT,  /* size_t */
    COLUMN_NUMBER, /* double */
    COLUMN_RANGE,  /* several fields, as in COLUMN_HELD */
    COLUMN_HELD
};

#define FIELD(name) offsetof(struct repeated_verdict, name)

static const struct repeated_column {
    const char *title;
    enum repeated_column_kind kind;
    size_t offset; /* in struct repeated_verdict */
} columns[] = {
    {"experiment", COLUMN_TEXT, FIELD(experiment)},
    {"case", COLUMN_TEXT, FIELD(variant)},
    {"verdict", COLUMN_TEXT, FIELD(name)},
    {"ok", COLUMN_COUNT, FIELD(seen[VERDICT_OK])},
    {"doubt", COLUMN_COUNT, FIELD(seen[VERDICT_DOUBT])},
    {"skip", COLUMN_COUNT, FIELD(seen[VERDICT_SKIP])},
    {"error", COLUMN_COUNT, FIELD(seen[VERDICT_ERROR])},
    {"median", COLUMN_NUMBER, FIELD(median)},
    {"of ok", COLUMN_NUMBER, FIELD(ok_median)},
    {"range of ok", COLUMN_RANGE, 0},
    {"unit", COLUMN_TEXT, FIELD(unit)},
    {"held", COLUMN_HELD, 0},
};

#define COLUMNS (sizeof(columns) / sizeof(columns[0]))

static void format_cell(const struct repeated_column *column,
                        const struct repeated_verdict *verdict, char memory[CELL_MAX])
{
    const char *at = (const char *)verdict + column->offset;
    struct text cell;

    text_init(&cell, memory, CELL_MAX);
    switch (column->kind) {
    case COLUMN_TEXT:
        text_printf(&cell, "%s", at);
        break;
    case COLUMN_COUNT:
        text_printf(&cell, "%zu", *(const size_t *)at);
        break;
    case COLUMN_NUMBER:
        number_cell(&cell, *(const double *)at);
        break;
    case COLUMN_RANGE:
        range_cell(&cell, verdict);
        break;
    case COLUMN_HELD:
        held_cell(&cell, verdict);
        break;
    }
}

static int width_of(const struct repeated_verdicts *all, const struct repeated_column *column)
{
    char cell[CELL_MAX];
    size_t width = strlen(column->title);

    for (size_t i = 0; i < all->count; i++) {
        format_cell(column, &all->at[i], cell);
        if (strlen(cell) > width)
            width = strlen(cell);
    }
    return (int)width;
}

static void print_cell(FILE *to, const struct repeated_column *column, const char *cell, int width)
{
    fprintf(to, column->kind == COLUMN_TEXT ? "%-*s" : "%*s", width, cell);
    fputs(column == &columns[COLUMNS - 1] ? "\n" : "  ", to);
}

static void print_totals(const struct repeated_verdicts *all, FILE *to)
{
    size_t ok = 0, intervals = 0, held = 0;

    for (size_t i = 0; i < all->count; i++) {
        ok += all->at[i].seen[VERDICT_OK];
        intervals += all->at[i].intervals;
        held += all->at[i].held;
    }
    fprintf(to, "%zu ok, %zu of them with an interval; ", ok, intervals);
    if (intervals > 0)
        fprintf(to, "%zu (%.1f %%) hold their median\n", held,
                100.0 * (double)held / (double)intervals);
    else
        fputs("none to hold a median\n", to);
}

void repeated_verdicts_print(const struct repeated_verdicts *all, FILE *to)
{
    char cell[CELL_MAX];
    int width[COLUMNS];

    for (size_t j = 0; j < COLUMNS; j++) {
        width[j] = width_of(all, &columns[j]);
        print_cell(to, &columns[j], columns[j].title, width[j]);
    }
    for (size_t i = 0; i < all->count; i++)
        for (size_t j = 0; j < COLUMNS; j++) {
            format_cell(&columns[j], &all->at[i], cell);
            print_cell(to, &columns[j], cell, width[j]);
        }
    print_totals(all, to);
}

/* command_analyze: verdicts again from stored points, of any origin. */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../kernel/analysis/judge.h"
#include "../../kernel/experiments/experiment.h"
#include "../../kernel/report/csv.h"
#include "command.h"
#include "read_results.h"
#include "results_dir.h"

#define VERDICTS_PER_CASE 64 /* more than any experiment gives */
#define ERROR_MAX 4608

enum { OPTION_OUT };

static const struct option options[] = {
    [OPTION_OUT] = {"--out", "DIR", "writes DIR/verdicts.csv too, where there is none yet", 1,
                    false},
    {.name = NULL},
};

/* At most: rows of one case usually stand together, and each change is counted as a new one. */
static size_t count_cases(const struct results_table *table)
{
    size_t cases = 1;

    for (size_t i = 1; i < table->count; i++) {
        const struct result_row *a = &table->rows[i - 1], *b = &table->rows[i];
        cases += strcmp(a->experiment, b->experiment) != 0 || strcmp(a->variant, b->variant) != 0;
    }
    return cases;
}

/* The whole verdicts.csv in malloc'ed memory; NULL without memory. */
static char *format_verdicts(const struct verdict_list *verdicts)
{
    /* Quoting can double a line; an unquoted one always fits. */
    size_t size = (verdicts->count + 1) * 2 * CSV_ROW_MAX + 1;
    char *memory = malloc(size);
    struct text text;

    if (memory == NULL)
        return NULL;
    text_init(&text, memory, size);
    text_printf(&text, "%s", csv_verdicts_header);
    for (size_t i = 0; i < verdicts->count; i++)
        csv_verdict(&text, &verdicts->at[i]);
    return memory;
}

/* The verdicts of a table as text to free; NULL: said why. */
static char *judge_table(const struct results_table *table)
{
    struct verdict_list verdicts = {.room = count_cases(table) * VERDICTS_PER_CASE};
    char *text = NULL;

    verdicts.at = calloc(verdicts.room, sizeof(*verdicts.at));
    if (verdicts.at != NULL) {
        judge_results(table->rows, table->count, &verdicts);
        text = format_verdicts(&verdicts);
    }
    if (text == NULL) {
        fprintf(stderr, "%s analyze: not enough memory for the verdicts\n", PROGRAM);
    } else if (verdicts.count == 0) {
        fprintf(stderr, "%s analyze: no verdicts: none of its experiments is known here\n",
                PROGRAM);
        free(text);
        text = NULL;
    }
    free(verdicts.at);
    return text;
}

static bool save(const char *path, const char *text)
{
    static struct results_dir results;
    const char *reason = results_dir_open(&results, path);

    if (reason == NULL)
        reason = results_dir_create(&results, "verdicts.csv", text, strlen(text));
    if (reason != NULL)
        fprintf(stderr, "%s analyze: %s\n", PROGRAM, reason);
    results_dir_close(&results);
    return reason == NULL;
}

static enum exit_code analyze(const struct arguments *arguments)
{
    const char *out = option_value(arguments, OPTION_OUT);
    struct results_table table;
    char error[ERROR_MAX];

    if (!read_results(arguments->operand, &table, error, sizeof(error))) {
        fprintf(stderr, "%s\n", error);
        return EXIT_FAILED;
    }
    char *text = judge_table(&table);
    bool is_done = text != NULL && (out == NULL || save(out, text));
    if (is_done)
        fputs(text, stdout);
    free(text);
    results_table_free(&table);
    return is_done ? EXIT_RIGHT : EXIT_FAILED;
}

static void help(FILE *to)
{
    fputs("\nThe verdicts go to standard output, as in verdicts.csv: ", to);
    fputs(csv_verdicts_header, to);
    fputs("RESULTS.csv is one that a run left, or any file with the same columns:\n", to);
    fputs(csv_results_header, to);
    fputs("\nExperiments known:\n\n", to);
    for (unsigned i = 0; i < experiment_count; i++)
        fprintf(to, "  %-8s  %s\n", experiments[i].name, experiments[i].shows);
}

const struct command command_analyze = {
    .name = "analyze",
    .does = "verdicts again from stored points, of any origin",
    .operand = "RESULTS.csv",
    .options = options,
    .help = help,
    .run = analyze,
};

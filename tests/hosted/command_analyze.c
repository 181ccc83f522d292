/* command_analyze: verdicts again from stored points, of any origin, and runs side by side. */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../kernel/experiments/experiment.h"
#include "../../kernel/report/csv.h"
#include "command.h"
#include "read_results.h"
#include "results_dir.h"
#include "stored_summary.h"
#include "stored_verdicts.h"

#define ERROR_MAX 4608

enum { OPTION_OUT };

static const struct option options[] = {
    [OPTION_OUT] = {"--out", "DIR",
                    "writes DIR/verdicts.csv (or summary.csv) too, where there is none yet", 1,
                    false},
    {.name = NULL},
};

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
    struct verdict_list verdicts;
    bool is_judged = stored_verdicts(table, &verdicts);
    char *text = is_judged ? format_verdicts(&verdicts) : NULL;

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

static bool save(const char *path, const char *file, const char *text)
{
    static struct results_dir results;
    const char *reason = results_dir_open(&results, path);

    if (reason == NULL)
        reason = results_dir_create(&results, file, text, strlen(text));
    if (reason != NULL)
        fprintf(stderr, "%s analyze: %s\n", PROGRAM, reason);
    results_dir_close(&results);
    return reason == NULL;
}

static enum exit_code judge_one(const char *path, const char *out)
{
    struct results_table table;
    char error[ERROR_MAX];

    if (!read_results(path, &table, error, sizeof(error))) {
        fprintf(stderr, "%s\n", error);
        return EXIT_FAILED;
    }
    char *text = judge_table(&table);
    bool is_done = text != NULL && (out == NULL || save(out, "verdicts.csv", text));
    if (is_done)
        fputs(text, stdout);
    free(text);
    results_table_free(&table);
    return is_done ? EXIT_RIGHT : EXIT_FAILED;
}

/* All are read before anything is printed. */
static enum exit_code summarize(const struct option_values *paths, const char *out)
{
    struct stored_summary summary = {.rows = NULL};
    char error[ERROR_MAX];
    bool is_done = true;

    for (unsigned i = 0; i < paths->count && is_done; i++)
        is_done = stored_summary_add(&summary, paths->value[i], error, sizeof(error));
    if (!is_done)
        fprintf(stderr, "%s\n", error);
    char *csv = is_done ? stored_summary_csv(&summary) : NULL;
    if (is_done && csv == NULL)
        fprintf(stderr, "%s analyze: not enough memory for the summary\n", PROGRAM);
    is_done = csv != NULL && (out == NULL || save(out, "summary.csv", csv));
    if (is_done)
        stored_summary_print(&summary, stdout);
    free(csv);
    stored_summary_free(&summary);
    return is_done ? EXIT_RIGHT : EXIT_FAILED;
}

static enum exit_code analyze(const struct arguments *arguments)
{
    const char *out = option_value(arguments, OPTION_OUT);

    if (arguments->operands.count == 1 && !is_directory(arguments->operand))
        return judge_one(arguments->operand, out);
    return summarize(&arguments->operands, out);
}

static void help(FILE *to)
{
    fputs("\nOf one RESULTS.csv the verdicts go to standard output, as in verdicts.csv: ", to);
    fputs(csv_verdicts_header, to);
    fputs("RESULTS.csv is one that a run left, or any file with the same columns:\n", to);
    fputs(csv_results_header, to);
    fputs("\nOf a folder that a run left (results.csv and run.json), or of several folders or "
          "files,\n"
          "a table with a line for each case goes there instead, and into DIR/summary.csv: ",
          to);
    fputs(stored_summary_header, to);
    fputs("\nExperiments known:\n\n", to);
    for (unsigned i = 0; i < experiment_count; i++)
        fprintf(to, "  %-10s  %s\n", experiments[i].name, experiments[i].shows);
}

const struct command command_analyze = {
    .name = "analyze",
    .does = "verdicts again from stored points, of any origin; or runs laid side by side",
    .operand = "RESULTS.csv|FOLDER...",
    .options = options,
    .help = help,
    .run = analyze,
};

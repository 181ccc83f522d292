/* command_analyze: judges stored points of any origin again. */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../kernel/experiments/experiment.h"
#include "../../kernel/report/csv.h"
#include "command.h"
#include "print_plain.h"
#include "read_results.h"
#include "results_dir.h"
#include "stored_verdicts.h"

#define ERROR_MAX 4608

enum { OPTION_OUT };

static const struct option options[] = {
    [OPTION_OUT] = {"--out", "DIR", "writes DIR/verdicts.csv too, if that is new", 1, false},
    {.name = NULL},
};

/* Returns the whole verdicts.csv in malloc'ed memory; NULL: no memory. */
static char *format_verdicts(const struct verdict_list *verdicts)
{
    char *memory = NULL, line[CSV_ROW_MAX + 1];
    size_t size = 0;
    struct text text;
    FILE *to = open_memstream(&memory, &size);

    if (to == NULL)
        return NULL;
    text_init(&text, line, sizeof(line));
    fputs(csv_verdicts_header, to);
    for (size_t i = 0; i < verdicts->count; i++) {
        text_clear(&text);
        csv_verdict(&text, &verdicts->at[i]);
        fputs(line, to);
    }
    if (fclose(to) == 0)
        return memory;
    free(memory);
    return NULL;
}

/* Returns a table's verdicts as text to free; NULL: the reason was printed. */
static char *judge_table(struct results_table *table)
{
    struct verdict_list verdicts;
    bool is_judged = stored_verdicts(table, &verdicts);
    char *text = is_judged ? format_verdicts(&verdicts) : NULL;

    if (text == NULL) {
        print_plain(stderr, "%s analyze: not enough memory for the verdicts\n", PROGRAM);
    } else if (verdicts.count == 0) {
        print_plain(stderr, "%s analyze: no verdicts: none of its experiments is known here\n",
                    PROGRAM);
        free(text);
        text = NULL;
    }
    free(verdicts.at);
    return text;
}

static bool save_text(const char *path, const char *text)
{
    static struct results_dir results;
    const char *reason = results_dir_open(&results, path);

    if (reason == NULL)
        reason = results_dir_create(&results, "verdicts.csv", text, strlen(text));
    if (reason != NULL)
        print_plain(stderr, "%s analyze: %s\n", PROGRAM, reason);
    results_dir_close(&results);
    return reason == NULL;
}

static enum exit_code analyze_main(const struct arguments *arguments)
{
    const char *path = arguments->operand, *out = option_value(arguments, OPTION_OUT);
    struct results_table table;
    char error[ERROR_MAX];

    if (!read_results(path, &table, error, sizeof(error))) {
        print_plain(stderr, "%s\n", error);
        return EXIT_FAILED;
    }
    if (table.count == 0) {
        print_plain(stderr, "%s: holds no rows, only the header\n", path);
        return EXIT_FAILED;
    }
    char *text = judge_table(&table);
    bool is_done = text != NULL && (out == NULL || save_text(out, text));
    if (is_done)
        fputs(text, stdout);
    free(text);
    results_table_free(&table);
    return is_done ? EXIT_RIGHT : EXIT_FAILED;
}

static void analyze_help(FILE *to)
{
    fputs("\nThe verdicts go to standard output, as in verdicts.csv: ", to);
    fputs(csv_verdicts_header, to);
    fputs("RESULTS.csv is one that a run left, or any file with the same columns:\n", to);
    fputs(csv_results_header, to);
    fputs("\nExperiments known:\n\n", to);
    for (const struct experiment *const *e = experiments; *e != NULL; e++)
        fprintf(to, "  %-10s  %s\n", (*e)->name, (*e)->shows);
}

const struct command command_analyze = {
    .name = "analyze",
    .does = "verdicts again from stored points, of any origin",
    .operand = "RESULTS.csv",
    .options = options,
    .help = analyze_help,
    .run = analyze_main,
};

/* command_compare: tells what differs between two runs, and what cannot be told apart. */
#include <limits.h>
#include <stdio.h>

#include "command.h"
#include "compared_runs.h"
#include "show_compared.h"

#define ERROR_MAX (PATH_MAX + 512)

/* Exit statuses as diff(1) has them. */
enum { EXIT_SAME = EXIT_RIGHT, EXIT_DIFFERENT = EXIT_FAILED, EXIT_TROUBLE = EXIT_USAGE };

enum { OPTION_JSON };

static const struct option options[] = {
    [OPTION_JSON] = {"--json", NULL, "says the same as JSON", 1, false},
    {.name = NULL},
};

/* Returns the exit status; main reports output that did not arrive. */
static enum exit_code conclude(const struct compared_runs *runs)
{
    bool is_written = fflush(stdout) == 0 && !ferror(stdout);

    if (runs->comparisons == 0)
        fprintf(stderr,
                "%s compare: nothing to compare: no verdict is ok, with an interval, in both\n",
                PROGRAM);
    if (runs->comparisons == 0 || !is_written)
        return (enum exit_code)EXIT_TROUBLE;
    return (enum exit_code)(runs->outcomes[COMPARISON_DIFFERENT] > 0 ? EXIT_DIFFERENT : EXIT_SAME);
}

static enum exit_code compare_main(const struct arguments *arguments)
{
    struct compared_runs runs;
    char error[ERROR_MAX];
    enum exit_code code = (enum exit_code)EXIT_TROUBLE;

    if (compared_runs_read(&runs, arguments->operands[0], arguments->operands[1], error,
                           sizeof(error))) {
        if (arguments->given[OPTION_JSON].count > 0)
            show_compared_json(&runs, stdout);
        else
            show_compared(&runs, stdout);
        code = conclude(&runs);
    } else {
        fprintf(stderr, "%s compare: %s\n", PROGRAM, error);
    }
    compared_runs_free(&runs);
    return code;
}

static void help(FILE *to)
{
    fputs("\nA and B are folders that runs left, or verdicts.csv files alone. Each verdict of both "
          "is\n"
          "  different             the interval of the difference leaves out 0\n"
          "  same                  it does not, and is within 5 % of the smaller value\n"
          "  cannot be told apart  neither, or one of them is not ok, or has no interval\n"
          "The interval is made of both runs' intervals. It is wider the more verdicts are "
          "compared, so\n"
          "that two runs of one machine have no difference at all in 19 of 20 comparisons.\n\n"
          "Exit status: 0 nothing is different, 1 something is, 2 trouble: wrong usage, no run "
          "there,\n"
          "nothing to compare.\n",
          to);
}

const struct command command_compare = {
    .name = "compare",
    .does = "what is different in two runs, with how sure that is; as after an update of a BIOS",
    .operand = "A B",
    .options = options,
    .help = help,
    .run = compare_main,
};

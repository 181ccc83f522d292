/* command_run: measures as a Linux process, and leaves the same files as the image. */
#include <stdio.h>
#include <unistd.h>

#include "../../kernel/run.h"
#include "command.h"
#include "configuration.h"
#include "one_run.h"
#include "print_plain.h"
#include "stop.h"

enum { OPTION_QUIET = RUN_OPTIONS };

static const struct option options[] = {
    RUN_OPTION_ROWS,
    [RUN_OUT] = {"--out", "DIR", "the folder of the results; created, and never one already used",
                 1, true},
    [OPTION_QUIET] = {"--quiet", NULL, "shows the last page alone", 1, false},
    {.name = NULL},
};

/* Runs; before that nothing is written that a refusal would leave behind. */
static enum exit_code run_on(struct one_run *one, const struct arguments *arguments)
{
    static struct config config;
    static char memory[CONFIGURATION_ERRORS_MAX];
    struct text errors;

    text_init(&errors, memory, sizeof(memory));
    if (!configuration_load(&config, option_value(arguments, RUN_CONFIG),
                            &arguments->given[RUN_SET], &errors)) {
        print_plain(stderr, "Nothing is measured:\n%s", memory);
        return EXIT_FAILED;
    }
    const char *reason = one_run_open(one, &config, option_value(arguments, RUN_OUT));
    if (reason != NULL) {
        print_plain(stderr, "%s run: %s\n", PROGRAM, reason);
        return EXIT_FAILED;
    }
    struct platform *platform = &one_run_host(one)->platform;
    one_run_host(one)->is_quiet = arguments->given[OPTION_QUIET].count > 0;
    if (one_run_host(one)->is_quiet && isatty(STDERR_FILENO))
        fputs("measuring; only the last page will follow\n", stderr);
    stop_listen();
    if (platform->remarks != NULL)
        platform->print(platform, platform->remarks);
    enum run_status status = run_all(platform, &config);
    one_run_close(one);
    return one_run_exit_code(status);
}

static void run_help(FILE *to)
{
    fputs(
        "\nCtrl-C or SIGTERM ends the experiment under way: its finished points are saved and\n"
        "judged, run.json has the status partial, and the exit status is 130. Once more ends the\n"
        "process at once; what was saved before stays whole.\n",
        to);
    one_run_help(to);
}

static enum exit_code run_main(const struct arguments *arguments)
{
    static struct one_run one;
    char error[ONE_RUN_ERROR_MAX];

    if (one_run_read(arguments, &one, error))
        return run_on(&one, arguments);
    print_plain(stderr, "%s run: %s\n", PROGRAM, error);
    return EXIT_USAGE;
}

const struct command command_run = {
    .name = "run",
    .does = "measures, prints verdicts, and leaves the results in DIR",
    .options = options,
    .help = run_help,
    .run = run_main,
};

/* command_run: measures as a Linux process, and leaves the same files as the image. */
#include <stdio.h>

#include "../../kernel/run.h"
#include "command.h"
#include "configuration.h"
#include "one_run.h"
#include "stop.h"

enum { OPTION_QUIET = RUN_OPTIONS };

static const struct option options[] = {
    RUN_OPTION_ROWS,
    [RUN_OUT] = {"--out", "DIR", "where the results go; created, and never one already used", 1,
                 true},
    [OPTION_QUIET] = {"--quiet", NULL, "prints the last page only", 1, false},
    {.name = NULL},
};

static void print_page(struct platform *self, const char *page)
{
    (void)self;
    fputs(page, stdout);
}

/* Returns what takes the rest of the console's text, or NULL: it cannot be opened. */
static FILE *silence(struct linux_platform *host)
{
    FILE *nowhere = fopen("/dev/null", "w");

    if (nowhere != NULL)
        host->console = nowhere;
    host->platform.show_page = print_page;
    return nowhere;
}

/* Runs; before that nothing is written that a refusal would leave behind. */
static enum exit_code run_on(struct one_run *one, const struct arguments *arguments)
{
    static struct config config;
    static char memory[CONFIGURATION_ERRORS_MAX];
    struct text errors;

    text_init(&errors, memory, sizeof(memory));
    if (!configuration_load(&config, option_value(arguments, RUN_CONFIG),
                            &arguments->given[RUN_SET], &errors)) {
        fprintf(stderr, "Nothing is measured:\n%s", memory);
        return EXIT_FAILED;
    }
    const char *reason = one_run_open(one, &config, option_value(arguments, RUN_OUT));
    if (reason != NULL) {
        fprintf(stderr, "%s run: %s\n", PROGRAM, reason);
        return EXIT_FAILED;
    }
    struct platform *platform = &one_run_host(one)->platform;
    FILE *nowhere = arguments->given[OPTION_QUIET].count > 0 ? silence(one_run_host(one)) : NULL;
    stop_listen();
    platform->is_stopped = stop_is_wished;
    if (platform->remarks != NULL)
        platform->print(platform, platform->remarks);
    enum run_status status = run_all(platform, &config);
    one_run_close(one);
    if (nowhere != NULL)
        fclose(nowhere);
    if (stop_is_wished(NULL))
        return EXIT_STOPPED;
    return status == RUN_DONE ? EXIT_RIGHT : status == RUN_NOTHING ? EXIT_NOTHING : EXIT_FAILED;
}

static enum exit_code run_main(const struct arguments *arguments)
{
    static struct one_run one;
    char error[ONE_RUN_ERROR_MAX];

    if (one_run_read(arguments, &one, error))
        return run_on(&one, arguments);
    fprintf(stderr, "%s run: %s\n", PROGRAM, error);
    return EXIT_USAGE;
}

const struct command command_run = {
    .name = "run",
    .does = "measures, prints verdicts, and leaves the results in DIR",
    .options = options,
    .help = one_run_help,
    .run = run_main,
};

/* command_run: measures as a Linux process, and leaves the same files as the image. */
#include <signal.h>
#include <stdio.h>

#include "../../kernel/run.h"
#include "command.h"
#include "configuration.h"
#include "one_run.h"

enum { OPTION_QUIET = RUN_OPTIONS };

static const struct option options[] = {
    RUN_OPTION_ROWS,
    [RUN_OUT] = {"--out", "DIR", "where the results go; created, and never one already used", 1,
                 true},
    [OPTION_QUIET] = {"--quiet", NULL, "prints the last page only", 1, false},
    {.name = NULL},
};

static volatile sig_atomic_t is_stop_wanted;

/* The signal that follows ends the process at once: its action is the default again. */
static void note_stop(int signal)
{
    (void)signal;
    is_stop_wanted = 1;
}

static bool is_stopped(struct platform *self)
{
    (void)self;
    return is_stop_wanted != 0;
}

static void listen_for_stop(struct platform *platform)
{
    const struct sigaction action = {.sa_handler = note_stop, .sa_flags = SA_RESETHAND};

    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
    platform->is_stopped = is_stopped;
}

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
    listen_for_stop(platform);
    if (platform->remarks != NULL)
        platform->print(platform, platform->remarks);
    enum run_status status = run_all(platform, &config);
    one_run_close(one);
    if (nowhere != NULL)
        fclose(nowhere);
    if (is_stop_wanted)
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

/* command_run: the whole measurement as a Linux process; leaves the same files as the image. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../kernel/run.h"
#include "command.h"
#include "configuration.h"
#include "platform_linux.h"

#define ERRORS_MAX 65536

enum { OPTION_CONFIG, OPTION_SET, OPTION_CPU, OPTION_OUT };

static const struct option options[] = {
    [OPTION_CONFIG] = {"--config", "F", "the configuration; without it, the default one", 1, false},
    [OPTION_SET] = {"--set", "KEY=VALUE", "replaces what the configuration says of this key",
                    OPTION_VALUES_MAX, false},
    [OPTION_CPU] = {"--cpu", "N", "the CPU to measure; without it, the last one allowed", 1, false},
    [OPTION_OUT] = {"--out", "DIR", "where the results go; created, and never one already used", 1,
                    true},
    {.name = NULL},
};

/* False: not a CPU's number. */
static bool read_cpu(const char *text, int *cpu)
{
    *cpu = LINUX_ANY_CPU;
    if (text == NULL)
        return true;
    if (strspn(text, "0123456789") != strlen(text) || strlen(text) > 6)
        return false;
    *cpu = atoi(text);
    return true;
}

/* A run's two places, the directory and the platform. NULL, or the reason; then neither is open. */
static const char *open_places(struct results_dir *results, struct linux_platform *platform,
                               const char *path, int cpu)
{
    const char *reason = results_dir_open(results, path);

    if (reason == NULL)
        reason = results_dir_refuse_used(results);
    if (reason == NULL)
        reason = linux_platform_open(platform, cpu, results);
    if (reason != NULL)
        results_dir_close(results);
    return reason;
}

/* Ctrl-C needs no handler: each experiment's files are whole on the disk as soon as it ends. */
static enum exit_code run(const struct arguments *arguments)
{
    static struct config config;
    static struct linux_platform platform;
    static struct results_dir results;
    static char memory[ERRORS_MAX];
    struct text errors;
    int cpu;

    if (!read_cpu(option_value(arguments, OPTION_CPU), &cpu)) {
        fprintf(stderr, "%s run: --cpu %s: not a CPU; accepted: a number from 0\n", PROGRAM,
                option_value(arguments, OPTION_CPU));
        return EXIT_USAGE;
    }
    text_init(&errors, memory, sizeof(memory));
    bool is_right = configuration_load(&config, option_value(arguments, OPTION_CONFIG),
                                       &arguments->given[OPTION_SET], &errors);
    const char *reason = open_places(&results, &platform, option_value(arguments, OPTION_OUT), cpu);
    if (reason != NULL) {
        fprintf(stderr, "%s%s run: %s\n", memory, PROGRAM, reason);
        return EXIT_FAILED;
    }
    enum run_status status = RUN_ERROR;
    if (is_right) {
        status = run_all(&platform.platform, &config);
    } else {
        platform.console = stderr;
        run_refuse(&platform.platform, memory);
    }
    printf("results: %s\n", results.path);
    linux_platform_close(&platform);
    results_dir_close(&results);
    return status == RUN_DONE ? EXIT_RIGHT : EXIT_FAILED;
}

const struct command command_run = {
    .name = "run",
    .does = "measures, prints tables and verdicts, and leaves the results in DIR",
    .options = options,
    .help = configuration_help,
    .run = run,
};

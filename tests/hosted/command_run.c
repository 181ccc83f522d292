/* command_run: the whole measurement as a Linux process; leaves the same files as the image. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../kernel/run.h"
#include "../model/platform_model.h"
#include "command.h"
#include "configuration.h"

#define ERRORS_MAX 65536
#define USAGE_MAX 1024

enum { OPTION_CONFIG, OPTION_SET, OPTION_CPU, OPTION_PLATFORM, OPTION_OUT };

static const struct option options[] = {
    [OPTION_CONFIG] = {"--config", "F", "the configuration; without it, the default one", 1, false},
    [OPTION_SET] = {"--set", "KEY=VALUE", "replaces what the configuration says of this key",
                    OPTION_VALUES_MAX, false},
    [OPTION_CPU] = {"--cpu", "N", "the CPU to measure; without it, the last one allowed", 1, false},
    [OPTION_PLATFORM] = {"--platform", "P",
                         "linux, or model:key=value,... for a modelled core; without it, linux", 1,
                         false},
    [OPTION_OUT] = {"--out", "DIR", "where the results go; created, and never one already used", 1,
                    true},
    {.name = NULL},
};

/* What to measure: this machine, or a model of one. Only one of the platforms is used. */
struct target {
    bool is_model;
    int cpu;
    struct model_parameters parameters;
    struct linux_platform linux_platform;
    struct model_platform model;
};

/* False: not a CPU's number. */
static bool read_cpu(const char *text, struct target *target, char error[USAGE_MAX])
{
    target->cpu = LINUX_ANY_CPU;
    if (text == NULL)
        return true;
    if (target->is_model) {
        snprintf(error, USAGE_MAX, "--cpu %s: a model runs on no CPU of this machine", text);
        return false;
    }
    if (strspn(text, "0123456789") != strlen(text) || strlen(text) > 6) {
        snprintf(error, USAGE_MAX, "--cpu %s: not a CPU; accepted: a number from 0", text);
        return false;
    }
    target->cpu = atoi(text);
    return true;
}

static bool read_platform(const char *text, struct target *target, char error[USAGE_MAX])
{
    static const char model[] = "model";
    const size_t length = sizeof(model) - 1;

    target->is_model = false;
    if (text == NULL || strcmp(text, "linux") == 0)
        return true;
    target->is_model = true;
    if (strcmp(text, model) == 0)
        return model_parameters_read("", &target->parameters, error, USAGE_MAX);
    if (strncmp(text, model, length) == 0 && text[length] == ':')
        return model_parameters_read(text + length + 1, &target->parameters, error, USAGE_MAX);
    snprintf(error, USAGE_MAX,
             "--platform %s: no such platform; accepted: linux, model, "
             "model:key=value,...",
             text);
    return false;
}

static const char *open_target(struct target *target, struct results_dir *results)
{
    if (target->is_model)
        return model_platform_open(&target->model, &target->parameters, results);
    return linux_platform_open(&target->linux_platform, target->cpu, results);
}

static void close_target(struct target *target)
{
    if (target->is_model)
        model_platform_close(&target->model);
    else
        linux_platform_close(&target->linux_platform);
}

/* The model's console and files are Linux's own. */
static struct linux_platform *host_of(struct target *target)
{
    return target->is_model ? &target->model.host : &target->linux_platform;
}

/*
 * A run's two places, the platform and then, so that none is left behind empty, the directory.
 * NULL, or the reason; then neither is open.
 */
static const char *open_places(struct results_dir *results, struct target *target, const char *path)
{
    const char *reason = open_target(target, results);

    if (reason != NULL)
        return reason;
    reason = results_dir_open(results, path);
    if (reason == NULL)
        reason = results_dir_claim(results);
    if (reason == NULL)
        return NULL;
    close_target(target);
    results_dir_close(results);
    return reason;
}

/* Ctrl-C needs no handler: each experiment's files are whole on the disk as soon as it ends. */
static enum exit_code run_on(struct target *target, const struct arguments *arguments)
{
    static struct config config;
    static struct results_dir results;
    static char memory[ERRORS_MAX];
    struct text errors;

    text_init(&errors, memory, sizeof(memory));
    bool is_right = configuration_load(&config, option_value(arguments, OPTION_CONFIG),
                                       &arguments->given[OPTION_SET], &errors);
    const char *reason = open_places(&results, target, option_value(arguments, OPTION_OUT));
    if (reason != NULL) {
        fprintf(stderr, "%s%s run: %s\n", memory, PROGRAM, reason);
        return EXIT_FAILED;
    }
    enum run_status status = RUN_ERROR;
    if (is_right) {
        status = run_all(&host_of(target)->platform, &config);
    } else {
        host_of(target)->console = stderr;
        run_refuse(&host_of(target)->platform, memory);
    }
    printf("results: %s\n", results.path);
    close_target(target);
    results_dir_close(&results);
    return status == RUN_DONE ? EXIT_RIGHT : EXIT_FAILED;
}

static enum exit_code run(const struct arguments *arguments)
{
    static struct target target;
    char error[USAGE_MAX];

    if (read_platform(option_value(arguments, OPTION_PLATFORM), &target, error) &&
        read_cpu(option_value(arguments, OPTION_CPU), &target, error))
        return run_on(&target, arguments);
    fprintf(stderr, "%s run: %s\n", PROGRAM, error);
    return EXIT_USAGE;
}

static void help(FILE *to)
{
    fputs(
        "\nThe modelled core of --platform model:key=value,... runs the same probes; its keys:\n\n",
        to);
    model_parameters_help(to);
    configuration_help(to);
}

const struct command command_run = {
    .name = "run",
    .does = "measures, prints tables and verdicts, and leaves the results in DIR",
    .options = options,
    .help = help,
    .run = run,
};

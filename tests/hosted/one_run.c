/* one_run: which platform is meant, and the places of a run. */
#include "one_run.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "configuration.h"
#include "stop.h"

/* False: not a CPU's number. */
static bool read_cpu(const char *text, struct one_run *run, char error[ONE_RUN_ERROR_MAX])
{
    run->cpu = LINUX_ANY_CPU;
    if (text == NULL)
        return true;
    if (run->is_model) {
        snprintf(error, ONE_RUN_ERROR_MAX, "--cpu %s: a model runs on no CPU of this machine",
                 text);
        return false;
    }
    if (strspn(text, "0123456789") != strlen(text) || strlen(text) > 6) {
        snprintf(error, ONE_RUN_ERROR_MAX, "--cpu %s: not a CPU; accepted: a number from 0", text);
        return false;
    }
    run->cpu = atoi(text);
    return true;
}

static bool read_platform(const char *text, struct one_run *run, char error[ONE_RUN_ERROR_MAX])
{
    static const char model[] = "model";
    const size_t length = sizeof(model) - 1;

    run->is_model = false;
    if (text == NULL || strcmp(text, "linux") == 0)
        return true;
    run->is_model = true;
    if (strcmp(text, model) == 0)
        return model_parameters_read("", &run->parameters, error, ONE_RUN_ERROR_MAX);
    if (strncmp(text, model, length) == 0 && text[length] == ':')
        return model_parameters_read(text + length + 1, &run->parameters, error, ONE_RUN_ERROR_MAX);
    snprintf(error, ONE_RUN_ERROR_MAX,
             "--platform %s: no such platform; accepted: linux, model, "
             "model:key=value,...",
             text);
    return false;
}

bool one_run_read(const struct arguments *arguments, struct one_run *run,
                  char error[ONE_RUN_ERROR_MAX])
{
    return read_platform(option_value(arguments, RUN_PLATFORM), run, error) &&
           read_cpu(option_value(arguments, RUN_CPU), run, error);
}

static void close_platform(struct one_run *run)
{
    if (run->is_model)
        model_platform_close(&run->model);
    else
        linux_platform_close(&run->linux_platform);
}

struct linux_platform *one_run_host(struct one_run *run)
{
    return run->is_model ? &run->model.host : &run->linux_platform;
}

/* Returns NULL, or why the processor that is to measure cannot. */
static const char *try_core(struct one_run *run, const struct core_choice *choice)
{
    static char words[sizeof(run->linux_platform.reason) + 8];
    struct platform *platform = &one_run_host(run)->platform;
    const char *reason = NULL;

    if (platform->choose_core != NULL)
        platform->choose_core(platform, choice, 0, &reason);
    else if (choice->wish != WISH_BOOT)
        reason = "it cannot be chosen here";
    if (reason == NULL)
        return NULL;
    snprintf(words, sizeof(words), "core: %s", reason);
    return words;
}

static const char *open_platform(struct one_run *run, const struct config *config)
{
    const char *reason = run->is_model
                             ? model_platform_open(&run->model, &run->parameters, &run->results)
                             : linux_platform_open(&run->linux_platform, run->cpu, &run->results);

    if (reason == NULL) {
        reason = try_core(run, &config->core);
        if (reason != NULL)
            close_platform(run);
    }
    return reason;
}

const char *one_run_open(struct one_run *run, const struct config *config, const char *path)
{
    struct text unused;
    const char *reason = open_platform(run, config);

    if (reason != NULL)
        return reason;
    signal(SIGPIPE, SIG_IGN);
    reason = results_dir_open(&run->results, path);
    if (reason == NULL)
        reason = results_dir_claim(&run->results);
    if (reason != NULL) {
        one_run_close(run);
        return reason;
    }
    text_init(&unused, run->unused, sizeof(run->unused));
    configuration_unused(config, run->is_model, &unused);
    if (unused.length > 0)
        one_run_host(run)->platform.remarks = run->unused;
    return NULL;
}

void one_run_close(struct one_run *run)
{
    close_platform(run);
    results_dir_close(&run->results);
}

enum exit_code one_run_exit_code(enum run_status status)
{
    if (status == RUN_PARTIAL && stop_is_wished(NULL))
        return EXIT_STOPPED;
    return status == RUN_DONE ? EXIT_RIGHT : status == RUN_NOTHING ? EXIT_NOTHING : EXIT_FAILED;
}

const char *one_run_try(struct one_run *run, const struct config *config)
{
    const char *reason = open_platform(run, config);

    if (reason == NULL)
        close_platform(run);
    return reason;
}

void one_run_help(FILE *to)
{
    fputs(
        "\nThe modelled core of --platform model:key=value,... runs the same probes; its keys:\n\n",
        to);
    model_parameters_help(to);
    configuration_help(to);
}

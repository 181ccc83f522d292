/* one_run: one whole run, as `run` and `repeat` make it: its options, its platform, its place. */
#ifndef MLPBOOT_HOSTED_ONE_RUN_H
#define MLPBOOT_HOSTED_ONE_RUN_H

#include <stdbool.h>

#include "../../kernel/config/config.h"
#include "../../kernel/run.h"
#include "../model/platform_model.h"
#include "command.h"
#include "options.h"
#include "results_dir.h"

#define ONE_RUN_ERROR_MAX 1024
#define CONFIGURATION_ERRORS_MAX 65536

enum { RUN_CONFIG, RUN_SET, RUN_CPU, RUN_PLATFORM, RUN_OUT, RUN_OPTIONS };

/* Rows of a command's table of options. Each command explains its own --out. */
#define RUN_OPTION_ROWS                                                                            \
    [RUN_CONFIG] = {"--config", "F", "the configuration; without it, the default one", 1, false},  \
    [RUN_SET] = {"--set", "KEY=VALUE", "replaces what the configuration says of this key",         \
                 OPTION_VALUES_MAX, false},                                                        \
    [RUN_CPU] = {"--cpu", "N", "the CPU to measure; without it, the last one allowed", 1, false},  \
    [RUN_PLATFORM] = {"--platform", "P",                                                           \
                      "linux, or model:key=value,... for a modelled core; without it, linux", 1,   \
                      false}

/* This machine, or a model of one: only one of the platforms is used. */
struct one_run {
    bool is_model;
    int cpu;
    struct model_parameters parameters;
    struct linux_platform linux_platform;
    struct model_platform model;
    struct results_dir results;
    char unused[512]; /* the keys that were set for nothing, in a line; or empty */
};

/* The choices of --platform and --cpu. False: `error` says what was seen and what is accepted. */
bool one_run_read(const struct arguments *arguments, struct one_run *run,
                  char error[ONE_RUN_ERROR_MAX]);

/*
 * Opens the platform, tries whether it has the core that the configuration chooses, and then, so
 * that none is left behind empty, opens the directory, taken for this run alone. From then on the
 * process outlives whoever reads its console (`run | head`): the files are what counts. The keys
 * that are set for nothing are the platform's remark. NULL, or the reason; then neither is open.
 */
const char *one_run_open(struct one_run *run, const struct config *config, const char *path);
void one_run_close(struct one_run *run);

/* Returns how the process ends; a run that had all when it was stopped is a whole one. */
enum exit_code one_run_exit_code(enum run_status status);

/* NULL: the platform can be opened; it is closed again. Else the reason, which stays in `run`. */
const char *one_run_try(struct one_run *run, const struct config *config);

/* The platform, whose console may be changed; a model's console and files are Linux's own. */
struct linux_platform *one_run_host(struct one_run *run);

/* The part of --help about the model's keys and the configuration's. */
void one_run_help(FILE *to);

#endif

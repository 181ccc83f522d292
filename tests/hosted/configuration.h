/* configuration: config.h for a command line: files, --set, and its help. */
#ifndef MLPBOOT_HOSTED_CONFIGURATION_H
#define MLPBOOT_HOSTED_CONFIGURATION_H

#include <stdbool.h>
#include <stdio.h>

#include "../../kernel/config/config.h"
#include "options.h"

/*
 * Reads the file (NULL: none, all defaults), then the assignments (NULL: none), and finishes.
 * False: `errors` holds one line for each thing that is wrong, a file that cannot be read too.
 */
bool configuration_load(struct config *config, const char *path,
                        const struct option_values *assignments, struct text *errors);

/* Adds a line: the keys that were set and have no effect here; nothing without such
 * keys. `config` is finished. */
void configuration_unused(const struct config *config, bool is_model, struct text *words);

/* One line, with its newline: what a run would do. `config` is finished. */
void configuration_summary(FILE *to, const struct config *config);

/* Every key: its defaults, what it accepts, what it means. */
void configuration_help(FILE *to);

#endif

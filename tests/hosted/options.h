/* options: a command's arguments, checked against the table of what it accepts. */
#ifndef MLPBOOT_HOSTED_OPTIONS_H
#define MLPBOOT_HOSTED_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>

#define OPTIONS_MAX 8        /* of one command */
#define OPTION_VALUES_MAX 64 /* of one option, given so often */

/* One row for each option there is; a row without a name ends the table. */
struct option {
    const char *name;  /* "--out" */
    const char *value; /* what it is called in messages: "DIR"; NULL: it has none */
    const char *help;  /* one line */
    unsigned most;     /* how often it may be given */
    bool is_required;
};

struct option_values {
    unsigned count;
    const char *value[OPTION_VALUES_MAX];
};

struct arguments {
    bool wants_help;
    const char *operand;                     /* NULL: none */
    struct option_values given[OPTIONS_MAX]; /* by row of the table */
};

/*
 * Reads "--name VALUE", "--name=VALUE", "--help" or "-h", and one argument that is no option, where
 * `operand` has its name. A VALUE that starts with "--" needs the "=". False: `error` says what was
 * seen and what is accepted. After --help nothing else is checked.
 */
bool options_read(const struct option *table, const char *operand, int count, char **argument,
                  struct arguments *arguments, char *error, size_t error_size);

/* The last value given, or NULL. */
const char *option_value(const struct arguments *arguments, unsigned row);

#endif

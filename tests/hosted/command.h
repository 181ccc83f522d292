/* command: what every command of mlpboot-hosted is. */
#ifndef MLPBOOT_HOSTED_COMMAND_H
#define MLPBOOT_HOSTED_COMMAND_H

#include <stdio.h>

#include "options.h"

#define PROGRAM "mlpboot-hosted"

/* How the process ends; of `compare`, which ends as diff(1) does, see there. */
enum exit_code {
    EXIT_RIGHT = 0,
    EXIT_FAILED = 1, /* wrong configuration, wrong file, failed run */
    EXIT_USAGE = 2,
    EXIT_NOTHING = 3,  /* nothing that was asked for could be measured; its log.txt says why */
    EXIT_STOPPED = 130 /* by Ctrl-C or SIGTERM; what was finished is kept */
};

struct command {
    const char *name;
    const char *does;             /* one line */
    const char *operand;          /* its argument that is no option, or NULL; see options_read */
    const struct option *options; /* ends with a row without a name */
    void (*help)(FILE *to);       /* what --help says below the options */
    enum exit_code (*run)(const struct arguments *arguments);
};

extern const struct command command_run;
extern const struct command command_repeat;
extern const struct command command_analyze;
extern const struct command command_collect;
extern const struct command command_receive;
extern const struct command command_compare;
extern const struct command command_report;
extern const struct command command_check;

#endif

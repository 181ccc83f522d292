/* command_check: tells whether a configuration is right, as the image would. */
#include <stdio.h>

#include "command.h"
#include "configuration.h"
#include "print_plain.h"

#define ERRORS_MAX 65536

static const struct option options[] = {{.name = NULL}};

static enum exit_code check_main(const struct arguments *arguments)
{
    static struct config config;
    static char memory[ERRORS_MAX];
    struct text errors;

    text_init(&errors, memory, sizeof(memory));
    if (!configuration_load(&config, arguments->operand, NULL, &errors)) {
        print_plain(stderr, "%s", memory);
        print_plain(stderr, "%s", errors.truncated ? "(and more)\n" : "");
        return EXIT_FAILED;
    }
    print_plain(stdout,
                "%s: right; a run tells which of its cores, pages and sizes the machine lacks\n",
                arguments->operand);
    configuration_summary(stdout, &config);
    return EXIT_RIGHT;
}

const struct command command_check = {
    .name = "check-config",
    .does = "says whether a configuration is right, as the image would",
    .operand = "F",
    .options = options,
    .help = configuration_help,
    .run = check_main,
};

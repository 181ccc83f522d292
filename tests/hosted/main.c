/* main: finds the command that is meant, and runs it. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "../../kernel/run.h"
#include "command.h"
#include "print_plain.h"

#define ERROR_MAX 1024

static const struct command *const commands[] = {&command_run, &command_repeat, &command_analyze,
                                                 &command_check};

#define COMMANDS (sizeof(commands) / sizeof(commands[0]))

static void print_synopsis(FILE *to, const struct command *command)
{
    fprintf(to, "%s %s", PROGRAM, command->name);
    if (command->operand != NULL)
        fprintf(to, " %s", command->operand);
    for (const struct option *row = command->options; row->name != NULL; row++) {
        fprintf(to, row->is_required ? " %s%s%s" : " [%s%s%s]", row->name,
                row->value != NULL ? " " : "", row->value != NULL ? row->value : "");
        fputs(row->most > 1 ? "..." : "", to);
    }
    fputc('\n', to);
}

static void print_help(FILE *to)
{
    fputs("Measures how one x86-64 core overlaps memory accesses, as a Linux process.\n\n", to);
    for (size_t i = 0; i < COMMANDS; i++) {
        print_synopsis(to, commands[i]);
        fprintf(to, "    %s\n", commands[i]->does);
    }
    fprintf(to,
            "\n%s COMMAND --help  says more about one of them; -h is the same\n"
            "%s --version       prints the version\n\n"
            "mlpboot.pyz shows, compares and collects stored runs.\n\n"
            "Exit status: 0 right, 1 wrong configuration or failed run, 2 wrong usage,\n"
            "3 nothing that was asked for could be measured, 130 stopped by Ctrl-C.\n",
            PROGRAM, PROGRAM);
}

static void print_command_help(FILE *to, const struct command *command)
{
    print_synopsis(to, command);
    fprintf(to, "    %s\n", command->does);
    for (const struct option *row = command->options; row->name != NULL; row++) {
        char name[64];
        snprintf(name, sizeof(name), "%s %s", row->name, row->value != NULL ? row->value : "");
        fprintf(to, "%s  %-16s  %s\n", row == command->options ? "\n" : "", name, row->help);
    }
    command->help(to);
}

static enum exit_code run_command(const struct command *command, int count, char **argument)
{
    static struct arguments arguments;
    char error[ERROR_MAX];

    if (!options_read(command->options, command->operand, count, argument, &arguments, error,
                      sizeof(error))) {
        print_plain(stderr, "%s %s: %s\n", PROGRAM, command->name, error);
        return EXIT_USAGE;
    }
    if (arguments.wants_help) {
        print_command_help(stdout, command);
        return EXIT_RIGHT;
    }
    return command->run(&arguments);
}

static enum exit_code fail_usage(const char *seen)
{
    print_plain(stderr, "%s: %s; accepted: ", PROGRAM, seen);
    for (size_t i = 0; i < COMMANDS; i++)
        print_plain(stderr, "%s, ", commands[i]->name);
    fputs("--help, --version\n", stderr);
    return EXIT_USAGE;
}

static enum exit_code run_named(int count, char **argument)
{
    char seen[256];

    if (count < 2)
        return fail_usage("no command");
    if (strcmp(argument[1], "--help") == 0 || strcmp(argument[1], "-h") == 0) {
        print_help(stdout);
        return EXIT_RIGHT;
    }
    if (strcmp(argument[1], "--version") == 0) {
        printf("mlpboot %s\n", mlpboot_version);
        return EXIT_RIGHT;
    }
    for (size_t i = 0; i < COMMANDS; i++)
        if (strcmp(argument[1], commands[i]->name) == 0)
            return run_command(commands[i], count - 2, argument + 2);
    snprintf(seen, sizeof(seen), "%s: no such command", argument[1]);
    return fail_usage(seen);
}

/* Fails if output did not arrive, as with a full disk behind a redirection. */
int main(int count, char **argument)
{
    enum exit_code code = run_named(count, argument);

    if (fflush(stdout) != 0 || ferror(stdout)) {
        print_plain(stderr, "%s: standard output: %s\n", PROGRAM, strerror(errno));
        return code == EXIT_RIGHT ? EXIT_FAILED : code;
    }
    return code;
}

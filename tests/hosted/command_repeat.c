/* command_repeat: makes many whole runs with one configuration. */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "../../kernel/run.h"
#include "command.h"
#include "configuration.h"
#include "one_run.h"
#include "print_plain.h"

#define RUNS_MAX 10000
#define PATH_BYTES (PATH_MAX + 32)
#define SAID_BYTES (PATH_BYTES + ONE_RUN_ERROR_MAX + 64)
#define LOG "repeat.log"

enum { OPTION_RUNS = RUN_OPTIONS };

static const struct option options[] = {
    RUN_OPTION_ROWS,
    [RUN_OUT] = {"--out", "DIR", "the folder of the runs, DIR/0001 and so on; created, or empty", 1,
                 true},
    [OPTION_RUNS] = {"--runs", "N", "the number of runs, 1 to 10000", 1, true},
    {.name = NULL},
};

/* The data that all runs share. */
struct repeat {
    const struct arguments *arguments;
    unsigned runs, failed,
        nothing;     /* nothing: of the failed ones, those that could measure nothing */
    bool is_stopped; /* by Ctrl-C */
    bool is_log_broken;
    uint64_t seed; /* as configured; run 1 uses the next number */
    FILE *nowhere; /* takes what single runs print */
    struct one_run one;
    struct config config; /* of the current run */
    struct results_dir results;
};

/* --- before the first run --- */

/* Reads the number of runs. False: it is not one. */
static bool read_runs(const char *text, unsigned *runs, char error[ONE_RUN_ERROR_MAX])
{
    size_t digits = strspn(text, "0123456789");

    *runs = 0;
    if (text[digits] == '\0' && digits <= 9)
        *runs = (unsigned)atoi(text);
    if (*runs >= 1 && *runs <= RUNS_MAX)
        return true;
    snprintf(error, ONE_RUN_ERROR_MAX, "--runs %.64s: not a number of runs; accepted: 1 to %d",
             text, RUNS_MAX);
    return false;
}

/* Reads the configuration; `seed`, if not NULL, replaces its seed. Returns NULL, or why not. */
static const char *configure(struct repeat *repeat, const uint64_t *seed)
{
    static char memory[CONFIGURATION_ERRORS_MAX], assignment[32];
    static struct option_values values;
    struct text errors;

    values = repeat->arguments->given[RUN_SET];
    if (values.count == OPTION_VALUES_MAX)
        return "--set: given 64 times, and the seed of each run is one more; use --config\n";
    if (seed != NULL) {
        snprintf(assignment, sizeof(assignment), "seed=%" PRIu64, *seed);
        values.value[values.count++] = assignment;
    }
    text_init(&errors, memory, sizeof(memory));
    bool is_right = configuration_load(&repeat->config, option_value(repeat->arguments, RUN_CONFIG),
                                       &values, &errors);
    return is_right ? NULL : memory;
}

static const char *check_configuration(struct repeat *repeat)
{
    const char *reason = configure(repeat, NULL);

    repeat->seed = repeat->config.seed;
    if (reason == NULL && repeat->seed > UINT64_MAX - repeat->runs)
        return "seed: each run's is one more, and so many more there are not\n";
    return reason;
}

/* --- a process of its own for each run --- */

/* Work of a child process, which has fresh state, memory and measured clock. */
typedef int work_of_child(struct repeat *repeat, unsigned number);

/* Returns the child's status from waitpid; -1: fork or waitpid failed, errno has the reason. */
static int in_child(struct repeat *repeat, unsigned number, work_of_child *work)
{
    int status = -1;

    fflush(NULL);
    pid_t child = fork();
    if (child < 0)
        return -1;
    if (child == 0) {
        signal(SIGINT, SIG_DFL);
        _exit(work(repeat, number));
    }
    while (waitpid(child, &status, 0) < 0)
        if (errno != EINTR)
            return -1;
    return status;
}

static bool ended_as(int status, enum exit_code code)
{
    return status >= 0 && WIFEXITED(status) && WEXITSTATUS(status) == (int)code;
}

static void name_of_run(const struct repeat *repeat, unsigned number, const char *file,
                        char path[PATH_BYTES])
{
    snprintf(path, PATH_BYTES, "%s/%04u%s", repeat->results.path, number, file);
}

/* Tries the platform first: no directory is made if nothing can run. */
static int try_platform(struct repeat *repeat, unsigned number)
{
    const char *reason = one_run_try(&repeat->one, &repeat->config);

    (void)number;
    if (reason != NULL)
        print_plain(stderr, "%s repeat: %s\n", PROGRAM, reason);
    return reason == NULL ? EXIT_RIGHT : EXIT_FAILED;
}

static int run_once(struct repeat *repeat, unsigned number)
{
    char path[PATH_BYTES];
    uint64_t seed = repeat->seed + number;
    const char *reason = configure(repeat, &seed);

    name_of_run(repeat, number, "", path);
    if (reason == NULL)
        reason = one_run_open(&repeat->one, &repeat->config, path);
    if (reason != NULL) {
        print_plain(stderr, "%s repeat: %s\n", PROGRAM, reason);
        return EXIT_FAILED;
    }
    struct linux_platform *host = one_run_host(&repeat->one);
    host->console = repeat->nowhere;
    enum run_status status = run_all(&host->platform, &repeat->config);
    one_run_close(&repeat->one);
    return one_run_exit_code(status);
}

/* --- one run after the other --- */

static double seconds_now(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

/* Describes how a failed run ended. */
static void describe_end(int status, char text[ONE_RUN_ERROR_MAX])
{
    if (status < 0)
        snprintf(text, ONE_RUN_ERROR_MAX, "no process for it: %s", strerror(errno));
    else if (WIFSIGNALED(status))
        snprintf(text, ONE_RUN_ERROR_MAX, "ended by signal %d (%s)", WTERMSIG(status),
                 strsignal(WTERMSIG(status)));
    else
        snprintf(text, ONE_RUN_ERROR_MAX, "its log.txt says why");
}

/* Prints how a run ended, and keeps that in the log. */
static void note_end(struct repeat *repeat, unsigned number, const char *how)
{
    char path[PATH_BYTES], line[SAID_BYTES];

    name_of_run(repeat, number, "", path);
    snprintf(line, sizeof(line), "run %u of %u: %s: %s\n", number, repeat->runs, path, how);
    print_plain(stderr, "%s", line);
    const char *reason = results_dir_append(&repeat->results, LOG, line, strlen(line));
    if (reason != NULL)
        print_plain(stderr, "%s repeat: %s\n", PROGRAM, reason);
    repeat->is_log_broken |= reason != NULL;
}

static void make_run(struct repeat *repeat, unsigned number)
{
    char end[ONE_RUN_ERROR_MAX], how[ONE_RUN_ERROR_MAX + 16];
    double start = seconds_now();
    int status = in_child(repeat, number, run_once);

    if (ended_as(status, EXIT_RIGHT)) {
        snprintf(how, sizeof(how), "done, %.1f s", seconds_now() - start);
    } else {
        describe_end(status, end);
        snprintf(how, sizeof(how), "failed, %s", end);
        repeat->failed++;
        repeat->nothing += ended_as(status, EXIT_NOTHING);
        repeat->is_stopped = status >= 0 && WIFSIGNALED(status) && WTERMSIG(status) == SIGINT;
    }
    note_end(repeat, number, how);
}

/*
 * Makes the runs. Ctrl-C, which the run gets as well, and a closed console end them.
 */
static unsigned make_runs(struct repeat *repeat)
{
    unsigned made = 0;

    signal(SIGPIPE, SIG_IGN);
    signal(SIGINT, SIG_IGN);
    while (made < repeat->runs && !repeat->is_stopped)
        make_run(repeat, ++made);
    signal(SIGINT, SIG_DFL);
    return made;
}

static enum exit_code repeat_all(struct repeat *repeat)
{
    unsigned made = make_runs(repeat);

    printf("runs: %u of %u made, %u failed\n", made, repeat->runs, repeat->failed);
    print_plain(stdout, "results: %s\n", repeat->results.path);
    print_plain(stdout, "how far they agree: python3 mlpboot.pyz agree %s\n", repeat->results.path);
    if (repeat->failed == 0 && !repeat->is_log_broken)
        return EXIT_RIGHT;
    return repeat->nothing == repeat->runs ? EXIT_NOTHING : EXIT_FAILED;
}

/* Opens the files. Returns NULL, or the reason; then nothing is open. */
static const char *open_places(struct repeat *repeat)
{
    repeat->nowhere = fopen("/dev/null", "w");
    if (repeat->nowhere == NULL)
        return "/dev/null cannot be opened";
    const char *reason =
        results_dir_open(&repeat->results, option_value(repeat->arguments, RUN_OUT));
    if (reason == NULL)
        reason = results_dir_claim_empty(&repeat->results, LOG);
    if (reason == NULL)
        return NULL;
    results_dir_close(&repeat->results);
    fclose(repeat->nowhere);
    return reason;
}

static enum exit_code repeat_in_places(struct repeat *repeat)
{
    const char *reason = check_configuration(repeat);

    if (reason != NULL) {
        print_plain(stderr, "%s", reason);
        return EXIT_FAILED;
    }
    if (!ended_as(in_child(repeat, 0, try_platform), EXIT_RIGHT))
        return EXIT_FAILED;
    reason = open_places(repeat);
    if (reason != NULL) {
        print_plain(stderr, "%s repeat: %s\n", PROGRAM, reason);
        return EXIT_FAILED;
    }
    enum exit_code code = repeat_all(repeat);
    results_dir_close(&repeat->results);
    fclose(repeat->nowhere);
    return code;
}

static enum exit_code repeat_main(const struct arguments *arguments)
{
    static struct repeat repeat;
    char error[ONE_RUN_ERROR_MAX];

    repeat = (struct repeat){.arguments = arguments};
    if (read_runs(option_value(arguments, OPTION_RUNS), &repeat.runs, error) &&
        one_run_read(arguments, &repeat.one, error))
        return repeat_in_places(&repeat);
    print_plain(stderr, "%s repeat: %s\n", PROGRAM, error);
    return EXIT_USAGE;
}

static void repeat_help(FILE *to)
{
    fputs("\nEach run is a process of its own. Its seed is the configuration's plus its number; a\n"
          "model's seed stays. DIR/" LOG
          " has a line for each run. Ctrl-C ends the run being made\n"
          "and makes no more. `mlpboot.pyz agree DIR` shows how far the runs agree.\n",
          to);
    one_run_help(to);
}

const struct command command_repeat = {
    .name = "repeat",
    .does = "makes N runs with one configuration, each a process of its own",
    .options = options,
    .help = repeat_help,
    .run = repeat_main,
};

/* test_stored: stored rows judged whatever their order and number. */
#include "../../kernel/experiments/experiment.h"
#include "../../kernel/report/csv.h"
#include "../hosted/read_results.h"
#include "../hosted/stored_verdicts.h"
#include "kit.h"

#define LINES_MAX 400000
#define LINE_MAX_BYTES 160

/* A table that is written line by line, to be read as if it had come from a file. */
static char (*line)[LINE_MAX_BYTES];
static size_t lines;
static struct verdict_list verdicts;

SETUP_ALL(make_room)
{
    line = malloc(LINES_MAX * sizeof *line);
    assert_non_null(line);
}

TEARDOWN_ALL(free_room)
{
    free(line);
}

SETUP(start_lines)
{
    lines = 0;
    verdicts.at = NULL;
}

TEARDOWN(free_verdicts)
{
    free(verdicts.at);
}

static void add_time(const char *experiment, const char *name, unsigned n, unsigned k, double ticks)
{
    assert_compare(lines, <, LINES_MAX);
    snprintf(line[lines++], sizeof *line,
             "%s,%s,%u,%u,,,tsc,ticks,50,1,%.3f,%.3f,%.3f,%.3f,%.3f,%.3f,%.3f,8,%.3f,0.5,0.5,0\n",
             experiment, name, n, k, ticks - 2, ticks - 1, ticks, ticks + 1, ticks + 2, ticks,
             ticks - 2, ticks);
}

static void add_skipped(const char *experiment, const char *name)
{
    assert_compare(lines, <, LINES_MAX);
    snprintf(line[lines++], sizeof *line, "%s,%s,,,,,skipped,not here,0,0,,,,,,,,0,,,,0\n",
             experiment, name);
}

/* Ten misses side by side, 192 entries. */
static void add_curve(const char *name)
{
    for (unsigned n = 1; n <= 14; n++)
        for (unsigned k = 0; k <= 320; k += 16)
            add_time("mlp", name, n, k, n + k > 192 || n > 10 ? 420 : 200 + n);
}

static void judge_lines(void)
{
    struct results_table table;
    char *text = NULL, error[512];
    size_t length = 0;
    FILE *to = open_memstream(&text, &length);

    assert_non_null(to);
    fputs(csv_results_header, to);
    for (size_t i = 0; i < lines; i++)
        fputs(line[i], to);
    assert_int_equal(fclose(to), 0);
    if (!read_results_text("t.csv", text, length, &table, error, sizeof error))
        fail_msg("%s", error);
    free(text);
    free(verdicts.at);
    assert_true(stored_verdicts(&table, &verdicts));
    results_table_free(&table);
}

static int compare_lines(const void *a, const void *b)
{
    return strcmp(a, b);
}

/* All verdicts as one text, sorted; to free. */
static char *answer(void)
{
    judge_lines();
    char(*row)[CSV_ROW_MAX] = malloc(verdicts.count * sizeof *row), *all = NULL;
    size_t length = 0;
    struct text text;
    FILE *to = open_memstream(&all, &length);

    assert_true(row != NULL && to != NULL);
    for (size_t i = 0; i < verdicts.count; i++) {
        text_init(&text, row[i], sizeof *row);
        csv_verdict(&text, &verdicts.at[i]);
    }
    qsort(row, verdicts.count, sizeof *row, compare_lines);
    for (size_t i = 0; i < verdicts.count; i++)
        fputs(row[i], to);
    assert_int_equal(fclose(to), 0);
    free(row);
    return all;
}

static void swap_lines(size_t a, size_t b)
{
    char kept[LINE_MAX_BYTES];

    memcpy(kept, line[a], sizeof kept);
    memmove(line[a], line[b], sizeof kept);
    memcpy(line[b], kept, sizeof kept);
}

static void assert_same_answer(const char *wanted)
{
    char *seen = answer();

    assert_string_equal(seen, wanted);
    free(seen);
}

/* With those of floor last `above_floor` was not there. */
TEST(order_of_rows_does_not_matter)
{
    add_time("floor", "lfence", 0, 0, 30);
    add_curve("2m");
    add_curve("4k");
    add_skipped("mlp", "1g");
    add_time("tlb", "2m", 0, 0, 40);
    char *wanted = answer();
    assert_contains(wanted, "mlp,2m,mlp,10,");
    assert_contains(wanted, "mlp,1g,mlp,,,,");
    assert_contains(wanted, ",above_floor,");
    for (size_t i = 0; i < lines / 2; i++)
        swap_lines(i, lines - 1 - i);
    assert_same_answer(wanted);
    for (unsigned trial = 0; trial < 20; trial++) {
        for (uint32_t i = (uint32_t)lines; i > 1; i--)
            swap_lines(i - 1, below(i));
        assert_same_answer(wanted);
    }
    free(wanted);
}

/* Verdicts of mlp that a case of chains alone, or of other accesses than loads, has. */
#define OF_OTHERS 3

static size_t verdicts_of(const char *experiment)
{
    size_t count = 0;

    for (const char *const *name = experiment_find(experiment)->rule->verdicts; *name != NULL;
         name++)
        count++;
    return count;
}

TEST(skipped_fillers)
{
    add_skipped("structures", "store");
    add_skipped("structures", "waiting-load");
    judge_lines();
    assert_int_equal(verdicts.count, 2);
    assert_string_equal(verdicts.at[0].name, "store_queue");
    assert_string_equal(verdicts.at[1].name, "loads_waiting");
}

/* Each case is skipped four times over: at a search each this would take minutes. */
TEST(many_skipped_cases)
{
    enum { CASES = 20000 };
    char name[32];

    for (unsigned i = 0; i < 4 * CASES; i++) {
        snprintf(name, sizeof name, "4k-c%u", i % CASES);
        add_skipped("mlp", name);
    }
    judge_lines();
    assert_int_equal(verdicts.count, CASES * (verdicts_of("mlp") - OF_OTHERS));
    assert_string_equal(verdicts.at[0].method, "not here");
}

TEST(many_rows_of_two_experiments_in_turn)
{
    for (unsigned i = 0; i < 40000; i++) {
        add_time("mlp", "2m", 1 + i / 4096, i % 4096, 200);
        add_skipped("numa", "2m-remote");
    }
    judge_lines();
    size_t skipped = 0;
    for (size_t i = 0; i < verdicts.count; i++)
        skipped += strcmp(verdicts.at[i].variant.experiment, "numa") == 0;
    assert_int_equal(skipped, verdicts_of("numa"));
    assert_compare(verdicts.count, >, skipped);
}

TEST(no_rows_or_those_of_no_known_experiment)
{
    judge_lines();
    assert_int_equal(verdicts.count, 0);
    add_time("mine", "2m", 1, 0, 200);
    judge_lines();
    assert_int_equal(verdicts.count, 0);
}

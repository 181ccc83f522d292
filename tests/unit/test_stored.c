/* test_stored: stored rows judged whatever their order and number. */
#include "../../kernel/experiments/experiment.h"
#include "../../kernel/report/csv.h"
#include "../hosted/read_results.h"
#include "../hosted/stored_verdicts.h"
#include "rows.h"

#include "kit.h"

#define ROOM 80000

/* Rows, to be read as if they had come from a file. */
static struct row *stored;
static size_t stored_count;
static struct verdict_list verdicts;

SETUP_ALL(make_room)
{
    stored = malloc(ROOM * sizeof *stored);
    assert_non_null(stored);
}

TEARDOWN_ALL(free_room)
{
    free(stored);
}

SETUP(start)
{
    stored_count = 0;
    verdicts.at = NULL;
}

TEARDOWN(free_verdicts)
{
    free(verdicts.at);
}

static struct row *add_time(const char *experiment, const char *name, unsigned n, unsigned k,
                            double ticks)
{
    assert_true(stored_count < ROOM);
    stored[stored_count] = rows_point(experiment, name, n, k, ticks);
    return &stored[stored_count++];
}

static void add_skipped(const char *experiment, const char *name)
{
    struct row *row = add_time(experiment, name, 0, 0, NAN);
    row->n = row->k = ROW_NONE;
    row->samples = 0;
    strcpy(row->metric, ROW_SKIPPED);
    strcpy(row->unit, "not here");
}

/* Ten misses side by side, 192 entries. */
static void add_curve(const char *name)
{
    for (unsigned n = 1; n <= 14; n++)
        for (unsigned k = 0; k <= 320; k += 16)
            rows_spread(add_time("mlp", name, n, k, n + k > 192 || n > 10 ? 420 : 200 + n), 1);
}

static void judge_stored(void)
{
    struct results_table table;
    char *file = NULL, error[512], memory[CSV_ROW_MAX];
    struct text line;
    size_t length = 0;
    FILE *to = open_memstream(&file, &length);
    assert_non_null(to);
    fputs(csv_results_header, to);
    for (size_t i = 0; i < stored_count; i++) {
        text_init(&line, memory, sizeof memory);
        csv_result(&line, &stored[i]);
        fputs(memory, to);
    }
    assert_int_equal(fclose(to), 0);
    if (!read_results_text("t.csv", file, length, &table, error, sizeof error))
        fail_msg("%s", error);
    free(file);
    free(verdicts.at);
    assert_true(stored_verdicts(&table, &verdicts));
    results_table_free(&table);
}

static const struct verdict *told(const char *name, const char *verdict)
{
    const struct verdict *v = rows_verdict(&verdicts, name, verdict);
    assert_non_null(v);
    return v;
}

/* With those of floor last `above_floor` was not there. */
TEST(order_of_rows_does_not_matter)
{
    add_time("floor", "lfence", 0, 0, 30);
    add_curve("2m");
    add_curve("4k");
    add_skipped("mlp", "1g");
    add_time("tlb", "2m", 0, 0, 40);
    judge_stored();
    assert_compare(told("2m", "mlp")->value, ==, 10);
    assert_int_equal(told("1g", "mlp")->status, VERDICT_SKIP);
    told("2m", "above_floor");
    struct verdict_list wanted = verdicts;
    verdicts.at = NULL;
    for (size_t i = 0; i < stored_count / 2; i++) {
        struct row kept = stored[i];
        stored[i] = stored[stored_count - 1 - i];
        stored[stored_count - 1 - i] = kept;
    }
    for (unsigned trial = 0; trial <= 20; trial++) {
        judge_stored();
        assert_true(same_verdicts(&verdicts, &wanted));
        rows_shuffle(stored, stored_count);
    }
    free(wanted.at);
}

/* Returns how many verdicts a case has that was skipped. */
static size_t verdicts_of(const char *experiment, const char *name)
{
    size_t count = 0;
    struct variant variant;
    const struct rule *rule = experiment_find(experiment)->rule;
    case_read(name, &variant);
    for (const struct question *const *list = rule->questions; *list != NULL; list++)
        for (const struct question *q = *list; q->name != NULL; q++)
            count += (q->needs & NEEDS_COUNTERS) == 0 && (q->is_of == NULL || q->is_of(&variant));
    return count;
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
    judge_stored();
    assert_int_equal(verdicts.count, CASES * verdicts_of("mlp", "4k"));
    assert_int_equal(verdicts.at[0].reason, REASON_UNAVAILABLE);
    assert_non_null(strstr(verdicts.at[0].method, "not here"));
}

TEST(many_rows_of_two_experiments_in_turn)
{
    for (unsigned i = 0; i < 40000; i++) {
        add_time("mlp", "2m", 1 + i / 4096, i % 4096, 200);
        add_skipped("numa", "2m-remote");
    }
    judge_stored();
    size_t skipped = 0;
    for (size_t i = 0; i < verdicts.count; i++)
        skipped += strcmp(verdicts.at[i].variant.experiment, "numa") == 0;
    assert_int_equal(skipped, verdicts_of("numa", "2m-remote"));
    assert_compare(verdicts.count, >, skipped);
}

TEST(no_rows_or_those_of_no_known_experiment)
{
    judge_stored();
    assert_int_equal(verdicts.count, 0);
    add_time("mine", "2m", 1, 0, 200);
    judge_stored();
    assert_int_equal(verdicts.count, 0);
}

/* test_judge: rows in any order to groups, and groups to verdicts, in time linear in their number.
 */
#include <time.h>

#include "../../kernel/data/experiments.h"
#include "../../kernel/experiments/experiment.h"
#include "../../kernel/experiments/judge.h"
#include "../../kernel/experiments/loads/mlp_rule.h"
#include "rows.h"
#include "rules.h"

#include "kit.h"

#define VERDICTS 8 /* of a case of mlp */

SETUP(start)
{
    rows_start("mlp", NULL, 400, 2);
}

/* A reorder buffer of that size, ten loads side by side. */
static void add_table(const char *name, unsigned rob)
{
    for (unsigned n = 1; n <= 20; n++)
        for (unsigned k = 0; k <= 320; k += 16)
            add(name, "tsc", n, k, n + k > rob || n > 10 ? 410 : 220 + 2 * n);
}

static void add_array(const char *name, unsigned count)
{
    for (unsigned i = 0; i < count; i++) {
        struct row *row = rows_add("array", name, i % 3, ROW_NONE, 10 * i);
        row->bytes = (int64_t)1024 << i % 5;
        row->stage = i % 2;
    }
}

/* An experiment that tells what it was given: how many rows, and that they are in order. */
static void count_rows(const struct table *table, struct verdict_list *list)
{
    double count = (double)table->count;
    verdict_value(verdict_add(list, table->variant, "rows", ""), count, count, count);
    for (size_t i = 0; i < table->count; i++)
        assert_true(case_same(&table->rows[i].variant, table->variant));
    for (size_t i = 1; i < table->count; i++) {
        const struct row *a = &table->rows[i - 1], *b = &table->rows[i];
        int64_t before[] = {a->n, a->k, a->bytes, a->stage};
        int64_t after[] = {b->n, b->k, b->bytes, b->stage};
        unsigned same = 0;
        while (same < 4 && before[same] == after[same])
            same++;
        assert_true(same == 4 || before[same] < after[same]);
        assert_compare(row_compare(a, b), <=, 0);
    }
}

/* In place of the table of experiments. */
const struct experiment *experiment_find(const char *name)
{
    static const char *const counted[] = {"rows", NULL};
    static const struct rule rule_of_rows = {.judge = count_rows, .verdicts = counted};
    static const struct experiment mlp = {.name = "mlp", .rule = &rule_mlp};
    static const struct experiment array = {.name = "array", .rule = &rule_of_rows};
    return strcmp(name, "mlp") == 0 ? &mlp : strcmp(name, "array") == 0 ? &array : NULL;
}

static void add_everything(void)
{
    row_count = 0;
    add_table("2m", 192);
    add_array("2m", 60);
    rows_add("mystery", "2m", 1, 1, 1);
    add_table("4k", 100);
    add_array("1g", 17);
    rows_add("mystery", "4k", 1, 1, 1);
}

/* Experiments by their first rows, in each the cases by theirs, then what compares cases. */
TEST(groups_in_order)
{
    static const char *const wanted[] = {
        "mlp 2m", "mlp 4k", "mlp 2m overhead", "mlp 4k overhead", "array 2m rows", "array 1g rows",
    };
    size_t at = 0;

    add_everything();
    judge_all_rows();
    for (size_t i = 0; i < 6; i++)
        for (unsigned j = 0; j < (i < 2 ? VERDICTS : 1); j++) {
            char seen[128];
            const struct verdict *v = &verdicts.at[at++];
            snprintf(seen, sizeof seen, i < 2 ? "%s %s" : "%s %s %s", v->variant.experiment,
                     name_of(&v->variant), v->name);
            assert_string_equal(seen, wanted[i]);
        }
    assert_int_equal(verdicts.count, at);
    assert_compare(verdicts.at[at - 2].value, ==, 60);
    assert_compare(verdicts.at[at - 1].value, ==, 17);
}

/* Rows of an unknown experiment in front of all known ones take no known one's place. */
TEST(unknown_experiments_take_no_place)
{
#define NAME(name) #name,
    static const char *const known[] = {EXPERIMENTS(NAME)};
    struct tables tables;
    rows_add("mystery", "2m", 1, 1, 1);
    for (EACH(name, known))
        rows_add(*name, "2m", 1, 1, 1);
    void *room = rows_group(rows, row_count, &tables);
    assert_int_equal(tables.count, row_count - 1);
    for (size_t i = 0; i < tables.count; i++)
        assert_string_equal(tables.at[i].variant->experiment, known[i]);
    free(room);
}

/* No row is lost or made up by sorting. */
TEST(rows_are_kept)
{
    double sum = 0, sum_after = 0;
    struct tables tables;
    add_everything();
    rows_shuffle(rows, row_count);
    for (size_t i = 0; i < row_count; i++)
        sum += rows[i].median * (double)(rows[i].n + 3 * rows[i].k);
    void *room = rows_group(rows, row_count, &tables);
    for (size_t i = 0; i < row_count; i++)
        sum_after += rows[i].median * (double)(rows[i].n + 3 * rows[i].k);
    assert_near(sum, sum_after);
    size_t in_tables = 0;
    for (size_t i = 0; i < tables.count; i++) {
        in_tables += tables.at[i].count;
        assert_ptr_equal(tables_find(&tables, tables.at[i].variant), &tables.at[i]);
    }
    assert_int_equal(in_tables, row_count - 2); /* the mysteries come last */
    assert_string_equal(rows[row_count - 1].variant.experiment, "mystery");
    assert_string_equal(rows[row_count - 2].variant.experiment, "mystery");
    assert_null(tables_find(&tables, &rows[row_count - 1].variant));
    struct tables part = tables_part(&tables, 1, 1);
    assert_ptr_equal(tables_find(&part, tables.at[1].variant), &tables.at[1]);
    assert_null(tables_find(&part, tables.at[0].variant));
    free(room);
}

/* What a list has no room for is counted. */
TEST(verdicts_that_are_lost)
{
    struct verdict two[2];
    const struct row row = rows_point("mlp", "2m", 1, 1, 1);
    struct verdict_list list = {.at = two, .room = 2};
    for (unsigned i = 0; i < 5; i++)
        verdict_add(&list, &row.variant, "mlp", "loads")->value = i;
    assert_true(list.count == 2 && list.lost == 3 && two[0].value == 0 && two[1].value == 1);
}

static void add_skipped(const char *name, const char *reason)
{
    struct row *row = add(name, ROW_SKIPPED, ROW_NONE, ROW_NONE, NAN);
    row->samples = 0;
    strcpy(row->unit, reason);
}

/* Every verdict of a case that was skipped says why, behind those of cases measured. */
TEST(skipped_beside_measured)
{
    const unsigned names = VERDICTS; /* those of a chain are not among them */

    add_skipped("1g", "no such pages");
    add_table("4k", 192);
    add_skipped("2m", "no memory, %u");
    judge_all_rows();
    assert_int_equal(verdicts.count, VERDICTS + 2 * names + 1);
    for (size_t i = 0; i < VERDICTS; i++)
        assert_true(is_case(&verdicts.at[i].variant, "4k"));
    for (unsigned i = 0; i < 2 * names; i++) {
        const struct verdict *v = &verdicts.at[VERDICTS + i];
        assert_true(is_case(&v->variant, i < names ? "1g" : "2m"));
        assert_string_equal(v->name, rule_mlp.verdicts[i % names]);
        assert_int_equal(v->status, SKIP);
        assert_string_equal(v->method, i < names ? "no such pages" : "no memory, %u");
        assert_true(isnan(v->value));
    }
    /* Nothing is compared with a case that was skipped, plainer though it may be. */
    assert_string_equal(verdicts.at[verdicts.count - 1].name, "overhead");
    assert_says("4k", "overhead", OK, "other cases are compared with this one");
}

/* A case that was skipped has no verdicts but those it would have had. */
TEST(skipped_have_their_own_verdicts)
{
    add_skipped("2m-dependent", "no memory");
    judge_all_rows();
    assert_int_equal(verdicts.count, 2);
    assert_string_equal(verdicts.at[0].name, "sequential_slope");
    assert_string_equal(verdicts.at[1].name, "sequential_constant");
}

/* Counted rows are judged with the times, of tables and not of chains. */
TEST(counts_are_judged)
{
    for (unsigned n = 0; n <= 6; n++) {
        add("2m", "instructions", n, 0, 37 + n);
        add("2m-dependent", "instructions", n, 0, 37 + n);
    }
    judge_all_rows();
    verdict_of("2m", "payload_surplus");
    assert_none("2m-dependent", "payload_surplus");
}

/* Returns the processor time that it takes to group and judge so many rows. */
static double seconds_of(const struct row *many, size_t count)
{
    struct row *copy = malloc(count * sizeof *copy);
    struct tables tables;
    struct floor floor = {.step = 0};
    clock_t before = clock();
    memcpy(copy, many, count * sizeof *copy);
    void *room = rows_group(copy, count, &tables);
    size_t most = judge_verdicts_max(&tables);
    struct verdict_list list = {.at = malloc(most * sizeof *list.at), .room = most};
    judge_tables(&tables, &floor, &list);
    assert_true(list.count > 0 && list.lost == 0);
    free(list.at);
    free(room);
    free(copy);
    return (double)(clock() - before) / CLOCKS_PER_SEC;
}

/* Many rows of one case; many cases, of two nodes; two experiments by turns; many skipped: a whole
 * takes about as long as its eight parts. Work that grows as the square of the rows would take
 * eight times as long. */
TEST(work_is_linear)
{
    enum { ROWS = 8192, PARTS = 8, PART = ROWS / PARTS, TRIES = 2 };
    struct row *many = malloc(ROWS * sizeof *many);
    for (unsigned kind = 0; kind < 4; kind++) {
        double whole = INFINITY, parts = INFINITY; /* the least of a few: others disturb */
        for (unsigned i = 0; i < ROWS; i++) {
            char name[NAME_BYTES];
            snprintf(name, sizeof name, "2m%s-l%u", i % 2 ? "-node1" : "", i / 2);
            const char *experiment = kind == 2 && i % 2 ? "array" : "mlp";
            many[i] = rows_point(experiment, kind % 2 ? name : "2m", i % 64 + 1, i / 64, 100);
            if (kind == 3)
                strcpy(many[i].metric, ROW_SKIPPED);
        }
        for (unsigned i = 0; i < TRIES; i++) {
            double sum = 0;
            for (unsigned part = 0; part < PARTS; part++)
                sum += seconds_of(many + part * PART, PART);
            parts = fmin(parts, sum);
            whole = fmin(whole, seconds_of(many, ROWS));
        }
        assert_compare(whole, <, 2.5 * parts);
    }
    free(many);
}

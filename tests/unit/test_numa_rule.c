/* test_numa_rule: remote memory compared with local, from rows made up here. */
#include "../../kernel/experiments/loads/numa_rule.h"
#include "../../kernel/report/table.h"
#include "rows.h"
#include "rules.h"

#include "kit.h"

SETUP(start)
{
    rows_clear();
}

static struct row *add(const char *variant, int64_t n, int64_t k, double median)
{
    struct row *row = rows_add("numa", variant, n, k, median);
    row->samples = 100;
    rows_spread(row, 5);
    return row;
}

static void conclude(const char *variant, const char *name, double value,
                     enum verdict_status status)
{
    struct row row = rows_point("numa", variant, 1, 0, 0);
    struct verdict *v = verdict_add(&verdicts, &row.of, name, "");
    verdict_value(v, value, value - 1, value + 2);
    verdict_conclude(v, status, "made up");
}

/* Behind those that were concluded. */
static void compare(void)
{
    rows_compare(rows, row_count, numa_compare, &verdicts);
}

/* Chapter 4's figures. */
static void add_published(const char *local, const char *remote)
{
    add(local, 1, 0, 200);
    add(local, 1, 8, 999); /* not the smallest K */
    add(local, 2, 0, 240);
    add(local, 10, 0, 340);
    add(remote, 1, 8, 1);
    add(remote, 1, 0, 265);
    add(remote, 2, 0, 340);
    add(remote, 10, 0, 450);
    conclude(local, "two_sequential", 420, VERDICT_OK);
    conclude(local, "mlp", 10, VERDICT_DOUBT);
    conclude(remote, "two_sequential", 540, VERDICT_OK);
    conclude(remote, "mlp", 11, VERDICT_OK);
}

static void assert_extra(const char *variant, const char *name, double value, double low,
                         double high, enum verdict_status status)
{
    const struct verdict *v = verdict_of(variant, name);
    if (fabs(v->value - value) > 1e-6 || fabs(v->low - low) > 0.01 || fabs(v->high - high) > 0.01 ||
        v->status != status)
        fail_msg("%s of %s is %f [%f .. %f] %d: %s", name, variant, v->value, v->low, v->high,
                 v->status, v->method);
    assert_true(strlen(v->method) <= 73);
}

TEST(remote_less_local)
{
    const double reach = 2 * 1.96 * 1.253 * (10 / 2.563) / 10; /* both medians' intervals */

    add_published("2m", "2m-node1");
    compare();
    assert_extra("2m-node1", "node_one_load_extra", 65, 65 - reach, 65 + reach, VERDICT_OK);
    assert_extra("2m-node1", "node_two_loads_extra", 100, 100 - reach, 100 + reach, VERDICT_OK);
    assert_extra("2m-node1", "node_ten_loads_extra", 110, 110 - reach, 110 + reach, VERDICT_OK);
    assert_extra("2m-node1", "node_two_sequential_extra", 120, 117, 123, VERDICT_OK);
    assert_extra("2m-node1", "node_mlp_extra", 1, -2, 4, VERDICT_DOUBT); /* as the worse one */
    assert_null(rows_verdict(&verdicts, "2m", "node_one_load_extra"));
    assert_string_equal(verdict_of("2m-node1", "node_one_load_extra")->method,
                        "median of N = 1 less case 2m's");
}

TEST(the_suffix_may_stand_anywhere)
{
    add_published("4k-warm-nopf-cpuid", "4k-warm-nopf-node90-cpuid");
    compare();
    assert_int_equal(verdict_of("4k-warm-nopf-node90-cpuid", "node_one_load_extra")->status,
                     VERDICT_OK);
    assert_extra("4k-warm-nopf-node90-cpuid", "node_two_sequential_extra", 120, 117, 123,
                 VERDICT_OK);
}

TEST(differences_within_the_scatter_are_doubted)
{
    add("2m", 1, 0, 200);
    add("2m", 2, 0, 300);
    add("2m-node1", 1, 0, 201);
    add("2m-node1", 2, 0, 290);
    compare();
    assert_status("2m-node1", "node_one_load_extra", VERDICT_DOUBT);
    assert_true(verdict_of("2m-node1", "node_one_load_extra")->value == 1);
    assert_int_equal(verdict_of("2m-node1", "node_two_loads_extra")->status,
                     VERDICT_OK); /* faster */
    assert_true(strlen(verdict_of("2m-node1", "node_one_load_extra")->method) <= 73);
}

TEST(what_was_not_measured_is_skipped)
{
    static const char *const names[] = {"node_one_load_extra", "node_two_loads_extra",
                                        "node_ten_loads_extra", "node_two_sequential_extra",
                                        "node_mlp_extra"};

    add("2m-node1", 1, 0, 200);
    add("2m-node1", 2, 0, 200)->samples = 0;
    add("2m-node1-dependent", 1, 0, 200);
    add("2m-other", 1, 0, 200);
    conclude("2m-node1", "mlp", NAN, VERDICT_DOUBT);
    conclude("2m", "mlp", 3, VERDICT_OK);
    compare();
    for (unsigned i = 0; i < 5; i++) {
        assert_status("2m-node1", names[i], VERDICT_SKIP);
        assert_non_null(strstr(verdict_of("2m-node1", names[i])->method, "case 2m"));
        assert_null(rows_verdict(&verdicts, "2m-other", names[i]));
        assert_null(rows_verdict(&verdicts, "2m-node1-dependent", names[i]));
    }
    assert_int_equal(verdicts.count, 2 + 5);
}

/* Of many cases each finds its own verdicts, and a name is not taken apart. */
TEST(many_cases)
{
    static char name[20][NAME_BYTES];

    for (unsigned i = 0; i < 20; i++) {
        snprintf(name[i], NAME_BYTES, "2m%s-label%u", i % 2 ? "-node3" : "", i / 2);
        add(name[i], 1, 0, 200 + i);
    }
    conclude("2m", "mlp", 99, VERDICT_OK); /* of another experiment, before them */
    name_copy(verdicts.at[0].of.experiment, "mlp");
    for (unsigned i = 0; i < 20; i++) {
        conclude(name[i], "one_load", 1, VERDICT_OK);
        if (i != 6)
            conclude(name[i], "mlp", 10 + i, VERDICT_OK);
    }
    compare();
    for (unsigned i = 1; i < 20; i += 2) {
        const struct verdict *v = verdict_of(name[i], "node_mlp_extra");
        assert_int_equal(v->status, i == 7 ? VERDICT_SKIP : VERDICT_OK);
        assert_true(i == 7 || v->value == 1);
        assert_status(name[i], "node_two_sequential_extra", VERDICT_SKIP);
        assert_null(rows_verdict(&verdicts, name[i - 1], "node_mlp_extra"));
    }
}

/* Words of ours in a label are refused; a label beside them says nothing of memory. */
TEST(labels_are_no_nodes)
{
    add("2m-mynode1", 1, 0, 200);
    add("2m-node1x", 1, 0, 200);
    compare();
    assert_int_equal(verdicts.count, 0);
}

/* --- telling --------------------------------------------------------------------------------- */

/* The first `count` verdicts, through an index. */
static void show(void (*table)(const struct verdict_index *index, struct text *text), size_t count,
                 struct text *text)
{
    struct verdict_list list = {.at = verdicts.at, .count = count, .room = count};
    struct verdict_index index;
    void *room = malloc(verdict_index_bytes(count));

    verdict_index_make(&list, room, &index);
    table(&index, text);
    free(room);
}

/* The same case may be of both experiments that have such lines. */
TEST(summary_of_two_experiments)
{
    char memory[2000];
    struct text text;

    conclude("2m", "mlp", 10, VERDICT_OK);
    conclude("2m", "mlp", 11, VERDICT_OK);
    strcpy(verdicts.at[0].of.experiment, "mlp");
    text_init(&text, memory, sizeof memory);
    show(table_summary, verdicts.count, &text);
    const char *first = strstr(memory, "\nSummary (ticks) "), *second = strstr(memory, "\nnuma ");
    assert_non_null(first);
    assert_non_null(second);
    assert_non_null(strstr(first, "\n2m                              10 "));
    assert_non_null(strstr(second, "\n2m                              11 "));
    assert_true(first < second);
}

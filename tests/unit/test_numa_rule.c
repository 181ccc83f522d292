/* test_numa_rule: remote memory compared with local, on made-up nodes. */
#include "../../kernel/analysis/interval.h"
#include "../../kernel/experiments/experiment.h"
#include "../../kernel/experiments/loads/numa_rule.h"
#include "rows.h"
#include "rules.h"

#include "kit.h"

#define JUMP 48 /* K */

SETUP(start)
{
    rows_clear();
}

static struct row *add(const char *name, int64_t n, int64_t k, double ticks)
{
    struct row *row = rows_add("numa", name, n, k, ticks);
    row->samples = 100;
    rows_spread(row, 5);
    return row;
}

/* Memory of one node: one load's time, what each further one adds, two serialized ones', and how
 * many run in parallel. */
static void add_node(const char *name, double one, double each, double two, unsigned mlp)
{
    for (unsigned n = 1; n <= 20; n++)
        add(name, n, 0, n <= mlp ? one + each * (n - 1) : two);
    for (unsigned k = 8; k <= 2 * JUMP; k += 8)
        add(name, 2, k, k < JUMP ? one + each : two + (k % 16 ? 3 : -3));
}

/* Chapter 4's figures. */
static void add_published(const char *local, const char *remote)
{
    add_node(local, 200, 40, 820, 10);
    add_node(remote, 265, 75, 1140, 11);
}

/* Behind the verdicts of each case. */
static void compare(void)
{
    judge_rows(rule_numa.judge);
    rows_compare(rows, row_count, numa_compare, &verdicts);
}

static void assert_extra(const char *name, enum verdict_status status, double value,
                         double half_width)
{
    const struct verdict *v = assert_verdict("2m-node1", name, status, value);
    assert_true(near(v->high - value, half_width) && near(value - v->low, half_width));
}

TEST(remote_less_local)
{
    static const char *const of_verdicts[] = {"two_sequential", "mlp"},
                             *const extras[] = {"node_two_sequential_extra", "node_mlp_extra"};
    const double both = sqrt(2) * 1.96 * 1.253 * (10 / 2.563) / 10; /* medians' errors */
    add_published("2m", "2m-node1");
    rows_find("tsc", 1)->k = 8; /* not the smallest K */
    add("2m", 1, 0, 200);
    for (size_t i = 0; i < row_count; i++) /* of the remote case */
        if (rows[i].variant.memory == MEMORY_NODE && rows[i].n == 11)
            rows[i].samples = 0;
    compare();
    assert_extra("node_one_load_extra", VERDICT_OK, 65, both);
    assert_extra("node_two_loads_extra", VERDICT_OK, 100, both);
    assert_extra("node_ten_loads_extra", VERDICT_OK, 65 + 9 * 35, both);
    assert_string_equal(verdict_of("2m-node1", "node_one_load_extra")->method,
                        "median of N = 1 minus that of case 2m");
    assert_null(rows_verdict(&verdicts, "2m", "node_one_load_extra"));
    assert_status("2m-node1", "mlp", VERDICT_DOUBT); /* N = 11 is missing */
    for (unsigned i = 0; i < 2; i++) {               /* as good as the worse one */
        const struct verdict *here = verdict_of("2m-node1", of_verdicts[i]);
        const struct verdict *there = verdict_of("2m", of_verdicts[i]);
        const struct verdict *v =
            assert_verdict("2m-node1", extras[i], here->status, i == 0 ? 320 : 1);
        assert_true(here->low < here->value && there->status == VERDICT_OK);
        assert_true(
            near(v->value - v->low, hypot(here->value - here->low, there->high - there->value)));
        assert_true(
            near(v->high - v->value, hypot(here->high - here->value, there->value - there->low)));
    }
    assert_words_fit();
}

TEST(the_worse_of_two_verdicts)
{
    add_published("2m", "2m-node1");
    for (size_t i = 0; i < row_count; i++)
        if (rows[i].variant.memory != MEMORY_NODE && rows[i].n == 10)
            rows[i].samples = 0;
    compare();
    assert_verdict("2m-node1", "node_mlp_extra", VERDICT_DOUBT, 1);
    assert_verdict("2m-node1", "node_two_sequential_extra", VERDICT_OK, 320);
}

TEST(the_suffix_may_stand_anywhere)
{
    add_published("4k-warm-nopf-cpuid", "4k-warm-nopf-node90-cpuid");
    compare();
    assert_verdict("4k-warm-nopf-node90-cpuid", "node_one_load_extra", VERDICT_OK, 65);
    assert_verdict("4k-warm-nopf-node90-cpuid", "node_two_sequential_extra", VERDICT_OK, 320);
}

TEST(differences_within_the_scatter_are_doubted)
{
    add_node("2m", 200, 100, 500, 2);
    add_node("2m-node1", 201, 89, 500, 2);
    compare();
    assert_verdict("2m-node1", "node_one_load_extra", VERDICT_DOUBT, 1);
    assert_words("2m-node1", "node_one_load_extra", "the interval holds 0: no clear difference");
    assert_verdict("2m-node1", "node_two_loads_extra", VERDICT_OK, -10); /* faster */
    assert_words_fit();
}

static const char *const names[] = {"node_one_load_extra", "node_two_loads_extra",
                                    "node_ten_loads_extra", "node_two_sequential_extra",
                                    "node_mlp_extra"};

/* Neither of both; the local one alone; the remote one alone. */
TEST(what_was_not_measured_is_skipped)
{
    for (unsigned which = 0; which < 3; which++) {
        rows_clear();
        add("2m-node1", 4, 0, 200);
        add("2m-node1", 2, 0, 200)->samples = 0;
        add("2m-node1-dependent", 1, 0, 200);
        add("2m-other", 1, 0, 200);
        if (which > 0)
            add_node(which == 1 ? "2m" : "2m-node1", 200, 40, 820, 10);
        compare();
        for (unsigned i = 0; i < 5; i++) {
            assert_no_value("2m-node1", names[i], VERDICT_SKIP, "case 2m");
            assert_null(rows_verdict(&verdicts, "2m-other", names[i]));
            assert_null(rows_verdict(&verdicts, "2m-node1-dependent", names[i]));
        }
    }
}

/* Each of many pairs is compared with its own. */
TEST(many_cases)
{
    static char name[20][NAME_BYTES];
    for (unsigned i = 0; i < 20; i++) {
        snprintf(name[i], NAME_BYTES, "2m%s-label%u", i % 2 ? "-node3" : "", i / 2);
        add_node(name[i], 200 + 10 * (i % 2 * i), 5, 500, 5 + i / 2 + (i % 2 ? i % 3 : 0));
    }
    compare();
    for (unsigned i = 1; i < 20; i += 2) {
        assert_verdict(name[i], "node_mlp_extra", VERDICT_OK, i % 3);
        assert_verdict(name[i], "node_one_load_extra", VERDICT_OK, 10 * i);
        assert_null(rows_verdict(&verdicts, name[i - 1], "node_mlp_extra"));
    }
}

/* A label that looks like one says nothing of memory. */
TEST(labels_are_no_nodes)
{
    add("2m-mynode1", 1, 0, 200);
    add("2m-node1x", 1, 0, 200);
    rows_compare(rows, row_count, numa_compare, &verdicts);
    assert_int_equal(verdicts.count, 0);
}

TEST(verdict_names)
{
    const char *const *name = rule_numa.verdicts;
    for (unsigned i = 0; i < 5; name++)
        i += strcmp(*name, names[i]) == 0;
    assert_null(*name);
}

/* test_numa_rule: remote memory compared with local, on made-up nodes. */
#include "../../kernel/analysis/interval.h"
#include "../../kernel/experiments/experiment.h"
#include "../../kernel/experiments/loads/mlp_rule.h"
#include "../../kernel/experiments/loads/numa_rule.h"
#include "../../kernel/experiments/noise/floor_rule.h"
#include "../../kernel/experiments/sweeps/loads_rule.h"
#include "rows.h"
#include "rules.h"

#include "kit.h"

#define JUMP 48 /* K */

/* Nodes alone, without what compares cases of one. */
static const struct rule rule = {.judge = mlp_judge, .compare = numa_compare};

SETUP(start)
{
    rows_start("numa", &rule, 100, 5);
}

/* Memory of one node: one load's time, what each further one adds, two serialized ones', and how
 * many run in parallel. */
static void add_node(const char *name, double one, double each, double two, unsigned mlp)
{
    for (unsigned n = 1; n <= 20; n++)
        add(name, "tsc", n, 0, n <= mlp ? one + each * (n - 1) : two);
    for (unsigned k = 8; k <= 2 * JUMP; k += 8)
        add(name, "tsc", 2, k, k < JUMP ? one + each : two + (k % 16 ? 3 : -3));
}

/* Chapter 4's figures. */
static void add_published(const char *local, const char *remote)
{
    add_node(local, 200, 40, 820, 10);
    add_node(remote, 265, 75, 1140, 11);
}

static void assert_extra(const char *name, double value, double half_width)
{
    assert_interval(assert_verdict("2m-node1", name, OK, value), value - half_width,
                    value + half_width);
}

/* Takes away what was measured of one N, in remote or in local memory. */
static void lose(bool is_remote, int64_t n)
{
    for (ADDED_ROWS(row))
        if ((row->variant.memory == MEMORY_NODE) == is_remote && row->n == n)
            row->samples = 0;
}

TEST(remote_less_local)
{
    static const char *const of_verdicts[] = {"two_sequential", "mlp"},
                             *const extras[] = {"node_two_sequential_extra", "node_mlp_extra"};
    const double both = sqrt(2) * 1.96 * 1.253 * (10 / 2.563) / 10; /* medians' errors */
    add_published("2m", "2m-node1");
    rows_find("tsc", 1)->k = 8; /* not the smallest K */
    add("2m", "tsc", 1, 0, 200);
    lose(true, 11);
    assert_extra("node_one_load_extra", 65, both);
    assert_extra("node_two_loads_extra", 100, both);
    assert_extra("node_ten_loads_extra", 65 + 9 * 35, both);
    assert_string_equal(verdict_of("2m-node1", "node_one_load_extra")->method,
                        "median of N = 1 minus that of case 2m");
    assert_none("2m", "node_one_load_extra");
    assert_status("2m-node1", "mlp", DOUBT); /* N = 11 is missing */
    for (unsigned i = 0; i < 2; i++) {       /* as good as the worse one */
        const struct verdict *here = verdict_of("2m-node1", of_verdicts[i]);
        const struct verdict *there = assert_status("2m", of_verdicts[i], OK);
        double value = i == 0 ? 320 : 1;
        assert_compare(here->low, <, here->value);
        assert_interval(assert_verdict("2m-node1", extras[i], here->status, value),
                        value - hypot(here->value - here->low, there->high - there->value),
                        value + hypot(here->high - here->value, there->value - there->low));
    }
}

TEST(the_worse_of_two_verdicts)
{
    add_published("2m", "2m-node1");
    lose(false, 10);
    assert_verdict("2m-node1", "node_mlp_extra", DOUBT, 1);
    assert_verdict("2m-node1", "node_two_sequential_extra", OK, 320);
}

TEST(the_suffix_may_stand_anywhere)
{
    add_published("4k-warm-nopf-cpuid", "4k-warm-nopf-node90-cpuid");
    assert_verdict("4k-warm-nopf-node90-cpuid", "node_one_load_extra", OK, 65);
    assert_verdict("4k-warm-nopf-node90-cpuid", "node_two_sequential_extra", OK, 320);
}

TEST(differences_within_the_scatter_are_doubted)
{
    add_node("2m", 200, 100, 500, 2);
    add_node("2m-node1", 201, 89, 500, 2);
    assert_answer("2m-node1", "node_one_load_extra", 1, "no-difference");
    assert_verdict("2m-node1", "node_two_loads_extra", OK, -10); /* faster */
}

static const char *const names[] = {"node_one_load_extra", "node_two_loads_extra",
                                    "node_ten_loads_extra", "node_two_sequential_extra",
                                    "node_mlp_extra"};

/* Neither of both; the local one alone; the remote one alone. */
TEST(what_was_not_measured_is_skipped)
{
    for (unsigned which = 0; which < 3; which++) {
        rows_clear();
        add("2m-node1", "tsc", 4, 0, 200);
        add("2m-node1", "tsc", 2, 0, 200)->samples = 0;
        add("2m-node1-dependent", "tsc", 1, 0, 200);
        add("2m-other", "tsc", 1, 0, 200);
        if (which > 0)
            add_node(which == 1 ? "2m" : "2m-node1", 200, 40, 820, 10);
        for (unsigned i = 0; i < 5; i++) {
            assert_no_value("2m-node1", names[i], SKIP, "case 2m");
            assert_none("2m-other", names[i]);
            assert_none("2m-node1-dependent", names[i]);
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
    for (unsigned i = 1; i < 20; i += 2) {
        assert_verdict(name[i], "node_mlp_extra", OK, i % 3);
        assert_verdict(name[i], "node_one_load_extra", OK, 10 * i);
        assert_none(name[i - 1], "node_mlp_extra");
    }
}

/* A label that looks like one says nothing of memory. */
TEST(labels_are_no_nodes)
{
    add("2m-mynode1", "tsc", 1, 0, 200);
    add("2m-node1x", "tsc", 1, 0, 200);
    assert_none(NULL, "node_one_load_extra");
}

/* What mlp doubts of large pages that the host maps by small ones, numa does too; and what leans on
 * it. */
TEST(small_host_pages)
{
    rows_start("numa", NULL, 400, 2);
    for (unsigned small = 0; small < 2; small++) {
        rows_clear();
        add_node("2m", 200, 40, 820, 10);
        add_node("2m-node1", 300, 40, 820, 10);
        for (ADDED_ROWS(row)) {
            row->visits = 2;
            row->center_error = row->mean_error = 0.1;
        }
        add("2m", LOADS_CACHED, 1, 0, 20);
        add("2m-node1", LOADS_CACHED, 1, 0, 20);
        if (small)
            rows_add_metric("floor", FLOOR_CORE, FACTS_SMALL_PAGES, 0, 0, 1);
        judge_all_rows();
        assert_doubt("2m", "one_load", small ? "small-host-pages" : NULL);
        assert_doubt("2m-node1", "node_one_load_extra", small ? "small-host-pages" : NULL);
    }
}

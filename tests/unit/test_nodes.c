/* test_nodes: nodes are sorted as seen from the own one, cases are named and placed by `node`, and
 * remote is compared with local. */
#include "../../kernel/analysis/node_rule.h"
#include "../../kernel/analysis/verdict.h"
#include "../../kernel/experiments/experiment.h"
#include "../../kernel/experiments/measurement.h"
#include "../../kernel/report/conditions.h"
#include "../../kernel/report/node_table.h"
#include "../../kernel/report/table.h"
#include "fake_platform.h"
#include "kit.h"

const char *const experiment_names[] = {"mlp", NULL};

/* --- sorting --------------------------------------------------------------------------------- */

static struct memory_nodes nodes;

/* Nodes of these numbers; from a to b it is 10 a + b + 11, to themselves 10. */
static void make_nodes(uint32_t count, const uint32_t *numbers)
{
    memset(&nodes, 0, sizeof nodes);
    nodes.count = count;
    for (uint32_t i = 0; i < count; i++) {
        nodes.node[i] = (struct memory_node){.number = numbers[i], .bytes = numbers[i] << 20};
        for (uint32_t j = 0; j < count; j++)
            nodes.distance[i][j] = i == j ? 10 : (uint8_t)(10 * numbers[i] + numbers[j] + 11);
    }
}

static void assert_order(uint32_t count, const uint32_t *numbers)
{
    assert_int_equal(nodes.count, count);
    for (uint32_t i = 0; i < count; i++) {
        assert_int_equal(nodes.node[i].number, numbers[i]);
        assert_int_equal(nodes.node[i].bytes, numbers[i] << 20);
        for (uint32_t j = 0; j < count; j++)
            assert_int_equal(nodes.distance[i][j], i == j ? 10 : 10 * numbers[i] + numbers[j] + 11);
    }
}

TEST(own_first_then_by_distance)
{
    static const uint32_t mixed[] = {3, 0, 4, 1, 2}, own_4[] = {4, 0, 1, 2, 3};
    static const uint32_t own_0[] = {0, 1, 2, 3, 4}, one[] = {6};

    make_nodes(5, mixed);
    assert_true(nodes_sort(&nodes, 4));
    assert_true(nodes.own_known);
    assert_order(5, own_4);
    assert_true(nodes_sort(&nodes, 0));
    assert_order(5, own_0);
    make_nodes(5, mixed);
    assert_false(nodes_sort(&nodes, 9));
    assert_false(nodes.own_known);
    assert_order(5, own_0); /* by number */
    make_nodes(1, one);
    assert_true(nodes_sort(&nodes, 6));
    make_nodes(0, one);
    assert_false(nodes_sort(&nodes, 6));
}

TEST(a_near_node_comes_before_a_low_number)
{
    static const uint32_t numbers[] = {0, 1, 2, 3};

    make_nodes(4, numbers);
    nodes.distance[2][0] = 40;
    nodes.distance[2][1] = 30;
    nodes.distance[2][3] = 30;
    assert_true(nodes_sort(&nodes, 2));
    assert_int_equal(nodes.node[0].number, 2);
    assert_int_equal(nodes.node[1].number, 1);
    assert_int_equal(nodes.node[2].number, 3);
    assert_int_equal(nodes.node[3].number, 0);
}

TEST(own_first_where_distances_are_not_told)
{
    static const uint32_t numbers[] = {1, 3, 0, 2}, wanted[] = {2, 0, 1, 3};

    make_nodes(4, numbers);
    memset(nodes.distance, 0, sizeof nodes.distance);
    assert_true(nodes_sort(&nodes, 2));
    for (uint32_t i = 0; i < 4; i++)
        assert_int_equal(nodes.node[i].number, wanted[i]);
}

TEST(no_remote)
{
    static const uint32_t numbers[] = {0, 1};

    make_nodes(0, numbers);
    nodes.reason = "none";
    assert_string_equal(nodes_no_remote(&nodes), "none");
    make_nodes(1, numbers);
    assert_string_equal(nodes_no_remote(&nodes), "this machine has one memory node");
    make_nodes(2, numbers);
    nodes.reason = "which is own?";
    assert_string_equal(nodes_no_remote(&nodes), "which is own?");
    nodes.own_known = true;
    assert_null(nodes_no_remote(&nodes));
}

/* --- settings -------------------------------------------------------------------------------- */

static struct fake_platform fake;
static struct config config;
static struct measurement measurement = {.platform = &fake.platform, .config = &config};

SETUP(open_platform)
{
    fake_platform_open(&fake);
    fake.platform.nodes = &nodes;
}

/* Every setting as "suffix:index", or "suffix!reason". */
static void assert_settings(enum config_node asked, enum config_prefetch fetch, const char *wanted)
{
    char memory[400];
    struct text text;
    text_init(&text, memory, sizeof memory);
    measurement.nodes = asked;
    config.prefetch = fetch;
    for (unsigned i = 0; i < measurement_settings(&measurement); i++) {
        const char *suffix, *reason = measurement_set(&measurement, i, &suffix);
        assert_int_equal(fake.prefetch, strstr(suffix, "-nopf") == NULL);
        text_printf(&text, i > 0 ? " %s" : "%s", suffix);
        if (reason != NULL)
            text_printf(&text, "!%s", reason);
        else if (fake.platform.window_node == NODE_ANY)
            text_printf(&text, ":any");
        else
            text_printf(&text, ":%u", fake.platform.window_node);
    }
    assert_string_equal(memory, wanted);
}

TEST(settings_of_several_nodes)
{
    static const uint32_t numbers[] = {5, 0, 4294967295u};

    make_nodes(3, numbers);
    nodes.own_known = true;
    assert_settings(CONFIG_NODE_LOCAL, PREFETCH_ON, ":0");
    assert_settings(CONFIG_NODE_REMOTE, PREFETCH_ON, "-node0:1 -node4294967295:2");
    assert_settings(CONFIG_NODE_ALL, PREFETCH_ON, ":0 -node0:1 -node4294967295:2");
    assert_settings(CONFIG_NODE_ALL, PREFETCH_BOTH,
                    ":0 -nopf:0 -node0:1 -nopf-node0:1 -node4294967295:2 -nopf-node4294967295:2");
    assert_settings(CONFIG_NODE_REMOTE, PREFETCH_OFF, "-nopf-node0:1 -nopf-node4294967295:2");
    measurement_use_local_node(&measurement);
    assert_int_equal(fake.platform.window_node, 0);
}

TEST(settings_of_one_node)
{
    static const uint32_t numbers[] = {3};
    static const char remote[] = "-remote!this machine has one memory node";
    char all[80];

    make_nodes(1, numbers);
    nodes.own_known = true;
    snprintf(all, sizeof all, ":any %s", remote);
    assert_settings(CONFIG_NODE_LOCAL, PREFETCH_ON, ":any");
    assert_settings(CONFIG_NODE_REMOTE, PREFETCH_ON, remote);
    assert_settings(CONFIG_NODE_ALL, PREFETCH_ON, all);
    make_nodes(0, numbers);
    nodes.reason = "bad";
    assert_settings(CONFIG_NODE_LOCAL, PREFETCH_ON, ":any");
    assert_settings(CONFIG_NODE_ALL, PREFETCH_ON, ":any -remote!bad");
    fake.platform.window_node = 7;
    measurement_use_local_node(&measurement);
    assert_int_equal(fake.platform.window_node, NODE_ANY);
}

/* Then none is local: no case may be called so. */
TEST(settings_where_the_own_node_is_not_known)
{
    static const uint32_t numbers[] = {0, 1};

    make_nodes(2, numbers);
    nodes.reason = "unknown";
    assert_settings(CONFIG_NODE_LOCAL, PREFETCH_ON, ":any");
    assert_settings(CONFIG_NODE_REMOTE, PREFETCH_ON, "-remote!unknown");
    assert_settings(CONFIG_NODE_ALL, PREFETCH_ON, "-node0:0 -node1:1");
}

TEST(prefetchers_that_cannot_be_chosen)
{
    static const uint32_t numbers[] = {0, 1};

    make_nodes(2, numbers);
    nodes.own_known = true;
    fake.no_prefetch = "no register";
    assert_settings(CONFIG_NODE_REMOTE, PREFETCH_BOTH, "-node1:1 -nopf-node1!no register");
}

/* --- comparing ------------------------------------------------------------------------------- */

static struct row rows[64];
static size_t row_count;
static struct verdict verdict_memory[64];
static struct verdict_list verdicts;

SETUP(start)
{
    row_count = 0;
    verdicts = (struct verdict_list){.at = verdict_memory, .room = 64};
}

static struct row *add(const char *variant, int64_t n, int64_t k, double median)
{
    struct row *row = &rows[row_count++];
    *row = (struct row){
        .experiment = "numa",
        .n = n,
        .k = k,
        .metric = "tsc",
        .samples = 100,
        .p10 = median - 5,
        .median = median,
        .p90 = median + 5,
    };
    snprintf(row->variant, sizeof row->variant, "%s", variant);
    return row;
}

static void conclude(const char *variant, const char *name, double value,
                     enum verdict_status status)
{
    struct verdict *v = verdict_add(&verdicts, "numa", variant, name, "");
    verdict_value(v, value, value - 1, value + 2);
    verdict_conclude(v, status, "made up");
}

static const struct verdict *find(const char *variant, const char *name)
{
    for (size_t i = 0; i < verdicts.count; i++)
        if (strcmp(verdicts.at[i].variant, variant) == 0 && strcmp(verdicts.at[i].name, name) == 0)
            return &verdicts.at[i];
    return NULL;
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
    conclude(remote, "two_sequential", 540, VERDICT_OK);
    conclude(local, "mlp", 10, VERDICT_DOUBT);
    conclude(remote, "mlp", 11, VERDICT_OK);
}

static void assert_extra(const char *variant, const char *name, double value, double low,
                         double high, enum verdict_status status)
{
    const struct verdict *v = find(variant, name);
    assert_non_null(v);
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
    node_compare(rows, row_count, &verdicts);
    assert_extra("2m-node1", "node_one_load_extra", 65, 65 - reach, 65 + reach, VERDICT_OK);
    assert_extra("2m-node1", "node_two_loads_extra", 100, 100 - reach, 100 + reach, VERDICT_OK);
    assert_extra("2m-node1", "node_ten_loads_extra", 110, 110 - reach, 110 + reach, VERDICT_OK);
    assert_extra("2m-node1", "node_two_sequential_extra", 120, 117, 123, VERDICT_OK);
    assert_extra("2m-node1", "node_mlp_extra", 1, -2, 4, VERDICT_DOUBT); /* as the worse one */
    assert_null(find("2m", "node_one_load_extra"));
    assert_string_equal(find("2m-node1", "node_one_load_extra")->method,
                        "median of N = 1 less case 2m's");
}

TEST(the_suffix_may_stand_anywhere)
{
    add_published("4k-warm-nopf-cpuid", "4k-warm-nopf-node90-cpuid");
    node_compare(rows, row_count, &verdicts);
    assert_int_equal(find("4k-warm-nopf-node90-cpuid", "node_one_load_extra")->status, VERDICT_OK);
    assert_extra("4k-warm-nopf-node90-cpuid", "node_two_sequential_extra", 120, 117, 123,
                 VERDICT_OK);
}

TEST(differences_within_the_scatter_are_doubted)
{
    add("2m", 1, 0, 200);
    add("2m", 2, 0, 300);
    add("2m-node1", 1, 0, 201);
    add("2m-node1", 2, 0, 290);
    node_compare(rows, row_count, &verdicts);
    assert_int_equal(find("2m-node1", "node_one_load_extra")->status, VERDICT_DOUBT);
    assert_true(find("2m-node1", "node_one_load_extra")->value == 1);
    assert_int_equal(find("2m-node1", "node_two_loads_extra")->status, VERDICT_OK); /* faster */
    assert_true(strlen(find("2m-node1", "node_one_load_extra")->method) <= 73);
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
    node_compare(rows, row_count, &verdicts);
    for (unsigned i = 0; i < 5; i++) {
        assert_int_equal(find("2m-node1", names[i])->status, VERDICT_SKIP);
        assert_non_null(strstr(find("2m-node1", names[i])->method, "case 2m"));
        assert_null(find("2m-other", names[i]));
        assert_null(find("2m-node1-dependent", names[i]));
    }
    assert_int_equal(verdicts.count, 2 + 5);
}

/* --- telling --------------------------------------------------------------------------------- */

TEST(table)
{
    char memory[2000];
    struct text text;

    conclude("4k", "one_load", 900, VERDICT_OK);
    verdicts.at[0].experiment[0] = 'x'; /* of an experiment without other nodes */
    add_published("2m", "2m-node1");
    conclude("2m", "one_load", 200, VERDICT_OK);
    conclude("2m-node1", "one_load", 265, VERDICT_OK);
    conclude("2m-cold", "one_load", 7, VERDICT_SKIP);
    node_compare(rows, row_count, &verdicts);
    text_init(&text, memory, sizeof memory);
    node_table(verdicts.at, verdicts.count, &text);
    assert_string_equal(
        memory, "\nNodes, numa: loads of one, two in turn; + against the own node (ticks)\n"
                "                       one in turn     MLP   + one   + two   + ten  + turn\n"
                "2m                     200     420      10       -       -       -       -\n"
                "2m-node1               265     540      11      65     100     110     120\n");
    text_clear(&text);
    node_table(verdicts.at, 1, &text);
    assert_string_equal(memory, "");
}

/* The same case may be of both experiments that have such lines. */
TEST(summary_of_two_experiments)
{
    char memory[2000];
    struct text text;

    conclude("2m", "mlp", 10, VERDICT_OK);
    conclude("2m", "mlp", 11, VERDICT_OK);
    strcpy(verdicts.at[0].experiment, "mlp");
    text_init(&text, memory, sizeof memory);
    table_summary(verdicts.at, verdicts.count, &text);
    const char *first = strstr(memory, "\nSummary (ticks) "), *second = strstr(memory, "\nnuma ");
    assert_non_null(first);
    assert_non_null(second);
    assert_non_null(strstr(first, "\n2m                              10 "));
    assert_non_null(strstr(second, "\n2m                              11 "));
    assert_true(first < second);
}

static const char *described(void)
{
    static char memory[4000];
    struct text text;
    struct json json;
    text_init(&text, memory, sizeof memory);
    json_begin(&json, &text);
    conditions_nodes(&json, &nodes);
    json_end(&json);
    return memory;
}

static void assert_described(const char *piece)
{
    if (strstr(described(), piece) == NULL)
        fail_msg("%s is not in %s", piece, described());
}

TEST(json)
{
    static const uint32_t numbers[] = {4, 1};

    make_nodes(2, numbers);
    nodes.source = "a test";
    nodes.own_known = true;
    nodes.node[1].proof = (struct node_proof){2, 512, 0x1000, 0x20000000};
    nodes.node[1].figure[NODE_LATENCY] = 100.5;
    assert_described("\"own\": 4,");
    assert_described("\"numbers\": \"4 1\"");
    assert_described("\"distances\": \"10 52\"");
    assert_described("\"distances\": \"25 10\"");
    assert_described("\"latency_ns\": 100.5");
    assert_described("\"windows\": 2,");
    assert_described("\"lowest\": \"0x1000\"");
    assert_described("\"highest\": \"0x20000000\"");
    nodes.own_known = false;
    nodes.reason = "why";
    nodes.distances_reason = "unknown";
    assert_described("\"own\": null,");
    assert_described("\"reason\": \"why\"");
    assert_described("\"distances\": \"\"");
    assert_described("\"no_distances\": \"unknown\"");
}

/* test_nodes: nodes are sorted as seen from the own one, and cases are placed by `node`. */
#include "../../kernel/experiments/experiment.h"
#include "../../kernel/experiments/settings.h"
#include "../../kernel/report/conditions.h"
#include "fake_platform.h"
#include "kit.h"
#include "rows.h"

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
    config.prefetch = fetch;
    for (unsigned i = 0; i < settings_count(&measurement, asked); i++) {
        struct setting setting = settings_get(&measurement, asked, PAGE_2M, i);
        assert_true(setting.of.has_page && setting.of.page == PAGE_2M);
        text_printf(&text, i > 0 ? " %s" : "%s", name_of(&setting.of) + 2); /* without "2m" */
        if (setting.refusal != NULL)
            text_printf(&text, "!%s", setting.refusal);
        else if (setting.node == NODE_ANY)
            text_printf(&text, ":any");
        else
            text_printf(&text, ":%u", setting.node);
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

/* --- telling --------------------------------------------------------------------------------- */

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

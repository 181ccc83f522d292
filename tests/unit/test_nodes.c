/* test_nodes: nodes are sorted as seen from the own one, and told. */
#include "../../kernel/report/conditions.h"
#include "kit.h"

/* --- sorting --------------------------------------------------------------------------------- */

static struct memory_nodes nodes;
static struct config config;
static struct text errors;
static struct processor processor = {.family = 6, .model = 207, .stepping = 2};

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
        assert_numbers((nodes.node[i].number, nodes.node[i].bytes), (numbers[i], numbers[i] << 20));
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
    assert_numbers((nodes.node[0].number, nodes.node[1].number, nodes.node[2].number), (2, 1, 3));
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
    nodes.own_known = true;
    assert_string_equal(nodes_no_remote(&nodes), "this machine has one memory node");
    nodes.own_known = false; /* the only memory is another node's */
    nodes.reason = "no memory here";
    assert_string_equal(nodes_no_remote(&nodes), "no memory here");
    make_nodes(2, numbers);
    nodes.reason = "which is own?";
    assert_string_equal(nodes_no_remote(&nodes), "which is own?");
    nodes.own_known = true;
    assert_null(nodes_no_remote(&nodes));
}

/* --- telling --------------------------------------------------------------------------------- */

static const char *described(void)
{
    static char memory[8000];
    struct text text;
    struct json json;
    text_init(&text, memory, sizeof memory);
    json_begin(&json, &text);
    conditions_configuration(&json, &config);
    conditions_nodes(&json, &nodes);
    conditions_processor(&json, &processor);
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
    memset(&config, 0, sizeof config);
    assert_int_equal(config_finish(&config, &errors), 0);
    nodes.source = "a test";
    nodes.own_known = true;
    assert_described("\"source\": \"a test\",\n    \"nodes\": 2,\n    \"own\": 4,");
    assert_described("\"numbers\": \"4 1\"");
    assert_described("\"distances\": \"10 52\"");
    assert_described("\"distances\": \"25 10\"");
    assert_described("\n    \"node_4\": {");
    assert_described("\n    \"node_1\": {"); /* beside the first, not in it */
    assert_described("\"model\": 207,");
    static const char *const facts[] = {"vendor", "brand",          "family",
                                        "model",  "stepping",       "virtual",
                                        "rdtscp", "gigabyte_pages", "invariant_tsc"};
    for (EACH(fact, facts)) {
        char key[32];
        snprintf(key, sizeof key, "\n    \"%s\": ", *fact);
        assert_described(key);
    }
    assert_described("\"configuration\": {\n    \"suite\": \"quick\",");
    assert_described("\"configured_by\": {\n    \"suite\": \"default\",");
    processor.is_virtual = false;
    assert_null(strstr(described(), "\"hypervisor\""));
    processor.is_virtual = true;
    assert_described("\"hypervisor\": {");
    nodes.own_known = false;
    nodes.reason = "why";
    nodes.distances_reason = "unknown";
    assert_described("\"own\": null,");
    assert_described("\"reason\": \"why\"");
    assert_described("\"distances\": \"\"");
    assert_described("\"no_distances\": \"unknown\"");
}

/* test_settings_of_cases: nodes and prefetchers that cases are measured with, and their names. */
#include "../../kernel/engine/measurement.h"
#include "../../kernel/experiments/settings.h"
#include "../../kernel/lib/text.h"
#include "fake_platform.h"
#include "kit.h"

static struct memory_nodes nodes;
static struct fake_platform fake;
static struct config config;
static struct measurement measurement;

static const char *doubt;

/* In place of kernel/engine/prefetch_proof.c. */
const char *prefetch_proof(struct measurement *m)
{
    assert_ptr_equal(m, &measurement);
    assert_false(fake.prefetch);
    return doubt;
}

SETUP(open_platform)
{
    doubt = NULL;
    fake_platform_open(&fake);
    fake.platform.nodes = &nodes;
    nodes = (struct memory_nodes){.reason = "none"};
    memset(&config, 0, sizeof config);
    measurement = (struct measurement){.platform = &fake.platform, .config = &config};
}

/* Makes nodes of these numbers; the first is the core's own. */
static void make_nodes(uint32_t count, const uint32_t *numbers)
{
    nodes = (struct memory_nodes){.count = count, .own_known = true};
    for (uint32_t i = 0; i < count; i++)
        nodes.node[i].number = numbers[i];
}

/* Every setting as "name:index", or "name!reason". */
static void assert_settings(enum config_node asked, enum config_prefetch fetch, const char *wanted)
{
    char memory[400], name[NAME_BYTES];
    struct text text;
    text_init(&text, memory, sizeof memory);
    config.prefetch = fetch;
    for (unsigned i = 0; i < settings_count(&measurement, asked); i++) {
        struct setting s = settings_get(&measurement, asked, PAGE_4K, i);
        assert_true(s.variant.has_page);
        assert_compare(s.variant.page, ==, PAGE_4K);
        if (s.variant.prefetch_off)
            assert_false(fake.prefetch); /* it was tried */
        text_printf(&text, i > 0 ? " %s" : "%s", case_name(&s.variant, name));
        if (s.refusal != NULL)
            text_printf(&text, "!%s", s.refusal);
        else if (s.node == NODE_ANY)
            text_printf(&text, ":any");
        else
            text_printf(&text, ":%u", s.node);
    }
    assert_string_equal(memory, wanted);
}

TEST(several_nodes)
{
    static const uint32_t numbers[] = {5, 0, 429496729};
    make_nodes(3, numbers);
    assert_settings(CONFIG_NODE_LOCAL, PREFETCH_ON, "4k:0");
    assert_settings(CONFIG_NODE_REMOTE, PREFETCH_ON, "4k-node0:1 4k-node429496729:2");
    assert_settings(CONFIG_NODE_ALL, PREFETCH_ON, "4k:0 4k-node0:1 4k-node429496729:2");
    assert_settings(CONFIG_NODE_ALL, PREFETCH_BOTH,
                    "4k:0 4k-nopf:0 4k-node0:1 4k-nopf-node0:1 4k-node429496729:2 "
                    "4k-nopf-node429496729:2");
    assert_settings(CONFIG_NODE_REMOTE, PREFETCH_OFF, "4k-nopf-node0:1 4k-nopf-node429496729:2");
}

TEST(one_node)
{
    static const uint32_t numbers[] = {3};
    make_nodes(1, numbers);
    assert_settings(CONFIG_NODE_LOCAL, PREFETCH_ON, "4k:any");
    assert_settings(CONFIG_NODE_REMOTE, PREFETCH_ON, "4k-remote!this machine has one memory node");
    assert_settings(CONFIG_NODE_ALL, PREFETCH_ON,
                    "4k:any 4k-remote!this machine has one memory node");
    nodes = (struct memory_nodes){.reason = "bad"};
    assert_settings(CONFIG_NODE_LOCAL, PREFETCH_ON, "4k:any");
    assert_settings(CONFIG_NODE_ALL, PREFETCH_ON, "4k:any 4k-remote!bad");
}

/* Then none is local: no case may be called so. */
TEST(the_own_node_is_not_known)
{
    static const uint32_t numbers[] = {0, 1};
    make_nodes(2, numbers);
    nodes.own_known = false;
    nodes.reason = "unknown";
    assert_settings(CONFIG_NODE_LOCAL, PREFETCH_ON, "4k:any");
    assert_settings(CONFIG_NODE_REMOTE, PREFETCH_ON, "4k-remote!unknown");
    assert_settings(CONFIG_NODE_ALL, PREFETCH_ON, "4k-node0:0 4k-node1:1");
    make_nodes(1, numbers); /* which is another processor's */
    nodes.own_known = false;
    nodes.reason = "no memory here";
    assert_settings(CONFIG_NODE_LOCAL, PREFETCH_ON, "4k:any");
    assert_settings(CONFIG_NODE_REMOTE, PREFETCH_ON, "4k-remote!no memory here");
    assert_settings(CONFIG_NODE_ALL, PREFETCH_ON, "4k-node0:0");
}

TEST(prefetchers_that_cannot_be_chosen)
{
    static const uint32_t numbers[] = {0, 1};
    make_nodes(2, numbers);
    fake.no_prefetch = "no register";
    assert_settings(CONFIG_NODE_REMOTE, PREFETCH_BOTH, "4k-node1:1 4k-nopf-node1!no register");
    /* The first reason is the one that is said. */
    nodes.own_known = false;
    nodes.reason = "unknown";
    assert_settings(CONFIG_NODE_REMOTE, PREFETCH_OFF, "4k-nopf-remote!no register");
}

/* What firmware left is what the plainest case is measured with. */
TEST(prefetchers_that_are_not_asked_for)
{
    assert_settings(CONFIG_NODE_LOCAL, PREFETCH_AS_FOUND, "4k:any");
    assert_settings(CONFIG_NODE_LOCAL, PREFETCH_ON, "4k:any");
    assert_int_equal(fake.prefetch_calls, 0);
}

/* A case ordered by LFENCE needs one that orders. */
TEST(no_ordering_lfence)
{
    struct setting s = {.refusal = NULL};
    assert_null(settings_refusal(&measurement, &s));
    fake.platform.no_lfence_order = "no order";
    assert_string_equal(settings_refusal(&measurement, &s), "no order");
    s.variant.order = ORDER_CPUID;
    assert_null(settings_refusal(&measurement, &s));
    s.refusal = "no register";
    assert_string_equal(settings_refusal(&measurement, &s), "no register");
    s.variant.order = ORDER_LFENCE;
    assert_string_equal(settings_refusal(&measurement, &s), "no register");
}

/* Off is believed only where it shows. */
TEST(prefetchers_that_show_no_effect)
{
    doubt = "no slower";
    assert_settings(CONFIG_NODE_LOCAL, PREFETCH_BOTH, "4k:any 4k-nopf!no slower");
    fake.no_prefetch = "no register";
    assert_settings(CONFIG_NODE_LOCAL, PREFETCH_BOTH, "4k:any 4k-nopf!no register");
}

TEST(the_users_label)
{
    strcpy(config.variant, "mine");
    assert_settings(CONFIG_NODE_LOCAL, PREFETCH_BOTH, "4k-mine:any 4k-nopf-mine:any");
}

TEST(the_stop_rule)
{
    config.samples_min = 5;
    config.samples_max = 8;
    config.samples_precision = 0.25;
    measurement = (struct measurement){.config = &config};
    struct rounds_rules rules = settings_task(&measurement, NULL, NULL).rules;
    assert_numbers((rules.samples_min, rules.samples_max, rules.precision), (5, 8, 0.25));
    assert_numbers((rules.visits_min, rules.visit_samples), (4, 0));
}

TEST(lists)
{
    static struct config_list list = {4, {3, 96, 1, 40}};
    assert_numbers((list_most(&list), list_least(&list)), (96, 1));
    list.count = 1;
    assert_numbers((list_most(&list), list_least(&list)), (3, 3));
    list.count = 0;
    assert_true(list_most(&list) == 0);
}

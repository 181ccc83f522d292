/* test_linux_nodes: memory nodes out of a folder like sysfs's, and windows bound to one. */
#include <sys/mman.h>

#include "../hosted/linux_nodes.h"
#include "../hosted/platform_linux.h"
#include "kit.h"
#include "own_folder.h"

#define REAL "/sys/devices/system/node"
#define WINDOW (UINT64_C(6) << 20) /* more than one question to Linux */

static struct memory_nodes nodes;

static void write_node(unsigned number, unsigned megabytes, const char *distances)
{
    char text[256];
    snprintf(text, sizeof(text), "Node %u MemTotal:   %u kB\nNode %u MemFree:   %u kB\n", number,
             megabytes * 1024, number, megabytes * 512);
    write_text(own_path("node%u/meminfo", number), text);
    write_text(own_path("node%u/distance", number), distances);
}

SETUP(start)
{
    make_own_folder();
}

TEARDOWN(end)
{
    remove_own_folder();
}

/* As try_calls says on a machine that forbids them; then there is nothing to test. */
static bool may_bind(void)
{
    struct memory_node node = {.number = 0};
    static uint8_t page[8192];
    uint8_t *aligned = page + (4096 - (uintptr_t)page % 4096);
    return linux_nodes_bind(&node, aligned, 4096) == NULL;
}

/* Node 1 has processors only: it has a column in every line of distances, but no memory. */
TEST(reads_nodes)
{
    write_text(own_path("has_memory"), "0,1-3\n");
    write_text(own_path("online"), "0-3\n");
    write_node(0, 4096, "10 12 23 21\n");
    write_node(1, 0, "12 10 31 32\n");
    write_node(2, 2048, "24 31 10 43\n");
    write_node(3, 1024, "22 32 44 10\n");
    linux_nodes_find(own_folder, &nodes);
    if (!may_bind())
        skip();
    assert_int_equal(nodes.count, 3);
    assert_true(nodes.own_known); /* the machine of this test has a node 0 */
    assert_null(nodes.reason);
    assert_int_equal(nodes.node[0].number, 0);
    assert_int_equal(nodes.node[1].number, 3); /* nearer than 2 */
    assert_numbers((nodes.node[2].number, nodes.node[0].bytes), (2, UINT64_C(4096) << 20));
    assert_numbers((nodes.node[1].free_bytes, nodes.distance[0][1]), (UINT64_C(512) << 20, 21));
    assert_numbers((nodes.distance[0][2], nodes.distance[1][0]), (23, 22));
    assert_numbers((nodes.distance[1][2], nodes.distance[2][2]), (44, 10));
}

TEST(reads_one_node)
{
    write_text(own_path("has_memory"), "0\n");
    write_text(own_path("online"), "0\n");
    write_node(0, 100, "10\n");
    linux_nodes_find(own_folder, &nodes);
    assert_int_equal(nodes.count, 1);
    assert_string_equal(nodes_no_remote(&nodes), "this machine has one memory node");
    write_text(own_path("has_memory"), "7\n");
    write_node(7, 100, "10\n");
    linux_nodes_find(own_folder, &nodes);
    assert_int_equal(nodes.count, 1);
    assert_false(nodes.own_known);
    assert_string_equal(nodes.reason, "this processor's node has no memory");
}

TEST(believes_no_list_that_is_none)
{
    static const char *const lists[] = {
        "",   "\n", "x", "0,", "-1", "0-", "0-1024", "1024", "0 1", "0-1x", "99999999999999999999",
        "3-2"};
    linux_nodes_find(own_folder, &nodes); /* no file at all */
    assert_string_equal(nodes.reason, "Linux tells of no memory nodes");
    write_node(0, 100, "10\n"); /* whoever reads a 0 out of them finds a node */
    for (size_t i = 0; i < sizeof(lists) / sizeof(lists[0]); i++) {
        write_text(own_path("has_memory"), lists[i]);
        linux_nodes_find(own_folder, &nodes);
        if (nodes.count != 0 || nodes.reason == NULL)
            fail_msg("\"%s\" was believed", lists[i]);
    }
}

TEST(finds_those_of_this_machine)
{
    linux_nodes_find(REAL, &nodes);
    assert_true(nodes.count > 0 || nodes.reason != NULL);
    if (nodes.count > 0)
        assert_compare(nodes.node[0].bytes, >, 0);
}

static const char *map_window(struct platform *platform, uint32_t node, struct window *window)
{
    const struct window_request request = {.bytes = WINDOW, .page = PAGE_4K, .node = node};
    return platform->map_window(platform, &request, window);
}

TEST(binds_windows_and_proves_it)
{
    struct linux_platform linux_platform;
    struct window window;
    if (!may_bind())
        skip();
    assert_null(linux_platform_open(&linux_platform, LINUX_ANY_CPU, NULL));
    struct platform *platform = &linux_platform.platform;
    assert_null(map_window(platform, NODE_ANY, &window));
    platform->unmap_window(platform, &window);
    assert_null(map_window(platform, 0, &window));
    assert_null(linux_nodes_prove(&platform->nodes->node[0], &window));
    struct memory_node other = {.number = platform->nodes->node[0].number + 1};
    assert_string_equal(linux_nodes_prove(&other, &window),
                        "a page of the array is not on the memory node asked for");
    platform->unmap_window(platform, &window);
    linux_platform.nodes.node[0].number = 1023;
    assert_contains(map_window(platform, 0, &window),
                    "Linux lets this process choose no memory node");
    linux_platform_close(&linux_platform);
}

/* Only the window's last page is elsewhere: it was never touched. Of its own, since the platform's
 * mlockall touches whatever the process has when it opens. */
TEST(proves_the_last_page_too)
{
    if (!may_bind())
        skip();
    const size_t bytes = 1025 * 4096;
    uint8_t *base = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    struct window window = {.base = base, .bytes = bytes};
    struct memory_node node = {.number = 0};

    assert_true(base != MAP_FAILED);
    madvise(base, bytes, MADV_NOHUGEPAGE); /* where there are none, it is refused */
    for (size_t i = 0; i < 1024; i++)
        base[i * 4096] = 1;
    assert_non_null(linux_nodes_prove(&node, &window));
    base[1024 * 4096] = 1;
    const char *reason = linux_nodes_prove(&node, &window);
    if (reason != NULL) /* it may be on another node, where there are some */
        assert_string_equal(reason, "a page of the array is not on the memory node asked for");
    munmap(base, bytes);
}

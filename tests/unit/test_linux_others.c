/* test_linux_others: which CPUs may be generators, out of folders like /sys/devices/system/cpu. */
#include <sys/stat.h>

#include "../hosted/linux_list.h"
#include "../hosted/linux_others.h"
#include "kit.h"
#include "own_folder.h"

static struct linux_others others;
static const char *allowed; /* a letter for each CPU, '.' where it may not be used */

static bool may_use(int cpu)
{
    return (size_t)cpu < strlen(allowed) && allowed[cpu] != '.';
}

SETUP(start)
{
    make_own_folder();
}

TEARDOWN(end)
{
    remove_own_folder();
}

/* As Linux lays them out; a node below 0 is none, and without threads the CPU is offline. */
static void add_cpu(int cpu, const char *threads, int node)
{
    char text[16];
    mkdir(own_path("cpu%d", cpu), 0777);
    if (node >= 0)
        mkdir(own_path("cpu%d/node%d", cpu, node), 0777);
    if (threads == NULL)
        return;
    snprintf(text, sizeof(text), "%s\n", threads);
    write_text(own_path("cpu%d/topology/thread_siblings_list", cpu), text);
}

static void assert_found(int cpu, bool are_siblings, const char *expected)
{
    char found[128] = "", one[16];
    assert_null(linux_others_find(own_folder, cpu, are_siblings, may_use, &others));
    for (unsigned i = 0; i < others.count; i++) {
        snprintf(one, sizeof(one), "%s%d", i > 0 ? " " : "", others.cpu[i]);
        strcat(found, one);
    }
    assert_string_equal(found, expected);
}

static void assert_refused(int cpu, bool are_siblings, const char *reason)
{
    assert_string_equal(linux_others_find(own_folder, cpu, are_siblings, may_use, &others), reason);
    assert_int_equal(others.count, 0);
}

/* Two nodes of two cores of two threads each, numbered as servers do: 0-7, threads 0 and 4. */
static void add_server(void)
{
    static const char *const threads[] = {"0,4", "1,5", "2,6", "3,7"};
    for (int cpu = 0; cpu < 8; cpu++)
        add_cpu(cpu, threads[cpu % 4], cpu % 4 / 2);
}

TEST(one_thread_of_each_other_core_near_ones_first)
{
    add_server();
    allowed = "aaaaaaaa";
    assert_found(0, false, "1 2 3");
    assert_found(4, false, "1 2 3");
    assert_found(7, false, "2 0 1");
    assert_found(0, true, "4");
    assert_found(7, true, "3");
}

TEST(only_those_that_may_be_used)
{
    add_server();
    allowed = "a.a..a.a";
    assert_found(0, false, "5 2 7");
    assert_refused(0, true, "this process may not use the other thread of its core");
    allowed = "...a...a";
    assert_refused(7, false, "Linux shows no other core that this process may use");
    assert_found(7, true, "3");
}

TEST(four_threads_a_core)
{
    for (int cpu = 0; cpu < 8; cpu++)
        add_cpu(cpu, cpu < 4 ? "0-3" : "4-7", -1);
    allowed = "aaaaaaaa";
    assert_found(1, true, "0 2 3");
    assert_found(1, false, "4");
    allowed = "aa.a..aa";
    assert_found(1, true, "0 3");
    assert_found(1, false, "6");
}

TEST(a_core_of_one_thread)
{
    add_cpu(0, "0", 0);
    add_cpu(1, "1", 0);
    allowed = "aa";
    assert_found(1, false, "0");
    assert_refused(1, true, "this core has no other thread that Linux shows");
}

TEST(one_cpu)
{
    add_cpu(0, "0", 0);
    allowed = "a";
    assert_refused(0, false, "Linux shows no other core that this process may use");
    assert_refused(0, true, "this core has no other thread that Linux shows");
}

/* One that was allowed when the process started, and went. */
TEST(offline_cpus)
{
    add_cpu(0, "0", 0);
    add_cpu(1, NULL, 0);
    add_cpu(2, "2", 0);
    allowed = "aaaa";
    assert_found(0, false, "2");
}

TEST(no_topology)
{
    static const char reason[] = "Linux does not show which CPUs are threads of this core";
    allowed = "aa";
    assert_refused(0, false, reason);
    add_cpu(0, NULL, 0);
    add_cpu(1, "1", 0);
    assert_refused(0, true, reason);
    add_cpu(0, "none", 0);
    assert_refused(0, false, reason);
    add_cpu(0, "1", 0); /* who is not one of its own core's */
    assert_refused(0, false, reason);
    assert_refused(-2, false, reason); /* a process that may run anywhere */
}

/* As on a machine whose Linux was built without nodes. */
TEST(cpus_without_a_node_are_near_each_other)
{
    add_cpu(0, "0", -1);
    add_cpu(1, "1", 3);
    add_cpu(2, "2", -1);
    allowed = "aaa";
    assert_found(0, false, "2 1");
    assert_found(1, false, "0 2");
}

TEST(lists)
{
    struct linux_list list;
    const char *path = own_path("list");
    write_text(path, "3,0-1,7-9\n");
    assert_true(linux_list_read(path, 10, &list));
    assert_numbers((list.count, list.number[1], list.number[5]), (6, 0, 9));
    assert_true(linux_list_has(&list, 8) && linux_list_has(&list, 3));
    assert_false(linux_list_has(&list, 2) || linux_list_has(&list, 10));
    assert_false(linux_list_read(path, 9, &list));
    assert_false(linux_list_read(own_folder, 9, &list));
}

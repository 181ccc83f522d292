/*
 * test_linux_generators: threads that are started, do as they are told and are gone afterwards.
 * They share the CPU of this one, so that any machine will do; which CPUs they get is
 * test_linux_others'.
 */
#include "../hosted/linux_generators.h"

#include <dirent.h>
#include <errno.h>
#include <sched.h>

#include "../hosted/linux_cpu.h"
#include "../hosted/linux_others.h"
#include "../hosted/platform_linux.h"
#include "kit.h"

#define BYTES (UINT64_C(3) << 20) /* not a whole number of large pages */

static struct linux_platform linux_platform;
static struct platform *const platform = &linux_platform.platform;
static unsigned offered;      /* other CPUs, */
static const char *no_others; /* or why there are none */
static bool asked_for_siblings;
static unsigned threads, failing; /* started; and the one that cannot be, from 1 */

/* In place of tests/hosted/linux_others.c. */
const char *linux_others_find(const char *folder, int cpu, bool are_siblings,
                              bool (*may_use)(int cpu), struct linux_others *others)
{
    assert_string_equal(folder, "/sys/devices/system/cpu");
    assert_int_equal(cpu, linux_platform.cpu);
    assert_true(may_use(cpu));
    asked_for_siblings = are_siblings;
    others->count = no_others == NULL ? offered : 0;
    for (unsigned i = 0; i < others->count; i++)
        others->cpu[i] = 100 + (int)i;
    return no_others;
}

/* In place of tests/hosted/linux_cpu.c's. */
int linux_start_thread(pthread_t *thread, int cpu, void *(*work)(void *context), void *context)
{
    assert_int_equal(cpu, 100 + (int)threads);
    if (++threads == failing)
        return EAGAIN;
    return pthread_create(thread, NULL, work, context);
}

static unsigned tasks(void)
{
    DIR *folder = opendir("/proc/self/task");
    unsigned count = 0;
    assert_non_null(folder);
    for (struct dirent *e; (e = readdir(folder)) != NULL;)
        count += e->d_name[0] != '.';
    closedir(folder);
    return count;
}

/* A sanitizer may have threads of its own. A thread that was joined is listed a moment longer. */
static unsigned tasks_before;

static void assert_all_gone(void)
{
    assert_int_equal(linux_platform.generators, 0);
    assert_null(linux_platform.generator);
    assert_int_equal(linux_platform.windows, 0);
    while (tasks() != tasks_before)
        sched_yield();
}

SETUP(open)
{
    offered = 2;
    no_others = NULL;
    threads = failing = 0;
    tasks_before = tasks();
    assert_null(linux_platform_open(&linux_platform, LINUX_ANY_CPU, NULL));
    linux_platform.console = fopen("/dev/null", "w");
}

TEARDOWN(close)
{
    fclose(linux_platform.console);
    linux_platform_close(&linux_platform);
    assert_all_gone();
}

static const struct generators_request request = {.bytes = BYTES, .node = NODE_ANY};

static void start(unsigned expected)
{
    unsigned started = 99;
    assert_null(platform->start_generators(platform, &request, &started));
    assert_int_equal(started, expected);
    assert_int_equal(tasks(), tasks_before + expected);
}

static struct generator_order order;
static uint64_t before, after;

static void work(void *unused)
{
    (void)unused;
    before = platform->generated(platform);
    platform->order_generators(platform, &order);
    while (order.work > GENERATOR_SPIN && platform->generated(platform) < before + 10 * BYTES)
        sched_yield();
    after = platform->generated(platform);
}

static void have(enum generator_work kind)
{
    order = (struct generator_order){.work = kind};
    assert_true(platform->quietly(platform, work, NULL));
}

TEST(work_as_ordered)
{
    start(2);
    assert_false(asked_for_siblings);
    have(GENERATOR_READ);
    have(GENERATOR_REST);
    uint64_t done = after;
    assert_compare(done, >=, 10 * BYTES);
    have(GENERATOR_SPIN);
    assert_int_equal(after, done);
    have(GENERATOR_COPY);
    have(GENERATOR_WRITE); /* and go on until they are stopped */
    platform->stop_generators(platform);
    assert_all_gone();
    platform->stop_generators(platform);
}

TEST(start_again_from_nothing)
{
    for (unsigned i = 0; i < 10; i++) {
        threads = 0;
        start(2);
        have(GENERATOR_REST);
        assert_int_equal(after, 0);
        have(i % 2 == 0 ? GENERATOR_READ : GENERATOR_REST);
        platform->stop_generators(platform);
        assert_all_gone();
    }
}

TEST(no_more_than_asked_for)
{
    const struct generators_request one = {.are_siblings = true, .count = 1, .node = NODE_ANY};
    const struct generators_request many = {.count = 7, .node = NODE_ANY};
    unsigned started;
    assert_null(platform->start_generators(platform, &one, &started));
    assert_int_equal(started, 1);
    assert_true(asked_for_siblings);
    assert_int_equal(linux_platform.windows, 0); /* no array */
    have(GENERATOR_SPIN);
    platform->stop_generators(platform);
    threads = 0;
    assert_null(platform->start_generators(platform, &many, &started));
    assert_int_equal(started, 2);
    platform->stop_generators(platform);
}

static void fall_over(void *unused)
{
    int *volatile nowhere = (int *)8; /* else the compiler sees where it goes */
    work(unused);
    *nowhere = 1;
}

TEST(stop_at_a_fault)
{
    start(2);
    order.work = GENERATOR_WRITE;
    assert_false(platform->quietly(platform, fall_over, NULL));
    assert_non_null(strstr(platform->fault, "SIGSEGV"));
    assert_all_gone();
    platform->stop_generators(platform);
    threads = 0;
    start(2);
    have(GENERATOR_READ);
    platform->stop_generators(platform);
}

TEST(stop_at_the_end)
{
    start(2);
    have(GENERATOR_READ); /* `close` looks */
}

static void assert_refused(const char *reason)
{
    unsigned started = 99;
    assert_string_equal(platform->start_generators(platform, &request, &started), reason);
    assert_int_equal(started, 0);
    assert_all_gone();
}

TEST(none)
{
    no_others = "Linux shows no other core that this process may use";
    assert_refused(no_others);
}

TEST(a_thread_that_cannot_be_started)
{
    failing = 2; /* one is fewer, not none */
    start(1);
    platform->stop_generators(platform);
    failing = 1;
    threads = 0;
    assert_refused("Linux starts no thread on CPU 100: Resource temporarily unavailable");
}

TEST(no_memory)
{
    struct generators_request huge = request;
    unsigned started;
    huge.bytes = UINT64_C(1) << 45;
    assert_contains(platform->start_generators(platform, &huge, &started),
                    "MB of memory can be taken");
    assert_numbers((started, threads), (0, 0));
    assert_all_gone();
}

/* linux_nodes proves the node itself; a node that does not exist shows that it is asked for. */
TEST(memory_of_a_node)
{
    struct generators_request near = request;
    unsigned started;
    if (linux_platform.nodes.count == 0)
        skip();
    near.node = 0;
    const char *reason = platform->start_generators(platform, &near, &started);
    if (reason != NULL && strstr(reason, "lets this process choose no memory node") != NULL)
        skip();
    assert_null(reason);
    platform->stop_generators(platform);
    linux_platform.nodes.node[0].number = 1023;
    assert_contains(platform->start_generators(platform, &near, &started),
                    "lets this process choose no memory node");
}

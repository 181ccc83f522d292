/* test_counter_loop: the loop that proves counters, counted by single-stepping through it. */
#include <signal.h>

#include "../../kernel/pmu/unit.h"
#include "kit.h"

#define TRAP_FLAG "$0x100"

static volatile sig_atomic_t steps;

static void count_step(int signal)
{
    (void)signal;
    steps++;
}

static long steps_of(uint64_t iterations)
{
    steps = 0;
    __asm__ volatile("pushfq\n\torq " TRAP_FLAG ", (%%rsp)\n\tpopfq" ::: "memory", "cc");
    known_loop(iterations);
    __asm__ volatile("pushfq\n\tandq $~0x100, (%%rsp)\n\tpopfq" ::: "memory", "cc");
    return steps;
}

TEST(length)
{
    struct sigaction action;
    memset(&action, 0, sizeof action);
    action.sa_handler = count_step;
    assert_int_equal(sigaction(SIGTRAP, &action, NULL), 0);
    long ten = steps_of(10), thirty = steps_of(30), one = steps_of(1);
    assert_int_equal(thirty - ten, 20 * KNOWN_LOOP_INSTRUCTIONS);
    assert_int_equal(ten - one, 9 * KNOWN_LOOP_INSTRUCTIONS);
    assert_in_range(one, KNOWN_LOOP_INSTRUCTIONS, KNOWN_LOOP_INSTRUCTIONS + 60);
}

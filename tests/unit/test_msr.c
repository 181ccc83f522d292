/*
 * test_msr: accesses that fault land where the exception table says, and those that do not bring
 * what the registers hold. A process may not execute them: the signal handler does it instead.
 */
#define _GNU_SOURCE /* the registers' names */
#include <signal.h>
#include <sys/mman.h>
#include <ucontext.h>

#include "../../kernel/cpu/msr.h"
#include "kit.h"

#define PAGE 4096
#define COUNTER 0x7fffff00 /* RDPMC of it faults even where processes may read counters */

/* One register of each kind exists. */
static struct {
    uint32_t msr, counter;
    uint64_t value;
    unsigned faults;
} model;

enum instruction { WRMSR = 0x300f, RDMSR = 0x320f, RDPMC = 0x330f };

static void give(greg_t *registers)
{
    registers[REG_RAX] = (uint32_t)model.value;
    registers[REG_RDX] = (greg_t)(model.value >> 32);
    registers[REG_RIP] += 2;
}

static void take(greg_t *registers)
{
    model.value = (uint64_t)registers[REG_RDX] << 32 | (uint32_t)registers[REG_RAX];
    registers[REG_RIP] += 2;
}

/* A second fault at a place that the table does not know ends the process. */
static void land(greg_t *registers)
{
    uint64_t landing = extable_find((uint64_t)registers[REG_RIP]);
    model.faults++;
    if (landing == 0)
        signal(SIGSEGV, SIG_DFL);
    else
        registers[REG_RIP] = (greg_t)landing;
}

static void on_fault(int signal, siginfo_t *info, void *context)
{
    greg_t *registers = ((ucontext_t *)context)->uc_mcontext.gregs;
    uint16_t instruction;
    uint32_t index = (uint32_t)registers[REG_RCX];
    (void)signal;
    (void)info;
    memcpy(&instruction, (const void *)registers[REG_RIP], sizeof instruction);
    if (instruction == RDMSR && index == model.msr)
        give(registers);
    else if (instruction == RDPMC && index == model.counter)
        give(registers);
    else if (instruction == WRMSR && index == model.msr)
        take(registers);
    else
        land(registers);
}

/* Not a fixture: cmocka sets its own handler after those. */
static void start(void)
{
    struct sigaction action;
    memset(&model, 0, sizeof model);
    memset(&action, 0, sizeof action);
    action.sa_sigaction = on_fault;
    action.sa_flags = SA_SIGINFO;
    assert_int_equal(sigaction(SIGSEGV, &action, NULL), 0);
}

TEST(reads)
{
    uint64_t value = 1;
    start();
    model.msr = 0xc0000080;
    model.value = 0x89abcdef01234567;
    assert_true(msr_read(0xc0000080, &value));
    assert_int_equal(value, 0x89abcdef01234567);
    model.counter = COUNTER;
    model.value = 0x0000fffe80000001;
    assert_true(counter_read(COUNTER, &value));
    assert_numbers((value, model.faults), (0x0000fffe80000001, 0));
}

TEST(writes)
{
    start();
    model.msr = 0x1a4;
    assert_true(msr_write(0x1a4, 0xfedcba9876543210));
    assert_numbers((model.value, model.faults), (0xfedcba9876543210, 0));
}

/* What is absent is said, and nothing is changed. */
TEST(absent)
{
    uint64_t value = 0x5a5a;
    start();
    model.msr = 0x1a4;
    model.counter = COUNTER;
    model.value = 7;
    assert_false(msr_read(0x1a5, &value));
    assert_false(counter_read(COUNTER + 1, &value));
    assert_false(msr_write(0x1a5, 8));
    assert_numbers((model.faults, value, model.value), (3, 0x5a5a, 7));
}

TEST(memory)
{
    uint8_t *page =
        mmap(NULL, 2 * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    uint8_t value = 0x5a;
    start();
    assert_true(page != MAP_FAILED);
    assert_int_equal(mprotect(page + PAGE, PAGE, PROT_NONE), 0);
    page[PAGE - 1] = 0xc3;
    assert_true(memory_read(page + PAGE - 1, &value));
    assert_int_equal(value, 0xc3);
    assert_false(memory_read(page + PAGE, &value));
    assert_numbers((model.faults, value), (1, 0xc3));
    munmap(page, 2 * PAGE);
}

TEST(no_landing_elsewhere)
{
    assert_numbers((extable_find(0), extable_find((uint64_t)start)), (0, 0));
}

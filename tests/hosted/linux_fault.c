/* linux_fault: calls a function and survives the processor faults it causes. */
#define _GNU_SOURCE 1 /* sigabbrev_np */
#include "linux_fault.h"

#include <setjmp.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <ucontext.h>

#define FAULTS 4
#define STACK_BYTES 65536 /* a signal frame with every vector register is some 12 KB */

static const int fault_signals[FAULTS] = {SIGSEGV, SIGBUS, SIGILL, SIGFPE};

/* The handler's report to the guard; a handler has no other way to pass anything. */
static struct {
    sigjmp_buf back;
    int signal;
    uint64_t address;
    greg_t registers[NGREG];
} fault;

/* The work may have run out of its own stack, or have put anything into its stack pointer. */
static char handler_stack[STACK_BYTES] __attribute__((aligned(64)));

static void on_fault(int number, siginfo_t *info, void *interrupted)
{
    const ucontext_t *context = interrupted;

    fault.signal = number;
    fault.address = (uintptr_t)info->si_addr;
    memcpy(fault.registers, context->uc_mcontext.gregs, sizeof(fault.registers));
    siglongjmp(fault.back, 1);
}

static void print_dump(char dump[LINUX_FAULT_DUMP_MAX])
{
    static const struct {
        const char *name;
        int index;
    } registers[] = {
        {"rax", REG_RAX}, {"rbx", REG_RBX}, {"rcx", REG_RCX}, {"rdx", REG_RDX},
        {"rsi", REG_RSI}, {"rdi", REG_RDI}, {"rbp", REG_RBP}, {"rsp", REG_RSP},
        {"r8 ", REG_R8},  {"r9 ", REG_R9},  {"r10", REG_R10}, {"r11", REG_R11},
        {"r12", REG_R12}, {"r13", REG_R13}, {"r14", REG_R14}, {"r15", REG_R15},
    };
    int length = snprintf(dump, LINUX_FAULT_DUMP_MAX, "SIG%s at address %016llx, rip %016llx\n",
                          sigabbrev_np(fault.signal), (unsigned long long)fault.address,
                          (unsigned long long)fault.registers[REG_RIP]);

    for (size_t i = 0; i < sizeof(registers) / sizeof(registers[0]); i++) {
        length +=
            snprintf(dump + length, (size_t)(LINUX_FAULT_DUMP_MAX - length), "  %s %016llx%s",
                     registers[i].name, (unsigned long long)fault.registers[registers[i].index],
                     i % 4 == 3 ? "\n" : "");
    }
}

/* Apart from the guard, so that none of its variables lives across the jump. */
static bool call(void (*work)(void *context), void *context)
{
    if (sigsetjmp(fault.back, 1) != 0)
        return false;
    work(context);
    return true;
}

bool linux_fault_guard(void (*work)(void *context), void *context, char dump[LINUX_FAULT_DUMP_MAX])
{
    stack_t ours = {.ss_sp = handler_stack, .ss_size = sizeof(handler_stack)};
    stack_t stack_before;
    struct sigaction action = {.sa_sigaction = on_fault, .sa_flags = SA_SIGINFO | SA_ONSTACK};
    struct sigaction before[FAULTS];

    sigemptyset(&action.sa_mask);
    sigaltstack(&ours, &stack_before);
    for (int i = 0; i < FAULTS; i++)
        sigaction(fault_signals[i], &action, &before[i]);
    bool is_whole = call(work, context);
    for (int i = 0; i < FAULTS; i++)
        sigaction(fault_signals[i], &before[i], NULL);
    sigaltstack(&stack_before, NULL);
    if (!is_whole)
        print_dump(dump);
    return is_whole;
}

/* call_and_look: the calls, and memory that holds code. */
#include "call_and_look.h"

#include <sys/mman.h>

#include "kit.h"

/*
 * Each register that has to be kept holds an address behind the call: code that returns to it by
 * mistake lands there, some NOPs further.
 */
extern const uint8_t call_landing[];

__asm__(".pushsection .text\n"
        ".globl call_and_look\n"
        ".type call_and_look, @function\n"
        "call_and_look:\n"
        "    push %rbx\n"
        "    push %rbp\n"
        "    push %r12\n"
        "    push %r13\n"
        "    push %r14\n"
        "    push %r15\n"
        "    push %rdx\n"
        "    mov %rsp, call_stack(%rip)\n"
        "    mov %rdi, %rax\n"
        "    mov %rsi, %rdi\n"
        "    lea call_landing(%rip), %rbx\n"
        "    lea call_landing+1(%rip), %rbp\n"
        "    lea call_landing+2(%rip), %r12\n"
        "    lea call_landing+3(%rip), %r13\n"
        "    lea call_landing+4(%rip), %r14\n"
        "    lea call_landing+5(%rip), %r15\n"
        "    call *%rax\n"
        ".globl call_landing\n"
        "call_landing:\n"
        "    nop\n    nop\n    nop\n    nop\n    nop\n    nop\n"
        "    mov call_stack(%rip), %rdx\n"
        "    mov %rsp, %rcx\n"
        "    sub %rdx, %rcx\n"
        "    mov %rdx, %rsp\n"
        "    pop %rdx\n"
        "    mov %rbx, (%rdx)\n"
        "    mov %rbp, 8(%rdx)\n"
        "    mov %r12, 16(%rdx)\n"
        "    mov %r13, 24(%rdx)\n"
        "    mov %r14, 32(%rdx)\n"
        "    mov %r15, 40(%rdx)\n"
        "    mov %rcx, 48(%rdx)\n"
        "    pop %r15\n"
        "    pop %r14\n"
        "    pop %r13\n"
        "    pop %r12\n"
        "    pop %rbp\n"
        "    pop %rbx\n"
        "    ret\n"
        ".globl call_with_all\n"
        ".type call_with_all, @function\n"
        "call_with_all:\n"
        "    push %rbx\n"
        "    push %rbp\n"
        "    push %r12\n"
        "    push %r13\n"
        "    push %r14\n"
        "    push %r15\n"
        "    mov %rdi, call_code(%rip)\n"
        "    mov %rsi, call_registers(%rip)\n"
        "    mov %rsi, %rax\n"
        ".irp i, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15\n"
        "    movups 128+16*\\i(%rax), %xmm\\i\n"
        ".endr\n"
        "    mov 8(%rax), %rcx\n"
        "    mov 16(%rax), %rdx\n"
        "    mov 24(%rax), %rbx\n"
        "    mov 40(%rax), %rbp\n"
        "    mov 48(%rax), %rsi\n"
        "    mov 56(%rax), %rdi\n"
        ".irp i, 8, 9, 10, 11, 12, 13, 14, 15\n"
        "    mov 8*\\i(%rax), %r\\i\n"
        ".endr\n"
        "    mov (%rax), %rax\n"
        "    call *call_code(%rip)\n"
        "    push %rax\n"
        "    mov call_registers(%rip), %rax\n"
        "    pop (%rax)\n"
        "    mov %rcx, 8(%rax)\n"
        "    mov %rdx, 16(%rax)\n"
        "    mov %rbx, 24(%rax)\n"
        "    mov %rbp, 40(%rax)\n"
        "    mov %rsi, 48(%rax)\n"
        "    mov %rdi, 56(%rax)\n"
        ".irp i, 8, 9, 10, 11, 12, 13, 14, 15\n"
        "    mov %r\\i, 8*\\i(%rax)\n"
        ".endr\n"
        ".irp i, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15\n"
        "    movups %xmm\\i, 128+16*\\i(%rax)\n"
        ".endr\n"
        "    pop %r15\n"
        "    pop %r14\n"
        "    pop %r13\n"
        "    pop %r12\n"
        "    pop %rbp\n"
        "    pop %rbx\n"
        "    ret\n"
        ".popsection\n"
        ".pushsection .bss\n"
        ".balign 8\n"
        "call_stack: .zero 8\n"
        "call_code: .zero 8\n"
        "call_registers: .zero 8\n"
        ".popsection\n");

bool is_all_kept(const uint64_t kept[KEPT])
{
    bool is_kept = kept[KEPT - 1] == 0;
    for (unsigned i = 0; i + 1 < KEPT; i++)
        is_kept &= kept[i] == (uintptr_t)call_landing + i;
    return is_kept;
}

uint8_t *code_open(size_t bytes)
{
    void *code =
        mmap(NULL, bytes, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    assert_true(code != MAP_FAILED);
    return code;
}

void code_close(uint8_t *code, size_t bytes)
{
    munmap(code, bytes);
}

unsigned code_read_time_for_counters(uint8_t *code, size_t length)
{
    unsigned found = 0;
    for (size_t i = 5; i + 2 <= length; i++)
        if (code[i - 5] == 0xb9 && code[i] == 0x0f && code[i + 1] == 0x33) {
            code[i + 1] = 0x31;
            found++;
        }
    return found;
}

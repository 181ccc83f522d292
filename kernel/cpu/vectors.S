/* vectors: the first instructions of all 256 interrupt vectors, and the way out of a guarded call. */

    .text

/* One stub per vector, 16 bytes apart: an error code where the processor pushes none, the vector. */
    .balign 16
    .globl exception_stubs
exception_stubs:
    .set vector, 0
    .rept 256
    .balign 16
    .if vector == 8 || (vector >= 10 && vector <= 14) || vector == 17 || vector == 21 || vector == 29 || vector == 30
    .else
    push $0
    .endif
    push $vector
    jmp save_frame
    .set vector, vector + 1
    .endr

/* Builds struct exception_frame. SSE is not touched: no handler uses it. */
save_frame:
    push %rax
    push %rbx
    push %rcx
    push %rdx
    push %rsi
    push %rdi
    push %rbp
    push %r8
    push %r9
    push %r10
    push %r11
    push %r12
    push %r13
    push %r14
    push %r15
    cld
    mov %rsp, %rdi
    mov %rsp, %rbp
    and $-16, %rsp
    call exception_dispatch
    mov %rbp, %rsp
    pop %r15
    pop %r14
    pop %r13
    pop %r12
    pop %r11
    pop %r10
    pop %r9
    pop %r8
    pop %rbp
    pop %rdi
    pop %rsi
    pop %rdx
    pop %rcx
    pop %rbx
    pop %rax
    add $16, %rsp
    iretq

/*
 * bool guard_enter(work, context, uint64_t *stack): keeps the stack pointer in *stack and calls
 * work(context). Returns 1, or 0 by way of guard_landing, with %rsp as kept.
 */
    .globl guard_enter
guard_enter:
    push %rbp
    push %rbx
    push %r12
    push %r13
    push %r14
    push %r15
    sub $8, %rsp
    mov %rsp, (%rdx)
    mov %rdi, %rax
    mov %rsi, %rdi
    call *%rax
    mov $1, %eax
    jmp 1f
    .globl guard_landing
guard_landing:
    xor %eax, %eax
1:  add $8, %rsp
    pop %r15
    pop %r14
    pop %r13
    pop %r12
    pop %rbx
    pop %rbp
    ret

    .section .note.GNU-stack, "", @progbits

/* vectors: the first instructions of all 256 interrupt vectors, and the way out of a guarded call. */

/* Bits of the vectors for which the processor pushes an error code: 8, 10 to 14, 17, 21, 29, 30. */
    .set HAVE_ERROR, 1 << 8 | 0x1f << 10 | 1 << 17 | 1 << 21 | 3 << 29

    .macro restore_registers
    .irp register, r15, r14, r13, r12, r11, r10, r9, r8, rbp, rdi, rsi, rdx, rcx, rbx, rax
    pop %\register
    .endr
    .endm

    .text

/* One stub per vector, 16 bytes apart: an error code where the processor pushes none, the vector. */
    .balign 16
    .globl exception_stubs
exception_stubs:
    .set vector, 0
    .rept 256
    .balign 16
    .if vector >= 32 || !(HAVE_ERROR >> (vector & 31) & 1)
    push $0
    .endif
    push $vector
    jmp save_frame
    .set vector, vector + 1
    .endr

/* Builds struct exception_frame. SSE is not touched: no handler uses it. */
save_frame:
    .irp register, rax, rbx, rcx, rdx, rsi, rdi, rbp, r8, r9, r10, r11, r12, r13, r14, r15
    push %\register
    .endr
    cld
    mov %rsp, %rdi
    mov %rsp, %rbp
    and $-16, %rsp
    call exception_dispatch
    mov %rbp, %rsp
    test %rax, %rax
    jnz pass_on
    restore_registers
    add $16, %rsp
    iretq

/*
 * Goes on at the address in %rax with registers and stack as the processor left them: the address takes
 * the place of the vector; or of the error code, where the processor has pushed none.
 */
pass_on:
    mov 120(%rsp), %rcx /* the vector */
    mov $HAVE_ERROR, %edx
    bt %ecx, %edx
    jc 1f
    mov %rax, 128(%rsp)
    restore_registers
    add $8, %rsp
    ret
1:  mov %rax, 120(%rsp)
    restore_registers
    ret

/* void exception_end(tell, fault, stack_end): calls tell(fault) on that stack. */
    .globl exception_end
exception_end:
    push %rbp
    mov %rsp, %rbp
    mov %rdi, %rax
    mov %rsi, %rdi
    mov %rdx, %rsp
    call *%rax
    mov %rbp, %rsp
    pop %rbp
    ret

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

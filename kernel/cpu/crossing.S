/* crossing: from the firmware's convention and stack to ours, and back (UEFI 2.10, 2.3.4.2). */

    .set WORK, 0
    .set CONTEXT, 8
    .set STACK_END, 16

    .set CR0_KEPT, ~0xc     /* all but EM and TS */
    .set CR4_SSE, 0x600     /* OSFXSR, OSXMMEXCPT */
    .set FX_BYTES, 512
    .set MXCSR_USUAL, 0x1f80

    .text

/* void crossing_enter(struct crossing *): no vector register is touched before SSE is on. */
    .globl crossing_enter
crossing_enter:
    push %rbp
    push %rbx
    push %rdi
    push %rsi
    push %r12
    push %r13
    push %r14
    push %r15
    pushfq
    cli
    cld
    mov %rsp, %rbp
    mov %cr0, %r12
    mov %cr4, %r13
    mov %r12, %rax
    and $CR0_KEPT, %rax
    mov %rax, %cr0
    mov %r13, %rax
    or $CR4_SSE, %rax
    mov %rax, %cr4
    mov STACK_END(%rcx), %rsp
    sub $FX_BYTES, %rsp
    fxsave64 (%rsp)
    fninit
    sub $16, %rsp
    movl $MXCSR_USUAL, (%rsp)
    ldmxcsr (%rsp)
    mov CONTEXT(%rcx), %rdi
    call *WORK(%rcx)
    add $16, %rsp
    fxrstor64 (%rsp)
    mov %rbp, %rsp
    mov %r13, %cr4
    mov %r12, %cr0
    popfq
    pop %r15
    pop %r14
    pop %r13
    pop %r12
    pop %rsi
    pop %rdi
    pop %rbx
    pop %rbp
    ret

    .section .note.GNU-stack, "", @progbits

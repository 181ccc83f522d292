/* calls_stubs: what hooked functions are, by the firmware's calling convention; see calls.c. */

    .set HOOKS_MAX, 256
    .set SHADOW, 32 /* bytes behind the return address, in which a function may keep its first four arguments */

    .text
    .balign 16
    .globl calls_stubs
calls_stubs:
    .set i, 0
    .rept HOOKS_MAX
    .balign 16
    push $i
    .byte 0xe9 /* jmp, in its long form: all stubs are alike */
    .long enter - . - 4
    .set i, i + 1
    .endr

enter:
    pop %rax
    mov %rcx, 8(%rsp)
    mov %rdx, 16(%rsp)
    mov %r8, 24(%rsp)
    mov %r9, 32(%rsp)
    mov %rax, %rcx
    lea 8(%rsp), %rdx
    sub $SHADOW + 8, %rsp
    call calls_enter
    add $SHADOW + 8, %rsp
    mov 8(%rsp), %rcx
    mov 16(%rsp), %rdx
    mov 24(%rsp), %r8
    mov 32(%rsp), %r9
    jmp *%rax

    .globl calls_refused
calls_refused:
    mov calls_status(%rip), %rax
    ret

/* The function that was called returns here. */
    .globl calls_after
calls_after:
    sub $SHADOW + 16, %rsp
    mov %rax, %rcx
    call calls_leave
    add $SHADOW + 16, %rsp
    jmp *calls_return(%rip)

    .section .note.GNU-stack, "", @progbits

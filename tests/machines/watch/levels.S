/* levels: five levels of page tables, which only a processor without paging can be given (Intel SDM volume 3A,
 * 4.1.1). All that is used meanwhile is below 4 GB and identity mapped. */

    .set CODE_32, 8
    .set DATA_32, 16
    .set CODE_64, 24
    .set CR0_PG, 1 << 31
    .set CR4_LA57, 1 << 12

    .section .rodata
    .balign 8
gdt:
    .quad 0, 0x00cf9a000000ffff, 0x00cf92000000ffff, 0x00af9a000000ffff
    .set GDT_BYTES, . - gdt

    .text

/* void levels_load(uint64_t root): the table of the fifth level. */
    .globl levels_load
levels_load:
    push %rbx
    push %rbp
    push %r12
    push %r13
    push %r14
    push %r15
    pushfq
    cli
    mov %ds, %eax
    push %rax
    mov %es, %eax
    push %rax
    mov %ss, %eax
    push %rax
    mov %cs, %eax
    push %rax
    sub $32, %rsp               /* the GDT that there is, and ours */
    sgdt (%rsp)
    lea gdt(%rip), %rax
    movw $GDT_BYTES - 1, 16(%rsp)
    mov %rax, 18(%rsp)
    lgdt 16(%rsp)
    lea in_64_bits(%rip), %rbx
    lea in_32_bits(%rip), %rax
    pushq $CODE_32
    push %rax
    lretq

    .code32
in_32_bits:
    mov $DATA_32, %eax
    mov %eax, %ds
    mov %eax, %es
    mov %eax, %ss
    mov %cr0, %eax
    and $~CR0_PG, %eax
    mov %eax, %cr0
    mov %cr4, %eax
    or $CR4_LA57, %eax
    mov %eax, %cr4
    mov %edi, %cr3
    mov %cr0, %eax
    or $CR0_PG, %eax
    mov %eax, %cr0
    pushl $CODE_64
    pushl %ebx
    lretl

    .code64
in_64_bits:
    mov %esp, %esp
    lgdt (%rsp)
    add $32, %rsp
    pop %rcx
    lea in_code_as_before(%rip), %rax
    pop %rdx
    mov %edx, %ss
    pop %rdx
    mov %edx, %es
    pop %rdx
    mov %edx, %ds
    push %rcx
    push %rax
    lretq
in_code_as_before:
    popfq
    pop %r15
    pop %r14
    pop %r13
    pop %r12
    pop %rbp
    pop %rbx
    ret

    .section .note.GNU-stack, "", @progbits

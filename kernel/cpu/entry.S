/* entry: sets up the control registers and the stack for C, and gives both back when efi_main returns. */

#define CR0_MP 0x2
#define CR0_EM 0x4
#define CR0_TS 0x8
#define CR4_OSFXSR 0x200
#define CR4_OSXMMEXCPT 0x400

#define CR0_OURS (CR0_MP | CR0_EM | CR0_TS)
#define CR4_OURS (CR4_OSFXSR | CR4_OSXMMEXCPT)
#define VECTORS_BYTES 160 /* xmm6 to xmm15 */
#define STACK_BYTES (1 << 20) /* UEFI promises 128 KB (UEFI 2.10, 2.3.4.2); rules keep curves on it */

    .bss
    .balign 16
    .skip STACK_BYTES
stack_end:
found_cr0: .quad 0
found_cr4: .quad 0

    .text

/* Turns SSE on. Changes rax only. */
take:
    mov %cr0, %rax
    and $~CR0_OURS, %rax
    or $CR0_MP, %rax
    mov %rax, %cr0
    mov %cr4, %rax
    or $CR4_OURS, %rax
    mov %rax, %cr4
    ret

/* Restores only our bits: the firmware may have changed the others since. Changes rdx, rcx. */
give_back:
    mov %cr4, %rcx
    and $~CR4_OURS, %rcx
    mov found_cr4(%rip), %rdx
    and $CR4_OURS, %rdx
    or %rdx, %rcx
    mov %rcx, %cr4
    mov %cr0, %rcx
    and $~CR0_OURS, %rcx
    mov found_cr0(%rip), %rdx
    and $CR0_OURS, %rdx
    or %rdx, %rcx
    mov %rcx, %cr0
    ret

/*
 * EFI_STATUS entry(EFI_HANDLE, EFI_SYSTEM_TABLE *), by the firmware's calling convention: calls efi_main
 * by the compiler's, which lets a function change rdi, rsi and xmm6 to xmm15, and on our stack.
 */
    .globl entry
entry:
    push %rdi
    push %rsi
    mov %cr0, %rax
    mov %rax, found_cr0(%rip)
    mov %cr4, %rax
    mov %rax, found_cr4(%rip)
    call take
    sub $VECTORS_BYTES + 8, %rsp
    .irp n, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15
    movaps %xmm\n, 16 * (\n - 6)(%rsp)
    .endr
    mov %rcx, %rdi
    mov %rdx, %rsi
    mov %rsp, %rax
    lea stack_end(%rip), %rsp
    push %rax
    push %rax /* twice: calls are made with 16-byte alignment */
    call efi_main
    mov (%rsp), %rsp
    .irp n, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15
    movaps 16 * (\n - 6)(%rsp), %xmm\n
    .endr
    add $VECTORS_BYTES + 8, %rsp
    call give_back
    pop %rsi
    pop %rdi
    ret

/* void entry_reset(void *reset, uint32_t type) */
    .globl entry_reset
entry_reset:
    push %rbx
    sub $32, %rsp /* what the firmware's convention leaves the callee for its parameters */
    mov %rdi, %rbx
    call give_back
    mov %esi, %ecx
    xor %edx, %edx
    xor %r8d, %r8d
    xor %r9d, %r9d
    call *%rbx
    add $32, %rsp
    pop %rbx
    jmp take

    .section .note.GNU-stack, "", @progbits

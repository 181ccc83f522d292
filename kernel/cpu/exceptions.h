/* exceptions: what happens when the processor objects, while our own IDT is loaded. */
#ifndef MLPBOOT_CPU_EXCEPTIONS_H
#define MLPBOOT_CPU_EXCEPTIONS_H

#include <stdbool.h>
#include <stdint.h>

#define VECTOR_NMI 2
#define VECTOR_DOUBLE_FAULT 8
#define VECTOR_MACHINE_CHECK 18

/* The stack as vectors.S leaves it for exception_dispatch. */
struct exception_frame {
    uint64_t r15, r14, r13, r12, r11, r10, r9, r8, rbp, rdi, rsi, rdx, rcx, rbx, rax;
    uint64_t vector, error;
    uint64_t rip, cs, rflags, rsp, ss; /* pushed by the processor */
};

/* An unexpected exception, kept until somebody can print it. */
struct fault {
    struct exception_frame frame;
    uint64_t cr2, cr3;
    uint8_t code[16];
    unsigned code_bytes; /* how many could be read */
    uint64_t stack[8];
    unsigned stack_words;
    bool corrupt; /* a machine check: nothing that the processor does from now on can be trusted */
    uint32_t apic_id; /* of the processor */
};

/* Calls work(context). False: an exception that the table does not foresee ended it, as *fault
 * describes; the caller undoes what is half done. Our IDT must be loaded. Not reentrant. */
bool guarded_call(void (*work)(void *context), void *context, struct fault *fault);

/*
 * Sets the function that reports a fault without a way back: no guarded call was going on. It is
 * called inside the exception, interrupts off, on a stack of EXCEPTIONS_STACK_BYTES, on the
 * processor that calls this function, to which the fault of another one is brought by an NMI. It is
 * to restart the machine. If it returns, is NULL, or faults itself, the processor shuts down, upon
 * which a PC restarts. `has_handler`: true if somebody has told the firmware to handle exceptions
 * of that vector itself, which it then does, unless they come in a quiet section; NULL: nobody has.
 */
#define EXCEPTIONS_STACK_BYTES (128 << 10) /* as UEFI promises its services (UEFI 2.10, 2.3.4) */
void exceptions_last_words(void (*tell)(const struct fault *fault),
                           bool (*has_handler)(uint64_t vector));

/* Non-maskable interrupts met so far; each was let pass. */
uint32_t exceptions_nmi_count(void);

/* "page fault" and so on; "interrupt" from 32 on. */
const char *exception_name(uint64_t vector);

/* Copies memory as far as it can be read, `most` bytes at most; returns how many bytes that are.
 * Our handlers must be in force. */
unsigned exceptions_copy(void *to, uint64_t from, unsigned most);

/*
 * Called by vectors.S, which returns to the frame, which it may have changed; or, if this returns
 * an address, goes on there as if the processor had: at the firmware's handler.
 */
uint64_t exception_dispatch(struct exception_frame *frame);

/* Entry points of the 256 vectors, EXCEPTION_STUB_BYTES apart. vectors.S */
extern const uint8_t exception_stubs[];
#define EXCEPTION_STUB_BYTES 16

#endif

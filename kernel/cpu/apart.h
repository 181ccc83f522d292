/* apart: work of ours on a processor that the firmware started for it. */
#ifndef MLPBOOT_CPU_APART_H
#define MLPBOOT_CPU_APART_H

/* The argument of apart_enter. */
struct apart {
    void (*work)(void *context);
    void *context;
    void *stack_end; /* 16-byte aligned; the stack is below it */
};

/*
 * Calls apart->work(apart->context) on that stack, with interrupts off and what C needs of the
 * processor: SSE, its rounding and masks as the ABI has them. The firmware calls it, by its own
 * convention; every register is then as it was. apart.S
 */
__attribute__((ms_abi)) void apart_enter(void *apart);

#endif

/* crossing: work of ours on a processor that the firmware started for it. */
#ifndef MLPBOOT_CPU_CROSSING_H
#define MLPBOOT_CPU_CROSSING_H

/* The argument of crossing_enter. */
struct crossing {
    void (*work)(void *context);
    void *context;
    void *stack_end; /* 16-byte aligned; the stack is below it */
};

/*
 * Calls crossing->work(crossing->context) on that stack, with interrupts off and what C needs of
 * the processor: SSE, its rounding and masks as the ABI has them. The firmware calls it, by its own
 * convention; every register is then as it was. crossing.S
 */
__attribute__((ms_abi)) void crossing_enter(void *crossing);

#endif

/* entry: what the firmware calls, and how the image is left, in assembly. */
#ifndef MLPBOOT_CPU_ENTRY_H
#define MLPBOOT_CPU_ENTRY_H

#include <stdint.h>

/*
 * Calls the firmware's ResetSystem(type, success, no data) with the control registers as found, and
 * takes them back should it return.
 *
 * The image starts at `entry` (entry.S, linker/mlpboot.lds), not at GNU-EFI's _start. UEFI 2.10,
 * 2.3.4 promises CR0.EM and CR0.TS clear, but says nothing of CR4: U-Boot's x86-64 payload leaves
 * OSFXSR clear, and the first SSE instruction faults. So entry sets the bits that SSE needs before
 * any C (Intel SDM 3A, 10.5.2 and 14.1), and restores them when efi_main returns. The boot
 * processor runs all C, and the firmware's services, on the image's own stack of 1 MB.
 */
void entry_reset(void *reset, uint32_t type);

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

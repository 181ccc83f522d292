/* entry: the ways out of the image that leave the control registers as the first instruction found
 * them. */
#ifndef MLPBOOT_CPU_ENTRY_H
#define MLPBOOT_CPU_ENTRY_H

#include <stdint.h>

/*
 * The image starts at `entry` (entry.S, linker/mlpboot.lds), not at GNU-EFI's _start. UEFI 2.10,
 * 2.3.4 promises CR0.EM and CR0.TS clear, but says nothing of CR4: U-Boot's x86-64 payload leaves
 * OSFXSR clear, and the first SSE instruction faults. So the bits that SSE needs are set before any
 * C (Intel SDM 3A, 10.5.2 and 14.1), and put back when efi_main returns.
 *
 * A reset does not return: this calls the firmware's ResetSystem(type, success, no data) with those
 * bits put back, and sets them again should it return.
 */
void entry_reset(void *reset, uint32_t type);

#endif

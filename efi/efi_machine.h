/* efi_machine: finds the firmware's SMBIOS table, and reads its clock. */
#ifndef MLPBOOT_EFI_EFI_MACHINE_H
#define MLPBOOT_EFI_EFI_MACHINE_H

#include "../kernel/data/machine.h"
#include "../kernel/lib/utc.h"
#include "../kernel/platform.h"

/*
 * Fills *machine from the newest well-formed entry point; `reason` says why it is empty. Must be
 * called once in a boot, since it draws the boot's identifier.
 */
void machine_find(struct machine *machine);

/* Reads the time by the firmware's GetTime; member `now` of struct platform. */
const char *machine_now(struct platform *self, struct utc *utc);

#endif

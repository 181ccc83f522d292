/* efi_machine: finds the firmware's SMBIOS table, and reads its clock. */
#ifndef MLPBOOT_EFI_EFI_MACHINE_H
#define MLPBOOT_EFI_EFI_MACHINE_H

#include "../kernel/data/machine.h"
#include "../kernel/lib/utc.h"
#include "../kernel/platform.h"

/*
 * Fills it from the newest entry point that is well formed; else `reason` says why it is empty. To
 * be called once in a boot, which it gives its name.
 */
void machine_find(struct machine *machine);

/* In struct platform: `now`, by the firmware's GetTime. */
const char *machine_now(struct platform *self, struct utc *utc);

#endif

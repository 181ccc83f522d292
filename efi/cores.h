/* cores: the processor that measures, as configured, and its siblings. */
#ifndef MLPBOOT_EFI_CORES_H
#define MLPBOOT_EFI_CORES_H

#include "platform_efi.h"

/* Members of struct platform. */
bool cores_choose(struct platform *self, const struct core_choice *choice, unsigned number,
                  const char **reason);
void cores_release(struct platform *self, bool look);

#endif

/* efi_generators: lets other processors keep the memory, or the core, busy. */
#ifndef MLPBOOT_EFI_EFI_GENERATORS_H
#define MLPBOOT_EFI_EFI_GENERATORS_H

#include "platform_efi.h"

/* These are members of struct platform. */
const char *generators_start(struct platform *self, const struct generators_request *request,
                             unsigned *started);
void generators_stop(struct platform *self);
void generators_order(struct platform *self, const struct generator_order *order);
uint64_t generators_done(struct platform *self);

#endif

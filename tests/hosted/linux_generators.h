/* linux_generators: threads on other CPUs that keep the memory, or the core, busy. */
#ifndef MLPBOOT_HOSTED_LINUX_GENERATORS_H
#define MLPBOOT_HOSTED_LINUX_GENERATORS_H

#include "../../kernel/platform.h"

/* Members of struct platform, of a struct linux_platform. */
const char *linux_start_generators(struct platform *self, const struct generators_request *request,
                                   unsigned *started);
void linux_stop_generators(struct platform *self);
void linux_order_generators(struct platform *self, const struct generator_order *order);
uint64_t linux_generated(struct platform *self);

#endif

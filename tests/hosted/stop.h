/* stop: Ctrl-C as a wish that a run asks about, in place of a process that is gone. */
#ifndef MLPBOOT_HOSTED_STOP_H
#define MLPBOOT_HOSTED_STOP_H

#include <stdbool.h>

#include "../../kernel/platform.h"

/*
 * From now on the first SIGINT or SIGTERM is kept as a wish, and a line on standard error says so;
 * a second one ends the process at once. A signal that was ignored stays so, as nohup has it.
 */
void stop_listen(void);

/* True once such a signal has come: a member of struct platform. */
bool stop_is_wished(struct platform *self);

#endif

/* processors: the same look at every other processor, by the firmware's MP services. */
#ifndef MLPBOOT_WATCH_PROCESSORS_H
#define MLPBOOT_WATCH_PROCESSORS_H

#include "../../../kernel/lib/text.h"
#include "list.h"

/*
 * Has each processor but ours, one after the other, append its registers as state_tell does, their
 * names behind "cpu1-" and so on, and what the firmware says of it. Nothing where there is but one,
 * or the firmware has no MP services; gives up where one does not start, as it would if somebody
 * had kept it.
 */
void processors_tell(const struct list *list, const char *moment, struct text *text);

/* As the table of vices says, of processors from that number of the MP services' on. */
void processors_start_hangs(uint64_t from);
void processors_start_times_out(uint64_t from);
void processors_start_waits(uint64_t from);
void processors_are_uncached(uint64_t from);
void processors_information_fails(uint64_t from);

#endif

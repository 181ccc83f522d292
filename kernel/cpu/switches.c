/* switches: first the prefetchers, then the clock. */
#include "switches.h"

void switches_apply(struct switches *switches, const struct processor *processor,
                    struct journal *journal)
{
    switches->count = prefetch_apply(switches->record, journal, processor,
                                     processor_core_type(processor), switches->prefetch);
    switches->count +=
        power_apply(switches->record + switches->count, journal, processor, switches->turbo);
}

/* settings: prefetchers, then power. */
#include "settings.h"

#include "processor.h"

void settings_apply(struct settings *settings, const struct processor *processor,
                    struct journal *journal)
{
    settings->count = 0;
    if (settings->prefetch != SETTING_LEAVE)
        settings->count += prefetch_apply(settings->record, journal, processor,
                                          processor_core_type(processor), settings->prefetch);
    if (settings->turbo != SETTING_LEAVE || settings->performance)
        settings->count +=
            power_apply(settings->record + settings->count, journal, processor, settings->turbo);
}

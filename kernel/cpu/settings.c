/* settings: read, change the known bits, write where that changes anything, read back. */
#include "settings.h"

#include <stddef.h>

#include "msr.h"

static const char *try(struct setting *setting, struct journal *journal, uint64_t mask,
                       uint64_t value)
{
    if (!msr_read(setting->msr, &setting->before))
        return "the register cannot be read";
    setting->asked = (setting->before & ~mask) | (value & mask);
    setting->after = setting->before;
    if (setting->asked == setting->before)
        return NULL;
    if (!journal_msr(journal, setting->msr, setting->asked, 0))
        return "the register cannot be written";
    if (!msr_read(setting->msr, &setting->after))
        return "the register cannot be read back";
    return (setting->after ^ setting->asked) & mask ? "the bits do not stick" : NULL;
}

bool setting_apply(struct setting *setting, struct journal *journal, uint32_t msr, uint64_t mask,
                   uint64_t value)
{
    setting->msr = msr;
    setting->before = setting->asked = setting->after = 0;
    setting->why_not = try(setting, journal, mask, value);
    return setting->why_not == NULL;
}

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

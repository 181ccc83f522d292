/* settings: read, change the known bits, write where that changes anything, read back. */
#include "settings.h"

#include <stddef.h>

#include "msr.h"

static const char *try(struct setting *setting, struct journal *journal, uint64_t mask,
                       uint64_t value)
{
    setting->is_read = msr_read(setting->msr, &setting->before);
    if (!setting->is_read)
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

bool setting_switch(struct setting *setting, struct journal *journal, uint32_t msr,
                    enum setting_choice choice)
{
    uint64_t mask = choice != SETTING_LEAVE ? setting->disable | setting->enable : 0;
    return setting_apply(setting, journal, msr, mask,
                         choice == SETTING_OFF ? setting->disable : setting->enable);
}

void setting_found(const struct setting *setting, struct text *text)
{
    const char *between = "";
    if (!setting->is_read || setting->bits == NULL)
        return;
    for (const struct setting_bit *b = setting->bits; b->name != NULL; b++) {
        uint64_t bit = 1ull << b->bit;
        if (!((setting->disable | setting->enable) & bit))
            continue;
        bool is_on = (setting->before & bit) == (setting->enable & bit);
        text_printf(text, "%s%s %s", between, b->name, is_on ? "on" : "off");
        between = ", ";
    }
}

void settings_apply(struct settings *settings, const struct processor *processor,
                    struct journal *journal)
{
    settings->count = prefetch_apply(settings->record, journal, processor,
                                     processor_core_type(processor), settings->prefetch);
    settings->count +=
        power_apply(settings->record + settings->count, journal, processor, settings->turbo);
}

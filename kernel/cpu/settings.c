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

/* The next of its switches that it has, from `b` on; NULL: there is none. */
static const struct setting_bit *next_switch(const struct setting *s, const struct setting_bit *b)
{
    while (b != NULL && b->name != NULL && !((s->disable | s->enable) >> b->bit & 1))
        b++;
    return s->is_read && b != NULL && b->name != NULL ? b : NULL;
}

static bool was_on(const struct setting *setting, const struct setting_bit *b)
{
    return (setting->before >> b->bit & 1) == (setting->enable >> b->bit & 1);
}

void setting_found(const struct setting *setting, struct text *text)
{
    const struct setting_bit *b = setting->bits;
    for (const char *between = ""; (b = next_switch(setting, b)) != NULL; b++, between = ", ")
        text_printf(text, "%s%s %s", between, b->name, was_on(setting, b) ? "on" : "off");
}

unsigned setting_found_on(const struct setting *setting, unsigned *all)
{
    unsigned on = 0;
    const struct setting_bit *b = setting->bits;
    for (; (b = next_switch(setting, b)) != NULL; b++, ++*all)
        on += was_on(setting, b);
    return on;
}

void settings_apply(struct settings *settings, const struct processor *processor,
                    struct journal *journal)
{
    settings->count = prefetch_apply(settings->record, journal, processor,
                                     processor_core_type(processor), settings->prefetch);
    settings->count +=
        power_apply(settings->record + settings->count, journal, processor, settings->turbo);
}

/* switches: reads, changes the known bits, writes if that changes anything, reads back. */
#include "switches.h"

#include "msr.h"

static const char not_written[] = "the register cannot be written";

static const char *write_bits(struct msr_switch *s, struct journal *journal, uint64_t mask,
                              uint64_t value)
{
    s->is_read = msr_read(s->msr, &s->before);
    if (!s->is_read)
        return "the register cannot be read";
    s->asked = (s->before & ~mask) | (value & mask);
    s->after = s->before;
    if (s->asked == s->before)
        return NULL;
    if (!journal_msr(journal, s->msr, s->asked, 0))
        return not_written;
    if (!msr_read(s->msr, &s->after))
        return "the register cannot be read back";
    return (s->after ^ s->asked) & mask ? "the bits do not stick" : NULL;
}

bool msr_switch_write(struct msr_switch *s, struct journal *journal, uint32_t msr, uint64_t mask,
                      uint64_t value)
{
    s->msr = msr;
    s->why_not = write_bits(s, journal, mask, value);
    return s->why_not == NULL;
}

/* Sets one bit after the other. False, with *s as it was: none can be set. */
static bool set_each(struct msr_switch *s, struct journal *journal, uint64_t value)
{
    const struct msr_switch together = *s;
    uint64_t changes = s->asked ^ s->before, taken = 0;
    for (uint64_t bit = 1; bit != 0; bit <<= 1)
        if (changes & bit && msr_switch_write(s, journal, s->msr, bit, value))
            taken |= bit;
    uint64_t after = s->after;
    *s = together;
    if (taken == 0)
        return false;
    s->refused = changes & ~taken;
    s->after = after;
    s->why_not = NULL;
    return true;
}

bool msr_switch_set(struct msr_switch *s, struct journal *journal, uint32_t msr,
                    enum setting_choice choice)
{
    uint64_t mask = choice != SETTING_LEAVE ? s->disable | s->enable : 0;
    uint64_t value = choice == SETTING_OFF ? s->disable : s->enable;
    return msr_switch_write(s, journal, msr, mask, value) ||
           (s->why_not == not_written && set_each(s, journal, value));
}

/* Returns the next switch that the register has, from `b` on; NULL: it has no more. */
static const struct msr_bit *next_switch(const struct msr_switch *s, const struct msr_bit *b)
{
    while (b != NULL && b->name != NULL && !((s->disable | s->enable) >> b->bit & 1))
        b++;
    return s->is_read && b != NULL && b->name != NULL ? b : NULL;
}

static bool was_on(const struct msr_switch *s, const struct msr_bit *b)
{
    return (s->before >> b->bit & 1) == (s->enable >> b->bit & 1);
}

void msr_switch_found(const struct msr_switch *s, struct text *text)
{
    const struct msr_bit *b = s->bits;
    for (const char *between = ""; (b = next_switch(s, b)) != NULL; b++, between = ", ")
        text_printf(text, "%s%s %s", between, b->name, was_on(s, b) ? "on" : "off");
}

void msr_switch_refused(const struct msr_switch *s, struct text *text)
{
    const struct msr_bit *b = s->bits;
    for (const char *between = ""; (b = next_switch(s, b)) != NULL; b++)
        if (s->refused >> b->bit & 1) {
            text_printf(text, "%s%s", between, b->name);
            between = ", ";
        }
}

unsigned msr_switch_count_on(const struct msr_switch *s, unsigned *all)
{
    unsigned on = 0;
    const struct msr_bit *b = s->bits;
    for (; (b = next_switch(s, b)) != NULL; b++, ++*all)
        on += was_on(s, b);
    return on;
}

void switches_apply(struct switches *switches, const struct processor *processor,
                    struct journal *journal)
{
    bool is_changed = false;
    unsigned i = switches->count = prefetch_apply(
        switches->record, journal, processor, processor_core_type(processor), switches->prefetch);
    switches->count +=
        power_apply(switches->record + switches->count, journal, processor, switches->turbo);
    for (; i < switches->count; i++)
        is_changed |= switches->record[i].asked != switches->record[i].before;
    uint64_t start = __builtin_ia32_rdtsc();
    while (is_changed && __builtin_ia32_rdtsc() - start < switches->settle_ticks)
        ;
}

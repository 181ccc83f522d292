/* choices: tries the chosen switches at once, so that the result is known before measuring. */
#include "choices.h"

#include "../kernel/lib/string.h"
#include "../kernel/lib/text.h"
#include "../kernel/probe/native.h"

#define SPINS_A_SECOND 50 /* the spin that shows the core's frequency takes 20 ms */
#define TURBO_LEAST 1.02  /* of the nominal rate: two clocks of one machine agree better */

static struct platform_efi *own(struct platform *self)
{
    return (struct platform_efi *)self;
}

static void nothing(void *unused)
{
    (void)unused;
}

/* Applies all switches once, around some work. Returns why one of that name is not in force, or
 * NULL. */
static const char *refused_switch(struct platform *self, const char *name,
                                  void (*work)(void *context))
{
    const struct switches *switches = &own(self)->switches;
    if (!self->quietly(self, work, self))
        return self->fault;
    for (unsigned i = 0; i < switches->count; i++)
        if (strcmp(switches->record[i].name, name) == 0 && switches->record[i].why_not != NULL)
            return switches->record[i].why_not;
    return NULL;
}

static const char *chosen(const char *reason, enum setting_choice choice)
{
    static const char *const words[] = {
        [SETTING_LEAVE] = "as found", [SETTING_OFF] = "off", [SETTING_ON] = "on"};
    return reason != NULL ? reason : words[choice];
}

/* Returns "as found: 3 of 4 on", without numbers if no register has a switch. */
static const char *prefetch_found(struct platform_efi *p)
{
    unsigned on = 0, all = 0;
    for (unsigned i = 0; i < p->switches.count; i++)
        if (strcmp(p->switches.record[i].name, "prefetch") == 0)
            on += msr_switch_count_on(&p->switches.record[i], &all);
    if (all == 0)
        return "as found";
    return text_write(p->prefetch, sizeof p->prefetch, "as found: %u of %u on", on, all);
}

/* Returns what was chosen, and which switches refused that. */
static const char *prefetch_set(struct platform_efi *p, enum setting_choice choice)
{
    struct text text;
    text_init(&text, p->prefetch, sizeof p->prefetch);
    text_printf(&text, "%s", chosen(NULL, choice));
    for (unsigned i = 0; i < p->switches.count; i++) {
        text_printf(&text, p->switches.record[i].refused != 0 ? "; refused: " : "");
        msr_switch_refused(&p->switches.record[i], &text);
    }
    return text.at;
}

const char *choices_set_prefetch(struct platform *self, enum setting_choice choice)
{
    own(self)->switches.prefetch = choice;
    const char *reason = refused_switch(self, "prefetch", nothing);
    if (choice == SETTING_LEAVE)
        reason = NULL; /* unread prefetchers are as found, too */
    self->prefetch = reason != NULL            ? reason
                     : choice == SETTING_LEAVE ? prefetch_found(own(self))
                                               : prefetch_set(own(self), choice);
    return reason;
}

static void watch_frequency(void *self)
{
    struct platform_efi *p = self;
    uint64_t ticks = p->base.ticks_per_second / SPINS_A_SECOND;
    uint64_t start = native_ticks() + p->switches.settle_ticks; /* it may come from sleep */
    while (native_ticks() < start)
        ;
    frequency_start(&p->frequency, &p->processor);
    while (native_ticks() - start < ticks)
        ;
    frequency_end(&p->frequency, &p->processor);
}

/* Believes that turbo is off, unless the core runs faster than its nominal rate all the same. */
const char *choices_set_turbo(struct platform *self, enum setting_choice choice)
{
    struct platform_efi *p = own(self);
    struct text text;
    p->switches.turbo = choice;
    const char *reason = refused_switch(self, "turbo", watch_frequency);
    if (choice == SETTING_LEAVE)
        reason = NULL;
    else if (reason == NULL && choice == SETTING_OFF && p->frequency.of_nominal > TURBO_LEAST)
        reason = "switched off, but the core runs faster than its nominal rate";
    text_init(&text, p->turbo, sizeof p->turbo);
    text_printf(&text, "%s; ", chosen(reason, choice));
    if (p->frequency.of_nominal > 0)
        text_printf(&text, "the core ran at %.2f times its nominal rate", p->frequency.of_nominal);
    else
        text_printf(&text, "the core's rate is not known: %s", p->frequency.why_not);
    self->turbo = p->turbo;
    return reason;
}

/* Adds the register to the name, since several may serve one purpose: "prefetch_1a4". */
static void open_record(struct json *json, const struct msr_switch *s)
{
    char memory[40];
    text_write(memory, sizeof memory, s->msr != 0 ? "%s_%x" : "%s", s->name, s->msr);
    for (char *c = memory; *c != '\0'; c++)
        if (*c == ' ')
            *c = '_';
    json_open(json, memory);
}

static void describe_switch(const struct msr_switch *s, struct json *json)
{
    struct text found = TEXT_OF(240), refused = TEXT_OF(240);
    msr_switch_found(s, &found);
    msr_switch_refused(s, &refused);
    open_record(json, s);
    json_text(json, "found", found.at);
    if (s->is_read) {
        json_hex(json, "msr", s->msr);
        json_hex(json, "before", s->before);
        json_hex(json, "asked", s->asked);
        json_hex(json, "read_back", s->after);
    }
    json_text(json, "refused", refused.at);
    json_text(json, "not_controllable", s->why_not != NULL ? s->why_not : "");
    json_close(json);
}

static void describe_frequency(const struct frequency *f, struct json *json)
{
    double unknown = __builtin_nan("");
    json_open(json, "core_clock");
    json_number(json, "aperf_over_mperf", f->of_nominal > 0 ? f->of_nominal : unknown, 4);
    json_text(json, "not_known", f->why_not != NULL ? f->why_not : "");
    json_number(json, "p_state", f->has_p_state ? f->p_state : unknown, 0);
    json_close(json);
}

void choices_describe(const struct platform_efi *p, struct json *json)
{
    json_open(json, "settings");
    for (unsigned i = 0; i < p->switches.count; i++)
        describe_switch(&p->switches.record[i], json);
    describe_frequency(&p->frequency, json);
    json_close(json);
}

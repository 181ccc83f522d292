/* choices: what is asked for is tried at once, so that the answer is known before measuring. */
#include "choices.h"

#include "../kernel/lib/string.h"
#include "../kernel/lib/text.h"

static void nothing(void *unused)
{
    (void)unused;
}

/* Applies all settings once and looks at those of a name. NULL, or why one is not in force. */
static const char *refusal(struct platform *self, const char *name)
{
    const struct settings *settings = &((struct platform_efi *)self)->settings;
    if (!self->quietly(self, nothing, NULL))
        return self->fault;
    for (unsigned i = 0; i < settings->count; i++)
        if (strcmp(settings->record[i].name, name) == 0 && settings->record[i].why_not != NULL)
            return settings->record[i].why_not;
    return NULL;
}

static const char *chosen(const char *reason, bool on)
{
    return reason != NULL ? reason : on ? "on" : "off";
}

const char *choices_set_prefetch(struct platform *self, bool on)
{
    struct platform_efi *p = (struct platform_efi *)self;
    p->settings.prefetch = on ? SETTING_ON : SETTING_OFF;
    const char *reason = refusal(self, "prefetch");
    self->prefetch = chosen(reason, on);
    return reason;
}

const char *choices_set_turbo(struct platform *self, bool on)
{
    struct platform_efi *p = (struct platform_efi *)self;
    p->settings.turbo = on ? SETTING_ON : SETTING_OFF;
    const char *reason = refusal(self, "turbo");
    self->turbo = chosen(reason, on);
    return reason;
}

/* There may be several registers of one purpose: "prefetch_1a4". */
static void open_record(struct json *json, const struct setting *s)
{
    char memory[40];
    text_write(memory, sizeof memory, s->msr != 0 ? "%s_%x" : "%s", s->name, s->msr);
    for (char *c = memory; *c != '\0'; c++)
        if (*c == ' ')
            *c = '_';
    json_open(json, memory);
}

void choices_describe(const struct platform_efi *p, struct json *json)
{
    json_open(json, "settings");
    for (unsigned i = 0; i < p->settings.count; i++) {
        const struct setting *s = &p->settings.record[i];
        open_record(json, s);
        if (s->msr != 0) {
            json_hex(json, "msr", s->msr);
            json_hex(json, "before", s->before);
            json_hex(json, "asked", s->asked);
            json_hex(json, "read_back", s->after);
        }
        json_text(json, "not_controllable", s->why_not != NULL ? s->why_not : "");
        json_close(json);
    }
    json_close(json);
}

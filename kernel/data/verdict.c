/* verdict: fills, and finds, rows of a verdict list; reasons as text. */
#include "verdict.h"

#include "../lib/string.h"
#include "../lib/text.h"

#define REASON_ROW(id, code, words) {code, words},
const struct reason_text reason_texts[REASON_COUNT] = {{"", ""}, REASONS(REASON_ROW)};

const char *const verdict_status_names[] = {"ok", "doubt", "skip", "error"};

struct verdict *verdict_add(struct verdict_list *list, const struct variant *variant,
                            const struct question *question)
{
    bool fits = list->count < list->room;
    struct verdict *v = fits ? &list->at[list->count++] : &list->spare;
    list->lost += !fits;
    v->variant = *variant;
    v->question = question;
    v->needs = question->needs;
    v->value = v->low = v->high = __builtin_nan("");
    v->status = VERDICT_SKIP;
    v->reason = REASON_NONE;
    v->method[0] = '\0';
    return v;
}

void verdict_vconclude(struct verdict *verdict, enum verdict_status status, enum reason reason,
                       const char *format, va_list arguments)
{
    struct text text;
    text_init(&text, verdict->method, sizeof verdict->method);
    text_printf(&text, "%s; ", reason_texts[reason].words);
    if (reason == REASON_NONE)
        text_clear(&text);
    size_t length = text.length;
    text_vprintf(&text, format, arguments);
    if (length > 0 && text.length == length)
        verdict->method[length - strlen("; ")] = '\0';
    verdict->status = status;
    verdict->reason = reason;
}

void verdict_conclude(struct verdict *verdict, enum verdict_status status, enum reason reason,
                      const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    verdict_vconclude(verdict, status, reason, format, arguments);
    va_end(arguments);
}

void verdict_append(struct verdict *verdict, const char *format, ...)
{
    struct text text = {verdict->method, sizeof verdict->method, strlen(verdict->method), false};
    va_list arguments;
    va_start(arguments, format);
    text_vprintf(&text, format, arguments);
    va_end(arguments);
}

void verdict_value(struct verdict *verdict, double value, double low, double high)
{
    verdict->value = value;
    verdict->low = low;
    verdict->high = high;
}

const struct verdict *verdict_find(const struct verdict_list *list, const struct variant *variant,
                                   const char *name)
{
    for (const struct verdict *v = list->at; v < list->at + list->count; v++)
        if (strcmp(v->question->name, name) == 0 && case_same(&v->variant, variant))
            return v;
    return NULL;
}

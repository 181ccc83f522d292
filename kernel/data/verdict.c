/* verdict: fills, and finds, rows of a verdict list. */
#include "verdict.h"

#include "../lib/string.h"
#include "../lib/text.h"
#include "row.h"

const char *verdict_status_name(enum verdict_status status)
{
    static const char *const names[] = {"ok", "doubt", "skip", "error"};
    return names[status];
}

struct verdict *verdict_add(struct verdict_list *list, const struct variant *variant,
                            const char *name, const char *unit)
{
    bool fits = list->count < list->room;
    struct verdict *v = fits ? &list->at[list->count++] : &list->spare;
    list->lost += !fits;
    v->variant = *variant;
    name_copy(v->name, name);
    name_copy(v->unit, unit);
    v->value = v->low = v->high = __builtin_nan("");
    v->status = VERDICT_SKIP;
    v->method[0] = '\0';
    return v;
}

void verdict_vconclude(struct verdict *verdict, enum verdict_status status, const char *format,
                       va_list arguments)
{
    struct text text;
    text_init(&text, verdict->method, sizeof verdict->method);
    text_vprintf(&text, format, arguments);
    verdict->status = status;
}

void verdict_conclude(struct verdict *verdict, enum verdict_status status, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    verdict_vconclude(verdict, status, format, arguments);
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
        if (strcmp(v->name, name) == 0 && case_same(&v->variant, variant))
            return v;
    return NULL;
}

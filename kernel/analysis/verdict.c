/* verdict: fills rows of a verdict list. */
#include "verdict.h"

#include "../lib/text.h"

struct verdict *verdict_add(struct verdict_list *list, const char *experiment, const char *variant,
                            const char *name, const char *unit)
{
    static struct verdict scratch;
    struct verdict *v = list->count < list->room ? &list->at[list->count++] : &scratch;
    result_name(v->experiment, experiment);
    result_name(v->variant, variant);
    result_name(v->name, name);
    result_name(v->unit, unit);
    v->value = v->low = v->high = __builtin_nan("");
    v->status = VERDICT_SKIP;
    v->method[0] = '\0';
    return v;
}

void verdict_conclude(struct verdict *verdict, enum verdict_status status, const char *format, ...)
{
    struct text text;
    va_list arguments;
    text_init(&text, verdict->method, sizeof verdict->method);
    va_start(arguments, format);
    text_vprintf(&text, format, arguments);
    va_end(arguments);
    verdict->status = status;
}

void verdict_value(struct verdict *verdict, double value, double low, double high)
{
    verdict->value = value;
    verdict->low = low;
    verdict->high = high;
}

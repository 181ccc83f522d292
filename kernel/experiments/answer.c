/* answer: value, status and method at once. */
#include "answer.h"

#include "../engine/engine.h"

#define MOSTLY_SHARED 50 /* percent of visits */

void answer(struct verdict *verdict, struct interval interval, const char *doubt,
            const char *method, ...)
{
    va_list arguments;
    verdict_value(verdict, interval.value, interval.low, interval.high);
    if (doubt != NULL) {
        verdict_conclude(verdict, VERDICT_DOUBT, "%s", doubt);
        return;
    }
    va_start(arguments, method);
    verdict_vconclude(verdict, VERDICT_OK, method, arguments);
    va_end(arguments);
}

void answer_doubt(struct verdict *verdict, struct interval interval, const char *reason, ...)
{
    va_list arguments;
    verdict_value(verdict, interval.value, interval.low, interval.high);
    va_start(arguments, reason);
    verdict_vconclude(verdict, VERDICT_DOUBT, reason, arguments);
    va_end(arguments);
}

struct interval answer_interval(const struct verdict *verdict)
{
    return (struct interval){verdict->value, verdict->low, verdict->high};
}

void answer_skip(struct verdict *verdict, const char *reason, ...)
{
    va_list arguments;
    va_start(arguments, reason);
    verdict_vconclude(verdict, VERDICT_SKIP, reason, arguments);
    va_end(arguments);
}

double answer_mostly_shared(const struct table *table)
{
    const struct row *apart = table_find(table, ENGINE_APART);
    return apart != NULL && apart->median >= MOSTLY_SHARED ? apart->median : 0;
}

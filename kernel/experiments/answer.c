/* answer: value, status, reason and method at once. */
#include "answer.h"

#include "../analysis/statistics.h"
#include "../engine/engine.h"
#include "../lib/string.h"

void answer_all(const struct evidence *e, const struct question *q, const void *reading)
{
    const struct variant *variant = e->table->variant;
    for (; q->name != NULL; q++)
        if (q->judge != NULL && (q->is_of == NULL || q->is_of(variant)))
            q->judge(reading, verdict_add(e->verdicts, variant, q));
}

void answer_none(const struct evidence *e, const struct question *q, enum reason reason,
                 const char *words)
{
    const struct variant *variant = e->table->variant;
    for (; q->name != NULL; q++)
        if ((q->needs & NEEDS_COUNTERS) == 0 && (q->is_of == NULL || q->is_of(variant)))
            answer_skip(verdict_add(e->verdicts, variant, q), reason, "%s", words);
}

#define CONCLUDE(status, reason, format)                                                           \
    do {                                                                                           \
        va_list arguments;                                                                         \
        va_start(arguments, format);                                                               \
        verdict_vconclude(verdict, status, reason, format, arguments);                             \
        va_end(arguments);                                                                         \
    } while (0)

void answer(struct verdict *verdict, struct interval interval, enum reason doubt,
            const char *method, ...)
{
    verdict_value(verdict, interval.value, interval.low, interval.high);
    CONCLUDE(doubt == REASON_NONE ? VERDICT_OK : VERDICT_DOUBT, doubt, method);
}

struct interval answer_interval(const struct verdict *verdict)
{
    return (struct interval){verdict->value, verdict->low, verdict->high};
}

void answer_open(struct verdict *verdict, enum reason reason, const char *detail, ...)
{
    CONCLUDE(VERDICT_DOUBT, reason, detail);
}

void answer_skip(struct verdict *verdict, enum reason reason, const char *detail, ...)
{
    CONCLUDE(VERDICT_SKIP, reason, detail);
}

void answer_doubt(struct verdict *verdict, enum reason reason, const char *detail, ...)
{
    char how[VERDICT_METHOD_BYTES];
    if (verdict->status != VERDICT_OK)
        return;
    memcpy(how, verdict->method, sizeof how);
    CONCLUDE(VERDICT_DOUBT, reason, detail);
    if (how[0] != '\0')
        verdict_append(verdict, "; %s", how);
}

const struct verdict *answer_find(const struct evidence *e, const struct variant *variant,
                                  const char *name)
{
    const struct table *table = tables_find(e->tables, variant);
    const struct verdict *end = e->verdicts->at + e->verdicts->count;
    for (const struct verdict *v = table != NULL ? e->verdicts->at + table->first_verdict : end;
         v < end && case_same(&v->variant, variant); v++)
        if (strcmp(v->question->name, name) == 0)
            return v;
    return NULL;
}

void answer_lean(struct verdict *verdict, const struct verdict *other)
{
    char name[NAME_BYTES];
    if (other->status != VERDICT_OK)
        answer_doubt(verdict, REASON_LEANS_ON_DOUBT, "%s of %s is %s: %s", other->question->name,
                     case_name(&other->variant, name), verdict_status_names[other->status],
                     reason_texts[other->reason].words);
}

enum reason answer_scatter(struct interval x)
{
    return interval_half_width(x) < PRECISE_WITHIN * x.value ? REASON_NONE : REASON_SCATTER;
}

enum reason answer_width(struct interval x)
{
    return x.high - x.low < WIDEST_SHARE * x.value ? REASON_NONE : REASON_SCATTER;
}

double answer_kept(const struct table *table)
{
    double kept = 0, all = 0;
    for (TABLE_ROWS(row, table)) {
        kept += (double)row->samples;
        all += (double)row->samples + (double)row->discarded;
    }
    return all > 0 ? kept / all : 1;
}

double answer_mostly_shared(const struct table *table)
{
    const struct row *apart = table_find(table, ENGINE_APART);
    return apart != NULL && apart->median > 100 - apart->median ? apart->median : 0;
}

/* csv: formats rows of results.csv and verdicts.csv. */
#include "csv.h"

const char csv_results_header[] =
    "experiment,case,n,k,bytes,stage,metric,unit,samples,discarded,min,p10,median,p90,max,mean\n";
const char csv_verdicts_header[] = "experiment,case,name,value,low,high,unit,status,method\n";

/* Enough for a timer's ticks and their mean; more decimals would be noise. */
#define DECIMALS 3

static void field(struct text *text, const char *value)
{
    bool plain = true;
    for (const char *p = value; *p != '\0'; p++)
        if (*p == ',' || *p == '"' || *p == '\n' || *p == '\r')
            plain = false;
    if (plain) {
        text_printf(text, "%s,", value);
        return;
    }
    text_char(text, '"');
    for (const char *p = value; *p != '\0'; p++) {
        if (*p == '"')
            text_char(text, '"');
        text_char(text, *p);
    }
    text_printf(text, "\",");
}

static void coordinate(struct text *text, int64_t value)
{
    if (value != RESULT_NONE)
        text_printf(text, "%ld", (long)value);
    text_char(text, ',');
}

static void number(struct text *text, double value)
{
    if (value == value) /* not NAN */
        text_number(text, value, DECIMALS);
    text_char(text, ',');
}

static void end_line(struct text *text)
{
    if (text->length > 0 && !text->truncated) {
        text->length--; /* every field ends with a comma, the last one too */
        text_char(text, '\n');
    }
}

void csv_result(struct text *text, const struct result_row *row)
{
    field(text, row->experiment);
    field(text, row->variant);
    coordinate(text, row->n);
    coordinate(text, row->k);
    coordinate(text, row->bytes);
    coordinate(text, row->stage);
    field(text, row->metric);
    field(text, row->unit);
    text_printf(text, "%lu,%lu,", (unsigned long)row->samples, (unsigned long)row->discarded);
    number(text, row->min);
    number(text, row->p10);
    number(text, row->median);
    number(text, row->p90);
    number(text, row->max);
    number(text, row->mean);
    end_line(text);
}

void csv_verdict(struct text *text, const struct verdict *verdict)
{
    field(text, verdict->experiment);
    field(text, verdict->variant);
    field(text, verdict->name);
    number(text, verdict->value);
    number(text, verdict->low);
    number(text, verdict->high);
    field(text, verdict->unit);
    field(text, csv_status_name(verdict->status));
    field(text, verdict->method);
    end_line(text);
}

const char *csv_status_name(enum verdict_status status)
{
    static const char *const names[] = {"ok", "doubt", "skip", "error"};
    return names[status];
}

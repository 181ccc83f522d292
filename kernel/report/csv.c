/* csv: formats rows of results.csv and verdicts.csv. */
#include "csv.h"

const char csv_results_header[] =
    "experiment,case,n,k,bytes,stage,metric,unit,samples,discarded,min,p10,median,p90,max,mean,p1,"
    "visits,center,center_error,mean_error,attempt\n";
const char csv_verdicts_header[] =
    "experiment,case,name,value,low,high,unit,status,reason,method\n";

/* Enough for a timer's ticks and their mean; more decimals would be noise. */
#define DECIMALS 3

void csv_field(struct text *text, const char *value)
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
    if (value != ROW_NONE)
        text_printf(text, "%ld", (long)value);
    text_char(text, ',');
}

void csv_number(struct text *text, double value)
{
    if (value == value) /* not NAN */
        text_number(text, value, DECIMALS);
    text_char(text, ',');
}

void csv_end_line(struct text *text)
{
    if (text->length > 0 && !text->truncated) {
        text->length--; /* every field ends with a comma, the last one too */
        text_char(text, '\n');
    }
}

/* Columns `experiment` and `case`. */
static void add_case(struct text *text, const struct variant *variant)
{
    char name[NAME_BYTES];
    csv_field(text, variant->experiment);
    csv_field(text, case_name(variant, name));
}

void csv_result(struct text *text, const struct row *row)
{
    add_case(text, &row->variant);
    coordinate(text, row->n);
    coordinate(text, row->k);
    coordinate(text, row->bytes);
    coordinate(text, row->stage);
    csv_field(text, row->metric);
    csv_field(text, row->unit);
    text_printf(text, "%lu,%lu,", (unsigned long)row->samples, (unsigned long)row->discarded);
    csv_number(text, row->min);
    csv_number(text, row->p10);
    csv_number(text, row->median);
    csv_number(text, row->p90);
    csv_number(text, row->max);
    csv_number(text, row->mean);
    csv_number(text, row->p1);
    text_printf(text, "%lu,", (unsigned long)row->visits);
    csv_number(text, row->center);
    csv_number(text, row->center_error);
    csv_number(text, row->mean_error);
    text_printf(text, "%lu,", (unsigned long)row->attempt);
    csv_end_line(text);
}

void csv_verdict(struct text *text, const struct verdict *verdict)
{
    add_case(text, &verdict->variant);
    csv_field(text, verdict->question->name);
    csv_number(text, verdict->value);
    csv_number(text, verdict->low);
    csv_number(text, verdict->high);
    csv_field(text, verdict->question->unit);
    csv_field(text, verdict_status_name(verdict->status));
    csv_field(text, reason_code(verdict->reason));
    csv_field(text, verdict->method);
    csv_end_line(text);
}

/* csv: formats rows of results.csv and verdicts.csv. */
#include "csv.h"

const char csv_results_header[] =
    "experiment,case,n,k,bytes,stage,metric,unit,samples,discarded,min,p10,median,p90,max,mean,p1,"
    "visits,center,center_error,mean_error,attempt\n";
const char csv_verdicts_header[] =
    "experiment,case,name,value,low,high,unit,status,reason,method\n";

/* Enough for a timer's ticks and their mean; more decimals would be noise. */
#define DECIMALS 3

static void field(struct text *text, const char *value)
{
    struct piece rest = piece_of(value);
    piece_until(&rest, ",\"\n\r");
    const char *quote = rest.length > 0 ? "\"" : "";
    text_printf(text, "%s", quote);
    for (; *value != '\0'; value++)
        text_printf(text, "%s%c", *value == '"' ? quote : "", *value);
    text_printf(text, "%s,", quote);
}

static void coordinate(struct text *text, int64_t value)
{
    if (value != ROW_NONE)
        text_printf(text, "%ld", (long)value);
    text_char(text, ',');
}

/* Writes up to three decimals; nothing for NAN. */
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

static void add_case(struct text *text, const struct variant *variant)
{
    char name[NAME_BYTES];
    field(text, variant->experiment);
    field(text, case_name(variant, name));
}

void csv_result(struct text *text, const struct row *row)
{
    add_case(text, &row->variant);
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
    number(text, row->p1);
    text_printf(text, "%lu,", (unsigned long)row->visits);
    number(text, row->center);
    number(text, row->center_error);
    number(text, row->mean_error);
    text_printf(text, "%lu,", (unsigned long)row->attempt);
    end_line(text);
}

void csv_verdict(struct text *text, const struct verdict *verdict)
{
    add_case(text, &verdict->variant);
    field(text, verdict->question->name);
    number(text, verdict->value);
    number(text, verdict->low);
    number(text, verdict->high);
    field(text, verdict->question->unit);
    field(text, verdict_status_names[verdict->status]);
    field(text, reason_texts[verdict->reason].code);
    field(text, verdict->method);
    end_line(text);
}

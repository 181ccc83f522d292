/* results: names in rows and verdicts, and rows in another unit. */
#include "results.h"

#include "../lib/text.h"

void result_name(char *to, const char *from)
{
    struct text text;
    text_init(&text, to, RESULT_NAME_MAX);
    text_printf(&text, "%s", from);
}

static double rounded(double value)
{
    return value == value ? (double)(int64_t)(value * 1000 + 0.5) / 1000 : value; /* not NAN */
}

void result_scale(struct result_row *row, double factor)
{
    double *const numbers[] = {&row->min, &row->p10, &row->median,
                               &row->p90, &row->max, &row->mean};
    for (unsigned i = 0; i < sizeof numbers / sizeof *numbers; i++)
        *numbers[i] = rounded(*numbers[i] * factor);
}

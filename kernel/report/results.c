/* results: names in rows and verdicts. */
#include "results.h"

#include "../lib/text.h"

void result_name(char *to, const char *from)
{
    struct text text;
    text_init(&text, to, RESULT_NAME_MAX);
    text_printf(&text, "%s", from);
}

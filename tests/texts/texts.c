/* texts: prints what tables of the source become: the mlpboot.cfg that is shipped; the manual's
 * tables of keys, of verdicts, and of reasons.
 */
#include <stdio.h>
#include <string.h>

#include "../../kernel/experiments/experiment.h"
#include "../hosted/describe.h"

static char buffer[DESCRIBE_BYTES_MAX];

static bool has_question(const struct rule *rule, const struct question *q)
{
    for (const struct question *const *list = rule->questions; *list != NULL; list++)
        for (const struct question *own = *list; own->name != NULL; own++)
            if (own == q)
                return true;
    return false;
}

static bool is_first_with(const struct experiment *experiment, const struct question *q)
{
    const struct experiment *const *e = experiments;
    while (!has_question((*e)->rule, q))
        e++;
    return *e == experiment;
}

static void describe_needs(unsigned asked, const struct question *q, struct text *text)
{
    static const struct {
        enum verdict_needs need;
        const char *words;
    } needs[] = {
        {NEEDS_WHOLE_CORE, "the whole core"},
        {NEEDS_WHOLE_PAGES, "whole large pages"},
        {NEEDS_HOST_PAGES, "whole host pages"},
        {NEEDS_CLOCK, "the core's clock"},
        {NEEDS_NO_CORE, "no processor's times"},
        {NEEDS_MEMORY, "memory's pace"},
        {NEEDS_COUNTERS, "counters"},
    };
    const char *between = "";
    for (size_t i = 0; i < sizeof needs / sizeof *needs; i++)
        if ((asked & needs[i].need) != 0) {
            text_printf(text, "%s%s", between, needs[i].words);
            between = ", ";
        }
    if (q->leans_on != NULL)
        text_printf(text, "%s`%s`", between, q->leans_on);
}

/* Adds a row: this question, and those behind it that say the same of another size. Of several
 * sizes, all needs but the first one's: the first level of caches needs no pages. */
static void describe_question(const char *experiment, const struct question *q, struct text *text)
{
    const struct question *last = q;
    unsigned further = 0;
    text_printf(text, "| `%s`", q->name);
    while (last[1].name != NULL && last[1].means == NULL) {
        text_printf(text, ", `%s`", (++last)->name);
        further |= last->needs;
    }
    text_printf(text, " | %s | %s", experiment, q->unit);
    if (strcmp(last->unit, q->unit) != 0)
        text_printf(text, ", %s", last->unit);
    text_printf(text, " | %s | ", q->means);
    describe_needs(last != q ? further : q->needs, last, text);
    text_printf(text, " |\n");
}

static void describe_verdicts(struct text *text)
{
    text_printf(text, "\n| verdict | of | unit | meaning | needs |\n|---|---|---|---|---|\n");
    for (const struct experiment *const *e = experiments; *e != NULL; e++)
        for (const struct question *const *list = (*e)->rule->questions; *list != NULL; list++)
            for (const struct question *q = *list; q->name != NULL; q++)
                if (q->means != NULL && is_first_with(*e, q))
                    describe_question((*e)->name, q, text);
    text_char(text, '\n');
}

static void describe_reasons(struct text *text)
{
    text_printf(text, "\n| code | words |\n|---|---|\n");
    for (enum reason reason = REASON_NONE + 1; reason < REASON_COUNT; reason++)
        text_printf(text, "| `%s` | %s |\n", reason_texts[reason].code, reason_texts[reason].words);
    text_char(text, '\n');
}

int main(int count, char **argument)
{
    static const struct {
        const char *name;
        void (*describe)(struct text *text);
    } parts[] = {
        {"file", describe_file},
        {"keys", describe_table},
        {"verdicts", describe_verdicts},
        {"reasons", describe_reasons},
    };
    struct text text;

    text_init(&text, buffer, sizeof buffer);
    for (size_t i = 0; count == 2 && i < sizeof parts / sizeof *parts; i++)
        if (strcmp(argument[1], parts[i].name) == 0)
            parts[i].describe(&text);
    if (text.length == 0 || text.truncated) {
        fprintf(stderr, "texts: %s\n",
                text.truncated ? "too long" : "accepted: file, keys, verdicts, reasons");
        return 1;
    }
    return fputs(buffer, stdout) < 0 || fflush(stdout) != 0;
}

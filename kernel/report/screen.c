/* screen: which verdicts answer which line, and lines that never wrap. */
#include "screen.h"

#include "../lib/string.h"

#define LABEL 14 /* columns of a line's name */
#define STATUS 6
#define VALUE 9
#define INTERVAL 19
#define UNIT 8
#define SMALL 10 /* below that one decimal says too little */

/* The lower the better; a shared core is another core, and no access is as plain as a load. */
static unsigned rank_of(const struct verdict *v)
{
    bool is_answer = v->status == VERDICT_OK || v->status == VERDICT_DOUBT;
    unsigned rank = is_answer ? 2 * v->status + (v->value != v->value) : 16;
    return rank + 4 * (v->variant.shared || v->variant.sibling > SIBLING_IDLE) +
           8 * (v->variant.access != ACCESS_LOAD);
}

/* NULL: there is none of that name. */
static const struct verdict *best(const struct verdict_list *list, const char *name)
{
    const struct verdict *found = NULL;
    for (const struct verdict *v = list->at; name != NULL && v < list->at + list->count; v++)
        if (strcmp(v->name, name) == 0 && (found == NULL || rank_of(v) < rank_of(found)))
            found = v;
    return found;
}

/* The levels of a list are those of one case, where it has them all. */
static void stay_with_case(const struct verdict_list *list, const struct headline *headline,
                           const struct verdict *found[HEADLINE_NAMES_MAX])
{
    for (unsigned i = 1; found[0] != NULL && i < HEADLINE_NAMES_MAX && found[i] != NULL; i++)
        for (const struct verdict *v = list->at; v < list->at + list->count; v++)
            if (strcmp(v->name, headline->names[i]) == 0 &&
                case_same(&v->variant, &found[0]->variant))
                found[i] = v;
}

/* --- lines ----------------------------------------------------------------------------------- */

/* A line that takes what it has room for. */
struct screen_line {
    char memory[SCREEN_COLUMNS + 1];
    struct text text;
};

/* Text in a column; what follows starts at least a blank behind it. */
static void add_column(struct screen_line *line, size_t width, const char *words)
{
    size_t end = line->text.length + width;
    text_printf(&line->text, "%s ", words);
    while (line->text.length < end && !line->text.truncated)
        text_char(&line->text, ' ');
}

static void start(struct screen_line *line, const char *label)
{
    text_init(&line->text, line->memory, sizeof line->memory);
    add_column(line, LABEL, label);
}

static void end_line(struct screen_line *line, struct text *page)
{
    struct text *text = &line->text;
    for (char *c = text->at; *c != '\0'; c++)
        if (*c < ' ' || *c > '~')
            *c = '?';
    while (text->length > 0 && text->at[text->length - 1] == ' ')
        text->at[--text->length] = '\0';
    text_printf(page, "%s\n", text->at);
}

/* In two lines, where one is too short; the second takes what it has room for. */
static void add_wrapped(const char *label, const char *words, struct text *page)
{
    struct screen_line line;
    size_t room = SCREEN_COLUMNS - LABEL, at = strlen(words);
    if (at > room)
        for (at = room; at > 0 && words[at] != ' '; at--)
            ;
    at = at > 0 ? at : room; /* one long word is cut */
    start(&line, label);
    text_printf(&line.text, "%.*s", (int)at, words);
    end_line(&line, page);
    while (words[at] == ' ')
        at++;
    if (words[at] == '\0')
        return;
    start(&line, "");
    text_printf(&line.text, "%s", words + at);
    end_line(&line, page);
}

/* --- values ---------------------------------------------------------------------------------- */

static void show_number(struct text *text, const struct verdict *v, double value)
{
    char size[SIZE_TEXT_MAX];
    if (value != value)
        text_char(text, '-');
    else if (strcmp(v->unit, "bytes") == 0 && value >= 0 && value < 1e18)
        text_printf(text, "%s", size_text(size, (uint64_t)value));
    else
        text_number(text, value, value > -SMALL && value < SMALL ? 3 : 1);
}

static void add_interval(struct text *text, const struct verdict *v, const char *between)
{
    if (v->low != v->low && v->high != v->high) /* both NAN */
        return;
    show_number(text, v, v->low);
    text_printf(text, "%s", between);
    show_number(text, v, v->high);
}

/* Sizes carry their unit. */
static const char *unit_of(const struct verdict *v)
{
    return strcmp(v->unit, "bytes") == 0 ? "" : v->unit;
}

static void show_value(struct screen_line *line, const struct verdict *v)
{
    char memory[64];
    struct text text;
    text_init(&text, memory, sizeof memory);
    show_number(&text, v, v->value);
    add_column(line, VALUE, memory);
    text_clear(&text);
    add_interval(&text, v, " .. ");
    add_column(line, INTERVAL, memory);
    add_column(line, UNIT, unit_of(v));
}

/* ", 4k 5": whole or not at all. */
static void add_other(struct screen_line *line, const struct verdict *v)
{
    char memory[NAME_BYTES + 32], name[NAME_BYTES];
    struct text text;
    text_init(&text, memory, sizeof memory);
    text_printf(&text, ", %s ", case_name(&v->variant, name));
    show_number(&text, v, v->value);
    if (line->text.length + text.length <= SCREEN_COLUMNS)
        text_printf(&line->text, "%s", memory);
}

/* The case, and those of the same verdict that answer as well. */
static void add_cases(struct screen_line *line, const struct verdict *v,
                      const struct verdict_list *list, bool is_first)
{
    char name[NAME_BYTES];
    text_printf(&line->text, "%s %s", v->variant.experiment, case_name(&v->variant, name));
    if (!is_first)
        text_printf(&line->text, " %s", v->name);
    for (const struct verdict *o = list->at; o < list->at + list->count; o++)
        if (o != v && o->status == VERDICT_OK && strcmp(o->name, v->name) == 0 &&
            strcmp(o->variant.experiment, v->variant.experiment) == 0)
            add_other(line, o);
}

/* --- the list of all verdicts ---------------------------------------------------------------- */

/* Returns the number of verdicts from this one on that a case lacks for the same reason, or 1. */
static size_t skipped_together(const struct verdict *first, const struct verdict *end)
{
    const struct verdict *v = first + 1;
    while (first->status == VERDICT_SKIP && v < end && v->status == VERDICT_SKIP &&
           case_same(&v->variant, &first->variant) && strcmp(v->method, first->method) == 0)
        v++;
    return (size_t)(v - first);
}

static void add_verdict(const struct verdict *v, struct text *text)
{
    show_number(text, v, v->value);
    if (v->low == v->low || v->high == v->high) { /* one of them is not NAN */
        text_printf(text, " [");
        add_interval(text, v, " .. ");
        text_char(text, ']');
    }
    if (unit_of(v)[0] != '\0')
        text_printf(text, " %s", unit_of(v));
    if (v->status != VERDICT_OK)
        text_printf(text, "; %s", v->method);
}

void screen_verdicts(const struct verdict_list *verdicts, struct text *text)
{
    const struct verdict *end = verdicts->at + verdicts->count;
    char name[NAME_BYTES];
    size_t together;
    for (const struct verdict *v = verdicts->at; v < end; v += together) {
        together = skipped_together(v, end);
        text_printf(text, "%-5s %s %s %s", verdict_status_name(v->status), v->variant.experiment,
                    case_name(&v->variant, name), v->name);
        if (together > 1)
            text_printf(text, " and %lu more", (unsigned long)together - 1);
        text_printf(text, ": ");
        if (v->status == VERDICT_SKIP)
            text_printf(text, "%s", v->method);
        else
            add_verdict(v, text);
        text_char(text, '\n');
    }
}

/* --- headlines ------------------------------------------------------------------------------- */

static void add_one(struct screen_line *line, const struct headline *headline,
                    const struct verdict *v, const struct verdict_list *list)
{
    add_column(line, STATUS, verdict_status_name(v->status));
    if (v->value != v->value)
        text_printf(&line->text, "%s", v->method);
    else
        show_value(line, v);
    if (v->value == v->value)
        add_cases(line, v, list, strcmp(v->name, headline->names[0]) == 0);
}

/* The case of a list, where there is room for it. */
static void add_name(struct screen_line *line, const struct verdict *v)
{
    char name[NAME_BYTES];
    size_t length = strlen(v->variant.experiment) + 1 + strlen(case_name(&v->variant, name));
    if (line->text.length + length <= SCREEN_COLUMNS)
        text_printf(&line->text, "%s %s", v->variant.experiment, name);
}

/* "L1 32k [32k..40k]  array 2m": as many as there are, under the worst status of them. */
static void add_list(struct screen_line *line,
                     const struct verdict *const found[HEADLINE_NAMES_MAX])
{
    enum verdict_status worst = VERDICT_OK;
    const char *why = NULL;
    const struct verdict *first = NULL;
    for (unsigned i = 0; i < HEADLINE_NAMES_MAX; i++)
        if (found[i] != NULL && found[i]->status > worst)
            worst = found[i]->status;
    add_column(line, STATUS, verdict_status_name(worst));
    for (unsigned i = 0; i < HEADLINE_NAMES_MAX; i++) {
        const struct verdict *v = found[i];
        if (v != NULL && v->value != v->value)
            why = why != NULL ? why : v->method;
        if (v == NULL || v->value != v->value)
            continue;
        first = first != NULL ? first : v;
        text_printf(&line->text, "L%u ", i + 1);
        show_number(&line->text, v, v->value);
        text_printf(&line->text, " [");
        add_interval(&line->text, v, "..");
        text_printf(&line->text, "]  ");
    }
    if (why != NULL)
        text_printf(&line->text, "%s", why);
    else if (first != NULL)
        add_name(line, first);
}

/* What was seen beside the measurement, where no verdict says it. */
static bool show_seen(struct screen_line *line, const struct headline *headline,
                      const struct screen *screen)
{
    bool is_shared = headline->seen == SEEN_SHARED_CORE, is_noise = headline->seen == SEEN_NOISE;
    if (is_shared && screen->shared_percent == screen->shared_percent) { /* not NAN */
        add_column(line, STATUS, "seen");
        text_number(&line->text, screen->shared_percent, 1);
        text_printf(&line->text, " %% of the looks at the core");
        return true;
    }
    if (is_noise && screen->noise != NULL && screen->noise[0] != '\0') {
        add_column(line, STATUS, "seen");
        text_printf(&line->text, "%s", screen->noise);
        return true;
    }
    return false;
}

static void add_headline(const struct headline *headline, const struct screen *screen,
                         struct text *page)
{
    const struct verdict *found[HEADLINE_NAMES_MAX], *first = NULL;
    struct screen_line line;
    start(&line, headline->label);
    for (unsigned i = 0; i < HEADLINE_NAMES_MAX; i++) {
        found[i] = best(screen->verdicts, headline->names[i]);
        if (found[i] != NULL && (first == NULL || rank_of(found[i]) / 8 < rank_of(first) / 8))
            first = found[i];
    }
    if (headline->is_list)
        stay_with_case(screen->verdicts, headline, found);
    bool is_answered = first != NULL && first->value == first->value;
    if (!is_answered && show_seen(&line, headline, screen))
        ;
    else if (first == NULL)
        text_printf(&line.text, "not measured; experiments = %s does it", headline->experiment);
    else if (headline->is_list)
        add_list(&line, found);
    else
        add_one(&line, headline, first, screen->verdicts);
    end_line(&line, page);
}

static unsigned count_of(const struct verdict_list *list, enum verdict_status status)
{
    unsigned count = 0;
    for (const struct verdict *v = list->at; v < list->at + list->count; v++)
        count += v->status == status;
    return count;
}

static void add_doubts(const struct screen *screen, struct text *page)
{
    const struct verdict_list *list = screen->verdicts;
    struct screen_line line;
    text_init(&line.text, line.memory, sizeof line.memory);
    text_printf(&line.text, "%lu verdicts: %u in doubt, %u skipped, %u errors",
                (unsigned long)list->count, count_of(list, VERDICT_DOUBT),
                count_of(list, VERDICT_SKIP), count_of(list, VERDICT_ERROR));
    text_printf(&line.text, "; verdicts.csv says why");
    end_line(&line, page);
}

void screen_page(const struct screen *screen, struct text *page)
{
    struct screen_line line;
    text_init(&line.text, line.memory, sizeof line.memory);
    text_printf(&line.text, "mlpboot %s, %s  status: %s, %.1f s", screen->version, screen->platform,
                screen->status, screen->seconds);
    end_line(&line, page);
    add_wrapped("machine", screen->machine, page);
    add_wrapped("core", screen->core, page);
    text_char(page, '\n');
    for (unsigned i = 0; i < screen->headline_count; i++)
        add_headline(screen->headlines[i], screen, page);
    text_char(page, '\n');
    add_doubts(screen, page);
    add_wrapped("results:", screen->results ?: "nowhere but above on this console", page);
}

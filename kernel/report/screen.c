/* screen: which verdicts answer which line, and lines that the console never breaks. */
#include "screen.h"

#include "../data/experiments.h"
#include "../lib/string.h"
#include "../lib/units.h"

#define LABEL 14 /* columns of a line's name */
#define LABEL_FORMAT "%-14s"
#define STATUS_FORMAT "%-6s"
#define VALUE 9 /* of a value, and so on */
#define INTERVAL 19
#define UNIT 8
#define BYTES_NAME "_bytes" /* of a size */
#define SMALL 10            /* below that one decimal says too little, */
#define LARGE 100           /* and from that on too much */
#define LONG_US 1e4         /* nanoseconds, from which on microseconds, */
#define LONG_MS 1e7         /* and milliseconds are easier to read */

static bool is_of_shared_core(const struct verdict *v)
{
    return v->variant.shared || v->variant.sibling > SIBLING_IDLE;
}

static bool has_value(const struct verdict *v)
{
    return v->value == v->value;
}

/* True if only a bound is known. */
static bool is_bound(const struct verdict *v)
{
    return !has_value(v) && (v->low == v->low || v->high == v->high);
}

#define RANKS_OF_A_KIND 16 /* ranks below that are those of answers about loads */

/* Returns a rank, lower is better: answers come first, then loads, then the whole core, then what
 * is ok, then a value, then a lower bound. */
static unsigned rank_of(const struct verdict *v)
{
    bool is_answer = v->status == VERDICT_OK || v->status == VERDICT_DOUBT;
    unsigned rank = is_answer ? 4 * v->status : 2 * RANKS_OF_A_KIND;
    rank += has_value(v) ? 0 : is_bound(v) ? 1 : 2;
    return rank + 8 * is_of_shared_core(v) + RANKS_OF_A_KIND * (v->variant.access != ACCESS_LOAD);
}

static bool is_at(const struct verdict *v, enum headline line, unsigned number)
{
    return v->question->at.line == line && v->question->at.number == number;
}

/* Returns the verdict with that number on a line that has the best rank; NULL: none is there. */
static const struct verdict *best(const struct verdict_list *list, enum headline line,
                                  unsigned number)
{
    const struct verdict *found = NULL;
    for (const struct verdict *v = list->at; v < list->at + list->count; v++)
        if (is_at(v, line, number) && (found == NULL || rank_of(v) < rank_of(found)))
            found = v;
    return found;
}

/* Takes the further levels of a list from the first one's case, if it has them. If the first one
 * has a value, a further one that was skipped is none. */
static void stay_with_case(const struct verdict_list *list, enum headline line,
                           const struct verdict *found[HEADLINE_NUMBERS])
{
    for (unsigned i = 1; found[0] != NULL && i < HEADLINE_NUMBERS; i++) {
        for (const struct verdict *v = list->at; v < list->at + list->count; v++)
            if (is_at(v, line, i) && case_same(&v->variant, &found[0]->variant))
                found[i] = v;
        if (has_value(found[0]) && found[i] != NULL && found[i]->status == VERDICT_SKIP)
            found[i] = NULL;
    }
}

/* --- lines ----------------------------------------------------------------------------------- */

#define KEPT "\t" /* shown as a blank, at which no line breaks */

static void put_part(struct text *page, const char *label, const char *words, size_t length)
{
    text_printf(page, LABEL_FORMAT, label);
    for (; length > 0; words++, length--)
        text_char(page, *words == KEPT[0] ? ' ' : *words < ' ' || *words > '~' ? '?' : *words);
    while (page->at[page->length - 1] == ' ')
        page->at[--page->length] = '\0';
    text_char(page, '\n');
}

/* Puts a line. A long one breaks at a blank, if it has one, and goes on in a second line if one is
 * left to `spare`; text that still has no room ends in dots. */
static void put_line(struct text *page, unsigned *spare, const char *label, const char *words)
{
    size_t room = SCREEN_COLUMNS - LABEL, length = strlen(words), at = length;
    if (length > room && *spare > 0) {
        for (at = room; at > 0 && words[at] != ' '; at--)
            ;
        at = at > 0 ? at : room;
        put_part(page, label, words, at);
        while (words[at] == ' ')
            at++;
        --*spare;
        label = "";
        words += at;
        length -= at;
    }
    put_part(page, label, words, length < room ? length : room);
    if (length > room)
        memcpy(page->at + page->length - 4, "...", 3);
}

/* --- values ---------------------------------------------------------------------------------- */

static unsigned decimals_of(double value)
{
    double size = value < 0 ? -value : value;
    return size < SMALL ? 3 : size < LARGE ? 1 : 0;
}

static bool has_unit(const struct verdict *v, const char *unit)
{
    return strcmp(v->question->unit, unit) == 0;
}

static void show_number(struct text *text, const struct verdict *v, double value)
{
    char size[SIZE_TEXT_MAX];
    if (value != value)
        text_char(text, '-');
    else if (has_unit(v, "bytes") && value >= 0 && value < 1e18)
        text_printf(text, "%s", size_text(size, (uint64_t)value));
    else
        text_number(text, value, decimals_of(value));
}

static void add_interval(struct text *text, const struct verdict *v, const char *before,
                         const char *between, const char *after)
{
    if (v->low != v->low && v->high != v->high) /* both NAN */
        return;
    text_printf(text, "%s", before);
    show_number(text, v, v->low);
    text_printf(text, "%s", between);
    show_number(text, v, v->high);
    text_printf(text, "%s", after);
}

/* Adds the unit, if there is one; sizes carry theirs. */
static void add_unit(struct text *text, const char *before, const struct verdict *v)
{
    if (v->question->unit[0] != '\0' && !has_unit(v, "bytes"))
        text_printf(text, "%s%s", before, v->question->unit);
}

/* Adds "at least 61 buffers", or "at most" as many. */
static void add_bound(struct text *text, const struct verdict *v)
{
    bool is_least = v->low == v->low;
    text_printf(text, is_least ? "at least " : "at most ");
    show_number(text, v, is_least ? v->low : v->high);
    add_unit(text, " ", v);
}

static void add_in(struct text *words, double value, const char *unit)
{
    text_printf(words, "  ");
    text_number(words, value, decimals_of(value));
    text_printf(words, KEPT "%s", unit);
}

/* Makes microseconds or milliseconds of many nanoseconds. */
static const char *make_readable(struct verdict *v)
{
    double ns = v->value >= LONG_MS ? MEGA : v->value >= LONG_US ? KILO : 1;
    if (ns == 1 || !has_unit(v, "ns"))
        return v->question->unit;
    verdict_value(v, v->value / ns, v->low / ns, v->high / ns);
    return ns == MEGA ? "ms" : "us";
}

/* Returns a verdict of the same case that has the start of this one's name and another end, and a
 * value; NULL: no verdict is that. */
static const struct verdict *twin_of(const struct verdict *v, size_t start, const char *end,
                                     const struct verdict_list *list)
{
    char name[2 * NAME_BYTES];
    text_write(name, sizeof name, "%.*s%s", (int)start, v->question->name, end);
    const struct verdict *twin = verdict_find(list, &v->variant, name);
    return twin != NULL && has_value(twin) ? twin : NULL;
}

static void show_time(struct text *words, const struct verdict *v, const struct screen *screen)
{
    bool is_ticks = has_unit(v, "ticks");
    struct verdict readable = *v;
    const char *unit = make_readable(&readable);
    show_number(words, &readable, readable.value);
    text_printf(words, KEPT "%s", unit);
    add_interval(words, &readable, " [", "..", "]");
    if (is_ticks && screen->ns_a_tick > 0)
        add_in(words, v->value * screen->ns_a_tick, "ns");
    const struct verdict *cycles =
        twin_of(v, strlen(v->question->name), "_cycles", screen->verdicts);
    if (is_ticks && (cycles != NULL || screen->cycles_a_tick > 0))
        add_in(words, cycles != NULL ? cycles->value : v->value * screen->cycles_a_tick, "cycles");
    text_printf(words, is_of_shared_core(v) ? "  of the shared core  " : "  ");
}

/* Fills a column; what follows starts at least a blank behind it. */
static void pad(struct text *words, size_t end)
{
    do
        text_char(words, ' ');
    while (words->length < end);
}

static void show_value(struct text *words, const struct verdict *v)
{
    size_t start = words->length;
    show_number(words, v, v->value);
    pad(words, start += VALUE);
    add_interval(words, v, "", " .. ", "");
    pad(words, start += INTERVAL);
    add_unit(words, "", v);
    if (is_of_shared_core(v))
        text_printf(words, " of the shared core");
    pad(words, start + UNIT);
}

/* Adds another verdict, as " (4k: 5)" or " (mlp: 21, doubt)": whole or not at all, in so many
 * lines. */
static void add_other(struct text *words, const char *name, const struct verdict *v, unsigned lines)
{
    struct text text = TEXT_OF(NAME_BYTES + 32);
    text_printf(&text, " (%s:" KEPT, name);
    show_number(&text, v, v->value);
    if (v->status != VERDICT_OK)
        text_printf(&text, "," KEPT "%s", verdict_status_names[v->status]);
    text_char(&text, ')');
    if (words->length + text.length <= lines * (SCREEN_COLUMNS - LABEL))
        text_printf(words, "%s", text.at);
}

/* Adds the case, the verdict's name unless it is obvious or the experiment's, and other cases with
 * an answer to the same verdict. */
static void add_cases(struct text *words, const struct verdict *v, const struct verdict_list *list,
                      bool is_obvious)
{
    char name[NAME_BYTES];
    text_printf(words, "%s" KEPT "%s", v->variant.experiment, case_name(&v->variant, name));
    if (!is_obvious && strcmp(v->question->name, v->variant.experiment) != 0)
        text_printf(words, KEPT "%s", v->question->name);
    for (const struct verdict *o = list->at; o < list->at + list->count; o++)
        if (o != v && o->status == VERDICT_OK &&
            strcmp(o->question->name, v->question->name) == 0 &&
            strcmp(o->variant.experiment, v->variant.experiment) == 0)
            add_other(words, case_name(&o->variant, name), o, 1);
}

/* --- the list of all verdicts ---------------------------------------------------------------- */

/* True if one line shows both: a case lacks them for the same reason, or an experiment does in an
 * emulator. */
static bool are_skipped_together(const struct verdict *a, const struct verdict *b)
{
    bool is_near = a->reason == REASON_EMULATED
                       ? strcmp(a->variant.experiment, b->variant.experiment) == 0
                       : case_same(&a->variant, &b->variant);
    return is_near && a->status == VERDICT_SKIP && b->status == VERDICT_SKIP &&
           strcmp(a->method, b->method) == 0;
}

/* Returns the number of verdicts from this one on that share its line. */
static size_t skipped_together(const struct verdict *first, const struct verdict *end)
{
    const struct verdict *v = first + 1;
    while (v < end && are_skipped_together(first, v))
        v++;
    return (size_t)(v - first);
}

void screen_verdicts(const struct verdict_list *verdicts, struct text *text)
{
    const struct verdict *end = verdicts->at + verdicts->count;
    char name[NAME_BYTES];
    size_t together;
    for (const struct verdict *v = verdicts->at; v < end; v += together) {
        together = skipped_together(v, end);
        text_printf(text, "%-5s %s %s %s", verdict_status_names[v->status], v->variant.experiment,
                    case_name(&v->variant, name), v->question->name);
        if (together > 1)
            text_printf(text, " and %lu more", (unsigned long)together - 1);
        text_printf(text, ": ");
        if (v->status != VERDICT_SKIP && is_bound(v)) {
            add_bound(text, v);
        } else if (v->status != VERDICT_SKIP) {
            show_number(text, v, v->value);
            add_interval(text, v, " [", " .. ", "]");
            add_unit(text, " ", v);
        }
        if (v->status != VERDICT_OK)
            text_printf(text, "%s%s", v->status == VERDICT_SKIP ? "" : "; ", v->method);
        text_char(text, '\n');
    }
}

/* --- headlines ------------------------------------------------------------------------------- */

static void add_one(struct text *words, const struct verdict *v, const struct screen *screen,
                    bool is_obvious)
{
    text_printf(words, STATUS_FORMAT, verdict_status_names[v->status]);
    if (!has_value(v)) {
        if (is_bound(v)) {
            add_bound(words, v);
            text_printf(words, "; ");
        }
        text_printf(words, "%s", v->method);
        return;
    }
    if (has_unit(v, "ticks") || has_unit(v, "ns"))
        show_time(words, v, screen);
    else
        show_value(words, v);
    add_cases(words, v, screen->verdicts, is_obvious);
}

/* Returns the latency of the cache that a verdict is the size of: l1_bytes, l1_latency_cycles.
 * NULL: it is none, has none, or one that is less sure than the size. */
static const struct verdict *latency_beside(const struct verdict *v,
                                            const struct verdict_list *list)
{
    size_t length = strlen(v->question->name), cut = strlen(BYTES_NAME);
    if (length < cut || strcmp(v->question->name + length - cut, BYTES_NAME) != 0)
        return NULL;
    const struct verdict *time = twin_of(v, length - cut, "_latency_cycles", list);
    return time != NULL && time->status <= v->status ? time : NULL;
}

/* Adds a cache's latency, or a bandwidth in GB/s, or else the interval. */
static void add_beside(struct text *words, const struct verdict *v, const struct screen *screen)
{
    const struct verdict *time = latency_beside(v, screen->verdicts);
    bool has_rates = screen->ns_a_tick > 0 && screen->cycles_a_tick > 0;
    double ns_a_cycle = has_rates ? screen->ns_a_tick / screen->cycles_a_tick : 0;
    if (time != NULL) {
        text_printf(words, KEPT);
        show_number(words, time, time->value);
        text_printf(words, has_rates ? KEPT "cycles" KEPT : KEPT "cycles");
        if (has_rates) {
            text_number(words, time->value * ns_a_cycle, time->value * ns_a_cycle < SMALL ? 2 : 1);
            text_printf(words, KEPT "ns");
        }
    } else if (!has_unit(v, "bytes/cycle")) {
        add_interval(words, v, "\t[", "..", "]");
    } else if (has_rates) {
        text_printf(words, KEPT "(");
        text_number(words, v->value / ns_a_cycle, 0);
        text_printf(words, KEPT "GB/s)");
    }
}

/* Levels of a list, the last of which is no cache. */
static const char *const level_names[HEADLINE_NUMBERS] = {"L1", "L2", "L3", "L4", "L5", "memory"};

/* Adds which levels have no value, and why the first of them has none; `known`: a level that has
 * one, or NULL. */
static void add_unknown(struct text *words, const struct verdict *const found[HEADLINE_NUMBERS],
                        const struct verdict *known)
{
    const struct verdict *first = NULL;
    for (unsigned i = 0; i < HEADLINE_NUMBERS; i++) {
        if (found[i] == NULL || has_value(found[i]))
            continue;
        if (known != NULL)
            text_printf(words, "%s%s", first == NULL ? "" : ", ", level_names[i]);
        first = first != NULL ? first : found[i];
    }
    text_printf(words, known != NULL ? " %s: %s" : STATUS_FORMAT "%s",
                verdict_status_names[first->status], first->method);
}

/* Adds "L1 32k 5 cycles 1.39 ns  array 2m" for all that are found, under the status of the first;
 * one with another status says so. */
static void add_list(struct text *words, const struct verdict *const found[HEADLINE_NUMBERS],
                     const struct screen *screen)
{
    const struct verdict *first = NULL;
    bool are_known = true;
    char name[NAME_BYTES];
    for (unsigned i = 0; i < HEADLINE_NUMBERS; i++) {
        const struct verdict *v = found[i];
        are_known = are_known && (v == NULL || has_value(v));
        if (v == NULL || !has_value(v))
            continue;
        if (first == NULL)
            text_printf(words, STATUS_FORMAT, verdict_status_names[v->status]);
        first = first != NULL ? first : v;
        text_printf(words, "%s" KEPT, level_names[i]);
        show_number(words, v, v->value);
        add_beside(words, v, screen);
        if (v->status != first->status)
            text_printf(words, KEPT "(%s)", verdict_status_names[v->status]);
        text_printf(words, "  ");
    }
    if (!are_known)
        add_unknown(words, found, first);
    else
        text_printf(words, "%s%s" KEPT "%s", is_of_shared_core(first) ? "of the shared core  " : "",
                    first->variant.experiment, case_name(&first->variant, name));
}

#define EXPERIMENT_NAME(name) #name,
#define HEADLINE_ROW(id, ...) {__VA_ARGS__},
static const struct {
    const char *label, *experiment;
    enum headline_shows shows;
    enum headline_seen seen;
} headlines[HEADLINE_COUNT] = {{.label = NULL}, HEADLINES(HEADLINE_ROW)};

static bool is_asked(const struct screen *screen, const char *experiment)
{
    static const char *const names[] = {EXPERIMENTS(EXPERIMENT_NAME)};
    for (uint32_t i = 0; screen->asked != NULL && i < screen->asked->count; i++)
        if (strcmp(names[screen->asked->index[i]], experiment) == 0)
            return true;
    return false;
}

static void add_headline(enum headline line, const struct screen *screen, struct text *page,
                         unsigned *spare)
{
    const struct verdict *found[HEADLINE_NUMBERS], *first = NULL;
    const enum headline_shows shows = headlines[line].shows;
    const unsigned alike = shows == SHOWS_SUREST ? 1 : RANKS_OF_A_KIND; /* of them the first */
    struct text words = TEXT_OF(512);
    for (unsigned i = 0; i < HEADLINE_NUMBERS; i++) {
        found[i] = best(screen->verdicts, line, i);
        if (found[i] != NULL &&
            (first == NULL || rank_of(found[i]) / alike < rank_of(first) / alike))
            first = found[i];
    }
    if (shows == SHOWS_LEVELS)
        stay_with_case(screen->verdicts, line, found);
    bool is_answered = first != NULL && has_value(first);
    const char *seen = screen->seen[headlines[line].seen];
    bool is_seen = !is_answered || line == HEADLINE_SHARED; /* the whole run's share, as the page */
    if (is_seen && seen != NULL && seen[0] != '\0')
        text_printf(&words, STATUS_FORMAT "%s", "seen", seen);
    else if (first == NULL && is_asked(screen, headlines[line].experiment))
        text_printf(&words, "not measured: %s came to no result", headlines[line].experiment);
    else if (first == NULL)
        text_printf(&words, "not measured; add %s to experiments", headlines[line].experiment);
    else if (shows == SHOWS_LEVELS)
        add_list(&words, found, screen);
    else
        add_one(&words, first, screen, shows == SHOWS_FIRST && first->question->at.number == 0);
    for (unsigned i = 0; shows == SHOWS_SUREST && i < HEADLINE_NUMBERS; i++)
        if (found[i] != NULL && found[i] != first && has_value(found[i]))
            add_other(&words, found[i]->question->name, found[i], *spare > 0 ? 2 : 1);
    put_line(page, spare, headlines[line].label, words.at);
}

/* Puts the usual faults of a machine that no experiment of this run looks for, if a line is left.
 */
static void put_unseen(const struct screen *screen, struct text *page, unsigned *spare)
{
    static const struct {
        const char *experiment, *fault;
    } faults[] = {{"loaded", "a slow or missing DIMM"}, {"numa", "slow remote memory"}};
    struct text words = TEXT_OF(128);
    for (unsigned i = 0; i < sizeof faults / sizeof *faults; i++)
        if (!is_asked(screen, faults[i].experiment))
            text_printf(&words, words.length > 0 ? ", %s" : "%s", faults[i].fault);
    if (screen->asked == NULL || screen->is_emulated || words.length == 0 || *spare == 0)
        return;
    --*spare;
    text_printf(&words, " (suite = fleet)");
    put_line(page, spare, "not looked at", words.at);
}

void screen_page(const struct screen *screen, struct text *page)
{
    const struct verdict_list *list = screen->verdicts;
    unsigned counts[VERDICT_ERROR + 1] = {0};
    bool is_well = screen->trouble == NULL || screen->trouble[0] == '\0';
    /* Eight lines besides the headlines: two are blank, and one is kept for the results. */
    unsigned spare = SCREEN_LINES - 8 - (HEADLINE_COUNT - 1) - !is_well - screen->is_emulated;
    if (screen->is_emulated)
        put_line(page, &spare, "emulated:", "each step was run, and no time is a processor's");
    if (!is_well)
        put_line(page, &spare, "trouble:", screen->trouble);
    text_printf(page, "mlpboot %s, %s  status: %s, %.1f s\n", screen->version, screen->platform,
                screen->status, screen->seconds);
    put_line(page, &spare, "machine", screen->machine);
    put_line(page, &spare, "core", screen->core);
    text_char(page, '\n');
    for (enum headline line = HEADLINE_NONE + 1; line < HEADLINE_COUNT; line++)
        add_headline(line, screen, page, &spare);
    put_unseen(screen, page, &spare);
    for (const struct verdict *v = list->at; v < list->at + list->count; v++)
        counts[v->status]++;
    text_printf(page,
                "\n%lu verdicts: %u ok, %u doubt, %u skip, %u error; reasons in verdicts.csv\n",
                (unsigned long)list->count, counts[VERDICT_OK], counts[VERDICT_DOUBT],
                counts[VERDICT_SKIP], counts[VERDICT_ERROR]);
    spare++;
    put_line(page, &spare, "results:", screen->results);
}

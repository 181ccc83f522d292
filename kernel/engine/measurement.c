/* measurement: keeps cases and rows in arrays that grow, and shows the line of progress. */
#include "measurement.h"

#include "../cpu/processor.h"
#include "../lib/string.h"
#include "../lib/text.h"
#include "../lib/units.h"
#include "../probe/native.h"

#define LEFT_MAX 599940        /* seconds, the longest time that fits */
#define SHOWN_LINES_SECONDS 10 /* where each is a new line, which at 9600 baud takes 83 ms */

const char measurement_stopped[] = "stopped by the user";
const char measurement_faulted[] = "a fault ended the measurement";

bool measurement_fail(struct measurement *m, const char *fault)
{
    bool is_fault = m->platform->fault[0] != '\0' || !platform_is_stopped(m->platform);
    m->failure = is_fault ? fault : measurement_stopped;
    return false;
}

bool measurement_grow(struct measurement *m, void **at, uint32_t *old, uint32_t room, size_t size)
{
    struct platform *platform = m->platform;
    void *larger = platform->allocate(platform, (uint64_t)room * size);
    if (larger == NULL) {
        m->failure = "not enough memory for that many points and cases";
        return false;
    }
    if (*at != NULL)
        memcpy(larger, *at, *old * size);
    platform_release(platform, *at, *old * size);
    *at = larger;
    *old = room;
    return true;
}

bool measurement_make_room(struct measurement *m, void **at, uint32_t *room, uint32_t count,
                           size_t size)
{
    return count < *room ||
           measurement_grow(m, at, room, 2 * *room + (uint32_t)(page_bytes(PAGE_4K) / size) + 1,
                            size);
}

uint32_t measurement_add_case(struct measurement *m, const struct variant *variant,
                              uint64_t data_bytes)
{
    struct measured_case added = {.variant = *variant, .data_bytes = data_bytes};
    uint32_t room = 0;
    bool fits = measurement_make_room(m, (void **)&m->cases, &m->case_room, m->case_count,
                                      sizeof *m->cases) &&
                (data_bytes == 0 || measurement_grow(m, &added.data, &room, 1, data_bytes));
    if (added.data != NULL)
        memset(added.data, 0, data_bytes);
    uint32_t number = fits ? m->case_count++ : UINT32_MAX;
    struct measured_case *c = measurement_case(m, number);
    *c = added;
    name_copy(c->variant.experiment, m->experiment);
    c->variant.has_core = m->platform->core_in_cases;
    c->variant.core = c->variant.has_core ? m->platform->core : 0;
    return number;
}

struct measured_case *measurement_case(struct measurement *m, uint32_t number)
{
    return number < m->case_count ? &m->cases[number] : &m->spare_case;
}

void *measurement_data(const struct measurement *m, uint32_t number)
{
    return number < m->case_count ? m->cases[number].data : NULL;
}

struct row *measurement_add(struct measurement *m, uint32_t number, const char *metric,
                            const char *unit, const struct distribution *d)
{
    static const struct distribution none;
    bool fits =
        measurement_make_room(m, (void **)&m->rows, &m->row_room, m->row_count, sizeof *m->rows);
    struct row *row = fits ? &m->rows[m->row_count++] : &m->spare_row;
    d = d != NULL ? d : &none;
    *row = (struct row){
        .variant = measurement_case(m, number)->variant,
        .n = ROW_NONE,
        .k = ROW_NONE,
        .bytes = ROW_NONE,
        .stage = ROW_NONE,
        .samples = d->count,
        .discarded = d->discarded,
        .min = distribution_percentile(d, 0),
        .p10 = distribution_percentile(d, 10),
        .median = distribution_median(d),
        .p90 = distribution_percentile(d, 90),
        .max = distribution_percentile(d, 100),
        .mean = distribution_mean(d),
        .p1 = distribution_fastest(d),
        .visits = d->visits,
        .center = distribution_center(d),
        .center_error = distribution_center_error(d),
        .mean_error = distribution_mean_error(d),
    };
    row_scale(row, 1);
    measurement_case(m, number)->has_rows |= d->count > 0;
    name_copy(row->metric, metric);
    text_write(row->unit, sizeof row->unit, "%s", unit);
    return row;
}

struct row *measurement_add_value(struct measurement *m, uint32_t number, const char *metric,
                                  const char *unit, double value)
{
    struct row *row = measurement_add(m, number, metric, unit, NULL);
    if (value == 0)
        return row;
    row->samples = 1;
    row->min = row->p10 = row->median = row->p90 = row->max = row->mean = row->p1 = value;
    row->center = value;
    return row;
}

void measurement_add_in_ns(struct measurement *m, uint32_t number, const struct row *ticks)
{
    struct row in_ns = *ticks; /* adding a row may move the others */
    struct row *row = measurement_add(m, number, "ns", "ns", NULL);
    name_copy(in_ns.metric, row->metric);
    memcpy(in_ns.unit, row->unit, sizeof row->unit);
    *row = in_ns;
    row_scale(row, GIGA / (double)m->platform->ticks_per_second);
}

void measurement_skip(struct measurement *m, uint32_t number, const char *reason)
{
    measurement_case(m, number)->is_skipped = true;
    measurement_add(m, number, ROW_SKIPPED, reason, NULL);
}

void measurement_say_missing(const struct measurement *m, const struct variant *variant,
                             uint64_t bytes, const char *reason)
{
    char memory[256], size[SIZE_TEXT_MAX], name[NAME_BYTES];
    m->platform->print(m->platform,
                       text_write(memory, sizeof memory, "%s %s: not %s: %s\n", m->experiment,
                                  case_name(variant, name), size_text(size, bytes), reason));
}

/* True if the last line is old enough. */
static bool is_due(const struct measurement *m, uint64_t now, double done)
{
    bool is_new = m->platform->has_no_cursor;
    uint64_t since = now - (m->shown_at != 0 ? m->shown_at : m->started);
    if (since >= (is_new ? SHOWN_LINES_SECONDS : 1) * m->platform->ticks_per_second)
        return true;
    return !is_new && (m->shown_at == 0 || done >= 1);
}

static void add_time(struct text *text, const char *before, double seconds)
{
    unsigned whole = (unsigned)(seconds < LEFT_MAX ? seconds : LEFT_MAX);
    text_printf(text, "%s%u:%02u", before, whole / 60, whole % 60);
}

/* Writes the experiment's share and the time it has left, then the time of all experiments. The
 * points that refinement adds, and their time, are not known in advance. */
static void write_progress(const struct measurement *m, uint64_t now, double done, bool is_refining,
                           char memory[MEASUREMENT_LINE])
{
    double second = (double)m->platform->ticks_per_second;
    double left = done > 0 ? (double)(now - m->started) / second * (1 - done) / done : 0;
    double passed = (double)(now - m->run_started) / second;
    struct text text;
    text_init(&text, memory, MEASUREMENT_LINE);
    text_printf(&text, "%s  %u %%", m->experiment, (unsigned)(done * 100));
    if (is_refining)
        text_printf(&text, "  refining");
    else
        add_time(&text, "  left ", left);
    text_printf(&text, "  experiment %u of %u", m->number, m->numbers);
    add_time(&text, ", ", passed);
    add_time(&text, " of about ", passed + left + m->later);
}

/* Writes the line, and blanks over the rest of a longer one. */
static void show_progress(struct measurement *m, const char *line)
{
    char memory[2 * MEASUREMENT_LINE];
    struct text text;
    text_init(&text, memory, sizeof memory);
    text_printf(&text, m->platform->has_no_cursor ? "%s" : "\r%s", line);
    for (size_t i = strlen(line); !m->platform->has_no_cursor && i < strlen(m->shown); i++)
        text_char(&text, ' ');
    if (m->platform->has_no_cursor)
        text_char(&text, '\n');
    m->platform->print(m->platform, memory);
}

void measurement_progress(struct measurement *m, double of_task, bool is_refining)
{
    double done = m->tasks > 1 ? (m->task + of_task) / m->tasks : of_task;
    uint64_t now = native_ticks();
    char line[MEASUREMENT_LINE];
    if (m->brief || !is_due(m, now, done))
        return;
    write_progress(m, now, done, is_refining, line);
    if (strcmp(line, m->shown) == 0)
        return;
    show_progress(m, line);
    memcpy(m->shown, line, sizeof m->shown);
    m->shown_at = now;
}

void measurement_release(struct measurement *m)
{
    for (uint32_t i = 0; i < m->case_count; i++)
        platform_release(m->platform, m->cases[i].data, m->cases[i].data_bytes);
    platform_release(m->platform, m->rows, m->row_room * sizeof *m->rows);
    platform_release(m->platform, m->cases, m->case_room * sizeof *m->cases);
    m->rows = NULL;
    m->cases = NULL;
    m->row_count = m->row_room = m->case_count = m->case_room = 0;
}

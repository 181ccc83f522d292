/* measurement: cases and rows that grow as they come, and the line that tells how far it is. */
#include "measurement.h"

#include "../lib/string.h"
#include "../lib/text.h"
#include "../probe/native.h"

#define LEFT_MAX 599940 /* seconds: 9999 minutes are as good as any */
#define LINE_COLUMNS 79 /* one less than the narrowest console, so that no line wraps */
#define FIRST_CASES 64
#define FIRST_ROWS 1024

bool measurement_grow(struct measurement *m, void **at, uint32_t *old, uint32_t room, size_t size)
{
    struct platform *platform = m->platform;
    void *larger = platform->allocate(platform, (uint64_t)room * size);
    if (larger == NULL) {
        m->failure = "not enough memory for that many points";
        return false;
    }
    if (*old > 0) {
        memcpy(larger, *at, *old * size);
        platform->release(platform, *at, *old * size);
    }
    *at = larger;
    *old = room;
    return true;
}

static bool make_room_for_case(struct measurement *m)
{
    uint32_t room = m->case_room > 0 ? 2 * m->case_room : FIRST_CASES;
    return m->case_count < m->case_room ||
           measurement_grow(m, (void **)&m->cases, &m->case_room, room, sizeof *m->cases);
}

static bool make_room_for_row(struct measurement *m)
{
    uint32_t room = m->row_room > 0 ? 2 * m->row_room : FIRST_ROWS;
    if (m->row_count < m->row_room)
        return true;
    /* The first of both may be there since the second one could not be had. */
    if (m->row_case_room < room &&
        !measurement_grow(m, (void **)&m->row_case, &m->row_case_room, room, sizeof *m->row_case))
        return false;
    return measurement_grow(m, (void **)&m->rows, &m->row_room, room, sizeof *m->rows);
}

uint32_t measurement_add_case(struct measurement *m, const struct variant *of)
{
    static struct measured_case nobody;
    struct measured_case *c = make_room_for_case(m) ? &m->cases[m->case_count++] : &nobody;
    if (m->case_count == 0)
        m->cases = &nobody;
    *c = (struct measured_case){.of = *of};
    name_copy(c->of.experiment, m->experiment);
    return m->case_count > 0 ? m->case_count - 1 : 0;
}

struct row *measurement_add(struct measurement *m, uint32_t of, const char *metric,
                            const char *unit, const struct distribution *d)
{
    static struct row nobody;
    struct row *row = &nobody;
    struct text text;
    if (make_room_for_row(m)) {
        m->row_case[m->row_count] = of;
        row = &m->rows[m->row_count++];
    }
    *row = (struct row){
        .of = m->cases[of].of,
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
    };
    m->cases[of].has_rows |= d->count > 0;
    name_copy(row->metric, metric);
    text_init(&text, row->unit, sizeof row->unit);
    text_printf(&text, "%s", unit);
    return row;
}

struct row *measurement_add_value(struct measurement *m, uint32_t of, const char *metric,
                                  const char *unit, double value)
{
    static const struct distribution none;
    struct row *row = measurement_add(m, of, metric, unit, &none);
    if (value == 0)
        return row;
    row->samples = 1;
    row->min = row->p10 = row->median = row->p90 = row->max = row->mean = value;
    return row;
}

void measurement_add_in_ns(struct measurement *m, uint32_t of, const struct row *ticks)
{
    static const struct distribution none;
    struct row in_ns = *ticks; /* adding a row may move the others */
    struct row *row = measurement_add(m, of, "ns", "ns", &none);
    name_copy(in_ns.metric, row->metric);
    memcpy(in_ns.unit, row->unit, sizeof row->unit);
    *row = in_ns;
    row_scale(row, 1e9 / (double)m->platform->ticks_per_second);
}

void measurement_skip(struct measurement *m, uint32_t of, const char *reason)
{
    static const struct distribution nothing;
    m->cases[of].is_skipped = true;
    measurement_add(m, of, ROW_SKIPPED, reason, &nothing);
}

/* Where each case's rows begin once they are together; `next` is set to the same. */
static void find_places(struct measurement *m)
{
    uint32_t first = 0;
    for (uint32_t of = 0; of < m->case_count; of++)
        m->cases[of].row_count = 0;
    for (uint32_t i = 0; i < m->row_count; i++)
        m->cases[m->row_case[i]].row_count++;
    for (uint32_t of = 0; of < m->case_count; of++) {
        m->cases[of].first_row = m->cases[of].next_row = first;
        first += m->cases[of].row_count;
    }
}

/* Each row goes to its place, from where the next one is taken, until a circle closes. */
static void move_rows(struct measurement *m, uint32_t *place)
{
    for (uint32_t i = 0; i < m->row_count; i++)
        while (place[i] != i) {
            uint32_t to = place[i], of = m->row_case[to];
            struct row row = m->rows[to];
            m->rows[to] = m->rows[i];
            m->rows[i] = row;
            m->row_case[to] = m->row_case[i];
            m->row_case[i] = of;
            place[i] = place[to];
            place[to] = to;
        }
}

bool measurement_gather(struct measurement *m)
{
    uint32_t *place = NULL, room = 0;
    find_places(m);
    if (m->row_count == 0)
        return true;
    if (!measurement_grow(m, (void **)&place, &room, m->row_count, sizeof *place))
        return false;
    for (uint32_t i = 0; i < m->row_count; i++)
        place[i] = m->cases[m->row_case[i]].next_row++;
    move_rows(m, place);
    m->platform->release(m->platform, place, room * sizeof *place);
    return true;
}

const struct row *measurement_rows(const struct measurement *m, uint32_t of, size_t *count)
{
    *count = m->cases[of].row_count;
    return m->rows + m->cases[of].first_row;
}

void measurement_progress(const struct measurement *m, double done)
{
    char memory[LINE_COLUMNS + 2];
    struct text line;
    uint64_t elapsed = (native_ticks() - m->started) / m->platform->ticks_per_second;
    double left = done > 0 ? (double)elapsed * (1 - done) / done : 0;
    if (left > LEFT_MAX)
        left = LEFT_MAX;

    text_init(&line, memory, sizeof memory);
    text_printf(&line, "\r%s  %u %%  elapsed %u:%02u  left %u:%02u", m->experiment,
                (unsigned)(done * 100), (unsigned)(elapsed / 60), (unsigned)(elapsed % 60),
                (unsigned)(left / 60), (unsigned)left % 60);
    while (line.length < LINE_COLUMNS)
        text_char(&line, ' ');
    m->platform->print(m->platform, memory);
}

static void release(struct measurement *m, void *memory, uint64_t bytes)
{
    if (memory != NULL)
        m->platform->release(m->platform, memory, bytes);
}

void measurement_release(struct measurement *m)
{
    visits_close(&m->visits);
    release(m, m->rows, m->row_room * sizeof *m->rows);
    release(m, m->row_case, m->row_case_room * sizeof *m->row_case);
    release(m, m->case_room > 0 ? m->cases : NULL, m->case_room * sizeof *m->cases);
    m->rows = NULL;
    m->row_case = NULL;
    m->cases = NULL;
    m->row_count = m->row_room = m->row_case_room = m->case_count = m->case_room = 0;
}

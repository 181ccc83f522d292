/* engine: measures group by group: open, prepare, rounds, rows, counts, close; then refines. */
#include "engine.h"

#include "../analysis/drift.h"
#include "../lib/sort.h"
#include "../lib/text.h"
#include "../probe/native.h"
#include "../probe/sentinel.h"
#include "counted.h"
#include "edge.h"
#include "rounds.h"

#define GROUP_BYTES (64u << 20) /* an array so large takes as long to fill as to measure */
#define ENOUGH 0.9 /* a case has a state if so many of a group's points have samples in it */

/* The task under way. */
struct engine {
    struct task *task;
    struct measurement *m;
    uint32_t first, end;        /* points of the group under way */
    bool is_refining, is_later; /* the latter: by the task's refine_later */
    bool is_prepared;
    double work, done;     /* costs of all groups, and of those done */
    uint32_t cases;        /* without those of the shared core's samples */
    uint32_t epochs;       /* measured so far */
    uint64_t start, began; /* of the task, and of the points under way; in ticks */
};

static const struct point *point_at(const struct engine *e, uint32_t item)
{
    return &e->task->points.at[e->first + item];
}

/* Returns a group's share of the time, in bytes. */
static double cost_of(const struct point *first)
{
    return GROUP_BYTES + (double)first->bytes;
}

/* Returns the case for samples of the shared core; adds it if it does not exist yet. */
static uint32_t shared_case(struct engine *e, uint32_t whole)
{
    struct measured_case c = *measurement_case(e->m, whole);
    if (c.shared != 0)
        return c.shared;
    c.variant.shared = true;
    uint32_t number = measurement_add_case(e->m, &c.variant, 0);
    measurement_case(e->m, whole)->shared = number;
    measurement_case(e->m, number)->interrupts = c.interrupts;
    return number;
}

/* Returns how many samples an epoch takes of each reference: of emulated times, one visit's. */
static uint32_t epoch_samples(const struct measurement *m)
{
    return m->is_emulated ? VISIT_SAMPLES : VISITS_LEAST * VISIT_SAMPLES;
}

/* Adds a row for each core state that has samples and a case. */
static void add_epoch(struct engine *e, const struct rounds *rounds, uint32_t i)
{
    const struct point *point = &e->task->references.at[i];
    for (enum core_state state = CORE_WHOLE; state < rounds->kinds; state++) {
        const struct distribution *d = rounds_of(rounds, i, state);
        uint32_t shared = measurement_case(e->m, point->case_id)->shared;
        uint32_t case_id = state == CORE_SHARED ? shared : point->case_id;
        if (d->count < epoch_samples(e->m) / 2 || (state == CORE_SHARED && shared == 0))
            continue;
        struct row *row = measurement_add(e->m, case_id, DRIFT_METRIC, "ticks", d);
        task_place(point, row);
        row->stage = e->epochs;
    }
}

/* Measures all references once more. */
static bool measure_epoch(struct engine *e)
{
    struct rounds rounds;
    bool is_apart = e->task->contention >= CONTENTION_APART;
    uint32_t samples = epoch_samples(e->m);
    struct task epoch = {
        .measurement = e->m,
        .rules = {.samples_min = samples,
                  .samples_max = samples,
                  .precision = 1,
                  .visits_min = VISITS_LEAST},
        .contention = is_apart ? CONTENTION_APART : CONTENTION_IGNORED,
        .context = e->task->context,
        .visit = e->task->visit,
    };
    const struct points *references = &e->task->references;
    if (references->count == 0)
        return true;
    e->m->failure =
        rounds_open(&rounds, &epoch, references->at, references->count, e->task->seed + e->epochs);
    if (e->m->failure != NULL)
        return false;
    bool finished = rounds_run(&rounds) || measurement_fail(e->m, measurement_faulted);
    for (uint32_t i = 0; finished && i < references->count; i++)
        add_epoch(e, &rounds, i);
    rounds_close(&rounds);
    e->epochs++;
    return e->m->failure == NULL;
}

/* Shows the progress; where a group has to be prepared, that is the first half of it. */
static void show_progress(struct engine *e, double done)
{
    double share = e->task->prepare != NULL ? 0.5 + done / 2 : done;
    measurement_progress(e->m,
                         e->work > 0 ? (e->done + cost_of(point_at(e, 0)) * share) / e->work : 0,
                         e->is_refining);
}

static bool is_enough(const struct engine *e, const struct distribution *d)
{
    return d->count >= e->task->rules.samples_min;
}

static void add_row(struct engine *e, uint32_t case_id, const struct point *point,
                    const struct distribution *d)
{
    struct measured_case *c = measurement_case(e->m, case_id);
    struct row *row =
        measurement_add(e->m, case_id, point->metric ?: "tsc", point->unit ?: "ticks", d);
    task_place(point, row);
    c->has_points |= row->samples > 0;
    if (d != NULL && is_enough(e, d))
        c->in_vain = 0;
    if (e->task->in_ns && row->samples > 0)
        measurement_add_in_ns(e->m, case_id, row);
}

/* True if most points of the group have samples in a state; points for a glance do not count. */
static bool has_state(const struct engine *e, const struct rounds *rounds, enum core_state state)
{
    uint32_t count = 0, enough = 0;
    for (uint32_t i = 0; i < e->end - e->first; i++) {
        bool is_waited_for = point_at(e, i)->needs != POINT_GLANCE;
        count += is_waited_for;
        enough += is_waited_for && is_enough(e, rounds_of(rounds, i, state));
    }
    return enough >= ENOUGH * count;
}

/* Returns why there are too few samples of the whole core. */
static const char *say_shared(struct measurement *m)
{
    double percent = 100 * states_share(m->states, CORE_SHARED);
    return text_write(m->why_shared, sizeof m->why_shared,
                      "a sibling thread shared the core in %.0f %% of the visits; the case ends in "
                      "-shared",
                      percent);
}

/* Adds a point's row for each core state of its case; other states' samples are discarded. */
static void add_states(struct engine *e, const struct rounds *rounds, uint32_t i, bool whole,
                       bool shared)
{
    const struct point *point = point_at(e, i);
    struct distribution *d = rounds_of(rounds, i, CORE_WHOLE);
    struct distribution *other = rounds->kinds > 1 ? rounds_of(rounds, i, CORE_SHARED) : NULL;
    if (e->is_refining && other != NULL) {
        const struct measured_case *c = measurement_case(e->m, point->case_id);
        /* A further attempt belongs to one table; the other keeps its own last attempt. */
        shared =
            c->shared != 0 && is_enough(e, other) && (point->attempt == 0 || point->is_for_shared);
        whole = (c->has_points || c->shared == 0) && !point->is_for_shared &&
                (!shared || is_enough(e, d));
    }
    if (other != NULL && !shared)
        d->discarded += other->count + other->discarded;
    if (whole)
        add_row(e, point->case_id, point, d);
    else
        measurement_case(e->m, point->case_id)->why_missing = say_shared(e->m);
    if (shared && (other->count > 0 || (!whole && point->needs != POINT_GLANCE)))
        add_row(e, shared_case(e, point->case_id), point, other);
}

/* Adds the rows of a group; the first points of a case decide which states it has. After a fault
 * only points that were done have rows. */
static void add_rows(struct engine *e, const struct rounds *rounds, bool finished)
{
    bool shared = rounds->kinds > 1 && has_state(e, rounds, CORE_SHARED);
    bool whole =
        !shared || (has_state(e, rounds, CORE_WHOLE) && !states_are_rare(e->m->states, CORE_WHOLE));
    shared = shared && !(whole && e->task->contention == CONTENTION_APART_ONE);
    for (uint32_t i = 0; i < rounds->count; i++)
        if (finished || rounds->items[i].is_done)
            add_states(e, rounds, i, whole, shared);
}

/* Measures the rounds of a group, and an epoch in each pause. */
static bool measure_rounds(struct engine *e)
{
    struct rounds rounds;
    e->m->failure =
        rounds_open(&rounds, e->task, point_at(e, 0), e->end - e->first, e->task->seed + e->first);
    if (e->m->failure != NULL)
        return false;
    bool goes_on = true;
    rounds.counts_visits = true;
    rounds.has_pauses = e->task->references.count > 0;
    while (goes_on && rounds.active > 0) {
        goes_on = rounds_run_slice(&rounds) || measurement_fail(e->m, measurement_faulted);
        if (goes_on)
            show_progress(e, rounds_done(&rounds));
        if (goes_on && rounds_must_pause(&rounds)) {
            goes_on = measure_epoch(e);
            rounds_resume(&rounds);
        }
    }
    add_rows(e, &rounds, goes_on);
    rounds_close(&rounds);
    return e->m->failure == NULL;
}

static void prepare_slice(void *context)
{
    struct engine *e = context;
    uint64_t slice = e->m->platform->ticks_per_second / SLICES_PER_SECOND;
    e->is_prepared = e->task->prepare(e->task->context, native_ticks() + slice);
}

static bool prepare_group(struct engine *e)
{
    e->is_prepared = e->task->prepare == NULL;
    while (!e->is_prepared)
        if (platform_is_stopped(e->m->platform) ||
            !e->m->platform->quietly(e->m->platform, prepare_slice, e))
            return measurement_fail(e->m, measurement_faulted);
    return true;
}

/* Adds rows without samples, so that the results name the missing points; the console says why. */
static void add_missing(struct engine *e, const char *reason)
{
    for (uint32_t i = e->first; i < e->end; i++) {
        const struct point *point = &e->task->points.at[i];
        struct measured_case *c = measurement_case(e->m, point->case_id);
        if (i > e->first && point[-1].case_id == point->case_id)
            continue;
        add_row(e, point->case_id, point, NULL);
        c->why_missing = reason;
        if (point->bytes != ROW_NONE)
            measurement_say_missing(e->m, &c->variant, (uint64_t)point->bytes, reason);
    }
}

static bool measure_group(struct engine *e)
{
    struct task *task = e->task;
    const struct point *first = &task->points.at[e->first];
    const char *reason = task->open != NULL ? task->open(task->context, first) : NULL;
    if (reason != NULL) {
        add_missing(e, reason);
        return e->m->failure == NULL;
    }
    uint32_t group = first->group;
    if (task->open != NULL) /* mapping and filling memory takes as long as it takes */
        e->m->seen = 0;
    bool finished = prepare_group(e) && measure_rounds(e) && counted_measure(task, group);
    if (task->close != NULL)
        task->close(task->context);
    return finished;
}

/* Measures the groups of all points that are new. */
static bool measure_groups(struct engine *e)
{
    const struct points *points = &e->task->points;
    e->began = native_ticks();
    for (uint32_t i = e->first; i < points->count; i = points_group_end(points, i))
        e->work += cost_of(&points->at[i]);
    for (; e->first < points->count; e->first = e->end) {
        e->end = points_group_end(points, e->first);
        if (!measure_group(e))
            return false;
        e->done += cost_of(point_at(e, 0));
    }
    return true;
}

/* Asks for points of a case by the rows that it, or its twin of the shared core, has; not for ever
 * by those of a state that does not come any more. */
static void refine_by(struct engine *e, const struct tables *tables, uint32_t case_id,
                      uint32_t rows_id)
{
    struct task *task = e->task;
    uint32_t known = task->points.count;
    struct measured_case *c = measurement_case(e->m, rows_id);
    const struct table *table = tables_find(tables, &c->variant);
    if (table != NULL && !table_is_skipped(table) && c->in_vain < EDGE_LOOKS_MAX)
        (e->is_later ? task->refine_later : task->refine)(task->context, case_id, table);
    c->in_vain += known < task->points.count;
    for (; known < task->points.count; known++)
        task->points.at[known].is_for_shared = rows_id != case_id;
}

/* Asks for more points of each case that has rows. */
static void refine_cases(struct engine *e, const struct tables *tables)
{
    for (uint32_t case_id = 0; case_id < e->cases; case_id++) {
        uint32_t shared = e->m->cases[case_id].shared;
        refine_by(e, tables, case_id, case_id);
        if (shared != 0)
            refine_by(e, tables, case_id, shared);
    }
}

/* Adds the points that refinement asks for. False: it asks for none, or there is no memory. */
static bool add_refined(struct engine *e)
{
    struct measurement *m = e->m;
    struct tables tables;
    uint32_t before = e->task->points.count, room = 0;
    uint64_t bytes = tables_bytes(m->row_count);
    void *memory = NULL;
    if (e->task->refine == NULL || !measurement_grow(m, &memory, &room, 1, bytes))
        return false;
    tables_group(m->rows, m->row_count, memory, &tables);
    e->is_later = false;
    refine_cases(e, &tables);
    if (e->task->points.count == before && e->task->refine_later != NULL) {
        e->is_later = true;
        refine_cases(e, &tables);
    }
    m->platform->release(m->platform, memory, bytes);
    e->is_refining = true;
    return e->task->points.count > before && m->failure == NULL;
}

/* Skips cases none of whose points could be had: one row with the reason replaces theirs. */
static void skip_missing_cases(struct measurement *m)
{
    for (uint32_t case_id = 0; case_id < m->case_count; case_id++) {
        struct measured_case *c = &m->cases[case_id];
        bool is_shared = c->why_missing == m->why_shared; /* epochs alone give no verdict */
        if (c->is_skipped || (is_shared ? c->has_points : c->has_rows) || c->why_missing == NULL)
            continue;
        uint32_t kept = 0;
        for (uint32_t i = 0; i < m->row_count; i++)
            if (!case_same(&m->rows[i].variant, &c->variant))
                m->rows[kept++] = m->rows[i];
        m->row_count = kept;
        measurement_skip(m, case_id, c->why_missing);
    }
}

/* Lets the time pass that later looks ask for, since what was before them began. False: the user
 * stopped it. */
static bool wait_for_later(struct engine *e)
{
    struct platform *platform = e->m->platform;
    double most = (double)(native_ticks() - e->start);
    double wanted = TASK_LATER * (double)platform->ticks_per_second;
    uint64_t end = e->began + (uint64_t)(wanted < most ? wanted : most);
    if (!e->is_later || platform->openly == NULL) /* its time stands still meanwhile */
        return true;
    while (native_ticks() < end)
        if (platform_is_stopped(platform))
            return measurement_fail(e->m, measurement_faulted);
    return true;
}

static void add_shared_shares(struct engine *e)
{
    struct measurement *m = e->m;
    bool is_labelled = e->task->contention == CONTENTION_LABELLED;
    for (uint32_t case_id = 0; case_id < m->case_count; case_id++) {
        const struct measured_case *c = &m->cases[case_id];
        if (c->seen > 0 && !c->is_skipped && (is_labelled || c->seen_shared > 0))
            measurement_add_value(m, case_id, is_labelled ? ENGINE_SHARED : ENGINE_APART, "%",
                                  100.0 * c->seen_shared / c->seen);
    }
}

/* Adds a row of the clock that a case met. A step of the clock may have lengthened or shortened
 * each. */
static void add_clock(struct measurement *m, uint32_t number, struct clocks *clocks)
{
    uint32_t memory[CLOCKS_MAX];
    struct distribution d;
    const struct measured_case *c = measurement_case(m, number);
    if (clocks->count == 0 || c->is_skipped || !c->has_rows)
        return;
    distribution_init(&d, memory, CLOCKS_MAX);
    sort_numbers(clocks->ticks, clocks->count);
    distribution_merge(&d, clocks->ticks, clocks->count);
    struct row *row = measurement_add(m, number, ENGINE_CLOCK, "ticks/cycle", &d);
    row->p10 = smaller(row->p10 + m->states->step, row->median);
    row->p90 = larger(row->p90 - m->states->step, row->median);
    row_scale(row, 1.0 / SENTINEL_CHAIN);
}

static void add_clocks(struct measurement *m)
{
    for (uint32_t case_id = 0; case_id < m->case_count; case_id++) {
        struct measured_case *c = &m->cases[case_id];
        add_clock(m, case_id, &c->clocks);
        if (c->shared != 0)
            add_clock(m, c->shared, &c->clocks_shared);
    }
}

/* Adds the row that vouches for the plain cases: second looks told both states apart. */
static void add_states_seen(struct measurement *m)
{
    uint32_t case_id = 0;
    if (!states_both_were_seen(m->states))
        return;
    while (case_id < m->case_count && !m->cases[case_id].has_rows)
        case_id++;
    if (case_id < m->case_count)
        measurement_add_value(m, case_id, ENGINE_STATES, "states", 2)->k = m->states->reach;
}

static void close_task(struct task *task)
{
    struct points *const lists[] = {&task->points, &task->counted, &task->levels,
                                    &task->references};
    for (unsigned i = 0; i < sizeof lists / sizeof *lists; i++) {
        platform_release(task->measurement->platform, lists[i]->at,
                         lists[i]->room * sizeof *lists[i]->at);
        *lists[i] = (struct points){.at = NULL};
    }
}

static void start_counting(struct measured_case *c)
{
    c->seen = c->seen_shared = c->in_vain = 0;
    c->clocks = c->clocks_shared = (struct clocks){.count = 0};
}

bool engine_run(struct task *task)
{
    struct measurement *m = task->measurement;
    struct engine e = {.task = task, .m = m, .cases = m->case_count, .start = native_ticks()};
    for (uint32_t i = 0; i < m->case_count; i++)
        start_counting(&m->cases[i]);
    bool finished = m->failure == NULL && m->case_count > 0 && measure_epoch(&e);
    do
        finished = finished && wait_for_later(&e) && measure_groups(&e) && measure_epoch(&e);
    while (finished && add_refined(&e));
    if (finished)
        skip_missing_cases(m);
    finished = finished && m->failure == NULL;
    if (finished && task->contention != CONTENTION_IGNORED && m->states != NULL) {
        add_shared_shares(&e);
        add_clocks(m);
        add_states_seen(m);
    }
    close_task(task);
    windows_close(m);
    m->task++;
    return finished;
}

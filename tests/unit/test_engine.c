/* test_engine: groups, refinement and rows of mlp points, and what goes wrong on the way. */
#include "../../kernel/analysis/drift.h"
#include "../../kernel/engine/edge.h"
#include "../../kernel/engine/engine.h"
#include "../../kernel/engine/rounds.h"
#include "../../kernel/probe/native.h"
#include "fake_platform.h"
#include "kit.h"
#include "rows.h"

#define TICKS_PER_SECOND 2000000000
#define STORY_MAX 4000
#define CASES 3
#define GROUPS_MAX 40
#define VISITS_MAX 2000

static struct fake_platform fake;
static struct measurement m;
static struct task task;

static struct {
    uint64_t now, visit_ticks;
    char story[STORY_MAX]; /* a letter for each call: see the functions below */
    unsigned groups_seen, prepare_slices, prepared;
    const char *refusal[GROUPS_MAX]; /* of open, by group */
    void (*refines)(uint32_t case_id, const struct table *table, uint32_t added);
    bool has_row[CASES];
    uint32_t added[CASES];  /* as refine was told last */
    double progress, least; /* as last shown; and the least step back */
    bool is_refining;       /* as last shown */
    struct point visited[VISITS_MAX];
    bool was_shared[VISITS_MAX];
    unsigned visits;
} made;

/* In place of kernel/probe/native.c. */
uint64_t native_ticks(void)
{
    return made.now++;
}

static void note(char letter)
{
    size_t used = strlen(made.story);
    if (used + 1 < STORY_MAX && (used == 0 || letter != 'v' || made.story[used - 1] != 'v'))
        made.story[used] = letter;
}

/* --- the task -------------------------------------------------------------------------------- */

static struct point point_of(uint32_t case_id, uint32_t group, int64_t n)
{
    return (struct point){.case_id = case_id,
                          .group = group,
                          .n = n,
                          .k = 2 * n,
                          .bytes = ROW_NONE,
                          .stage = ROW_NONE};
}

/* A sample is 1000 times the case, and n; v: visits, however many. */
static uint32_t sample_for(uint32_t case_id, int64_t n)
{
    return (case_id + 1) * 1000 + (uint32_t)n;
}

static void visit(void *context, const struct point *point, struct samples *samples)
{
    assert_ptr_equal(context, &made);
    assert_true(fake.inside);
    assert_int_equal(made.prepared, made.prepare_slices);
    note('v');
    made.visited[made.visits++ % VISITS_MAX] = *point;
    made.now += made.visit_ticks;
    for (unsigned i = 0; i < samples->count; i++)
        samples->at[i] = sample_for(point->case_id, point->n);
}

/* o: opened, x: refused. */
static const char *open_group(void *context, const struct point *first)
{
    assert_ptr_equal(context, &made);
    assert_false(fake.inside);
    assert_compare(first->group, <, GROUPS_MAX);
    made.groups_seen++;
    made.prepared = 0;
    note(made.refusal[first->group] != NULL ? 'x' : 'o');
    return made.refusal[first->group];
}

/* p: a slice of preparing. */
static bool prepare(void *context, uint64_t end)
{
    assert_ptr_equal(context, &made);
    assert_int_equal(end, made.now - 1 + TICKS_PER_SECOND / 5);
    assert_true(fake.inside);
    note('p');
    return ++made.prepared == made.prepare_slices;
}

/* c: closed. */
static void close_group(void *context)
{
    assert_ptr_equal(context, &made);
    assert_false(fake.inside);
    note('c');
}

/* r: asked for more points of a case; the digit tells which. */
static void refine(void *context, uint32_t case_id, const struct table *table)
{
    assert_ptr_equal(context, &made);
    assert_false(fake.inside);
    assert_memory_equal(table->variant, &m.cases[case_id].variant, sizeof *table->variant);
    assert_compare(table->count, >, 0);
    for (size_t i = 0; i < table->count; i++)
        assert_true(case_same(&table->rows[i].variant, table->variant));
    note('r');
    note((char)('0' + case_id));
    uint32_t before = task.points.count;
    if (made.refines != NULL)
        made.refines(case_id, table, made.added[case_id]);
    made.added[case_id] += task.points.count - before;
}

/* --- the measurement ------------------------------------------------------------------------- */

static void print(struct platform *self, const char *text)
{
    unsigned percent;
    (void)self;
    if (sscanf(text, "\rmlp %u %%", &percent) != 1) {
        strcat(fake.printed, text);
        return;
    }
    made.least = percent - made.progress < made.least ? percent - made.progress : made.least;
    made.progress = percent;
    made.is_refining = strstr(text, " %  refining  ") != NULL;
}

static void add_cases(unsigned count)
{
    for (unsigned i = 0; i < count; i++) {
        struct variant variant = {.has_page = false};
        snprintf(variant.pattern, sizeof variant.pattern, "c%u", i);
        measurement_add_case(&m, &variant, 0);
    }
}

SETUP(start)
{
    memset(&made, 0, sizeof made);
    made.visit_ticks = TICKS_PER_SECOND / 1000;
    fake_platform_open(&fake);
    fake.platform.ticks_per_second = TICKS_PER_SECOND;
    fake.platform.print = print;
    m = (struct measurement){.platform = &fake.platform, .experiment = "mlp"};
    task = (struct task){
        .measurement = &m,
        .rules = {.samples_min = 25, .samples_max = 50, .precision = 0.1},
        .seed = 1,
        .context = &made,
        .visit = visit,
    };
    add_cases(CASES);
}

TEARDOWN(stop)
{
    measurement_release(&m);
    fake_platform_assert_returned(&fake);
}

static void start_again(void)
{
    stop();
    start();
}

static void use_all(unsigned prepare_slices)
{
    task.open = open_group;
    task.prepare = prepare;
    task.close = close_group;
    made.prepare_slices = prepare_slices;
}

static void use_refine(void (*refines)(uint32_t case_id, const struct table *table, uint32_t added))
{
    task.refine = refine;
    made.refines = refines;
}

static void add(uint32_t case_id, uint32_t group, int64_t n)
{
    struct point point = point_of(case_id, group, n);
    task_add(&task, &task.points, &point);
}

/* Points 0 to count - 1, of the first cases in turn. */
static void add_points(uint32_t count, uint32_t cases)
{
    for (uint32_t n = 0; n < count; n++)
        add(n % cases, 0, n);
}

static void measure_points(uint32_t count, uint32_t cases)
{
    add_points(count, cases);
    assert_true(engine_run(&task));
}

static const struct row *row_of(uint32_t case_id, int64_t n, const char *metric)
{
    const struct row *found = NULL;
    for (uint32_t i = 0; i < m.row_count; i++)
        if (case_same(&m.rows[i].variant, &m.cases[case_id].variant) && m.rows[i].n == n &&
            strcmp(m.rows[i].metric, metric) == 0) {
            assert_null(found);
            found = &m.rows[i];
        }
    return found;
}

static void assert_row(uint32_t case_id, int64_t n)
{
    const struct row *row = row_of(case_id, n, "tsc");
    assert_non_null(row);
    assert_numbers((row->samples, row->median, row->k), (25, sample_for(case_id, n), 2 * n));
}

/* --- groups ---------------------------------------------------------------------------------- */

TEST(points_to_rows)
{
    measure_points(30, CASES);
    assert_null(m.failure);
    assert_int_equal(m.row_count, 30);
    for (int64_t n = 0; n < 30; n++)
        assert_row((uint32_t)n % CASES, n);
    rows_gather(&m);
    for (uint32_t i = 0; i < 30; i++) /* by case, and there in their order */
        assert_int_equal(m.rows[i].n, CASES * (i % 10) + i / 10);
    assert_string_equal(made.story, "v");
    assert_false(made.is_refining);
    assert_compare(made.progress, ==, 100);
    assert_compare(made.least, >=, 0);
}

/* One after the other, each opened, prepared, measured and closed. */
TEST(groups_in_order)
{
    use_all(3);
    for (uint32_t group = 0; group < 4; group++)
        for (uint32_t case_id = 0; case_id < CASES; case_id++)
            add(case_id, group, group);
    assert_true(engine_run(&task));
    assert_string_equal(made.story, "opppvcopppvcopppvcopppvc");
    for (uint32_t i = 0; i < 4 * CASES; i++) /* a group's rows before the next one's */
        assert_int_equal(m.rows[i].n, i / CASES);
    assert_compare(made.progress, ==, 100);
    assert_compare(made.least, >=, 0);
}

/* Every point of a group is visited in the same rounds; the cases take turns. */
TEST(cases_of_a_group_share_their_rounds)
{
    task.rules.samples_min = 50;
    for (uint32_t case_id = 0; case_id < 2; case_id++)
        for (int64_t n = 0; n < 20; n++)
            add(case_id, 0, n);
    assert_true(engine_run(&task));
    unsigned changes = 0, late = 0;
    assert_numbers((made.visits, m.visits), (2 * 40, 2 * 40));
    for (uint32_t i = 0; i < made.visits; i++) {
        changes += i > 0 && made.visited[i].case_id != made.visited[i - 1].case_id;
        late += i < 40 && made.visited[i].case_id == 1;
    }
    assert_int_equal(late, 20); /* the first round has all of both */
    assert_in_range(changes, 20, 60);
}

/* In an order of their own, not all in the same. */
TEST(every_group_has_its_own_order)
{
    unsigned same = 0;
    use_all(1);
    for (uint32_t i = 0; i < 40; i++)
        add(0, i / 20, i);
    assert_true(engine_run(&task));
    assert_int_equal(made.visits, 40);
    for (uint32_t i = 0; i < 20; i++)
        same += made.visited[i].n + 20 == made.visited[i + 20].n;
    assert_in_range(same, 0, 8);
}

static void visit_surrounded(void *context, const struct point *point, struct samples *samples)
{
    assert_numbers((fake.openly, fake.prefetch), (point->case_id == 1, point->case_id == 1));
    visit(context, point, samples);
}

TEST(surroundings_are_the_cases)
{
    struct variant variant = {.prefetch_off = true};
    uint32_t number = measurement_add_case(&m, &variant, 0);
    m.cases[1].interrupts = true;
    fake.prefetch = true;
    add(number, 0, 1);
    add(1, 1, 1);
    task.visit = visit_surrounded;
    assert_true(engine_run(&task));
    assert_true(fake.prefetch);
}

TEST(in_ns)
{
    task.in_ns = true;
    add(0, 0, 8);
    add(1, 0, 9);
    made.refusal[1] = "no";
    use_all(0);
    task.prepare = NULL;
    add(2, 1, 9);
    assert_true(engine_run(&task));
    assert_int_equal(m.row_count, 2 * 2 + 1);
    for (uint32_t case_id = 0; case_id < 2; case_id++) {
        assert_row(case_id, 8 + case_id);
        const struct row *ns = row_of(case_id, 8 + case_id, "ns");
        assert_true(ns->median == row_of(case_id, 8 + case_id, "tsc")->median / 2);
        assert_string_equal(ns->unit, "ns");
        assert_compare(ns->k, ==, 2 * ns->n);
    }
}

TEST(a_metric_of_its_own)
{
    struct point point = point_of(1, 0, 7);
    point.metric = "pair";
    point.bytes = 64;
    point.stage = 3;
    task_add(&task, &task.points, &point);
    assert_true(engine_run(&task));
    const struct row *row = row_of(1, 7, "pair");
    assert_numbers((row->bytes, row->stage), (64, 3));
    assert_string_equal(row->unit, "ticks");
}

/* By the arrays: that of the first of two groups takes nearly all of the time. */
TEST(progress_by_cost)
{
    struct point large = point_of(0, 0, 1);
    large.bytes = INT64_C(1) << 33;
    task.open = open_group;
    task_add(&task, &task.points, &large);
    add(0, 1, 2);
    fake.fault_at = 2;
    assert_false(engine_run(&task));
    assert_compare(made.progress, ==, 99);
}

TEST(preparing_is_half_of_it)
{
    use_all(1);
    task.rules = (struct rounds_rules){.samples_min = 50, .samples_max = 50, .precision = 1};
    made.visit_ticks = TICKS_PER_SECOND;
    fake.fault_at = 3; /* after one of two visits */
    add(0, 0, 1);
    assert_false(engine_run(&task));
    assert_compare(made.progress, ==, 75);
}

/* --- refusals -------------------------------------------------------------------------------- */

static void add_sized(uint32_t case_id, uint32_t group, int64_t n, int64_t bytes)
{
    struct point point = point_of(case_id, group, n);
    point.bytes = bytes;
    task_add(&task, &task.points, &point);
}

/* A row for each case that misses it, and a line on the console; the others go on. */
TEST(a_group_that_cannot_be_had)
{
    use_all(1);
    made.refusal[1] = "too large";
    for (uint32_t group = 0; group < 3; group++)
        for (uint32_t i = 0; i < 4; i++)
            add_sized(i / 2, group, i, 1024 << group);
    assert_true(engine_run(&task));
    assert_string_equal(made.story, "opvcxopvc");
    assert_int_equal(m.row_count, 2 * 4 + 2);
    for (uint32_t i = 0; i < m.row_count; i++) {
        const struct row *row = &m.rows[i];
        assert_int_equal(row->samples > 0, row->bytes != 2048);
        assert_string_equal(row->metric, "tsc");
    }
    assert_string_equal(fake.printed, "mlp c0: not 2k: too large\nmlp c1: not 2k: too "
                                      "large\n");
    assert_false(m.cases[0].is_skipped || m.cases[1].is_skipped);
}

/* One row with the reason in place of all its others; cases with any samples keep theirs. */
TEST(a_case_that_had_none_of_its_points)
{
    use_all(1);
    made.refusal[0] = "first reason";
    made.refusal[1] = "last reason";
    add_sized(0, 0, 1, 1024);
    add_sized(1, 0, 1, 1024);
    add_sized(0, 1, 1, 2048);
    add_sized(1, 2, 1, 4096);
    assert_true(engine_run(&task));
    assert_true(m.cases[0].is_skipped);
    assert_false(m.cases[1].is_skipped);
    assert_false(m.cases[2].is_skipped); /* it had no points to miss */
    assert_int_equal(m.row_count, 3);
    rows_gather(&m);
    assert_numbers((m.rows[0].bytes, m.rows[0].samples), (1024, 0));
    assert_numbers((m.rows[1].bytes, m.rows[1].samples), (4096, 25));
    assert_string_equal(m.rows[2].metric, ROW_SKIPPED);
    assert_string_equal(m.rows[2].unit, "last reason");
    assert_string_equal(m.rows[2].variant.pattern, "c0");
}

/* --- refinement ------------------------------------------------------------------------------ */

/* One more point a time until there are five, of the case 1 alone. */
static void one_more(uint32_t case_id, const struct table *table, uint32_t added)
{
    assert_int_equal(table->count, 2 + added);
    if (case_id == 1 && added < 5)
        add(case_id, 0, 100 + added);
}

TEST(refined_until_nothing_is_added)
{
    use_refine(one_more);
    measure_points(4, 2);
    assert_string_equal(made.story, "vr0r1vr0r1vr0r1vr0r1vr0r1vr0r1");
    assert_numbers((made.added[0], made.added[1], m.row_count), (0, 5, 4 + 5));
    for (int64_t i = 0; i < 5; i++)
        assert_row(1, 100 + i);
    assert_true(made.is_refining);
    assert_compare(made.progress, ==, 100);
}

static uint64_t began[4]; /* of each point's visit, in ticks */
static int64_t laters;

static void one_at_once(uint32_t case_id, const struct table *table, uint32_t added)
{
    (void)table;
    if (added == 0)
        add(case_id, 0, 1);
}

static void two_later(void *context, uint32_t case_id, const struct table *table)
{
    assert_ptr_equal(context, &made);
    assert_compare(table->count, >=, 2);
    note('l');
    if (laters < 2)
        add(case_id, 0, 2 + laters++);
}

static void visit_later(void *context, const struct point *point, struct samples *samples)
{
    began[point->n] = made.now;
    visit(context, point, samples);
}

/* Later looks begin so long after what was before them began, and no longer than the task took. */
TEST(time_passes_before_later_looks)
{
    for (unsigned limit = 3; limit < 6; limit += 2) {
        const uint64_t a_visit = made.visit_ticks, tolerance = a_visit / 10;
        laters = 0;
        use_refine(one_at_once);
        task.refine_later = two_later;
        task.visit = visit_later;
        fake.platform.ticks_per_second = (uint64_t)(limit * a_visit / TASK_LATER);
        measure_points(1, 1);
        assert_string_equal(made.story, "vr0vr0lvr0lvr0l");
        assert_in_range(began[1] - began[0], a_visit, a_visit + tolerance);
        assert_in_range(began[2] - began[1], 2 * a_visit, 2 * a_visit + tolerance);
        uint64_t taken = (limit < 4 ? limit : 4) * a_visit;
        assert_in_range(began[3] - began[2], taken, taken + tolerance);
        start_again();
    }
}

/* Points of several cases, refined in the same batch, share their rounds; each counts its own. */
static void twenty_each(uint32_t case_id, const struct table *table, uint32_t added)
{
    (void)table;
    for (int64_t i = 0; added == 0 && i < 10 + case_id; i++)
        add(case_id, 0, 100 + i);
}

TEST(cases_are_refined_together)
{
    use_refine(twenty_each);
    for (uint32_t case_id = 0; case_id < CASES; case_id++)
        add(case_id, 0, 1);
    assert_true(engine_run(&task));
    assert_string_equal(made.story, "vr0r1r2vr0r1r2");
    for (uint32_t case_id = 0; case_id < CASES; case_id++)
        assert_int_equal(made.added[case_id], 10 + case_id);
    unsigned changes = 0;
    for (uint32_t i = 4; i < made.visits; i++)
        changes += made.visited[i].case_id != made.visited[i - 1].case_id;
    assert_compare(changes, >, 10);
}

/* Groups that were added are opened like any others. */
static void another_group(uint32_t case_id, const struct table *table, uint32_t added)
{
    (void)table;
    if (case_id == 0 && added == 0)
        add(case_id, 7, 7);
}

TEST(refined_groups)
{
    use_all(2);
    use_refine(another_group);
    measure_points(1, 1);
    assert_string_equal(made.story, "oppvcr0oppvcr0");
    assert_row(0, 7);
}

/* Skipped cases, and those without a row, are not asked. */
TEST(skipped_cases_are_not_refined)
{
    task.refine = refine;
    measurement_skip(&m, 1, "no");
    measure_points(1, 1);
    assert_string_equal(made.story, "vr0");
}

/* --- faults ---------------------------------------------------------------------------------- */

static unsigned stop_after; /* so many slices */

static bool is_stopped(struct platform *self)
{
    (void)self;
    return fake.slices >= stop_after;
}

/* The slice with that number fails, or is the first that the user has stopped. */
static void assert_ends(bool is_stop, unsigned slice)
{
    fake.platform.is_stopped = is_stopped;
    stop_after = is_stop ? slice - 1 : UINT32_MAX;
    fake.fault_at = is_stop ? 0 : slice;
    assert_false(engine_run(&task));
    assert_string_equal(m.failure, is_stop ? measurement_stopped : "a fault ended the measurement");
    assert_int_equal(m.failure == measurement_stopped, is_stop);
}

TEST(an_end_while_preparing)
{
    for (unsigned is_stop = 0; is_stop < 2; is_stop++) {
        start_again();
        use_all(3);
        add(0, 0, 1);
        add(0, 1, 2);
        assert_ends(is_stop, is_stop ? 3 : 2);
        assert_string_equal(made.story, is_stop ? "oppc" : "opc"); /* what was opened is closed */
        assert_int_equal(m.row_count, 0);
    }
}

TEST(a_fault_keeps_the_rows_of_what_is_done)
{
    use_all(1);
    task.rules.precision = 0;
    made.visit_ticks = TICKS_PER_SECOND;
    task.rules.samples_max = 25;
    fake.fault_at = 1 + 10 + 1 + 3; /* ten visits, and the third of the second group */
    for (int64_t i = 0; i < 20; i++)
        add(0, (uint32_t)i / 10, i);
    assert_false(engine_run(&task));
    assert_string_equal(m.failure, "a fault ended the measurement");
    assert_string_equal(made.story, "opvcopvc");
    assert_int_equal(m.row_count, 10); /* the second one's first round was not over */
    for (int64_t i = 0; i < 10; i++)
        assert_row(0, i);
}

/* Points of the same group, of which some are done and some not. */
static void visit_evens_at_once(void *context, const struct point *point, struct samples *samples)
{
    visit(context, point, samples);
    for (unsigned i = 0; point->n % 2 == 1 && i < samples->count; i++)
        samples->at[i] += i * 100;
}

TEST(an_end_in_the_middle_of_a_group)
{
    for (unsigned is_stop = 0; is_stop < 2; is_stop++) {
        start_again();
        task.visit = visit_evens_at_once;
        task.rules =
            (struct rounds_rules){.samples_min = 25, .samples_max = 5000, .precision = 0.001};
        task.in_ns = true;
        made.visit_ticks = TICKS_PER_SECOND;
        add_points(10, 1);
        add(0, 1, 99);                    /* another group */
        assert_ends(is_stop, 10 + 5 + 1); /* after the second round */
        assert_int_equal(m.row_count, 2 * 5);
        for (int64_t i = 0; i < 10; i += 2)
            assert_row(0, i);
    }
}

/* --- epochs ----------------------------------------------------------------------------------- */

static void add_reference(uint32_t case_id, int64_t n)
{
    struct point point = point_of(case_id, 0, n);
    task_add(&task, &task.references, &point);
}

/* There were so many epochs, each with as many rows of references. */
static void assert_epochs(int64_t epochs, unsigned rows)
{
    unsigned seen = 0;
    for (int64_t epoch = 0; epoch < epochs; epoch++) {
        unsigned found = 0;
        for (uint32_t i = 0; i < m.row_count; i++)
            found += strcmp(m.rows[i].metric, DRIFT_METRIC) == 0 && m.rows[i].stage == epoch;
        assert_int_equal(found, rows);
    }
    for (uint32_t i = 0; i < m.row_count; i++)
        seen += strcmp(m.rows[i].metric, DRIFT_METRIC) == 0;
    assert_int_equal(seen, epochs * rows);
}

/* Before the points, after them, and after each batch that refines them. Emulated, a reference is
 * visited once in each, as any point is. */
TEST(epochs)
{
    for (unsigned emulated = 0; emulated < 2; emulated++) {
        start_again();
        m.is_emulated = emulated;
        add(0, 0, 1);
        add(1, 0, 1);
        add_reference(0, 5);
        add_reference(1, 6);
        assert_true(engine_run(&task));
        assert_epochs(2, 2);
        for (uint32_t i = 0; i < m.row_count; i++) {
            const struct row *row = &m.rows[i];
            if (strcmp(row->metric, DRIFT_METRIC) != 0)
                continue;
            assert_numbers((row->samples, row->visits), (emulated ? 25 : 200, emulated ? 1 : 8));
            assert_numbers((row->k, row->bytes), (2 * row->n, ROW_NONE));
            assert_true(row->center == sample_for(row->n == 5 ? 0 : 1, row->n));
            assert_string_equal(row->unit, "ticks");
        }
        assert_null(row_of(0, 5, "tsc")); /* they are no points of the table */
    }
}

static void two_more(uint32_t case_id, const struct table *table, uint32_t added)
{
    (void)table;
    if (case_id == 0 && added < 2)
        add(0, 0, 100 + added);
}

TEST(epochs_of_batches)
{
    use_refine(two_more);
    add(0, 0, 1);
    add_reference(0, 5);
    assert_true(engine_run(&task));
    assert_epochs(4, 1);
}

/* Where a batch takes long, in the middle of it as well: every so many visits. */
TEST(epochs_of_long_batches)
{
    made.visit_ticks = 1;
    task.rules = (struct rounds_rules){
        .samples_min = 25 * PAUSE_VISITS / 4, .samples_max = 25 * PAUSE_VISITS / 4, .precision = 1};
    add_points(10, 1);
    add_reference(1, 5);
    assert_true(engine_run(&task));
    assert_epochs(4, 1);
}

/* --- many of everything, and want of memory -------------------------------------------------- */

static void three_hundred(uint32_t case_id, const struct table *table, uint32_t added)
{
    (void)table;
    for (int64_t i = 0; added == 0 && i < 300; i++)
        add(case_id, 9, 1000 + i);
}

static bool measure_much(void)
{
    struct point point = point_of(0, 0, 1);
    use_refine(three_hundred);
    for (uint32_t i = 0; i < 300; i++)
        add(i % CASES, i / 100, i);
    for (unsigned i = 0; i < 300; i++) {
        task_add(&task, &task.counted, &point);
        task_add(&task, &task.levels, &point);
    }
    return engine_run(&task);
}

/* Every call of it in turn: the measurement fails, says so, and gives everything back. */
TEST(no_memory_at_any_call)
{
    assert_true(measure_much());
    unsigned calls = fake.allocations;
    stop();
    assert_in_range(calls, 25, 100);
    for (unsigned failing = 2; failing <= calls; failing++) { /* the first is in start */
        start();
        fake.failing = failing;
        assert_false(measure_much());
        assert_non_null(strstr(m.failure, "not enough memory"));
        assert_null(task.points.at);
        assert_null(task.counted.at);
        assert_null(task.levels.at);
        stop();
    }
    start();
}

/* Without points, or where something failed before, nothing is measured. */
TEST(nothing_to_measure)
{
    assert_true(engine_run(&task));
    add(0, 0, 1);
    m.failure = "not enough memory for that many points";
    assert_false(engine_run(&task));
    assert_int_equal(m.row_count + fake.slices, 0);
}

/* --- states of the core ---------------------------------------------------------------------- */

static struct states states;
static enum core_state (*state_at)(void); /* of the visit under way, or the next one */
static unsigned state_visits;

static uint32_t side_by_side(struct platform *self)
{
    assert_ptr_equal(self, &fake.platform);
    made.now += made.visit_ticks / 100;
    return state_at() == CORE_SHARED ? 900 : 500;
}

#define STATES(name, state)                                                                        \
    static enum core_state name(void)                                                              \
    {                                                                                              \
        return state;                                                                              \
    }

STATES(in_turn, state_visits / 3 % 2 ? CORE_SHARED : CORE_WHOLE)
STATES(always_whole, CORE_WHOLE)
STATES(always_shared, CORE_SHARED)
STATES(hardly_shared, state_visits % 15 == 0 ? CORE_SHARED : CORE_WHOLE)

/* Never as precise as asked for. */
static void visit_in_state(void *context, const struct point *point, struct samples *samples)
{
    made.was_shared[made.visits % VISITS_MAX] = state_at() == CORE_SHARED;
    visit(context, point, samples);
    for (unsigned i = 0; i < samples->count; i++)
        samples->at[i] += i % 2 + (state_at() == CORE_SHARED ? 500 : 0);
}

static uint32_t chain_of_next(struct platform *self)
{
    (void)self;
    state_visits++;
    return 2400;
}

static void use_states(enum core_state (*at)(void))
{
    memset(&states, 0, sizeof states);
    states.published = 250;
    state_at = at;
    state_visits = 0;
    fake.platform.sentinel_side_by_side = side_by_side;
    fake.platform.sentinel_chain = chain_of_next;
    m.states = &states;
    task.contention = CONTENTION_APART;
    task.visit = visit_in_state;
    task.rules = (struct rounds_rules){.samples_min = 25, .samples_max = 200, .precision = 0};
}

/* The case of another's shared samples; NULL: there is none. */
static const struct measured_case *shared_of(uint32_t case_id)
{
    return m.cases[case_id].shared != 0 ? &m.cases[m.cases[case_id].shared] : NULL;
}

TEST(both_states_have_cases)
{
    use_states(in_turn);
    struct point glance = point_of(0, 0, 99);
    glance.needs = POINT_GLANCE;
    task_add(&task, &task.points, &glance);
    measure_points(10, 2);
    const struct row *seen = row_of(m.cases[0].shared, 99, "tsc");
    assert_true(seen == NULL || seen->samples > 0);
    assert_numbers((m.case_count, m.row_count), (CASES + 2, 20 + 1 + 2 + 4 - 1));
    for (uint32_t case_id = 0; case_id < 2; case_id++) /* every other visit, or nearly */
        assert_in_range((int)row_of(case_id, ROW_NONE, ENGINE_APART)->median, 5, 40);
    unsigned missing = 0;
    for (int64_t n = 0; n < 10; n++) {
        uint32_t case_id = (uint32_t)n % 2;
        const struct row *whole = row_of(case_id, n, "tsc"),
                         *shared = row_of(m.cases[case_id].shared, n, "tsc");
        assert_numbers((whole->min, whole->max), (sample_for(case_id, n), whole->min + 1));
        if (shared == NULL) { /* nobody waited for it */
            missing++;
            continue;
        }
        assert_compare(shared->samples, >=, 25);
        assert_numbers((shared->min, shared->max), (sample_for(case_id, n) + 500, shared->min + 1));
        assert_compare(whole->samples, >=, 25);
        assert_true(shared->variant.shared && !whole->variant.shared);
        assert_string_equal(shared->variant.pattern, whole->variant.pattern);
    }
    assert_int_equal(missing, 1);
    assert_null(shared_of(2));
}

/* However few the points are. */
TEST(one_point_has_both_states)
{
    use_states(in_turn);
    measure_points(1, 1);
    assert_non_null(shared_of(0));
    assert_true(row_of(m.cases[0].shared, 0, "tsc")->samples >= 25);
    assert_true(row_of(0, 0, "tsc")->samples >= 25);
}

TEST(a_whole_core_has_no_other_case)
{
    use_states(always_whole);
    measure_points(1, 1);
    assert_numbers((m.case_count, m.row_count), (CASES, 2)); /* its point and its clock */
}

/* The plain case says why it has nothing. */
TEST(a_core_that_is_never_whole)
{
    use_states(always_shared);
    measure_points(10, 1);
    assert_true(m.cases[0].is_skipped);
    assert_int_equal(m.row_count, 12);
    for (int64_t n = 0; n < 10; n++)
        assert_true(row_of(m.cases[0].shared, n, "tsc")->samples >= 25);
    const struct row *skipped = &m.rows[10];
    assert_true(case_same(&skipped->variant, &m.cases[0].variant));
    assert_string_equal(skipped->metric, ROW_SKIPPED);
    assert_string_equal(skipped->unit,
                        "a sibling thread shared the core in 100 % of the visits; the "
                        "case ends in -shared");
}

/* One visit in fifteen is shared: too few for a case, so they are discarded and counted. */
TEST(too_little_of_a_state_is_discarded)
{
    use_states(hardly_shared);
    measure_points(10, 1);
    assert_int_equal(m.case_count, CASES);
    uint64_t samples = 0, discarded = 0;
    for (uint32_t i = 0; i < m.row_count; i++) {
        if (strcmp(m.rows[i].metric, "tsc") != 0)
            continue;
        samples += m.rows[i].samples;
        discarded += m.rows[i].discarded;
    }
    assert_numbers((samples, samples + discarded), (10 * 200, 25 * made.visits));
    assert_compare(discarded, >, 0);
}

/* r0, of its plain rows and then of the shared ones. */
static unsigned asked[2];

static void refine_both(void *context, uint32_t case_id, const struct table *table)
{
    uint32_t added = asked[table->variant->shared];
    (void)context;
    for (size_t i = 0; i < table->count; i++)
        assert_compare(table->rows[i].variant.shared, ==, table->variant->shared);
    assert_int_equal(case_id, 0);
    if (added < 3)
        add(0, 1, 100 + added + 10 * table->variant->shared);
    asked[table->variant->shared] += added < 3;
}

/* Of each state that the case has rows of, once it has. */
TEST(epochs_of_both_states)
{
    use_states(in_turn);
    add_points(10, 1);
    add_reference(0, 5);
    assert_true(engine_run(&task));
    uint32_t shared = m.cases[0].shared;
    assert_compare(shared, !=, 0);
    unsigned whole_rows = 0, shared_rows = 0;
    for (uint32_t i = 0; i < m.row_count; i++) {
        const struct row *row = &m.rows[i];
        if (strcmp(row->metric, DRIFT_METRIC) != 0)
            continue;
        assert_compare(row->samples, >=, 100);
        assert_int_equal(row->min >= sample_for(0, 5) + 500, row->variant.shared);
        whole_rows += !row->variant.shared;
        shared_rows += row->variant.shared;
    }
    assert_int_equal(whole_rows, 2);
    assert_int_equal(shared_rows, 1); /* at first there was no such case */
}

/* Slower by a tenth after so many chains, or in two of so many. */
static unsigned clock_falls, slowed_of;
static uint32_t chain_of_two_clocks(struct platform *self)
{
    uint32_t ticks = chain_of_next(self);
    bool is_slowed = slowed_of > 0 && state_visits % slowed_of / 2 == 3;
    return state_visits > clock_falls || is_slowed ? ticks + 240 : ticks;
}

static const struct row *measure_clock(uint32_t points, double step, unsigned falls,
                                       unsigned slowed)
{
    start_again();
    use_states(always_whole);
    states.step = step;
    fake.platform.sentinel_chain = chain_of_two_clocks;
    clock_falls = falls;
    slowed_of = slowed;
    measure_points(points, 1);
    assert_null(row_of(1, ROW_NONE, ENGINE_CLOCK));
    return row_of(0, ROW_NONE, ENGINE_CLOCK);
}

/* A row of each case says which clocks its visits met, but for what a step of the clock adds. */
TEST(the_clock_of_a_case)
{
    for (unsigned step = 0; step <= 120; step += 120) {
        const struct row *row = measure_clock(4, step, 12, 0);
        assert_numbers((1200 * row->min, 1200 * row->max), (2400, 2640));
        assert_numbers((1200 * row->p10, 1200 * row->p90), (2400 + step, 2640));
    }
}

/* Up to 64 visits are kept, of all times: a sibling that slows one in eighty is in no decile, a
 * clock that falls half-way is. */
TEST(the_clock_of_many_visits)
{
    const struct row *row = measure_clock(66, 0, ~0u, 160);
    unsigned all = state_visits;
    assert_compare(m.visits, >, 128);
    assert_compare(row->samples, >, 32);
    assert_compare(row->samples, <=, 64);
    assert_numbers((1200 * row->p10, 1200 * row->p90), (2400, 2400));
    row = measure_clock(64, 0, all / 2, 0);
    assert_numbers((1200 * row->p10, 1200 * row->p90), (2400, 2640));
    row = measure_clock(64, 120, ~0u, 9); /* a step may have lengthened what took long */
    assert_numbers((1200 * row->median, 1200 * row->p90), (2400, 2520));
}

STATES(shared_later, state_visits > clock_falls ? CORE_SHARED : CORE_WHOLE)

/* The clock of each state is its case's: samples of the whole core did not meet a slow sibling's.
 */
TEST(the_clock_of_each_state)
{
    use_states(shared_later);
    fake.platform.sentinel_chain = chain_of_two_clocks;
    clock_falls = 40;
    slowed_of = 0;
    measure_points(10, 1);
    assert_non_null(shared_of(0));
    for (unsigned shared = 0; shared < 2; shared++) {
        const struct row *row = row_of(shared ? m.cases[0].shared : 0, ROW_NONE, ENGINE_CLOCK);
        unsigned ticks = 2400 + 240 * shared;
        assert_numbers((1200 * row->p10, 1200 * row->p90), (ticks, ticks));
    }
}

/* A row of the first case that has any vouches for them: pairs of loads told both states apart. */
TEST(both_states_were_seen)
{
    use_states(in_turn);
    states.pairs[CORE_WHOLE] = states.pairs[CORE_SHARED] = 10000;
    states.reach = 77;
    add(1, 0, 1);
    assert_true(engine_run(&task));
    const struct row *row = row_of(1, ROW_NONE, ENGINE_STATES);
    assert_non_null(row);
    assert_numbers((row->median, row->k), (2, 77));
}

TEST(both_states_are_refined)
{
    use_states(in_turn);
    asked[0] = asked[1] = 0;
    task.refine = refine_both;
    measure_points(10, 1);
    assert_numbers((asked[0], asked[1]), (3, 3));
}

/* Asks once, by the shared core's rows: for a point of this attempt and for one of the next. */
static void refine_by_the_shared(void *context, uint32_t case_id, const struct table *table)
{
    bool is_first = table->count == 10;
    (void)context;
    for (uint32_t attempt = 0; table->variant->shared && is_first && attempt < 2; attempt++) {
        struct point point = point_of(case_id, 0, 50 + attempt);
        point.attempt = attempt;
        task_add(&task, &task.points, &point);
    }
}

TEST(an_attempt_is_of_one_table)
{
    use_states(in_turn);
    task.refine = refine_by_the_shared;
    for (int64_t n = 0; n < 10; n++)
        add(0, 0, n);
    assert_true(engine_run(&task));
    uint32_t shared = m.cases[0].shared;
    for (unsigned attempt = 0; attempt < 2; attempt++) {
        assert_int_equal(row_of(shared, 50 + attempt, "tsc")->attempt, attempt);
        assert_null(row_of(0, 50 + attempt, "tsc"));
    }
}

static unsigned asked_by_shared;

STATES(no_more_shared, asked_by_shared == 0 && state_visits / 3 % 2 ? CORE_SHARED : CORE_WHOLE)

/* Asks for the same attempt as long as it has no row. */
static void ask_until_there(void *context, uint32_t case_id, const struct table *table)
{
    struct point point = point_of(case_id, 0, 50);
    (void)context;
    if (!table->variant->shared || table_find(table, "again") != NULL)
        return;
    if (++asked_by_shared == 50)
        fail_msg("it asks for ever");
    point.attempt = 1;
    point.metric = "again";
    task_add(&task, &task.points, &point);
}

/* A neighbour that left: a run on a Zen 5 guest asked for 198,006 points, without end. */
TEST(a_state_that_does_not_come_again_is_not_waited_for)
{
    use_states(no_more_shared);
    asked_by_shared = 0;
    task.refine = ask_until_there;
    measure_points(10, 1);
    assert_int_equal(asked_by_shared, EDGE_LOOKS_MAX);
}

static unsigned asked_by_whole;

STATES(no_more_whole, asked_by_whole == 0 ? CORE_WHOLE : CORE_SHARED)

/* Asks for the same point as long as it has no samples. */
static void ask_until_measured(void *context, uint32_t case_id, const struct table *table)
{
    const struct row *again = table_find(table, "again");
    struct point point = point_of(case_id, 0, 50);
    (void)context;
    if (again != NULL && again->samples > 0)
        return;
    if (++asked_by_whole == 50)
        fail_msg("it asks for ever");
    point.metric = "again";
    task_add(&task, &task.points, &point);
}

/* A clock that fell for good: a modelled core was asked for the same 30 points, without end. */
TEST(samples_that_do_not_come_again_are_not_waited_for)
{
    use_states(no_more_whole);
    asked_by_whole = 0;
    task.refine = ask_until_measured;
    task.contention = CONTENTION_APART_ONE;
    measure_points(10, 1);
    assert_int_equal(asked_by_whole, EDGE_LOOKS_MAX);
}

/* Only where the task's visits are short. */
TEST(tasks_that_know_no_states)
{
    use_states(in_turn);
    task.contention = CONTENTION_IGNORED;
    task.visit = visit;
    measure_points(1, 1);
    assert_numbers((state_visits, m.case_count), (0, CASES));
}

/* Long visits keep their samples together, and a row of each case says how often it was shared. */
TEST(long_visits_see_the_states)
{
    use_states(in_turn);
    task.contention = CONTENTION_LABELLED;
    measure_points(4, 2);
    assert_numbers((m.case_count, state_visits), (CASES, made.visits));
    for (uint32_t case_id = 0; case_id < 2; case_id++) {
        unsigned all = 0, shared = 0;
        for (uint32_t i = 0; i < made.visits; i++) {
            bool is_of_case = made.visited[i].case_id == case_id;
            all += is_of_case;
            shared += is_of_case && made.was_shared[i];
        }
        assert_compare(shared, >, 0);
        assert_compare(shared, <, all);
        assert_true(fabs(row_of(case_id, ROW_NONE, ENGINE_SHARED)->median - 100.0 * shared / all) <
                    1e-9);
        assert_int_equal(row_of(case_id, case_id, "tsc")->discarded, 0);
        assert_true(row_of(case_id, case_id, "tsc")->max >=
                    sample_for(case_id, case_id) + 500); /* both are in it */
    }
    assert_null(row_of(2, ROW_NONE, ENGINE_SHARED));
}

/* A later task's share is of its own visits, of which one will do. */
TEST(a_later_task_counts_anew)
{
    use_states(in_turn);
    task.contention = CONTENTION_LABELLED;
    measure_points(1, 1);
    assert_compare(row_of(0, ROW_NONE, ENGINE_SHARED)->median, <, 100);
    m.row_count = 0;
    made.visits = 0;
    use_states(always_shared);
    task.contention = CONTENTION_LABELLED;
    task.rules.samples_max = 25;
    measure_points(1, 1);
    assert_numbers((made.visits, row_of(0, ROW_NONE, ENGINE_SHARED)->median), (1, 100));
}

/* test_timeline_rule: counts over cycles made up here, and where they rise. */
#include "../../kernel/experiments/experiment.h"
#include "../../kernel/experiments/timeline/timeline_rule.h"
#include "rows.h"
#include "rules.h"

#include "kit.h"

#define LAST 300
#define ADDITION 21 /* the first retires in this cycle, counted from 0, */
#define BEFORE 2    /* and so many instructions before it */
#define LOADS 10
#define WALK 24
#define MISS 40
#define BACK 240
#define COLD "2m-cold"
#define CONTROL TIMELINE_ADDITIONS

/* What is added to each cycle that counting really took; from one span to the next. */
static unsigned skid, step;
static const char *cycles_name;

static void add_count(const char *name, int64_t stage, const char *metric, double count)
{
    bool is_control = strcmp(name, CONTROL) == 0;
    struct row *row = add(name, metric, is_control ? ROW_NONE : LOADS,
                          is_control ? TIMELINE_ADDITIONS_COUNT : 0, count);
    row->stage = stage;
    name_copy(row->unit, "events");
}

/* A count from a cycle on, so many in each, by cycles counted before the counters were still. */
static double rise(int64_t stage, double from, double each, double most)
{
    return fmin(fmax((double)stage + skid - from, 0) * each, most);
}

static void add_additions(double each)
{
    for (int64_t stage = 1; stage <= 120; stage += step) {
        add_count(CONTROL, stage, cycles_name, (double)stage + skid);
        add_count(CONTROL, stage, "instructions",
                  rise(stage, 0, 1, BEFORE) +
                      rise(stage, ADDITION, each, TIMELINE_ADDITIONS_COUNT));
        add_count(CONTROL, stage, "l2_demand_data_rd", 0);
        add_count(CONTROL, stage, "dtlb_walk_pending", 0);
    }
}

/* Two misses a cycle; loads come back one a cycle. */
static void add_loads(const char *name, bool walks)
{
    for (int64_t stage = 1; stage <= LAST; stage += step) {
        add_count(name, stage, cycles_name, (double)stage + skid);
        add_count(name, stage, "instructions",
                  rise(stage, 0, 1, BEFORE) + rise(stage, BACK, 1, LOADS));
        add_count(name, stage, "l2_demand_data_rd", rise(stage, MISS, 2, LOADS));
        add_count(name, stage, "dtlb_walk_pending", walks ? rise(stage, WALK, 1, MISS - WALK) : 0);
    }
}

static void add_all(double each)
{
    rows_clear();
    add_additions(each);
    add_loads(COLD, true);
}

SETUP(start)
{
    rows_start("timeline", &rule_timeline, 50, 0);
    skid = 0;
    step = 1;
    cycles_name = "core_cycles";
    add_all(1);
}

static void assert_around(const char *name, const char *verdict, double value, double within)
{
    const struct verdict *v = assert_status(name, verdict, OK);
    assert_within(v->value, value - within, value + within);
    assert_within(value, v->low, v->high);
}

/* Walk, misses and retirement, each where it was made up to be. */
static void assert_all_near(double within)
{
    assert_around(COLD, "walk_start", WALK - ADDITION, within);
    assert_around(COLD, "first_miss", MISS - ADDITION, within);
    assert_around(COLD, "last_miss", MISS + 4 - ADDITION, within);
    assert_around(COLD, "misses_issued_in", 4, 2 * within);
    assert_around(COLD, "retirement_resumes", BACK - ADDITION, within);
}

TEST(each_at_its_cycle)
{
    for (skid = 0; skid <= 12; skid += 3) {
        add_all(1);
        add_loads("2m-warm", false);
        assert_all_near(1e-6);
        assert_verdict(CONTROL, "resolution", OK, 0);
        assert_around(CONTROL, "cycle_zero", ADDITION, 1e-6);
        assert_around("2m-warm", "cycle_zero", ADDITION, 1e-6);
        assert_no_value("2m-warm", "walk_start", SKIP, "not-counted");
        assert_around("2m-warm", "misses_issued_in", 4, 1e-6);
    }
}

/* Any order of rows, and the general counter's name. */
TEST(other_names)
{
    cycles_name = "core_cycles_gp";
    add_all(1);
    for (ADDED_ROWS(row))
        if (row_is(row, "instructions"))
            name_copy(row->metric, "instructions_gp");
        else if (row_is(row, "l2_demand_data_rd"))
            name_copy(row->metric, "mab_alloc_loads");
        else if (row_is(row, "dtlb_walk_pending"))
            name_copy(row->metric, "dtlb_walk_completed");
    rows_shuffle(rows, row_count);
    assert_all_near(1e-6);
    assert_words(COLD, "walk_start", "dtlb_walk_completed");
    assert_words(COLD, "misses_issued_in", "mab_alloc_loads");
}

/* Cycles left out make intervals as wide, and hold the truth. */
TEST(left_out)
{
    for (step = 2; step <= 4; step++) {
        add_all(1);
        assert_all_near(step);
    }
}

static void assert_all_doubt(const char *words)
{
    for (QUESTIONS(q, &rule_timeline))
        assert_says(question_of(&rule_timeline, &rows[0].variant, q->name) ? CONTROL : COLD,
                    q->name, DOUBT, words);
}

TEST(controls)
{
    static const char *const metrics[][2] = {{"l2_demand_data_rd", "control-shows-it"},
                                             {"dtlb_walk_pending", "control-shows-it"}};
    add_all(0.9); /* a cycle that is counted is not one in which one retires */
    assert_all_doubt("count-is-off");
    for (EACH(metric, metrics)) {
        add_all(1);
        for (ROWS_OF(row, CONTROL, (*metric)[0]))
            rows_center(row, row->stage > 50);
        assert_all_doubt((*metric)[1]);
    }
}

/* The resolution is what the worst is off, and no better than they are on average. */
TEST(one_addition_off_its_cycle)
{
    for (ROWS_OF(row, CONTROL, "instructions"))
        if (row->stage == 60)
            row->mean += 0.5;
    const struct verdict *v = assert_status(CONTROL, "resolution", OK);
    assert_within(v->value, 0.4501, 0.5);
    assert_within(v->low, 0.0101, 0.1499);
}

/* The line of additions goes on before the first cycle: nothing says how many there were. */
TEST(additions_too_early)
{
    skid = 30;
    add_all(1);
    assert_doubt(CONTROL, "resolution", "count-is-off");
    assert_no_value(CONTROL, "cycle_zero", SKIP, "count-is-off");
    assert_no_value(COLD, "walk_start", SKIP, "count-is-off");
}

/* Counters that never stop were read at any time. Or the overflow changes nothing: the whole probe
 * is counted, and read one counter after the other. */
TEST(counters_that_do_not_stop)
{
    static const char *const words[] = {"too-few-points", "count-is-off"};
    for (unsigned i = 0; i < 2; i++) {
        for (ROWS_OF(row, NULL, "core_cycles")) {
            row->min = i == 0 ? 0 : 400;
            row->mean = i == 0 ? row->mean : 400;
        }
        assert_no_value(CONTROL, "resolution", SKIP, words[i]);
        assert_no_value(COLD, "walk_start", SKIP, words[i]);
    }
}

TEST(no_control)
{
    rows_clear();
    add_loads(COLD, true);
    assert_no_value(COLD, "retirement_resumes", SKIP, "not-measured");
}

TEST(events_that_are_not_there)
{
    static const char *const misses[] = {"first_miss", "last_miss", "misses_issued_in"};
    rows_drop("l2_demand_data_rd");
    rows_drop("dtlb_walk_pending");
    for (EACH(miss, misses)) {
        assert_no_value(COLD, *miss, SKIP, "not-counted");
        assert_says(COLD, *miss, SKIP, "no event for misses");
    }
    assert_no_value(COLD, "walk_start", SKIP, "not-counted");
    assert_around(COLD, "retirement_resumes", BACK - ADDITION, 1e-6);
}

TEST(more_misses_than_loads)
{
    for (ROWS_OF(row, COLD, NULL))
        row->n = LOADS - 2;
    assert_doubt(COLD, "misses_issued_in", "count-is-off");
    assert_doubt(COLD, "last_miss", "count-is-off");
    assert_around(COLD, "walk_start", WALK - ADDITION, 1e-6);
}

/* A load that hits retires first: what resumes then is not what waited for a miss. */
TEST(retirement_too_early_or_never)
{
    for (ROWS_OF(row, COLD, "instructions"))
        if (row->stage > 30) {
            rows_center(row, row->median + 1);
            rows_spread(row, 0);
        }
    assert_doubt(COLD, "retirement_resumes", "contradicts");
    add_all(1);
    for (ROWS_OF(row, COLD, NULL))
        row->samples = row->stage >= BACK ? 0 : row->samples;
    assert_no_value(COLD, "retirement_resumes", SKIP, "range-ends");
}

/* The median of samples that come at any of a hundred cycles is known to some of them. */
TEST(scatter_widens)
{
    for (ROWS_OF(row, COLD, "instructions")) {
        row->p90 = BEFORE + rise(row->stage, BACK - 50, 1, LOADS);
        row->p10 = BEFORE + rise(row->stage, BACK + 50, 1, LOADS);
    }
    const struct verdict *v = assert_status(COLD, "retirement_resumes", OK);
    assert_within(v->high - v->low, 25, 30);
    for (ROWS_OF(row, COLD, "instructions"))
        row->p90 = BEFORE + rise(row->stage, BACK - 200, 1, LOADS);
    assert_doubt(COLD, "retirement_resumes", "scatter");
}

/* Then the slowest tenth comes after the last cycle that was counted, if at all. */
TEST(a_tenth_that_never_comes)
{
    skid = 7;
    add_all(1);
    for (ROWS_OF(row, COLD, NULL))
        if (row_is(row, "instructions"))
            row->p10 = BEFORE;
        else if (!row_is(row, cycles_name) && row->stage > BACK / 2)
            name_copy(row->metric, "not_counted");
    const struct verdict *v = verdict_of(COLD, "retirement_resumes");
    double deviation = (LAST + skid - ADDITION - v->value) / 2.563;
    assert_near((v->high - v->low) / 2, 1.96 * 1.253 * deviation / sqrt(50));
}

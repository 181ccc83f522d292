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

static void add(const char *name, int64_t stage, const char *metric, double count)
{
    bool is_control = strcmp(name, CONTROL) == 0;
    struct row *row = rows_add("timeline", name, is_control ? ROW_NONE : LOADS,
                               is_control ? TIMELINE_ADDITIONS_COUNT : 0, count);
    row->stage = stage;
    row->samples = 50;
    name_copy(row->metric, metric);
    name_copy(row->unit, "events");
}

/* A count from a cycle on, so many in each, by the cycles counted before the counters were still.
 */
static double rise(int64_t stage, double from, double each, double most)
{
    return fmin(fmax((double)stage + skid - from, 0) * each, most);
}

static void add_additions(double each)
{
    for (int64_t stage = 1; stage <= 120; stage += step) {
        add(CONTROL, stage, cycles_name, (double)stage + skid);
        add(CONTROL, stage, "instructions",
            rise(stage, 0, 1, BEFORE) + rise(stage, ADDITION, each, TIMELINE_ADDITIONS_COUNT));
        add(CONTROL, stage, "l2_demand_data_rd", 0);
        add(CONTROL, stage, "dtlb_walk_pending", 0);
    }
}

/* Two misses a cycle; loads come back one a cycle. */
static void add_loads(const char *name, bool walks)
{
    for (int64_t stage = 1; stage <= LAST; stage += step) {
        add(name, stage, cycles_name, (double)stage + skid);
        add(name, stage, "instructions", rise(stage, 0, 1, BEFORE) + rise(stage, BACK, 1, LOADS));
        add(name, stage, "l2_demand_data_rd", rise(stage, MISS, 2, LOADS));
        add(name, stage, "dtlb_walk_pending", walks ? rise(stage, WALK, 1, MISS - WALK) : 0);
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
    skid = 0;
    step = 1;
    cycles_name = "core_cycles";
    add_all(1);
}

static bool is_of(const struct row *row, const char *name, const char *metric)
{
    return is_case(&row->variant, name) && row_is(row, metric);
}

static void judge(void)
{
    compare_rows(rule_timeline.compare);
    assert_words_fit();
}

static void assert_near(const char *name, const char *verdict, double value, double within)
{
    const struct verdict *v = assert_status(name, verdict, VERDICT_OK);
    if (fabs(v->value - value) > within || v->low > value || v->high < value)
        fail_msg("%s of %s is %f [%f .. %f], not %f", verdict, name, v->value, v->low, v->high,
                 value);
}

/* Walk, misses and retirement, each where it was made up to be. */
static void assert_all_near(double within)
{
    judge();
    assert_near(COLD, "walk_start", WALK - ADDITION, within);
    assert_near(COLD, "first_miss", MISS - ADDITION, within);
    assert_near(COLD, "last_miss", MISS + 4 - ADDITION, within);
    assert_near(COLD, "misses_issued_in", 4, 2 * within);
    assert_near(COLD, "retirement_resumes", BACK - ADDITION, within);
}

TEST(each_at_its_cycle)
{
    for (skid = 0; skid <= 12; skid += 3) {
        add_all(1);
        add_loads("2m-warm", false);
        assert_all_near(1e-6);
        assert_verdict(CONTROL, "resolution", VERDICT_OK, 0);
        assert_near(CONTROL, "cycle_zero", ADDITION, 1e-6);
        assert_near("2m-warm", "cycle_zero", ADDITION, 1e-6);
        assert_no_value("2m-warm", "walk_start", VERDICT_SKIP, "no page walk was counted");
        assert_near("2m-warm", "misses_issued_in", 4, 1e-6);
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
    judge();
    for (const char *const *name = rule_timeline.verdicts; *name != NULL; name++)
        assert_says(rule_timeline.gives(&rows[0].variant, *name) ? CONTROL : COLD, *name,
                    VERDICT_DOUBT, words);
}

TEST(additions_at_another_pace)
{
    add_all(0.9); /* a cycle that is counted is not one in which one retires */
    assert_all_doubt("additions retire one per cycle, but are counted otherwise");
}

/* The resolution is what the worst is off, and no better than they are on average. */
TEST(one_addition_off_its_cycle)
{
    for (ADDED_ROWS(row))
        if (is_of(row, CONTROL, "instructions") && row->stage == 60)
            row->mean += 0.5;
    judge();
    const struct verdict *v = assert_status(CONTROL, "resolution", VERDICT_OK);
    assert_true(v->value > 0.45 && v->value <= 0.5);
    assert_true(v->low > 0.01 && v->low < 0.15 && v->high >= v->value);
}

TEST(additions_that_scatter)
{
    for (ADDED_ROWS(row))
        if (is_of(row, CONTROL, "instructions"))
            rows_spread(row, 3);
    assert_all_doubt("the counted cycles of additions are too far off");
}

TEST(what_is_counted_without_loads)
{
    static const char *const metrics[] = {"l2_demand_data_rd", "dtlb_walk_pending"};
    for (unsigned i = 0; i < 2; i++) {
        add_all(1);
        for (ADDED_ROWS(row))
            if (is_of(row, CONTROL, metrics[i]) && row->stage > 50)
                rows_center(row, 1);
        assert_all_doubt(i == 0 ? "misses are counted although nothing is loaded"
                                : "page walks are counted although nothing is loaded");
    }
}

/* The line of additions goes on before the first cycle: nothing says how many there were. */
TEST(additions_too_early)
{
    skid = 30;
    add_all(1);
    judge();
    assert_says(CONTROL, "resolution", VERDICT_DOUBT,
                "additions retire before the first cycle counted");
    assert_no_value(CONTROL, "cycle_zero", VERDICT_SKIP,
                    "additions retire before the first cycle counted");
    assert_no_value(COLD, "walk_start", VERDICT_SKIP,
                    "needs case additions: additions retire before the first cycle counted");
}

/* Counters that never stop were read at any time. Or the overflow changes nothing: the whole probe
 * is counted, and read one counter after the other. */
TEST(counters_that_do_not_stop)
{
    for (unsigned i = 0; i < 2; i++) {
        const char *words = i == 0
                                ? "needs case additions: too few cycles in which additions retire"
                                : "needs case additions: an overflow does not stop the counters";
        for (ADDED_ROWS(row))
            if (row_is(row, "core_cycles") && i == 0)
                row->min = 0;
            else if (row_is(row, "core_cycles"))
                row->min = row->mean = 400;
        judge();
        assert_no_value(CONTROL, "resolution", VERDICT_SKIP, strchr(words, ':') + 2);
        assert_no_value(COLD, "walk_start", VERDICT_SKIP, words);
    }
}

TEST(no_control)
{
    rows_clear();
    add_loads(COLD, true);
    judge();
    assert_no_value(COLD, "retirement_resumes", VERDICT_SKIP,
                    "needs case additions: it was not measured");
}

TEST(events_that_are_not_there)
{
    rows_drop("l2_demand_data_rd");
    rows_drop("dtlb_walk_pending");
    judge();
    static const char *const misses[] = {"first_miss", "last_miss", "misses_issued_in"};
    for (unsigned i = 0; i < 3; i++)
        assert_no_value(COLD, misses[i], VERDICT_SKIP,
                        "no miss was counted: this processor has no event for them");
    assert_no_value(COLD, "walk_start", VERDICT_SKIP,
                    "no page walk was counted: this processor has no event for them");
    assert_near(COLD, "retirement_resumes", BACK - ADDITION, 1e-6);
}

TEST(more_misses_than_loads)
{
    for (ADDED_ROWS(row))
        row->n = row->n == LOADS ? LOADS - 2 : row->n;
    judge();
    assert_says(COLD, "misses_issued_in", VERDICT_DOUBT,
                "not as many misses as loads were counted");
    assert_says(COLD, "last_miss", VERDICT_DOUBT, "not as many misses as loads were counted");
    assert_near(COLD, "walk_start", WALK - ADDITION, 1e-6);
}

/* A load that hits retires first: what resumes then is not what waited for a miss. */
TEST(retirement_too_early)
{
    for (ADDED_ROWS(row))
        if (is_of(row, COLD, "instructions") && row->stage > 30) {
            rows_center(row, row->median + 1);
            rows_spread(row, 0);
        }
    judge();
    assert_says(COLD, "retirement_resumes", VERDICT_DOUBT,
                "loads retire before the first miss is issued");
}

TEST(retirement_never)
{
    for (ADDED_ROWS(row))
        if (is_case(&row->variant, COLD) && row->stage >= BACK)
            row->samples = 0;
    judge();
    assert_no_value(COLD, "retirement_resumes", VERDICT_SKIP, "nothing retires");
}

/* The median of samples that come at any of a hundred cycles is known to some of them. */
TEST(scatter_widens)
{
    for (ADDED_ROWS(row))
        if (is_of(row, COLD, "instructions")) {
            row->p90 = BEFORE + rise(row->stage, BACK - 50, 1, LOADS);
            row->p10 = BEFORE + rise(row->stage, BACK + 50, 1, LOADS);
        }
    judge();
    const struct verdict *v = assert_status(COLD, "retirement_resumes", VERDICT_OK);
    assert_true(v->high - v->low > 25 && v->high - v->low < 30);
    for (ADDED_ROWS(row))
        if (is_of(row, COLD, "instructions"))
            row->p90 = BEFORE + rise(row->stage, BACK - 120, 1, LOADS);
    judge();
    assert_says(COLD, "retirement_resumes", VERDICT_DOUBT, "samples scatter");
}

/* Then the slowest tenth comes after the last cycle that was counted, if at all. */
TEST(a_tenth_that_never_comes)
{
    skid = 7;
    add_all(1);
    for (ADDED_ROWS(row))
        if (is_of(row, COLD, "instructions"))
            row->p10 = BEFORE;
        else if (is_case(&row->variant, COLD) && !row_is(row, cycles_name) && row->stage > BACK / 2)
            name_copy(row->metric, "not_counted");
    judge();
    const struct verdict *v = verdict_of(COLD, "retirement_resumes");
    double deviation = (LAST + skid - ADDITION - v->value) / 2.563;
    assert_near((v->high - v->low) / 2, 1.96 * 1.253 * deviation / sqrt(50));
}

TEST(what_is_given)
{
    struct variant additions = {.has_page = false}, loads = {.has_page = true};
    name_copy(additions.pattern, CONTROL);
    assert_true(rule_timeline.gives(&additions, "resolution"));
    assert_true(rule_timeline.gives(&additions, "cycle_zero"));
    assert_true(rule_timeline.gives(&loads, "cycle_zero"));
    assert_false(rule_timeline.gives(&additions, "walk_start"));
    assert_false(rule_timeline.gives(&loads, "resolution"));
    assert_true(rule_timeline.gives(&loads, "retirement_resumes"));
}

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

/* What is added to each cycle that counting really took; from one span to the next. */
static unsigned skid, step;
static const char *cycles_name;

SETUP(start)
{
    rows_clear();
    skid = 0;
    step = 1;
    cycles_name = "core_cycles";
}

static struct row *add(const char *name, int64_t stage, const char *metric, double count)
{
    bool is_control = strcmp(name, TIMELINE_ADDITIONS) == 0;
    struct row *row = rows_add("timeline", name, is_control ? ROW_NONE : LOADS,
                               is_control ? TIMELINE_ADDITIONS_COUNT : 0, count);
    row->stage = stage;
    row->samples = 50;
    name_copy(row->metric, metric);
    name_copy(row->unit, "events");
    return row;
}

static double at_least_0(double value)
{
    return value < 0 ? 0 : value;
}

static double at_most(double value, double most)
{
    return value < most ? value : most;
}

/* Cycles counted before the counters were still; a count rises with them, from a cycle on. */
static double rise(int64_t stage, double from, double each, double most)
{
    return at_most(at_least_0((double)stage + skid - from) * each, most);
}

static void add_additions(double each)
{
    for (int64_t stage = 1; stage <= 120; stage += step) {
        add(TIMELINE_ADDITIONS, stage, cycles_name, (double)stage + skid);
        add(TIMELINE_ADDITIONS, stage, "instructions",
            at_most((double)stage + skid, BEFORE) +
                rise(stage, ADDITION, each, TIMELINE_ADDITIONS_COUNT));
        add(TIMELINE_ADDITIONS, stage, "l2_demand_data_rd", 0);
        add(TIMELINE_ADDITIONS, stage, "dtlb_walk_pending", 0);
    }
}

/* Two misses a cycle; loads come back one a cycle. */
static void add_loads(const char *name, bool walks)
{
    for (int64_t stage = 1; stage <= LAST; stage += step) {
        add(name, stage, cycles_name, (double)stage + skid);
        add(name, stage, "instructions",
            at_most((double)stage + skid, BEFORE) + rise(stage, BACK, 1, LOADS));
        add(name, stage, "l2_demand_data_rd", rise(stage, MISS, 2, LOADS));
        add(name, stage, "dtlb_walk_pending", walks ? rise(stage, WALK, 1, MISS - WALK) : 0);
    }
}

static void judge(void)
{
    compare_rows(rule_timeline.compare);
    assert_words_fit();
}

static void assert_near(const char *of, const char *name, double value, double within)
{
    const struct verdict *v = assert_status(of, name, VERDICT_OK);
    if (fabs(v->value - value) > within || v->low > value || v->high < value)
        fail_msg("%s of %s is %f [%f .. %f], not %f", name, of, v->value, v->low, v->high, value);
}

TEST(each_at_its_cycle)
{
    for (skid = 0; skid <= 12; skid += 3) {
        rows_clear();
        add_additions(1);
        add_loads("2m-cold", true);
        add_loads("2m-warm", false);
        judge();
        assert_verdict(TIMELINE_ADDITIONS, "resolution", VERDICT_OK, 0);
        assert_near("2m-cold", "walk_start", WALK - ADDITION, 1e-6);
        assert_near("2m-cold", "misses_issued_in", 4, 1e-6);
        assert_near("2m-cold", "retirement_resumes", BACK - ADDITION, 1e-6);
        assert_no_value("2m-warm", "walk_start", VERDICT_SKIP, "no page walk was counted");
        assert_near("2m-warm", "misses_issued_in", 4, 1e-6);
    }
    skid = 0;
}

/* Any order of rows, and the general counter's name. */
TEST(other_names)
{
    cycles_name = "core_cycles_gp";
    add_additions(1);
    add_loads("2m-cold", true);
    for (size_t i = 0; i < row_count; i++) {
        if (strcmp(rows[i].metric, "instructions") == 0)
            name_copy(rows[i].metric, "instructions_gp");
        if (strcmp(rows[i].metric, "l2_demand_data_rd") == 0)
            name_copy(rows[i].metric, "mab_alloc_loads");
        if (strcmp(rows[i].metric, "dtlb_walk_pending") == 0)
            name_copy(rows[i].metric, "dtlb_walk_completed");
    }
    rows_shuffle(rows, row_count);
    judge();
    cycles_name = "core_cycles";
    assert_near("2m-cold", "walk_start", WALK - ADDITION, 1e-6);
    assert_words("2m-cold", "walk_start", "dtlb_walk_completed");
    assert_near("2m-cold", "misses_issued_in", 4, 1e-6);
    assert_words("2m-cold", "misses_issued_in", "mab_alloc_loads");
    assert_near("2m-cold", "retirement_resumes", BACK - ADDITION, 1e-6);
}

/* Cycles left out make intervals as wide, and hold the truth. */
TEST(left_out)
{
    for (step = 2; step <= 4; step++) {
        rows_clear();
        add_additions(1);
        add_loads("2m-cold", true);
        judge();
        assert_near("2m-cold", "walk_start", WALK - ADDITION, step);
        assert_near("2m-cold", "misses_issued_in", 4, 2 * step);
        assert_near("2m-cold", "retirement_resumes", BACK - ADDITION, step);
    }
    step = 1;
}

static void assert_all_doubt(const char *words)
{
    static const char *const names[] = {"misses_issued_in", "walk_start", "retirement_resumes"};

    for (unsigned i = 0; i < 3; i++)
        assert_says("2m-cold", names[i], VERDICT_DOUBT, words);
    assert_says(TIMELINE_ADDITIONS, "resolution", VERDICT_DOUBT, words);
}

TEST(additions_at_another_pace)
{
    add_additions(0.9); /* a cycle that is counted is not one in which one retires */
    add_loads("2m-cold", true);
    judge();
    assert_all_doubt("they retire one a cycle, and are not counted so");
}

/* The resolution is what the worst is off, and no better than they are on average. */
TEST(one_addition_off_its_cycle)
{
    add_additions(1);
    add_loads("2m-cold", true);
    for (size_t i = 0; i < row_count; i++)
        if (is_case(&rows[i].of, TIMELINE_ADDITIONS) && row_is(&rows[i], "instructions") &&
            rows[i].stage == 60)
            rows[i].mean += 0.5;
    judge();
    const struct verdict *v = assert_status(TIMELINE_ADDITIONS, "resolution", VERDICT_OK);
    assert_true(v->value > 0.45 && v->value <= 0.5);
    assert_true(v->low > 0.01 && v->low < 0.15 && v->high >= v->value);
}

TEST(additions_that_scatter)
{
    add_additions(1);
    add_loads("2m-cold", true);
    for (size_t i = 0; i < row_count; i++)
        if (is_case(&rows[i].of, TIMELINE_ADDITIONS) && row_is(&rows[i], "instructions"))
            rows_spread(&rows[i], 3);
    judge();
    assert_all_doubt("additions are too far off their cycles");
}

static void count_anyway(const char *metric)
{
    for (size_t i = 0; i < row_count; i++)
        if (is_case(&rows[i].of, TIMELINE_ADDITIONS) && row_is(&rows[i], metric) &&
            rows[i].stage > 50)
            rows_center(&rows[i], 1), rows[i].median = rows[i].mean = 1;
}

TEST(what_is_counted_without_loads)
{
    add_additions(1);
    add_loads("2m-cold", true);
    count_anyway("l2_demand_data_rd");
    judge();
    assert_all_doubt("misses are counted where nothing is loaded");
    rows_clear();
    add_additions(1);
    add_loads("2m-cold", true);
    count_anyway("dtlb_walk_pending");
    judge();
    assert_all_doubt("page walks are counted where nothing is loaded");
}

/* The line of additions goes on before the first cycle: nothing says how many there were. */
TEST(additions_too_early)
{
    skid = 30;
    add_additions(1);
    add_loads("2m-cold", true);
    judge();
    skid = 0;
    assert_says(TIMELINE_ADDITIONS, "resolution", VERDICT_DOUBT,
                "additions retire before the first cycle counted");
    assert_no_value("2m-cold", "walk_start", VERDICT_SKIP,
                    "needs case additions: additions retire before the first cycle counted");
}

/* Counters that never stop were read at any time. */
TEST(nothing_stopped)
{
    add_additions(1);
    add_loads("2m-cold", true);
    for (size_t i = 0; i < row_count; i++)
        if (row_is(&rows[i], "core_cycles"))
            rows[i].min = 0;
    judge();
    assert_no_value(TIMELINE_ADDITIONS, "resolution", VERDICT_SKIP,
                    "too few cycles in which additions retire");
    assert_no_value("2m-cold", "walk_start", VERDICT_SKIP, "needs case additions: too few cycles");
}

/* The overflow changes nothing: the whole probe is counted, and read one counter after the other.
 */
TEST(nothing_stops)
{
    add_additions(1);
    add_loads("2m-cold", true);
    for (size_t i = 0; i < row_count; i++)
        if (row_is(&rows[i], "core_cycles"))
            rows[i].min = rows[i].mean = 400;
    judge();
    assert_no_value(TIMELINE_ADDITIONS, "resolution", VERDICT_SKIP,
                    "an overflow does not stop the counters");
    assert_no_value("2m-cold", "walk_start", VERDICT_SKIP,
                    "needs case additions: an overflow does not stop the counters");
}

TEST(no_control)
{
    add_loads("2m-cold", true);
    judge();
    assert_no_value("2m-cold", "retirement_resumes", VERDICT_SKIP,
                    "needs case additions: it was not measured");
}

static void drop(const char *metric)
{
    size_t kept = 0;
    for (size_t i = 0; i < row_count; i++)
        if (!row_is(&rows[i], metric))
            rows[kept++] = rows[i];
    row_count = kept;
}

TEST(events_that_are_not_there)
{
    add_additions(1);
    add_loads("2m-cold", true);
    drop("l2_demand_data_rd");
    drop("dtlb_walk_pending");
    judge();
    assert_no_value("2m-cold", "misses_issued_in", VERDICT_SKIP,
                    "no miss was counted: this processor has no event for them");
    assert_no_value("2m-cold", "walk_start", VERDICT_SKIP,
                    "no page walk was counted: this processor has no event for them");
    assert_near("2m-cold", "retirement_resumes", BACK - ADDITION, 1e-6);
}

TEST(more_misses_than_loads)
{
    add_additions(1);
    add_loads("2m-cold", true);
    for (size_t i = 0; i < row_count; i++)
        rows[i].n = rows[i].n == LOADS ? LOADS - 2 : rows[i].n;
    judge();
    assert_says("2m-cold", "misses_issued_in", VERDICT_DOUBT,
                "not as many misses as loads were counted");
    assert_near("2m-cold", "walk_start", WALK - ADDITION, 1e-6);
}

/* A load that hits retires first: what resumes then is not what waited for a miss. */
TEST(retirement_too_early)
{
    add_additions(1);
    add_loads("2m-cold", true);
    for (size_t i = 0; i < row_count; i++)
        if (is_case(&rows[i].of, "2m-cold") && row_is(&rows[i], "instructions") &&
            rows[i].stage > 30) {
            rows[i].median += 1;
            rows[i].p10 += 1;
            rows[i].p90 += 1;
        }
    judge();
    assert_says("2m-cold", "retirement_resumes", VERDICT_DOUBT,
                "loads retire before the first miss is issued");
}

TEST(retirement_never)
{
    add_additions(1);
    add_loads("2m-cold", true);
    for (size_t i = 0; i < row_count; i++)
        if (is_case(&rows[i].of, "2m-cold") && rows[i].stage >= BACK)
            rows[i].samples = 0, rows[i].min = 0;
    judge();
    assert_no_value("2m-cold", "retirement_resumes", VERDICT_SKIP, "nothing retires");
}

/* The median of samples that come at any of a hundred cycles is known to some of them. */
TEST(scatter_widens)
{
    add_additions(1);
    add_loads("2m-cold", true);
    for (size_t i = 0; i < row_count; i++)
        if (is_case(&rows[i].of, "2m-cold") && row_is(&rows[i], "instructions")) {
            rows[i].p90 = BEFORE + rise(rows[i].stage, BACK - 50, 1, LOADS);
            rows[i].p10 = BEFORE + rise(rows[i].stage, BACK + 50, 1, LOADS);
        }
    judge();
    const struct verdict *v = assert_status("2m-cold", "retirement_resumes", VERDICT_OK);
    assert_true(v->high - v->low > 25 && v->high - v->low < 30);
}

TEST(what_is_given)
{
    struct variant additions = {.has_page = false}, loads = {.has_page = true};

    name_copy(additions.pattern, TIMELINE_ADDITIONS);
    assert_true(rule_timeline.gives(&additions, "resolution"));
    assert_false(rule_timeline.gives(&additions, "walk_start"));
    assert_false(rule_timeline.gives(&loads, "resolution"));
    assert_true(rule_timeline.gives(&loads, "retirement_resumes"));
}

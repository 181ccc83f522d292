/* test_floor_rule: what measuring itself costs, on rows whose answers are known. */
#include "../../kernel/experiments/experiment.h"
#include "../../kernel/experiments/judge.h"
#include "../../kernel/experiments/noise/floor_rule.h"
#include "rows.h"
#include "rules.h"

#include "kit.h"

/* In place of the table of experiments. */
const struct experiment *experiment_find(const char *name)
{
    static const char *const none[] = {NULL};
    static const struct rule nothing = {.verdicts = none};
    static const struct experiment floor = {
        .name = "floor", .turn = TURN_FIRST, .rule = &rule_floor};
    static const struct experiment mlp = {.name = "mlp", .rule = &nothing};

    return strcmp(name, "floor") == 0 ? &floor : strcmp(name, "mlp") == 0 ? &mlp : NULL;
}

/* Deciles at `spread` to either side. */
static struct row *add(const char *experiment, const char *variant, const char *metric, int64_t n,
                       int64_t k, double median, double spread)
{
    struct row *row = rows_add(experiment, variant, n, k, median);

    row->samples = 100;
    rows_spread(row, spread);
    strcpy(row->metric, metric);
    strcpy(row->unit, strcmp(metric, "rate") == 0 ? "Hz" : "ticks");
    return row;
}

/* A core of `pace` ticks a cycle that does `width` additions or `nops` NOPs in one. */
static void add_floor(double pace, double width, double nops, double rate)
{
    row_count = 0;
    add("floor", "timer", "pair", -1, -1, 26, 6);
    add("floor", "timer", "least", -1, -1, 18, 0)->samples = 1;
    add("floor", "timer", "step", -1, -1, 2, 0)->samples = 1;
    add("floor", "lfence", "tsc", 0, 0, 40, 4);
    add("floor", "cpuid", "tsc", 0, 0, 400, 50);
    for (int64_t k = 257; k <= 1937; k += 1680) {
        add("floor", "core", "tsc", 0, k, 40 + (double)k * pace / nops, 0);
        add("floor", "core", "tsc", 1, k, 40 + (double)k * pace, 0);
        add("floor", "core", "tsc", 12, k, 40 + (double)k * pace / width, 0);
    }
    if (rate > 0)
        add("floor", "core", "rate", -1, -1, rate, 0)->samples = 1;
}

static void judge(void)
{
    judge_all_rows();
    assert_words_fit();
}

TEST(verdicts)
{
    add_floor(0.75, 4, 6, 3e9);
    judge();
    assert_int_equal(verdicts.count, 6);
    assert_verdict("timer", "timer_floor", VERDICT_OK, 18);
    assert_true(verdict_of("timer", "timer_floor")->high == 26);
    assert_verdict("timer", "timer_step", VERDICT_OK, 2);
    assert_verdict("lfence", "empty_sample", VERDICT_OK, 40);
    assert_verdict("cpuid", "empty_sample", VERDICT_OK, 400);
    assert_verdict("core", "cpi_floor", VERDICT_OK, 1.0 / 6);
    assert_verdict("core", "frequency", VERDICT_OK, 4000);
    assert_string_equal(verdict_of("core", "frequency")->unit, "MHz");
    assert_words("core", "cpi_floor", "NOPs");
    add_floor(1.5, 5, 4, 2e9);
    judge();
    assert_verdict("core", "cpi_floor", VERDICT_OK, 0.2);
    assert_verdict("core", "frequency", VERDICT_OK, 2000 / 1.5);
    assert_words("core", "cpi_floor", "additions side by side");
}

TEST(doubts)
{
    add_floor(1, 1, 1, 0); /* one instruction a cycle, and ticks that are no time */
    judge();
    assert_verdict("core", "cpi_floor", VERDICT_DOUBT, 1);
    assert_verdict("core", "frequency", VERDICT_SKIP, NAN);
    add_floor(1, 4, 4, 3e9);
    for (size_t i = 0; i < row_count; i++) /* the long chain scatters by a third */
        if (rows[i].n == 1 && rows[i].k == 1937)
            rows[i].p10 -= 600, rows[i].p90 += 600;
    judge();
    assert_verdict("core", "frequency", VERDICT_DOUBT, 3000);
    assert_verdict("core", "cpi_floor", VERDICT_DOUBT, 0.25);
    assert_true(verdict_of("core", "frequency")->low < 3000 &&
                verdict_of("core", "frequency")->high > 3000);
    add_floor(0, 4, 4, 3e9); /* time stands still */
    rows[1].samples = rows[2].samples = 0;
    judge();
    assert_verdict("core", "cpi_floor", VERDICT_DOUBT, NAN);
    assert_verdict("core", "frequency", VERDICT_DOUBT, NAN);
    assert_verdict("timer", "timer_floor", VERDICT_DOUBT, NAN);
    assert_verdict("timer", "timer_step", VERDICT_DOUBT, NAN);
}

TEST(payload)
{
    row_count = 0;
    for (int64_t k = 0; k <= 1937; k += k == 0 ? 257 : 1680)
        strcpy(add("floor", "payload", "instructions", 0, k, 8 + (double)k, 0)->unit, "events");
    judge();
    assert_int_equal(verdicts.count, 1);
    assert_verdict("payload", "payload_surplus", VERDICT_OK, 0);
    rows[2].median -= 1;
    judge();
    assert_verdict("payload", "payload_surplus", VERDICT_DOUBT, -1);
}

/* --- above the floor ------------------------------------------------------------------------- */

TEST(above_the_floor)
{
    add_floor(1, 4, 4, 3e9);
    add("mlp", "2m", "tsc", 2, 0, 300, 9);
    add("mlp", "2m", "tsc", 1, 0, 200, 9);
    add("mlp", "4k", "tsc", 1, 0, 160, 9);
    add("mlp", "4k", "instructions", 1, 0, 9, 0);
    add("mlp", "4k", "tsc", 3, 0, 1, 0)->samples = 0;
    strcpy(add("mlp", "4k", "tsc", 1, 16, 1, 0)->unit, "ns");
    judge();
    assert_verdict("4k", "above_floor", VERDICT_OK, 4);
    const struct verdict *v = verdict_of("4k", "above_floor");
    assert_true(v->low < 3.9 && v->low > 3.8 && v->high > 4.1 && v->high < 4.2);
    assert_null(rows_verdict(&verdicts, "2m", "above_floor"));
    assert_null(rows_verdict(&verdicts, "core", "above_floor"));
    assert_int_equal(verdicts.count, 7);
    /* CPUID takes its own time: 800 ticks are two of its floors. */
    add("mlp", "2m-cpuid-dependent", "tsc", 1, 0, 800, 9);
    judge();
    assert_verdict("2m-cpuid-dependent", "above_floor", VERDICT_OK, 2);
}

TEST(within_the_spread)
{
    for (double median = 43; median <= 45; median++) {
        add_floor(1, 4, 4, 3e9); /* the empty sample's last decile is 44 */
        add("mlp", "2m", "tsc", 1, 0, median, 2);
        judge();
        assert_verdict("2m", "above_floor", median > 44 ? VERDICT_OK : VERDICT_DOUBT, median / 40);
    }
}

static void judge_some(struct row *some, size_t count, struct floor *floor)
{
    struct tables tables;
    void *room = malloc(tables_bytes(count));
    tables_group(some, count, room, &tables);
    judge_tables(&tables, floor, &verdicts);
    free(room);
}

/* In steps, as a run takes them, or at once, as from a stored table: the same. */
TEST(steps)
{
    struct floor floor = {.empty = {{.samples = 0}}};

    add_floor(1, 4, 4, 3e9);
    size_t first = row_count;
    add("mlp", "2m", "tsc", 1, 0, 200, 2);
    verdicts.count = 0;
    judge_some(rows, first, &floor);
    judge_some(rows + first, 1, &floor);
    assert_int_equal(verdicts.count, 7);
    assert_verdict("2m", "above_floor", VERDICT_OK, 5);
    row_count = 0; /* nothing to compare with */
    add("mlp", "2m", "tsc", 1, 0, 200, 2);
    judge();
    assert_int_equal(verdicts.count, 0);
    add("floor", "lfence", "skipped", -1, -1, 0, 0)->samples = 0;
    add("unknown", "2m", "tsc", 1, 0, 200, 2);
    judge();
    assert_null(rows_verdict(&verdicts, "2m", "above_floor"));
}

/* --- which floor ----------------------------------------------------------------------------- */

/* The one of the same order of timestamps, wherever a name says it and whatever else it says. */
TEST(the_floor_of_the_same_order)
{
    static const struct {
        const char *name;
        double floors;
    } cases[] = {
        {"2m", 20},
        {"2m-cpuid", 2},
        {"2m-cpuid-dependent", 2},
        {"2m-dependent", 20},
        {"4k-walkmem-nopf-node1-mine-cpuid", 2},
        {"4k-walkmem-nopf-node1-mine", 20},
        {"2m-cpuids", 20},
        {"2m-mycpuid", 20},
        {"2m-cpuid-mine", 20}, /* not where ours stands: a label */
        {"cpuid", 20},
    };

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        add_floor(1, 4, 4, 3e9);
        add("mlp", cases[i].name, "tsc", 1, 0, 800, 9);
        judge();
        assert_verdict(cases[i].name, "above_floor", VERDICT_OK, cases[i].floors);
    }
}

/* Rows of floor are found behind others as well as before them. */
TEST(order_of_rows_does_not_matter)
{
    static struct verdict before[64];
    struct verdict_list first = {.at = before, .count = 0, .room = 64};

    add_floor(1, 4, 4, 3e9);
    for (int64_t n = 1; n <= 8; n++) {
        add("mlp", "4k", "tsc", n, 0, 200, 9); /* as small as that of 2m, the plainer case */
        add("mlp", "2m", "tsc", n, 0, n == 4 ? 200 : 300, 9);
        add("mlp", "2m-cpuid", "tsc", n, 0, 2100, 9);
    }
    rows_judge_all(rows, row_count, &first);
    for (unsigned trial = 0; trial < 20; trial++) {
        rows_shuffle(rows, row_count);
        judge();
        assert_true(same_verdicts(&first, &verdicts));
    }
    assert_verdict("2m", "above_floor", VERDICT_OK, 5);
    struct row kept = rows[0]; /* and in order, floor's last */
    for (size_t i = 0; i < row_count; i++)
        if (strcmp(rows[i].of.experiment, "mlp") == 0) {
            kept = rows[0];
            rows[0] = rows[i];
            rows[i] = kept;
            break;
        }
    judge();
    assert_true(same_verdicts(&first, &verdicts));
}

/* --- intervals ------------------------------------------------------------------------------- */

static void spread_core(int64_t n, int64_t k, double distance)
{
    for (size_t i = 0; i < row_count; i++)
        if (is_case(&rows[i].of, "core") && rows[i].n == n && rows[i].k == k)
            rows_spread(&rows[i], distance);
}

/* The standard error of a median of 100 samples whose deciles are that far from it. */
static double error_of(double distance)
{
    return 1.253 * (2 * distance / 2.563) / 10;
}

/* Each pace has the errors of both its ends; those of a ratio add up as squares of shares. */
TEST(interval_of_cpi_floor)
{
    for (unsigned nops = 0; nops < 2; nops++) {
        int64_t n = nops ? 0 : 12;
        add_floor(2, nops ? 2 : 4, nops ? 4 : 2, 3e9);
        spread_core(n, 257, 3);
        spread_core(n, 1937, 4);
        spread_core(1, 257, 12);
        spread_core(1, 1937, 9);
        judge();
        assert_verdict("core", "cpi_floor", VERDICT_OK, 0.25);
        double best = hypot(error_of(3), error_of(4)) / 1680 / 0.5;
        double cycle = hypot(error_of(12), error_of(9)) / 1680 / 2;
        const struct verdict *v = verdict_of("core", "cpi_floor");
        assert_true(near(v->high, 0.25 + 1.96 * 0.25 * hypot(best, cycle)));
        assert_true(near(v->low, 0.25 - 1.96 * 0.25 * hypot(best, cycle)));
    }
}

TEST(interval_of_frequency)
{
    add_floor(2, 4, 4, 3e9);
    spread_core(1, 257, 12);
    spread_core(1, 1937, 9);
    judge();
    assert_verdict("core", "frequency", VERDICT_OK, 1500);
    double cycle = hypot(error_of(12), error_of(9)) / 1680 / 2;
    double reach = hypot(1.96 * cycle, 0.015); /* and what a machine moves by itself */
    const struct verdict *v = verdict_of("core", "frequency");
    assert_true(near(v->high, 1500 * (1 + reach)));
    assert_true(near(v->low, 1500 * (1 - reach)));
}

/* A clock in steps is one off now and then; one that counts ticks is not. */
TEST(interval_of_a_step)
{
    for (double step = 1; step <= 3; step++) {
        add_floor(1, 4, 4, 3e9);
        rows[2] = rows_point("floor", "timer", ROW_NONE, ROW_NONE, step);
        strcpy(rows[2].metric, "step");
        judge();
        const struct verdict *v = assert_verdict("timer", "timer_step", VERDICT_OK, step);
        assert_true(v->low == (step < 3 ? step : 2) && v->high == (step < 3 ? step : 4));
    }
}

static struct floor found_floor(void)
{
    struct floor floor = {.empty = {{.samples = 0}}};
    struct tables tables;
    void *room = malloc(tables_bytes(row_count));
    tables_group(rows, row_count, room, &tables);
    floor_find(&tables, &floor);
    free(room);
    return floor;
}

/* What stands under all other experiments. */
TEST(what_is_found)
{
    add_floor(1, 4, 4, 3e9);
    struct floor floor = found_floor();
    assert_true(floor.step == 2 && floor.is_complete && !floor.has_width);
    assert_null(floor.emulated);
    assert_true(floor.empty[ORDER_LFENCE].median == 40 && floor.empty[ORDER_CPUID].median == 400);
    add("floor", "core", "width", ROW_NONE, ROW_NONE, 4, 0)->samples = 1;
    assert_true(found_floor().has_width);
    add("floor", "core", "emulated", ROW_NONE, ROW_NONE, 1, 0)->samples = 1;
    assert_non_null(strstr(found_floor().emulated, "instructions are emulated"));
    rows_age(rows, row_count);
    assert_false(found_floor().is_complete);
    row_count = 0;
    add("mlp", "2m", "tsc", 1, 0, 200, 2);
    floor = found_floor();
    assert_true(floor.step == 0 && !floor.is_complete && floor.emulated == NULL);
}

/* Where no two instructions are ever done side by side, nothing is done by a processor. */
TEST(an_emulator_by_its_pace)
{
    for (double width = 1; width < 1.3; width += 0.05) {
        add_floor(1, width, 4, 3e9);
        bool is_emulator = 1 / width > 0.9;
        assert_int_equal(found_floor().emulated != NULL, is_emulator);
    }
}

/* A timer that does not move measures nothing. */
TEST(empty_sample_of_no_time)
{
    add_floor(1, 4, 4, 3e9);
    rows_center(&rows[3], 0);
    rows_spread(&rows[3], 0);
    judge();
    assert_verdict("lfence", "empty_sample", VERDICT_DOUBT, 0);
    assert_verdict("cpuid", "empty_sample", VERDICT_OK, 400);
}

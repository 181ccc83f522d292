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
    static const struct question *const none[] = {NULL};
    static const struct rule nothing = {.questions = none};
    static const struct experiment floor = {
        .name = "floor", .turn = TURN_FIRST, .rule = &rule_floor};
    static const struct experiment mlp = {.name = "mlp", .rule = &nothing};
    return strcmp(name, "floor") == 0 ? &floor : strcmp(name, "mlp") == 0 ? &mlp : NULL;
}

/* Deciles at `spread` to either side. */
static struct row *add_row(const char *experiment, const char *variant, const char *metric,
                           int64_t n, int64_t k, double median, double spread)
{
    struct row *row = rows_add_metric(experiment, variant, metric, n, k, median);
    row->samples = 100;
    rows_spread(row, spread);
    if (row_is(row, "rate"))
        strcpy(row->unit, "Hz");
    return row;
}

/* One of floor that has no coordinates and is known exactly, and the usual row of mlp. */
static struct row *add_fact(const char *variant, const char *metric, double value)
{
    return add_row("floor", variant, metric, ROW_NONE, ROW_NONE, value, 0);
}

static struct row *add_load(const char *variant, int64_t n, double median, double spread)
{
    return add_row("mlp", variant, "tsc", n, 0, median, spread);
}

/* Cycles of a chain of stores and loads, and of each of two of them; 0: not measured. */
static double forwarding, beside;

/* A core alone, of `pace` ticks a cycle, that does `width` additions or `nops` NOPs in one. */
static void add_floor(double pace, double width, double nops, double rate)
{
    rows_clear();
    rows_spread(add_fact("timer", "pair", 26), 6);
    add_fact("timer", "least", 18)->samples = 1;
    add_fact("timer", "step", 2)->samples = 1;
    add_row("floor", "lfence", "tsc", 0, 0, 40, 4);
    add_row("floor", "cpuid", "tsc", 0, 0, 400, 50);
    for (int64_t k = 257; k <= 1937; k += 1680) {
        add_row("floor", "core", "tsc", 0, k, 40 + (double)k * pace / nops, 0);
        add_row("floor", "core", "tsc", 1, k, 40 + (double)k * pace, 0);
        add_row("floor", "core", "tsc", 12, k, 40 + (double)k * pace / width, 0);
    }
    for (int64_t k = 257; forwarding > 0 && k <= 1937; k += 1680)
        for (int64_t n = 1; n <= 2; n++)
            add_row("floor", "core", "forward", n, k,
                    40 + (double)k * pace * (n == 1 ? forwarding : beside / 2), 0);
    add_fact("core", "alone", 1)->samples = 1;
    if (rate > 0)
        add_fact("core", "rate", rate)->samples = 1;
}

SETUP(start)
{
    rows_start("floor", NULL, 100, 0);
    forwarding = beside = 5;
    add_floor(1, 4, 4, 3e9);
}

static void assert_core(enum verdict_status cpi_status, double cpi,
                        enum verdict_status frequency_status, double megahertz)
{
    assert_verdict("core", "cpi_floor", cpi_status, cpi);
    assert_verdict("core", "frequency", frequency_status, megahertz);
}

TEST(verdicts)
{
    add_floor(0.75, 4, 6, 3e9);
    assert_core(OK, 1.0 / 6, OK, 4000);
    assert_int_equal(verdicts.count, 7);
    assert_compare(assert_verdict("timer", "timer_floor", OK, 18)->high, ==, 26);
    assert_verdict("timer", "timer_step", OK, 2);
    assert_verdict("lfence", "empty_sample", OK, 40);
    assert_verdict("cpuid", "empty_sample", OK, 400);
    assert_words("core", "cpi_floor", "NOPs");
    add_floor(1.5, 5, 4, 2e9);
    assert_core(OK, 0.2, OK, 2000 / 1.5);
    assert_words("core", "cpi_floor", "parallel additions");
}

/* Additions far slower than are published of the whole core: a sibling took the rest. */
TEST(floor_of_half_a_core)
{
    add_fact("core", FLOOR_WIDTH, 6);
    assert_verdict("core", "cpi_floor", DOUBT, 0.25);
    assert_words("core", "cpi_floor", "contradicts"); /* there is no sibling */
    rows_drop("alone");
    assert_verdict("core", "cpi_floor", DOUBT, 0.25);
    assert_words("core", "cpi_floor", "sibling may have shared it");
    assert_says("timer", "timer_floor", DOUBT, "sibling may have shared it");
    assert_says("lfence", "empty_sample", DOUBT, "sibling may have shared it");
    assert_says("core", "frequency", DOUBT, "sibling may have shared it");
    add_floor(1, 5.2, 4, 3e9);
    add_fact("core", FLOOR_WIDTH, 6);
    assert_verdict("core", "cpi_floor", OK, 1 / 5.2);
    assert_says("timer", "timer_floor", OK, "");
    assert_says("lfence", "empty_sample", OK, "");
    assert_says("core", "frequency", OK, "");
}

/* (Tried: beside busy neighbours one run had 629 ticks, 357 to 901, where others have 52 to 60.) */
TEST(empty_samples_that_scatter)
{
    for (size_t i = 0; i < row_count; i++)
        if (strcmp(rows[i].variant.pattern, "lfence") == 0)
            rows[i].center_error = 10;
    assert_says("lfence", "empty_sample", DOUBT, "scatter");
    assert_says("cpuid", "empty_sample", OK, "");
}

/* Two chains take as long as one, where it is a latency. */
TEST(forwarding)
{
    static const struct {
        double one, two;
        enum verdict_status status;
    } cases[] = {{5, 5, OK}, {5, 5.1, OK}, {5, 10, DOUBT}, {8, 6, DOUBT}, {0.5, 0.5, OK}};
    for (EACH(c, cases)) {
        forwarding = c->one;
        beside = c->two;
        add_floor(0.75, 4, 6, 3e9);
        assert_verdict("core", "forwarding_latency", c->status, c->one);
        if (c->status == DOUBT)
            assert_words("core", "forwarding_latency", "contradicts");
    }
    forwarding = 0;
    add_floor(0.75, 4, 6, 3e9);
    assert_verdict("core", "forwarding_latency", SKIP, NAN);
}

/* A sibling that rarely rests slows both chains as much: the fastest samples contradict. */
TEST(forwarding_beside_a_sibling)
{
    for (unsigned is_faster = 0; is_faster < 2; is_faster++) {
        add_floor(1, 4, 4, 3e9);
        for (ADDED_ROWS(row))
            if (row_is(row, "forward"))
                row->p1 -= (double)row->k * (is_faster ? 0.2 : 0.1);
        assert_verdict("core", "forwarding_latency", is_faster ? DOUBT : OK, 5);
    }
    assert_words("core", "forwarding_latency", "scatter");
}

/* A reading that is off by one is less than half a step of the clock. */
TEST(a_slip_of_the_clock)
{
    rows[1] = rows[0];
    strcpy(rows[1].metric, "least");
    rows[2].median = 20;
    for (double least = 9; least <= 10; least++) {
        rows[1].median = least;
        assert_verdict("timer", "timer_floor", OK, least < 10 ? rows[0].p10 : 10);
    }
    rows[0].p10 = rows[1].median = 1; /* every tenth reading is off by one */
    assert_verdict("timer", "timer_floor", OK, rows[0].median);
}

TEST(doubts)
{
    add_floor(1, 1, 1, 0); /* one instruction a cycle, and ticks that are no time */
    assert_core(SKIP, NAN, SKIP, NAN);
    start();
    for (ADDED_ROWS(row)) /* the long chain scatters by a third */
        if (row->n == 1 && row->k == 1937)
            rows_spread(row, 600);
    assert_core(DOUBT, 0.25, DOUBT, 3000);
    const struct verdict *v = verdict_of("core", "frequency");
    assert_true(v->low < 3000 && v->high > 3000);
    add_floor(0, 4, 4, 3e9); /* time stands still */
    rows[1].samples = rows[2].samples = 0;
    assert_core(DOUBT, NAN, DOUBT, NAN);
    assert_verdict("timer", "timer_floor", DOUBT, NAN);
    assert_verdict("timer", "timer_step", DOUBT, NAN);
}

TEST(payload)
{
    row_count = 0;
    for (int64_t k = 0; k <= 1937; k += k == 0 ? 257 : 1680)
        add_row("floor", "payload", "instructions", 0, k, 8 + (double)k, 0);
    assert_count(1);
    assert_verdict("payload", "payload_surplus", OK, 0);
    rows[2].median -= 1;
    assert_verdict("payload", "payload_surplus", DOUBT, -1);
}

/* The standard error of a median of 100 samples whose deciles are that far from it. */
static double error_of(double distance)
{
    return 1.253 * (2 * distance / 2.563) / 10;
}

/* --- above the floor ------------------------------------------------------------------------- */

TEST(above_the_floor)
{
    add_load("2m", 2, 300, 9);
    add_load("2m", 1, 200, 9);
    add_load("4k", 1, 160, 9);
    add_row("mlp", "4k", "instructions", 1, 0, 9, 0);
    add_load("4k", 3, 1, 0)->samples = 0;
    double load = 1.96 * error_of(9) / 160, empty = 1.96 * error_of(4) / 40;
    assert_interval(assert_verdict("4k", "above_floor", OK, 4),
                    4 * (1 - hypot(load, 1 - 1 / (1 + empty))),
                    4 * (1 + hypot(load, 1 / (1 - empty) - 1)));
    assert_none("2m", "above_floor");
    assert_none("core", "above_floor");
    assert_int_equal(verdicts.count, 8);
}

TEST(within_the_spread)
{
    for (double median = 43; median <= 45; median++) {
        start(); /* the empty sample's last decile is 44 */
        add_load("2m", 1, median, 2);
        assert_verdict("2m", "above_floor", median > 44 ? OK : DOUBT, median / 40);
    }
}

/* Judges these rows, or only finds what floor says of them. */
static void judge_some(struct row *some, size_t count, struct facts *facts, bool is_judged)
{
    struct tables tables;
    void *room = rows_group(some, count, &tables);
    if (is_judged)
        judge_tables(&tables, facts, &verdicts);
    else
        facts_find(&tables, facts);
    free(room);
}

/* In steps, as a run takes them, or at once, as from a stored table: the same. */
TEST(steps)
{
    struct facts facts = {.step = 0};
    size_t first = row_count;
    add_load("2m", 1, 200, 2);
    verdicts.count = 0;
    judge_some(rows, first, &facts, true);
    judge_some(rows + first, 1, &facts, true);
    assert_int_equal(verdicts.count, 8);
    assert_verdict("2m", "above_floor", OK, 5);
    row_count = 0; /* nothing to compare with */
    add_load("2m", 1, 200, 2);
    assert_count(0);
    add_fact("lfence", "skipped", 0)->samples = 0;
    add_row("unknown", "2m", "tsc", 1, 0, 200, 2);
    assert_none("2m", "above_floor");
}

/* --- which floor ----------------------------------------------------------------------------- */

/* CPUID takes its own time. The floor is that of the same order of timestamps, wherever a name says
 * it and whatever else it says. */
TEST(the_floor_of_the_same_order)
{
    static const struct {
        const char *name;
        double floors;
    } cases[] = {{"2m", 20},
                 {"2m-cpuid", 2},
                 {"2m-cpuid-dependent", 2},
                 {"2m-dependent", 20},
                 {"4k-walkmem-nopf-node1-mine-cpuid", 2},
                 {"4k-walkmem-nopf-node1-mine", 20},
                 {"2m-cpuids", 20},
                 {"2m-mycpuid", 20},
                 {"2m-cpuid-mine", 20}, /* not where ours stands: a label */
                 {"cpuid", 20}};
    for (EACH(c, cases)) {
        start();
        add_load(c->name, 1, 800, 9);
        assert_verdict(c->name, "above_floor", OK, c->floors);
    }
}

/* Rows of floor are found behind others as well as before them. */
TEST(order_of_rows_does_not_matter)
{
    static struct verdict before[64];
    struct verdict_list first = {.at = before, .count = 0, .room = 64};
    for (int64_t n = 1; n <= 8; n++) {
        add_load("4k", n, 200, 9); /* as small as that of 2m, the plainer case */
        add_load("2m", n, n == 4 ? 200 : 300, 9);
        add_load("2m-cpuid", n, 2100, 9);
    }
    rows_judge_all(rows, row_count, &first);
    bool is_first = false, is_last = false;
    for (unsigned trial = 0; trial < 20 || !is_first || !is_last; trial++) {
        rows_shuffle(rows, row_count);
        judge();
        assert_true(same_verdicts(&first, &verdicts));
        *(strcmp(rows[0].variant.experiment, "mlp") == 0 ? &is_last : &is_first) = true;
    }
    assert_verdict("2m", "above_floor", OK, 5);
}

/* --- intervals ------------------------------------------------------------------------------- */

static void spread_core(int64_t n, int64_t k, double distance)
{
    for (ROWS_OF(row, "core", NULL))
        if (row->n == n && row->k == k)
            rows_spread(row, distance);
}

/* The divisor's error counts by what it makes of the quotient. */
static void assert_known_to(const char *name, double value, double share, double divisor)
{
    assert_interval(assert_verdict("core", name, OK, value),
                    value * (1 - hypot(share, 1 - 1 / (1 + divisor))),
                    value * (1 + hypot(share, 1 / (1 - divisor) - 1)));
}

/* Each pace has the errors of both its ends; a ratio has those of both paces. */
TEST(intervals_of_the_core)
{
    double cycle = 1.96 * hypot(error_of(12), error_of(9)) / 1680 / 2;
    double best = 1.96 * hypot(error_of(3), error_of(4)) / 1680 / 0.5;
    for (unsigned nops = 0; nops < 2; nops++) {
        int64_t n = nops ? 0 : 12;
        add_floor(2, nops ? 2 : 4, nops ? 4 : 2, 3e9);
        spread_core(1, 257, 12);
        spread_core(1, 1937, 9);
        assert_known_to("frequency", 1500, 0.015, cycle); /* a machine drifts by itself */
        spread_core(n, 257, 3);
        spread_core(n, 1937, 4);
        assert_known_to("cpi_floor", 0.25, best, cycle);
    }
}

/* A clock in steps is one off now and then; one that counts ticks is not, but may skip some. */
TEST(interval_of_a_step)
{
    for (double step = 1; step <= 3; step++) {
        start();
        rows[2] = rows_point("floor", "timer", ROW_NONE, ROW_NONE, step);
        strcpy(rows[2].metric, "step");
        assert_interval(assert_verdict("timer", "timer_step", OK, step), step > 1 ? step - 1 : 1,
                        step < 3 ? step : 4);
    }
}

static struct facts found_facts(void)
{
    struct facts facts = {.step = 0};
    judge_some(rows, row_count, &facts, false);
    return facts;
}

/* What stands under all other experiments. */
TEST(what_is_found)
{
    add_floor(1, 4, 4, 0);
    row_count--; /* that it is alone */
    struct facts facts = found_facts();
    assert_true(facts.step == 2 && facts.may_be_shared && !facts.is_emulated);
    assert_true(facts.empty[ORDER_LFENCE].median == 40 && facts.empty[ORDER_CPUID].median == 400);
    add_fact("core", "alone", 1)->samples = 1;
    assert_false(found_facts().may_be_shared);
    row_count--;
    add_fact("core", "width", 4)->samples = 1;
    assert_false(found_facts().may_be_shared);
    assert_false(found_facts().has_small_pages);
    add_row("tlb", "chain-2m", FACTS_SMALL_PAGES, ROW_NONE, ROW_NONE, 1, 0)->samples = 1;
    assert_true(found_facts().has_small_pages);
    add_fact("core", "emulated", 1)->samples = 1;
    assert_true(found_facts().is_emulated);
    row_count = 0;
    add_load("2m", 1, 200, 2);
    facts = found_facts();
    assert_true(facts.step == 0 && !facts.may_be_shared && !facts.is_emulated);
}

/* Where no two instructions are ever done side by side, nothing is done by a processor. */
TEST(an_emulator_by_its_pace)
{
    for (double width = 1; width < 1.3; width += 0.05) {
        add_floor(1, width, 4, 3e9);
        assert_int_equal(found_facts().is_emulated, 1 / width > 0.95);
    }
}

/* A timer that does not move measures nothing. */
TEST(empty_sample_of_no_time)
{
    rows_center(&rows[3], 0);
    rows_spread(&rows[3], 0);
    assert_verdict("lfence", "empty_sample", DOUBT, 0);
    assert_verdict("cpuid", "empty_sample", OK, 400);
}

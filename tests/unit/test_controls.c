/* test_controls: each reason that takes an ok, and what it leaves alone. */
#include "../../kernel/engine/engine.h"
#include "../../kernel/experiments/controls.h"
#include "../../kernel/experiments/loads/mlp_rule.h"
#include "../../kernel/experiments/sweeps/cache_levels.h"
#include "rows.h"
#include "rules.h"

#include "kit.h"

static const char *const units[] = {"ticks",  "ns",    "MHz",     "%",       "times",   "floors",
                                    "cycles", "GB/s",  "entries", "fillers", "buffers", "registers",
                                    "share",  "loads", "bytes",   "gaps"};
#define SIZE 8e6
enum { FIRST_PARTED = 8, FIRST_OTHER = 13, UNITS = 16 };

static struct floor floor_of_run;
static struct experiment experiment;
static struct verdict list[UNITS];

/* Everything is as it should be. */
SETUP(start)
{
    rows_start("mlp", &rule_mlp, 400, 0);
    for (int64_t n = 1; n <= 6; n++)
        add("2m", "tsc", n, 0, 200);
    floor_of_run = (struct floor){.step = 0};
    experiment = (struct experiment){.name = "mlp", .rule = &rule_mlp};
}

static struct verdict *add_verdict(const char *name, const char *verdict, const char *unit,
                                   enum verdict_status status)
{
    struct row named = rows_point(experiment.name, name, 1, 0, 1);
    struct verdict *v = verdict_add(&verdicts, &named.variant, verdict, unit);
    verdict_conclude(v, status, "as it was");
    return v;
}

static void control(void)
{
    struct tables tables;
    struct row *copy = malloc(row_count * sizeof *copy);
    memcpy(copy, rows, row_count * sizeof *copy);
    void *room = rows_group(copy, row_count, &tables);
    controls_apply(&experiment, &floor_of_run, &tables, list, verdicts.count);
    free(copy);
    free(room);
}

/* Returns one verdict, which was ok, as controls leave it. */
static const struct verdict *apply_to(const char *name, const char *verdict, const char *unit,
                                      double value, double half_width)
{
    verdicts = (struct verdict_list){.at = list, .room = UNITS};
    verdict_value(add_verdict(name, verdict, unit, OK), value, value - half_width,
                  value + half_width);
    control();
    return &list[0];
}

/* Fills the list with a verdict of each unit, as controls leave it. */
static void apply(const char *name, enum verdict_status status)
{
    verdicts = (struct verdict_list){.at = list, .room = UNITS};
    for (EACH(unit, units))
        add_verdict(name, *unit, *unit, status);
    control();
}

/* Of a case's verdicts that were ok, one of each unit, those of units from the first to before the
 * end are in doubt then, for a reason with these words. */
static void assert_doubted(const char *name, size_t first, size_t end, const char *words)
{
    apply(name, OK);
    for (size_t i = 0; i < UNITS; i++) {
        bool is_doubted = i >= first && i < end;
        assert_says(NULL, units[i], is_doubted ? DOUBT : OK, is_doubted ? words : "as it was");
    }
    assert_words_fit();
}

TEST(nothing_to_doubt)
{
    assert_doubted("2m", 0, 0, NULL);
    assert_doubted("4k", 0, 0, NULL); /* of no table at all */
}

TEST(emulators)
{
    floor_of_run.emulated = "it is one";
    assert_doubted("2m", 0, UNITS, "it is one");
    experiment.turn = TURN_AROUND; /* nor is what disturbs an empty loop a processor's */
    assert_doubted("2m", 0, UNITS, "it is one");
}

/* The clock's own cannot be wrong: it is what everything else is read off. */
TEST(emulators_clocks)
{
    rows_clear();
    rows_add("floor", FLOOR_TIMER, 1, 0, 20);
    floor_of_run.emulated = "it is one";
    experiment.name = FLOOR_EXPERIMENT;
    experiment.turn = TURN_FIRST;
    assert_doubted(FLOOR_TIMER, 0, 0, NULL);
    assert_doubted(FLOOR_CORE, 0, UNITS, "it is one");
    experiment.name = "mlp"; /* a case of that name is nobody's clock */
    assert_doubted(FLOOR_TIMER, 0, UNITS, "it is one");
}

/* What the whole core can do is not known: a sibling may have had a part of it all the time. Where
 * both states were seen, by rows of any of the experiment's cases, it is known. */
TEST(cores_of_unknown_width)
{
    floor_of_run.may_be_shared = true;
    assert_doubted("2m", FIRST_PARTED, FIRST_OTHER, "only one pace of the core was seen");
    add("4k", ENGINE_STATES, ROW_NONE, 184, 2);
    assert_doubted("2m", 0, 0, NULL);
}

/* Times of large pages, and what is measured against them; and only in rules that read them so. */
TEST(small_pages_behind_large_ones)
{
    static const struct {
        const struct rule *rule;
        const char *name, *verdict, *unit;
        enum verdict_status status;
    } cases[] = {
        {&rule_mlp, "2m", "one_load", "ticks", DOUBT},
        {&rule_mlp, "1g", "one_load", "ticks", DOUBT},
        {&rule_mlp, "4k", "one_load", "ticks", OK},
        {&rule_tlb, "4k", "walk_cost", "ticks", DOUBT},
        {&rule_mlp, "2m", "mlp_sustained", "loads", DOUBT},
        {&rule_mlp, "4k", "mlp_sustained", "loads", OK},
        {&rule_mlp, "2m", "mlp", "loads", DOUBT},
        {&rule_mlp, "4k", "mlp", "loads", OK},
        {&rule_tlb, "4k", "parallel_walks", "walks", DOUBT},
        {&rule_mlp, "2m", "rob_entries", "entries", OK},
        {&rule_mlp, "2m", "fill_buffers", "buffers", DOUBT}, /* without a jump here */
        {&rule_mlp, "4k", "fill_buffers", "buffers", OK},
        {&rule_array, "2m", "memory_latency", "ticks", DOUBT},
        {&rule_array, "2m", "l3_latency_cycles", "cycles", DOUBT},
        {&rule_array, "2m", "l2_latency", "ticks", DOUBT},
        {&rule_array, "2m", "l1_latency_cycles", "cycles", OK},
        {&rule_array, "2m", "l1_bytes", "bytes", OK},
        {&rule_array, "2m", "l2_bytes", "bytes", DOUBT},
        {&rule_array, "2m", "l1_copy_bandwidth", "bytes/cycle", OK},
        {&rule_array, "2m", "l2_read_bandwidth", "bytes/cycle", DOUBT},
        {&rule_array, "2m", "memory_write_bandwidth", "bytes/cycle", DOUBT},
        {&rule_array, "4k", "l2_copy_bandwidth", "bytes/cycle", OK},
        {&rule_array, "2m", "l3_bytes", "bytes", DOUBT},
        {&rule_array, "2m", "l4_bytes", "bytes", OK},    /* CPUID tells it */
        {&rule_array, "2m", "l5_bytes", "bytes", DOUBT}, /* and another size of this */
        {&rule_array, "4k", "l3_bytes", "bytes", OK},
        {&rule_array, "4k", "memory_latency", "ticks", OK},
    };
    add("2m", CACHE_LEVELS_CPUID, 4, ROW_NONE, SIZE / 1.25);
    add("2m", CACHE_LEVELS_CPUID, 5, ROW_NONE, SIZE * 1.35);
    floor_of_run.has_small_pages = true;
    for (EACH(c, cases)) {
        experiment.rule = c->rule;
        assert_int_equal(apply_to(c->name, c->verdict, c->unit, SIZE, 0)->status, c->status);
    }
    /* A guest's L2 is told by sizes that a first-level TLB maps. */
    add("2m", ROW_HYPERVISOR, ROW_NONE, ROW_NONE, 1);
    experiment.rule = &rule_array;
    assert_int_equal(apply_to("2m", "l2_latency", "ticks", SIZE, 0)->status, OK);
    static const struct rule other = {.judge = NULL};
    experiment.rule = &other;
    assert_doubted("2m", 0, 0, NULL);
}

TEST(mostly_discarded)
{
    for (ADDED_ROWS(row))
        row->discarded = 9 * row->samples;
    assert_doubted("2m", 0, 0, NULL); /* a tenth was kept */
    rows[5].discarded++;
    assert_doubted("2m", 0, UNITS, "fewer than a tenth of the samples were kept");
    experiment.turn = TURN_AROUND; /* what interrupts an empty loop is observed */
    assert_doubted("2m", 0, 0, NULL);
}

/* --- what has to agree ------------------------------------------------------------------------ */

static void assert_one(const char *name, const char *verdict, double value, double half_width,
                       enum verdict_status status)
{
    assert_int_equal(apply_to(name, verdict, "ticks", value, half_width)->status, status);
}

/* A chain of no loads is an empty sample of the same order of timestamps. */
TEST(constants_of_chains)
{
    static const double constants[] = {34, 46, 41};
    floor_of_run.empty[ORDER_LFENCE] = rows_point("floor", "lfence", 0, 0, 40);
    rows_spread(&floor_of_run.empty[ORDER_LFENCE], 2);
    add("2m-dependent", "tsc", 1, 0, 200);
    add("2m-cpuid-dependent", "tsc", 1, 0, 200);
    for (unsigned i = 0; i < 3; i++) {
        double t = constants[i];
        assert_one("2m-dependent", "sequential_constant", t, 5, i == 2 ? OK : DOUBT);
        assert_one("2m-dependent", "sequential_constant", t, 7, OK);
        assert_one("2m-cpuid-dependent", "sequential_constant", t, 5, OK); /* not measured */
        assert_one("2m-dependent", "sequential_slope", t, 5, OK);
    }
}

/* One load is a chain of one. */
TEST(one_load_and_chains)
{
    for (int64_t n = 1; n <= 8; n++)
        add("2m-dependent", "tsc", n, 0, 30 + 170 * (double)n);
    assert_one("2m", "one_load", 200, 3, OK);
    for (int sign = -1; sign <= 1; sign += 2) {
        double t = 200 + 4 * sign;
        rows_center(&rows[0], t);
        assert_one("2m", "one_load", t, 3, DOUBT);
        assert_one("2m", "one_load", t, 5, OK); /* within what it may be off */
        assert_one("2m", "two_sequential", t, 3, OK);
    }
    row_count = 6 + 2; /* two lengths are no line */
    assert_one("2m", "one_load", 204, 3, OK);
}

/* Nothing but an ok is taken. */
TEST(other_verdicts_stay)
{
    static const enum verdict_status statuses[] = {DOUBT, SKIP, ERROR};
    floor_of_run.emulated = "it is one";
    for (EACH(status, statuses)) {
        apply("2m", *status);
        for (EACH(unit, units))
            assert_says(NULL, *unit, *status, "as it was");
    }
}

/* It is said, whether the verdict is ok or in doubt; a verdict that was skipped says why alone. */
TEST(shared_in_some_visits)
{
    add("2m", ENGINE_SHARED, ROW_NONE, ROW_NONE, 34.4);
    apply("2m", OK);
    assert_says(NULL, "ticks", OK, "as it was; core shared in 34 % of visits");
    apply("2m", DOUBT);
    assert_words(NULL, "ticks", "as it was; core shared in 34 % of visits");
    apply("2m", SKIP);
    assert_string_equal(list[0].method, "as it was");
    rows[row_count - 1].median = 0.4;
    apply("2m", OK);
    assert_string_equal(list[0].method, "as it was");
}

/* A guest's clock is another in another run: its interval is not narrower than that. */
TEST(times_of_a_guest)
{
    for (unsigned is_guest = 0; is_guest < 2; is_guest++) {
        floor_of_run.is_guest = is_guest;
        for (EACH(unit, units)) {
            bool is_clock = strcmp(*unit, "ticks") == 0 || strcmp(*unit, "MHz") == 0 ||
                            strcmp(*unit, "floors") == 0;
            double least = is_guest && is_clock ? 3 : 1; /* to either side by itself */
            apply_to("2m", *unit, *unit, 100, 1);
            verdict_value(&list[0], 100, 99, 110);
            control();
            assert_interval(&list[0], 100 - least, 110);
            verdict_value(&list[0], 100, 90, 101);
            control();
            assert_interval(&list[0], 90, 100 + least);
        }
    }
    apply("2m", OK);
    assert_interval(&list[0], NAN, NAN);
}

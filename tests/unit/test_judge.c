/* test_judge: rows in any order to groups, groups to verdicts, in time linear in their number; and
 * what is decided of all of them. */
#include <time.h>

#include "../../kernel/analysis/drift.h"
#include "../../kernel/data/experiments.h"
#include "../../kernel/engine/engine.h"
#include "../../kernel/experiments/experiment.h"
#include "../../kernel/experiments/judge.h"
#include "../../kernel/experiments/loads/mlp_rule.h"
#include "../../kernel/experiments/noise/floor_rule.h"
#include "../../kernel/experiments/noise/noise_rule.h"
#include "rows.h"
#include "rules.h"

#include "kit.h"

#define VERDICTS 10 /* of a case of mlp, */
#define SKIPS 11    /* and of one that was skipped: overhead, too */

SETUP(start)
{
    rows_start("mlp", NULL, 400, 2);
}

/* A reorder buffer of that size, ten loads side by side. */
static void add_table(const char *name, unsigned rob)
{
    for (unsigned n = 1; n <= 20; n++)
        for (unsigned k = 0; k <= 320; k += 16)
            add(name, "tsc", n, k, n + k > rob || n > 10 ? 410 : 220 + 2 * n);
}

static void add_array(const char *name, unsigned count)
{
    for (unsigned i = 0; i < count; i++) {
        struct row *row = rows_add("array", name, i % 3, ROW_NONE, 10 * i);
        row->bytes = (int64_t)1024 << i % 5;
        row->stage = i % 2;
    }
}

static const struct question of_rows[] = {{.name = "rows", .unit = ""}, {.name = NULL}};

/* An experiment that tells what it was given: how many rows, and that they are in order. */
static void count_rows(const struct evidence *e)
{
    const struct table *table = e->table;
    double count = (double)table->count;
    answer(verdict_add(e->verdicts, table->variant, of_rows), interval_around(count, 0),
           REASON_NONE, "rows");
    for (size_t i = 0; i < table->count; i++)
        assert_true(case_same(&table->rows[i].variant, table->variant));
    for (size_t i = 1; i < table->count; i++) {
        const struct row *a = &table->rows[i - 1], *b = &table->rows[i];
        int64_t before[] = {a->n, a->k, a->bytes, a->stage};
        int64_t after[] = {b->n, b->k, b->bytes, b->stage};
        unsigned same = 0;
        while (same < 4 && before[same] == after[same])
            same++;
        assert_true(same == 4 || before[same] < after[same]);
        assert_compare(row_compare(a, b), <=, 0);
    }
}

/* Its questions answer whatever was measured, with 100 [99 .. 110], a count or a time, as they need
 * it. */
enum {
    NOTHING,
    CORE,
    LARGE_PAGES,
    ANY_PAGES,
    CLOCK,
    MEMORY,
    TIME,
    NO_CORE,
    LEANING,
    COUNTED,
    NEEDS
};
static void answer_toy(const void *reading, struct verdict *v)
{
    const enum reason *doubt = reading;
    answer(v, (struct interval){100, 99, 110}, *doubt, "as it was");
}
static void answer_count(const void *reading, struct verdict *v)
{
    const enum reason *doubt = reading;
    answer(v, (struct interval){13, 12, 14}, *doubt, "as it was");
}
static const struct interval a_time = {40, 36.4, 49}, *toy_time = &a_time;
static void answer_time(const void *reading, struct verdict *v)
{
    const enum reason *doubt = reading;
    answer(v, *toy_time, *doubt, "as it was");
}

static const struct question toys[NEEDS + 1] = {
    {.name = "nothing", .unit = "", .judge = answer_toy},
    {.name = "core", .unit = "", .needs = NEEDS_WHOLE_CORE, .judge = answer_toy},
    {.name = "large pages", .unit = "", .needs = NEEDS_WHOLE_PAGES, .judge = answer_toy},
    {.name = "any pages", .unit = "", .needs = NEEDS_HOST_PAGES, .judge = answer_toy},
    {.name = "clock", .unit = "", .needs = NEEDS_CLOCK, .judge = answer_toy},
    {.name = "memory", .unit = "", .needs = NEEDS_CLOCK | NEEDS_MEMORY, .judge = answer_count},
    {.name = "time", .unit = "", .needs = NEEDS_CLOCK, .judge = answer_time},
    {.name = "no core", .unit = "", .needs = NEEDS_NO_CORE, .judge = answer_toy},
    {.name = "leaning", .unit = "", .leans_on = "core", .judge = answer_toy},
    {.name = "counted", .unit = "", .needs = NEEDS_COUNTERS, .judge = answer_toy},
    {.name = NULL},
};

static enum reason toy_doubt;
static void judge_toy(const struct evidence *e)
{
    answer_all(e, toys, &toy_doubt);
}

/* In place of the table of experiments. */
const struct experiment *experiment_find(const char *name)
{
    static const struct question *const lists_of_rows[] = {of_rows, NULL};
    static const struct question *const lists_of_toys[] = {toys, NULL};
    static const struct rule rule_of_rows = {.questions = lists_of_rows, .judge = count_rows};
    static const struct rule rule_of_toys = {.questions = lists_of_toys, .judge = judge_toy};
    static const struct question *const none[] = {NULL};
    static const struct rule nothing = {.questions = none};
    static const struct experiment all[] = {
        {.name = "mlp", .rule = &rule_mlp},
        {.name = "array", .rule = &rule_of_rows},
        {.name = "tlb", .rule = &rule_of_toys},
        {.name = "floor", .rule = &nothing, .turn = TURN_FIRST},
    };
    for (EACH(e, all))
        if (strcmp(e->name, name) == 0)
            return e;
    return NULL;
}

static void add_everything(void)
{
    row_count = 0;
    add_table("2m", 192);
    add_array("2m", 60);
    rows_add("mystery", "2m", 1, 1, 1);
    add_table("4k", 100);
    add_array("1g", 17);
    rows_add("mystery", "4k", 1, 1, 1);
}

/* Experiments by their first rows, in each the cases by theirs, then what compares cases. */
TEST(groups_in_order)
{
    static const char *const wanted[] = {
        "mlp 2m", "mlp 4k", "mlp 2m overhead", "mlp 4k overhead", "array 2m rows", "array 1g rows",
    };
    size_t at = 0;
    add_everything();
    judge_all_rows();
    for (size_t i = 0; i < 6; i++)
        for (unsigned j = 0; j < (i < 2 ? VERDICTS : 1); j++) {
            char seen[128];
            const struct verdict *v = &verdicts.at[at++];
            snprintf(seen, sizeof seen, i < 2 ? "%s %s" : "%s %s %s", v->variant.experiment,
                     name_of(&v->variant), v->question->name);
            assert_string_equal(seen, wanted[i]);
        }
    assert_numbers((verdicts.count, verdicts.at[at - 2].value), (at, 60));
    assert_compare(verdicts.at[at - 1].value, ==, 17);
}

/* Rows of an unknown experiment in front of all known ones take no known one's place. */
TEST(unknown_experiments_take_no_place)
{
#define NAME(name) #name,
    static const char *const known[] = {EXPERIMENTS(NAME)};
    struct tables tables;
    rows_add("mystery", "2m", 1, 1, 1);
    for (EACH(name, known))
        rows_add(*name, "2m", 1, 1, 1);
    void *room = rows_group(rows, row_count, &tables);
    assert_int_equal(tables.count, row_count - 1);
    for (size_t i = 0; i < tables.count; i++)
        assert_string_equal(tables.at[i].variant->experiment, known[i]);
    free(room);
}

/* No row is lost or made up by sorting. */
TEST(rows_are_kept)
{
    double sum = 0, sum_after = 0;
    struct tables tables;
    add_everything();
    rows_shuffle(rows, row_count);
    for (size_t i = 0; i < row_count; i++)
        sum += rows[i].median * (double)(rows[i].n + 3 * rows[i].k);
    void *room = rows_group(rows, row_count, &tables);
    for (size_t i = 0; i < row_count; i++)
        sum_after += rows[i].median * (double)(rows[i].n + 3 * rows[i].k);
    assert_near(sum, sum_after);
    size_t in_tables = 0;
    for (size_t i = 0; i < tables.count; i++) {
        in_tables += tables.at[i].count;
        assert_ptr_equal(tables_find(&tables, tables.at[i].variant), &tables.at[i]);
    }
    assert_int_equal(in_tables, row_count - 2); /* the mysteries come last */
    assert_string_equal(rows[row_count - 1].variant.experiment, "mystery");
    assert_string_equal(rows[row_count - 2].variant.experiment, "mystery");
    assert_null(tables_find(&tables, &rows[row_count - 1].variant));
    struct tables part = tables;
    part.count = 1;
    assert_ptr_equal(tables_find(&part, tables.at[0].variant), &tables.at[0]);
    assert_null(tables_find(&part, tables.at[1].variant));
    free(room);
}

/* What a list has no room for is counted. */
TEST(verdicts_that_are_lost)
{
    struct verdict two[2];
    const struct row row = rows_point("mlp", "2m", 1, 1, 1);
    struct verdict_list list = {.at = two, .room = 2};
    for (unsigned i = 0; i < 5; i++)
        verdict_add(&list, &row.variant, of_rows)->value = i;
    assert_true(list.count == 2 && list.lost == 3 && two[0].value == 0 && two[1].value == 1);
}

static void add_skipped(const char *name, const char *reason)
{
    struct row *row = add(name, ROW_SKIPPED, ROW_NONE, ROW_NONE, NAN);
    row->samples = 0;
    strcpy(row->unit, reason);
}

/* Every verdict of a case that was skipped says why, behind those of cases measured. */
TEST(skipped_beside_measured)
{
    add_skipped("1g", "no such pages");
    add_table("4k", 192);
    add_skipped("2m", "no memory, %u");
    judge_all_rows();
    assert_int_equal(verdicts.count, VERDICTS + 2 * SKIPS + 1);
    for (size_t i = 0; i < VERDICTS; i++) {
        assert_true(is_case(&verdicts.at[i].variant, "4k"));
        assert_string_equal(verdicts.at[i].question->name, mlp_questions[i].name);
    }
    for (unsigned i = 0; i < 2 * SKIPS; i++) {
        const struct verdict *v = &verdicts.at[VERDICTS + i];
        assert_true(is_case(&v->variant, i < SKIPS ? "1g" : "2m"));
        assert_string_equal(v->question->name,
                            i % SKIPS < VERDICTS ? mlp_questions[i % SKIPS].name : "overhead");
        assert_numbers((v->status, v->reason), (SKIP, REASON_UNAVAILABLE));
        assert_contains(v->method, i < SKIPS ? "; no such pages" : "; no memory, %u");
        assert_true(isnan(v->value));
    }
    /* Nothing is compared with a case that was skipped, plainer though it may be. */
    assert_string_equal(verdicts.at[verdicts.count - 1].question->name, "overhead");
    assert_says("4k", "overhead", OK, "other cases are compared with this one");
}

/* A case that was skipped has no verdicts but those it would have had. */
TEST(skipped_have_their_own_verdicts)
{
    add_skipped("2m-dependent", "no memory");
    judge_all_rows();
    assert_int_equal(verdicts.count, 2);
    assert_string_equal(verdicts.at[0].question->name, "sequential_slope");
    assert_string_equal(verdicts.at[1].question->name, "sequential_constant");
}

/* Counted rows are judged with the times, of tables and not of chains. */
TEST(counts_are_judged)
{
    for (unsigned n = 0; n <= 6; n++) {
        add("2m", "instructions", n, 0, 37 + n);
        add("2m-dependent", "instructions", n, 0, 37 + n);
    }
    judge_all_rows();
    verdict_of("2m", "payload_surplus");
    assert_none("2m-dependent", "payload_surplus");
}

/* Returns the processor time that it takes to group and judge so many rows, in memory that was used
 * before: the first touch of a page can take longer than all work on it. */
static double seconds_of(const struct row *many, size_t count)
{
    struct row *copy = malloc(count * sizeof *copy);
    struct tables tables;
    struct facts facts = {.step = 0};
    memcpy(copy, many, count * sizeof *copy);
    clock_t start = clock();
    void *room = rows_group(copy, count, &tables);
    clock_t grouped = clock() - start;
    size_t most = judge_verdicts_max(&tables);
    struct verdict_list list = {.at = malloc(most * sizeof *list.at), .room = most};
    memset(list.at, 1, most * sizeof *list.at);
    start = clock();
    judge_tables(&tables, &facts, &list);
    clock_t judged = clock() - start;
    assert_true(list.count > 0 && list.lost == 0);
    free(list.at);
    free(room);
    free(copy);
    return (double)(grouped + judged) / CLOCKS_PER_SEC;
}

/* Many rows of one case; many cases, of two nodes; two experiments by turns; many skipped: a whole
 * takes about as long as its eight parts. Work that grows as the square of the rows would take
 * eight times as long. */
TEST(work_is_linear)
{
    enum { ROWS = 8192, PARTS = 8, PART = ROWS / PARTS, TRIES = 5 };
    struct row *many = malloc(ROWS * sizeof *many);
    for (unsigned kind = 0; kind < 4; kind++) {
        double whole = INFINITY, parts = INFINITY; /* the least of a few: others disturb */
        for (unsigned i = 0; i < ROWS; i++) {
            char name[NAME_BYTES];
            snprintf(name, sizeof name, "2m%s-l%u", i % 2 ? "-node1" : "", i / 2);
            const char *experiment = kind == 2 && i % 2 ? "array" : "mlp";
            many[i] = rows_point(experiment, kind % 2 ? name : "2m", i % 64 + 1, i / 64, 100);
            if (kind == 3)
                strcpy(many[i].metric, ROW_SKIPPED);
        }
        for (unsigned i = 0; i < TRIES; i++) {
            double sum = 0;
            for (unsigned part = 0; part < PARTS; part++)
                sum += seconds_of(many + part * PART, PART);
            parts = fmin(parts, sum);
            whole = fmin(whole, seconds_of(many, ROWS));
        }
        assert_compare(whole, <, 2.5 * parts);
    }
    free(many);
}

/* --- what is decided ------------------------------------------------------------------------- */

/* Adds a case of the toys, and what floor found of the core: its width is known. */
static void add_toys(const char *name)
{
    rows_add("tlb", name, 1, 0, 200);
    rows_add_metric("floor", FLOOR_CORE, FLOOR_WIDTH, ROW_NONE, ROW_NONE, 4);
}

static void add_fact(const char *metric)
{
    rows_add_metric("floor", FLOOR_CORE, metric, ROW_NONE, ROW_NONE, 1);
}

/* Asserts that those of a set of toys are in doubt for that reason, and all others are ok. */
static void assert_doubted(const char *name, unsigned set, const char *code)
{
    judge_all_rows();
    for (unsigned i = 0; i < NEEDS; i++)
        assert_doubt(name, toys[i].name, (set >> i & 1) != 0 ? code : NULL);
    assert_words_fit();
}
#define ALL_TOYS ((1u << NEEDS) - 1)
#define TIMES (1u << CLOCK | 1u << MEMORY | 1u << TIME)

TEST(nothing_to_doubt)
{
    add_toys("2m");
    assert_doubted("2m", 0, NULL);
}

/* The clock's own cannot be wrong: it is what everything else is read off. All else has one reason,
 * the same for what was in doubt before, and no number. Cases that cannot be had, say so. */
TEST(emulators)
{
    for (toy_doubt = REASON_NONE; toy_doubt <= REASON_SCATTER; toy_doubt += REASON_SCATTER) {
        start();
        add_toys("2m");
        strcpy(rows_add("tlb", "4k", ROW_NONE, ROW_NONE, NAN)->metric, ROW_SKIPPED);
        add_fact(FLOOR_EMULATED);
        judge_all_rows();
        for (unsigned i = 0; i < NEEDS; i++) {
            if (i == NO_CORE)
                continue;
            const struct verdict *v = assert_says("2m", toys[i].name, SKIP, "emulated");
            assert_true(isnan(v->value) && isnan(v->low) && isnan(v->high));
            assert_string_equal(v->method, "does not apply (emulated)");
            if ((toys[i].needs & NEEDS_COUNTERS) == 0)
                assert_says("4k", toys[i].name, SKIP, "unavailable");
        }
        assert_doubt("2m", "no core", toy_doubt != REASON_NONE ? "scatter" : NULL);
    }
    toy_doubt = REASON_NONE;
}

/* What the whole core can do is not known: a sibling may have had a part of it all the time. Where
 * both states were seen, by rows of any of the experiment's cases, it is known. */
TEST(cores_of_unknown_width)
{
    rows_add("tlb", "2m", 1, 0, 200);
    rows_add_metric("floor", FLOOR_CORE, FLOOR_RATE, ROW_NONE, ROW_NONE, 3e9);
    judge_all_rows();
    assert_doubt("2m", "core", "core-may-be-shared");
    assert_doubt("2m", "nothing", NULL);
    assert_doubt("2m", "leaning", "leans-on-doubt");
    assert_words("2m", "leaning", "core of 2m is doubt: only one pace");
    rows_add_metric("tlb", "4k", ENGINE_STATES, ROW_NONE, 184, 2);
    assert_doubted("2m", 0, NULL);
}

/* Noise saw the core shared so often. */
static void add_noise(double share)
{
    rows_add_metric("floor", FLOOR_CORE, "width", ROW_NONE, ROW_NONE, 6);
    rows_add_metric("floor", FLOOR_CORE, FLOOR_RATE, ROW_NONE, ROW_NONE, 3e9);
    struct row *row = rows_add_metric("floor", FLOOR_CORE, NOISE_SHARED, ROW_NONE, ROW_NONE, 0);
    row->samples = 100;
    row->max = 1;
    row->mean = share;
}

/* Noise saw a sibling most of the time, and the experiment then not once: it may have hidden. Where
 * some visits were shared, the others are not. */
TEST(a_sibling_that_hides)
{
    for (unsigned mostly = 0; mostly < 2; mostly++) {
        rows_clear();
        add_noise(mostly ? 0.6 : 0.4);
        rows_add("tlb", "2m", 1, 0, 200);
        judge_all_rows();
        assert_doubt("2m", "core", mostly ? "core-may-be-shared" : NULL);
        assert_doubt("2m", "nothing", NULL);
    }
    rows_add_metric("tlb", "4k", ENGINE_APART, ROW_NONE, ROW_NONE, 0.1);
    assert_doubted("2m", 0, NULL);
}

/* A run judges an experiment before it measures the next. */
TEST(a_sibling_that_is_seen_later)
{
    rows_add("tlb", "2m", 1, 0, 200);
    add_noise(0.6);
    assert_doubted("2m", 0, NULL);
}

/* Large pages need be whole; of what is measured against them, any page. */
TEST(small_pages_behind_large_ones)
{
    static const struct {
        const char *name;
        unsigned set;
    } cases[] = {
        {"2m", 1u << LARGE_PAGES | 1u << ANY_PAGES},
        {"1g", 1u << LARGE_PAGES | 1u << ANY_PAGES},
        {"4k", 1u << ANY_PAGES},
        {"add", 0}, /* has no page */
    };
    for (EACH(c, cases)) {
        rows_clear();
        add_toys(c->name);
        add_fact(FACTS_SMALL_PAGES);
        assert_doubted(c->name, c->set, "small-host-pages");
    }
}

TEST(mostly_discarded)
{
    add_toys("2m");
    rows[0].discarded = 9 * rows[0].samples;
    assert_doubted("2m", 0, NULL); /* a tenth was kept */
    rows[0].discarded++;
    judge_all_rows();
    for (unsigned i = 0; i < NEEDS; i++)
        assert_doubt("2m", toys[i].name, "too-few-kept");
}

/* It is said, whether the verdict is ok or in doubt; a verdict that was skipped says why alone. */
TEST(shared_in_some_visits)
{
    add_toys("2m");
    rows_add_metric("tlb", "2m", ENGINE_SHARED, ROW_NONE, ROW_NONE, 34.4);
    assert_says("2m", "nothing", OK, "as it was; core shared in 34 % of visits");
    rows[0].discarded = 10000 * rows[0].samples;
    assert_words("2m", "nothing", "; core shared in 34 % of visits");
    rows[0].discarded = 0;
    rows[row_count - 1].median = 0;
    assert_string_equal(assert_status("2m", "nothing", OK)->method, "as it was");
}

/* Adds what a core cycle took in the visits of a case; in a few it took four times as long. */
static struct row *add_clock(const char *name, double least, double most)
{
    struct row *row = rows_add_metric("tlb", name, ENGINE_CLOCK, ROW_NONE, ROW_NONE, most);
    row->p10 = least;
    row->p90 = most;
    row->max = 4 * most;
    return row;
}

/* No answer holds whose times met two clocks, but those of the time-stamp counter alone. */
TEST(a_clock_that_moves)
{
    add_toys("2m");
    add_clock("2m", 1, 1.24);
    assert_doubted("2m", 0, NULL);
    add_clock("2m", 1.1, 1.26); /* of a later task */
    assert_doubted("2m", ALL_TOYS & ~(1u << NO_CORE), "clock-moved");
    assert_words("2m", "core", "a core cycle took 1.00 to 1.26 ticks, and 0.00 in floor");
}

/* Ticks are compared with those of other cases, at floor's clock. */
TEST(another_clock_than_floors)
{
    add_toys("2m");
    for (int64_t n = 1; n <= 2; n++)
        for (int64_t k = 100; k <= 200; k += 100)
            rows_add_metric("floor", FLOOR_CORE, "tsc", n, k, 2.0 * (double)(k / n));
    struct row *clock = add_clock("2m", 2.2, 2.4);
    assert_doubted("2m", 0, NULL);
    assert_interval(verdict_of("2m", "clock"), 80, 120);
    assert_interval(verdict_of("2m", "nothing"), 99, 110);
    clock->p10 = clock->p90 = 2.6;
    assert_doubted("2m", TIMES, "clock-moved");
    assert_interval(verdict_of("2m", "clock"), 75, 125); /* no more than of an answer that holds */
    clock->p10 = clock->p90 = 1.5;
    assert_doubted("2m", TIMES, "clock-moved");
}

/* A time that another run may show half as long again says nothing; what is no time does. */
TEST(times_that_drift)
{
    add_toys("2m");
    for (unsigned epoch = 0; epoch < 9; epoch++) {
        struct row *row = rows_add_metric("tlb", "2m", DRIFT_METRIC, 1, 0, 100);
        row->stage = epoch;
        row->center = 100 + 0.93 * (epoch - 4.0); /* later: by 45 % */
    }
    assert_doubted("2m", 0, NULL);
    for (unsigned i = 0; i < row_count; i++)
        if (row_is(&rows[i], DRIFT_METRIC))
            rows[i].center = 100 + 1.137 * (double)(rows[i].stage - 4);
    assert_doubted("2m", TIMES, "scatter");
    assert_words("2m", "clock", "another run may be off by 55 %");
}

/* A load of large pages that hits, and takes longer than both second levels, has walked: whatever
 * floor saw of one page, pieces have translations of their own. A core cycle is two ticks, and the
 * case's clock may be slower. Other pages and states of the TLB may walk; a store has a fence, too;
 * and without a host large pages are whole. */
TEST(large_pages_that_are_walked)
{
    static const struct {
        const char *name;
        double cycles, slower;
        const char *fact;
        bool is_seen;
    } cases[] = {
        {"2m", 29, 1, NULL, true},
        {"2m", 27, 1, NULL, false},
        {"2m", 42, 1.2, NULL, true},
        {"2m", 36, 1.2, NULL, false},
        {"2m-prefetch", 29, 1, NULL, true},
        {"2m-store", 29, 1, NULL, false},
        {"2m-warm", 29, 1, NULL, true},
        {"2m-cold", 29, 1, NULL, false},
        {"4k", 29, 1, NULL, false},
        {"2m", 29, 1, FLOOR_RATE, false},
        {"2m", 29, 1, FACTS_HYPERVISOR, true},
    };
    for (EACH(c, cases)) {
        rows_clear();
        add_toys(c->name);
        for (int64_t n = 1; n <= 2; n++)
            for (int64_t k = 100; k <= 200; k += 100)
                rows_add_metric("floor", FLOOR_CORE, "tsc", n, k, 2.0 * (double)(k / n));
        rows_add("floor", FLOOR_LFENCE, 0, 0, 60);
        rows_add_metric("tlb", c->name, FACTS_CACHED, 1, 0, 60 + 2 * c->cycles);
        add_clock(c->name, 2, 2 * c->slower);
        if (c->fact != NULL)
            add_fact(c->fact);
        judge_all_rows();
        assert_doubt(c->name, toys[LARGE_PAGES].name, c->is_seen ? "small-host-pages" : NULL);
    }
}

/* A guest's clock is another in another run, and memory's pace: a count reaches that far at least
 * and stays a whole number, a time is wider by its square. */
TEST(times_of_a_guest)
{
    add_toys("2m");
    for (unsigned is_guest = 0; is_guest < 2; is_guest++) {
        if (is_guest)
            add_fact(FACTS_HYPERVISOR);
        assert_interval(assert_status("2m", "nothing", OK), 99, 110);
        assert_interval(assert_status("2m", "clock", OK), is_guest ? 88 : 99, is_guest ? 112 : 110);
        assert_interval(assert_status("2m", "time", OK), is_guest ? 34 : 36.4,
                        is_guest ? 50.2 : 49);
        assert_interval(assert_status("2m", "memory", OK), is_guest ? 10 : 12, is_guest ? 16 : 14);
    }
}

/* "At least 61" stays so in a guest, too. */
TEST(one_end_alone)
{
    static const struct interval at_least = {NAN, 61, NAN};
    add_toys("2m");
    add_fact(FACTS_HYPERVISOR);
    toy_time = &at_least;
    assert_interval(assert_status("2m", "time", OK), 61, NAN);
    toy_time = &a_time;
}

/* A case of one state of the core that lacks most points of the other state answers nothing: what
 * it lacks would seem to be the configuration's. References and searches do not count. */
TEST(a_case_of_few_points)
{
    for (int64_t n = 1; n <= 20; n++)
        rows_add("tlb", "2m", n, 0, 200);
    for (unsigned count = 9; count <= 10; count++) {
        row_count = 20;
        for (unsigned n = 1; n <= count; n++)
            rows_add("tlb", "2m-shared", n, 0, 300);
        for (unsigned i = 0; i < 20; i++)
            rows_add("tlb", "2m-shared", 1, 0, 300)->stage = i;
        assert_status("2m", "nothing", OK);
        if (count == 10)
            assert_status("2m-shared", "nothing", OK);
        else
            assert_no_value("2m-shared", "nothing", SKIP, "case-incomplete");
        assert_words("2m-shared", "nothing", count == 10 ? "as it was" : "9 of 20, of the shared");
    }
    for (ADDED_ROWS(row)) /* nor of several cases together */
        rows_name(row, "array", row->variant.shared ? "2m-shared" : "2m");
    row_count = 20 + 9;
    assert_no_value("2m-shared", "rows", SKIP, "case-incomplete");
}

/* What was skipped has no answer to a question of counters: they may be there. */
TEST(questions_that_are_not_skipped)
{
    struct row *row = rows_add("tlb", "2m", ROW_NONE, ROW_NONE, NAN);
    strcpy(row->metric, ROW_SKIPPED);
    row->samples = 0;
    assert_none("2m", "counted");
    assert_status("2m", "leaning", SKIP);
}

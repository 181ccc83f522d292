/* test_structures_rule: what each filler's jump says, on curves whose jump is put where a test
 * wants it.
 */
#include "../../kernel/experiments/experiment.h"
#include "../../kernel/probe/filler.h"
#include "rows.h"
#include "rules.h"

#include "kit.h"

#define LAST_K 320
#define NEVER (LAST_K + 1) /* as the place of a jump: beyond all that is measured */
#define ROB_K 192          /* the first K beyond the jump of the NOPs */

SETUP(start)
{
    rows_clear();
}

static struct row *add(const char *variant, unsigned n, unsigned k, double median)
{
    struct row *row = rows_add("structures", variant, n, k, median);
    rows_spread(row, 1);
    return row;
}

/* N = 2 of one case: two loads side by side before `jump`, one after the other from there. */
static void add_case(const char *variant, unsigned jump, unsigned step)
{
    for (unsigned k = 0; k <= LAST_K; k += step)
        add(variant, 2, k, k < jump ? 220 : 410);
}

static void compare(void)
{
    compare_rows(rule_structures.compare);
}

static void assert_answer(const char *variant, double value)
{
    assert_true(assert_status(variant, NULL, VERDICT_OK)->value == value);
}

/*
 * Where each filler jumps on a usual core: every structure is smaller than what else its filler
 * uses. Beside the fillers just before the jump are both loads, none, or the last. From the first K
 * beyond the jump, that is one more, one less, or just as much.
 */
static const struct {
    const char *variant, *name, *unit;
    unsigned jump;
    int from_first_beyond;
} cases[] = {
    [FILLER_NOP] = {"nop", "rob_entries", "entries", ROB_K, 1},
    [FILLER_LONG_NOP] = {"long-nop", "rob_entries_long_nop", "entries", ROB_K, 1},
    [FILLER_ADD] = {"add", "integer_registers", "registers", 180, 1},
    [FILLER_VECTOR_ADD] = {"vector", "vector_registers", "registers", 100, -1},
    [FILLER_LOAD] = {"load", "loads_in_flight", "loads", 90, 1},
    [FILLER_STORE] = {"store", "store_queue", "entries", 60, -1},
    [FILLER_WAITING_ADD] = {"waiting", "scheduler_entries", "entries", 120, 0},
    [FILLER_WAITING_LOAD] = {"waiting-load", "load_queue", "entries", 90, 1},
};
#define CASES (sizeof cases / sizeof *cases)
#define STRUCTURES 2 /* the first that is no reorder buffer */

static double answer(size_t i, unsigned first_beyond)
{
    return (double)first_beyond + cases[i].from_first_beyond;
}

/* A core of which `jump` may be changed before it is added: only this filler jumps there, all
 * others with the NOPs. But a load that waits has to jump with one that does not. */
static unsigned jump[CASES];

static void only(size_t i, unsigned there)
{
    row_count = 0;
    for (size_t j = 0; j < CASES; j++)
        jump[j] = ROB_K;
    jump[i] = there;
    if (i == FILLER_WAITING_LOAD)
        jump[FILLER_LOAD] = there;
}

static void add_core(unsigned step)
{
    for (size_t i = 0; i < CASES; i++)
        add_case(cases[i].variant, jump[i], step);
}

/* So many of it there are, and nobody can say how many more. */
static void assert_least(const char *variant, double least, const char *why)
{
    const struct verdict *v = assert_says(variant, NULL, VERDICT_DOUBT, "at least this: ");
    assert_words(variant, NULL, why);
    assert_true(isnan(v->value) && isnan(v->high));
    assert_true(v->low == least);
}

/* --- each filler ----------------------------------------------------------------------------- */

TEST(each_filler)
{
    for (size_t i = 0; i < CASES; i++)
        add_case(cases[i].variant, cases[i].jump, 1);
    compare();
    assert_int_equal(verdicts.count, CASES);
    for (size_t i = 0; i < CASES; i++) {
        const struct verdict *v = &verdicts.at[i];
        assert_string_equal(v->of.experiment, "structures");
        assert_string_equal(name_of(&v->of), cases[i].variant);
        assert_string_equal(v->name, cases[i].name);
        assert_string_equal(v->unit, cases[i].unit);
        assert_true(v->method[0] != '\0');
        assert_answer(cases[i].variant, answer(i, cases[i].jump));
    }
}

TEST(verdict_names)
{
    for (size_t i = 0; i < CASES; i++)
        assert_string_equal(rule_structures.verdicts[i], cases[i].name);
    assert_null(rule_structures.verdicts[CASES]);
}

/* Where only every eighth K was measured, the true value is within the interval and moves alike. */
TEST(interval_of_a_coarse_curve)
{
    for (size_t i = 0; i < CASES; i++)
        add_case(cases[i].variant, cases[i].jump, 8);
    compare();
    for (size_t i = 0; i < CASES; i++) {
        const struct verdict *v = verdict_of(cases[i].variant, NULL);
        unsigned first_beyond = (cases[i].jump + 7) / 8 * 8;
        assert_answer(cases[i].variant, answer(i, first_beyond));
        assert_true(v->low == answer(i, first_beyond - 7));
        assert_true(v->high == answer(i, first_beyond));
    }
}

/* Only N = 2 is looked at, and only its ticks. */
TEST(other_rows)
{
    add_case("nop", ROB_K, 4);
    for (unsigned k = 0; k <= LAST_K; k += 4)
        add("nop", 3, k, 1000.0 * (k % 3));
    for (unsigned k = 2; k <= LAST_K; k += 4)
        strcpy(add("nop", 2, k, 1000.0 * (k % 3))->metric, "cycles");
    for (unsigned k = 1; k <= LAST_K; k += 4)
        add("nop", 2, k, 1000.0 * (k % 3))->samples = 0;
    compare();
    assert_int_equal(verdicts.count, 1);
    assert_answer("nop", ROB_K + 1);
}

/* Cases in the order of the manual whatever that of the rows, and rows of a case in any. */
TEST(order_of_rows_does_not_matter)
{
    for (size_t i = CASES; i-- > 0;) {
        size_t first = row_count;
        add_case(cases[i].variant, cases[i].jump, 2);
        for (size_t a = first, b = row_count - 1; a < b; a++, b--) {
            struct row kept = rows[a];
            rows[a] = rows[b];
            rows[b] = kept;
        }
    }
    compare();
    assert_int_equal(verdicts.count, CASES);
    for (size_t i = 0; i < CASES; i++) {
        assert_string_equal(name_of(&verdicts.at[i].of), cases[i].variant);
        assert_answer(cases[i].variant, answer(i, cases[i].jump));
    }
}

TEST(unknown_case)
{
    add_case("nops", ROB_K, 8);
    add_case("ad", 80, 8);
    compare();
    assert_int_equal(verdicts.count, 0);
}

/* --- beside other structures ------------------------------------------------------------------ */

/* A jump within three hundredths of that of the NOPs is the reorder buffer's own. */
TEST(reorder_buffer_ends_first)
{
    static const struct {
        unsigned there; /* 0.97 * 192 is 186.24 */
        bool seen;
    } jumps[] = {{186, true}, {187, false}, {ROB_K, false}, {ROB_K + 20, false}};

    for (size_t j = 0; j < sizeof jumps / sizeof *jumps; j++)
        for (size_t i = STRUCTURES; i < CASES; i++) {
            double value = answer(i, jumps[j].there);
            only(i, jumps[j].there);
            add_core(1);
            compare();
            if (jumps[j].seen)
                assert_answer(cases[i].variant, value);
            else
                assert_least(cases[i].variant, value, "the reorder buffer ends first");
        }
}

/* The same of every other structure that a filler uses besides its own. */
TEST(another_structure_ends_first)
{
    static const struct {
        enum filler filler, other;
        const char *why; /* NULL: it uses none of that */
    } pairs[] = {
        {FILLER_LOAD, FILLER_ADD, "the integer register file ends first"},
        {FILLER_WAITING_ADD, FILLER_ADD, "the integer register file ends first"},
        {FILLER_WAITING_LOAD, FILLER_ADD, "the integer register file ends first"},
        {FILLER_WAITING_LOAD, FILLER_WAITING_ADD, "the scheduler ends first"},
        {FILLER_VECTOR_ADD, FILLER_ADD, NULL},
        {FILLER_STORE, FILLER_ADD, NULL},
        {FILLER_ADD, FILLER_WAITING_ADD, NULL},
        {FILLER_LOAD, FILLER_WAITING_ADD, NULL},
        {FILLER_LOAD, FILLER_WAITING_LOAD, NULL},
        {FILLER_WAITING_ADD, FILLER_WAITING_LOAD, NULL},
    };
    static const unsigned jumps[] = {96, 97, 100, 120}; /* against 100 */

    for (size_t p = 0; p < sizeof pairs / sizeof *pairs; p++)
        for (size_t j = 0; j < sizeof jumps / sizeof *jumps; j++) {
            const char *variant = cases[pairs[p].filler].variant;
            double value = answer(pairs[p].filler, jumps[j]);
            only(pairs[p].filler, jumps[j]);
            jump[pairs[p].other] = 100;
            add_core(1);
            compare();
            if (pairs[p].why == NULL || jumps[j] == 96)
                assert_answer(variant, value);
            else
                assert_least(variant, value, pairs[p].why);
        }
}

/* A load that waits sits in a scheduler, and loads may have one of their own. */
TEST(waiting_loads_that_end_before_others)
{
    static const unsigned others[] = {94, 120, NEVER};

    for (size_t j = 0; j < sizeof others / sizeof *others; j++) {
        only(FILLER_WAITING_LOAD, 90);
        jump[FILLER_LOAD] = others[j];
        add_core(1);
        compare();
        assert_least("waiting-load", 91, "a scheduler of its own may end first, since load jumps");
    }
    only(FILLER_WAITING_LOAD, 90);
    jump[FILLER_LOAD] = 92;
    add_core(1);
    compare();
    assert_answer("waiting-load", 91);
}

/* NOPs of either length measure the reorder buffer itself, wherever the other jumps. */
TEST(long_nops_stand_alone)
{
    add_case("long-nop", 90, 1);
    compare();
    assert_int_equal(verdicts.count, 1);
    assert_answer("long-nop", 91);
}

/* Without the jump of another filler nobody can say which of the two ended. */
TEST(the_other_was_not_measured)
{
    for (size_t i = STRUCTURES; i < CASES; i++)
        add_case(cases[i].variant, cases[i].jump, 4);
    compare();
    assert_int_equal(verdicts.count, CASES - STRUCTURES);
    for (size_t i = STRUCTURES; i < CASES; i++)
        assert_no_value(cases[i].variant, NULL, VERDICT_DOUBT,
                        "needs the end of the reorder buffer");
}

TEST(the_other_does_not_jump)
{
    static const struct {
        enum filler filler, other;
        const char *words;
    } pairs[] = {
        {FILLER_LOAD, FILLER_ADD, "needs the end of the integer register file"},
        {FILLER_WAITING_ADD, FILLER_ADD, "needs the end of the integer register file"},
        {FILLER_WAITING_LOAD, FILLER_WAITING_ADD, "needs the end of the scheduler"},
    };

    for (size_t p = 0; p < sizeof pairs / sizeof *pairs; p++) {
        only(pairs[p].filler, 80);
        jump[pairs[p].other] = NEVER;
        add_core(4);
        compare();
        assert_no_value(cases[pairs[p].other].variant, NULL, VERDICT_DOUBT, "no jump");
        assert_no_value(cases[pairs[p].filler].variant, NULL, VERDICT_DOUBT, pairs[p].words);
    }
    only(FILLER_STORE, 80);
    jump[FILLER_NOP] = jump[FILLER_LONG_NOP] = NEVER;
    add_core(4);
    compare();
    assert_no_value("nop", NULL, VERDICT_DOUBT, "no jump");
    assert_no_value("store", NULL, VERDICT_DOUBT, "needs the end of the reorder buffer");
}

/* --- curves without an answer ---------------------------------------------------------------- */

TEST(no_jump)
{
    for (size_t i = 0; i < CASES; i++)
        add_case(cases[i].variant, i < STRUCTURES ? ROB_K : NEVER, 4);
    compare();
    assert_answer("nop", ROB_K + 1);
    for (size_t i = STRUCTURES; i < CASES; i++)
        assert_no_value(cases[i].variant, NULL, VERDICT_DOUBT, "no jump: time does not rise");
}

TEST(no_clear_jump)
{
    add_case("nop", ROB_K, 4);
    for (unsigned k = 0; k <= LAST_K; k += 4)
        add("store", 2, k, (k < 80 ? 220 : 410) + (k % 8 ? 80 : -80));
    compare();
    assert_no_value("store", NULL, VERDICT_DOUBT, "no clear jump");
}

/* Three values of K on either side of the jump, or nothing was measured. */
TEST(too_few_points)
{
    for (size_t i = 0; i < CASES; i++)
        for (unsigned points = 1; points <= 6; points++) {
            only(i, 3);
            for (size_t j = i < STRUCTURES ? CASES : 0; j < CASES; j++)
                if (j != i)
                    add_case(cases[j].variant, jump[j], 1);
            for (unsigned k = 0; k < points; k++)
                add(cases[i].variant, 2, k, k < 3 ? 220 : 410);
            compare();
            if (points < 6)
                assert_no_value(cases[i].variant, NULL, VERDICT_SKIP, "N = 2 at six values of K");
            else
                assert_answer(cases[i].variant, answer(i, 3));
        }
}

/* A case without a single point of N = 2 has no verdict: nothing was asked. */
TEST(no_points)
{
    add_case("nop", ROB_K, 4);
    strcpy(add("add", 2, 0, 0)->metric, ROW_SKIPPED);
    add("vector", 1, 0, 220);
    compare();
    assert_int_equal(verdicts.count, 1);
    assert_string_equal(name_of(&verdicts.at[0].of), "nop");
}

/* --- NOPs that share an entry ----------------------------------------------------------------- */

/* Both are printed, neither is claimed; the others are compared with the nearer one. */
TEST(nops_that_share_an_entry)
{
    add_case("nop", 2 * 128, 1);
    add_case("long-nop", 128, 1);
    add_case("add", 100, 1);
    add_case("load", 126, 1);
    compare();
    assert_true(assert_status("nop", NULL, VERDICT_DOUBT)->value == 257);
    assert_true(assert_status("long-nop", NULL, VERDICT_DOUBT)->value == 129);
    assert_string_equal(verdict_of("nop", NULL)->method,
                        "NOPs of one byte jump at K = 256, of eight at 128: some share an entry");
    assert_answer("add", 101);
    assert_least("load", 127, "the reorder buffer ends first");
}

TEST(nops_that_are_alike)
{
    add_case("nop", 196, 1);
    add_case("long-nop", 192, 1);
    compare();
    assert_answer("nop", 197);
    assert_answer("long-nop", 193);
}

TEST(nops_of_which_one_shows_no_jump)
{
    add_case("nop", 128, 1);
    add_case("long-nop", NEVER, 1);
    add_case("add", 100, 1);
    compare();
    assert_true(assert_status("nop", NULL, VERDICT_DOUBT)->value == 129);
    assert_answer("add", 101);
}

/* --- states of the core ---------------------------------------------------------------------- */

TEST(a_shared_core_has_its_own)
{
    add_case("nop", 256, 1);
    add_case("add", 200, 1);
    add_case("load", 100, 1);
    add_case("nop-shared", 128, 1);
    add_case("add-shared", 100, 1);
    add_case("load-shared", 98, 1);
    add_case("store-shared", 127, 1);
    compare();
    assert_answer("nop", 257);
    assert_answer("add", 201);
    assert_answer("load", 101);
    assert_answer("nop-shared", 129);
    assert_answer("add-shared", 101);
    assert_least("load-shared", 99, "the integer register file ends first");
    assert_least("store-shared", 126, "the reorder buffer ends first");
}

TEST(a_core_that_was_shared_all_the_time)
{
    add_case("nop-shared", 128, 1);
    add_case("add-shared", 100, 1);
    compare();
    assert_int_equal(verdicts.count, 2);
    assert_answer("add-shared", 101);
}

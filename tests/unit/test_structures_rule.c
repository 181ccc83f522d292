/* test_structures_rule: what each filler's jump says, on curves whose jump is put where a test
 * wants it.
 */
#include "../../kernel/experiments/experiment.h"
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
 * What stands beside the fillers just before the jump: both loads, none, or the last. From the
 * first K beyond the jump, that is one more, one less, or just as much.
 */
static const struct {
    const char *variant, *name, *unit;
    int from_first_beyond;
} cases[] = {
    {"nop", "rob_entries", "entries", 1},
    {"long-nop", "rob_entries_long_nop", "entries", 1},
    {"add", "integer_registers", "registers", 1},
    {"vector", "vector_registers", "registers", -1},
    {"load", "load_queue", "entries", 1},
    {"store", "store_queue", "entries", -1},
    {"waiting", "scheduler_entries", "entries", 0},
};
#define CASES (sizeof cases / sizeof *cases)
#define STRUCTURES 2 /* the first that is no reorder buffer */

/* --- each filler ----------------------------------------------------------------------------- */

TEST(each_filler)
{
    for (size_t i = 0; i < CASES; i++)
        add_case(cases[i].variant, i < STRUCTURES ? ROB_K : 40 + 20 * (unsigned)i, 1);
    compare();
    assert_int_equal(verdicts.count, CASES);
    for (size_t i = 0; i < CASES; i++) {
        const struct verdict *v = &verdicts.at[i];
        double first_beyond = i < STRUCTURES ? ROB_K : 40 + 20 * (double)i;
        assert_string_equal(v->of.experiment, "structures");
        assert_string_equal(name_of(&v->of), cases[i].variant);
        assert_string_equal(v->name, cases[i].name);
        assert_string_equal(v->unit, cases[i].unit);
        assert_true(v->method[0] != '\0');
        assert_answer(cases[i].variant, first_beyond + cases[i].from_first_beyond);
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
    add_case("nop", ROB_K, 8);
    for (size_t i = STRUCTURES; i < CASES; i++)
        add_case(cases[i].variant, 99, 8); /* found at 104; 96 was still before it */
    compare();
    for (size_t i = STRUCTURES; i < CASES; i++) {
        const struct verdict *v = verdict_of(cases[i].variant, NULL);
        assert_answer(cases[i].variant, 104 + cases[i].from_first_beyond);
        assert_true(v->low == 97 + cases[i].from_first_beyond);
        assert_true(v->high == 104 + cases[i].from_first_beyond);
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
        add_case(cases[i].variant, i < STRUCTURES ? ROB_K : 80, 4);
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
        assert_answer(cases[i].variant, (i < STRUCTURES ? ROB_K : 80) + cases[i].from_first_beyond);
    }
}

TEST(unknown_case)
{
    add_case("nops", ROB_K, 8);
    add_case("ad", 80, 8);
    compare();
    assert_int_equal(verdicts.count, 0);
}

/* --- beside the reorder buffer --------------------------------------------------------------- */

/* A jump within three hundredths of that of the NOPs is the reorder buffer's own. */
TEST(reorder_buffer_ends_first)
{
    static const struct {
        unsigned jump; /* 0.97 * 192 is 186.24 */
        bool seen;
    } jumps[] = {{186, true}, {187, false}, {ROB_K, false}, {ROB_K + 20, false}};

    for (size_t j = 0; j < sizeof jumps / sizeof *jumps; j++)
        for (size_t i = STRUCTURES; i < CASES; i++) {
            double value = (double)jumps[j].jump + cases[i].from_first_beyond;
            row_count = 0;
            add_case("nop", ROB_K, 1);
            add_case(cases[i].variant, jumps[j].jump, 1);
            compare();
            const struct verdict *v = verdict_of(cases[i].variant, NULL);
            if (jumps[j].seen) {
                assert_answer(cases[i].variant, value);
                continue;
            }
            assert_says(cases[i].variant, NULL, VERDICT_DOUBT, "at least this");
            assert_true(isnan(v->value) && isnan(v->high));
            assert_true(v->low == value);
        }
}

/* NOPs of either length measure the reorder buffer itself, wherever the other jumps. */
TEST(long_nops_stand_alone)
{
    add_case("long-nop", 90, 1);
    compare();
    assert_int_equal(verdicts.count, 1);
    assert_answer("long-nop", 91);
}

/* Without the jump of NOPs nobody can say which of the two ended. */
TEST(no_nop_case)
{
    for (size_t i = STRUCTURES; i < CASES; i++)
        add_case(cases[i].variant, 80, 4);
    compare();
    assert_int_equal(verdicts.count, CASES - STRUCTURES);
    for (size_t i = STRUCTURES; i < CASES; i++)
        assert_no_value(cases[i].variant, NULL, VERDICT_DOUBT, "needs the jump of NOPs");
}

TEST(nops_that_do_not_jump)
{
    add_case("nop", NEVER, 4);
    add_case("load", 80, 4);
    compare();
    assert_no_value("nop", NULL, VERDICT_DOUBT, "no jump");
    assert_no_value("load", NULL, VERDICT_DOUBT, "needs the jump of NOPs");
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
            row_count = 0;
            if (i >= STRUCTURES)
                add_case("nop", ROB_K, 4);
            for (unsigned k = 0; k < points; k++)
                add(cases[i].variant, 2, k, k < 3 ? 220 : 410);
            compare();
            if (points < 6)
                assert_no_value(cases[i].variant, NULL, VERDICT_SKIP, "N = 2 at six values of K");
            else
                assert_answer(cases[i].variant, 3 + cases[i].from_first_beyond);
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
    assert_status("load", NULL, VERDICT_DOUBT); /* the reorder buffer ends first */
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
    add_case("nop-shared", 128, 1);
    add_case("add-shared", 100, 1);
    add_case("load-shared", 127, 1);
    compare();
    assert_answer("nop", 257);
    assert_answer("add", 201);
    assert_answer("nop-shared", 129);
    assert_answer("add-shared", 101);
    assert_status("load-shared", NULL, VERDICT_DOUBT);
}

TEST(a_core_that_was_shared_all_the_time)
{
    add_case("nop-shared", 128, 1);
    add_case("add-shared", 100, 1);
    compare();
    assert_int_equal(verdicts.count, 2);
    assert_answer("add-shared", 101);
}

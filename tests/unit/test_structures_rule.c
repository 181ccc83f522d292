/* test_structures_rule: each filler's jump, on curves that jump where a test wants it. */
#include "../../kernel/experiments/experiment.h"
#include "../../kernel/probe/filler.h"
#include "rows.h"
#include "rules.h"

#include "kit.h"

#define LAST_K 320
#define NEVER (LAST_K + 1) /* as the K of a jump: beyond all that is measured */
#define ROB_K 192          /* the first K beyond the jump of the NOPs */

SETUP(start)
{
    rows_clear();
}

static struct row *add(const char *variant, unsigned n, unsigned k, double median)
{
    return rows_add_metric("structures", variant, "tsc", n, k, median);
}

/* N = 2 of one case: two parallel loads before `jump`, two serialized ones from there. */
static void add_case(const char *variant, unsigned jump, unsigned step)
{
    for (unsigned k = 0; k <= LAST_K; k += step)
        add(variant, 2, k, k < jump ? 220 : 410);
}

static void compare(void)
{
    compare_rows(rule_structures.compare);
}

/*
 * A usual core: every structure is smaller than what else its filler uses. Beside the fillers just
 * before the jump are both loads, none, or the last: from the first K beyond the jump, that is one
 * more, one less, or just as much.
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

/* Asserts the answer of a jump there. */
static void assert_jump(size_t i, unsigned first_beyond)
{
    assert_verdict(cases[i].variant, cases[i].name, VERDICT_OK,
                   (double)first_beyond + cases[i].from_first_beyond);
}

/* So many of it there are, and nobody can say how many more. */
static void assert_least(size_t i, unsigned first_beyond, const char *why)
{
    const struct verdict *v = assert_says(cases[i].variant, NULL, VERDICT_DOUBT, "at least this: ");
    assert_words(cases[i].variant, NULL, why);
    assert_true(isnan(v->value) && isnan(v->high));
    assert_true(v->low == (double)first_beyond + cases[i].from_first_beyond);
}

/* A core on which one filler jumps there, another one elsewhere (-1: none), and all others with the
 * NOPs; but a load that waits jumps with one that does not. */
static void compare_core(size_t i, unsigned there, int other, unsigned elsewhere, unsigned step)
{
    rows_clear();
    for (size_t j = 0; j < CASES; j++) {
        bool is_like = j == i || (i == FILLER_WAITING_LOAD && j == FILLER_LOAD);
        add_case(cases[j].variant, (int)j == other ? elsewhere : is_like ? there : ROB_K, step);
    }
    compare();
}

/* --- each filler ----------------------------------------------------------------------------- */

/* In the order of the manual, whatever that of the cases and rows. Where only every eighth K was
 * measured, the true value is within the interval. */
TEST(each_filler)
{
    for (unsigned step = 1; step <= 8; step += 7) {
        rows_clear();
        for (size_t i = CASES; i-- > 0;)
            add_case(cases[i].variant, cases[i].jump, step);
        if (step == 1)
            rows_shuffle(rows, row_count);
        compare();
        assert_int_equal(verdicts.count, CASES);
        for (size_t i = 0; i < CASES; i++) {
            unsigned first_beyond = (cases[i].jump + step - 1) / step * step;
            assert_jump(i, first_beyond);
            const struct verdict *v = verdict_of(cases[i].variant, NULL);
            assert_true(v->low == v->value - step + 1 && v->high == v->value);
            assert_string_equal(v->variant.experiment, "structures");
            assert_string_equal(v->unit, cases[i].unit);
            assert_true(v->method[0] != '\0');
            assert_string_equal(name_of(&verdicts.at[i].variant), cases[i].variant);
        }
    }
}

TEST(verdict_names)
{
    for (size_t i = 0; i < CASES; i++)
        assert_string_equal(rule_structures.verdicts[i], cases[i].name);
    assert_null(rule_structures.verdicts[CASES]);
}

/* Each case gives the verdict of its own filler. */
TEST(verdicts_of_a_case)
{
    for (size_t i = 0; i < CASES; i++) {
        struct variant variant = {.experiment = "structures"};
        case_read(cases[i].variant, &variant);
        for (size_t j = 0; j < CASES; j++)
            assert_int_equal(rule_structures.gives(&variant, cases[j].name), i == j);
    }
}

/* Only N = 2 is looked at, and only its ticks. */
TEST(other_rows)
{
    add_case("nop", ROB_K, 4);
    for (unsigned k = 0; k <= LAST_K; k += 4) {
        add("nop", 3, k, 1000.0 * (k % 3));
        strcpy(add("nop", 2, k + 2, 1000.0 * (k % 3))->metric, "cycles");
        add("nop", 2, k + 1, 1000.0 * (k % 3))->samples = 0;
    }
    add_case("nops", ROB_K, 8); /* nobody's */
    add_case("ad", 80, 8);
    compare();
    assert_int_equal(verdicts.count, 1);
    assert_jump(FILLER_NOP, ROB_K);
}

/* --- beside other structures ------------------------------------------------------------------ */

/* A jump within three hundredths of that of the NOPs is the reorder buffer's own. */
TEST(reorder_buffer_ends_first)
{
    static const unsigned jumps[] = {186, 187, ROB_K, ROB_K + 20}; /* 0.97 * 192 is 186.24 */

    for (size_t j = 0; j < sizeof jumps / sizeof *jumps; j++)
        for (size_t i = STRUCTURES; i < CASES; i++) {
            compare_core(i, jumps[j], -1, 0, 1);
            if (jumps[j] == 186)
                assert_jump(i, jumps[j]);
            else
                assert_least(i, jumps[j], "the reorder buffer ends first");
        }
}

/* So is a jump near that of any other structure that a filler uses besides its own. */
TEST(another_structure_ends_first)
{
    static const struct {
        enum filler filler, other;
        const char *structure; /* NULL: it uses none of that */
    } pairs[] = {
        {FILLER_LOAD, FILLER_ADD, "the integer register file"},
        {FILLER_WAITING_ADD, FILLER_ADD, "the integer register file"},
        {FILLER_WAITING_LOAD, FILLER_ADD, "the integer register file"},
        {FILLER_WAITING_LOAD, FILLER_WAITING_ADD, "the scheduler"},
        {FILLER_VECTOR_ADD, FILLER_ADD, NULL},
        {FILLER_STORE, FILLER_ADD, NULL},
        {FILLER_ADD, FILLER_WAITING_ADD, NULL},
        {FILLER_LOAD, FILLER_WAITING_ADD, NULL},
        {FILLER_LOAD, FILLER_WAITING_LOAD, NULL},
        {FILLER_WAITING_ADD, FILLER_WAITING_LOAD, NULL},
    };
    static const unsigned jumps[] = {96, 97, 100, 120}; /* against 100 */
    char words[80];

    for (size_t p = 0; p < sizeof pairs / sizeof *pairs; p++) {
        enum filler filler = pairs[p].filler, other = pairs[p].other;
        for (size_t j = 0; j < sizeof jumps / sizeof *jumps; j++) {
            compare_core(filler, jumps[j], (int)other, 100, 1);
            snprintf(words, sizeof words, "%s ends first", pairs[p].structure);
            if (pairs[p].structure == NULL || jumps[j] == 96)
                assert_jump(filler, jumps[j]);
            else
                assert_least(filler, jumps[j], words);
        }
        if (pairs[p].structure == NULL)
            continue;
        compare_core(filler, 80, (int)other, NEVER, 4);
        snprintf(words, sizeof words, "needs the end of %s", pairs[p].structure);
        assert_no_value(cases[other].variant, NULL, VERDICT_DOUBT, "no jump");
        assert_no_value(cases[filler].variant, NULL, VERDICT_DOUBT, words);
    }
}

/* A load that waits sits in a scheduler, and loads may have one of their own. */
TEST(waiting_loads_that_end_before_others)
{
    static const unsigned others[] = {94, 120, NEVER, 92};
    for (size_t j = 0; j < 4; j++) {
        compare_core(FILLER_WAITING_LOAD, 90, FILLER_LOAD, others[j], 1);
        if (others[j] == 92)
            assert_jump(FILLER_WAITING_LOAD, 90);
        else
            assert_least(FILLER_WAITING_LOAD, 90,
                         "a scheduler of its own may end first, since load jumps");
    }
}

/* Without the jump of NOPs nobody can say which of the two ended. */
TEST(the_reorder_buffer_was_not_seen)
{
    for (unsigned has_nops = 0; has_nops < 2; has_nops++) {
        rows_clear();
        for (size_t i = has_nops ? 0 : STRUCTURES; i < CASES; i++)
            add_case(cases[i].variant, i < STRUCTURES ? NEVER : cases[i].jump, 4);
        compare();
        assert_int_equal(verdicts.count, has_nops ? CASES : CASES - STRUCTURES);
        for (size_t i = STRUCTURES; i < CASES; i++)
            assert_no_value(cases[i].variant, NULL, VERDICT_DOUBT,
                            "needs the end of the reorder buffer");
    }
    assert_no_value("nop", NULL, VERDICT_DOUBT, "no jump");
}

/* --- curves without an answer ---------------------------------------------------------------- */

TEST(no_jump)
{
    for (size_t i = 0; i < CASES; i++)
        add_case(cases[i].variant, i < STRUCTURES ? ROB_K : NEVER, 4);
    compare();
    assert_jump(FILLER_NOP, ROB_K);
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

/* Fast samples that jump elsewhere leave the jump open; the method stays. */
TEST(a_jump_that_is_not_placed)
{
    add_case("nop", ROB_K, 4);
    for (size_t i = 0; i < row_count; i++)
        if (rows[i].k >= 128 && rows[i].k < ROB_K)
            rows[i].p90 = rows[i].max = 420;
    compare();
    const struct verdict *v = assert_verdict("nop", NULL, VERDICT_DOUBT, ROB_K + 1);
    assert_true(v->low < 140);
    assert_words("nop", NULL, "the fillers before the jump and both loads fit");
}

/* Three values of K on either side of the jump, or nothing was measured. */
TEST(too_few_points)
{
    for (size_t i = 0; i < CASES; i++)
        for (unsigned points = 1; points <= 6; points++) {
            rows_clear();
            for (size_t j = i < STRUCTURES ? CASES : 0; j < CASES; j++)
                if (j != i)
                    add_case(cases[j].variant,
                             i == FILLER_WAITING_LOAD && j == FILLER_LOAD ? 3 : ROB_K, 1);
            for (unsigned k = 0; k < points; k++)
                add(cases[i].variant, 2, k, k < 3 ? 220 : 410);
            compare();
            if (points < 6)
                assert_no_value(cases[i].variant, NULL, VERDICT_SKIP, "N = 2 at six values of K");
            else
                assert_jump(i, 3);
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
    assert_string_equal(name_of(&verdicts.at[0].variant), "nop");
}

/* --- NOPs of two lengths ---------------------------------------------------------------------- */

/* Both are printed, neither is claimed; the others are compared with the nearer one. */
TEST(nops_that_share_an_entry)
{
    add_case("nop", 2 * 128, 1);
    add_case("long-nop", 128, 1);
    add_case("add", 100, 1);
    add_case("load", 126, 1);
    compare();
    assert_verdict("nop", NULL, VERDICT_DOUBT, 257);
    assert_verdict("long-nop", NULL, VERDICT_DOUBT, 129);
    assert_string_equal(verdict_of("nop", NULL)->method,
                        "NOPs of one byte jump at K = 256, of eight at 128: some share an entry");
    assert_jump(FILLER_ADD, 100);
    assert_least(FILLER_LOAD, 126, "the reorder buffer ends first");
}

/* Either measures the reorder buffer itself; alone, or where both are alike, that is an answer. */
TEST(nops_that_agree)
{
    add_case("long-nop", 192, 1);
    compare();
    assert_int_equal(verdicts.count, 1);
    assert_jump(FILLER_LONG_NOP, 192);
    add_case("nop", 196, 1);
    compare();
    assert_jump(FILLER_NOP, 196);
    assert_jump(FILLER_LONG_NOP, 192);
}

TEST(nops_of_which_one_shows_no_jump)
{
    add_case("nop", 128, 1);
    add_case("long-nop", NEVER, 1);
    add_case("add", 100, 1);
    compare();
    assert_verdict("nop", NULL, VERDICT_DOUBT, 129);
    assert_words("nop", NULL, "the other NOPs show no clear jump: they may differ");
    assert_jump(FILLER_ADD, 100);
}

/* --- curves that a machine left --------------------------------------------------------------- */

/* Medians of two runs on AMD Zen 5 (a KVM guest, ticks in steps of 26), at every 16th K and at 15
 * in a row; in the second, a sibling thread shared the core. */
static const struct {
    const char *variant;
    unsigned fine_from;
    double every_16th[45], fine[15];
} zen5[] = {
    {"nop",
     433,
     {390, 403, 416, 416, 416, 416, 416, 416, 416, 416, 416, 416, 416, 416, 416,
      416, 416, 416, 442, 416, 416, 442, 442, 416, 442, 442, 442, 442, 702, 728,
      702, 702, 702, 728, 728, 728, 728, 728, 728, 728, 728, 754, 754, 754, 754},
     {442, 442, 442, 442, 442, 442, 442, 442, 442, 442, 442, 442, 442, 728, 728}},
    {"add",
     193,
     {390, 390, 416, 390, 416, 416, 416, 416, 416, 416, 416, 416, 416, 728, 728,
      728, 728, 728, 728, 728, 754, 728, 728, 754, 728, 754, 754, 754, 754, 754,
      754, 754, 780, 780, 780, 780, 780, 780, 780, 780, 780, 780, 806, 806, 806},
     {416, 442, 442, 442, 442, 442, 442, 442, 442, 442, 442, 754, 754, 728, 754}},
    {"load",
     193,
     {390, 416, 416, 416, 416, 416, 416, 416, 416, 416, 442, 416, 442, 728, 728,
      754, 741, 754, 741, 754, 754, 754, 754, 754, 754, 754, 780, 754, 754, 780,
      780, 780, 780, 806, 780, 806, 780, 793, 806, 806, 806, 806, 806, 806, 806},
     {442, 442, 442, 442, 442, 442, 442, 442, 442, 442, 442, 442, 442, 442, 728}},
    {"store",
     97,
     {416, 416, 416, 416, 442, 416, 442, 728, 754, 767, 754, 754, 780, 780, 754,
      780, 780, 780, 806, 806, 806, 819, 806, 806, 806, 832, 858, 832, 832, 858,
      858, 858, 858, 884, 884, 884, 884, 910, 910, 910, 910, 910, 910, 910, 936},
     {416, 416, 416, 416, 416, 416, 416, 442, 728, 728, 754, 728, 728, 728, 728}},
    {"nop-shared",
     209,
     {416, 416, 416, 416, 416, 416, 442, 442, 442, 442, 442, 442, 442, 442, 754,
      754, 754, 754, 754, 780, 780, 754, 780, 780, 780, 780, 780, 780, 806, 780,
      780, 780, 806, 806, 806, 806, 806, 806, 806, 806, 806, 832, 832, 832, 832},
     {442, 442, 442, 442, 442, 442, 442, 442, 442, 442, 442, 442, 442, 754, 754}},
    {"add-shared",
     161,
     {416, 416, 416, 416, 416, 442, 442, 442, 442, 416, 468, 728, 728, 754, 754,
      754, 754, 754, 754, 754, 780, 780, 780, 780, 806, 806, 806, 780, 806, 780,
      806, 806, 806, 806, 806, 832, 832, 832, 832, 832, 832, 845, 832, 832, 832},
     {468, 468, 494, 611, 676, 702, 728, 728, 754, 754, 754, 754, 754, 754, 754}},
    {"store-shared",
     49,
     {442, 416, 416, 416, 754, 780, 780, 780, 780, 806, 806, 806, 806, 832,  832,
      832, 832, 832, 858, 858, 858, 858, 858, 884, 884, 884, 884, 910, 910,  910,
      923, 936, 936, 936, 936, 962, 962, 962, 988, 988, 988, 988, 988, 1014, 1014},
     {416, 416, 416, 416, 754, 754, 754, 754, 754, 754, 754, 754, 754, 754, 754}},
};

TEST(curves_of_zen5)
{
    for (size_t i = 0; i < sizeof zen5 / sizeof *zen5; i++)
        for (unsigned j = 0; j < 60; j++) {
            unsigned k = j < 45 ? 16 * j : zen5[i].fine_from + j - 45;
            struct row *row =
                add(zen5[i].variant, 2, k, j < 45 ? zen5[i].every_16th[j] : zen5[i].fine[j - 45]);
            row->samples = 50;
            rows_spread(row, 26);
        }
    compare();
    assert_verdict("nop", NULL, VERDICT_OK, 447);
    assert_verdict("add", NULL, VERDICT_OK, 205);
    assert_least(FILLER_LOAD, 207, "the integer register file ends first");
    assert_verdict("store", NULL, VERDICT_OK, 104);
    assert_verdict("nop-shared", NULL, VERDICT_OK, 223);
    assert_verdict("add-shared", NULL, VERDICT_OK, 165);
    assert_verdict("store-shared", NULL, VERDICT_OK, 52);
}

/* --- states of the core ---------------------------------------------------------------------- */

/* The whole core need not have been seen. */
TEST(a_shared_core_has_its_own)
{
    for (unsigned has_whole = 0; has_whole < 2; has_whole++) {
        rows_clear();
        for (unsigned i = 0; i < has_whole; i++) {
            add_case("nop", 256, 1);
            add_case("add", 200, 1);
            add_case("load", 100, 1);
        }
        add_case("nop-shared", 128, 1);
        add_case("add-shared", 100, 1);
        add_case("load-shared", 98, 1);
        add_case("store-shared", 127, 1);
        compare();
        assert_int_equal(verdicts.count, has_whole ? 7 : 4);
        assert_verdict("nop-shared", NULL, VERDICT_OK, 129);
        assert_verdict("add-shared", NULL, VERDICT_OK, 101);
        assert_says("load-shared", NULL, VERDICT_DOUBT, "the integer register file ends first");
        assert_says("store-shared", NULL, VERDICT_DOUBT, "the reorder buffer ends first");
        assert_true(verdict_of("load-shared", NULL)->low == 99);
        assert_true(verdict_of("store-shared", NULL)->low == 126);
    }
    assert_jump(FILLER_NOP, 256);
    assert_jump(FILLER_ADD, 200);
    assert_jump(FILLER_LOAD, 100);
}

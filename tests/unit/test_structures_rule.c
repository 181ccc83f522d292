/* test_structures_rule: each filler's jump, on curves that jump where a test wants it. */
#include "../../kernel/engine/engine.h"
#include "../../kernel/experiments/experiment.h"
#include "../../kernel/experiments/sweeps/loads_rule.h"
#include "../../kernel/probe/filler.h"
#include "rows.h"
#include "rules.h"

#include "kit.h"

#define LAST_K 320
#define NEVER (LAST_K + 1) /* as the K of a jump: beyond all that is measured */
#define ROB_K 192          /* the first K beyond the jump of the NOPs */

SETUP(start)
{
    rows_start("structures", &rule_structures, 400, 1);
}

/* N = 2 of one case: two parallel loads before `jump`, two serialized ones from there. */
static void add_case(const char *variant, unsigned jump, unsigned step)
{
    for (unsigned k = 0; k <= LAST_K; k += step)
        add(variant, "tsc", 2, k, k < jump ? 220 : 410);
}

/*
 * A usual core: every structure is smaller than what else its filler uses. Beside the fillers just
 * before the jump are both loads, none, or the last: from the first K beyond the jump, that is one
 * more, or one less.
 */
static const struct {
    const char *variant, *name;
    unsigned jump;
    int from_first_beyond, perhaps;
    int alike; /* another filler that has to jump there; -1: none */
} sizes[] = {{"long-nop", "rob_entries", ROB_K, 1, 0, FILLER_ZERO},
             {"nop", "nops_in_flight", 300, -1, 3, -1},
             {"add", "integer_registers", 180, 1, 0, -1},
             {"vector", "vector_registers", 100, -1, 0, -1},
             {"load", "loads_in_flight", 90, 1, 0, -1},
             {"waiting-load", "loads_waiting", 90, 1, 0, FILLER_LINE_LOAD},
             {"line-load", "load_queue", 90, 1, 0, FILLER_LOAD},
             {"store", "store_queue", 60, -1, 0, -1},
             {"waiting", "scheduler_entries", 120, -1, 1, FILLER_MULTIPLY},
             {"multiply", "port_scheduler", 120, -1, 1, -1}};
#define SIZES_COUNT (sizeof sizes / sizeof *sizes)

static const unsigned usual[FILLER_KINDS] = {
    [FILLER_NOP] = 300,         [FILLER_LONG_NOP] = ROB_K,  [FILLER_ZERO] = ROB_K,
    [FILLER_ADD] = 180,         [FILLER_VECTOR_ADD] = 100,  [FILLER_LOAD] = 90,
    [FILLER_LINE_LOAD] = 90,    [FILLER_WAITING_LOAD] = 90, [FILLER_STORE] = 60,
    [FILLER_WAITING_ADD] = 120, [FILLER_MULTIPLY] = 120,
};

/* The jumps of a core, to be changed before compare_core. */
static unsigned jumps[FILLER_KINDS];

static void start_core(void)
{
    memcpy(jumps, usual, sizeof jumps);
}

static void compare_core(unsigned step)
{
    rows_clear();
    for (enum filler i = FILLER_KINDS; i-- > 0;)
        if (jumps[i] > 0)
            add_case(filler_table[i].name, jumps[i], step);
    judge();
}

/* So many of it there are, or NAN, and nobody can say how many more. */
static void assert_least(const char *name, double least, const char *why)
{
    const struct verdict *v = assert_doubt(NULL, name, why);
    assert_true(isnan(v->value));
    assert_interval(v, least, NAN);
}

/* --- each size -------------------------------------------------------------------------------- */

/* The interval holds the true value, even if only every eighth K was measured. */
TEST(each_size)
{
    start_core();
    for (unsigned step = 1; step <= 8; step += 7) {
        compare_core(step);
        assert_int_equal(verdicts.count, SIZES_COUNT);
        for (size_t i = 0; i < SIZES_COUNT; i++) {
            double value = (sizes[i].jump + step - 1) / step * step + sizes[i].from_first_beyond;
            assert_interval(assert_verdict(sizes[i].variant, sizes[i].name, OK, value),
                            value - step + 1, value + sizes[i].perhaps);
        }
    }
}

/* Only N = 2 is looked at, and only its ticks. */
TEST(other_rows)
{
    add_case("nop", ROB_K, 4);
    for (unsigned k = 0; k <= LAST_K; k += 4) {
        add("nop", "tsc", 3, k, 1000.0 * (k % 3));
        add("nop", "cycles", 2, k + 2, 1000.0 * (k % 3));
        add("nop", "tsc", 2, k + 1, 1000.0 * (k % 3))->samples = 0;
    }
    add_case("nops", ROB_K, 8); /* nobody's */
    add_case("ad", 80, 8);
    assert_count(1);
    assert_verdict("nop", "nops_in_flight", OK, ROB_K - 1);
}

/* --- fillers that agree, or do not ------------------------------------------------------------ */

/* The nearer jump of two kinds is told, and is an answer where they agree to one entry. */
TEST(reorder_buffer)
{
    static const struct {
        unsigned long_nop, zero;
        bool is_ok;
    } cases[] = {{192, 192, true},    {193, 192, true},  {192, 193, true},
                 {194, 192, false},   {192, 194, false}, {192, NEVER, false},
                 {NEVER, 192, false}, {192, 0, false},   {256, 192, false}};
    for (EACH(c, cases)) {
        start_core();
        jumps[FILLER_LONG_NOP] = c->long_nop;
        jumps[FILLER_ZERO] = c->zero;
        compare_core(1);
        assert_verdict(NULL, "rob_entries", c->is_ok ? OK : DOUBT, 193);
    }
    assert_doubt(NULL, "rob_entries", "fillers-disagree");
}

/* Short NOPs may share entries: a number of their own, which makes nobody doubt. Only where they
 * share entries may the last one have room for more. */
TEST(short_nops)
{
    static const unsigned others[] = {ROB_K, 300, NEVER, 0};
    for (unsigned i = 0; i < 4; i++) {
        start_core();
        jumps[FILLER_NOP] = others[i];
        compare_core(1);
        ASSERT_VERDICTS(NULL, {"rob_entries", OK, ROB_K + 1}, {"integer_registers", OK, 181});
        if (i < 2)
            assert_interval(assert_verdict(NULL, "nops_in_flight", OK, others[i] - 1),
                            others[i] - 1, others[i] - 1 + (i == 0 ? 0 : 3));
    }
}

/* Loads that wait tell how many can; only where loads that are done end there, too, that is the
 * queue that all of them are in. */
TEST(loads_that_wait)
{
    start_core();
    jumps[FILLER_LOAD] = 150;
    compare_core(1);
    assert_verdict(NULL, "loads_waiting", OK, 91);
    assert_least("load_queue", 91, "fillers-disagree");
    assert_verdict(NULL, "loads_in_flight", OK, 151);
    jumps[FILLER_LOAD] = 90;
    jumps[FILLER_WAITING_LOAD] = 40; /* a scheduler of loads ends */
    compare_core(1);
    assert_least("loads_waiting", 41, "fillers-disagree");
    assert_verdict(NULL, "load_queue", OK, 91);
}

/* One port's queue is an answer of its own; several queues are at least what filled one of them. */
TEST(one_scheduler_or_several)
{
    start_core();
    jumps[FILLER_MULTIPLY] = 25;
    compare_core(1);
    assert_verdict(NULL, "port_scheduler", OK, 24);
    assert_least("scheduler_entries", 119, "fillers-disagree");
}

/* --- beside other structures ------------------------------------------------------------------ */

/* A jump within three hundredths of the reorder buffer's is the reorder buffer's own. */
TEST(reorder_buffer_ends_first)
{
    static const unsigned near[] = {186, 187, ROB_K, ROB_K + 20}; /* 0.97 * 192 is 186.24 */
    for (size_t j = 0; j < sizeof near / sizeof *near; j++)
        for (enum filler f = FILLER_ADD; f < FILLER_KINDS; f++) {
            start_core();
            for (enum filler i = FILLER_ADD; i < FILLER_KINDS; i++)
                jumps[i] = near[j];
            jumps[FILLER_ADD] = f == FILLER_ADD ? near[j] : 220;
            compare_core(1);
            for (size_t i = 2; i < SIZES_COUNT; i++)
                if (strcmp(sizes[i].variant, filler_table[f].name) == 0) {
                    double least = (double)near[j] + sizes[i].from_first_beyond;
                    if (near[j] == 186)
                        assert_verdict(NULL, sizes[i].name, OK, least);
                    else
                        assert_least(sizes[i].name, f == FILLER_VECTOR_ADD ? NAN : least,
                                     "ends-first");
                }
        }
}

/* Two structures of few entries that end side by side are nearer than a share of them. */
TEST(registers_end_with_few_loads)
{
    for (unsigned before = 1; before <= 2; before++) {
        jumps[FILLER_ADD] = 30;
        jumps[FILLER_LOAD] = jumps[FILLER_LINE_LOAD] = jumps[FILLER_WAITING_LOAD] = 30 - before;
        compare_core(1);
        if (before == 2)
            assert_verdict(NULL, "load_queue", OK, 29);
        else
            assert_least("load_queue", 30, "ends-first");
    }
}

/* So is a jump near that of the integer registers, where the filler writes one. */
TEST(registers_end_first)
{
    static const char *const users[] = {"loads_in_flight", "loads_waiting", "load_queue",
                                        "scheduler_entries", "port_scheduler"};
    for (unsigned jump = 96; jump <= 97; jump++) {
        for (enum filler i = FILLER_ADD; i < FILLER_KINDS; i++)
            jumps[i] = jump;
        jumps[FILLER_LONG_NOP] = jumps[FILLER_ZERO] = ROB_K;
        jumps[FILLER_ADD] = 100;
        compare_core(1);
        for (size_t i = 0; i < 5; i++)
            if (jump == 96)
                assert_status(NULL, users[i], OK);
            else
                assert_least(users[i], verdict_of(NULL, users[i])->low, "ends-first");
        assert_verdict(NULL, "vector_registers", OK, jump - 1);
        assert_verdict(NULL, "store_queue", OK, jump - 1);
    }
    jumps[FILLER_ADD] = NEVER;
    compare_core(1);
    for (size_t i = 0; i < 5; i++)
        assert_least(users[i], NAN, "may end first; the integer register file");
}

/* Without the end of the reorder buffer nobody can say which of the two ended. */
TEST(the_reorder_buffer_was_not_seen)
{
    for (unsigned has_nops = 0; has_nops < 2; has_nops++) {
        start_core();
        jumps[FILLER_LONG_NOP] = jumps[FILLER_ZERO] = has_nops ? NEVER : 0;
        compare_core(4);
        assert_int_equal(verdicts.count, has_nops ? SIZES_COUNT : SIZES_COUNT - 1);
        for (size_t i = 2; i < SIZES_COUNT; i++)
            assert_least(sizes[i].name, NAN, "may end first; the reorder buffer");
    }
    assert_no_value("long-nop", NULL, DOUBT, "no-edge");
}

/* --- curves without an answer ---------------------------------------------------------------- */

TEST(no_jump)
{
    start_core();
    for (enum filler i = FILLER_ADD; i < FILLER_KINDS; i++)
        jumps[i] = NEVER;
    compare_core(4);
    assert_verdict(NULL, "rob_entries", OK, ROB_K + 1);
    for (size_t i = 2; i < SIZES_COUNT; i++)
        assert_words(NULL, sizes[i].name, "no-edge");
}

TEST(no_clear_jump)
{
    add_case("long-nop", ROB_K, 4);
    for (unsigned k = 0; k <= LAST_K; k += 4)
        add("store", "tsc", 2, k, (k < 80 ? 220 : 410) + (k % 8 ? 80 : -80));
    assert_no_value("store", NULL, DOUBT, "unclear-edge");
}

/* Slow samples that jump elsewhere leave the jump open. */
TEST(a_jump_that_is_not_placed)
{
    add_case("nop", ROB_K, 4);
    for (ADDED_ROWS(row))
        if (row->k >= 128 && row->k < ROB_K)
            row->p90 = row->max = 420;
    const struct verdict *v = assert_answer("nop", NULL, ROB_K - 1, "edge-not-placed");
    assert_compare(v->low, <, 140);
}

/* Two values of K on either side of the jump and one more, or nothing is known. */
TEST(too_few_points)
{
    for (unsigned points = 1; points <= 6; points++) {
        rows_clear();
        add_case("long-nop", ROB_K, 1);
        add_case("zero", ROB_K, 1);
        for (unsigned k = 0; k < points; k++)
            add("store", "tsc", 2, k, k < 3 ? 220 : 410);
        if (points < 4)
            assert_no_value("store", NULL, SKIP, "N = 2 at five values of K");
        else if (points == 4)
            assert_no_value("store", NULL, DOUBT, "unclear-edge");
        else
            assert_verdict(NULL, "store_queue", OK, 2);
    }
}

/* Where a sibling had the core, that is the reason. */
TEST(too_few_points_of_the_whole_core)
{
    add_case("long-nop", ROB_K, 1);
    add("store", "tsc", 2, 0, 220);
    add("store", ENGINE_APART, ROW_NONE, ROW_NONE, 76);
    assert_no_value("store", NULL, SKIP, "core-was-shared");
    rows_set(ENGINE_APART, ROW_NONE, 30);
    assert_no_value("store", NULL, SKIP, "N = 2 at five values of K");
}

/* A case without a single point of N = 2 has no verdict: nothing was asked. */
TEST(no_points)
{
    add_case("nop", ROB_K, 4);
    add("add", ROW_SKIPPED, 2, 0, 0);
    add("vector", "tsc", 1, 0, 220);
    assert_count(1);
    verdict_of("nop", NULL);
}

/* --- other moments ---------------------------------------------------------------------------- */

/* One more case, of an attempt: every K from 0 to LAST_K. */
static void add_attempt(const char *variant, unsigned jump, unsigned attempt)
{
    size_t first = row_count;
    add_case(variant, jump, 1);
    for (size_t i = first; i < row_count; i++)
        rows[i].attempt = attempt;
}

/* The interval holds the jumps of all attempts; two that are far apart are two states. */
TEST(attempts_that_differ)
{
    static const struct {
        unsigned earlier;
        const char *doubt;
    } cases[] = {{150, NULL}, {151, NULL},         {153, NULL},
                 {148, NULL}, {170, "two-states"}, {130, "two-states"}};
    for (EACH(c, cases)) {
        rows_clear();
        add_case("long-nop", 300, 1);
        add_case("zero", 300, 1);
        add_attempt("store", c->earlier, 0);
        add_attempt("store", 150, 1);
        double other = c->earlier - 1.0;
        assert_interval(assert_answer(NULL, "store_queue", 149, c->doubt), fmin(other, 149),
                        fmax(other, 149));
    }
}

/* Later looks that find the other side widen it as far as they reach, or contradict it. */
TEST(later_looks)
{
    static const struct {
        unsigned k;
        double ticks, low, high;
        bool is_ok;
    } cases[] = {
        {149, 220, 149, 149, true},  {150, 410, 149, 149, true},  {150, 220, 149, 151, true},
        {149, 410, 147, 149, true},  {152, 220, 149, 149, false}, {147, 410, 149, 149, false},
        {300, 220, 149, 149, false}, {0, 410, 149, 149, false},
    };
    for (EACH(c, cases)) {
        rows_clear();
        add_case("long-nop", 300, 1);
        add_case("store", 150, 1);
        add("store", LOADS_AGAIN, 2, c->k, c->ticks)->stage = 2;
        assert_interval(assert_doubt(NULL, "store_queue", c->is_ok ? NULL : "edge-not-confirmed"),
                        c->low, c->high);
    }
}

/* --- states of the core ---------------------------------------------------------------------- */

/* The whole core need not have been seen. */
TEST(a_shared_core_has_its_own)
{
    for (unsigned has_whole = 0; has_whole < 2; has_whole++) {
        rows_clear();
        for (unsigned i = 0; i < has_whole; i++) {
            add_case("long-nop", 256, 1);
            add_case("zero", 256, 1);
            add_case("add", 200, 1);
            add_case("load", 100, 1);
        }
        add_case("long-nop-shared", 128, 1);
        add_case("zero-shared", 128, 1);
        add_case("add-shared", 100, 1);
        add_case("load-shared", 98, 1);
        add_case("store-shared", 127, 1);
        assert_count(has_whole ? 7 : 4);
        assert_verdict("long-nop-shared", NULL, OK, 129);
        assert_verdict("add-shared", NULL, OK, 101);
        assert_interval(assert_doubt("load-shared", NULL, "ends-first"), 99, NAN);
        assert_interval(assert_doubt("store-shared", NULL, "ends-first"), 126, NAN);
    }
    ASSERT_VERDICTS(NULL, {"rob_entries", OK, 257}, {"integer_registers", OK, 201},
                    {"loads_in_flight", OK, 101});
}

/* A sibling takes a part of every structure, whatever its entries are called. */
TEST(all_need_the_whole_core)
{
    for (QUESTIONS(q, &rule_structures))
        assert_int_equal(q->needs, NEEDS_WHOLE_CORE);
}

/* A structure that ends before the second K: the jump is named, in place of a lack of one. */
TEST(jumps_before_the_second_k)
{
    static const struct {
        unsigned jump;
        const char *words;
    } cases[] = {{14, "edge-not-placed"},
                 {14, "it lies between the fewest fillers, 0, and 16"},
                 {NEVER, "no-edge"}};
    for (EACH(c, cases)) {
        rows_clear();
        add_case("waiting", c->jump, 16);
        assert_no_value(NULL, "scheduler_entries", DOUBT, c->words);
    }
}

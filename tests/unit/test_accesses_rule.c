/* test_accesses_rule: verdicts of prefetches and stores, on rows whose answers are known. */
#include "../../kernel/experiments/experiment.h"
#include "../../kernel/experiments/loads/mlp_rule.h"
#include "../../kernel/experiments/sweeps/accesses_rule.h"
#include "../../kernel/experiments/sweeps/loads_rule.h"
#include "rows.h"
#include "rules.h"

#include "kit.h"

#define EMPTY 40 /* ticks of the timer, and of a fence behind nothing */
#define LATENCY 200
#define BUFFERS 12
#define MOST 30

static const struct {
    enum access access;
    const char *name, *control, *words;
    int64_t n, k; /* of the control */
} kinds[] = {
    {ACCESS_PREFETCH, "2m-prefetch", ACCESSES_PREFETCH_HITS, "control-shows-it", BUFFERS + 2, 0},
    {ACCESS_STORE, "2m-store", ACCESSES_STORE_HITS, "ends-first", 2, BUFFERS},
    {ACCESS_NT, "2m-nt", ACCESSES_IN_TURN, "control-shows-it", BUFFERS + 2, 0},
};
#define KINDS (sizeof kinds / sizeof *kinds)

SETUP(start)
{
    rows_start("mlp", &rule_mlp, 400, 1);
}

/* N at a time, a tick for each; beyond the buffers another latency. */
static double ticks_of(int64_t n)
{
    return EMPTY + (double)(LATENCY * ((n + BUFFERS - 1) / BUFFERS) + n);
}

static struct row *add_of(unsigned kind, const char *metric, int64_t n, int64_t k, double ticks)
{
    return add(kinds[kind].name, metric, n, k, ticks);
}

static void add_case(unsigned kind)
{
    rows_clear();
    for (int64_t n = 1; n <= MOST; n++)
        add_of(kind, "tsc", n, 0, ticks_of(n));
    add_of(kind, LOADS_CACHED, 1, 0, EMPTY + 5);
    if (kinds[kind].access != ACCESS_PREFETCH)
        add_of(kind, ACCESSES_EMPTY, 0, 0, EMPTY);
    for (int64_t n = BUFFERS - 1; n <= BUFFERS + 2; n++)
        add_of(kind, LOADS_AGAIN, n, 0, ticks_of(n));
    add_of(kind, kinds[kind].control, kinds[kind].n, kinds[kind].k, ticks_of(2));
    for (int64_t times = 2; times <= 4 && kinds[kind].access == ACCESS_STORE; times++)
        add_of(kind, LOADS_MANY, times * BUFFERS, 0, ticks_of(times * BUFFERS));
}

/* A jump that may be of page walks is counted without the time that each access takes besides. */
TEST(a_jump_beyond_a_slope)
{
    for (unsigned each = 0; each <= 40; each += 40) {
        struct loads_buffers buffers;
        row_count = 0;
        for (int64_t n = 1; n <= MOST; n++) {
            double ticks = EMPTY + LATENCY + (double)((int64_t)each * n + (n > BUFFERS) * 140);
            add_of(2, "tsc", n, 0, ticks);
            if (n >= BUFFERS && n <= BUFFERS + 2)
                add_of(2, LOADS_AGAIN, n, 0, ticks);
        }
        struct table table = {&rows[0].variant, rows, row_count, 0};
        loads_find_buffers(&table, &buffers);
        assert_int_equal(buffers.last, BUFFERS);
        assert_compare(buffers.rise, ==, 140 + 2 * each);
        assert_int_equal(buffers.is_steep, each == 0);
    }
}

TEST(what_each_is_given)
{
    for (unsigned kind = 0; kind < KINDS; kind++) {
        add_case(kind);
        size_t wanted = 0; /* those that the rule says it gives */
        for (QUESTIONS(q, &rule_mlp))
            wanted += q->is_of != NULL && q->is_of(&rows[0].variant);
        assert_int_equal(wanted, kinds[kind].access == ACCESS_STORE ? 3 : 2);
        assert_count(wanted);
        const struct verdict *v = assert_verdict(NULL, "fill_buffers", OK, BUFFERS);
        assert_interval(v, BUFFERS, BUFFERS);
        v = assert_verdict(NULL, "one_access", OK, ticks_of(1));
        assert_contains(v->method, "median of N = 1: ");
        assert_none(NULL, "one_load");
        for (ADDED_ROWS(row)) /* a clock that counts in steps has no median between them */
            row->center += 0.5;
        assert_words(NULL, "one_access", "center of N = 1: ");
    }
}

/* By the latency of one, 201, and what one more takes in the long run. */
TEST(little_s_law_of_stores)
{
    add_case(1);
    assert_verdict(NULL, "mlp_sustained", OK, 201 / (LATENCY / (double)BUFFERS + 1));
    rows_set(LOADS_MANY, 3 * BUFFERS, ticks_of(3 * BUFFERS) + 150);
    assert_says(NULL, "mlp_sustained", DOUBT, "scatter");
    rows_set(LOADS_MANY, 4 * BUFFERS, ticks_of(2 * BUFFERS));
    assert_says(NULL, "mlp_sustained", DOUBT, "no-rise");
    rows_drop(ACCESSES_EMPTY);
    assert_status(NULL, "mlp_sustained", SKIP);
}

/* An access is slower by a tenth than one that hits; past the caches, than the fence alone. */
TEST(one_that_is_no_slower)
{
    for (unsigned kind = 0; kind < KINDS; kind++) {
        bool is_nt = kinds[kind].access == ACCESS_NT;
        const char *base = is_nt ? ACCESSES_EMPTY : LOADS_CACHED;
        for (unsigned i = 0; i < 2; i++) {
            add_case(kind);
            rows_set(base, is_nt ? 0 : 1, (ticks_of(1) - 1) / (i == 0 ? 1.04 : 1.02));
            assert_answer(NULL, "one_access", ticks_of(1), i == 0 ? NULL : "not-memory");
        }
        rows_drop(base);
        assert_doubt(NULL, "one_access", "not-measured");
        rows_drop("tsc");
        assert_no_value(NULL, "one_access", SKIP, "N = 1");
    }
}

/* A clock of coarse steps may leave the center open by more than a twentieth. */
TEST(one_that_is_not_placed)
{
    for (unsigned kind = 0; kind < KINDS; kind++) {
        add_case(kind);
        for (unsigned percent = 4; percent <= 6; percent += 2) {
            rows_visits(rows_find("tsc", 1), 1000, percent / 196.0 * ticks_of(1));
            assert_answer(NULL, "one_access", ticks_of(1), percent == 4 ? NULL : "scatter");
        }
    }
}

/* A jump is not that of buffers if as many accesses that need no buffer take as long. */
TEST(as_many_that_need_no_buffer)
{
    for (unsigned kind = 0; kind < KINDS; kind++) {
        double middle = (ticks_of(BUFFERS) + ticks_of(BUFFERS + 2)) / 2;
        add_case(kind);
        struct row *control = rows_find(kinds[kind].control, kinds[kind].n);
        for (int off = 2; off >= -2; off -= 4) {
            rows_set(kinds[kind].control, kinds[kind].n, middle + off);
            assert_answer(NULL, "fill_buffers", BUFFERS, off > 0 ? kinds[kind].words : NULL);
        }
        for (unsigned before = 1; before <= 2; before++) {
            /* when the jump was one N before; of another state's buffers */
            *(kinds[kind].k > 0 ? &control->k : &control->n) -= 1;
            assert_doubt(NULL, "fill_buffers", before == 1 ? NULL : "not-measured");
        }
    }
}

TEST(measured_again)
{
    static const char words[] = "edge-not-confirmed";
    for (unsigned kind = 0; kind < KINDS; kind++)
        for (int64_t lost = BUFFERS; lost <= BUFFERS + 2; lost++) {
            add_case(kind);
            rows_find(LOADS_AGAIN, lost)->samples = 0;
            assert_answer(NULL, "fill_buffers", BUFFERS, words);
        }
    add_case(0);
    rows_set(LOADS_AGAIN, BUFFERS + 1, ticks_of(BUFFERS) + 1);
    rows_set(LOADS_AGAIN, BUFFERS + 2, ticks_of(BUFFERS) + 2);
    assert_doubt(NULL, "fill_buffers", words);
}

/* The fastest hundredth and the fastest tenth have to agree, within one. */
TEST(two_looks)
{
    static const char *const metrics[] = {"tsc", LOADS_AGAIN};
    static const char words[] = "edge-not-placed";
    for (int64_t later = 0; later <= 2; later++) {
        add_case(0);
        for (int64_t n = BUFFERS + 3; n <= BUFFERS + 4; n++)
            add_of(0, LOADS_AGAIN, n, 0, ticks_of(n));
        add_of(0, kinds[0].control, BUFFERS + later + 2, 0, ticks_of(2));
        for (int64_t n = BUFFERS + 1; n <= BUFFERS + later; n++)
            for (EACH(metric, metrics))
                rows_find(*metric, n)->p1 = ticks_of(BUFFERS) + (double)(n - BUFFERS);
        assert_interval(assert_answer(NULL, "fill_buffers", (double)(BUFFERS + later),
                                      later < 2 ? NULL : words),
                        BUFFERS, (double)(BUFFERS + later));
    }
}

TEST(no_jump)
{
    add_case(2);
    for (ROWS_OF(row, NULL, "tsc"))
        rows_set("tsc", row->n, EMPTY + LATENCY + (double)row->n * 10);
    assert_no_value(NULL, "fill_buffers", DOUBT, "no-edge");
    rows_clear();
    for (int64_t n = 1; n <= 2; n++)
        add_of(2, "tsc", n, 0, ticks_of(n));
    assert_no_value(NULL, "fill_buffers", SKIP, "three values of N");
}

/* They are not compared with loads, nor one node's with another's. */
TEST(nothing_is_compared)
{
    add_case(1);
    for (int64_t n = 1; n <= MOST; n++)
        rows_add("mlp", "2m-node1-store", n, 0, ticks_of(n));
    assert_none(NULL, "overhead");
    assert_none("2m-node1-store", "node_one_load_extra");
    rows_add("mlp", "2m", 1, 0, 200);
    assert_true(is_case(&verdict_of(NULL, "overhead")->variant, "2m")); /* of loads */
}

/* test_smt_rule: what is whole, halved or competitive, on cores whose sizes a test chooses. */
#include "../../kernel/engine/engine.h"
#include "../../kernel/experiments/experiment.h"
#include "../../kernel/experiments/loads/smt_rule.h"
#include "../../kernel/experiments/loads/structures_rule.h"
#include "../../kernel/experiments/sweeps/loads_rule.h"
#include "rows.h"
#include "rules.h"

#include "kit.h"

#define LAST_K 336
#define WORKS 3
#define KILO 1024.0
#define LATENCY 200.0

enum { ALONE, BUSY, LOADING };
static const char *const names[WORKS] = {"idle", "busy", "loading"};

/* The sizes that one thread has with each work of the sibling. */
static struct {
    unsigned jump[FILLER_KINDS][WORKS]; /* the first K beyond; 0: not measured */
    unsigned buffers[WORKS];
    double cache[2][WORKS]; /* bytes */
    double widest;          /* from one size of an array to the next */
    double shared, reading; /* percent; NAN: no such row */
    double lost;            /* of the idle cases' samples, that were discarded */
} core;

/* A row of the table of sizes. */
static const struct size {
    const char *verdict;
    enum filler filler;
    unsigned alike;
    int more;
} sizes[] = {
#define SIZE(id, verdict, unit, structure, filler, means, alike, too, more, ...)                   \
    {verdict, FILLER_##filler, alike, more},
    SIZES(SIZE)};

static const unsigned usual[SIZE_KINDS] = {
    [SIZE_ROB] = 320,      [SIZE_NOPS] = 320,   [SIZE_INTEGER] = 150,   [SIZE_VECTOR] = 130,
    [SIZE_LOADS] = 90,     [SIZE_WAITING] = 90, [SIZE_LOAD_QUEUE] = 90, [SIZE_STORE_QUEUE] = 60,
    [SIZE_SCHEDULER] = 94, [SIZE_PORT] = 94,
};

/* The fillers that have to jump where the first one does. */
static void set_alike(void)
{
    for (EACH(s, sizes))
        for (unsigned i = 0; i < FILLER_KINDS; i++)
            if ((s->alike >> i & 1) != 0)
                memcpy(core.jump[i], core.jump[s->filler], sizeof core.jump[i]);
}

/* Everything is halved. */
SETUP(start)
{
    rows_start("smt", &rule_smt, 400, 1);
    memset(&core, 0, sizeof core);
    for (unsigned work = 0; work < WORKS; work++) {
        unsigned parts = work == ALONE ? 1 : 2;
        for (unsigned i = 0; i < SIZE_KINDS; i++) {
            unsigned more = (unsigned)(sizes[i].more + 1); /* so that sizes are even */
            core.jump[sizes[i].filler][work] = (usual[i] + more) / parts - more + 1;
        }
        core.buffers[work] = 16 / parts;
        core.cache[0][work] = 32 * KILO / parts;
        core.cache[1][work] = 512 * KILO / parts;
    }
    set_alike();
    core.widest = 1.25;
    core.shared = core.reading = 100;
}

static const char *name(const char *pattern, unsigned work)
{
    static char text[8][NAME_BYTES];
    static unsigned next;
    char *at = text[next++ % 8];
    snprintf(at, NAME_BYTES, "%s-%s", pattern, names[work]);
    return at;
}

static struct row *add_of(const char *pattern, unsigned work, const char *metric, int64_t n,
                          int64_t k, double ticks)
{
    struct row *row = add(name(pattern, work), metric, n, k, ticks);
    if (work == ALONE)
        row->discarded = (uint64_t)(core.lost * (double)row->samples);
    return row;
}

static void add_looks(const char *pattern, unsigned work)
{
    double shared = work == BUSY ? core.shared : 0;
    if (!isnan(shared))
        add_of(pattern, work, ENGINE_SHARED, ROW_NONE, ROW_NONE, shared)->samples = shared > 0;
    if (work == LOADING)
        add_of(pattern, work, SMT_READING, ROW_NONE, ROW_NONE, core.reading)->samples =
            core.reading > 0;
}

static void add_curve(const char *pattern, unsigned work, unsigned jump)
{
    for (unsigned k = 0; k <= LAST_K; k++)
        if (k % 16 == 0 || (k + 6 > jump && k < jump + 6))
            add_of(pattern, work, "tsc", 2, k, k < jump ? 10 + LATENCY : 10 + 2 * LATENCY);
}

static void add_fillers(void)
{
    for (unsigned work = 0; work < WORKS; work++)
        for (unsigned i = 0; i < FILLER_KINDS; i++) {
            if (core.jump[i][work] == 0)
                continue;
            add_curve(filler_table[i].name, work, core.jump[i][work]);
            add_looks(filler_table[i].name, work);
        }
}

/* N loads with no filler, N = 2 over K, and what makes that an answer. */
static void add_tables(void)
{
    for (unsigned work = 0; work < WORKS; work++) {
        unsigned buffers = core.buffers[work];
        for (unsigned n = 1; n <= 24; n++)
            if (n != 2)
                add_of("4k-warm", work, "tsc", n, 0, 10 + LATENCY * ((n + buffers - 1) / buffers));
        add_curve("4k-warm", work, 100);
        add_of("4k-warm", work, LOADS_CACHED, 1, 0, 15);
        add_of("4k-warm", work, LOADS_SAME_LINE, 2, buffers, 10 + LATENCY);
        for (unsigned n = buffers; n <= buffers + 2; n++)
            add_of("4k-warm", work, LOADS_AGAIN, n, 0,
                   10 + LATENCY * ((n + buffers - 1) / buffers));
        add_of("4k-warm", work, LOADS_ZEROES, 2, 90, 10 + LATENCY);
        add_of("4k-warm", work, LOADS_ZEROES, 2, 110, 10 + 2 * LATENCY);
        add_looks("4k-warm", work);
    }
}

static void add_array(unsigned work, double bytes)
{
    double latency = bytes <= core.cache[0][work] ? 4 : bytes <= core.cache[1][work] ? 14 : 60;
    for (unsigned steps = 32; steps <= 288; steps += 256)
        add_of("chain-2m", work, "tsc", 1, steps, 30 + latency * steps)->bytes = (int64_t)bytes;
}

static void add_arrays(void)
{
    for (unsigned work = 0; work < WORKS; work++) {
        for (double bytes = 2 * KILO; bytes <= 16384 * KILO; bytes *= 2)
            for (double part = 1; part < 2; part += core.widest - 1)
                add_array(work, bytes * part);
        add_looks("chain-2m", work);
    }
}

static void assert_split(const char *pattern, const char *split, enum verdict_status status,
                         const char *words)
{
    assert_says(name(pattern, BUSY), split, status, words);
}

/* --- fillers --------------------------------------------------------------------------------- */

static struct interval interval_of(const struct verdict *v)
{
    return (struct interval){v->value, v->low, v->high};
}

TEST(everything_is_halved)
{
    add_fillers();
    for (EACH(size, sizes)) {
        const char *filler = filler_table[size->filler].name;
        const unsigned *jump = core.jump[size->filler];
        double alone = (double)jump[ALONE] + size->more;
        for (unsigned work = 0; work < WORKS; work++)
            assert_verdict(name(filler, work), size->verdict, OK, (double)jump[work] + size->more);
        const struct verdict *v = assert_verdict(name(filler, BUSY), "split", OK,
                                                 ((double)jump[BUSY] + size->more) / alone);
        struct interval share =
            interval_divide(interval_of(verdict_of(name(filler, BUSY), size->verdict)),
                            interval_of(verdict_of(name(filler, ALONE), size->verdict)));
        assert_interval(v, share.low, share.high);
        assert_split(filler, "split", OK, "halved: ");
        assert_within(v->value, 0.48, 0.52);
    }
    assert_string_equal(verdict_of(name("long-nop", BUSY), "split")->method,
                        "halved: 322 alone, 161 beside NOPs, 161 beside loads");
    assert_int_equal(verdicts.count, SIZE_KINDS * (WORKS + 1));
}

static void set(enum filler filler, const unsigned jumps[WORKS])
{
    memcpy(core.jump[filler], jumps, sizeof core.jump[filler]);
}

/* The first K beyond the jump alone, beside NOPs, beside loads; and what that is. */
TEST(words)
{
    static const struct {
        enum filler filler;
        unsigned jumps[WORKS];
        enum verdict_status status;
        const char *words;
    } cases[] = {
        {FILLER_LONG_NOP, {319, 159, 159}, OK, "halved: 320 alone, 160 beside NOPs"},
        {FILLER_LONG_NOP, {320, 159, 159}, OK, "halved: "}, /* 321: the odd one is nobody's */
        {FILLER_LONG_NOP, {319, 161, 159}, OK, "competitive: "},
        {FILLER_LONG_NOP, {319, 319, 319}, OK, "whole: 320 alone, 320 beside NOPs"},
        {FILLER_LONG_NOP, {319, 318, 319}, OK, "competitive: "},
        {FILLER_LONG_NOP, {319, 280, 160}, OK, "competitive: 320 alone, 281 beside NOPs"},
        {FILLER_LONG_NOP, {319, 280, 160}, OK, "161 beside loads; watermark 281"},
        {FILLER_LONG_NOP, {319, 200, 280}, OK, "281 beside loads; watermark 281"},
        {FILLER_LONG_NOP, {319, 100, 100}, OK, "competitive: "},
        {FILLER_LONG_NOP, {300, 319, 300}, DOUBT, "policy-open"},
        {FILLER_LONG_NOP, {300, 300, 319}, DOUBT, "policy-open"},
        {FILLER_ADD, {149, 149, 149}, OK, "whole: "},
        {FILLER_ADD, {149, 149, 110}, OK, "competitive: "},
        {FILLER_ADD, {149, 149, 74}, OK, "competitive: "},
        {FILLER_ADD, {149, 58, 58}, OK, "halved: "}, /* without 17 of its own each */
        {FILLER_ADD, {149, 50, 50}, OK, "competitive: "},
        {FILLER_VECTOR_ADD, {131, 131, 131}, OK, "whole: "},
        {FILLER_STORE, {61, 61, 61}, DOUBT, "policy-open"},
        {FILLER_STORE, {61, 61, 61}, DOUBT, "whole or competitive, as neither work uses it"},
        {FILLER_STORE, {61, 61, 50}, OK, "competitive: "},
        {FILLER_STORE, {61, 31, 31}, OK, "halved: "},
        {FILLER_WAITING_ADD, {90, 90, 90}, DOUBT, "policy-open"},
        {FILLER_LOAD, {89, 89, 89}, OK, "whole: "},
    };
    for (EACH(c, cases)) {
        start();
        for (unsigned work = 0; work < WORKS; work++) /* everything else is large */
            for (unsigned filler = 0; filler < FILLER_KINDS; filler++)
                core.jump[filler][work] = 330;
        set(c->filler, c->jumps);
        set_alike();
        set(c->filler, c->jumps);
        add_fillers();
        assert_split(filler_table[c->filler].name, "split", c->status, c->words);
    }
}

/* However many share an entry, half of them are half. */
TEST(nops_that_share_entries)
{
    set(FILLER_NOP, (unsigned[]){320, 160, 160});
    add_fillers();
    assert_split("nop", "split", OK, "halved: 319 alone, 159 beside NOPs");
    assert_split("long-nop", "split", OK, "halved: 322 alone, 161 beside NOPs");
}

TEST(what_ends_first_hides_the_others)
{
    set(FILLER_ADD, (unsigned[]){149, 200, 200});
    add_fillers();
    assert_split("add", "split", DOUBT,
                 "integer_registers of add-busy is doubt: another structure");
    assert_true(isnan(verdict_of(name("add", BUSY), "split")->value));
}

/* --- controls -------------------------------------------------------------------------------- */

/* A sibling that does not do what a case says, or nothing that shows it; at 10 % and at 50 % lost
 * it is still an answer. */
TEST(controls)
{
    static const struct {
        double shared, reading, lost;
        unsigned work; /* in doubt */
        const char *words;
    } cases[] = {
        {89, 100, 0, BUSY, "sibling-differs"},
        {NAN, 100, 0, BUSY, "100 % of the visits had the whole core"},
        {100, 0, 0, LOADING, "sibling-differs"},
        {100, 100, 4, ALONE, "80 % of the visits were lost: another program used the sibling"},
        {90, 90, 0.9, WORKS, NULL},
    };
    for (EACH(c, cases)) {
        start();
        core.shared = c->shared;
        core.reading = c->reading;
        core.lost = c->lost;
        add_fillers();
        for (EACH(size, sizes)) {
            const char *filler = filler_table[size->filler].name;
            for (unsigned work = 0; work < WORKS; work++)
                assert_doubt(name(filler, work), size->verdict, work == c->work ? c->words : NULL);
            assert_doubt(name(filler, BUSY), "split", c->words != NULL ? "leans-on-doubt" : NULL);
        }
    }
}

TEST(a_work_that_is_missing)
{
    for (unsigned missing = 0; missing < WORKS; missing++) {
        start();
        core.jump[FILLER_NOP][missing] = 0;
        add_fillers();
        judge();
        if (missing == BUSY)
            assert_none(name("nop", BUSY), "split");
        else
            assert_split("nop", "split", SKIP, "the sibling asleep, on NOPs");
    }
}

/* --- loads and arrays ------------------------------------------------------------------------ */

TEST(fill_buffers)
{
    static const struct {
        unsigned busy, loading;
        const char *words;
    } cases[] = {{16, 16, "whole: 16 alone"}, {8, 8, "halved: "}, {16, 12, "competitive: "}};
    for (EACH(c, cases)) {
        start();
        core.buffers[BUSY] = c->busy;
        core.buffers[LOADING] = c->loading;
        add_tables();
        assert_count(2 * WORKS + 1);
        for (unsigned work = 0; work < WORKS; work++)
            ASSERT_VERDICTS(name("4k-warm", work), {"fill_buffers", OK, core.buffers[work]},
                            {"mlp", OK, core.buffers[work]});
        assert_split("4k-warm", "split", OK, c->words);
    }
}

TEST(caches)
{
    static const struct {
        double busy, loading; /* parts of both */
        const char *words;
    } cases[] = {
        {1, 1, "whole: "},
        {0.5, 0.5, "halved: "},
        {1, 0.625, "competitive: "},
        {0.625, 0.625, "competitive: "}, /* its upper end is half of the whole's */
    };
    for (EACH(c, cases)) {
        start();
        for (unsigned level = 0; level < 2; level++) {
            core.cache[level][BUSY] = c->busy * core.cache[level][ALONE];
            core.cache[level][LOADING] = c->loading * core.cache[level][ALONE];
        }
        add_arrays();
        assert_verdict(name("chain-2m", ALONE), "l1_bytes", OK, 32 * KILO);
        assert_verdict(name("chain-2m", LOADING), "l2_bytes", OK, 512 * KILO * c->loading);
        assert_split("chain-2m", "l1_split", OK, c->words);
        assert_split("chain-2m", "l2_split", OK, c->words);
    }
    assert_words(name("chain-2m", BUSY), "l1_split", "32k alone, 20k beside NOPs, 20k beside");
}

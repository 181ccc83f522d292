/* test_tlb_capacity_rule: levels of a made-up TLB whose sets are counted here, page by page. */
#include "../../kernel/experiments/experiment.h"
#include "../../kernel/experiments/sweeps/core_clock.h"
#include "../../kernel/experiments/tlb/tlb_capacity_rule.h"
#include "rows.h"
#include "rules.h"

#include "kit.h"

#define CASE "chain-4k"
#define PAGE INT64_C(4096)
#define PAGES_MAX 16384
#define TIMER 50  /* ticks of every sample */
#define CYCLE 0.7 /* ticks */
#define HIT 4     /* cycles of a load in the first cache, */
#define MISS 14   /* and of one in the second */
#define LINES 600 /* that fit into the first */
#define ONE_SET 0 /* in place of ways: as many as entries */

/* Least recently used: in a cyclic chain, pages of a set that has no room for all of its pages
 * always miss. */
struct level {
    unsigned entries, ways;
    double cost; /* cycles of a miss */
};

static struct level first, second;
static struct level slow, slow_first; /* which pages leave by and by */
static double slow_until;             /* times their entries: then all miss */
static double scatter;                /* ticks, either side, of each load */

#define NEVER                                                                                      \
    {                                                                                              \
        2 * PAGES_MAX, ONE_SET, 30                                                                 \
    }
static const struct level never = NEVER;

SETUP(start)
{
    rows_start("tlb", &rule_tlb, 400, 0);
    first = (struct level){72, ONE_SET, 7};
    second = (struct level){2048, 16, 30};
    slow = slow_first = never;
    slow_until = 2;
    scatter = 0;
}

/* How many of N pages, `apart` pages from one to the next, miss. */
static unsigned misses(const struct level *level, unsigned n, uint64_t apart)
{
    static unsigned in_set[PAGES_MAX];
    unsigned ways = level->ways == ONE_SET ? level->entries : level->ways, lost = 0;
    unsigned sets = level->entries / ways;
    memset(in_set, 0, sets * sizeof *in_set);
    for (unsigned i = 0; i < n; i++)
        in_set[i * apart % sets]++;
    for (unsigned i = 0; i < sets; i++)
        lost += in_set[i] > ways ? in_set[i] : 0;
    return lost;
}

static double cached(unsigned n)
{
    return n <= LINES ? HIT : MISS;
}

static unsigned log2_floor(uint64_t x)
{
    return 63 - (unsigned)__builtin_clzll(x);
}

static double slowly(const struct level *level, unsigned n)
{
    double share = ((double)n / level->entries - 1) / (slow_until - 1);
    return level->cost * (share < 0 ? 0 : share < 1 ? share : 1);
}

/* A walk takes a cycle more for each power of two of distance. */
static double of_chain(unsigned n, uint64_t apart)
{
    double lost = misses(&first, n, apart), walking = misses(&second, n, apart);
    walking = walking < lost ? walking : lost; /* who hits the first level asks no other */
    return cached(n) + slowly(&slow, n) + slowly(&slow_first, n) +
           (lost * first.cost + walking * (second.cost + log2_floor(apart))) / n;
}

static struct row *add_row(const char *metric, unsigned n, int64_t bytes, uint64_t attempt,
                           double cycles)
{
    unsigned k = n < 512 ? 512 : n < 2048 ? n : 2048;
    double off = scatter * ((double)below(2001) / 1000 - 1);
    struct row *row = add(CASE, metric, n, k, TIMER + k * (cycles * CYCLE + off));
    row->bytes = bytes;
    row->attempt = attempt;
    rows_visits(row, 8, k * (scatter / 2 + 0.001));
    return row;
}

static void add_pair(unsigned n, uint64_t attempt)
{
    add_row(CAPACITY_CHAIN, n, PAGE, attempt, of_chain(n, 1));
    add_row(CAPACITY_DENSE, n, ROW_NONE, attempt, cached(n));
}

static void add_additions(void)
{
    for (unsigned k = 256; k <= 1280; k += 1024)
        rows_visits(add(CASE, CORE_CLOCK, ROW_NONE, k, TIMER + k * CYCLE), 8, 0.1);
}

/* Powers of two and quarter steps. */
static void add_curve(uint64_t attempt, unsigned most)
{
    for (unsigned n = 2; n <= most; n++) {
        unsigned step = n < 4 ? 1 : 1u << (log2_floor(n) - 2);
        if (n % step == 0)
            add_pair(n, attempt);
    }
}

static const unsigned far_apart[] = {14, 16, 18, 20, 21, 24, 27, 30, 39};
#define FAR (sizeof far_apart / sizeof *far_apart)

static void add_far(unsigned i, unsigned n, uint64_t apart)
{
    add_row(CAPACITY_CHAIN, n, INT64_C(1) << far_apart[i], 0, of_chain(n, apart));
}

static void add_apart(void)
{
    for (unsigned i = 0; i < FAR; i++)
        for (unsigned n = 1; n <= 128; n += n < 40 ? 1 : 8)
            add_far(i, n, UINT64_C(1) << (far_apart[i] - 12));
}

static struct capacity found;

static void find_levels(const struct evidence *e)
{
    capacity_find(e->table, &found);
}

static const struct rule finder = {.judge = find_levels};

/* As the experiment does: between the ends of each bracket, and then those once more. */
static void refine(uint64_t attempt)
{
    for (unsigned i = 0; i < CAPACITY_LEVELS; i++) {
        const struct capacity_level *level = &found.level[i];
        judge_by(&finder);
        for (unsigned tries = 0;
             tries < 20 && level->found && level->first_high - level->last_low > 1; tries++) {
            add_pair((unsigned)(level->last_low + level->first_high) / 2, attempt);
            judge_by(&finder);
        }
        int64_t ends[] = {level->last_low, level->first_high};
        for (unsigned j = 0; level->found && j < 2; j++)
            add_row(CAPACITY_AGAIN, (unsigned)ends[j], PAGE, attempt,
                    of_chain((unsigned)ends[j], 1));
    }
}

static void add_near(void)
{
    add_additions();
    add_curve(0, PAGES_MAX);
    refine(0);
}

static void measure_near(void)
{
    rows_clear();
    add_near();
}

static void measure_all(void)
{
    rows_clear();
    add_near();
    add_apart();
}

static void assert_cost(const char *name, double cycles)
{
    const struct verdict *v = assert_status(CASE, name, OK);
    assert_within(v->value, cycles - 0.3, cycles + 0.3);
    assert_within(cycles, v->low, v->high);
}

/* --- entries --------------------------------------------------------------------------------- */

static const struct level firsts[] = {{72, ONE_SET, 7}, {96, ONE_SET, 8}, {64, 4, 7},
                                      {48, ONE_SET, 9}, {96, 6, 7},       {32, 4, 7}};
static const struct level seconds[] = {{2048, 16, 30}, {3072, 8, 20}, {1024, 8, 12},
                                       {1536, 12, 40}, {4096, 8, 24}, {512, 4, 20}};

TEST(entries_and_cost_of_levels)
{
    for (EACH(one, firsts))
        for (EACH(other, seconds)) {
            first = *one;
            second = *other;
            measure_all();
            const struct verdict *v = assert_verdict(CASE, "dtlb_entries", OK, first.entries);
            double rise, half;
            assert_int_equal(sscanf(v->method,
                                    "a rise of %lf cycles behind N = %*d; half of that rise is "
                                    "reached at N = %lf",
                                    &rise, &half),
                             2);
            assert_compare(v->high, ==, first.entries + 2); /* the sample's own pages */
            assert_compare(rise, <, first.cost + 0.3);
            assert_compare(half, >, 0.9 * first.entries);
            assert_cost("dtlb_miss_cost", first.cost);
            assert_verdict(CASE, "stlb_entries", OK, second.entries);
        }
}

/* A twentieth of a cycle at each point. */
TEST(entries_in_noise)
{
    scatter = 0.05 * CYCLE;
    for (unsigned i = 0; i < 20; i++) {
        measure_all();
        assert_verdict(CASE, "dtlb_entries", OK, 72);
        const struct verdict *v = verdict_of(CASE, "stlb_entries");
        assert_within(2048, v->low, v->high);
        assert_within(v->value, 2046.6, 2049.4);
    }
}

#define GRADUAL 1.4 /* times the entries: a rise whose interval is narrow enough for an answer */
#define RISE(entries, cost) .slow = {entries, ONE_SET, cost}, .slow_until = GRADUAL

/* TLBs, and what is told of them. */
static const struct tlb {
    struct level first, second, slow, slow_first; /* without entries: as `start` leaves it */
    double slow_until, scatter;                   /* 0: as `start` leaves it; of a cycle */
    struct {
        const char *name;
        enum verdict_status status;
        double value; /* 0: any; NAN: none */
        const char *words;
    } told[5];
} tlbs[] = {
    /* Of one page more than fit, few loads miss: less than the points' deviation. */
    {.scatter = 0.2, .told = {{"stlb_entries", DOUBT, 0, "small-rise"}}},
    /* Times that may hide a miss of a cycle, and misses of a cycle: no step, but no level either.
     */
    {.first = {64, 4, 9},
     .scatter = 2,
     .told = {{"dtlb_entries", DOUBT, 0, "level-hidden"}, {"dtlb_ways", DOUBT, 0, "level-hidden"}}},
    {.first = {16, ONE_SET, 1},
     .second = {256, 4, 28},
     .told = {{"dtlb_entries", DOUBT, 0, "level-hidden"},
              {"dtlb_miss_cost", DOUBT, 0, "level-hidden"}}},
    {.first = {64, ONE_SET, 7},
     .second = {1024, 8, 28},
     .scatter = 0.1,
     .told = {{"dtlb_entries", OK, 64, "misses of a smaller level cost 0."}}},
    {.first = {8, 4, 7},
     .second = {24, 4, 60},
     .told = {{"dtlb_entries", OK, 8, ""},
              {"dtlb_miss_cost", OK, 7, ""},
              {"stlb_entries", OK, 24, ""}}},
    /* A level lasts for a factor of two. */
    {.first = {56, 7, 7},
     .second = {96, 12, 34},
     .told = {{"dtlb_entries", OK, 56, ""},
              {"dtlb_miss_cost", DOUBT, 0, "page-walks"},
              {"stlb_entries", SKIP, NAN, "no-edge"}}},
    /* Whatever the caches do is no level, as long as they do it to the control too. */
    {.first = NEVER,
     .second = NEVER,
     .told = {{"dtlb_entries", SKIP, NAN, "no-edge"},
              {"dtlb_miss_cost", SKIP, NAN, "no-edge"},
              {"stlb_entries", SKIP, NAN, "no-edge"}}},
    {.first = {72, ONE_SET, 40},
     .second = NEVER,
     .told = {{"dtlb_entries", OK, 72, ""},
              {"dtlb_miss_cost", DOUBT, 0, "page-walks"},
              {"stlb_entries", SKIP, NAN, "no-edge"}}},
    /* The start of a slow rise may look like one that ends: 376 [302 .. 451] entries for 896. */
    {.second = NEVER, RISE(2048, 30), .told = {{"stlb_entries", OK, 0, "a gradual rise"}}},
    {.second = NEVER,
     RISE(2048, 30),
     .slow_first = {4000, ONE_SET, 40},
     .told = {{"stlb_entries", OK, 0, "a gradual rise"}}},
    /* A modelled core's walk takes 6 cycles more than a hit, up to 1,024 pages: the interval holds
     * the 940 entries, and their half rise is far behind. */
    {.second = {940, ONE_SET, 3.4},
     RISE(1024, 8),
     .told = {{"stlb_entries", OK, 0, "a gradual rise"}}},
    {.second = NEVER, RISE(1024, 8), .told = {{"stlb_entries", OK, 0, "a gradual rise"}}},
    /* A modelled core with a first level that replaces at random gave 569 entries for 512. One
     * whose levels end at 56 and at 69 pages gave a first one of 71, in an interval of 1.59. */
    {.first = NEVER,
     .second = NEVER,
     RISE(2048, 30),
     .slow_first = {72, ONE_SET, 7},
     .told = {{"dtlb_entries", DOUBT, 0, "gradual-edge"},
              {"stlb_entries", DOUBT, 0, "gradual-edge"}}},
    /* A modelled core whose levels end at 92 and at 120 pages gave one of 119 [92 .. 147]. */
    {.first = {72, ONE_SET, 4},
     .second = NEVER,
     .slow = {100, ONE_SET, 90},
     .slow_until = 1.01,
     .told = {{"dtlb_entries", DOUBT, 0, "gradual-edge"}}},
    {.first = {72, ONE_SET, 7}, /* a second and a third, near each other */
     .second = {1024, ONE_SET, 4},
     .slow = {1250, ONE_SET, 90},
     .slow_until = 1.01,
     .told = {{"stlb_entries", DOUBT, 0, "gradual-edge"}}},
    {.first = {72, ONE_SET, 4},
     .second = NEVER,
     RISE(100, 90),
     .told = {{"dtlb_entries", DOUBT, 0, "a gradual rise of 94.0 cycles"}}},
    /* A modelled core with hashed sets: from its first pages too many to the last that still hit,
     * 5.4 of 7 cycles. */
    {.slow = {150, ONE_SET, 0.9},
     .slow_until = 1.05,
     .told = {{"dtlb_entries", OK, 0, ""}, {"dtlb_miss_cost", OK, 0, ""}}},
    {.slow = {150, ONE_SET, 1.3},
     .slow_until = 1.05,
     .told = {{"dtlb_entries", OK, 0, ""}, {"dtlb_miss_cost", DOUBT, 0, "still-hits"}}},
    /* The first level's cost is read up to 1.8 times its pages, where no second level ends. */
    {.second = NEVER, RISE(126, 30), .told = {{"dtlb_miss_cost", DOUBT, 0, "page-walks"}}},
    {.second = NEVER, RISE(160, 30), .told = {{"dtlb_miss_cost", OK, 7, ""}}},
    {.second = NEVER, RISE(300, 30), .told = {{"dtlb_miss_cost", OK, 0, ""}}},
    {.first = {64, 4, 7},
     .second = {1536, 12, 30},
     .told = {{"dtlb_ways", OK, 4, ""},
              {"stlb_ways", OK, 12, " of 9 page distances"},
              {"walk_cost_2m_stride", OK, 7 + 30 + 9, ""},
              {"walk_cost_1g_stride", OK, 7 + 30 + 18, ""},
              {"walk_cost_512g_stride", OK, 7 + 30 + 27, ""}}},
    /* Pages leave the first level set by set: which number surely leaves it no chain tells. */
    {.first = {64, 1, 7},
     .second = {1536, 12, 30},
     .told = {{"dtlb_ways", DOUBT, 0, "gradual-edge"}, {"stlb_ways", DOUBT, 0, "gradual-edge"}}},
    /* One set hides the other levels. */
    {.told = {{"dtlb_ways", DOUBT, NAN, "at any of 9 page distances"},
              {"stlb_ways", DOUBT, NAN, "72 or fewer"}}},
    {.first = {128, ONE_SET, 7},
     .told = {{"dtlb_entries", OK, 128, ""}, {"walk_cost_1g_stride", SKIP, NAN, "no-walk"}}},
};

static void choose(struct level *level, const struct level *chosen)
{
    if (chosen->entries > 0)
        *level = *chosen;
}

TEST(what_is_told_of_each)
{
    for (EACH(tlb, tlbs)) {
        start();
        choose(&first, &tlb->first);
        choose(&second, &tlb->second);
        choose(&slow, &tlb->slow);
        choose(&slow_first, &tlb->slow_first);
        slow_until = tlb->slow_until > 0 ? tlb->slow_until : slow_until;
        scatter = tlb->scatter * CYCLE;
        measure_all();
        for (unsigned i = 0; i < 5 && tlb->told[i].name != NULL; i++) {
            const char *name = tlb->told[i].name;
            double value = tlb->told[i].value;
            assert_says(CASE, name, tlb->told[i].status, tlb->told[i].words);
            if (isnan(value))
                assert_no_value(CASE, name, tlb->told[i].status, "");
            else if (value > 0 && strstr(name, "cost") != NULL)
                assert_cost(name, value);
            else if (value > 0)
                assert_verdict(CASE, name, OK, value);
        }
    }
}

/* A modelled core whose pace drifts: earlier points of the level took longer, so that 641 pages,
 * one more than fit, seemed to take as long as these. The point before it did not, or its dense
 * lines took longer, too. */
TEST(a_base_that_drifts)
{
    const double page = 17 * second.cost / 2049 * CYCLE; /* one more than fits, a load */
    for (unsigned drifts = 0; drifts < 3; drifts++) {
        measure_all();
        for (size_t i = 0; i < row_count && drifts; i++) {
            bool is_level = row_is(&rows[i], CAPACITY_CHAIN) && rows[i].bytes == PAGE;
            if (is_level && rows[i].n > 100 && rows[i].n < 2040)
                rows_center(&rows[i], rows[i].median + page * (0.8 + (i % 4 < 2 ? 0.08 : -0.08)) *
                                                           (double)rows[i].k);
            if (drifts == 2 && rows[i].n == 2048 && !row_is(&rows[i], CAPACITY_AGAIN))
                rows_center(&rows[i], rows[i].median * 1.03);
        }
        if (drifts)
            assert_doubt(CASE, "stlb_entries", "small-rise");
        else
            assert_verdict(CASE, "stlb_entries", OK, 2048);
    }
}

/* The first page too many adds little here: a smaller time above the base may be such a page's. */
TEST(a_rise_that_begins_slowly)
{
    const double page = 17 * second.cost / 2049 * CYCLE;
    for (unsigned is_slow = 0; is_slow < 2; is_slow++) {
        measure_all();
        for (ROWS_OF(row, CASE, CAPACITY_CHAIN)) {
            double off = row->n == 2048 ? 0.1 : row->n == 2049 && is_slow ? -0.75 : 0;
            if (row->bytes == PAGE)
                rows_center(row, row->median + off * page * (double)row->k);
        }
        if (is_slow)
            assert_doubt(CASE, "stlb_entries", "small-rise");
        else
            assert_verdict(CASE, "stlb_entries", OK, 2048);
    }
}

/* A step of which only the beginning was measured has no height. */
TEST(the_curve_ends_in_a_step)
{
    add_additions();
    add_curve(0, 2048 + 512);
    refine(0);
    judge();
    assert_verdict(CASE, "dtlb_entries", OK, 72);
    assert_no_value(CASE, "stlb_entries", SKIP, "no-edge");
}

/* The cost of a first level that ends in a slow rise is measured where that has come further:
 * at 2.5 to 4 times as many pages, and not at 1.3 to 1.8. */
TEST(a_slow_rise_of_the_first_level_is_measured_further_out)
{
    first = second = never;
    slow = (struct level){100, ONE_SET, 20};
    add_additions();
    add_curve(0, PAGES_MAX);
    judge_by(&finder);
    assert_true(found.level[0].found && !capacity_is_hard(&found.level[0]));
    assert_compare(fabs(found.level[0].rise / CYCLE - 20), <, 0.1);
}

/* It is an answer where its interval is narrow enough, and both its ends were seen twice. */
TEST(a_slow_rise)
{
    second = never;
    slow = (struct level){2048, ONE_SET, 30};
    for (unsigned is_wide = 0; is_wide < 2; is_wide++) {
        slow_until = is_wide ? 2.8 : GRADUAL;
        measure_near();
        const struct verdict *v = is_wide ? assert_says(CASE, "stlb_entries", DOUBT, "gradual-edge")
                                          : assert_says(CASE, "stlb_entries", OK, "a gradual rise");
        assert_compare(v->low, <=, 2048);
        assert_within(v->value, 2049, 3999);
        assert_compare(v->high, >, v->value);
        rows_drop(CAPACITY_AGAIN);
        assert_status(CASE, "stlb_entries", DOUBT);
    }
}

/* A modelled core's pace fell by 7 % before the points between 2,560 and 3,072 were measured: of
 * 2,816 pages it gave 2,932. */
TEST(a_pace_that_looks_like_a_slow_rise)
{
    second = (struct level){3050, ONE_SET, 90};
    add_near();
    add_pair(2624, 0);
    assert_verdict(CASE, "stlb_entries", OK, 3050);
    for (ADDED_ROWS(row))
        if (row->n > 2560 && row->n < 3072)
            rows_center(row, row->median * 1.077);
    assert_doubt(CASE, "stlb_entries", "edge-not-placed");
}

/* Runs of a guest on Zen 5 placed gradual edges at 2,489 and 4,686, each with a narrow interval. */
TEST(a_slow_rise_in_a_guest)
{
    second = never;
    slow = (struct level){2048, ONE_SET, 30};
    slow_until = GRADUAL;
    add_near();
    add_row(FACTS_HYPERVISOR, 0, 0, 0, 1);
    assert_doubt(CASE, "stlb_entries", "guest");
}

/* --- looks again ----------------------------------------------------------------------------- */

static void set_cycles(struct row *row, double cycles)
{
    rows_center(row, TIMER + (double)row->k * cycles * CYCLE);
}

TEST(what_is_not_seen_again_is_doubt)
{
    static const struct {
        unsigned n;
        double cycles;
        const char *name;
    } cases[] = {{72, HIT + 3, "dtlb_entries"},
                 {73, HIT, "dtlb_entries"},
                 {2048, MISS + 7 + 2, "stlb_entries"},
                 {2049, MISS + 7, "stlb_entries"}};
    for (EACH(c, cases)) {
        measure_all();
        set_cycles(rows_find(CAPACITY_AGAIN, c->n), c->cycles);
        assert_doubt(CASE, c->name, "edge-not-confirmed");
    }
}

TEST(without_a_second_look_it_is_doubt)
{
    add_additions();
    add_curve(0, PAGES_MAX);
    assert_doubt(CASE, "dtlb_entries", "edge-not-placed");
    assert_doubt(CASE, "stlb_entries", "edge-not-placed");
    measure_near();
    rows_find(CAPACITY_CHAIN, 73)->samples = 0;
    add_row(CAPACITY_AGAIN, 74, PAGE, 0, of_chain(74, 1));
    assert_doubt(CASE, "dtlb_entries", "edge-not-placed");
}

TEST(the_last_attempt)
{
    measure_all();
    first.entries = 40;
    add_curve(1, PAGES_MAX);
    refine(1);
    assert_verdict(CASE, "dtlb_entries", OK, 40);
}

/* --- ways and walks -------------------------------------------------------------------------- */

/* Pages a power of two apart take turns in three sets of 24 ways. Those three times as far apart
 * are all of one set, but so few of them stay in the first level. */
TEST(sets_that_take_turns)
{
    first = (struct level){43, ONE_SET, 7};
    second = (struct level){576, 24, 30};
    measure_all();
    for (unsigned most = 40, n = 1; most <= 80; most += 40) {
        for (; n <= most; n++)
            add_row(CAPACITY_CHAIN, n, INT64_C(3) << 24, 0, of_chain(n, 3 << 12));
        assert_says(CASE, "stlb_ways", DOUBT, most == 40 ? "range-ends" : "43 or fewer");
    }
    assert_no_value(CASE, "stlb_ways", DOUBT, "");
}

/* Where the second level is left as soon as it is asked, it is not by its own sets; whichever
 * distances were looked at closer. */
TEST(hidden_at_some_distances)
{
    first.entries = 70;
    measure_all();
    for (unsigned i = 1; i < FAR; i++)
        for (unsigned n = 65; n < 80; n++)
            if (n != 72)
                add_far(i, n, UINT64_C(1) << (far_apart[i] - 12));
    assert_no_value(CASE, "stlb_ways", DOUBT, "70 or fewer");
}

/* As where every bit of a page's number chooses its set. */
TEST(hashed_sets_are_not_seen)
{
    add_near();
    for (unsigned i = 0; i < FAR; i++)
        for (unsigned n = 1; n <= 128; n++)
            add_far(i, n, 1);
    assert_no_value(CASE, "stlb_ways", DOUBT, "no-sets");
    assert_no_value(CASE, "walk_cost_2m_stride", SKIP, "no-walk");
}

TEST(walks_that_do_not_agree)
{
    first = (struct level){64, 4, 7};
    measure_all();
    for (ADDED_ROWS(row))
        if (row->n == 128 && row->bytes == 1 << 21)
            set_cycles(row, 90);
    assert_doubt(CASE, "walk_cost_2m_stride", "scatter");
    assert_status(CASE, "walk_cost_1g_stride", OK);
}

/* Cycles that n pages a gigabyte apart take beyond a hit in the second level. A hash spreads pages
 * over all sets: with a few pages more than entries not all of them walk. */
static double some_walk(int64_t n)
{
    return n < 64 ? 0 : n < 100 ? 14 : 40;
}

/* From some number of pages on one hashed set is too full: as many walk, more and more hit. */
static double one_set_walks(int64_t n)
{
    return n < 96 ? 0 : 40 * 96. / (double)n;
}

static double all_walk(int64_t n)
{
    return n < 96 ? 0 : 40;
}

/* A cache of page-table entries ends at 55 pages: behind this second step all is flat, or not. */
static double second_step(int64_t n)
{
    return n < 48 ? 0 : n < 56 ? 20 : 40;
}

static double second_step_and_a_rise(int64_t n)
{
    return n < 48 ? 0 : n < 56 ? 20 : n < 100 ? 35 : 40;
}

/* The last pages are over twice as many as overflow the level: all of them walk. */
static double many_more(int64_t n)
{
    return n < 40 ? 0 : n < 100 ? 35 : 40;
}

TEST(walks_of_some_pages_only)
{
    static const struct {
        double (*cycles)(int64_t n);
        bool are_all;
    } cases[] = {{some_walk, false},  {one_set_walks, false},          {all_walk, true},
                 {second_step, true}, {second_step_and_a_rise, false}, {many_more, true}};
    first = (struct level){64, 4, 7};
    for (EACH(c, cases)) {
        measure_all();
        for (ADDED_ROWS(row))
            if (row->bytes == INT64_C(1) << 30 && row->n >= 8)
                set_cycles(row, HIT + 7 + c->cycles(row->n));
        assert_status(CASE, "walk_cost_2m_stride", OK);
        assert_doubt(CASE, "walk_cost_1g_stride", c->are_all ? NULL : "still-hits");
    }
}

TEST(nothing_far_apart)
{
    add_near();
    assert_no_value(CASE, "dtlb_ways", SKIP, "unavailable");
    assert_no_value(CASE, "walk_cost_2m_stride", SKIP, "were not measured");
    struct row *row = add_row(CAPACITY_CHAIN, 1, INT64_C(1) << 30, 0, 0);
    row->n = row->k = ROW_NONE;
    row->samples = 0;
    memcpy(row->unit, "no addresses", sizeof "no addresses");
    assert_no_value(CASE, "walk_cost_1g_stride", SKIP, "no addresses");
}

/* --- large pages, and what is missing -------------------------------------------------------- */

/* Nothing of large pages holds where the host maps them by small ones. */
TEST(large_pages_need_be_whole)
{
    struct variant variant = {.has_page = true, .page = PAGE_2M};
    name_copy(variant.pattern, CAPACITY_PATTERN);
    for (const struct question *q = capacity_questions; q->name != NULL; q++)
        assert_int_equal(q->needs & NEEDS_WHOLE_PAGES, NEEDS_WHOLE_PAGES);
    assert_null(question_of(&rule_tlb, &variant, "walk_cost_2m_stride"));
    assert_non_null(question_of(&rule_tlb, &variant, "walk_cost_1g_stride"));
}

/* A page has 64 dense lines: beyond as many times the first level, the control misses it too if
 * the host's pages are small. */
TEST(an_end_that_needs_whole_pages)
{
    static const struct {
        struct level first, second;
        bool needs;
    } cases[] = {{{72, ONE_SET, 7}, {2048, 16, 30}, false},
                 {{32, ONE_SET, 7}, {2048, 16, 30}, false},
                 {{31, ONE_SET, 7}, {2048, 16, 30}, true},
                 {{24, 12, 9}, {3840, 15, 20}, true}};
    for (EACH(c, cases)) {
        first = c->first;
        second = c->second;
        measure_near();
        bool needs = (verdict_of(CASE, "stlb_entries")->needs & NEEDS_HOST_PAGES) != 0;
        assert_int_equal(needs, c->needs);
        assert_verdict(CASE, "stlb_entries", OK, second.entries);
    }
}

TEST(needs_cycles_and_points)
{
    add_curve(0, PAGES_MAX);
    assert_no_value(CASE, "dtlb_entries", SKIP, "the time of an addition");
    rows_clear();
    add_additions();
    assert_no_value(CASE, "dtlb_entries", SKIP, "a dozen values of N");
    add_curve(0, 3);
    assert_no_value(CASE, "stlb_ways", SKIP, "a dozen values of N");
}

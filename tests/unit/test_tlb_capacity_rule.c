/* test_tlb_capacity_rule: levels of a made-up TLB whose sets are counted here, page by page. */
#include "../../kernel/experiments/experiment.h"
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

static const struct level never = {2 * PAGES_MAX, ONE_SET, 30};

SETUP(start)
{
    rows_clear();
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
    struct row *row = rows_add("tlb", CASE, n, k, TIMER + k * (cycles * CYCLE + off));

    name_copy(row->metric, metric);
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
    static const unsigned k[] = {256, 1280};

    for (unsigned i = 0; i < 2; i++) {
        struct row *row = rows_add("tlb", CASE, ROW_NONE, k[i], TIMER + k[i] * CYCLE);
        name_copy(row->metric, CAPACITY_ADDITIONS);
        rows_visits(row, 8, 0.1);
    }
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

static void find_in(const struct table *table, struct verdict_list *list)
{
    (void)list;
    capacity_find(table, &found);
}

/* As the experiment does: between the ends of each bracket, and then those once more. */
static void refine(uint64_t attempt)
{
    for (unsigned i = 0; i < CAPACITY_LEVELS; i++) {
        const struct capacity_level *level = &found.level[i];
        judge_rows(find_in);
        for (unsigned tries = 0;
             tries < 20 && level->found && level->first_high - level->last_low > 1; tries++) {
            add_pair((unsigned)(level->last_low + level->first_high) / 2, attempt);
            judge_rows(find_in);
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

static void judge(void)
{
    judge_rows(rule_tlb.judge);
    assert_words_fit();
    for (size_t i = 0; i < verdicts.count; i++)
        assert_true(rule_tlb.gives(&verdicts.at[i].variant, verdicts.at[i].name));
}

static void judge_all(void)
{
    add_near();
    add_apart();
    judge();
}

static void assert_cost(const char *name, enum verdict_status status, double cycles)
{
    const struct verdict *v = assert_status(CASE, name, status);

    assert_string_equal(v->unit, "cycles");
    assert_true(fabs(v->value - cycles) < 0.3);
    assert_true(v->low <= cycles && v->high >= cycles);
}

/* --- entries --------------------------------------------------------------------------------- */

static const struct level firsts[] = {{72, ONE_SET, 7}, {96, ONE_SET, 8}, {64, 4, 7},
                                      {48, ONE_SET, 9}, {96, 6, 7},       {32, 4, 7}};
static const struct level seconds[] = {{2048, 16, 30}, {3072, 8, 20}, {1024, 8, 12},
                                       {1536, 12, 40}, {4096, 8, 24}, {512, 4, 20}};

TEST(entries_and_cost_of_levels)
{
    for (size_t i = 0; i < sizeof firsts / sizeof *firsts; i++)
        for (size_t j = 0; j < sizeof seconds / sizeof *seconds; j++) {
            rows_clear();
            first = firsts[i];
            second = seconds[j];
            judge_all();
            const struct verdict *v =
                assert_verdict(CASE, "dtlb_entries", VERDICT_OK, first.entries);
            double rise, half;
            assert_int_equal(sscanf(v->method,
                                    "the last N before the time rises by %lf cycles; half of that "
                                    "rise is reached at N = %lf",
                                    &rise, &half),
                             2);
            assert_true(rise < first.cost + 0.3 && half > 0.9 * first.entries);
            assert_cost("dtlb_miss_cost", VERDICT_OK, first.cost);
            assert_verdict(CASE, "stlb_entries", VERDICT_OK, second.entries);
        }
}

/* A twentieth of a cycle at each point. */
TEST(entries_in_noise)
{
    for (unsigned i = 0; i < 20; i++) {
        rows_clear();
        scatter = 0.05 * CYCLE;
        judge_all();
        assert_verdict(CASE, "dtlb_entries", VERDICT_OK, 72);
        const struct verdict *v = verdict_of(CASE, "stlb_entries");
        assert_true(v->low <= 2048 && v->high >= 2048 && fabs(v->value - 2048) < 1.5);
    }
}

/* Of one page more than fit, few loads miss: less than the points' deviation. */
TEST(noise_hides_a_page)
{
    scatter = 0.2 * CYCLE;
    judge_all();
    assert_says(CASE, "stlb_entries", VERDICT_DOUBT, "with one page too many");
}

/* A modelled core whose pace drifts: earlier points of the level took longer, so that 641 pages,
 * one more than fit, seemed to take as long as these. The point before it did not, or its dense
 * lines took longer, too. */
TEST(a_base_that_drifts)
{
    const double page = 17 * second.cost / 2049 * CYCLE; /* one more than fits, a load */
    for (unsigned drifts = 0; drifts < 3; drifts++) {
        rows_clear();
        judge_all();
        for (size_t i = 0; i < row_count && drifts; i++) {
            bool is_level = row_is(&rows[i], CAPACITY_CHAIN) && rows[i].bytes == PAGE;
            if (is_level && rows[i].n > 100 && rows[i].n < 2040)
                rows_center(&rows[i], rows[i].median + page * (0.8 + (i % 4 < 2 ? 0.08 : -0.08)) *
                                                           (double)rows[i].k);
            if (drifts == 2 && rows[i].n == 2048 && !row_is(&rows[i], CAPACITY_AGAIN))
                rows_center(&rows[i], rows[i].median * 1.03);
        }
        judge();
        if (drifts)
            assert_says(CASE, "stlb_entries", VERDICT_DOUBT, "with one page too many");
        else
            assert_verdict(CASE, "stlb_entries", VERDICT_OK, 2048);
    }
}

/* The first page too many adds little here: a smaller time above the base may be such a page's. */
TEST(a_rise_that_begins_slowly)
{
    const double page = 17 * second.cost / 2049 * CYCLE;
    for (unsigned is_slow = 0; is_slow < 2; is_slow++) {
        rows_clear();
        judge_all();
        for (size_t i = 0; i < row_count; i++) {
            bool is_chain = row_is(&rows[i], CAPACITY_CHAIN) && rows[i].bytes == PAGE;
            double off = !is_chain ? 0 : rows[i].n == 2048 ? 0.1 : rows[i].n == 2049 ? -0.75 : 0;
            if (rows[i].n == 2048 || is_slow)
                rows_center(&rows[i], rows[i].median + off * page * (double)rows[i].k);
        }
        judge();
        if (is_slow)
            assert_says(CASE, "stlb_entries", VERDICT_DOUBT, "with one page too many");
        else
            assert_verdict(CASE, "stlb_entries", VERDICT_OK, 2048);
    }
}

TEST(a_second_level_of_twice_the_size)
{
    first = (struct level){8, 4, 7};
    second = (struct level){16, 4, 60};
    judge_all();
    assert_verdict(CASE, "dtlb_entries", VERDICT_OK, 8);
    assert_cost("dtlb_miss_cost", VERDICT_OK, 7);
    assert_verdict(CASE, "stlb_entries", VERDICT_OK, 16);
}

/* Points that should tell the first step's height are beyond the second one already; and a modelled
 * core's 64 entries, whose sets a hash chooses, look like levels of 39 and 67. */
TEST(a_second_level_too_near_the_first)
{
    first = (struct level){56, 7, 7};
    second = (struct level){96, 12, 34};
    judge_all();
    for (size_t i = 0; i < verdicts.count; i++)
        if (verdicts.at[i].status != VERDICT_SKIP)
            assert_says(CASE, verdicts.at[i].name, VERDICT_DOUBT, "two steps near each other");
}

/* Beyond that factor, too, all points of the first step's height may be near the second one. */
TEST(no_number_is_surely_a_hit)
{
    first = (struct level){56, 7, 7};
    second = (struct level){120, 15, 34};
    scatter = 0.8 * CYCLE;
    judge_all();
    assert_says(CASE, "stlb_entries", VERDICT_DOUBT, "too near the first level's end");
}

/* Whatever the caches do, as long as they do it to the control too. */
TEST(caches_are_no_level)
{
    first = second = never;
    judge_all();
    assert_no_value(CASE, "dtlb_entries", VERDICT_SKIP, "no lasting first step up to N = 16384");
    assert_no_value(CASE, "dtlb_miss_cost", VERDICT_SKIP, "no lasting first step");
    assert_no_value(CASE, "stlb_entries", VERDICT_SKIP, "no lasting second step up to N = 16384");
}

TEST(no_second_level)
{
    second = never;
    first.cost = 40;
    judge_all();
    assert_verdict(CASE, "dtlb_entries", VERDICT_OK, 72);
    assert_says(CASE, "dtlb_miss_cost", VERDICT_DOUBT,
                "no second step: this cost may be that of a page walk");
    assert_no_value(CASE, "stlb_entries", VERDICT_SKIP, "no lasting second step");
}

/* A step of which only the beginning was measured has no height. */
TEST(the_curve_ends_in_a_step)
{
    add_additions();
    add_curve(0, 2048 + 512);
    refine(0);
    judge();
    assert_verdict(CASE, "dtlb_entries", VERDICT_OK, 72);
    assert_no_value(CASE, "stlb_entries", VERDICT_SKIP, "no lasting second step up to N = 2560");
}

/* The cost of a first level that ends in a slow rise is measured where that has come further:
 * at 2.5 to 4 times as many pages, and not at 1.3 to 1.8. */
TEST(a_slow_rise_of_the_first_level_is_measured_further_out)
{
    first = second = never;
    slow = (struct level){100, ONE_SET, 20};
    add_additions();
    add_curve(0, PAGES_MAX);
    judge_rows(find_in);
    assert_true(found.level[0].found && !capacity_is_hard(&found.level[0]));
    assert_true(fabs(found.level[0].rise / CYCLE - 20) < 0.1);
}

/* It is an answer where its interval is narrow enough, and both its ends were seen twice. */
TEST(a_slow_rise)
{
    second = never;
    for (unsigned is_wide = 0; is_wide < 2; is_wide++) {
        rows_clear();
        slow = (struct level){2048, ONE_SET, 30};
        slow_until = is_wide ? 2.8 : 1.4;
        add_near();
        judge();
        const struct verdict *v =
            is_wide ? assert_says(CASE, "stlb_entries", VERDICT_DOUBT, "no sharp edge")
                    : assert_says(CASE, "stlb_entries", VERDICT_OK, "a gradual edge");
        assert_true(v->low <= 2048 && v->value > 2048 && v->value < 4000 && v->high > v->value);
        rows_drop(CAPACITY_AGAIN);
        judge();
        assert_status(CASE, "stlb_entries", VERDICT_DOUBT);
    }
}

/* Its first part may look like one that ends: 376 [302 .. 451] entries for 896. */
TEST(a_slow_rise_that_goes_on)
{
    second = never;
    slow = (struct level){2048, ONE_SET, 30};
    slow_until = 1.4;
    for (unsigned times = 0; times <= 2; times++) {
        rows_clear();
        slow_first = (struct level){4000, ONE_SET, 20 * times};
        add_near();
        judge();
        if (times < 2)
            assert_says(CASE, "stlb_entries", VERDICT_OK, "a gradual edge");
        else
            assert_says(CASE, "stlb_entries", VERDICT_DOUBT, "and goes on");
    }
}

/* A modelled core's walk takes 6 cycles more than a hit, up to 1,024 pages; of 940 it gave 1,106.
 */
TEST(a_slow_rise_behind_a_step)
{
    second = (struct level){940, ONE_SET, 3.4};
    slow = (struct level){1024, ONE_SET, 8};
    slow_until = 1.4;
    add_near();
    judge();
    assert_says(CASE, "stlb_entries", VERDICT_DOUBT, "in steps from N = 94");
    second = never;
    rows_clear();
    add_near();
    judge();
    assert_says(CASE, "stlb_entries", VERDICT_OK, "a gradual edge");
}

/* A modelled core's pace fell by 7 % before the points between 2,560 and 3,072 were measured: of
 * 2,816 pages it gave 2,932. */
TEST(a_pace_that_looks_like_a_slow_rise)
{
    second = (struct level){3050, ONE_SET, 90};
    for (unsigned is_slow = 0; is_slow < 2; is_slow++) {
        rows_clear();
        add_near();
        add_pair(2624, 0);
        for (size_t i = 0; i < row_count && is_slow; i++)
            if (rows[i].n > 2560 && rows[i].n < 3072)
                rows_center(&rows[i], rows[i].median * 1.077);
        judge();
        if (is_slow)
            assert_says(CASE, "stlb_entries", VERDICT_DOUBT, "the core was faster at N = 2560");
        else
            assert_verdict(CASE, "stlb_entries", VERDICT_OK, 3050);
    }
}

/* A modelled core whose first level replaces at random gave 569 entries of the second for 512. */
TEST(two_slow_rises)
{
    first = second = never;
    slow_first = (struct level){72, ONE_SET, 7};
    slow = (struct level){2048, ONE_SET, 30};
    slow_until = 1.4;
    add_near();
    judge();
    assert_says(CASE, "dtlb_entries", VERDICT_OK, "a gradual edge");
    assert_says(CASE, "stlb_entries", VERDICT_DOUBT, "no sharp edge of either level");
}

/* A modelled core whose levels end at 92 and at 120 pages gave one of 119 [92 .. 147]. */
TEST(two_steps_that_look_like_one_slow_rise)
{
    first = (struct level){72, ONE_SET, 4};
    second = never;
    slow = (struct level){100, ONE_SET, 90};
    for (unsigned is_slow = 0; is_slow < 2; is_slow++) {
        rows_clear();
        slow_until = is_slow ? 1.4 : 1.01;
        add_near();
        judge();
        if (is_slow)
            assert_says(CASE, "dtlb_entries", VERDICT_DOUBT, "a gradual rise of 94.0 cycles");
        else
            assert_says(CASE, "dtlb_entries", VERDICT_DOUBT, "two levels may end there");
    }
}

/* A modelled core with hashed sets: from its first pages too many to the last that still hit, 5.4
 * of 7 cycles. */
TEST(a_first_level_that_goes_on_to_hit)
{
    slow_until = 1.05;
    for (unsigned is_small = 0; is_small < 2; is_small++) {
        rows_clear();
        slow = (struct level){150, ONE_SET, is_small ? 0.9 : 1.3};
        add_near();
        judge();
        assert_status(CASE, "dtlb_entries", VERDICT_OK);
        if (is_small)
            assert_status(CASE, "dtlb_miss_cost", VERDICT_OK);
        else
            assert_says(CASE, "dtlb_miss_cost", VERDICT_DOUBT, "the time rises again");
    }
}

/* The first level's cost is read up to 1.8 times its pages, where no second level ends. */
TEST(a_slow_rise_that_begins_too_soon)
{
    static const int64_t begins[] = {126, 160, 300};
    second = never;
    slow_until = 1.4;
    for (unsigned i = 0; i < 3; i++) {
        rows_clear();
        slow = (struct level){begins[i], ONE_SET, 30};
        add_near();
        judge();
        if (i == 2)
            assert_status(CASE, "dtlb_miss_cost", VERDICT_OK);
        else
            assert_says(CASE, "dtlb_miss_cost", VERDICT_DOUBT, "two steps near each other");
    }
}

/* Runs of one guest on Zen 5 placed gradual edges at 2,489 and 4,686, each with a narrow interval.
 */
TEST(a_slow_rise_in_a_guest)
{
    second = never;
    slow = (struct level){2048, ONE_SET, 30};
    slow_until = 1.4;
    add_near();
    add_row(ROW_HYPERVISOR, 0, 0, 0, 1);
    judge();
    assert_says(CASE, "stlb_entries", VERDICT_DOUBT, "the hypervisor's page tables");
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

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        rows_clear();
        add_near();
        add_apart();
        set_cycles(rows_find(CAPACITY_AGAIN, cases[i].n), cases[i].cycles);
        judge();
        assert_says(CASE, cases[i].name, VERDICT_DOUBT, "did not confirm");
    }
}

TEST(without_a_second_look_it_is_doubt)
{
    add_additions();
    add_curve(0, PAGES_MAX);
    judge();
    assert_says(CASE, "dtlb_entries", VERDICT_DOUBT, "between N = 64 and 80, and was not placed");
    assert_says(CASE, "stlb_entries", VERDICT_DOUBT, "between N = 2048 and 2560");
    start();
    add_near();
    rows_find(CAPACITY_CHAIN, 73)->samples = 0;
    add_row(CAPACITY_AGAIN, 74, PAGE, 0, of_chain(74, 1));
    judge();
    assert_says(CASE, "dtlb_entries", VERDICT_DOUBT, "between N = 72 and 74, and was not placed");
}

TEST(the_last_attempt)
{
    add_near();
    add_apart();
    first.entries = 40;
    add_curve(1, PAGES_MAX);
    refine(1);
    judge();
    assert_verdict(CASE, "dtlb_entries", VERDICT_OK, 40);
}

/* --- ways and walks -------------------------------------------------------------------------- */

TEST(ways)
{
    first = (struct level){64, 4, 7};
    second = (struct level){1536, 12, 30};
    judge_all();
    assert_verdict(CASE, "dtlb_ways", VERDICT_OK, 4);
    assert_verdict(CASE, "stlb_ways", VERDICT_OK, 12);
    assert_words(CASE, "stlb_ways", " of 9 page distances");
    assert_cost("walk_cost_2m_stride", VERDICT_OK, 7 + 30 + 9);
    assert_cost("walk_cost_1g_stride", VERDICT_OK, 7 + 30 + 18);
    assert_cost("walk_cost_512g_stride", VERDICT_OK, 7 + 30 + 27);
}

/* Pages leave the first level set by set: which number surely leaves it no chain tells. */
TEST(ways_behind_a_gradual_edge)
{
    first = (struct level){64, 1, 7};
    second = (struct level){1536, 12, 30};
    judge_all();
    assert_says(CASE, "dtlb_ways", VERDICT_DOUBT, "not strictly least-recently-used");
    assert_says(CASE, "stlb_ways", VERDICT_DOUBT, "not strictly least-recently-used");
}

TEST(one_set_hides_the_other_levels)
{
    judge_all();
    assert_no_value(CASE, "dtlb_ways", VERDICT_DOUBT, "at any of 9 page distances");
    assert_no_value(CASE, "stlb_ways", VERDICT_DOUBT, "72 or fewer: the first level holds");
}

/* Pages a power of two apart take turns in three sets of 24 ways. Those three times as far apart
 * are all of one set, but so few of them stay in the first level. */
TEST(sets_that_take_turns)
{
    first = (struct level){43, ONE_SET, 7};
    second = (struct level){576, 24, 30};
    add_near();
    add_apart();
    for (unsigned n = 1; n <= 40; n++)
        add_row(CAPACITY_CHAIN, n, INT64_C(3) << 24, 0, of_chain(n, 3 << 12));
    judge();
    assert_says(CASE, "stlb_ways", VERDICT_DOUBT, "where so many were not measured");
    for (unsigned n = 41; n <= 80; n++)
        add_row(CAPACITY_CHAIN, n, INT64_C(3) << 24, 0, of_chain(n, 3 << 12));
    judge();
    assert_no_value(CASE, "stlb_ways", VERDICT_DOUBT, "43 or fewer: the first level holds");
}

/* Where the second level is left as soon as it is asked, it is not by its own sets; whichever
 * distances were looked at closer. */
TEST(hidden_at_some_distances)
{
    first.entries = 70;
    add_near();
    add_apart();
    for (unsigned i = 1; i < FAR; i++)
        for (unsigned n = 65; n < 80; n++)
            if (n != 72)
                add_far(i, n, UINT64_C(1) << (far_apart[i] - 12));
    judge();
    assert_no_value(CASE, "stlb_ways", VERDICT_DOUBT, "70 or fewer: the first level holds");
}

/* As where every bit of a page's number chooses its set. */
TEST(hashed_sets_are_not_seen)
{
    add_near();
    for (unsigned i = 0; i < FAR; i++)
        for (unsigned n = 1; n <= 128; n++)
            add_far(i, n, 1);
    judge();
    assert_no_value(CASE, "stlb_ways", VERDICT_DOUBT, "no step comes earlier");
    assert_no_value(CASE, "walk_cost_2m_stride", VERDICT_SKIP, "no page walk was seen");
}

TEST(walks_that_do_not_agree)
{
    first = (struct level){64, 4, 7};
    add_near();
    add_apart();
    for (size_t i = 0; i < row_count; i++)
        if (rows[i].n == 128 && rows[i].bytes == 1 << 21)
            set_cycles(&rows[i], 90);
    judge();
    assert_says(CASE, "walk_cost_2m_stride", VERDICT_DOUBT, "disagree");
    assert_status(CASE, "walk_cost_1g_stride", VERDICT_OK);
}

/* Cycles that n pages a gigabyte apart take beyond a hit in the second level. A hash spreads pages
 * over all sets: with a few pages more than entries not all of them walk. */
static double some_walk(int64_t n)
{
    return n < 64 ? 0 : n < 100 ? 14 : 40;
}

/* From some number of pages on one hashed set is too full: as many pages walk, more and more hit.
 */
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

TEST(walks_of_some_pages_only)
{
    static const struct {
        double (*cycles)(int64_t n);
        bool are_all;
    } cases[] = {{some_walk, false},
                 {one_set_walks, false},
                 {all_walk, true},
                 {second_step, true},
                 {second_step_and_a_rise, false}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        rows_clear();
        first = (struct level){64, 4, 7};
        add_near();
        add_apart();
        for (ADDED_ROWS(row))
            if (row->bytes == INT64_C(1) << 30 && row->n >= 8)
                set_cycles(row, HIT + 7 + cases[i].cycles(row->n));
        judge();
        assert_status(CASE, "walk_cost_2m_stride", VERDICT_OK);
        if (cases[i].are_all)
            assert_status(CASE, "walk_cost_1g_stride", VERDICT_OK);
        else
            assert_says(CASE, "walk_cost_1g_stride", VERDICT_DOUBT, "may still hit the TLB");
    }
}

TEST(the_first_level_holds_them_all)
{
    first = (struct level){128, ONE_SET, 7};
    judge_all();
    assert_verdict(CASE, "dtlb_entries", VERDICT_OK, 128);
    assert_no_value(CASE, "walk_cost_1g_stride", VERDICT_SKIP, "the first level holds that many");
}

TEST(nothing_far_apart)
{
    add_near();
    judge();
    assert_no_value(CASE, "dtlb_ways", VERDICT_SKIP, "no pages far apart could be mapped");
    assert_no_value(CASE, "walk_cost_2m_stride", VERDICT_SKIP, "were not measured");
    struct row *row = add_row(CAPACITY_CHAIN, 1, INT64_C(1) << 30, 0, 0);
    row->n = row->k = ROW_NONE;
    row->samples = 0;
    memcpy(row->unit, "no addresses", sizeof "no addresses");
    judge();
    assert_no_value(CASE, "walk_cost_1g_stride", VERDICT_SKIP, "no addresses");
}

/* --- large pages, and what is missing -------------------------------------------------------- */

static void rename_all(const char *name, int64_t page)
{
    for (size_t i = 0; i < row_count; i++) {
        rows_name(&rows[i], "tlb", name);
        rows[i].bytes = rows[i].bytes == PAGE ? page : rows[i].bytes;
    }
}

TEST(large_pages_in_pieces_are_doubt)
{
    for (unsigned splinters = 0; splinters < 2; splinters++) {
        rows_clear();
        add_near();
        rename_all("chain-2m", INT64_C(1) << 21);
        for (unsigned n = 2; n <= 256; n *= 2) {
            struct row *row =
                add_row(CAPACITY_PIECES, n, PAGE, 0, splinters ? of_chain(n, 1) : HIT);
            rows_name(row, "tlb", "chain-2m");
        }
        judge();
        assert_verdict("chain-2m", "dtlb_entries", splinters ? VERDICT_DOUBT : VERDICT_OK, 72);
        assert_verdict("chain-2m", "stlb_entries", splinters ? VERDICT_DOUBT : VERDICT_OK, 2048);
        if (splinters)
            assert_words("chain-2m", "dtlb_miss_cost", "the host maps");
        assert_null(rows_verdict(&verdicts, "chain-2m", "walk_cost_2m_stride"));
        assert_non_null(rows_verdict(&verdicts, "chain-2m", "walk_cost_1g_stride"));
    }
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
    for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct tables tables;
        rows_clear();
        first = cases[i].first;
        second = cases[i].second;
        add_near();
        judge();
        void *room = rows_group(rows, row_count, &tables);
        for (size_t j = 0; j < verdicts.count; j++) {
            const struct verdict *v = &verdicts.at[j];
            assert_int_equal(rule_tlb.needs_whole_pages(&tables, v),
                             cases[i].needs && strcmp(v->name, "stlb_entries") == 0);
        }
        assert_verdict(CASE, "stlb_entries", VERDICT_OK, cases[i].second.entries);
        free(room);
    }
}

TEST(needs_cycles_and_points)
{
    add_curve(0, PAGES_MAX);
    judge();
    assert_no_value(CASE, "dtlb_entries", VERDICT_SKIP, "needs the time of an addition");
    rows_clear();
    add_additions();
    judge();
    assert_no_value(CASE, "dtlb_entries", VERDICT_SKIP, "needs a dozen values of N");
    add_curve(0, 3);
    judge();
    assert_no_value(CASE, "stlb_ways", VERDICT_SKIP, "needs a dozen values of N");
}

TEST(who_gets_which_verdict)
{
    static const char *const walking[] = {"walk_cost", "parallel_walks"};
    struct variant variant = {.has_page = true, .page = PAGE_4K};
    unsigned walking_names = 0;

    for (const char *const *name = rule_tlb.verdicts; *name != NULL; name++) {
        bool is_walking = strcmp(*name, walking[0]) == 0 || strcmp(*name, walking[1]) == 0;
        walking_names += is_walking;
        name_copy(variant.pattern, "");
        assert_int_equal(rule_tlb.gives(&variant, *name), is_walking);
        name_copy(variant.pattern, CAPACITY_PATTERN);
        assert_int_equal(rule_tlb.gives(&variant, *name), !is_walking);
    }
    assert_int_equal(walking_names, 2);
}

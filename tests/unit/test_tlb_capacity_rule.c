/* test_reach_rule: levels of a made-up TLB whose sets are counted here, page by page. */
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
static double by_distance; /* cycles that a walk takes more for each power of two of distance */
static double scatter;     /* ticks, either side, of each load */

SETUP(start)
{
    rows_clear();
    first = (struct level){72, ONE_SET, 7};
    second = (struct level){2048, 16, 30};
    by_distance = 1;
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

static double of_chain(unsigned n, uint64_t apart)
{
    double walk = second.cost + by_distance * log2_floor(apart);
    double lost = misses(&first, n, apart), walking = misses(&second, n, apart);

    walking = walking < lost ? walking : lost; /* who hits the first level asks no other */
    return cached(n) + (lost * first.cost + walking * walk) / n;
}

static struct row *add_row(const char *metric, unsigned n, int64_t bytes, int64_t stage,
                           double cycles)
{
    unsigned k = n < 512 ? 512 : n < 2048 ? n : 2048;
    double off = scatter * ((double)below(2001) / 1000 - 1);
    struct row *row = rows_add("tlb", CASE, n, k, TIMER + k * (cycles * CYCLE + off));

    name_copy(row->metric, metric);
    row->bytes = bytes;
    row->stage = stage;
    rows_visits(row, 8, k * (scatter / 2 + 0.001));
    return row;
}

static void add_pair(unsigned n, int64_t stage)
{
    add_row(REACH_CHAIN, n, PAGE, stage, of_chain(n, 1));
    add_row(REACH_DENSE, n, ROW_NONE, stage, cached(n));
}

static void add_additions(void)
{
    static const unsigned k[] = {256, 1280};

    for (unsigned i = 0; i < 2; i++) {
        struct row *row = rows_add("tlb", CASE, ROW_NONE, k[i], TIMER + k[i] * CYCLE);
        name_copy(row->metric, REACH_ADDITIONS);
        rows_visits(row, 8, 0.1);
    }
}

/* Powers of two and quarter steps. */
static void add_curve(int64_t stage, unsigned most)
{
    for (unsigned n = 2; n <= most; n++) {
        unsigned step = n < 4 ? 1 : 1u << (log2_floor(n) - 2);
        if (n % step == 0)
            add_pair(n, stage);
    }
}

static const unsigned far_apart[] = {14, 16, 18, 20, 21, 24, 27, 30, 39};
#define FAR (sizeof far_apart / sizeof *far_apart)

static void add_apart(void)
{
    for (unsigned i = 0; i < FAR; i++)
        for (unsigned n = 1; n <= 128; n += n < 40 ? 1 : 8)
            add_row(REACH_CHAIN, n, INT64_C(1) << far_apart[i], ROW_NONE,
                    of_chain(n, UINT64_C(1) << (far_apart[i] - 12)));
}

static void find(struct reach *reach)
{
    struct table table = {.of = &rows[0].of, .rows = rows, .count = row_count};
    void *memory = malloc(tables_bytes(row_count));
    struct tables tables;

    assert_non_null(memory);
    tables_group(rows, row_count, memory, &tables);
    free(memory);
    reach_find(&table, reach);
}

/* As the experiment does: between the ends of each bracket, and then those once more. */
static void refine(int64_t stage)
{
    struct reach reach;

    for (unsigned i = 0; i < REACH_LEVELS; i++) {
        find(&reach);
        for (unsigned tries = 0; tries < 20 && reach.level[i].found &&
                                 reach.level[i].first_high - reach.level[i].last_low > 1;
             tries++) {
            add_pair((unsigned)(reach.level[i].last_low + reach.level[i].first_high) / 2, stage);
            find(&reach);
        }
        if (!reach.level[i].found)
            continue;
        unsigned ends[] = {(unsigned)reach.level[i].last_low, (unsigned)reach.level[i].first_high};
        for (unsigned j = 0; j < 2; j++)
            add_row(REACH_AGAIN, ends[j], PAGE, stage, of_chain(ends[j], 1));
    }
}

static void add_all(void)
{
    add_additions();
    add_curve(ROW_NONE, PAGES_MAX);
    add_apart();
    refine(ROW_NONE);
}

static void judge(void)
{
    judge_rows(rule_tlb.judge);
    assert_words_fit();
    for (size_t i = 0; i < verdicts.count; i++)
        assert_true(rule_tlb.gives(&verdicts.at[i].of, verdicts.at[i].name));
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
            add_all();
            judge();
            assert_verdict(CASE, "dtlb_entries", VERDICT_OK, first.entries);
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
        add_all();
        judge();
        assert_verdict(CASE, "dtlb_entries", VERDICT_OK, 72);
        const struct verdict *v = verdict_of(CASE, "stlb_entries");
        assert_true(v->low <= 2048 && v->high >= 2048 && fabs(v->value - 2048) < 1.5);
    }
}

TEST(a_second_level_of_twice_the_size)
{
    first = (struct level){8, 4, 7};
    second = (struct level){16, 4, 60};
    add_all();
    judge();
    assert_verdict(CASE, "dtlb_entries", VERDICT_OK, 8);
    assert_cost("dtlb_miss_cost", VERDICT_OK, 7);
    assert_verdict(CASE, "stlb_entries", VERDICT_OK, 16);
}

/* Whatever the caches do, as long as they do it to the control too. */
TEST(caches_are_no_level)
{
    second.entries = 0;
    first.entries = PAGES_MAX * 2;
    second = (struct level){PAGES_MAX * 2, ONE_SET, 30};
    add_all();
    judge();
    assert_no_value(CASE, "dtlb_entries", VERDICT_SKIP, "no first step to N = 16384");
    assert_no_value(CASE, "dtlb_miss_cost", VERDICT_SKIP, "no first step");
    assert_no_value(CASE, "stlb_entries", VERDICT_SKIP, "no second step to N = 16384");
}

TEST(no_second_level)
{
    second = (struct level){PAGES_MAX * 2, ONE_SET, 30};
    first.cost = 40;
    add_all();
    judge();
    assert_verdict(CASE, "dtlb_entries", VERDICT_OK, 72);
    assert_says(CASE, "dtlb_miss_cost", VERDICT_DOUBT, "no second step: this may be a walk");
    assert_no_value(CASE, "stlb_entries", VERDICT_SKIP, "no second step");
}

/* A step of which only the beginning was measured has no height. */
TEST(the_curve_ends_in_a_step)
{
    add_additions();
    add_curve(ROW_NONE, 2048 + 512);
    refine(ROW_NONE);
    judge();
    assert_verdict(CASE, "dtlb_entries", VERDICT_OK, 72);
    assert_no_value(CASE, "stlb_entries", VERDICT_SKIP, "no second step to N = 2560");
}

/* Half of all pages lost where as many as twice the entries are used: no set's doing. */
static double slowly(unsigned n, double entries, double cost)
{
    double share = (n - entries) / entries;

    return n <= entries ? 0 : cost * (share < 1 ? share : 1);
}

/* What the first level's end costs is looked for where a slow rise has come further: from 2.5 to 4
 * times as many pages, and not from 1.3 to 1.8. */
TEST(a_slow_rise_of_the_first_level_is_measured_further_out)
{
    struct reach reach;

    add_additions();
    for (unsigned n = 2; n <= PAGES_MAX; n++) {
        unsigned step = n < 4 ? 1 : 1u << (log2_floor(n) - 2);
        if (n % step != 0)
            continue;
        add_row(REACH_CHAIN, n, PAGE, ROW_NONE, cached(n) + slowly(n, 100, 20));
        add_row(REACH_DENSE, n, ROW_NONE, ROW_NONE, cached(n));
    }
    find(&reach);
    assert_true(reach.level[0].found && !reach_is_hard(&reach.level[0]));
    assert_true(fabs(reach.level[0].rise / CYCLE - 20) < 0.1);
}

TEST(a_slow_rise_is_doubt)
{
    add_additions();
    for (unsigned n = 2; n <= PAGES_MAX; n++) {
        unsigned step = n < 4 ? 1 : 1u << (log2_floor(n) - 2);
        if (n % step != 0)
            continue;
        add_row(REACH_CHAIN, n, PAGE, ROW_NONE, cached(n) + (n > 72 ? 7 : 0) + slowly(n, 2048, 30));
        add_row(REACH_DENSE, n, ROW_NONE, ROW_NONE, cached(n));
    }
    judge();
    const struct verdict *v = assert_says(CASE, "stlb_entries", VERDICT_DOUBT, "slow rise");
    assert_true(v->low <= 2048 && v->value > 2048 && v->value < 3100 && v->high > v->value);
}

/* --- looks again ----------------------------------------------------------------------------- */

static struct row *again(unsigned n)
{
    for (size_t i = 0; i < row_count; i++)
        if (rows[i].n == n && row_is(&rows[i], REACH_AGAIN))
            return &rows[i];
    fail_msg("nobody looked at N = %u again", n);
    return NULL;
}

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
        add_all();
        set_cycles(again(cases[i].n), cases[i].cycles);
        judge();
        assert_says(CASE, cases[i].name, VERDICT_DOUBT, "not seen again");
    }
}

TEST(without_a_second_look_it_is_doubt)
{
    add_additions();
    add_curve(ROW_NONE, PAGES_MAX);
    judge();
    assert_says(CASE, "dtlb_entries", VERDICT_DOUBT, "between N = 64 and 80, not looked at closer");
    assert_says(CASE, "stlb_entries", VERDICT_DOUBT, "between N = 2048 and 2560");
}

/* Only the last attempt counts; a table of the shared core has others of its own. */
TEST(the_last_attempt)
{
    add_all();
    first.entries = 40;
    add_curve(0, PAGES_MAX);
    refine(0);
    first.entries = 24;
    add_curve(1, PAGES_MAX);
    judge();
    assert_verdict(CASE, "dtlb_entries", VERDICT_OK, 40);
    struct table table = {.of = &rows[0].of};
    assert_int_equal(reach_next_stage(&table, ROW_NONE), 0);
    assert_int_equal(reach_next_stage(&table, 0), 2);
    struct variant shared = rows[0].of;
    shared.shared = true;
    table.of = &shared;
    assert_int_equal(reach_next_stage(&table, ROW_NONE), 1);
    assert_int_equal(reach_next_stage(&table, 1), 3);
}

/* --- ways and walks -------------------------------------------------------------------------- */

TEST(ways)
{
    first = (struct level){64, 4, 7};
    second = (struct level){1536, 12, 30};
    add_all();
    judge();
    assert_verdict(CASE, "dtlb_ways", VERDICT_OK, 4);
    assert_verdict(CASE, "stlb_ways", VERDICT_OK, 12);
    assert_cost("walk_cost_2m_stride", VERDICT_OK, 7 + 30 + 9);
    assert_cost("walk_cost_1g_stride", VERDICT_OK, 7 + 30 + 18);
    assert_cost("walk_cost_512g_stride", VERDICT_OK, 7 + 30 + 27);
}

TEST(one_set_hides_the_other_levels)
{
    add_all();
    judge();
    assert_no_value(CASE, "dtlb_ways", VERDICT_DOUBT, "no earlier step at any of 9 distances");
    assert_no_value(CASE, "stlb_ways", VERDICT_DOUBT, "72 or fewer: the first level holds");
}

/* Where the second level is left as soon as it is asked, it is not by its own sets; whichever
 * distances were looked at closer. */
TEST(hidden_at_some_distances)
{
    first.entries = 70;
    add_all();
    for (unsigned i = 1; i < FAR; i++)
        for (unsigned n = 65; n < 80; n++)
            if (n != 72)
                add_row(REACH_CHAIN, n, INT64_C(1) << far_apart[i], ROW_NONE,
                        of_chain(n, UINT64_C(1) << (far_apart[i] - 12)));
    judge();
    assert_no_value(CASE, "stlb_ways", VERDICT_DOUBT, "70 or fewer: the first level holds");
}

/* As where every bit of a page's number chooses its set. */
TEST(hashed_sets_are_not_seen)
{
    add_additions();
    add_curve(ROW_NONE, PAGES_MAX);
    refine(ROW_NONE);
    for (unsigned i = 0; i < FAR; i++)
        for (unsigned n = 1; n <= 128; n++)
            add_row(REACH_CHAIN, n, INT64_C(1) << far_apart[i], ROW_NONE, of_chain(n, 1));
    judge();
    assert_no_value(CASE, "stlb_ways", VERDICT_DOUBT, "no earlier step");
    assert_no_value(CASE, "walk_cost_2m_stride", VERDICT_SKIP, "not walked to");
}

TEST(walks_that_do_not_agree)
{
    first = (struct level){64, 4, 7};
    add_all();
    for (size_t i = 0; i < row_count; i++)
        if (rows[i].n == 128 && rows[i].bytes == 1 << 21)
            set_cycles(&rows[i], 90);
    judge();
    assert_says(CASE, "walk_cost_2m_stride", VERDICT_DOUBT, "do not agree");
    assert_status(CASE, "walk_cost_1g_stride", VERDICT_OK);
}

TEST(the_first_level_holds_them_all)
{
    first = (struct level){128, ONE_SET, 7};
    add_all();
    judge();
    assert_verdict(CASE, "dtlb_entries", VERDICT_OK, 128);
    assert_no_value(CASE, "walk_cost_1g_stride", VERDICT_SKIP, "the first level holds as many");
}

TEST(nothing_far_apart)
{
    add_additions();
    add_curve(ROW_NONE, PAGES_MAX);
    refine(ROW_NONE);
    judge();
    assert_no_value(CASE, "dtlb_ways", VERDICT_SKIP, "no pages far apart could be mapped");
    assert_no_value(CASE, "walk_cost_2m_stride", VERDICT_SKIP, "were not measured");
    struct row *row = add_row(REACH_CHAIN, 1, INT64_C(1) << 30, ROW_NONE, 0);
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
        add_additions();
        add_curve(ROW_NONE, PAGES_MAX);
        refine(ROW_NONE);
        rename_all("chain-2m", INT64_C(1) << 21);
        for (unsigned n = 2; n <= 256; n *= 2) {
            struct row *row =
                add_row(REACH_PIECES, n, PAGE, ROW_NONE, splinters ? of_chain(n, 1) : HIT);
            rows_name(row, "tlb", "chain-2m");
        }
        judge();
        assert_verdict("chain-2m", "dtlb_entries", splinters ? VERDICT_DOUBT : VERDICT_OK, 72);
        assert_verdict("chain-2m", "stlb_entries", splinters ? VERDICT_DOUBT : VERDICT_OK, 2048);
        if (splinters)
            assert_words("chain-2m", "dtlb_miss_cost", "the host's pages are small");
        assert_null(rows_verdict(&verdicts, "chain-2m", "walk_cost_2m_stride"));
        assert_non_null(rows_verdict(&verdicts, "chain-2m", "walk_cost_1g_stride"));
    }
}

TEST(needs_cycles_and_points)
{
    add_curve(ROW_NONE, PAGES_MAX);
    judge();
    assert_no_value(CASE, "dtlb_entries", VERDICT_SKIP, "needs what an addition takes");
    rows_clear();
    add_additions();
    judge();
    assert_no_value(CASE, "dtlb_entries", VERDICT_SKIP, "needs a dozen values of N");
    add_curve(ROW_NONE, 3);
    judge();
    assert_no_value(CASE, "stlb_ways", VERDICT_SKIP, "needs a dozen values of N");
}

TEST(who_gets_which_verdict)
{
    static const char *const walking[] = {"walk_cost", "parallel_walks"};
    struct variant of = {.has_page = true, .page = PAGE_4K};

    for (const char *const *name = rule_tlb.verdicts; *name != NULL; name++) {
        bool is_walking = strcmp(*name, walking[0]) == 0 || strcmp(*name, walking[1]) == 0;
        name_copy(of.pattern, "");
        assert_int_equal(rule_tlb.gives(&of, *name), is_walking);
        name_copy(of.pattern, REACH_PATTERN);
        assert_int_equal(rule_tlb.gives(&of, *name), !is_walking);
    }
}

/* test_tlb_rule: cost and number of page walks, from times over N that are made up here. */
#include "../../kernel/analysis/drift.h"
#include "../../kernel/experiments/experiment.h"
#include "rows.h"
#include "rules.h"

#include "kit.h"

#define SAMPLES 400
#define FLOOR 60 /* ticks of one load that needs no walk, */
#define EACH 3   /* and of each further one */
#define WALK 100 /* ticks of a page walk, unless a test says otherwise */

SETUP(start)
{
    rows_clear();
}

static struct row *add(const char *variant, unsigned n, double median)
{
    return rows_add("tlb", variant, n, 0, median);
}

static double without_walks(unsigned n)
{
    return FLOOR + EACH * (n - 1);
}

/* A case that does not walk, N from 1 to `most`. */
static void add_partner(const char *variant, unsigned most)
{
    for (unsigned n = 1; n <= most; n++)
        add(variant, n, without_walks(n));
}

/* One that does, `walkers` pages side by side: the first walk takes `first`, the others WALK. */
static void add_walking(const char *variant, unsigned most, unsigned walkers, double first)
{
    for (unsigned n = 1; n <= most; n++)
        add(variant, n, without_walks(n) + first + WALK * ((n + walkers - 1) / walkers - 1));
}

/* Leaves a row's median as it is and gives it the deciles that imply this standard error. */
static void spread(struct row *row, double error)
{
    double apart = error * sqrt(SAMPLES) / 1.253 * 2.563;

    row->p10 = row->median - apart / 2;
    row->p90 = row->median + apart / 2;
}

static struct row *row_of(const char *variant, unsigned n)
{
    for (size_t i = 0; i < row_count; i++)
        if (rows[i].n == n && is_case(&rows[i].of, variant))
            return &rows[i];
    fail_msg("no N = %u in case %s", n, variant);
    return NULL;
}

static void remove_row(const char *variant, unsigned n)
{
    struct row *row = row_of(variant, n);
    size_t behind = (size_t)(&rows[row_count] - (row + 1));

    memmove(row, row + 1, behind * sizeof *row);
    row_count--;
}

static void compare(void)
{
    compare_rows(rule_tlb.compare);
    for (size_t i = 0; i < verdicts.count; i++) {
        const struct verdict *v = &verdicts.at[i];
        assert_string_equal(v->of.experiment, "tlb");
        assert_string_equal(v->unit, strcmp(v->name, "walk_cost") == 0 ? "ticks" : "walks");
    }
}

/* What each further load adds to the walks' time alone, by least squares as in any textbook. */
static double slope_of_stairs(unsigned most, unsigned walkers)
{
    double mean_x = 0, mean_y = 0, xx = 0, xy = 0;

    for (unsigned n = 1; n <= most; n++) {
        mean_x += (double)n / most;
        mean_y += WALK * ((n + walkers - 1) / walkers) / (double)most;
    }
    for (unsigned n = 1; n <= most; n++) {
        xx += (n - mean_x) * (n - mean_x);
        xy += (n - mean_x) * (WALK * ((n + walkers - 1) / walkers) - mean_y);
    }
    return xy / xx;
}

/* --- which case is held against which -------------------------------------------------------- */

static const struct {
    const char *walking, *partner;
} pairs[] = {
    {"4k", "2m"},
    {"4k-cold", "4k-warm"},
    {"4k-walkmem", "4k-warm"},
    {"2m-cold", "2m-warm"},
    {"2m-walkmem", "2m-warm"},
    {"1g-cold", "1g-warm"},
    {"1g-walkmem", "1g-warm"},
};
#define PAIRS (sizeof pairs / sizeof *pairs)

TEST(each_pair)
{
    for (size_t i = 0; i < PAIRS; i++) {
        row_count = 0;
        add_walking(pairs[i].walking, 24, 2, WALK);
        add_partner(pairs[i].partner, 24);
        compare();
        assert_int_equal(verdicts.count, 2);
        assert_verdict(pairs[i].walking, "walk_cost", VERDICT_OK, WALK);
        assert_verdict(pairs[i].walking, "parallel_walks", VERDICT_OK, 2);
        assert_non_null(
            strstr(verdict_of(pairs[i].walking, "walk_cost")->method, pairs[i].partner));
    }
}

static bool is_pair(const char *a, const char *b)
{
    for (size_t i = 0; i < PAIRS; i++)
        if (strcmp(a, pairs[i].walking) == 0 && strcmp(b, pairs[i].partner) == 0)
            return true;
    return false;
}

/* Nothing else is a pair: neither a case alone, nor any two that are not listed. */
TEST(no_other_pair)
{
    static const char *const cases[] = {
        "4k",      "4k-warm",    "4k-cold", "4k-walkmem", "2m",      "2m-warm",
        "2m-cold", "2m-walkmem", "1g",      "1g-warm",    "1g-cold", "1g-walkmem",
    };

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        for (size_t j = 0; j <= i; j++) {
            bool listed = is_pair(cases[i], cases[j]) || is_pair(cases[j], cases[i]);
            row_count = 0;
            add_walking(cases[i], 8, 1, WALK);
            if (j < i)
                add_partner(cases[j], 8);
            compare();
            assert_int_equal(verdicts.count, listed ? 2 : 0);
        }
}

TEST(all_pairs_at_once)
{
    static const char *const partners[] = {"2m", "4k-warm", "2m-warm", "1g-warm"};

    for (size_t i = 0; i < 4; i++)
        add_partner(partners[i], 10);
    for (size_t i = 0; i < PAIRS; i++)
        add_walking(pairs[i].walking, 10, 1 + (unsigned)i % 3, WALK + 5 * (double)i);
    compare();
    assert_int_equal(verdicts.count, 2 * PAIRS);
    for (size_t i = 0; i < PAIRS; i++) {
        assert_verdict(pairs[i].walking, "walk_cost", VERDICT_OK, WALK + 5 * (double)i);
        assert_verdict(pairs[i].walking, "parallel_walks", VERDICT_OK, 1 + (double)(i % 3));
    }
}

/* Rows without samples, of another metric, or of a skipped case are no points. */
TEST(only_points_count)
{
    add_walking("4k-cold", 12, 2, WALK);
    add("4k-cold", 13, 5)->samples = 0;
    strcpy(add("4k-cold", 14, 5)->metric, "cycles");
    add_partner("4k-warm", 14);
    strcpy(add("2m-cold", 1, 500)->metric, ROW_SKIPPED);
    add_partner("2m-warm", 12);
    compare();
    assert_int_equal(verdicts.count, 2);
    assert_verdict("4k-cold", "walk_cost", VERDICT_OK, WALK);
    assert_verdict("4k-cold", "parallel_walks", VERDICT_OK, 2);
}

TEST(order_of_rows_does_not_matter)
{
    add_partner("4k-warm", 20);
    rows_shuffle(rows, 20);
    add_walking("4k-cold", 20, 3, WALK);
    rows_shuffle(rows + 20, 20);
    assert_true(rows[0].n != 1 && rows[20].n != 1);
    compare();
    assert_verdict("4k-cold", "walk_cost", VERDICT_OK, WALK);
    assert_verdict("4k-cold", "parallel_walks", VERDICT_OK, 3);
}

/* --- walk_cost ------------------------------------------------------------------------------- */

TEST(needs_one_load_in_both_cases)
{
    static const char *const missing_in[] = {"4k-cold", "4k-warm"};

    for (size_t i = 0; i < 2; i++) {
        row_count = 0;
        add_walking("4k-cold", 24, 2, WALK);
        add_partner("4k-warm", 24);
        remove_row(missing_in[i], 1);
        compare();
        assert_no_value("4k-cold", "walk_cost", VERDICT_SKIP, "N = 1 here and in case 4k-warm");
        assert_no_value("4k-cold", "parallel_walks", VERDICT_SKIP, "needs walk_cost: needs N = 1");
    }
}

/* Less than two ticks is the timer's grain, and less than nothing is no walk at all. */
TEST(no_clear_difference)
{
    static const double differences[] = {-WALK, -1, 0, 1.9};

    for (size_t i = 0; i < 4; i++) {
        row_count = 0;
        add_walking("2m-cold", 24, 1, differences[i]);
        add_partner("2m-warm", 24);
        compare();
        assert_no_value("2m-cold", "walk_cost", VERDICT_SKIP, "no clear difference");
        assert_no_value("2m-cold", "parallel_walks", VERDICT_SKIP, "no clear difference");
    }
    row_count = 0;
    add_walking("2m-cold", 24, 1, 2.1);
    add_partner("2m-warm", 24);
    compare();
    assert_verdict("2m-cold", "walk_cost", VERDICT_OK, 2.1);
}

/* One load is enough for what a walk costs. */
TEST(one_load_alone)
{
    add_walking("4k-cold", 1, 1, 1000);
    add_partner("4k-warm", 1);
    compare();
    assert_verdict("4k-cold", "walk_cost", VERDICT_OK, 1000);
}

/* What epochs differ is in the interval, too. */
TEST(movement)
{
    add_walking("4k-cold", 24, 1, 1000);
    add_partner("4k-warm", 24);
    for (int64_t epoch = 0; epoch < 4; epoch++) {
        struct row *row = add("4k-cold", 1, (FLOOR + 1000) * (1 + 0.03 * (double)(epoch % 2)));
        strcpy(row->metric, DRIFT_METRIC);
        row->stage = epoch;
    }
    compare();
    const struct verdict *v = assert_verdict("4k-cold", "walk_cost", VERDICT_OK, 1000);
    assert_true(v->high - v->low > 0.05 * v->value);
}

/* Both medians have an error of their own: of 3 and 4 ticks, the difference has 5. */
TEST(interval)
{
    add_walking("4k-cold", 24, 1, 1000);
    add_partner("4k-warm", 24);
    spread(row_of("4k-cold", 1), 3);
    spread(row_of("4k-warm", 1), 4);
    compare();
    const struct verdict *v = verdict_of("4k-cold", "walk_cost");
    assert_true(near(v->value, 1000));
    assert_true(near(v->low, 1000 - 1.96 * 5));
    assert_true(near(v->high, 1000 + 1.96 * 5));
}

/* An interval that reaches a twentieth to either side is an answer, a wider one is not. */
TEST(noisy_rows)
{
    static const struct {
        double reach; /* of walk_cost's interval, as a share of it */
        enum verdict_status status;
        const char *method;
    } noises[] = {
        {0.049, VERDICT_OK, "median of N = 1 against case 4k-warm"},
        {0.051, VERDICT_DOUBT, "median of N = 1 against case 4k-warm"},
        {0.99, VERDICT_DOUBT, "median of N = 1 against case 4k-warm"},
        {1.01, VERDICT_SKIP, "no clear difference of N = 1 against case 4k-warm"},
    };

    for (size_t i = 0; i < sizeof noises / sizeof *noises; i++) {
        row_count = 0;
        add_walking("4k-cold", 24, 2, WALK);
        add_partner("4k-warm", 24);
        spread(row_of("4k-cold", 1), noises[i].reach * WALK / 1.96);
        compare();
        bool is_skipped = noises[i].status == VERDICT_SKIP;
        assert_verdict("4k-cold", "walk_cost", noises[i].status, is_skipped ? NAN : WALK);
        assert_string_equal(verdict_of("4k-cold", "walk_cost")->method, noises[i].method);
    }
}

/* --- parallel_walks -------------------------------------------------------------------------- */

/* One end of the interval is the stairs' answer, the other that of the slope. */
TEST(stairs)
{
    for (unsigned walkers = 1; walkers <= 6; walkers++)
        for (unsigned most = 2 * walkers < 8 ? 8 : 2 * walkers; most <= 24; most++) {
            row_count = 0;
            add_walking("4k-cold", most, walkers, WALK);
            add_partner("4k-warm", most);
            compare();
            assert_verdict("4k-cold", "walk_cost", VERDICT_OK, WALK);
            assert_verdict("4k-cold", "parallel_walks", VERDICT_OK, walkers);
            const struct verdict *v = verdict_of("4k-cold", "parallel_walks");
            double by_slope = WALK / slope_of_stairs(most, walkers);
            assert_true(near(v->low, fmin(walkers, by_slope)));
            assert_true(near(v->high, fmax(walkers, by_slope)));
        }
}

/* Only an N that both cases have can be told from it. */
TEST(partner_with_other_loads)
{
    add_walking("4k-cold", 24, 3, WALK);
    for (unsigned n = 1; n <= 31; n += 2)
        add("4k-warm", n, without_walks(n));
    compare();
    assert_verdict("4k-cold", "walk_cost", VERDICT_OK, WALK);
    assert_verdict("4k-cold", "parallel_walks", VERDICT_OK, 3);

    row_count = 0; /* the other way round */
    for (unsigned n = 1; n <= 24; n += n < 12 ? 1 : 4)
        add("4k-cold", n, without_walks(n) + WALK * ((n + 2) / 3));
    for (unsigned n = 0; n <= 40; n++)
        add("4k-warm", n, without_walks(n));
    compare();
    assert_verdict("4k-cold", "walk_cost", VERDICT_OK, WALK);
    assert_verdict("4k-cold", "parallel_walks", VERDICT_OK, 3);
}

TEST(too_few_loads)
{
    for (unsigned common = 1; common <= 6; common++) {
        row_count = 0;
        add_walking("4k-cold", 24, 1, WALK);
        add_partner("4k-warm", common);
        compare();
        assert_verdict("4k-cold", "walk_cost", VERDICT_OK, WALK);
        if (common < 6)
            assert_no_value("4k-cold", "parallel_walks", VERDICT_SKIP, "six values of N");
        else
            assert_verdict("4k-cold", "parallel_walks", VERDICT_OK, 1);
    }
}

TEST(more_walkers_than_loads)
{
    add_walking("4k-cold", 8, 8, WALK);
    add_partner("4k-warm", 8);
    compare();
    assert_verdict("4k-cold", "walk_cost", VERDICT_OK, WALK);
    assert_no_value("4k-cold", "parallel_walks", VERDICT_DOUBT, "more walks side by side than N");
}

/* A stair has to be as high as one walk takes, within four tenths. */
TEST(stairs_of_another_height)
{
    static const struct {
        double height; /* as a share of one walk */
        enum verdict_status status;
    } heights[] = {
        {0.59, VERDICT_DOUBT}, {0.61, VERDICT_OK}, {1.39, VERDICT_OK}, {1.41, VERDICT_DOUBT}};

    for (size_t i = 0; i < 4; i++) {
        row_count = 0;
        add_walking("4k-cold", 24, 2, WALK / heights[i].height);
        add_partner("4k-warm", 24);
        compare();
        assert_status("4k-cold", "walk_cost", VERDICT_OK);
        assert_status("4k-cold", "parallel_walks", heights[i].status);
    }
}

/* Where further loads even take less, there are no stairs to read. */
TEST(falling_times)
{
    add_partner("4k-warm", 24);
    for (unsigned n = 1; n <= 24; n++)
        add("4k-cold", n, without_walks(n) + WALK - n);
    compare();
    assert_no_value("4k-cold", "parallel_walks", VERDICT_DOUBT, "further loads add no time");
}

/* Medians that lie a good deal off the stairs, N = 1 apart: an answer, but no sure one. */
TEST(noisy_stairs)
{
    for (unsigned noisy = 0; noisy < 2; noisy++) {
        row_count = 0;
        add_walking("4k-cold", 24, 1, WALK);
        add_partner("4k-warm", 24);
        for (unsigned n = 2; n <= 24; n++)
            rows_center(row_of("4k-cold", n),
                        row_of("4k-cold", n)->median + (noisy ? 40 : 15) * (n / 2 % 2 ? 1 : -1));
        compare();
        assert_status("4k-cold", "walk_cost", VERDICT_OK);
        assert_int_equal(verdict_of("4k-cold", "parallel_walks")->status,
                         noisy ? VERDICT_DOUBT : VERDICT_OK);
        assert_false(isnan(verdict_of("4k-cold", "parallel_walks")->value));
    }
}

TEST(verdict_names)
{
    struct variant of = {.has_page = true, .page = PAGE_4K};
    unsigned given = 0;

    assert_string_equal(rule_tlb.verdicts[0], "walk_cost");
    assert_string_equal(rule_tlb.verdicts[1], "parallel_walks");
    for (const char *const *name = rule_tlb.verdicts; *name != NULL; name++)
        given += rule_tlb.gives(&of, *name);
    assert_int_equal(given, 2); /* the others are of chains */
}

/* Each against the one that is otherwise the same. */
TEST(what_else_was_varied)
{
    add_partner("4k-warm", 12);
    add_walking("4k-cold", 12, 2, WALK);
    add_partner("4k-warm-nopf", 12);
    add_walking("4k-cold-nopf", 12, 3, WALK);
    add_walking("4k-cold-node1", 12, 1, WALK);
    compare();
    assert_verdict("4k-cold", "parallel_walks", VERDICT_OK, 2);
    assert_verdict("4k-cold-nopf", "parallel_walks", VERDICT_OK, 3);
    for (size_t i = 0; i < verdicts.count; i++)
        assert_string_not_equal(name_of(&verdicts.at[i].of), "4k-cold-node1");
}

/* test_tlb_rule: cost and number of page walks, from times over N that are made up here. */
#include "../../kernel/analysis/drift.h"
#include "../../kernel/experiments/experiment.h"
#include "rows.h"
#include "rules.h"

#include "kit.h"

#define SAMPLES 400
#define FLOOR 60  /* ticks of one load that needs no walk, */
#define FURTHER 3 /* and of each further one */
#define WALK 100  /* ticks of a page walk, unless a test says otherwise */
#define COLD "4k-cold"
#define WARM "4k-warm"

SETUP(start)
{
    rows_start("tlb", &rule_tlb, SAMPLES, 0);
}

static struct row *add_time(const char *variant, unsigned n, double median)
{
    return add(variant, "tsc", n, 0, median);
}

static double without_walks(unsigned n)
{
    return FLOOR + FURTHER * (n - 1);
}

/* Adds a case that does not walk, N from 1 to `most`. */
static void add_partner(const char *variant, unsigned most)
{
    for (unsigned n = 1; n <= most; n++)
        add_time(variant, n, without_walks(n));
}

/* Adds one that does, `walkers` pages side by side: the first takes `first`, each other WALK. */
static void add_walking(const char *variant, unsigned most, unsigned walkers, double first)
{
    for (unsigned n = 1; n <= most; n++)
        add_time(variant, n, without_walks(n) + first + WALK * ((n + walkers - 1) / walkers - 1));
}

/* Replaces all rows: first those of 4k-cold, N from 1 on, then those of 4k-warm. */
static void set_cold(unsigned most, unsigned walkers, double first)
{
    row_count = 0;
    add_walking(COLD, most, walkers, first);
    add_partner(WARM, most);
}

/* Leaves a row's median as it is and gives it the deciles that imply this standard error. */
static void spread(struct row *row, double error)
{
    double apart = error * sqrt(SAMPLES) / 1.253 * 2.563;
    row->p10 = row->median - apart / 2;
    row->p90 = row->median + apart / 2;
}

static void assert_both(const char *variant, double cost, double walks)
{
    ASSERT_VERDICTS(variant, {"walk_cost", OK, cost}, {"parallel_walks", OK, walks});
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

/* --- which case is compared with which ------------------------------------------------------- */

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

static bool is_pair(const char *a, const char *b)
{
    for (size_t i = 0; i < PAIRS; i++)
        if (strcmp(a, pairs[i].walking) == 0 && strcmp(b, pairs[i].partner) == 0)
            return true;
    return false;
}

/* Nothing else is a pair: neither a case alone, nor any two that are not listed. */
TEST(pairs_and_no_others)
{
    static const char *const cases[] = {
        "4k",      "4k-warm",    "4k-cold", "4k-walkmem", "2m",      "2m-warm",
        "2m-cold", "2m-walkmem", "1g",      "1g-warm",    "1g-cold", "1g-walkmem",
    };
    for (EACH(walking, cases))
        for (EACH(partner, cases)) {
            row_count = 0;
            add_walking(*walking, 24, 2, WALK);
            if (partner != walking)
                add_partner(*partner, 24);
            judge();
            if (is_pair(*walking, *partner)) {
                assert_both(*walking, WALK, 2);
                assert_words(*walking, "walk_cost", *partner);
            }
            bool listed = is_pair(*walking, *partner) || is_pair(*partner, *walking);
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
    assert_count(2 * PAIRS);
    for (size_t i = 0; i < PAIRS; i++)
        assert_both(pairs[i].walking, WALK + 5 * (double)i, 1 + (double)(i % 3));
}

/* Each against the one that is otherwise the same. */
TEST(what_else_was_varied)
{
    set_cold(12, 2, WALK);
    add_partner("4k-warm-nopf", 12);
    add_walking("4k-cold-nopf", 12, 3, WALK);
    add_walking("4k-cold-node1", 12, 1, WALK);
    assert_both(COLD, WALK, 2);
    assert_both("4k-cold-nopf", WALK, 3);
    assert_none("4k-cold-node1", NULL);
}

/* Rows without samples, of another metric, or of a skipped case are no points; their order does not
 * matter. */
TEST(only_points_count)
{
    set_cold(12, 2, WALK);
    rows_shuffle(rows, row_count);
    assert_false(rows[0].n == 1 && rows[1].n == 2);
    add_time(COLD, 13, 5)->samples = 0;
    add(COLD, "cycles", 14, 0, 5);
    add_time(WARM, 13, without_walks(13));
    add_time(WARM, 14, without_walks(14));
    add("2m-cold", ROW_SKIPPED, 1, 0, 500);
    add_partner("2m-warm", 12);
    assert_count(2);
    assert_both(COLD, WALK, 2);
}

/* --- walk_cost ------------------------------------------------------------------------------- */

TEST(needs_one_load_in_both_cases)
{
    for (size_t i = 0; i < 2; i++) {
        set_cold(24, 2, WALK);
        rows[24 * i].n = 25;
        assert_no_value(COLD, "walk_cost", SKIP, "N = 1, here and in case 4k-warm");
        assert_no_value(COLD, "parallel_walks", SKIP, "not-measured");
    }
}

/* Less than nothing is no walk at all. */
TEST(no_clear_difference)
{
    static const double differences[] = {-WALK, -1, 0};
    for (size_t i = 0; i < 3; i++) {
        set_cold(24, 1, differences[i]);
        assert_no_value(COLD, "walk_cost", SKIP, "no-difference");
        assert_no_value(COLD, "parallel_walks", SKIP, "no-difference");
    }
}

/* What epochs differ is in the interval, too. */
TEST(drift)
{
    set_cold(24, 1, 1000);
    for (int64_t epoch = 0; epoch < 4; epoch++)
        add(COLD, DRIFT_METRIC, 1, 0, (FLOOR + 1000) * (1 + 0.03 * (double)(epoch % 2)))->stage =
            epoch;
    const struct verdict *v = assert_verdict(COLD, "walk_cost", OK, 1000);
    assert_compare(v->high - v->low, >, 0.05 * v->value);
}

/* Both medians have an error of their own: of 3 and 4 ticks, the difference has 5. */
TEST(interval)
{
    set_cold(24, 1, 1000);
    spread(&rows[0], 3);
    spread(&rows[24], 4);
    assert_interval(assert_verdict(COLD, "walk_cost", OK, 1000), 1000 - 1.96 * 5, 1000 + 1.96 * 5);
}

/* An interval with a half width of a twentieth is an answer, a wider one is not. */
TEST(noisy_rows)
{
    static const struct {
        double half_width; /* of walk_cost's interval, as a share of it */
        enum verdict_status status;
        double value;
        const char *method;
    } noises[] = {
        {0.049, OK, WALK, "median of N = 1 minus that of case 4k-warm"},
        {0.051, DOUBT, WALK, "scatter"},
        {0.99, DOUBT, WALK, "scatter"},
        {1.01, SKIP, NAN, "no-difference"},
    };
    for (EACH(noise, noises)) {
        set_cold(24, 2, WALK);
        spread(&rows[0], noise->half_width * WALK / 1.96);
        assert_verdict(COLD, "walk_cost", noise->status, noise->value);
        assert_words(COLD, "walk_cost", noise->method);
    }
}

/* --- parallel_walks -------------------------------------------------------------------------- */

/* One end of the interval is the stairs' answer, the other that of the slope. */
TEST(stairs)
{
    for (unsigned walkers = 1; walkers <= 6; walkers++)
        for (unsigned most = 2 * walkers < 8 ? 8 : 2 * walkers; most <= 24; most++) {
            set_cold(most, walkers, WALK);
            assert_both(COLD, WALK, walkers);
            double by_slope = WALK / slope_of_stairs(most, walkers);
            assert_interval(verdict_of(COLD, "parallel_walks"), fmin(walkers, by_slope),
                            fmax(walkers, by_slope));
        }
}

/* Only values of N that both cases have count. */
TEST(partner_with_other_loads)
{
    add_walking(COLD, 24, 3, WALK);
    for (unsigned n = 1; n <= 31; n += 2)
        add_time(WARM, n, without_walks(n));
    assert_both(COLD, WALK, 3);

    row_count = 0; /* the other way round */
    for (unsigned n = 1; n <= 24; n += n < 12 ? 1 : 4)
        add_time(COLD, n, without_walks(n) + WALK * ((n + 2) / 3));
    for (unsigned n = 0; n <= 40; n++)
        add_time(WARM, n, without_walks(n));
    assert_both(COLD, WALK, 3);
}

/* One load is enough for the cost of a walk, three values of N for the walks side by side. */
TEST(too_few_loads)
{
    for (unsigned common = 1; common <= 3; common++) {
        row_count = 0;
        add_walking(COLD, common == 1 ? 1 : 24, 1, WALK);
        add_partner(WARM, common);
        assert_verdict(COLD, "walk_cost", OK, WALK);
        if (common < 3)
            assert_no_value(COLD, "parallel_walks", SKIP, "three values of N");
        else
            assert_verdict(COLD, "parallel_walks", OK, 1);
    }
}

/* With as many walkers as loads, and where further loads even take less, there are no stairs. */
TEST(no_stairs)
{
    for (unsigned falls = 0; falls < 2; falls++) {
        set_cold(8, 8, WALK);
        for (unsigned n = 1; falls && n <= 8; n++)
            rows_center(&rows[n - 1], rows[n - 1].median - (n - 1));
        assert_verdict(COLD, "walk_cost", OK, WALK);
        assert_no_value(COLD, "parallel_walks", DOUBT, "range-ends");
    }
}

/* A stair has to be as high as one walk takes, within four tenths. */
TEST(stairs_of_another_height)
{
    static const double heights[] = {0.59, 0.61, 1.39, 1.41}; /* as a share of one walk */
    for (EACH(height, heights)) {
        set_cold(24, 2, WALK / *height);
        assert_status(COLD, "walk_cost", OK);
        assert_status(COLD, "parallel_walks", fabs(*height - 1) < 0.4 ? OK : DOUBT);
    }
}

/* Medians far off the stairs give an answer, but an uncertain one. */
TEST(noisy_stairs)
{
    for (unsigned noisy = 0; noisy < 2; noisy++) {
        set_cold(24, 1, WALK);
        for (unsigned n = 2; n <= 24; n++)
            rows_center(&rows[n - 1],
                        rows[n - 1].median + (noisy ? 40 : 15) * (n / 2 % 2 ? 1 : -1));
        assert_status(COLD, "walk_cost", OK);
        const struct verdict *v = assert_status(COLD, "parallel_walks", noisy ? DOUBT : OK);
        assert_false(isnan(v->value));
    }
}

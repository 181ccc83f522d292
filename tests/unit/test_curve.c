/* test_curve: which rows are points, and what is read off them. */
#include "../../kernel/analysis/curve.h"
#include "rows.h"
#include "rules.h"

#include "kit.h"

static struct curve curve;
static struct table table;

SETUP(start)
{
    rows_start("mlp", NULL, 400, 0);
    memset(&curve, 0xa5, sizeof curve);
}

TEARDOWN(end)
{
    free((void *)table.rows);
    table.rows = NULL;
}

static struct row *add_time(int64_t n, int64_t k, double ticks)
{
    return add("2m", "tsc", n, k, ticks);
}

static int by_order(const void *a, const void *b)
{
    return row_compare(a, b);
}

/* In their order, on memory of just that size. */
static const struct table *table_of(void)
{
    end();
    struct row *copy = malloc(row_count * sizeof *copy);
    memcpy(copy, rows, row_count * sizeof *copy);
    qsort(copy, row_count, sizeof *copy, by_order);
    table = (struct table){&copy->variant, copy, row_count, 0};
    return &table;
}

static void assert_point(size_t i, double x, double y)
{
    assert_compare(curve.count, >, i);
    assert_numbers((curve.x[i], curve.y[i]), (x, y));
}

TEST(points)
{
    static const struct {
        const char *metric;
        uint64_t samples;
        int64_t n, k;
        bool is_point;
    } cases[] = {{"tsc", 400, 1, 0, true},
                 {"tsc", CURVE_LEAST_SAMPLES, 1, 0, true},
                 {"tsc", CURVE_LEAST_SAMPLES - 1, 1, 0, false},
                 {"tsc", 400, 0, 0, false},
                 {"tsc", 400, 1, ROW_NONE, false},
                 {"ns", 400, 1, 0, false}};
    for (EACH(c, cases)) {
        struct row *row = add("2m", c->metric, c->n, c->k, 200);
        row->samples = c->samples;
        assert_int_equal(curve_has(row), c->is_point);
    }
}

TEST(over_k_in_any_order)
{
    for (unsigned i = 0; i < 200; i++) {
        add_time(2, 3 * i, 100 + i)->p10 = 90 + i;
        add_time(3, 3 * i, 7);
    }
    rows_shuffle(rows, row_count);
    curve_over_k(table_of(), 2, CURVE_MEDIAN, &curve);
    assert_int_equal(curve.count, 200);
    for (unsigned i = 0; i < 200; i++)
        assert_point(i, 3 * i, 100 + i);
    curve_over_k(&table, 2, CURVE_FAST, &curve);
    for (unsigned i = 0; i < 200; i++) {
        assert_point(i, 3 * i, 90 + i);
        assert_near(curve.error[i], 0.75 * 10 / 20);
    }
    curve_over_k(&table, 4, CURVE_MEDIAN, &curve);
    assert_int_equal(curve.count, 0);
}

/* At the smallest K of all, whichever N has it. */
TEST(over_n_at_the_smallest_k)
{
    for (unsigned n = 1; n <= 30; n++) {
        rows_spread(add_time(n, 8, 100 + n), 2.563);
        add_time(n, 16, 7);
    }
    add_time(5, 0, 1)->samples = 0;
    rows_shuffle(rows, row_count);
    curve_over_n(table_of(), CURVE_MEDIAN, &curve);
    assert_int_equal(curve.count, 30);
    for (unsigned i = 0; i < 30; i++) {
        assert_point(i, i + 1, 101 + i);
        assert_near(curve.error[i], 1.253 * 2 / 20);
    }
    add_time(7, 0, 42);
    curve_over_n(table_of(), CURVE_MEDIAN, &curve);
    assert_int_equal(curve.count, 1);
    assert_point(0, 7, 42);
}

/* Those beyond are left out, the smallest kept where rows are in order. */
TEST(more_than_it_holds)
{
    for (unsigned k = 0; k < CURVE_MAX + 300; k++)
        add_time(2, k, 100 + k);
    curve_over_k(table_of(), 2, CURVE_MEDIAN, &curve);
    assert_int_equal(curve.count, CURVE_MAX);
    for (unsigned i = 0; i < CURVE_MAX; i++)
        assert_point(i, i, 100 + i);
}

TEST(the_point_with_the_smallest_k)
{
    for (int64_t n = 1; n <= 40; n += 3)
        for (int64_t k = 0; k < 24; k += 8)
            add_time(n, k, (double)(100 * n + k))->samples = n == 7 && k == 0 ? 0 : 400;
    table_of();
    for (int64_t n = 0; n <= 45; n++) {
        const struct row *row = curve_find(&table, n);
        assert_int_equal(row != NULL, n <= 40 && n % 3 == 1);
        assert_true(row == NULL || (row->n == n && row->k == (n == 7 ? 8 : 0)));
    }
}

/* --- levels and errors ------------------------------------------------------------------------ */

/* A row with other numbers at each level, of 16 visits. */
static struct row *add_levels(void)
{
    struct row *row = add_time(2, 0, 200);
    row->min = 170;
    row->p1 = 180;
    row->p10 = 190;
    row->median = 208;
    row->p90 = 240;
    row->max = 900;
    row->mean = 215;
    row->visits = 16;
    row->center_error = 3;
    row->mean_error = 5;
    return row;
}

/* Errors of visits are Student's, in parts of a normal one; those of quantiles are the samples'. */
TEST(levels)
{
    const double student = 2.131 / 1.96;
    const struct {
        enum curve_level level;
        double y, error;
    } wanted[] = {
        {CURVE_MEDIAN, 200, 3 * student},           {CURVE_MEAN, 215, 5 * student},
        {CURVE_FASTEST, 180, 1.11 * 10 / 20},       {CURVE_FAST, 190, 0.75 * 18 / 20},
        {CURVE_SLOW, 240, 0.75 * (240 - 208) / 20},
    };
    add_levels();
    table_of();
    for (EACH(w, wanted)) {
        curve_over_k(&table, 2, w->level, &curve);
        assert_int_equal(curve.count, 1);
        assert_point(0, 0, w->y);
        assert_within(curve.error[0], w->error - 0.002, w->error + 0.002);
    }
}

static void assert_around(struct interval i, double value, double half_width)
{
    assert_compare(i.value, ==, value);
    assert_within(i.high - value, half_width - 0.01, half_width + 0.01);
    assert_near(i.low, fmax(value - (i.high - value), 0));
}

/* Asserts the mean's level of the rows of N = 2, and its error. */
static void assert_mean(double value, double half_width)
{
    curve_over_k(table_of(), 2, CURVE_MEAN, &curve);
    assert_around(interval_around(curve.y[0], 1.96 * curve.error[0]), value, half_width);
}

/* A single visit tells no more than how the samples scatter. */
TEST(centres_and_means)
{
    struct row *row = add_levels();
    double deviation = (240 - 190) / 2.563;
    assert_around(curve_median(row), 200, 2.131 * 3);
    assert_mean(215, 2.131 * 5);
    row->k = 4;
    assert_around(curve_median_of_one(row), 50, 2.131 * 3 / 4);
    row->visits = 2; /* Student's t of one degree */
    assert_around(curve_median(row), 200, 12.706 * 3);
    row->center_error = 100; /* never below 0 */
    assert_around(curve_median(row), 200, 12.706 * 100);
    rows_visits(row, 1, NAN);
    assert_near(curve_deviation(row), deviation);
    assert_around(curve_median(row), 200, 1.96 * 1.253 * deviation / 20);
    assert_mean(215, 1.96 * deviation / 20);
}

TEST(the_last_attempt)
{
    for (uint64_t attempt = 0; attempt < 4; attempt++)
        add_time(2, 7, 100 + (double)attempt)->attempt = attempt;
    struct row *few = add_time(2, 7, 1); /* too few samples to be a point */
    few->attempt = 6;
    few->samples = 4;
    add_time(3, 7, 1)->attempt = 8; /* of another N */
    assert_int_equal(curve_last_attempt(table_of(), "tsc", 2), 3);
    curve_over_k(&table, 2, CURVE_MEDIAN, &curve);
    assert_int_equal(curve.count, 1);
    assert_point(0, 7, 103);
    assert_int_equal(curve_last_attempt(&table, "tsc", 4), 0);
}

/* --- other curves ----------------------------------------------------------------------------- */

TEST(curves_of_other_metrics)
{
    for (int64_t n = 12; n > 0; n--) {
        add_time(n, 0, 7);
        add("2m", "tsc_many", n, 0, 100 * (double)n);
    }
    rows[row_count - 1].samples = 4; /* N = 1 */
    curve_of_multiples(table_of(), "tsc_many", 1, &curve);
    assert_int_equal(curve.count, 11);
    curve_of_multiples(&table, "tsc_many", 4, &curve);
    assert_int_equal(curve.count, 3);
    for (unsigned i = 0; i < 3; i++)
        assert_point(i, 4 * (i + 1), 400 * (i + 1));
    curve_of_multiples(&table, "tsc_none", 1, &curve);
    assert_int_equal(curve.count, 0);
}

TEST(one_curve_above_another)
{
    const struct curve all = {
        .x = {1, 2, 4, 5}, .y = {10, 20, 40, 50}, .error = {3, 3, 3, 3}, .count = 4};
    const struct curve some = {
        .x = {2, 3, 5, 9}, .y = {1, 2, 3, 4}, .error = {4, 4, 0, 4}, .count = 4};
    curve_less(&all, &some, &curve);
    assert_int_equal(curve.count, 2);
    assert_point(0, 2, 19);
    assert_point(1, 5, 47);
    assert_true(curve.error[0] == 5 && curve.error[1] == 3);
    curve_less(&some, &(struct curve){.count = 0}, &curve);
    assert_int_equal(curve.count, 0);
}

/* The times differ by what the K between them take; one K alone says nothing. */
TEST(ticks_of_each)
{
    add_time(1, 20, 140);
    assert_true(isnan(curve_of_part(table_of(), "tsc", 1, ROW_NONE).value));
    assert_true(isnan(curve_of_part(&table, "tsc", 2, ROW_NONE).value));
    add_time(1, 10, 120);
    add_time(1, 50, 200);
    struct curve_ends ends = curve_ends_of(table_of(), "tsc", 1, ROW_NONE);
    assert_numbers((ends.shortest->k, ends.longest->k), (10, 50));
    assert_near(curve_of_part(&table, "tsc", 1, ROW_NONE).value, 2);
}

/* test_curve: which rows are points, and what is read off them. */
#include "../../kernel/analysis/curve.h"
#include "rows.h"
#include "rules.h"

#include "kit.h"

static struct curve curve;

SETUP(start)
{
    rows_clear();
    memset(&curve, 0xa5, sizeof curve);
}

static struct row *add(int64_t n, int64_t k, double ticks)
{
    return rows_add("mlp", "2m", n, k, ticks);
}

/* As a refinement has them: in any order, on memory of just that size. */
static struct table table_of(void)
{
    struct row *copy = malloc(row_count * sizeof *copy);
    memcpy(copy, rows, row_count * sizeof *copy);
    return (struct table){&copy->of, copy, row_count};
}

static void over_k(int64_t n, enum curve_level level)
{
    struct table table = table_of();
    curve_over_k(&table, n, level, &curve);
    free((void *)table.rows);
}

static void over_n(enum curve_level level)
{
    struct table table = table_of();
    curve_over_n(&table, level, &curve);
    free((void *)table.rows);
}

TEST(points)
{
    struct row row = rows_point("mlp", "2m", 1, 0, 200);

    assert_true(curve_has(&row));
    row.samples = CURVE_LEAST_SAMPLES;
    assert_true(curve_has(&row));
    row.samples = CURVE_LEAST_SAMPLES - 1;
    assert_false(curve_has(&row));
    row = rows_point("mlp", "2m", 0, 0, 200);
    assert_false(curve_has(&row));
    row = rows_point("mlp", "2m", 1, ROW_NONE, 200);
    assert_false(curve_has(&row));
    row = rows_point("mlp", "2m", 1, 0, 200);
    strcpy(row.metric, "ns");
    assert_false(curve_has(&row));
}

TEST(over_k_in_any_order)
{
    for (unsigned i = 0; i < 200; i++) {
        struct row *row = add(2, 3 * i, 100 + i);
        row->p10 = 90 + i;
        add(3, 3 * i, 7);
    }
    rows_shuffle(rows, row_count);
    over_k(2, CURVE_MEDIAN);
    assert_int_equal(curve.count, 200);
    for (unsigned i = 0; i < 200; i++)
        assert_true(curve.x[i] == 3 * i && curve.y[i] == 100 + i);
    over_k(2, CURVE_FAST);
    for (unsigned i = 0; i < 200; i++) {
        assert_true(curve.y[i] == 90 + i);
        assert_true(near(curve.error[i], 0.75 * 10 / 20));
    }
    over_k(4, CURVE_MEDIAN);
    assert_int_equal(curve.count, 0);
}

/* At the smallest K of all, whichever N has it. */
TEST(over_n_at_the_smallest_k)
{
    for (unsigned n = 1; n <= 30; n++) {
        struct row *row = add(n, 8, 100 + n);
        rows_spread(row, 2.563);
        add(n, 16, 7);
    }
    add(5, 0, 1)->samples = 0;
    rows_shuffle(rows, row_count);
    over_n(CURVE_MEDIAN);
    assert_int_equal(curve.count, 30);
    for (unsigned i = 0; i < 30; i++) {
        assert_true(curve.x[i] == i + 1 && curve.y[i] == 101 + i);
        assert_true(near(curve.error[i], 1.253 * 2 / 20));
    }
    add(7, 0, 42);
    over_n(CURVE_MEDIAN);
    assert_int_equal(curve.count, 1);
    assert_true(curve.x[0] == 7 && curve.y[0] == 42);
}

/* Those beyond are left out, the smallest kept where rows are in order. */
TEST(more_than_it_holds)
{
    for (unsigned k = 0; k < CURVE_MAX + 300; k++)
        add(2, k, 100 + k);
    over_k(2, CURVE_MEDIAN);
    assert_int_equal(curve.count, CURVE_MAX);
    for (unsigned i = 0; i < CURVE_MAX; i++)
        assert_true(curve.x[i] == i && curve.y[i] == 100 + i);
}

TEST(the_point_with_the_smallest_k)
{
    for (int64_t n = 1; n <= 40; n += 3)
        for (int64_t k = 0; k < 24; k += 8)
            add(n, k, (double)(100 * n + k))->samples = n == 7 && k == 0 ? 0 : 400;
    struct table table = table_of();
    for (int64_t n = 0; n <= 45; n++) {
        const struct row *row = curve_find(&table, n);
        bool measured = n <= 40 && n % 3 == 1;
        assert_int_equal(row != NULL, measured);
        if (measured)
            assert_true(row->n == n && row->k == (n == 7 ? 8 : 0));
    }
    free((void *)table.rows);
}

TEST(median_and_deviation)
{
    struct row row = rows_point("mlp", "2m", 1, 0, 200);

    rows_spread(&row, 2.563);
    assert_true(near(curve_deviation(&row), 2));
    struct interval i = curve_median(&row);
    assert_true(i.value == 200);
    assert_true(near(i.high - 200, 1.96 * 1.253 * 2 / 20) && near(200 - i.low, i.high - 200));
}

/* --- levels and errors ------------------------------------------------------------------------ */

/* A row with other numbers at each level, of 16 visits. */
static struct row *add_levels(int64_t n, int64_t k)
{
    struct row *row = add(n, k, 200);
    *row = (struct row){.of = row->of,
                        .n = n,
                        .k = k,
                        .bytes = ROW_NONE,
                        .stage = ROW_NONE,
                        .metric = "tsc",
                        .unit = "ticks",
                        .samples = 400,
                        .min = 170,
                        .p1 = 180,
                        .p10 = 190,
                        .median = 208,
                        .center = 200,
                        .p90 = 240,
                        .max = 900,
                        .mean = 215,
                        .visits = 16,
                        .center_error = 3,
                        .mean_error = 5};
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
    add_levels(2, 0);
    for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++) {
        over_k(2, wanted[i].level);
        assert_true(curve.count == 1 && curve.y[0] == wanted[i].y);
        assert_true(fabs(curve.error[0] - wanted[i].error) < 0.002);
    }
}

TEST(centres_and_means_by_visits)
{
    struct row *row = add_levels(2, 0);
    struct interval center = curve_median(row), mean = curve_mean(row);
    assert_true(center.value == 200 && fabs(center.high - 200 - 2.131 * 3) < 0.01);
    assert_true(near(200 - center.low, center.high - 200));
    assert_true(mean.value == 215 && fabs(mean.high - 215 - 2.131 * 5) < 0.01);
    row->visits = 2; /* Student's t of one degree */
    assert_true(near(curve_median(row).high, 200 + 12.706 * 3));
    assert_true(curve_median(row).low >= 0);
    row->center_error = 100;
    assert_true(curve_median(row).low == 0 && curve_median(row).high > 400);
}

/* A single visit, or a file that knows none, tells how the samples scatter. */
TEST(centres_and_means_without_visits)
{
    struct row *row = add_levels(2, 0);
    double deviation = (240 - 190) / 2.563;
    rows_age(row, 1);
    for (unsigned i = 0; i < 2; i++) {
        assert_true(curve_median(row).value == (i == 0 ? 208 : 200));
        assert_true(
            near(curve_median(row).high - curve_median(row).value, 1.96 * 1.253 * deviation / 20));
        assert_true(near(curve_mean(row).high - 215, 1.96 * deviation / 20));
        row->visits = 1;
        row->center = 200;
    }
    over_k(2, CURVE_FASTEST); /* and no first percentile */
    assert_true(curve.y[0] == 190 && curve.error[0] == 0);
}

TEST(the_last_attempt)
{
    for (uint64_t attempt = 0; attempt < 4; attempt++)
        rows_add("mlp", "2m", 2, 7, 100 + (double)attempt)->attempt = attempt;
    struct row *few = rows_add("mlp", "2m", 2, 7, 1); /* too few samples to be a point */
    few->attempt = 6;
    few->samples = 4;
    rows_add("mlp", "2m", 3, 7, 1)->attempt = 8; /* of another N */
    struct table table = table_of();
    assert_int_equal(curve_last_attempt(&table, 2), 3);
    curve_over_k(&table, 2, CURVE_MEDIAN, &curve);
    assert_true(curve.count == 1 && curve.y[0] == 103);
    assert_int_equal(curve_last_attempt(&table, 4), 0);
    free((void *)table.rows);
}

TEST(curves_of_other_metrics)
{
    for (int64_t n = 12; n > 0; n--) {
        add(n, 0, 7);
        strcpy(add(n, 0, 100 * (double)n)->metric, "tsc_many");
    }
    rows[row_count - 1].samples = 4; /* N = 1 */
    struct table table = table_of();
    curve_of_multiples(&table, "tsc_many", 1, &curve);
    assert_int_equal(curve.count, 11);
    curve_of_multiples(&table, "tsc_many", 4, &curve);
    assert_int_equal(curve.count, 3);
    for (unsigned i = 0; i < 3; i++)
        assert_true(curve.x[i] == 4 * (i + 1) && curve.y[i] == 400 * (i + 1));
    curve_of_multiples(&table, "tsc_none", 1, &curve);
    assert_int_equal(curve.count, 0);
    free((void *)table.rows);
}

TEST(one_curve_above_another)
{
    const struct curve all = {
        .x = {1, 2, 4, 5}, .y = {10, 20, 40, 50}, .error = {3, 3, 3, 3}, .count = 4};
    const struct curve some = {
        .x = {2, 3, 5, 9}, .y = {1, 2, 3, 4}, .error = {4, 4, 0, 4}, .count = 4};
    curve_less(&all, &some, &curve);
    assert_int_equal(curve.count, 2);
    assert_true(curve.x[0] == 2 && curve.y[0] == 19 && curve.error[0] == 5);
    assert_true(curve.x[1] == 5 && curve.y[1] == 47 && curve.error[1] == 3);
    curve_less(&some, &(struct curve){.count = 0}, &curve);
    assert_int_equal(curve.count, 0);
}

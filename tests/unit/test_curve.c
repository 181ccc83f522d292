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

/* test_row: rows are in one order, in which only those that are equal are equal. */
#include "../../kernel/data/row.h"
#include "kit.h"

static struct row plain(void)
{
    return (struct row){.n = 4,
                        .k = 4,
                        .bytes = 4,
                        .stage = 4,
                        .attempt = 4,
                        .metric = "metric",
                        .unit = "unit",
                        .samples = 4,
                        .discarded = 4,
                        .min = 4,
                        .p10 = 4,
                        .median = 4,
                        .p90 = 4,
                        .max = 4,
                        .mean = 4,
                        .p1 = 4,
                        .visits = 4,
                        .center = 4,
                        .center_error = 4,
                        .mean_error = 4};
}

static void assert_before(const struct row *a, const struct row *b)
{
    assert_compare(row_compare(a, b), <, 0);
    assert_compare(row_compare(b, a), >, 0);
}

/* Two rows that differ in one member; the one with less, or a name that comes first, is first. */
#define ASSERT_COUNTS(member)                                                                      \
    do {                                                                                           \
        struct row less = plain(), more = plain();                                                 \
        more.member = 5;                                                                           \
        assert_before(&less, &more);                                                               \
    } while (0)

TEST(each_member_counts)
{
    struct row a = plain(), b = plain();
    /* A new member has to be compared, and tested below: today there are 18 numbers and three
     * others. */
    assert_int_equal(sizeof a, sizeof a.variant + sizeof a.metric + sizeof a.unit + 18 * 8);
    assert_int_equal(row_compare(&a, &b), 0);
    strcpy(b.metric, "metrid");
    assert_before(&a, &b);
    b = plain();
    strcpy(b.unit, "units");
    assert_before(&a, &b);
    ASSERT_COUNTS(n);
    ASSERT_COUNTS(k);
    ASSERT_COUNTS(bytes);
    ASSERT_COUNTS(stage);
    ASSERT_COUNTS(attempt);
    ASSERT_COUNTS(samples);
    ASSERT_COUNTS(discarded);
    ASSERT_COUNTS(visits);
    ASSERT_COUNTS(min);
    ASSERT_COUNTS(p10);
    ASSERT_COUNTS(median);
    ASSERT_COUNTS(p90);
    ASSERT_COUNTS(max);
    ASSERT_COUNTS(mean);
    ASSERT_COUNTS(p1);
    ASSERT_COUNTS(center);
    ASSERT_COUNTS(center_error);
    ASSERT_COUNTS(mean_error);
}

/* The coordinates come first, then the metric. */
TEST(coordinates_come_first)
{
    struct row a = plain(), b = plain();
    a.k = 9;
    strcpy(a.metric, "z");
    a.samples = 9;
    b.n = 5;
    assert_before(&a, &b);
    b = plain();
    b.stage = 5;
    a = plain();
    strcpy(a.metric, "z");
    assert_before(&a, &b);
    b = plain();
    b.samples = 5;
    assert_before(&b, &a);
}

TEST(none_is_one_value_behind_all)
{
    struct row a = plain(), b = plain();
    b.center = NAN;
    assert_before(&a, &b);
    a.center = NAN;
    assert_int_equal(row_compare(&a, &b), 0);
}

TEST(samples_of_a_metric)
{
    struct row row = plain();
    assert_true(row_is(&row, "metric"));
    assert_false(row_is(&row, "metri"));
    row.samples = 0;
    assert_false(row_is(&row, "metric"));
}

/* To the decimals of the file. */
TEST(scaled)
{
    struct row row = plain();
    row.mean = 1.0 / 3;
    row.p1 = NAN;
    row_scale(&row, 0.5);
    assert_near(row.min, 2);
    assert_near(row.p10, 2);
    assert_near(row.median, 2);
    assert_near(row.p90, 2);
    assert_near(row.max, 2);
    assert_near(row.center, 2);
    assert_near(row.center_error, 2);
    assert_near(row.mean_error, 2);
    assert_near(row.mean, 0.167);
    assert_true(isnan(row.p1));
    assert_numbers((row.samples, row.n), (4, 4));
}

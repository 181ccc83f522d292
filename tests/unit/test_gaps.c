/* test_gaps: gaps fall into their decades, and quantiles are right to three digits. */
#include "../../kernel/probe/spin.h"
#include "kit.h"

static struct gaps gaps;

SETUP(start)
{
    memset(&gaps, 0xa5, sizeof gaps);
    memset(&gaps, 0, sizeof gaps);
}

static uint64_t total(void)
{
    uint64_t count = 0;
    for (unsigned i = GAPS_FIRST_DECADE; i <= GAPS_LAST_DECADE; i++)
        count += gaps.decade[i].count;
    return count;
}

TEST(empty)
{
    assert_int_equal(total(), 0);
    assert_true(isnan(gaps_percentile(&gaps.decade[3], 3, 50)));
}

TEST(decades)
{
    static const struct {
        double ns;
        unsigned exponent;
    } cases[] = {{0.5, 1},  {9.9, 1},  {10, 1},  {99.999, 1},  {100, 2}, {999.999, 2},
                 {1000, 3}, {9999, 3}, {1e4, 4}, {1e5, 5},     {1e6, 6}, {9.99e6, 6},
                 {1e7, 7},  {1e8, 8},  {1e9, 9}, {9.999e8, 8}, {5e9, 9}, {1e12, 9}};
    for (EACH(c, cases)) {
        start();
        gaps_add(&gaps, c->ns);
        const struct gap_decade *decade = &gaps.decade[c->exponent];
        assert_int_equal(total(), 1);
        assert_numbers((decade->count, decade->min, decade->max), (1, c->ns, c->ns));
        assert_compare(decade->sum, ==, c->ns);
        for (unsigned percent = 0; percent <= 100; percent += 10)
            assert_compare(gaps_percentile(decade, c->exponent, percent), ==, c->ns);
    }
}

/* Every gap of four digits from 1,000 to 9,999 once, in units of a decade: quantiles are known. */
static void assert_quantiles(unsigned exponent, double unit)
{
    for (unsigned digits = 9999; digits >= 1000; digits--)
        gaps_add(&gaps, digits * unit);
    const struct gap_decade *decade = &gaps.decade[exponent];
    assert_numbers((decade->count, decade->min, decade->max), (9000, 1000 * unit, 9999 * unit));
    for (unsigned percent = 1; percent <= 100; percent++) {
        double truth = (999 + 90.0 * percent) * unit;
        assert_compare(fabs(gaps_percentile(decade, exponent, percent) - truth), <=, 10 * unit);
    }
    assert_compare(gaps_percentile(decade, exponent, 0), <=, 1010 * unit);
}

TEST(quantiles)
{
    const double unit = 0x1p-7; /* 0.01 would not be exact */
    assert_quantiles(3, 1);
    for (unsigned exponent = GAPS_FIRST_DECADE + 3; exponent <= GAPS_LAST_DECADE; exponent++)
        assert_quantiles(exponent, pow(10, exponent - 3.0));
    start();
    for (unsigned digits = 1280; digits < 12800; digits++) /* 10 ns up to 100 */
        gaps_add(&gaps, digits * unit);
    assert_true(fabs(gaps_percentile(&gaps.decade[1], 1, 50) - 55) <= 0.1);
}

/* Within a decade's two ends, whatever the steps are. */
TEST(quantiles_stay_between_the_extremes)
{
    gaps_add(&gaps, 52001);
    gaps_add(&gaps, 52002);
    for (unsigned percent = 0; percent <= 100; percent += 10) {
        double value = gaps_percentile(&gaps.decade[4], 4, percent);
        assert_within(value, 52001, 52002);
    }
}

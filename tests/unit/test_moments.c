/* test_moments: mean, scatter and Student's interval of a few values. */
#include "../../kernel/analysis/moments.h"
#include "../../kernel/lib/random.h"
#include "kit.h"

static struct moments moments_of(const double *values, unsigned count)
{
    struct moments m = {.count = 0};
    for (unsigned i = 0; i < count; i++)
        moments_add(&m, values[i]);
    return m;
}

TEST(few_values)
{
    static const double values[] = {3, 5, 10};
    struct moments m = moments_of(values, 3);
    assert_near(m.mean, 6);
    assert_near(moments_variance(&m), 13);
    assert_float_equal(moments_half_width(&m), 4.303 * sqrt(13 / 3.0), 1e-3);
}

TEST(one_value_or_none)
{
    static const double value = 3;
    for (unsigned count = 0; count < 2; count++) {
        struct moments m = moments_of(&value, count);
        assert_true(isnan(moments_variance(&m)) && isnan(moments_half_width(&m)));
    }
}

/* A large number before all of them costs no digits. */
TEST(values_far_from_zero)
{
    static const double values[] = {1e12 + 1, 1e12 + 2, 1e12 + 3};
    struct moments m = moments_of(values, 3);
    assert_near(moments_variance(&m), 1);
}

/* The interval holds the truth nineteen times of twenty, however few the values. */
TEST(coverage)
{
    enum { TRIALS = 4000 };
    struct random chance;
    random_seed(&chance, 1);
    for (unsigned count = 2; count <= 12; count++) {
        unsigned held = 0;
        for (unsigned trial = 0; trial < TRIALS; trial++) {
            struct moments m = {.count = 0};
            for (unsigned i = 0; i < count; i++) {
                double sum = 0; /* of twelve evenly spread ones: normal to the eye */
                for (unsigned j = 0; j < 12; j++)
                    sum += (double)random_below(&chance, 1000000) / 1e6;
                moments_add(&m, sum);
            }
            held += fabs(m.mean - 6) <= moments_half_width(&m);
        }
        assert_in_range(held, TRIALS * 0.94, TRIALS * 0.96);
    }
}

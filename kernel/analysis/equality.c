/* equality: weighted squares against quantiles of chi-squared. */
#include "equality.h"

#define LN_2 0.69314718

double normal_95_of_all(unsigned count)
{
    return __builtin_sqrt(2 * LN_2 * log2_of(count / 0.05));
}

static double mean_of(const double *values, unsigned count, unsigned stride)
{
    double sum = 0;
    for (unsigned i = 0; i < count; i++)
        sum += values[i * stride];
    return sum / count;
}

double layout_error(const double *values, unsigned treatments, unsigned blocks)
{
    double freedom = (treatments - 1.0) * (blocks - 1.0), squares = 0;
    if (treatments < 2 || blocks < 2)
        return __builtin_nan("");
    double all = mean_of(values, treatments * blocks, 1);
    for (unsigned t = 0; t < treatments; t++) {
        double treatment = mean_of(values + t, blocks, treatments) - all;
        for (unsigned b = 0; b < blocks; b++) {
            double block = mean_of(values + b * treatments, treatments, 1);
            double left = values[b * treatments + t] - treatment - block;
            squares += left * left;
        }
    }
    return __builtin_sqrt(squares / freedom / blocks) * student_95(freedom) / NORMAL_95;
}

/* Returns the value of chi-squared at the quantile of z normal standard deviations. */
static double chi_squared(double freedom, double noncentral, double z)
{
    double mean = freedom + noncentral, like = mean * mean / (mean + noncentral);
    double root = 1 - 2 / (9 * like) + z * __builtin_sqrt(2 / (9 * like));
    return root > 0 ? mean * root * root * root : 0;
}

/* Returns the noncentrality of chi-squared that has `squares` at z; 0: even 0 has z above it. */
static double noncentrality(double squares, double freedom, double z)
{
    double low = 0, high = 16 * (squares + freedom + 1), middle;
    while ((middle = (low + high) / 2) > low && middle < high)
        if (chi_squared(freedom, middle, z) < squares)
            low = middle;
        else
            high = middle;
    return chi_squared(freedom, 0, z) < squares ? low : 0;
}

struct interval spread_of(const double *values, const double *errors, unsigned count)
{
    double weights = 0, sum = 0, squares = 0, freedom = count - 1.0;
    for (unsigned i = 0; i < count; i++) {
        weights += 1 / (errors[i] * errors[i]);
        sum += values[i] / (errors[i] * errors[i]);
    }
    for (unsigned i = 0; i < count; i++) {
        double off = (values[i] - sum / weights) / errors[i];
        squares += off * off;
    }
    double least = squares > freedom ? squares : freedom;
    return (struct interval){
        __builtin_sqrt((least - freedom) / weights),
        __builtin_sqrt(noncentrality(squares, freedom, NORMAL_95) / weights),
        __builtin_sqrt(noncentrality(least, freedom, -NORMAL_95) / weights),
    };
}

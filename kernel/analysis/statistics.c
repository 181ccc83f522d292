/* statistics: Student's quantile from the normal one; logarithms by a short series. */
#include "statistics.h"

/* Expands by Cornish and Fisher (Abramowitz and Stegun, 26.7.5); error < 1 % from 3 degrees on. */
double student_95(double freedom)
{
    static const double few[] = {12.706, 4.303};
    const double z = 1.959964, z3 = z * z * z, z5 = z3 * z * z, z7 = z5 * z * z;
    if (freedom < 3)
        return few[freedom >= 2];
    double n = 1 / freedom;
    return z + n * ((z3 + z) / 4 + n * ((5 * z5 + 16 * z3 + 3 * z) / 96 +
                                        n * (3 * z7 + 19 * z5 + 17 * z3 - 15 * z) / 384));
}

/* Halves or doubles x into the middle first. */
double log2_of(double x)
{
    static const double root_2 = 1.4142135623730951, ln_2 = 0.69314718055994531;
    int whole = 0;
    for (; x > root_2; x /= 2)
        whole++;
    for (; x < root_2 / 2; x *= 2)
        whole--;
    /* ln x = 2 artanh t = 2 (t + t^3/3 + t^5/5 ...) with t = (x-1)/(x+1), which is at most 0.172 */
    double t = (x - 1) / (x + 1), power = t, sum = 0;
    for (unsigned i = 1; sum + power / i != sum; i += 2, power *= t * t)
        sum += power / i;
    return whole + 2 * sum / ln_2;
}

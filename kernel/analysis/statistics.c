/* statistics: Student's quantile from the normal one. */
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

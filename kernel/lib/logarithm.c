/* logarithm: halves or doubles into the middle, then a short series. */
#include "logarithm.h"

#define TERMS 9 /* the last is below 1e-14: t is at most 0.172 */

double log2_of(double x)
{
    static const double root_2 = 1.4142135623730951, ln_2 = 0.69314718055994531;
    int whole = 0;
    for (; x > root_2; x /= 2)
        whole++;
    for (; x < root_2 / 2; x *= 2)
        whole--;
    /* ln x = 2 artanh t = 2 (t + t^3/3 + t^5/5 ...) with t = (x-1)/(x+1) */
    double t = (x - 1) / (x + 1), power = t, sum = 0;
    for (unsigned i = 0; i < TERMS; i++) {
        sum += power / (2 * i + 1);
        power *= t * t;
    }
    return whole + 2 * sum / ln_2;
}

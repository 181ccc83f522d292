/* moments: by Welford (1962), which loses no digits. */
#include "moments.h"

#include "statistics.h"

void moments_add(struct moments *m, double value)
{
    double off = value - m->mean;
    m->count++;
    m->mean += off / m->count;
    m->squares += off * (value - m->mean);
}

double moments_variance(const struct moments *m)
{
    return m->count < 2 ? __builtin_nan("") : m->squares / (m->count - 1);
}

double moments_half_width(const struct moments *m)
{
    return student_95(m->count - 1.0) * __builtin_sqrt(moments_variance(m) / m->count);
}

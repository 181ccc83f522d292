/* answer: gives a verdict its interval and its status in one call. */
#ifndef MLPBOOT_EXPERIMENTS_ANSWER_H
#define MLPBOOT_EXPERIMENTS_ANSWER_H

#include "../analysis/interval.h"
#include "../data/tables.h"
#include "../data/verdict.h"

/* Concludes a verdict with that interval: ok with the method, printf style, or doubt for the reason
 * in `doubt`, unless that is NULL. The first doubt counts: `a(table) ?: b(table)`. */
void answer(struct verdict *verdict, struct interval interval, const char *doubt,
            const char *method, ...) __attribute__((format(printf, 4, 5)));

/* Concludes a verdict with that interval as a doubt, for the reason, printf style. */
void answer_doubt(struct verdict *verdict, struct interval interval, const char *reason, ...)
    __attribute__((format(printf, 3, 4)));

/* Returns a verdict's value with its interval. */
struct interval answer_interval(const struct verdict *verdict);

/* Concludes a verdict without a value, for the reason, printf style. */
void answer_skip(struct verdict *verdict, const char *reason, ...)
    __attribute__((format(printf, 2, 3)));

/* Returns in which percentage of a case's visits a sibling thread shared the core; 0 unless these
 * are so many that too few are left of the whole core. */
double answer_mostly_shared(const struct table *table);

#endif

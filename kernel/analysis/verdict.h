/* verdict: adding answers to a list of them. */
#ifndef MLPBOOT_ANALYSIS_VERDICT_H
#define MLPBOOT_ANALYSIS_VERDICT_H

#include "../report/results.h"

/*
 * Adds a verdict without a value, status `skip`, empty method; the caller fills it. When the list
 * is full, returns a scratch verdict that nobody reads.
 */
struct verdict *verdict_add(struct verdict_list *list, const char *experiment, const char *variant,
                            const char *name, const char *unit);

/* Sets status and method, printf style. */
void verdict_conclude(struct verdict *verdict, enum verdict_status status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Sets value, low, high. */
void verdict_value(struct verdict *verdict, double value, double low, double high);

#endif

/*
 * rows: hand-made rows for the tests of rules. Whoever judges them gets a copy of each case on the
 * heap, exactly as large as it is, so that the sanitizer sees who reads beyond its end.
 */
#ifndef MLPBOOT_TESTS_ROWS_H
#define MLPBOOT_TESTS_ROWS_H

#include "../../kernel/engine/measurement.h"
#include "../../kernel/experiments/answer.h"
#include "../../kernel/experiments/experiment.h"

/* A row of metric tsc, in ticks, of 400 samples of one visit that all took as long; no bytes and no
 * stage. What it may be off is then its scatter within. */
struct row rows_point(const char *experiment, const char *name, int64_t n, int64_t k, double ticks);

/* Puts deciles at that distance to either side of the median, and the ends there too. */
void rows_spread(struct row *row, double distance);

/* Puts its centre there, and leaves its spread where it is. */
void rows_center(struct row *row, double ticks);

/* Makes it one of several visits, from which centre and mean may be so far off. */
void rows_visits(struct row *row, uint64_t visits, double error);

/* Makes it a row of that case. */
void rows_name(struct row *row, const char *experiment, const char *name);

/* The name of a case, in memory that a few further calls leave alone. */
const char *name_of(const struct variant *variant);

/* True if that is its name. */
bool is_case(const struct variant *variant, const char *name);

/* Brings a measurement's rows together as a run does; the rows of a case after that, in order. */
void rows_gather(struct measurement *m);
const struct row *rows_of_case(const struct measurement *m, uint32_t case_id, size_t *count);

/* Groups rows in place, as a run does. The tables are in what it returns, which is to be freed. */
void *rows_group(struct row *rows, size_t count, struct tables *tables);

/* Any order, the same in every run of a test. */
void rows_shuffle(struct row *rows, size_t count);

/* Hands what was measured to a rule, with these facts and what the rows add to them: each case, all
 * of them, and then what leans on these. */
void rows_by_rule(const struct row *rows, size_t count, const struct rule *rule,
                  const struct facts *facts, struct verdict_list *verdicts);

/* Has judge.c do so, and decide what holds. */
void rows_judge_all(const struct row *rows, size_t count, struct verdict_list *verdicts);

/* The first verdict of that case and name, each of which may be NULL: any. NULL: there is none. */
const struct verdict *rows_verdict(const struct verdict_list *verdicts, const char *slug,
                                   const char *name);

/* True if both say the same, digit for digit; NANs are one value. */
bool same_verdict(const struct verdict *a, const struct verdict *b);

/* True if each list has what the other has, in any order. */
bool same_verdicts(const struct verdict_list *a, const struct verdict_list *b);

#endif

/* rules: the rows that a test of a rule adds, and the verdicts that it finds. */
#ifndef MLPBOOT_TESTS_RULES_H
#define MLPBOOT_TESTS_RULES_H

#include "../../kernel/experiments/experiment.h"
#include "rows.h"

#define ROWS_MAX 16384

#define OK VERDICT_OK
#define DOUBT VERDICT_DOUBT
#define SKIP VERDICT_SKIP
#define ERROR VERDICT_ERROR

/* The rows that rows_add has added, and the verdicts that the last of the judges below found. */
extern struct row rows[ROWS_MAX];
extern size_t row_count;
extern struct verdict_list verdicts;

/* What that rule knows of the machine; rows_start forgets it. */
extern struct facts rows_facts;

/* Removes all rows and verdicts. */
void rows_clear(void);

/* Does so, and chooses what `add` and `judge` use from then on: rows of this experiment with so
 * many samples, whose deciles are that far from their medians; and this rule. NULL: rows are judged
 * as rows_judge_all does. */
void rows_start(const char *experiment, const struct rule *rule, uint64_t samples, double spread);

/* Adds such a row. */
struct row *add(const char *name, const char *metric, int64_t n, int64_t k, double value);

/* Judges all rows by that rule: each case, then what compares cases. Asserts that each verdict is
 * one that the rule gives its case, has words that fit on a line, and a value within its interval.
 */
void judge(void);

/* Adds a row as rows_point makes it. */
struct row *rows_add(const char *experiment, const char *name, int64_t n, int64_t k, double ticks);

/* Adds one of another metric, with deciles a tick off. */
struct row *rows_add_metric(const char *experiment, const char *name, const char *metric, int64_t n,
                            int64_t k, double ticks);

/* Puts the first row of that metric and N there, its deciles a tick off. */
void rows_set(const char *metric, int64_t n, double ticks);

/* Removes all rows of a metric. */
void rows_drop(const char *metric);

/* Returns the first row of that metric and N; fails the test without one. */
struct row *rows_find(const char *metric, int64_t n);

/* For a loop over those that were added: for (ADDED_ROWS(row)); and over those of a case and a
 * metric, either of which may be NULL: for (ROWS_OF(row, "2m", "tsc")). */
#define ADDED_ROWS(row) ROWS_OF(row, NULL, NULL)
#define ROWS_OF(row, name, metric)                                                                 \
    struct row *row = rows_next(rows, name, metric);                                               \
    row < rows + row_count;                                                                        \
    row = rows_next(row + 1, name, metric)
struct row *rows_next(struct row *from, const char *name, const char *metric);

/* Hands all rows to another rule, as rows_by_rule does. */
void judge_by(const struct rule *rule);

/* Judges all rows, as rows_judge_all does. */
void judge_all_rows(void);

/* Returns a rule's question of that name that a case answers; NULL: the case has none. */
const struct question *question_of(const struct rule *rule, const struct variant *variant,
                                   const char *name);

/* For a loop over all questions of a rule: for (QUESTIONS(q, rule)). */
#define QUESTIONS(q, rule)                                                                         \
    const struct question *const *q##_list = (rule)->questions, *q = *q##_list;                    \
    q != NULL;                                                                                     \
    q = q[1].name != NULL ? q + 1 : *++q##_list

/* Asserts that every verdict has words that fit on a line. */
void assert_words_fit(void);

/* Each returns the verdict of that case and name, as rows_verdict, and judges the rows before where
 * they have changed since they were judged; fails the test without one, */
const struct verdict *verdict_of(const char *slug, const char *name);

/* or if it is of another status, */
const struct verdict *assert_status(const char *slug, const char *name, enum verdict_status status);

/* or neither its reason has this code, nor its method these words, */
const struct verdict *assert_words(const char *slug, const char *name, const char *words);

/* or both, */
const struct verdict *assert_says(const char *slug, const char *name, enum verdict_status status,
                                  const char *words);

/* or is not in doubt for that reason, or in these words; without any, if it is not ok, */
const struct verdict *assert_doubt(const char *slug, const char *name, const char *words);

/* or not this value, within its interval; NAN is none, */
const struct verdict *assert_verdict(const char *slug, const char *name, enum verdict_status status,
                                     double value);

/* or not this value, and as assert_doubt wants it, */
const struct verdict *assert_answer(const char *slug, const char *name, double value,
                                    const char *doubt);

/* or any of several verdicts of a case is not as assert_verdict wants it:
 * ASSERT_VERDICTS("2m", {"mlp", VERDICT_OK, 10}, {"one_load", VERDICT_SKIP, NAN}); */
struct wanted_verdict {
    const char *name;
    enum verdict_status status;
    double value;
};
void assert_verdicts(const char *slug, const struct wanted_verdict *wanted, size_t count);
#define ASSERT_VERDICTS(of, ...)                                                                   \
    do {                                                                                           \
        const struct wanted_verdict all_wanted[] = {__VA_ARGS__};                                  \
        assert_verdicts(of, all_wanted, sizeof all_wanted / sizeof *all_wanted);                   \
    } while (false)

/* or a value or an interval. */
void assert_no_value(const char *slug, const char *name, enum verdict_status status,
                     const char *words);

/* Asserts, of rows judged in the same way, that they have so many verdicts; that there is none of
 * that case and name. */
void assert_count(size_t count);
void assert_none(const char *slug, const char *name);

/* Asserts the ends of an interval; NAN is no end. */
void assert_interval(const struct verdict *v, double low, double high);

#endif

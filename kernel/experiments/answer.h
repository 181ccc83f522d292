/* answer: gives a verdict its interval, its status and its reason in one call. */
#ifndef MLPBOOT_EXPERIMENTS_ANSWER_H
#define MLPBOOT_EXPERIMENTS_ANSWER_H

#include "../analysis/interval.h"
#include "../lib/string.h"
#include "facts.h"

/* The share by which a guest's memory has another pace in another run, since neighbours use it.
 * (Tried: 39 runs of a Zen 5 guest, half of them beside four processes that copied memory: 437 to
 * 548 cycles of latency, 24.0 to 37.1 loads at once; 13 of another: 8.8 to 12.0 ns an access of one
 * order.) */
#define GUESTS_MEMORY 0.22

/* The evidence that a rule judges by. */
struct evidence {
    const struct facts *facts;
    const struct tables *tables;   /* of the experiment's cases that were measured */
    const struct table *table;     /* of the case; NULL: of several cases */
    struct verdict_list *verdicts; /* so far, with those of the experiments before */
    size_t first;                  /* number of the experiment's first one */
};

/* For a question's `is_of`: true of the cases of a pattern. */
#define IS_OF_PATTERN(function, of_pattern)                                                        \
    static bool function(const struct variant *variant)                                            \
    {                                                                                              \
        return strcmp(variant->pattern, of_pattern) == 0;                                          \
    }

/* Adds a verdict on each question of a list that the case answers, by what was read of the case. */
void answer_all(const struct evidence *evidence, const struct question *questions,
                const void *reading);

/* Skips each question of a list that the case answers, but what counters tell. */
void answer_none(const struct evidence *evidence, const struct question *questions,
                 enum reason reason, const char *words);

/* Concludes a verdict with that interval: ok, or in doubt for a reason. The method says how it was
 * found, printf style. The first doubt counts: `a(table) ?: b(table)`. */
void answer(struct verdict *verdict, struct interval interval, enum reason doubt,
            const char *method, ...) __attribute__((format(printf, 4, 5)));

/* Returns a verdict's value with its interval. */
struct interval answer_interval(const struct verdict *verdict);

/* Concludes a verdict without a value: the question is open, or has no answer here. Behind the
 * reason's words the method has what is printed. */
void answer_open(struct verdict *verdict, enum reason reason, const char *detail, ...)
    __attribute__((format(printf, 3, 4)));
void answer_skip(struct verdict *verdict, enum reason reason, const char *detail, ...)
    __attribute__((format(printf, 3, 4)));

/* Puts a verdict in doubt where it is ok; its value stays, and what its method said comes last. */
void answer_doubt(struct verdict *verdict, enum reason reason, const char *detail, ...)
    __attribute__((format(printf, 3, 4)));

/* Returns the answer to a question of a case that was judged on its own; NULL: it has none. */
const struct verdict *answer_find(const struct evidence *evidence, const struct variant *variant,
                                  const char *name);

/* Puts a verdict in doubt that leans on another one, unless that is ok. */
void answer_lean(struct verdict *verdict, const struct verdict *other);

/* Returns REASON_SCATTER where an interval reaches to a side by its value's share PRECISE_WITHIN
 * (analysis/statistics.h) or more, and where the value is 0; else REASON_NONE. */
enum reason answer_scatter(struct interval interval);

/* The same of an interval that is WIDEST_SHARE of its value wide or more, from end to end. */
enum reason answer_width(struct interval interval);

/* Returns which share of a case's samples was kept; 1 without samples. */
double answer_kept(const struct table *table);

/* Returns in which percentage of a case's visits a sibling thread shared the core; 0 unless these
 * are most of them. */
double answer_mostly_shared(const struct table *table);

#endif

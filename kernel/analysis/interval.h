/* interval: a value with its 95 % interval, and the one rule by which errors propagate.
 *
 * The operands of a sum or a quotient are measured by samples of their own, so their errors are
 * independent: the squares add of what each operand alone moves the result by, from its value to
 * the end of its interval (JCGM 100:2008, 5.1.2 and the note of 5.1.3). Each side of an interval
 * propagates by itself, since medians' intervals are lopsided.
 */
#ifndef MLPBOOT_ANALYSIS_INTERVAL_H
#define MLPBOOT_ANALYSIS_INTERVAL_H

/* `low` and `high` are NAN where nothing is known of the error. */
struct interval {
    double value, low, high;
};

/* Returns value +- half_width. A quantity above 0 by nature, such as a time, does not go below 0.
 */
struct interval interval_around(double value, double half_width);

struct interval interval_add(struct interval a, struct interval b);
struct interval interval_subtract(struct interval a, struct interval b);

/* Multiplies by a factor that is known exactly; a negative one swaps the ends. */
struct interval interval_scale(struct interval a, double factor);

/* Returns a / b; b is not 0. If its interval holds 0, the error is that of a small one. A
 * quotient above 0 does not go below it where a does not. */
struct interval interval_divide(struct interval a, struct interval b);

/* Adds an independent error of `half_width` to both sides; a value above 0 keeps its ends there. */
struct interval interval_widen(struct interval a, double half_width);

/* Makes an interval reach that far at least to both sides; an end that is not known stays so. */
struct interval interval_at_least(struct interval a, double half_width);

/* Returns half the distance between the ends. */
double interval_half_width(struct interval a);

#endif

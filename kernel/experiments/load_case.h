/* load_case: one case of loads at random lines, measured over any plan of N and K. */
#ifndef MLPBOOT_EXPERIMENTS_LOAD_CASE_H
#define MLPBOOT_EXPERIMENTS_LOAD_CASE_H

#include "../probe/load_sampler.h"
#include "measurement.h"

struct load_point {
    uint16_t n, k;
};

struct load_case {
    struct measurement *measurement;
    struct load_sampler sampler;
    enum filler filler;     /* these three may be set once it is open */
    enum probe_order order; /* LFENCE otherwise */
    bool dependent;
    const struct load_point *plan; /* of the sweep that is running */
};

/*
 * "4k-cold-nopf-node1" and so on into `variant`, of NAME_BYTES characters: behind page and TLB
 * the suffix of measurement_set, and another.
 */
void load_case_name(char *variant, enum page_size page, enum tlb_state tlb, const char *setting,
                    const char *suffix);

/* The largest value of N in a list, for the conditions. */
unsigned load_case_most_loads(const struct config_list *loads);

/*
 * Starts a case named `variant` (must stay) and maps its window. False: it cannot be had here, by
 * `refusal` unless that is NULL, and is skipped with the reason. With true, load_case_close must
 * follow.
 */
bool load_case_open(struct load_case *c, struct measurement *m, const char *variant,
                    const struct load_conditions *conditions, const char *refusal);
void load_case_close(struct load_case *c);

/*
 * Measures the plan's points in rounds and adds a row for each, in the plan's order. False: a fault
 * or a lack of memory, said in the measurement's `failure`.
 */
bool load_case_measure(struct load_case *c, const struct load_point *plan, uint32_t count);

/*
 * Places the jump of N = 2 to one filler: while the points so far show a jump between two values of
 * K that are not neighbours, measures some in between. `first_row` is the case's. False as above.
 */
bool load_case_refine(struct load_case *c, size_t first_row);

/*
 * Counts what the platform can count (see counted.h): without loads, which is what reading the
 * counters costs; over N with the plan's smallest K; and over K with N = 2. Then the fill buffers
 * in use with the largest N. False as above.
 */
bool load_case_count(struct load_case *c, const struct load_point *plan, uint32_t count);

/* Rows that load_case_count adds at most, for so many values of N and K. */
uint64_t load_case_counted_rows(const struct platform *platform, uint64_t loads, uint64_t fillers);

/* Rows that load_case_refine adds at most. */
#define LOAD_CASE_REFINEMENTS 64

#endif

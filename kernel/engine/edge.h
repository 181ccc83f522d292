/* edge: the search for the place where a curve jumps, from one refinement to the next. */
#ifndef MLPBOOT_ENGINE_EDGE_H
#define MLPBOOT_ENGINE_EDGE_H

#include <stdbool.h>
#include <stdint.h>

#define EDGE_POINTS_MAX 15  /* added at a time: the bracket shrinks sixteen times */
#define EDGE_ATTEMPTS_MAX 3 /* after so many that later looks disagree with, the jump is doubt */
#define EDGE_LOOKS_MAX 3    /* the state of the core that a table is of may not come again */

/* Keeps the looks of a search. Starts as zeroes. */
struct edge {
    uint8_t looks[EDGE_ATTEMPTS_MAX]; /* at the ends of the bracket that is to stay, by attempt */
};

/* Holds what the rows say so far. */
struct edge_bracket {
    int64_t low, high;  /* neighbouring x that were measured; the jump is between them */
    int64_t resolution; /* so far apart they may stay */
    uint64_t attempt;   /* that the rows are of */
    /* Later looks at both ends: none yet, on the same sides of the jump as before, or not. */
    enum edge_later { EDGE_UNSEEN, EDGE_AGREES, EDGE_DISAGREES } later;
};

/* Names the points to measure next. */
struct edge_step {
    enum edge_next {
        EDGE_DONE,
        EDGE_GO_ON,     /* the points, if any, and both ends once more */
        EDGE_START_OVER /* the whole curve, as another attempt */
    } next;
    unsigned count;
    int64_t at[EDGE_POINTS_MAX];
};

/* Returns the next step, with up to EDGE_POINTS_MAX within the bracket. */
struct edge_step edge_refine(struct edge *edge, const struct edge_bracket *bracket);

/* Fills in up to `points` whole numbers strictly between two, evenly spread; returns how many. */
unsigned edge_between(int64_t low, int64_t high, unsigned points, int64_t at[EDGE_POINTS_MAX]);

#endif

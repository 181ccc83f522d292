/* task: what an experiment hands to the engine: points, how one is visited, and until when. */
#ifndef MLPBOOT_ENGINE_TASK_H
#define MLPBOOT_ENGINE_TASK_H

#include "../data/tables.h"
#include "../probe/counting.h"
#include "measurement.h"

#define VISIT_SAMPLES 25      /* taken of a point each time it is visited, unless set otherwise */
#define VISIT_SAMPLES_MAX 100 /* the largest visit_samples */

/* What a visit fills. */
struct samples {
    uint32_t *at;    /* ticks; while counting, of all samples by one counter, then by the next */
    unsigned count;  /* wanted; the visit may lower it to what it took */
    bool unfinished; /* set by the visit: it goes on in its next call, before any other item */
    const struct counting *counting; /* counters to read in place of the time; NULL: none */
    unsigned pass;                   /* of the counted events, see struct task */
};

/* When a point is done; engine/rounds.h has the rule. */
struct rounds_rules {
    uint32_t samples_min, samples_max;
    double precision;       /* as in distribution_is_precise */
    uint32_t visits_min;    /* finished visits */
    uint32_t visit_samples; /* up to VISIT_SAMPLES_MAX; 0: VISIT_SAMPLES */
    /* Samples kept of a point; 0: samples_max, and none is taken beyond, so that a visit is left
     * unfinished, or visits_min asks for one more, only where there is room for it. */
    uint64_t room;
};

/* What the engine does about a sibling thread that shares the core now and then. */
enum contention {
    CONTENTION_IGNORED, /* the sentinel is not timed */
    /* Visits are only labelled, since they are long or since siblings are ordered: a row of each
     * case says in how many visits it was not alone. */
    CONTENTION_LABELLED,
    CONTENTION_APART, /* samples of the whole core and of the shared core are kept apart */
    CONTENTION_APART_UNAWAITED, /* the same, but no point waits for the shared core's samples */
};

/* Points in memory that grows. */
struct points {
    struct point *at;
    uint32_t count, room;
    uint32_t done; /* the first that still has to be measured */
};

/*
 * What is measured together. Points next to each other with the same `group` share a preparation
 * and are visited in the same rounds, whichever cases they belong to. `context` is of all
 * functions; those that may be NULL say what that means.
 */
struct task {
    struct measurement *measurement;
    struct rounds_rules rules;
    uint64_t seed; /* of the rounds' order */
    enum contention contention;
    void *context;

    /* Takes samples of a point; inside `quietly`, in less than a fifth of a second. */
    void (*visit)(void *context, const struct point *point, struct samples *samples);

    /* Before a group's points: NULL, or why they cannot be had. Not inside `quietly`. NULL: there
     * is nothing to do, as for the two below. */
    const char *(*open)(void *context, const struct point *first);
    /* Prepares a group. Called inside `quietly` until it returns true, each time until `end` by the
     * time-stamp counter. */
    bool (*prepare)(void *context, uint64_t end);
    /* After a group's points that could be had. */
    void (*close)(void *context);

    /*
     * More points for a case by its rows so far, added by task_add; `added` were so before. Called
     * for every case once all points are done, and again as long as any were added; for one that
     * has samples of the shared core also, once for each of its tables. NULL: none.
     */
    void (*refine)(void *context, uint32_t case_number, const struct table *table, uint32_t added);

    /* How long a group takes against the others, for the progress line. NULL: by its points. */
    double (*cost)(void *context, const struct point *first);

    bool in_ns;             /* a row in nanoseconds beside each in ticks */
    unsigned counted_first; /* count only so many events, from the list's first on; 0: all */
    bool in_spans; /* what is counted is what happens in a probe's first `stage` core cycles */

    /* Set by the counting alone: counts that each sample has in place of its ticks, and how many
     * passes visit each point. 0: ticks, in one pass. */
    unsigned values, passes;

    /* The rest is set by task_add. */
    struct points references; /* to be timed again and again, in epochs (analysis/drift.h) */
    struct points points;     /* to be timed */
    struct points counted;    /* to be counted as well, where anything can be */
    struct points levels;     /* of which the fill buffers in use are counted */
};

/* Adds a point to one of the task's lists. Without memory the measurement's `failure` is set. */
void task_add(struct task *task, struct points *to, const struct point *point);

/* Copies a point's coordinates to its row. */
void task_place(const struct point *point, struct row *row);

/* Gives the memory of all lists back. */
void task_close(struct task *task);

#endif

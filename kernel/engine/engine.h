/* engine: from points to rows; the only code that decides when what is measured. */
#ifndef MLPBOOT_ENGINE_ENGINE_H
#define MLPBOOT_ENGINE_ENGINE_H

#include "../data/tables.h"
#include "measurement.h"

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
    void *context;

    /* Takes samples of a point, see struct rounds_work. */
    void (*visit)(void *context, const struct point *point, struct samples *samples);

    /* Before a group's points: NULL, or why they cannot be had. Not inside `quietly`. NULL: there
     * is nothing to do, as for the two below. */
    const char *(*open)(void *context, const struct point *first);
    /* Called inside `quietly` until it returns true, each time until `end` by the time-stamp
     * counter. */
    bool (*prepare)(void *context, uint64_t end);
    /* After a group's points that could be had. */
    void (*close)(void *context);

    /*
     * More points for a case by its rows so far, added by task_add; `added` were so before. Called
     * for every case once all points are done, and again as long as any were added; for one that
     * has samples of the shared core also, once for each of its tables. NULL: none.
     */
    void (*refine)(void *context, uint32_t of, const struct table *table, uint32_t added);

    /* How long a group takes against the others, for the progress line. NULL: by its points. */
    double (*cost)(void *context, const struct point *first);

    bool has_states;  /* visits are short against the states of the core: look for them */
    bool sees_states; /* they are long, or siblings are ordered: a row of a case says in how many it
                         was not alone */
    bool in_ns;       /* a row in nanoseconds beside each in ticks */
    unsigned counted_first; /* count only so many events, from the list's first on; 0: all */
    bool in_spans; /* what is counted is what happens in a probe's first `stage` core cycles */

    /* The rest is set by task_add. */
    struct points references; /* to be timed again and again, in epochs (analysis/drift.h) */
    struct points points;     /* to be timed */
    struct points counted;    /* to be counted as well, where anything can be */
    struct points levels;     /* of which the fill buffers in use are counted */
    uint32_t *refined; /* points added by refine: two for each case, by the whole core's and the
                          shared's rows */
    uint32_t cases;    /* that there were before those of the shared core came */
};

/*
 * Metric of a row in percent: of a case's visits, all in which a sibling thread shared the core, if
 * only for a part of them.
 */
#define ENGINE_SHARED "shared_percent"

/* Adds a point to one of the task's lists. Without memory the measurement's `failure` is set. */
void task_add(struct task *task, struct points *to, const struct point *point);

/*
 * Measures all points, adds their rows, and closes the task. A case none of whose points could be
 * had is skipped with the reason. False: a fault or a lack of memory, said in the measurement's
 * `failure`; what was complete before has its rows.
 */
bool engine_run(struct task *task);

/* For counted.c: under what points of a case are visited, and a point's coordinates in its row. */
struct surroundings engine_surroundings(const struct measurement *m, uint32_t of);
void engine_place(const struct point *point, struct row *row);

#endif

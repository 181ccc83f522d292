/* task: what an experiment hands to the engine: points, how one is visited, and until when. */
#ifndef MLPBOOT_ENGINE_TASK_H
#define MLPBOOT_ENGINE_TASK_H

#include "../data/tables.h"
#include "../probe/spin.h"
#include "../probe/timing.h"
#include "measurement.h"

#define VISIT_SAMPLES 25     /* taken of a point each time it is visited, unless set otherwise */
#define VISIT_SAMPLES_FEW 10 /* where visits differ more than the samples of one */
#define VISITS_LEAST 8       /* of a point whose interval is made of the scatter of its visits */
#define VISIT_SAMPLES_MAX SPIN_CHAINS /* the largest visit_samples: a slice of spinning */

#define TASK_LATER 0.5 /* seconds: the core may have changed its state meanwhile */

/* The results of a visit. */
struct samples {
    uint32_t *at;    /* ticks; while counting, of all samples by one counter, then by the next */
    unsigned count;  /* wanted; the visit may lower it to what it took */
    bool unfinished; /* set by the visit: it goes on in its next call, before any other item */
    /* Set by a long visit that looks for SMIs after each sample (samples_keep) and leaves out those
     * that one interrupted: how many. Other visits are discarded whole. */
    bool looks_for_smis;
    unsigned interrupted;
    uint32_t smis;                   /* counted until its latest sample */
    const struct counting *counting; /* counters to read in place of the time; NULL: none */
    unsigned pass;                   /* of the counted events, see struct task */
};

/* The limits of the stop rule, which engine/rounds.h states. */
struct rounds_rules {
    uint32_t samples_min, samples_max;
    double precision;       /* as in distribution_is_precise */
    uint32_t visits_min;    /* finished visits */
    uint32_t visit_samples; /* up to VISIT_SAMPLES_MAX; 0: VISIT_SAMPLES */
};

/* The ways in which the engine treats a sibling thread that shares the core now and then. */
enum contention {
    CONTENTION_IGNORED, /* the sentinel is not timed */
    /* Visits are only labelled, since they are long or since siblings are ordered: a row of each
     * case says in how many visits it was not alone. */
    CONTENTION_LABELLED,
    /* Samples of the whole core and of the shared core are kept apart. Points wait for the whole
     * core's, unless that is rare, and those that refine the shared core's curve for these. */
    CONTENTION_APART,
    CONTENTION_APART_ONE, /* the same; the shared core's are for where there are no others */
};

/* Points in memory that grows. */
struct points {
    struct point *at;
    uint32_t count, room;
    uint32_t done; /* the first that still has to be measured */
};

/*
 * The points that are measured together. Points next to each other with the same `group` share a
 * preparation and are visited in the same rounds, whichever cases they belong to. `context` is of
 * all functions; those that may be NULL say what that means.
 */
struct task {
    struct measurement *measurement;
    struct rounds_rules rules;
    uint64_t seed; /* of the rounds' order */
    enum contention contention;
    void *context;

    /* Takes samples of a point; inside `quietly`, in less than a fifth of a second. */
    void (*visit)(void *context, const struct point *point, struct samples *samples);

    /* Called before a group's points, not inside `quietly`. Returns NULL, or why they cannot be
     * had. This and the next two may be NULL: there is nothing to do. */
    const char *(*open)(void *context, const struct point *first);
    /* Prepares a group. Called inside `quietly` until it is true, each time to `end` in ticks. */
    bool (*prepare)(void *context, uint64_t end);
    /* Called after a group's points that could be had. */
    void (*close)(void *context);

    /*
     * Adds points to a case by its rows so far. Called for
     * every case once all points are done, and again while any case adds points; for a case that
     * has samples of the shared core, once for each of its two tables. NULL: no points are added.
     */
    void (*refine)(void *context, uint32_t case_id, const struct table *table);

    /* Called for each case where `refine` adds no points to any, and then all over. Adds what is to
     * be looked at again later: TASK_LATER seconds after what was before began, or as long as the
     * task has taken so far. NULL: nothing is. */
    void (*refine_later)(void *context, uint32_t case_id, const struct table *table);

    bool in_ns;    /* each row in ticks has one in nanoseconds beside it */
    bool in_spans; /* only a probe's first `stage` core cycles are counted */

    /* Set by counted.c: each sample has so many counts in place of ticks, and each point is visited
     * in so many passes. 0: ticks, and one pass. */
    unsigned values, passes;

    /* The rest is set by task_add. */
    struct points references; /* to be timed again and again, in epochs (analysis/drift.h) */
    struct points points;     /* to be timed */
    struct points counted;    /* to be counted as well, where anything can be */
    struct points levels;     /* of which the fill buffers in use are counted */
};

/* Adds a point to one of the task's lists. Without memory the measurement's `failure` is set. */
void task_add(struct task *task, struct points *to, const struct point *point);

/* Returns where the group of that point ends. */
uint32_t points_group_end(const struct points *points, uint32_t first);

/* Copies a point's coordinates to its row. */
void task_place(const struct point *point, struct row *row);

/* Fills in a sample of each run of the published probe, which takes `argument`; or its counts. */
void samples_run(const struct samples *samples, struct platform *platform, void *argument);

/* Begins a visit that looks for SMIs itself. To be called inside `quietly`. */
void samples_look_for_smis(struct samples *samples, struct platform *platform);

/* Keeps a sample of such a visit as number `kept`, unless an SMI came since the last one. Some
 * firmware causes several in a second: visits as long as that would all be lost. Returns how many
 * samples are kept. */
unsigned samples_keep(struct samples *samples, struct platform *platform, unsigned kept,
                      uint32_t ticks);

#endif

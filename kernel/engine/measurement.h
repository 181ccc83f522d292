/* measurement: what an experiment is given to measure with, its cases, and where its rows go. */
#ifndef MLPBOOT_ENGINE_MEASUREMENT_H
#define MLPBOOT_ENGINE_MEASUREMENT_H

#include "../analysis/distribution.h"
#include "../analysis/states.h"
#include "../cpu/processor.h"
#include "../data/point.h"
#include "../platform.h"
#include "pair_probe.h"
#include "windows.h"

struct config;
struct facts;

#define CLOCKS_MAX 64 /* kept; even */

/* The ticks that the sentinel's chain took in visits `seen`: in all, every second, every fourth. */
struct clocks {
    uint32_t ticks[CLOCKS_MAX], count, halvings, seen;
};

struct measured_case {
    struct variant variant;
    bool interrupts;         /* measured with them on */
    bool is_skipped;         /* it has no points */
    bool has_rows;           /* with samples, */
    bool has_points;         /* some of them of points, not of epochs alone */
    const char *why_missing; /* the reason of its last point without samples; NULL */
    uint32_t shared;         /* number of the case for the shared core's samples; 0: absent */
    uint32_t beside, beside_reading; /* visits beside a sibling that should load, and those in which
                                        it read something */
    /* In the present task: visits to its points that left samples, and those of them in which the
     * core was not whole. */
    uint32_t seen, seen_shared;
    uint32_t in_vain; /* refinements in a row by its rows with too few samples */
    /* Its own samples met the first, those of the shared core the second. */
    struct clocks clocks, clocks_shared;
    void *data; /* what the experiment keeps of the case, */
    uint64_t data_bytes;
};

/* With its final NUL, one less than the narrowest console has, so that no line of it wraps. */
#define MEASUREMENT_LINE 80

/* Starts as zeroes but for what stands before `cases`, and the place among all experiments. */
struct measurement {
    struct platform *platform;
    const struct config *config;
    const struct processor *processor;
    const char *experiment;
    bool is_emulated;          /* no time, size or count is a processor's: nothing to search for */
    bool brief;                /* the experiment may take some milliseconds only */
    bool beside_sibling;       /* each case is measured beside each work of a started sibling */
    const struct facts *facts; /* found so far (experiments/facts.h) */
    struct states *states; /* of the core, during the whole run; NULL: the sentinel is not timed */
    struct pair_probe *pairs;    /* for second looks at it, or NULL */
    uint32_t step;               /* of the clock, in ticks; up to 1: it does not matter */
    uint64_t visits;             /* of its points; not those of references, or while counting */
    uint64_t spent[CORE_STATES]; /* ticks of visits in each state, with the looks at it */
    /* The core's so far, in seconds of work: of visits that added samples, and of visits and
     * waits that added none; and how long the latest visit took that did. */
    struct waits {
        double useful, vain, usual;
    } waits;
    bool prefetch_is_tried;     /* set by prefetch_proof, */
    const char *prefetch_doubt; /* and what it found */

    struct measured_case *cases;
    uint32_t case_count, case_room;
    struct row *rows;
    uint32_t row_count, row_room;
    struct windows windows; /* of the present task */

    unsigned number, numbers; /* of this experiment, from 1, and of all that were asked for; */
    uint64_t run_started;     /* ticks when the first began, */
    double later;             /* and about how many seconds those behind this one take */

    unsigned tasks, task;         /* number of tasks, 0 is one; and of those done */
    uint64_t started;             /* ticks */
    char shown[MEASUREMENT_LINE]; /* the line of progress on the console, */
    uint64_t shown_at;            /* its time in ticks; 0: there is no line */
    const char *failure;          /* why the experiment ended early; NULL */
    uint64_t seen; /* ticks when rounds were last at work; 0: not since memory was prepared */
    uint64_t stood_still; /* ticks of the longest time without work since then; 0: none was long */
    char why_shared[96];  /* the reason of cases that lack samples of the whole core */

    /* Filled in place of a case or row that there is no memory for; nobody reads them. */
    struct measured_case spare_case;
    struct row spare_row;
};

/* The reason for an early end that the user asked for. */
extern const char measurement_stopped[], measurement_faulted[];

/* Rounds, or what prepares them, ended early: `failure` becomes the reason, which is the user, or a
 * fault in those words. Returns false. */
bool measurement_fail(struct measurement *m, const char *fault);

/*
 * Adds a case of the experiment and returns its number; the variant is copied but for the
 * experiment and the core. The case keeps `data_bytes` zeroed bytes for the experiment
 * (measurement_data). Without memory `failure` is set, and no case has the number.
 */
uint32_t measurement_add_case(struct measurement *m, const struct variant *variant,
                              uint64_t data_bytes);

/* Returns the case of a number; a spare one for a number that no case has. */
struct measured_case *measurement_case(struct measurement *m, uint32_t number);

/* Returns what is kept of a case, in place until measurement_release; NULL: nothing, or no case. */
void *measurement_data(const struct measurement *m, uint32_t number);

/* Says that a case cannot be measured here, and why: a row of metric ROW_SKIPPED. */
void measurement_skip(struct measurement *m, uint32_t number, const char *reason);

/* Adds a row of a case with what the samples say (NULL: none), and returns it; coordinates
 * ROW_NONE. Valid until the next is added. Without memory `failure` is set, and the row is the
 * spare one. */
struct row *measurement_add(struct measurement *m, uint32_t number, const char *metric,
                            const char *unit, const struct distribution *d);

/* Adds a row with one value; a row without samples if the value is 0, which is unknown. */
struct row *measurement_add_value(struct measurement *m, uint32_t number, const char *metric,
                                  const char *unit, double value);

/* Adds a copy of one of its rows in nanoseconds in place of ticks. */
void measurement_add_in_ns(struct measurement *m, uint32_t number, const struct row *ticks);

/*
 * Moves an array at *at, with room for *old elements of `size` bytes, to memory with the new room,
 * which *old becomes. False: not enough memory, as `failure` says.
 */
bool measurement_grow(struct measurement *m, void **at, uint32_t *old, uint32_t room, size_t size);

/* Doubles the room where `count` elements leave none for one more. */
bool measurement_make_room(struct measurement *m, void **at, uint32_t *room, uint32_t count,
                           size_t size);

/* Tells the console that a case lacks this size of an array, and why. */
void measurement_say_missing(const struct measurement *m, const struct variant *variant,
                             uint64_t bytes, const char *reason);

/* Rewrites the console's progress line, once a second at most and when all is done: `done` of the
 * task under way, 0 to 1; `is_refining`: the line says so in place of the time left. If a line
 * cannot be rewritten, a new one follows every ten seconds; none if brief. */
void measurement_progress(struct measurement *m, double done, bool is_refining);

void measurement_release(struct measurement *m);

/*
 * prefetch_proof.c. Chases pointers line after line through evicted pages, with the prefetchers on
 * and then off: without them every line takes as long as the first. The platform must be able to
 * switch them; they are left off. Tried once in a measurement. Returns NULL if it is slower, else
 * why "off" cannot be believed. Not from inside `quietly`.
 */
const char *prefetch_proof(struct measurement *m);

#endif

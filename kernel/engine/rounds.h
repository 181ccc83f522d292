/* rounds: the loop that measures: items visited in random rounds until each is precise enough. */
#ifndef MLPBOOT_ENGINE_ROUNDS_H
#define MLPBOOT_ENGINE_ROUNDS_H

#include "../analysis/distribution.h"
#include "../analysis/states.h"
#include "../lib/random.h"
#include "../platform.h"
#include "../probe/counting.h"
#include "visits.h"

#define VISIT_SAMPLES 25      /* taken of an item each time it is visited, unless told otherwise */
#define VISIT_SAMPLES_MAX 100 /* the most anybody may ask for */
#define PAUSE_VISITS 1000
#define FASTEST_LEAST 500 /* samples with a first percentile to speak of */
#define FASTEST_MOST 4000

/* What a visit fills. */
struct samples {
    uint32_t *at;    /* ticks; while counting, of all samples by one counter, then by the next */
    unsigned count;  /* wanted; the visit may lower it to what it took */
    bool unfinished; /* set by the visit: it goes on in its next call, before any other item */
    const struct counting *counting; /* counters to read in place of the time; NULL: none */
};

/* Under what the processor is visited; those with equal ones are visited in slices of their own. */
struct surroundings {
    bool prefetch_off;
    bool interrupts; /* as the platform leaves them, in place of `quietly` */
    /* What the siblings, which were started as generators, do meanwhile. Asleep: what the sentinel
     * does not call the whole core is disturbed. */
    enum sibling_work sibling;
};

struct rounds_rules {
    uint32_t samples_min, samples_max;
    double precision;       /* as in distribution_is_precise */
    uint32_t visits_min;    /* whole ones */
    uint32_t visit_samples; /* up to VISIT_SAMPLES_MAX; 0: VISIT_SAMPLES */
    /* Samples kept of an item; 0: samples_max, and none is taken beyond, so that a visit is left
     * unfinished, or visits_min asks for one more, only where there is room for it. */
    uint64_t room;
    uint32_t step;   /* of the clock, in ticks; up to 1: none that matters */
    unsigned values; /* of each sample: counts in place of ticks; 0: one, ticks */
    /* Where states of the core are looked for: samples of each are kept apart. NULL: nowhere. */
    struct states *states;
    bool takes_any_state; /* nobody waits for the shared core, where the whole one has enough */
    bool is_mixed;        /* samples of all states are kept together; visits are only labelled */
    /* Where an item's fastest samples matter, it takes FASTEST_LEAST, and FASTEST_MOST until the
     * first percentile is placed; for a glance, a visit or two do. `of` is handed on. NULL: each
     * needs its centre. */
    enum point_needs (*needs)(const void *of, uint32_t item);
    const void *of;
};

/* What is visited. `context` is of all. */
struct rounds_work {
    void *context;
    /* Takes samples of an item; inside `quietly`, in less than a fifth of a second. */
    void (*visit)(void *context, uint32_t item, struct samples *samples);
    /* Of each item; NULL: all are zeroes. */
    struct surroundings (*surroundings)(void *context, uint32_t item);
    /* Told between slices how much is done, 0 to 1; NULL: nobody is. */
    void (*progress)(void *context, double done);
    /* Called between slices, after every PAUSE_VISITS visits; it may measure something else. NULL:
     * nothing is. False: it failed, and so does the rest. */
    bool (*pause)(void *context);
    /* Where visits are kept, under number first_point + item; NULL: nowhere. */
    struct visits *visits;
    uint32_t first_point;
};

struct round_item {
    uint32_t visits;
    uint32_t least, most; /* samples */
    uint32_t visits_min;
    enum point_needs needs;
    bool is_done;
};

struct rounds {
    struct platform *platform;
    struct rounds_rules rules;
    struct random random;
    const struct rounds_work *work;
    struct distribution *distributions; /* see rounds_of */
    unsigned kinds;                     /* states whose samples are kept: 1 or 2 */
    double limit; /* the largest that a whole core's sentinel had in this round */
    struct round_item *items;
    uint32_t count;
    uint32_t *order, *spare;            /* items still measured, in this round's order */
    uint32_t active, next;              /* how many, and which comes next */
    uint32_t visits;                    /* since the last pause */
    bool unfinished;                    /* that one is in the middle of a visit */
    bool prefetch_is_set, prefetch_off; /* as last asked for */
    uint32_t *samples;                  /* all items' memory, */
    uint64_t room;                      /* for so many */
};

/* When a slice that begins now has to end, by the time-stamp counter: between two slices the
 * console may be written. */
uint64_t slice_end(const struct platform *platform);

/* Prepares `count` items. Returns NULL, or the reason (not enough memory). */
const char *rounds_open(struct rounds *rounds, struct platform *platform, uint32_t count,
                        const struct rounds_rules *rules, uint64_t seed);

/*
 * Measures. An item is done when it has visits_min visits and samples_min samples and its median's
 * interval is within the precision, or when it has samples_max, or was tried twice as often. Every
 * round visits the items that are left in a fresh random order, so that drift meets them all alike.
 *
 * Where the core has states, each visit is between two looks at the sentinel, and its samples go to
 * the state they say; what is neither is discarded. An item is done when it is in every state that
 * is not rare, a tenth of all visits, and at the latest after four times as many samples as it may
 * have. False: a fault ended it.
 */
bool rounds_run(struct rounds *rounds, const struct rounds_work *work);

/* The samples of an item in a state: `values` distributions. */
struct distribution *rounds_of(const struct rounds *rounds, uint32_t item, enum core_state state);

void rounds_close(struct rounds *rounds);

#define SENTINEL_LOOKS 3 /* at the sentinel, before a visit and after it */

/*
 * Times the sentinel SENTINEL_LOOKS times, after once to warm it, and adds the blocks to the
 * states: cycles of each in rising order. Returns the ticks of the last. Inside `quietly` or
 * `openly`.
 */
uint32_t rounds_look(struct platform *platform, struct states *states,
                     double cycles[SENTINEL_LOOKS]);

#endif

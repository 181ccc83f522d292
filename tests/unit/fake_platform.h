/* fake_platform: a platform that keeps account of what is asked of it, and fails when told to. */
#ifndef MLPBOOT_TESTS_FAKE_PLATFORM_H
#define MLPBOOT_TESTS_FAKE_PLATFORM_H

#include "../../kernel/platform.h"
#include "../../kernel/pmu/plan.h"
#include "../../kernel/pmu/schedule.h"
#include "../../kernel/probe/timing.h"

#define FAKE_TEXT_MAX 65536
#define FAKE_MAPS_MAX 512
#define FAKE_VISITS_PER_SECOND 500
#define FAKE_CODE_BYTES 65536
#define FAKE_ORDERS_MAX 4096

/*
 * Counts are of calls since it was opened; what is set to fail is the number of the call, from 1,
 * and 0 means none. Every service checks that it is called where the contract allows it, inside
 * `quietly` or outside. A test may put functions of its own into `platform`. What a refused window
 * is told is only there until the next one is asked for.
 */
struct fake_platform {
    struct platform platform;           /* first: `self` is the whole, */
    const struct fake_platform *opened; /* and this tells that it is */

    unsigned allocations, failing; /* the one that gives no memory, */
    uint64_t failed_bytes;         /* so many of which were asked for */
    unsigned live;                 /* not yet released, */
    uint64_t live_bytes;           /* and their bytes */

    unsigned windows;                /* mapped now */
    struct window window;            /* the last one mapped */
    uint64_t largest;                /* bytes a window may have; at first without limit */
    const char *no_page[PAGE_SIZES]; /* why there are none of that size; NULL: there are */
    unsigned maps;                   /* windows asked for, refused ones too, */
    struct window_request asked[FAKE_MAPS_MAX];
    struct window mapped[FAKE_MAPS_MAX]; /* and what each became; no base: refused, or unmapped */
    unsigned unmaps, unmapped[FAKE_MAPS_MAX]; /* which of them, in order */

    unsigned slices, fault_at; /* calls of `quietly` and `openly`; one that faults does no work */
    bool inside, openly;       /* during a slice; which has interrupts on */
    uint64_t visits;           /* in all slices; FAKE_VISITS_PER_SECOND 500of them take a second */
    void (*after_slice)(struct fake_platform *self); /* NULL: nothing happens */

    bool smi_known;
    uint32_t smis, smi_step;          /* what is told; each reading adds the step, */
    uint32_t smi_every, smi_readings; /* or only one of so many does; 0: each */

    bool prefetch;           /* as last set; as found they are on, */
    bool prefetch_is_found;  /* and left so; */
    unsigned prefetch_calls; /* so often */
    const char *no_prefetch; /* why they cannot be switched off; NULL: they can */

    uint8_t code[FAKE_CODE_BYTES]; /* where probes are written; nobody runs them */
    unsigned runs, run_ticks;      /* of code; and what each takes */

    struct counter_offer offer;
    const struct event *programmed[COUNTING_MAX]; /* NULL: the counter stands still */
    uint8_t counter[COUNTING_MAX];                /* that counts it */
    unsigned counting, most;                      /* counters of the last pass, and of any */
    const char *refused;                          /* key of an event whose pass is refused */
    uint64_t span;                                /* last set; 0 since a pass was programmed */
    unsigned spans;                               /* set in all */
    uint64_t count[COUNTING_MAX], count_step;     /* each reading adds the step first */

    unsigned others;                      /* processors that may be generators, at first 3 */
    const char *no_generators;            /* why there are none; NULL: there are */
    unsigned starts, stops;               /* of generators, refused ones and needless ones too */
    struct generators_request started_as; /* as last asked for, */
    unsigned started;                     /* how many were, and are not stopped yet */
    unsigned orders;                      /* in order: */
    struct generator_order ordered[FAKE_ORDERS_MAX];
    uint64_t generated,
        generated_step; /* each reading adds the step for each that loads or stores */

    char printed[FAKE_TEXT_MAX]; /* without lines of progress */

    unsigned appends, replaces;
    const char *refuses; /* why files cannot be written; NULL: they can */
    char file[64];       /* the last one written to */
    char appended[FAKE_TEXT_MAX], replaced[FAKE_TEXT_MAX];
};

/* For the platform's `worked`: each slice ends after as many visits, on any host. */
uint64_t fake_worked(struct platform *self);

/* All counts are zero and nothing fails; the clock runs at 1 GHz. */
void fake_platform_open(struct fake_platform *fake);

/* Offers counters: a bit of `usable` for each, as in schedule.h. */
void fake_platform_offer(struct fake_platform *fake, const struct microarchitecture *uarch,
                         uint64_t usable);

/* Nothing is left of what was taken. */
void fake_platform_assert_returned(const struct fake_platform *fake);

/* The microarchitecture of that name; fails the test where there is none. */
const struct microarchitecture *microarchitecture_named(const char *name);

#endif

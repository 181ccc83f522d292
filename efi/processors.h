/* processors: lists the logical processors, keeps some of them, and runs work on one. */
#ifndef MLPBOOT_EFI_PROCESSORS_H
#define MLPBOOT_EFI_PROCESSORS_H

#include <stdbool.h>

#include "../kernel/cpu/processor.h"
#include "../kernel/cpu/quiet.h"
#include "../kernel/cpu/rest.h"
#include "../kernel/lib/json.h"
#include "../kernel/probe/generator.h"

struct mp_services; /* the firmware's, see processors.c */
struct station;     /* a processor's place to wait for orders */

/* One logical processor. */
struct logical_processor {
    uint64_t number;          /* the MP services' number */
    struct topology topology; /* by the firmware and our own processor, until it told its own */
    enum core_type type;
    unsigned looks;              /* how often it was started and told what is there */
    const char *why_not;         /* why it is not started; NULL: it may be, or it is ours */
    struct awake_clock clock;    /* at the last look */
    double before, during;       /* the share of the time it was awake; NAN: not known */
    struct station *station;     /* NULL: not kept */
    uint64_t asleep_ticks;       /* in MWAIT while it was kept */
    uint64_t kept_ticks;         /* how long it was kept */
    bool is_chosen;              /* chosen as a generator by others.h */
    struct generator *generator; /* NULL: no generator */
    uint64_t generated;          /* bytes read and written as a generator, in all */
};

struct processors {
    const struct processor *identity;
    struct mp_services *services; /* NULL: `why_not` gives the reason */
    const char *why_not;
    struct logical_processor *all; /* at least our own */
    unsigned count, listed;        /* how many `all` has room for */
    unsigned undescribed;          /* processors that are not in `all` */
    unsigned silent;               /* did not answer a start */
    struct logical_processor *boot, *measuring;
    bool halts_siblings;
    bool siblings_sleep; /* there are siblings, and processors_gather keeps all of them asleep */
    uint64_t ticks_per_second;
    char summary[320], siblings[160], refusal[160]; /* in words */
};

/*
 * Lists the processors, of which none is started. If the firmware does not list them, our own is
 * the only one and `summary` has the reason. `ticks_per_second` is the rate of the time-stamp
 * counter.
 */
void processors_open(struct processors *processors, const struct processor *identity,
                     uint64_t ticks_per_second);

/* From now on none is started. */
void processors_leave(struct processors *processors);

/*
 * Starts a processor for a look, unless it was met or is not to be started. A firmware may never
 * come back from it where the processor is dead (edk2 waits without a limit); after three that did
 * not answer in time, no other is tried.
 */
void processors_ask(struct processors *processors, struct logical_processor *l);

/* Looks at the processor that measures and its siblings, or at all, but not at our own; twice if
 * their clocks tell when they are awake. */
void processors_meet(struct processors *processors, bool all);

/* Looks again at each processor with such a clock that is not kept, and updates `summary`. */
void processors_look(struct processors *processors);

/*
 * Starts the processors that processors_run needs: the one that measures, unless it is our own, and
 * the siblings that are to sleep. They are kept until processors_release, since the firmware takes
 * a tenth of a second to notice that one is back. Returns NULL, or why nothing can be measured.
 * Needs TPL_APPLICATION; may be called again.
 */
const char *processors_gather(struct processors *processors);

/*
 * Calls quiet_run on the processor that measures, while ours waits with events kept out. Needs
 * processors_gather first. Returns NULL and *result, or why the processor did not come back; from
 * then on memory is kept (memory.h), and no other processor may do quiet work.
 */
const char *processors_run(struct processors *processors, struct quiet *quiet,
                           void (*work)(void *context), void *context, enum quiet_result *result);

/*
 * Makes a processor that neither measures nor is ours a generator, keeping it if need be: it works
 * on `array`, identity mapped as by the firmware, until it is dismissed, and then sleeps at its
 * station. Returns NULL, or why it cannot. Needs TPL_APPLICATION.
 */
const char *processors_employ(struct processors *processors, struct logical_processor *l,
                              uint8_t *array, uint64_t bytes);

/*
 * Waits until each generator follows its last order; may be called from our processor or from the
 * one that measures. Returns NULL, or which generator does not; that one is not waited for again.
 */
const char *processors_await(struct processors *processors);

/* Tells a generator to leave; it stays a generator until processors_take_back. */
void processors_dismiss(struct logical_processor *l);

/* Waits until the generator is at its station. False: it did not come, and keeps its memory. */
bool processors_take_back(struct logical_processor *l);

/* Returns the gathered processors to the firmware. No generators may be left. */
void processors_release(struct processors *processors);

/* Frees what processors_open took, and releases the gathered processors. */
void processors_close(struct processors *processors);

/* True if both are threads of one core. */
bool processors_are_siblings(const struct logical_processor *a, const struct logical_processor *b);

/* Adds the object "processors" of run.json. */
void processors_describe(const struct processors *processors, const struct quiet *quiet,
                         struct json *json);

#endif
